//! Puts the state back, whatever becomes of this program: a shell waits for the end of a pipe that only this process holds, and the kernel
//! closes it even where the process is killed.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result};

use super::clone::VARIABLE;
use crate::failure::Failure;

/// Not moved by what a terminal sends; it runs the command once its input ends.
const WAITS: &str = "trap '' INT TERM HUP QUIT; cat > /dev/null; exec sh -c \"$1\"";

/// Who puts the state back.
#[derive(Debug)]
pub(super) struct Guardian {
    command: Option<String>,
    shell: Option<Child>,
}

impl Guardian {
    pub(super) fn new(command: Option<String>) -> Guardian {
        Guardian { command, shell: None }
    }

    /// From now on there is something to put back. The command finds a clone where the others do.
    ///
    /// # Errors
    /// The shell can't be started: then nothing may be changed.
    pub(super) fn watch(&mut self, clone: Option<PathBuf>) -> Result<()> {
        if let (Some(command), None) = (&self.command, &self.shell) {
            let mut shell = Command::new("sh");
            shell.args(["-c", WAITS, "sh", command]).stdin(Stdio::piped()).stdout(Stdio::null());
            if let Some(clone) = clone {
                shell.env(VARIABLE, clone);
            }
            // In a group of its own, so that nothing that is sent to ours reaches it.
            self.shell = Some(shell.process_group(0).spawn().context("starting sh")?);
        }
        Ok(())
    }

    /// Puts it back now, where anything was changed.
    ///
    /// # Errors
    /// The command failed.
    pub(super) fn restore(&mut self) -> Result<()> {
        let Some(mut shell) = self.shell.take() else { return Ok(()) };
        drop(shell.stdin.take());
        let status = shell.wait().context("waiting for the command that puts the state back")?;
        if status.success() {
            return Ok(());
        }
        let command = self.command.as_deref().unwrap_or_default();
        Err(Failure::hinted(
            format!("the state was not put back: {command} failed ({status})"),
            "run it yourself; all runs are kept",
        ))
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        // An error on the way out is told by whoever asked for it; here it is only not left out.
        let _ = self.restore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_is_put_back_once_and_only_where_it_was_changed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("restored");
        let command = format!("echo x >> '{}'", file.display());
        drop(Guardian::new(Some(command.clone())));
        assert!(!file.exists(), "nothing was changed");
        let mut guardian = Guardian::new(Some(command));
        guardian.watch(None).unwrap();
        guardian.watch(None).unwrap();
        assert!(!file.exists());
        guardian.restore().unwrap();
        drop(guardian);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "x\n");
        let mut failing = Guardian::new(Some("exit 3".to_string()));
        failing.watch(None).unwrap();
        let error = crate::failure::render(&failing.restore().unwrap_err());
        assert!(error.contains("exit 3 failed") && error.contains("hint: "), "{error}");
        Guardian::new(None).restore().unwrap();
    }
}
