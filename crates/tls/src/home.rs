//! The user's home folder, found as libpq finds it: a service often has no `HOME`, and its files of trust count all the same.

use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The home folder of this user: what `HOME` says, else the machine's list of users.
pub fn home() -> Option<PathBuf> {
    home_by(std::env::var_os("HOME"))
}

fn home_by(variable: Option<OsString>) -> Option<PathBuf> {
    let said = variable.filter(|home| !home.is_empty()).map(PathBuf::from);
    said.or_else(listed)
}

/// The home of the user that this runs as, by the list of users (getpwuid(3)).
fn listed() -> Option<PathBuf> {
    // What glibc asks for on Linux is 1 KiB; longer entries come from directory services.
    let mut text = vec![0_u8; 64 << 10];
    // SAFETY: all zero is a valid passwd of null pointers and numbers.
    let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
    let mut found = std::ptr::null_mut();
    // SAFETY: `entry`, `text` and `found` outlive the call, and the length is that of `text`.
    let failed = unsafe {
        libc::getpwuid_r(
            narrows_files::euid(),
            &mut entry,
            text.as_mut_ptr().cast(),
            text.len(),
            &mut found,
        )
    };
    if failed != 0 || found.is_null() || entry.pw_dir.is_null() {
        return None;
    }
    // SAFETY: `pw_dir` is a string with its end inside `text`, which is alive.
    let home = unsafe { CStr::from_ptr(entry.pw_dir) }.to_bytes();
    (!home.is_empty()).then(|| PathBuf::from(OsStr::from_bytes(home)))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn without_the_variable_it_is_the_one_of_the_list_of_users() {
        assert_eq!(home_by(Some("/somewhere".into())), Some("/somewhere".into()));
        let user = std::fs::metadata("/proc/self").unwrap().uid().to_string();
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let mut rows = users.lines().map(|row| row.split(':').collect::<Vec<_>>());
        let Some(row) = rows.find(|row| row.len() == 7 && row[2] == user) else {
            eprintln!("SKIPPED: this user is not in /etc/passwd");
            return;
        };
        for variable in [None, Some(OsString::new())] {
            assert_eq!(home_by(variable), Some(row[5].into()));
        }
    }
}
