//! A file system of a server's own, on a file: to be frozen, and to be filled.

use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

/// Mounted; gone when dropped.
pub(super) struct Disk {
    image: PathBuf,
    pub mount: PathBuf,
}

/// As long as it is there, what writes to the file system waits.
pub(super) struct Frozen(PathBuf);

/// Takes the room that is left, until it is dropped.
pub(super) struct Filled(PathBuf);

fn run(program: &str, arguments: &[&str], path: &Path) -> Result<()> {
    let mut command = Command::new(program);
    let output = command.args(arguments).arg(path).output();
    let output = output.with_context(|| format!("running {program}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {}: {}", path.display(), said.trim());
    Ok(())
}

impl Disk {
    /// An ext4 file system of `mb` MiB in that folder.
    pub(super) fn mounted(folder: &Path, mb: u64) -> Result<Disk> {
        let (image, mount) = (folder.join("disk.image"), folder.join("disk"));
        File::create(&image)?.set_len(mb << 20)?;
        // Nothing of it is kept for root: the server must meet its end, too.
        run("mkfs.ext4", &["-q", "-m", "0", "-F"], &image)?;
        std::fs::create_dir(&mount)?;
        let name = image.to_str().context("a folder with a name in UTF-8")?;
        run("mount", &["-o", "loop", name], &mount)?;
        Ok(Disk { image, mount })
    }

    /// Freezes it.
    pub(super) fn freeze(&self) -> Result<Frozen> {
        run("fsfreeze", &["--freeze"], &self.mount)?;
        Ok(Frozen(self.mount.clone()))
    }

    /// Fills it.
    pub(super) fn fill(&self) -> Result<Filled> {
        let path = self.mount.join("filled");
        let filled = Filled(path.clone());
        let file = File::create(&path)?;
        let mut piece = 64 << 20;
        let mut at = 0;
        while piece >= 4096 {
            // SAFETY: no memory is involved; the file is open.
            let result =
                unsafe { libc::fallocate(std::os::fd::AsRawFd::as_raw_fd(&file), 0, at, piece) };
            if result == 0 { at += piece } else { piece /= 2 }
        }
        ensure!(file.metadata()?.blocks() > 0, "{} takes no room", path.display());
        Ok(filled)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if let Err(error) = run("umount", &[], &self.mount) {
            eprintln!("{error:#}");
        }
        let _ = std::fs::remove_dir(&self.mount);
        let _ = std::fs::remove_file(&self.image);
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        if let Err(error) = run("fsfreeze", &["--unfreeze"], &self.0) {
            eprintln!("{error:#}");
        }
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}
