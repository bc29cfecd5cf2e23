//! fio, as it is installed and, where `NARROWS_PEER_FIO` names another, as that.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::spent::{self, Spent};
use super::{Cost, WINDOW};

/// One fio.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fio {
    program: PathBuf,
    /// As it names itself.
    pub version: String,
}

/// Which processor time counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Charged {
    /// That of the thread that does the I/O, as fio reports it.
    Thread,
    /// That of the whole process, with what the kernel's workers of its ring spend, less what a fio without I/O takes
    /// to start and to end, seconds.
    Process { idle_s: f64 },
}

impl Fio {
    /// Those there are: the named one first, then the installed one where it is another version.
    pub(super) fn found() -> Vec<Fio> {
        let named = std::env::var_os("NARROWS_PEER_FIO").map(PathBuf::from);
        let mut found: Vec<Fio> = Vec::new();
        for program in named.into_iter().chain([PathBuf::from("fio")]) {
            let Ok(output) = Command::new(&program).arg("--version").output() else { continue };
            let version = String::from_utf8_lossy(&output.stdout).trim().to_string();
            if !version.is_empty() && found.iter().all(|fio| fio.version != version) {
                found.push(Fio { program, version });
            }
        }
        found
    }

    /// The call with those options, its answer as JSON.
    pub(super) fn command(&self, options: &[String]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["--name=peer", "--output-format=json"]).args(options);
        command
    }

    /// The first job of a run with those options, and what the run spent.
    fn job(&self, options: &[String]) -> Result<(Value, Spent)> {
        let (output, spent) = spent::by(&mut self.command(options))?;
        Ok((job(&output)?, spent))
    }

    /// Random reads of `block` bytes at `depth`, for one window.
    pub(super) fn reads(
        &self,
        path: &Path,
        block: u32,
        depth: u32,
        options: &[String],
        charged: Charged,
    ) -> Result<Cost> {
        let fixed = ["--rw=randread", "--direct=1", "--ioengine=io_uring", "--time_based"];
        let mut all: Vec<String> = fixed.map(String::from).into();
        all.extend(["--norandommap", "--randrepeat=0"].map(String::from));
        all.push(format!("--filename={}", path.display()));
        all.push(format!("--bs={block}"));
        all.push(format!("--iodepth={depth}"));
        all.push(format!("--runtime={}", WINDOW.as_secs()));
        all.extend_from_slice(options);
        let (job, spent) = self.job(&all)?;
        let rate_per_s = number(&job["read"]["iops"])?;
        let per_op_ns = |percent: f64| percent / 100.0 / rate_per_s * 1e9;
        let user_per_op_ns = per_op_ns(number(&job["usr_cpu"])?);
        let cpu_per_op_ns = match charged {
            Charged::Thread => user_per_op_ns + per_op_ns(number(&job["sys_cpu"])?),
            Charged::Process { idle_s } => {
                (spent.cpu_s() - idle_s).max(0.0) * 1e9 / number(&job["read"]["total_ios"])?
            }
        };
        Ok(Cost { rate_per_s, cpu_per_op_ns, user_per_op_ns })
    }

    /// Writes a file for [`Self::durable_write_ns`], which then finds its blocks written.
    pub(super) fn fill(&self, path: &Path) -> Result<()> {
        let fixed = ["--rw=write", "--bs=1m", "--size=64m", "--end_fsync=1"].map(String::from);
        let mut options = vec![format!("--filename={}", path.display())];
        options.extend(fixed);
        self.job(&options).map(drop)
    }

    /// The mean of 8 KiB writes in order over that file for one window, each with its flush where there is one, ns.
    pub(super) fn durable_write_ns(&self, path: &Path, options: &[&str]) -> Result<f64> {
        let fixed = ["--rw=write", "--bs=8k", "--size=64m", "--ioengine=psync", "--time_based"];
        let mut all = vec![format!("--filename={}", path.display())];
        all.extend(fixed.into_iter().chain(["--overwrite=1"]).map(String::from));
        all.push(format!("--runtime={}", WINDOW.as_secs()));
        all.extend(options.iter().map(ToString::to_string));
        let (job, _) = self.job(&all)?;
        // Without flushes of its own fio says nothing of them.
        let flush_ns = job["sync"]["lat_ns"]["mean"].as_f64().unwrap_or(0.0);
        Ok(number(&job["write"]["lat_ns"]["mean"])? + flush_ns)
    }

    /// Processor time of a run as long as a window that does next to no I/O, seconds.
    pub(super) fn idle_s(&self) -> Result<f64> {
        let mut options = without_device();
        options.push("--rate_iops=1".into());
        options.push(format!("--runtime={}", WINDOW.as_secs()));
        Ok(self.job(&options)?.1.cpu_s())
    }

    /// Its rate where so many operations a second were asked for, by Poisson's law, of a device that answers at once.
    pub(super) fn poisson_rate(&self, asked_per_s: f64, seconds: u64) -> Result<f64> {
        let mut options = without_device();
        options.push("--rate_process=poisson".into());
        options.push(format!("--rate_iops={asked_per_s:.0}"));
        options.push(format!("--runtime={seconds}"));
        number(&self.job(&options)?.0["read"]["iops"])
    }
}

/// Random reads for some time from a device that answers at once and does nothing.
pub(super) fn without_device() -> Vec<String> {
    let fixed = ["--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g", "--time_based"];
    fixed.into_iter().chain(["--norandommap"]).map(String::from).collect()
}

/// The best options that fio's io_uring engine has for that depth: registered files, fixed buffers, batches of an
/// eighth of the depth.
pub(super) fn best(depth: u32) -> Vec<String> {
    let batch = (depth / 8).max(1);
    vec![
        "--registerfiles=1".into(),
        "--fixedbufs=1".into(),
        format!("--iodepth_batch_submit={batch}"),
        format!("--iodepth_batch_complete_min={batch}"),
        format!("--iodepth_batch_complete_max={depth}"),
    ]
}

/// The first job of fio's answer.
pub(super) fn job(output: &Output) -> Result<Value> {
    let said = String::from_utf8_lossy(&output.stdout);
    // Warnings may precede the document.
    let start = said.find('{').unwrap_or(0);
    let Ok(mut document) = serde_json::from_str::<Value>(&said[start..]) else {
        bail!("fio said:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    };
    Ok(document["jobs"][0].take())
}

/// A figure of fio's answer.
pub(super) fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a figure is missing in fio's answer")
}
