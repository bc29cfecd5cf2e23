//! Programs that are run: ended when dropped, and when Ctrl-C is pressed.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use narrows_engine::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long a program may take to clean up.
const TO_END: Duration = Duration::from_secs(60);

/// Set by Ctrl-C and by whoever asks these tools to end: what was planted is taken out first.
pub(crate) fn stop_on_signals() -> Result<Stop> {
    let stop = Stop::new();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, stop.flag())?;
    }
    Ok(stop)
}

/// A program in a process group of its own, so that Ctrl-C reaches us first.
pub(crate) struct Program {
    name: String,
    child: Child,
}

impl Program {
    pub(crate) fn start(mut command: Command) -> Result<Program> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.process_group(0).stdin(Stdio::null());
        // Whoever was started in the background of a shell ignores SIGINT, and so would the program: it could not be asked to end.
        // SAFETY: signal(2) is async-signal-safe, and the new disposition is no pointer.
        unsafe {
            command.pre_exec(|| {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                Ok(())
            })
        };
        let child = command.spawn().with_context(|| format!("running {name}"))?;
        Ok(Program { name, child })
    }

    /// It has to run still.
    pub(crate) fn check(&mut self) -> Result<()> {
        match self.child.try_wait()? {
            None => Ok(()),
            Some(status) => bail!("{} ended early ({status})", self.name),
        }
    }

    fn signal(&self, signal: libc::c_int) {
        // SAFETY: no memory is involved; the child has not been waited for, so its number is its own.
        unsafe { libc::killpg(self.child.id() as libc::pid_t, signal) };
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(None)) {
            return;
        }
        self.signal(libc::SIGINT);
        let end = Instant::now() + TO_END;
        while matches!(self.child.try_wait(), Ok(None)) {
            if Instant::now() >= end {
                self.signal(libc::SIGKILL);
                let _ = self.child.wait();
                return;
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// What it wrote to its standard output; its messages pass through if it fails. `fine`: exit codes that are no failure.
pub(crate) fn output(command: Command, stop: &Stop, fine: &[i32]) -> Result<String> {
    output_told(command, stop, fine, |_| {})
}

/// The same, with each line of its messages told as it comes.
pub(crate) fn output_told(
    mut command: Command,
    stop: &Stop,
    fine: &[i32],
    told: impl FnMut(&str) + Send + 'static,
) -> Result<String> {
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut program = Program::start(command)?;
    let stdout = collect(program.child.stdout.take(), |_| {});
    let stderr = collect(program.child.stderr.take(), told);
    let status = loop {
        if let Some(status) = program.child.try_wait()? {
            break status;
        }
        stop.check()?;
        std::thread::sleep(LOOK_EVERY);
    };
    let text = |thread: std::thread::JoinHandle<String>| thread.join().unwrap_or_default();
    let (stdout, stderr) = (text(stdout), text(stderr));
    if !status.code().is_some_and(|code| fine.contains(&code)) {
        bail!("{} failed ({status}):\n{stdout}{stderr}", program.name);
    }
    Ok(stdout)
}

fn collect(
    pipe: Option<impl Read + Send + 'static>,
    mut told: impl FnMut(&str) + Send + 'static,
) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        let Some(mut pipe) = pipe.map(BufReader::new) else { return text };
        let mut line = Vec::new();
        while pipe.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            let said = String::from_utf8_lossy(&line);
            told(said.trim_end());
            text += &said;
            line.clear();
        }
        text
    })
}

/// Bound to these processors.
pub(crate) fn pinned(cpus: &[u32], program: &Path) -> Command {
    let list: Vec<String> = cpus.iter().map(u32::to_string).collect();
    let mut command = Command::new("taskset");
    command.args(["-c", &list.join(",")]).arg(program);
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_is_kept_and_a_failure_tells_what_was_said() {
        let stop = Stop::new();
        assert_eq!(output(shell("echo a"), &stop, &[0]).unwrap(), "a\n");
        assert_eq!(output(shell("echo b; exit 4"), &stop, &[0, 4]).unwrap(), "b\n");
        let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
        let told = {
            let lines = lines.clone();
            move |line: &str| lines.lock().unwrap().push(line.to_string())
        };
        assert_eq!(
            output_told(shell("echo a; echo b >&2; printf c >&2"), &stop, &[0], told).unwrap(),
            "a\n"
        );
        assert_eq!(*lines.lock().unwrap(), ["b", "c"]);
        let error = output(shell("echo no >&2; exit 2"), &stop, &[0]).unwrap_err().to_string();
        assert!(error.contains("no\n") && error.contains("exit status: 2"), "{error}");
    }

    #[test]
    fn a_request_to_stop_ends_the_program_too() {
        let folder = tempfile::tempdir().unwrap();
        let (ready, ended) = (folder.path().join("ready"), folder.path().join("ended"));
        let script = format!(
            "trap 'touch {}; exit' INT; touch {}; while :; do sleep 0.01; done",
            ended.display(),
            ready.display()
        );
        let stop = Stop::new();
        let told = stop.clone();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| output(shell(&script), &stop, &[0]));
            while !ready.exists() && !waits.is_finished() {
                std::thread::sleep(Duration::from_millis(10));
            }
            told.set();
            assert!(waits.join().unwrap().is_err());
        });
        assert!(ended.exists());
    }
}
