//! A folder that was named by an option, as it is found.

use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::failure::Failure;

/// File systems without a place for files of others.
const OF_THE_KERNEL: [&str; 5] = ["proc", "sysfs", "debugfs", "cgroup", "cgroup2"];

/// The folder with links resolved, so that what is printed is where it is.
///
/// # Errors
/// It is none, or one of the kernel's own.
pub fn folder(path: &Path, option: &str) -> Result<PathBuf> {
    let shown = path.display();
    let real = std::fs::canonicalize(path).map_err(|error| {
        Failure::hinted(
            format!("{option} {shown}: {error}"),
            format!("create it, or name another folder with {option} DIR"),
        )
    })?;
    if !real.is_dir() {
        return Err(Failure::hinted(
            format!("{option} {shown} is not a folder"),
            "narrows writes into a folder on the file system that the database would use, never to a device",
        ));
    }
    match narrows_facts::file::fs_kind(&real) {
        Ok(kind) if OF_THE_KERNEL.contains(&kind.as_str()) => Err(Failure::hinted(
            format!("{option} {shown} is on {kind}, whose files are the kernel's own"),
            format!("name a folder on a drive with {option} DIR"),
        )),
        _ => Ok(real),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_kernel_are_refused_with_the_option_that_named_them() {
        for path in ["/proc", "/proc/self", "/sys"] {
            let error = crate::failure::render(&folder(Path::new(path), "--data").unwrap_err());
            assert!(error.contains(path) && error.contains("the kernel's own"), "{error}");
            assert!(error.contains("hint: ") && error.contains("--data DIR"), "{error}");
        }
        folder(Path::new("."), "--data").unwrap();
    }
}
