//! Runs the command as a user would, in folders of its own, and checks that nothing is left.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use narrows_model::Run;
use tempfile::TempDir;

pub mod machine;
pub mod server;
pub mod started;

/// The program under test. Whoever was started in the background of a shell ignores SIGINT, and so would the program, which
/// then couldn't be asked to end; so the tests themselves ignore none of these.
pub fn program() -> PathBuf {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGXCPU] {
            // SAFETY: the new disposition is no pointer.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
    });
    PathBuf::from(env!("CARGO_BIN_EXE_narrows"))
}

/// The machine's own PostgreSQL, newest first.
pub fn postgres_folder() -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path().join("bin"))
        .filter(|bin| bin.join("postgres").exists() && bin.join("initdb").exists())
        .collect();
    found.sort();
    found.pop()
}

/// Folders for one run: roles on a real file system, reachable for the server's user, and a home for the run file.
pub struct Fixture {
    root: TempDir,
}

impl Fixture {
    pub fn new() -> Fixture {
        let root = tempfile::Builder::new().prefix("narrows-test-").tempdir_in("/var/tmp").unwrap();
        fs::set_permissions(root.path(), fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["data", "home"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        fs::set_permissions(root.path().join("data"), fs::Permissions::from_mode(0o755)).unwrap();
        Fixture { root }
    }

    pub fn data(&self) -> PathBuf {
        self.root.path().join("data")
    }

    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// A folder that every user can look into.
    pub fn public(&self, name: &str) -> PathBuf {
        let path = self.root.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// Nothing may be in the data folder, and no server may run from it.
    pub fn assert_nothing_left(&self) {
        let left: Vec<_> = fs::read_dir(self.data()).unwrap().flatten().map(|e| e.path()).collect();
        assert!(left.is_empty(), "left behind: {left:?}");
        let data = self.data().display().to_string();
        let servers: Vec<u32> = narrows_facts::process::all()
            .into_iter()
            .filter(|pid| {
                fs::read(format!("/proc/{pid}/cmdline"))
                    .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&data))
            })
            .filter(|pid| *pid != std::process::id())
            .collect();
        assert!(servers.is_empty(), "still running from {data}: {servers:?}");
    }

    /// Run files kept.
    pub fn runs(&self) -> Vec<PathBuf> {
        fs::read_dir(self.home().join("narrows/runs"))
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect()
    }
}

/// Asks for windows and files that take every step of a run and are too small for figures.
pub const LEAST: (&str, &str) = ("NARROWS_LEAST_LOAD", "1");

/// One `narrows run --quick`.
pub struct Narrows {
    command: Command,
}

impl Narrows {
    pub fn new(fixture: &Fixture) -> Narrows {
        Narrows::within(fixture, Command::new(program()))
    }

    /// With a command that ends in the program's name, such as one that enters a control group first.
    pub fn within(fixture: &Fixture, mut command: Command) -> Narrows {
        command.env("XDG_DATA_HOME", fixture.home()).env(LEAST.0, LEAST.1);
        command.args(["run", "--quick", "--format", "json", "--load-here", "--data"]);
        command.arg(fixture.data());
        Narrows { command }
    }

    pub fn args<'a>(mut self, args: impl IntoIterator<Item = &'a str>) -> Narrows {
        self.command.args(args);
        self
    }

    pub fn output(mut self) -> Output {
        self.command.output().expect("the program can be started")
    }

    pub fn spawn(mut self) -> std::process::Child {
        use std::process::Stdio;
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program can be started")
    }

    /// Runs to the end and reads the run from standard output.
    pub fn run(self) -> Run {
        let output = self.output();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stdout = String::from_utf8_lossy(&output.stdout);
        Run::from_json(&stdout).unwrap_or_else(|error| {
            panic!("no run on standard output ({}, {error}); it said:\n{stderr}", output.status)
        })
    }
}

pub fn write_program(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    open_to_all(path);
}

pub fn open_to_all(path: &Path) {
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// The shim that makes flushes slow, compiled.
pub fn slow_flush(folder: &Path) -> PathBuf {
    let library = folder.join("slow_flush.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plants/slow_flush.c");
    let status = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .expect("the C compiler that links Rust programs is there");
    assert!(status.success(), "the shim does not compile");
    open_to_all(&library);
    library
}
