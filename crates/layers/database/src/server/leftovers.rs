//! Shared memory that a server leaves behind when it is killed rather than stopped.
//!
//! A server that ends in any regular way, also by SIGQUIT, removes it itself: a small System V segment that interlocks
//! the data folder (line 7 of `postmaster.pid`: key and id), a POSIX segment that lists its dynamic shared memory, and
//! what that lists (`/dev/shm/PostgreSQL.N`; `src/backend/storage/ipc/dsm.c`). After the out-of-memory killer, say, all
//! would stay until the next start on the same data folder, which never comes.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const DYNAMIC: &str = "/dev/shm/PostgreSQL.";
/// `PG_DYNSHMEM_CONTROL_MAGIC`.
const CONTROL_MAGIC: u32 = 0x9a50_3d32;
const LAST_PROCESS_ENDS: Duration = Duration::from_secs(10);

/// What to look for if the server is killed; taken while it runs.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Leftovers {
    system_v: Option<i32>,
    /// The list; what it lists is read when it is needed.
    control: Option<PathBuf>,
    item_bytes: usize,
}

impl Leftovers {
    /// Of the running server `pid` of this major version with this data folder. What can't be read is not looked for.
    pub fn of(pid: u32, data_dir: &Path, major: u32) -> Leftovers {
        let pid_file = fs::read_to_string(data_dir.join("postmaster.pid")).unwrap_or_default();
        let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
        // The first process maps the list and nothing else of this kind.
        let control = match dynamic(&maps).as_slice() {
            [path] => Some(path.clone()),
            _ => None,
        };
        // `dsm_control_item` got two more words in version 14.
        let item_bytes = if major < 14 { 24 } else { 40 };
        Leftovers { system_v: segment(&pid_file), control, item_bytes }
    }

    /// Removes them once no process is attached any more.
    pub fn remove(&self) {
        if let Some(id) = self.system_v {
            let end = Instant::now() + LAST_PROCESS_ENDS;
            while attached(id).is_some_and(|count| count > 0) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(20));
            }
            if attached(id) == Some(0) {
                // SAFETY: no memory is passed; the segment was the server's and nobody uses it.
                unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
            }
        }
        let Some(control) = &self.control else { return };
        let list = fs::read(control).unwrap_or_default();
        for handle in listed(&list, self.item_bytes) {
            let _ = fs::remove_file(format!("{DYNAMIC}{handle}"));
        }
        let _ = fs::remove_file(control);
    }
}

fn segment(pid_file: &str) -> Option<i32> {
    pid_file.lines().nth(6)?.split_whitespace().nth(1)?.parse().ok()
}

fn dynamic(maps: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = maps
        .lines()
        .filter_map(|line| line.find(DYNAMIC).map(|start| &line[start..]))
        .filter(|path| path[DYNAMIC.len()..].bytes().all(|b| b.is_ascii_digit()))
        .map(PathBuf::from)
        .collect();
    found.dedup();
    found
}

/// The segments in use that a control segment lists. Odd handles lie in the main segment and have no file.
fn listed(control: &[u8], item_bytes: usize) -> Vec<u32> {
    let word = |offset: usize| {
        let bytes = control.get(offset..offset + 4)?;
        Some(u32::from_ne_bytes(bytes.try_into().expect("four bytes were asked for")))
    };
    if word(0) != Some(CONTROL_MAGIC) {
        return Vec::new();
    }
    const HEADER_BYTES: usize = 16;
    (0..word(4).unwrap_or(0) as usize)
        .map_while(|item| {
            let offset = HEADER_BYTES + item * item_bytes;
            Some((word(offset)?, word(offset + 4)?))
        })
        .filter(|(handle, users)| *users > 0 && handle & 1 == 0)
        .map(|(handle, _)| handle)
        .collect()
}

/// Processes attached to a System V segment; `None` if it is gone.
fn attached(id: i32) -> Option<u64> {
    let mut info = std::mem::MaybeUninit::<libc::shmid_ds>::zeroed();
    // SAFETY: `info` is valid for writing one shmid_ds, and all-zero bytes are one.
    unsafe {
        (libc::shmctl(id, libc::IPC_STAT, info.as_mut_ptr()) == 0)
            .then(|| info.assume_init().shm_nattch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_are_read_from_where_the_server_and_the_kernel_write_them() {
        let pid_file = "123\n/data\n1790000000\n5432\n/run\n\n  64496018         5\nready   \n";
        assert_eq!(segment(pid_file), Some(5));
        assert_eq!(segment("123\n"), None);
        let maps = "7f00-7f01 rw-s 0 00:1a 2 /dev/shm/PostgreSQL.1234567\n\
                    7f02-7f03 rw-s 0 00:1a 3 /dev/shm/PostgreSQL.1234567\n\
                    7f04-7f05 rw-s 0 00:1a 4 /dev/shm/PostgreSQL.12/../x\n\
                    7f06-7f07 rw-s 0 00:01 5 /dev/zero (deleted)\n";
        assert_eq!(dynamic(maps), [PathBuf::from("/dev/shm/PostgreSQL.1234567")]);
    }

    #[test]
    fn the_list_is_read_within_its_bounds() {
        let mut control = [CONTROL_MAGIC, 4, 64, 0].map(u32::to_ne_bytes).concat();
        for (handle, users) in [(10u32, 2u32), (13, 2), (14, 0)] {
            control.extend([handle, users].map(u32::to_ne_bytes).concat());
            control.extend([0; 32]);
        }
        // In the main segment; not in use; the fourth is cut off.
        assert_eq!(listed(&control, 40), [10]);
        control[0] ^= 1;
        assert!(listed(&control, 40).is_empty() && listed(&[], 40).is_empty());
    }
}
