//! nbdkit under fio, tgt under iscsi-perf, and iperf3 for bytes alone.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use xtask::bound::ends_with_us;

use super::ours::{Serving, pinned, process_cpu_s};
use super::sample::Sample;
use super::{BLOCK, Operation, Window};
use crate::peers::{WINDOW, spent};

/// Until a server listens.
const BEGINNING: Duration = Duration::from_millis(800);
const NBD_PORT: u16 = 10_909;
const ISCSI_PORT: u16 = 13_261;
const IPERF_PORT: u16 = 15_202;

fn installed(program: &str, argument: &str) -> bool {
    let mut command = Command::new(program);
    command.arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    command.status().is_ok()
}

/// The JSON in what a program said: fio's engines say other things before it.
fn json_of(output: &[u8]) -> Result<Value> {
    let begin = output.iter().position(|byte| *byte == b'{').context("no JSON")?;
    Ok(serde_json::from_slice(&output[begin..])?)
}

/// A program on the second CPU, which ends with us.
pub(super) fn on_host(program: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "1", program]).stdin(Stdio::null());
    ends_with_us(&mut command, libc::SIGKILL);
    command
}

/// nbdkit's memory, or a file through the page cache, under fio's NBD engine.
pub(super) struct Nbd {
    file: Option<PathBuf>,
}

impl Nbd {
    pub(super) fn found() -> Option<Nbd> {
        let there = installed("nbdkit", "--version") && installed("fio", "--version");
        there.then_some(Nbd { file: None })
    }

    /// With a file behind it.
    pub(super) fn of_file(file: &Path) -> Option<Nbd> {
        Nbd::found().map(|_| Nbd { file: Some(file.to_path_buf()) })
    }
}

impl Window for Nbd {
    fn name(&self) -> String {
        match self.file {
            None => "nbdkit, fio".to_string(),
            Some(_) => "nbdkit, the file in the page cache, fio".to_string(),
        }
    }

    fn measure(&self, operation: Operation, depth: u32) -> Result<Option<Sample>> {
        let mut command = pinned(Path::new("nbdkit"));
        let port = NBD_PORT.to_string();
        command.args(["-f", "-p", &port, "-i", "127.0.0.1"]);
        let size = match &self.file {
            None => {
                command.args(["memory", "256M"]);
                256 << 20
            }
            Some(file) => {
                command.arg("file").arg(file);
                std::fs::metadata(file)?.len()
            }
        };
        let server = Serving(command.stderr(Stdio::null()).spawn()?);
        thread::sleep(BEGINNING);
        let pattern = match operation {
            Operation::Read => "randread",
            Operation::Write => "randwrite",
        };
        let mut fio = on_host("fio");
        fio.args(["--name=peer", "--ioengine=nbd", "--output-format=json", "--time_based"]);
        fio.arg(format!("--size={size}"));
        fio.arg(format!("--uri=nbd://127.0.0.1:{NBD_PORT}")).arg(format!("--rw={pattern}"));
        fio.arg(format!("--bs={BLOCK}")).arg(format!("--iodepth={depth}"));
        fio.arg(format!("--runtime={}", WINDOW.as_secs()));
        let before = process_cpu_s(server.0.id())?;
        let output = fio.output().context("running fio")?;
        let target_s = process_cpu_s(server.0.id())? - before;
        ensure!(output.status.success(), "fio: {}", String::from_utf8_lossy(&output.stderr));
        let answer = json_of(&output.stdout)?;
        let job = &answer["jobs"][0];
        let side = match operation {
            Operation::Read => &job["read"],
            Operation::Write => &job["write"],
        };
        let number = |value: &Value| value.as_f64().context("a figure of fio's");
        let count = number(&side["total_ios"])?;
        let seconds = number(&job["job_runtime"])? / 1e3;
        let cpu_percent = number(&job["usr_cpu"])? + number(&job["sys_cpu"])?;
        Ok(Some(Sample {
            p50_us: Some(number(&side["clat_ns"]["percentile"]["50.000000"])? / 1e3),
            rate_per_s: number(&side["iops"])?,
            host_us: cpu_percent / 100.0 * seconds / count * 1e6,
            target_us: target_s / count * 1e6,
        }))
    }
}

/// tgt's file, in the page cache, under libiscsi's iscsi-perf, which only reads.
pub(super) struct Iscsi {
    file: PathBuf,
}

impl Iscsi {
    pub(super) fn found(scratch: &Path) -> Option<Iscsi> {
        let file = scratch.join("iscsi");
        std::fs::write(&file, vec![0; 256 << 20]).ok()?;
        (installed("tgtd", "--version") && installed("iscsi-perf", "--help"))
            .then_some(Iscsi { file })
    }
}

const IQN: &str = "iqn.2026-11.org.example:peers";
const CONTROL: &str = "91";

impl Window for Iscsi {
    fn name(&self) -> String {
        "tgt, iscsi-perf".to_string()
    }

    fn measure(&self, operation: Operation, depth: u32) -> Result<Option<Sample>> {
        if operation == Operation::Write {
            return Ok(None);
        }
        let mut command = pinned(Path::new("tgtd"));
        command.args(["-f", "-C", CONTROL, "--iscsi", &format!("portal=127.0.0.1:{ISCSI_PORT}")]);
        let server = Serving(command.stderr(Stdio::null()).spawn()?);
        thread::sleep(BEGINNING);
        let file = self.file.to_str().context("a path that is text")?;
        for arguments in [
            vec!["--op", "new", "--mode", "target", "--tid", "1", "-T", IQN],
            vec!["--op", "new", "--mode", "logicalunit", "--tid", "1", "--lun", "1", "-b", file],
            vec!["--op", "bind", "--mode", "target", "--tid", "1", "-I", "ALL"],
        ] {
            let mut admin = Command::new("tgtadm");
            admin.args(["-C", CONTROL, "--lld", "iscsi"]).args(arguments);
            ensure!(admin.status()?.success(), "tgtadm refused");
        }
        let mut perf = on_host("iscsi-perf");
        let blocks = (BLOCK / 512).to_string();
        perf.args(["-r", "-b", &blocks, "-m", &depth.to_string()]);
        perf.args(["-t", &WINDOW.as_secs().to_string()]);
        perf.arg(format!("iscsi://127.0.0.1:{ISCSI_PORT}/{IQN}/1"));
        let before = process_cpu_s(server.0.id())?;
        let (output, host) = spent::by(&mut perf)?;
        let target_s = process_cpu_s(server.0.id())? - before;
        let text = String::from_utf8_lossy(&output.stdout);
        let average = text.rsplit("iops average ").next().context("an average")?;
        let rate_per_s: f64 =
            average.split(' ').next().context("a rate")?.parse().context("iscsi-perf's rate")?;
        let count = rate_per_s * WINDOW.as_secs_f64();
        Ok(Some(Sample {
            p50_us: None,
            rate_per_s,
            host_us: host.cpu_s() / count * 1e6,
            target_us: target_s / count * 1e6,
        }))
    }
}

/// iperf3's stream of pieces of 1 MiB from the first CPU to the second, as operations of 1 MiB.
pub(super) struct Stream;

impl Window for Stream {
    fn name(&self) -> String {
        "iperf3, bytes alone".to_string()
    }

    fn measure(&self, _: Operation, _: u32) -> Result<Option<Sample>> {
        if !installed("iperf3", "--version") {
            eprintln!("SKIPPED: iperf3 is not installed");
            return Ok(None);
        }
        let port = IPERF_PORT.to_string();
        let mut command = pinned(Path::new("iperf3"));
        command.args(["-s", "-1", "-p", &port]);
        let server = Serving(command.spawn()?);
        thread::sleep(BEGINNING);
        let mut client = on_host("iperf3");
        let seconds = WINDOW.as_secs().to_string();
        client.args(["-c", "127.0.0.1", "-p", &port, "-t", &seconds, "-R", "-l", "1M", "--json"]);
        let before = process_cpu_s(server.0.id())?;
        let (output, host) = spent::by(&mut client)?;
        // It ends with its client.
        let target_s = process_cpu_s(server.0.id()).map_or(f64::NAN, |after| after - before);
        let answer = json_of(&output.stdout)?;
        let bits = &answer["end"]["sum_received"]["bits_per_second"];
        let rate_per_s = bits.as_f64().context("iperf3's rate")? / 8.0 / f64::from(1 << 20);
        let count = rate_per_s * WINDOW.as_secs_f64();
        Ok(Some(Sample {
            p50_us: None,
            rate_per_s,
            host_us: host.cpu_s() / count * 1e6,
            target_us: target_s / count * 1e6,
        }))
    }
}
