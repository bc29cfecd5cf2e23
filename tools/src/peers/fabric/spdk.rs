//! SPDK's NVMe/TCP target under our host. It is built by whoever has it: `NARROWS_PEER_SPDK` names its `nvmf_tgt`.
//!
//! It runs without huge pages, so that nothing of the machine has to be set: its memory has pages of 4 KiB, and a drive would be out of its
//! reach, which a namespace in memory isn't. It polls the whole of the CPU it is given, with or without work, as it does everywhere.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use xtask::bound::ends_with_us;

use super::ours::{BYTES, Load, Serving, Waiting, driven};
use super::sample::Sample;
use super::{LARGE, Operation, Window};

/// What names the program.
const VARIABLE: &str = "NARROWS_PEER_SPDK";
const PORT: u16 = 14_420;
const NQN: &str = "nqn.2026-11.org.example:spdk-peer";
/// Its memory for everything, MB.
const MEMORY_MB: u32 = 1024;
/// Until it listens: it writes all of its memory first.
const BEGINNING: Duration = Duration::from_secs(60);
const BLOCK_BYTES: u64 = 512;

/// SPDK's target with a namespace in memory, under our host.
pub(super) struct Spdk {
    program: PathBuf,
    scratch: PathBuf,
    waiting: Waiting,
    bytes: u32,
}

/// The program, where one is named and is there.
fn program() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).map(PathBuf::from).filter(|program| program.is_file())
}

/// Whether it is there; says so where it isn't.
pub(super) fn is_there() -> bool {
    let there = program().is_some();
    if !there {
        eprintln!("SKIPPED: {VARIABLE} names no nvmf_tgt of SPDK; its section stays as it is");
    }
    there
}

/// What stands before the tables of it: which, and how it runs.
pub(super) fn told() -> String {
    let said = program().map(|program| Command::new(program).arg("--version").output());
    let version = said.and_then(Result::ok);
    let version = version.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_string());
    format!(
        "SPDK's target ({}) runs without huge pages (`--no-huge --iova-mode va`), with a namespace in memory, and polls the whole of CPU 0 at any load: its CPU per operation is that.",
        version.unwrap_or_default().lines().next().unwrap_or("version not told")
    )
}

impl Spdk {
    pub(super) fn found(scratch: &Path, waiting: Waiting, bytes: u32) -> Result<Spdk> {
        let program = program().with_context(|| format!("{VARIABLE} names no program"))?;
        Ok(Spdk { program, scratch: scratch.to_path_buf(), waiting, bytes })
    }

    /// Starts it, listening.
    fn served(&self) -> Result<Serving> {
        let config = self.scratch.join("spdk.json");
        fs::write(&config, configuration().to_string())?;
        let socket = self.scratch.join("spdk.sock");
        let mut command = Command::new(&self.program);
        command.args(["--no-huge", "--iova-mode", "va", "--no-pci", "-m", "[0]"]);
        command.args(["-s", &MEMORY_MB.to_string(), "-r"]).arg(&socket).arg("-c").arg(&config);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut target = Serving(ends_with_us(&mut command, libc::SIGKILL).spawn()?);
        let begun = Instant::now();
        while TcpStream::connect(("127.0.0.1", PORT)).is_err() {
            if let Some(status) = target.0.try_wait()? {
                bail!("{} ended before it listened ({status})", self.program.display());
            }
            if begun.elapsed() > BEGINNING {
                bail!("{} does not listen at port {PORT}", self.program.display());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(target)
    }
}

/// What it serves, as `nvmf_tgt -c` reads it. Its usual largest operation is 128 KiB; ours is larger.
fn configuration() -> serde_json::Value {
    let method = |name: &str, params: serde_json::Value| serde_json::json!({ "method": name, "params": params });
    let address = serde_json::json!({
        "trtype": "TCP", "adrfam": "IPv4", "traddr": "127.0.0.1", "trsvcid": PORT.to_string()
    });
    serde_json::json!({ "subsystems": [
        { "subsystem": "bdev", "config": [method("bdev_malloc_create", serde_json::json!({
            "name": "Memory", "num_blocks": BYTES / BLOCK_BYTES, "block_size": BLOCK_BYTES
        }))] },
        { "subsystem": "nvmf", "config": [
            method("nvmf_create_transport", serde_json::json!({ "trtype": "TCP", "max_io_size": LARGE })),
            method("nvmf_create_subsystem", serde_json::json!({ "nqn": NQN, "allow_any_host": true })),
            method("nvmf_subsystem_add_ns", serde_json::json!({
                "nqn": NQN, "namespace": { "nsid": 1, "bdev_name": "Memory" }
            })),
            method("nvmf_subsystem_add_listener", serde_json::json!({
                "nqn": NQN, "listen_address": address
            })),
        ] },
    ] })
}

impl Window for Spdk {
    fn name(&self) -> String {
        let host = if self.waiting == Waiting::Poll { "polling" } else { "sleeping" };
        format!("SPDK, polling a whole CPU, our host {host}")
    }

    fn measure(&self, operation: Operation, depth: u32) -> Result<Option<Sample>> {
        let target = self.served()?;
        let address = format!("nvme-tcp://127.0.0.1:{PORT}/{NQN}?ns=1");
        let load = Load::random(self.bytes, operation, depth);
        Ok(Some(driven(address.parse()?, self.waiting, load, target.0.id())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_serves_a_namespace_of_the_size_that_ours_has_with_operations_as_large() {
        let text = configuration().to_string();
        assert!(text.contains(&format!("\"num_blocks\":{}", (256 << 20) / 512)), "{text}");
        assert!(text.contains("\"max_io_size\":1048576"), "{text}");
        assert!(text.contains("\"trsvcid\":\"14420\""), "{text}");
    }

    /// With the program at hand (`NARROWS_PEER_SPDK`): what a window begins with.
    #[test]
    fn it_listens_and_our_host_reads_what_it_wrote() {
        use narrows_initiator::{Address, Association, PathOptions};
        use narrows_io::{Arena, DevicePath as _, Op};

        let scratch = tempfile::tempdir().unwrap();
        let Ok(spdk) = Spdk::found(scratch.path(), Waiting::Sleep, 4096) else {
            eprintln!("SKIPPED: {VARIABLE} names no nvmf_tgt of SPDK");
            return;
        };
        let _target = spdk.served().unwrap();
        let address: Address = format!("nvme-tcp://127.0.0.1:{PORT}/{NQN}").parse().unwrap();
        let association = std::sync::Arc::new(Association::connect(&address, 1).unwrap());
        assert_eq!(association.reached().bytes(), BYTES);
        let arena = Arena::new(1, 4096, 4096).unwrap();
        let mut path = association.path(arena, PathOptions::default()).unwrap();
        let mut done = Vec::new();
        let mut one = |path: &mut narrows_initiator::NvmeTcpPath, op| {
            path.submit(op, 0, 8192, 4096);
            done.clear();
            while done.is_empty() {
                path.reap(1, &mut done).unwrap();
            }
            assert_eq!(done[0].result, 4096);
        };
        path.buffer(0).fill(7);
        one(&mut path, Op::Write);
        path.buffer(0).fill(0);
        one(&mut path, Op::Read);
        assert!(path.buffer(0).iter().all(|byte| *byte == 7));
    }
}
