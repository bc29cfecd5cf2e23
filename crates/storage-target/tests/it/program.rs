//! The program under test.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use narrows_nvme::command::{Connect, ConnectData};
use narrows_nvme::{HostId, Nqn};

/// Name of the subsystem that is served.
pub(crate) const NQN: &str = "nqn.2026-11.org.example:test";
/// Longest wait for what surely comes.
const PATIENCE: Duration = Duration::from_secs(60);

/// What a host asks for that opens a queue; `controller` is its association's, `who` names the host.
pub(crate) fn connect(
    queue: u16,
    queue_size: u16,
    controller: u16,
    subsystem: Nqn,
    who: &str,
) -> (Connect, ConnectData) {
    let connect = Connect {
        format: 0,
        queue,
        queue_size,
        priority: 0,
        no_flow_control: queue % 2 == 1,
        keep_alive_ms: 0,
    };
    let host = format!("nqn.2026-11.org.example:{who}").parse().unwrap();
    (connect, ConnectData { host_id: HostId([9; 16]), controller, subsystem, host })
}

/// A running target.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
    /// What it said before it listened.
    beginning: Vec<String>,
    pub(crate) port: u16,
}

impl Program {
    /// A target that serves these namespaces to any host, with further arguments.
    pub(crate) fn serving(namespaces: &[&str], more: &[&str]) -> Program {
        let mut arguments = vec!["--subsystem", NQN];
        if !more.contains(&"--allow-host") {
            arguments.push("--allow-any-host");
        }
        for namespace in namespaces {
            arguments.extend(["--namespace", namespace]);
        }
        arguments.extend(more);
        Program::by(&arguments)
    }

    /// A target that is told what to serve by these arguments.
    pub(crate) fn by(arguments: &[&str]) -> Program {
        let listen = ["--listen", "127.0.0.1:0"];
        let arguments = listen.iter().chain(arguments);
        Program::at(&arguments.map(ToString::to_string).collect::<Vec<_>>())
    }

    /// The same with an address of its own to listen at.
    pub(crate) fn at(arguments: &[String]) -> Program {
        let mut command = Command::new(env!("CARGO_BIN_EXE_narrows-target"));
        command.arg("serve");
        let mut child = command.args(arguments).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut program = Program { child, lines, beginning: Vec::new(), port: 0 };
        let (beginning, line) = program.lines_until("listens");
        program.beginning = beginning;
        program.port = line.rsplit_once(':').unwrap().1.parse().unwrap();
        program
    }

    /// The next line with this text.
    pub(crate) fn line_with(&self, text: &str) -> String {
        self.lines_until(text).1
    }

    /// The next line with this text, and those before it.
    fn lines_until(&self, text: &str) -> (Vec<String>, String) {
        let mut before = Vec::new();
        loop {
            let Ok(line) = self.lines.recv_timeout(PATIENCE) else {
                panic!("the target says no `{text}`, but {before:?}");
            };
            if line.contains(text) {
                return (before, line);
            }
            before.push(line);
        }
    }

    /// Whether it said this before it listened.
    pub(crate) fn said_before_listening(&self, text: &str) -> bool {
        self.beginning.iter().any(|line| line.contains(text))
    }

    /// An address of a namespace.
    pub(crate) fn address(&self, options: &str) -> narrows_initiator::Address {
        format!("nvme-tcp://127.0.0.1:{}/{NQN}?{options}", self.port).parse().unwrap()
    }

    pub(crate) fn signal(&self, signal: i32) {
        self.signaller()(signal);
    }

    /// Stops all of its threads, and waits until they stand: a signal is there when they next leave the kernel, and no sooner.
    pub(crate) fn freeze(&self) {
        self.signal(libc::SIGSTOP);
        let tasks = format!("/proc/{}/task", self.child.id());
        let stands = |task: std::io::Result<std::fs::DirEntry>| {
            let stat =
                std::fs::read_to_string(task.unwrap().path().join("stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('T'))
        };
        let begun = Instant::now();
        while !std::fs::read_dir(&tasks).unwrap().all(stands) {
            assert!(begun.elapsed() < PATIENCE, "it does not stop");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether it has that file open for writing, by what the kernel says of its descriptors.
    pub(crate) fn opened_for_writing(&self, file: &Path) -> bool {
        let of = format!("/proc/{}", self.child.id());
        let fd = std::fs::read_dir(format!("{of}/fd")).unwrap().map(|fd| fd.unwrap());
        let fd = fd.into_iter().find(|fd| std::fs::read_link(fd.path()).is_ok_and(|to| to == file));
        let fd = fd.expect("it has it open").file_name();
        let info = std::fs::read_to_string(format!("{of}/fdinfo/{}", fd.display())).unwrap();
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).unwrap().trim();
        i32::from_str_radix(flags, 8).unwrap() & libc::O_ACCMODE != libc::O_RDONLY
    }

    /// What sends it signals, while it is there.
    pub(crate) fn signaller(&self) -> impl Fn(i32) + Send + Sync + use<> {
        let id = self.child.id() as i32;
        move |signal| {
            // SAFETY: a signal to a child that wasn't waited for yet.
            unsafe { libc::kill(id, signal) };
        }
    }

    /// Ends it at once, and waits until it has.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Ends it in order; its last line.
    pub(crate) fn stop(mut self) -> String {
        self.signal(libc::SIGTERM);
        let line = self.line_with("stopped");
        assert!(self.child.wait().unwrap().success());
        line
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Makes a log of 4 MiB for a file, on media that are made for it.
pub(crate) fn make_log(file: &Path, media: &[PathBuf], more: &[&str]) {
    let mut arguments = vec!["make".to_string(), "--for".to_string(), file.display().to_string()];
    for medium in media {
        let empty = std::fs::File::create(medium).unwrap();
        empty.set_len((8 << 10) + (4 << 20)).unwrap();
        arguments.extend(["--log".to_string(), medium.display().to_string()]);
    }
    arguments.extend(more.iter().map(ToString::to_string));
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (said, code) = log_command(&arguments);
    assert_eq!(code, Some(0), "{said}");
}

/// Makes a cache with room for so many bytes of a file that is made for it.
pub(crate) fn make_cache(file: &Path, bytes: u64) {
    std::fs::File::create(file).unwrap().set_len((1 << 20) + bytes).unwrap();
    let (said, code) = cache_command(&["make", file.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
}

/// A file with its log, as a namespace is named.
pub(crate) fn logged(file: &Path, media: &[PathBuf]) -> String {
    let media = media.iter().map(|medium| format!(",log={}", medium.display()));
    std::iter::once(file.display().to_string()).chain(media).collect()
}

/// What `narrows-target log` says, and its exit code.
pub(crate) fn log_command(arguments: &[&str]) -> (String, Option<i32>) {
    command_of("log", arguments)
}

/// The same of `narrows-target cache`.
pub(crate) fn cache_command(arguments: &[&str]) -> (String, Option<i32>) {
    command_of("cache", arguments)
}

/// The same of `narrows-target tier`.
pub(crate) fn tier_command(arguments: &[&str]) -> (String, Option<i32>) {
    command_of("tier", arguments)
}

fn command_of(verb: &str, arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows-target"));
    let output = command.arg(verb).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&said).into_owned(), output.status.code())
}

/// What the program says when it can't serve, and its exit code.
pub(crate) fn refusal(arguments: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows-target"));
    command.arg("serve").args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // One that serves what it should refuse would never end.
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() && begun.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(2));
    }
    let served = child.try_wait().unwrap().is_none();
    if served {
        child.kill().unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!served, "{arguments:?} is served: {said}");
    (said, output.status.code())
}
