//! Our target under our host.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use narrows_engine::Rng;
use narrows_initiator::{Address, Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, DevicePath, Op};
use narrows_nvme::tls::{ConfiguredKey, PskHash};
use xtask::bound::ends_with_us;

use super::sample::Sample;
use super::{Operation, Window};
use crate::peers::WINDOW;

pub(super) const NQN: &str = "nqn.2026-11.org.example:peers";
/// Bytes of the namespace.
pub(super) const BYTES: u64 = 256 << 20;

/// What both sides do while nothing is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    Sleep,
    Poll,
}

impl Waiting {
    /// The target's option.
    pub(super) fn option(self) -> &'static str {
        match self {
            Waiting::Sleep => "sleep",
            Waiting::Poll => "poll",
        }
    }
}

/// Our target under our host.
pub(super) struct Ours {
    program: PathBuf,
    waiting: Waiting,
    digests: &'static str,
    bytes: u32,
    /// File of the key, where it goes by TLS.
    tls_key: Option<PathBuf>,
}

/// Builds the target as it is shipped.
pub(super) fn build() -> Result<PathBuf> {
    let root = crate::root();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--release", "--quiet", "--package", "narrows-target"])
        .current_dir(&root);
    let status = ends_with_us(&mut command, libc::SIGTERM).status()?;
    ensure!(status.success(), "narrows-target can't be built");
    Ok(root.join("target/release/narrows-target"))
}

impl Ours {
    pub(super) fn new(program: &Path, waiting: Waiting, digests: &'static str, bytes: u32) -> Ours {
        Ours { program: program.to_path_buf(), waiting, digests, bytes, tls_key: None }
    }

    /// The same by TLS, with a key of its own in a file of that folder.
    pub(super) fn encrypted(self, scratch: &Path) -> Result<Ours> {
        let file = scratch.join("tls-key");
        let mut bytes = [0; 32];
        std::fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let key = ConfiguredKey::new(Some(PskHash::Sha256), &bytes)?;
        std::fs::write(&file, key.to_text())?;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600))?;
        Ok(Ours { tls_key: Some(file), ..self })
    }
}

impl Window for Ours {
    fn name(&self) -> String {
        let waiting = match self.waiting {
            Waiting::Sleep => "narrows, sleeping",
            Waiting::Poll => "narrows, polling",
        };
        let digests = if self.digests.is_empty() { "" } else { ", both digests" };
        let tls = if self.tls_key.is_some() { ", TLS" } else { "" };
        format!("{waiting}{digests}{tls}")
    }

    fn measure(&self, operation: Operation, depth: u32) -> Result<Option<Sample>> {
        let mut command = serving(&self.program, &format!("ram:{BYTES}"), self.waiting);
        let mut options = self.digests.to_string();
        if let Some(file) = &self.tls_key {
            command.arg("--tls-key-file").arg(file);
            options += &format!("&tls-key-file={}", file.display());
        }
        let (target, port) = started(&mut command)?;
        let address = format!("{}{options}", address_at(port));
        let load = Load::random(self.bytes, operation, depth);
        Ok(Some(driven(address.parse()?, self.waiting, load, target.0.id())?))
    }
}

/// The target on the first CPU, with one namespace, for every host, at a port that is free.
pub(super) fn serving(program: &Path, namespace: &str, waiting: Waiting) -> Command {
    let mut command = pinned(program);
    command.args(["serve", "--subsystem", NQN, "--allow-any-host", "--listen", "127.0.0.1:0"]);
    command.args(["--namespace", namespace, "--wait", waiting.option()]);
    command
}

/// Started, and where it listens.
pub(super) fn started(command: &mut Command) -> Result<(Serving, u16)> {
    let mut target = Serving(command.stderr(Stdio::piped()).spawn()?);
    let port = port_of(&mut target.0)?;
    Ok((target, port))
}

/// The address of the one namespace.
pub(super) fn address_at(port: u16) -> String {
    format!("nvme-tcp://127.0.0.1:{port}/{NQN}?ns=1")
}

/// What our host does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) bytes: u32,
    pub(super) operation: Operation,
    pub(super) depth: u32,
    /// Of the namespace, bytes.
    pub(super) span: u64,
    /// One block after another, and not at random.
    pub(super) sequential: bool,
    /// Writes are durable when they are answered.
    pub(super) durable: bool,
    /// How often all of it is read before the window.
    pub(super) read_before: u32,
}

impl Load {
    /// Blocks at random places of a namespace of [`BYTES`].
    pub(super) fn random(bytes: u32, operation: Operation, depth: u32) -> Load {
        let (span, sequential, durable, read_before) = (BYTES, false, false, 0);
        Load { bytes, operation, depth, span, sequential, durable, read_before }
    }
}

/// A window of our host, on the second CPU, at the target with this process.
pub(super) fn driven(address: Address, waiting: Waiting, load: Load, pid: u32) -> Result<Sample> {
    driven_once(|| Ok(()), address, waiting, load, pid)
}

/// The same, with something that is done just before the window begins.
pub(super) fn driven_once(
    ready: impl FnOnce() -> Result<()> + Send + 'static,
    address: Address,
    waiting: Waiting,
    load: Load,
    pid: u32,
) -> Result<Sample> {
    let host = thread::spawn(move || {
        pin(1);
        let association = Arc::new(Association::connect(&address, 1)?);
        let arena = Arena::new(load.depth, load.bytes, 4096)?;
        let options = PathOptions {
            polled: waiting == Waiting::Poll,
            force_unit_access: load.durable,
            ..PathOptions::default()
        };
        let mut path = association.path(arena, options)?;
        // Memory that nobody wrote costs a page fault at its first use.
        pass(&mut path, Op::Write, load)?;
        for _ in 0..load.read_before {
            pass(&mut path, Op::Read, load)?;
        }
        ready()?;
        looped(&mut path, load, pid)
    });
    host.join().map_err(|_| anyhow!("the host's thread panicked"))?
}

/// Writes or reads all of the namespace once.
fn pass(path: &mut NvmeTcpPath, op: Op, load: Load) -> Result<()> {
    let mut done = Vec::new();
    for offset in (0..load.span).step_by(load.bytes as usize) {
        path.submit(op, 0, offset, load.bytes);
        done.clear();
        while done.is_empty() {
            path.reap(1, &mut done)?;
        }
    }
    Ok(())
}

/// A closed loop for a window.
fn looped(path: &mut NvmeTcpPath, load: Load, target: u32) -> Result<Sample> {
    let Load { bytes, operation, depth, span, sequential, .. } = load;
    let op = match operation {
        Operation::Read => Op::Read,
        Operation::Write => Op::Write,
    };
    let mut rng = Rng::new(u64::from(depth));
    let blocks = span / u64::from(bytes);
    let mut sent = 0;
    let mut next = || {
        sent += 1;
        let block = if sequential { sent } else { rng.next_u64() };
        block % blocks * u64::from(bytes)
    };
    let mut submitted = vec![Instant::now(); depth as usize];
    let mut latencies = Vec::new();
    let mut done = Vec::new();
    let (host_before, target_before) = (thread_cpu_s(), process_cpu_s(target)?);
    let begun = Instant::now();
    for slot in 0..depth {
        submitted[slot as usize] = Instant::now();
        path.submit(op, slot, next(), bytes);
    }
    while begun.elapsed() < WINDOW {
        done.clear();
        path.reap(1, &mut done)?;
        for ended in &done {
            ensure!(ended.result == bytes as i32, "an operation ended with {}", ended.result);
            let slot = ended.slot;
            latencies.push(submitted[slot as usize].elapsed().as_nanos() as f64 / 1e3);
            submitted[slot as usize] = Instant::now();
            path.submit(op, slot, next(), bytes);
        }
    }
    let seconds = begun.elapsed().as_secs_f64();
    let count = latencies.len() as f64;
    let (host_s, target_s) = (thread_cpu_s() - host_before, process_cpu_s(target)? - target_before);
    while path.in_flight() > 0 {
        path.reap(1, &mut done)?;
    }
    Ok(Sample {
        p50_us: median(&mut latencies),
        rate_per_s: count / seconds,
        host_us: host_s / count * 1e6,
        target_us: target_s / count * 1e6,
    })
}

/// A program on the first CPU, which ends with us.
pub(super) fn pinned(program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["--cpu-list", "0"]).arg(program).stdout(Stdio::null());
    ends_with_us(&mut command, libc::SIGKILL);
    command
}

/// A server that ends when it goes out of scope; it is started bound to this process, for ends that leave no scope.
pub(super) struct Serving(pub(super) Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn port_of(child: &mut Child) -> Result<u16> {
    let output = BufReader::new(child.stderr.take().context("the target's words")?);
    for line in output.lines() {
        let line = line?;
        if line.contains(" listens ") {
            let port = line.rsplit_once(':').context("a port")?.1;
            return Ok(port.parse()?);
        }
    }
    bail!("narrows-target ended before it listened")
}

/// The middle one.
pub(super) fn median(samples: &mut [f64]) -> Option<f64> {
    samples.sort_by(f64::total_cmp);
    samples.get(samples.len() / 2).copied()
}

/// Keeps this thread on a CPU.
pub(super) fn pin(cpu: usize) {
    // SAFETY: a set on the stack, empty before the CPU is added.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set);
    }
}

/// CPU time of this thread, s.
pub(super) fn thread_cpu_s() -> f64 {
    // SAFETY: plain data that the call fills.
    let time = unsafe {
        let mut time: libc::timespec = std::mem::zeroed();
        libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time);
        time
    };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// CPU time of all threads of a process, those that ended too, s; in the kernel's ticks, mostly of 10 ms.
pub(super) fn process_cpu_s(pid: u32) -> Result<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The program's name, in brackets, may hold anything.
    let rest = text.rsplit_once(')').context("stat")?.1;
    let mut fields = rest.split_whitespace().skip(11);
    let mut ticks = || -> Result<f64> { Ok(fields.next().context("stat")?.parse()?) };
    let (user, system) = (ticks()?, ticks()?);
    // SAFETY: it asks for a number.
    let per_second = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
    Ok((user + system) / per_second)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::super::theirs::on_host;
    use super::*;

    /// Names the file that the measurement which is to be interrupted writes.
    const INTERRUPTED: &str = "NARROWS_TEST_PEERS_INTERRUPTED";

    fn has_ended(pid: &str) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
    }

    fn until(what: &str, holds: impl Fn() -> bool) {
        for _ in 0..6000 {
            if holds() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{what}");
    }

    #[test]
    fn targets_and_hosts_end_with_an_interrupted_measurement() {
        if let Some(file) = std::env::var_os(INTERRUPTED) {
            let start = |mut command: Command| Serving(command.arg("600").spawn().unwrap());
            let running = [start(pinned(Path::new("sleep"))), start(on_host("sleep"))];
            let pids = running.each_ref().map(|it| it.0.id().to_string()).join(" ");
            let new = Path::new(&file).with_extension("new");
            fs::write(&new, pids).unwrap();
            fs::rename(&new, file).unwrap();
            thread::sleep(Duration::from_secs(600));
            return;
        }
        for signal in [libc::SIGTERM, libc::SIGKILL] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("pids");
            let name =
                "peers::fabric::ours::tests::targets_and_hosts_end_with_an_interrupted_measurement";
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", name]).env(INTERRUPTED, &file);
            let mut measurement = Serving(command.spawn().unwrap());
            until("both are started", || file.exists());
            let pids = fs::read_to_string(&file).unwrap();
            assert!(pids.split(' ').all(|pid| !has_ended(pid)), "{pids}");
            // SAFETY: a signal to a child that wasn't waited for yet.
            unsafe { libc::kill(measurement.0.id() as i32, signal) };
            measurement.0.wait().unwrap();
            until("both have ended", || pids.split(' ').all(has_ended));
        }
    }
}
