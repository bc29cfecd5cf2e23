//! Shared memory that PostgreSQL leaves behind when one of its programs is killed or aborts.
//!
//! A server that ends in any regular way, also by SIGQUIT, removes it itself: a System V segment that interlocks the
//! data folder, a POSIX segment that lists its dynamic shared memory, and what that lists (`/dev/shm/PostgreSQL.N`).
//! After the out-of-memory killer, or when `initdb` aborts on a full disk, all would stay until the next start on the
//! same data folder, which never comes.
//!
//! Recognised as the server itself does it: the System V segment's header holds a magic number, the device and inode
//! of its data folder, and the list's number (`PGShmemHeader` in `src/include/storage/pg_shmem.h`,
//! `dsm_cleanup_using_control_segment` in `src/backend/storage/ipc/dsm.c`; layouts of versions 13 to 18). A server that
//! is killed before it writes the header leaves zeros: of the server's user, of the header's size, made since the data
//! folder, by a process that is gone, used by nobody. What isn't recognised is left alone.

use std::fs;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

use narrows_engine::Scratch;
use narrows_facts::process;
use narrows_files::{Access, Dir};

/// Where the C library keeps POSIX shared memory, and what PostgreSQL's is called there.
const SHARED: &str = "/dev/shm";
const DYNAMIC: &str = "PostgreSQL.";
/// A list has room for some hundred segments of each session (`PG_DYNSHMEM_SLOTS_PER_BACKEND` is 5).
const LONGEST_LIST_BYTES: u64 = 16 << 20;
/// `PGShmemMagic`.
const HEADER_MAGIC: u32 = 679_834_894;
const HEADER_BYTES: usize = 56;
/// The main shared memory is elsewhere (an anonymous mapping), so the segment holds little more than its header.
const LARGEST_INTERLOCK_BYTES: usize = 4096;
/// `PG_DYNSHMEM_CONTROL_MAGIC`.
const CONTROL_MAGIC: u32 = 0x9a50_3d32;
const LAST_PROCESS_ENDS: Duration = Duration::from_secs(10);

/// By what the shared memory of one data folder is recognised, also after the folder is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Leftovers {
    owner: u32,
    device: u64,
    inode: u64,
    item_bytes: usize,
    /// When the run began that the folder belongs to, s since 1970.
    since_s: i64,
}

impl Leftovers {
    /// Of servers of this major version on this folder, which must exist, of a run that began then.
    pub fn of(data_dir: &Dir, major: u32, since_s: i64) -> std::io::Result<Leftovers> {
        let (device, inode) = data_dir.identity()?;
        // `dsm_control_item` got two more words in version 14.
        let item_bytes = if major < 14 { 24 } else { 40 };
        Ok(Leftovers { owner: data_dir.owner()?, device, inode, item_bytes, since_s })
    }

    /// Removes what is left, once no process is attached any more.
    pub fn remove(&self) {
        let end = Instant::now() + LAST_PROCESS_ENDS;
        for (segment, header) in self.interlocks() {
            while attached(segment).is_some_and(|count| count > 0) && Instant::now() < end {
                std::thread::sleep(Duration::from_millis(20));
            }
            if attached(segment) != Some(0) {
                continue;
            }
            self.remove_dynamic(word(&header, 24).unwrap_or_default());
            // SAFETY: no memory is passed; the segment was our server's and nobody uses it.
            unsafe { libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut()) };
        }
        for segment in self.unfinished() {
            // SAFETY: no memory is passed; nobody uses the segment, and who made it is gone.
            unsafe { libc::shmctl(segment, libc::IPC_RMID, std::ptr::null_mut()) };
        }
    }

    /// System V segments that a server was killed in the making of.
    pub(super) fn unfinished(&self) -> Vec<i32> {
        let made_since = |id: &i32| {
            status(*id).is_some_and(|info| {
                info.shm_ctime >= self.since_s
                    && info.shm_nattch == 0
                    && info.shm_segsz == HEADER_BYTES
                    && !u32::try_from(info.shm_cpid).is_ok_and(process::exists)
            })
        };
        let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        let segments = segments.lines().skip(1).filter_map(segment_id).filter(made_since);
        segments.filter(|id| read_header(*id, self.owner) == Some([0; HEADER_BYTES])).collect()
    }

    /// The System V segments that belong to the data folder, with their headers.
    pub(super) fn interlocks(&self) -> Vec<(i32, [u8; HEADER_BYTES])> {
        let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap_or_default();
        let segments = segments.lines().skip(1).filter_map(segment_id);
        let headed = segments.filter_map(|id| Some((id, read_header(id, self.owner)?)));
        headed.filter(|(_, header)| self.is_ours(header)).collect()
    }

    /// Removes the segments that a list names, and the list. Header and list are the server's user's to write, so only what is that
    /// user's goes, whatever they name.
    fn remove_dynamic(&self, control: u32) {
        let Ok(shared) = Dir::open(Path::new(SHARED)) else { return };
        let named = |handle: u32| format!("{DYNAMIC}{handle}");
        let theirs = |handle: u32| {
            let file = shared.open_file(named(handle), Access::Read).ok()?;
            (file.metadata().ok()?.uid() == self.owner).then_some(file)
        };
        let Some(list) = theirs(control) else { return };
        let mut bytes = Vec::new();
        let _ = list.take(LONGEST_LIST_BYTES).read_to_end(&mut bytes);
        for handle in listed(&bytes, self.item_bytes) {
            if theirs(handle).is_some() {
                let _ = shared.remove_file(named(handle));
            }
        }
        let _ = shared.remove_file(named(control));
    }

    fn is_ours(&self, header: &[u8; HEADER_BYTES]) -> bool {
        let long = |at: usize| {
            u64::from_ne_bytes(header[at..at + 8].try_into().expect("eight bytes were asked for"))
        };
        word(header, 0) == Some(HEADER_MAGIC) && (long(40), long(48)) == (self.device, self.inode)
    }
}

/// Removes what the servers of all data folders in `scratch` left, whose run died before it could.
pub(super) fn remove_all(scratch: &Dir) {
    for name in scratch.names().unwrap_or_default() {
        let Ok(folder) = scratch.open_dir(&name) else { continue };
        // Written before the first program that shares memory starts.
        let version = folder.read_text("PG_VERSION", 64).unwrap_or_default();
        let Ok(major) = version.trim().parse() else { continue };
        if let Ok(leftovers) = Leftovers::of(&folder, major, began_s(scratch)) {
            leftovers.remove();
        }
    }
}

/// When the marker of a run's folder was written, s since 1970; where that can't be told, never.
fn began_s(scratch: &Dir) -> i64 {
    let marker = scratch.open_file(Scratch::MARKER, Access::Read);
    marker.and_then(|file| file.metadata()).map_or(i64::MAX, |marker| marker.mtime())
}

fn segment_id(line: &str) -> Option<i32> {
    line.split_whitespace().nth(1)?.parse().ok()
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at + 4)?;
    Some(u32::from_ne_bytes(word.try_into().expect("four bytes were asked for")))
}

/// The start of a System V segment of this owner and of the size of an interlock; `None` otherwise, or if it is gone or
/// not for us to read. Others' segments are not even looked into.
fn read_header(segment: i32, owner: u32) -> Option<[u8; HEADER_BYTES]> {
    let info = status(segment)?;
    if info.shm_perm.uid != owner
        || !(HEADER_BYTES..=LARGEST_INTERLOCK_BYTES).contains(&info.shm_segsz)
    {
        return None;
    }
    // SAFETY: the kernel chooses the address, so no mapping of ours is replaced; (void *) -1 says that it failed.
    let address = unsafe { libc::shmat(segment, std::ptr::null(), libc::SHM_RDONLY) };
    if address as isize == -1 {
        return None;
    }
    // SAFETY: a segment keeps its size, so at least HEADER_BYTES can be read until shmdt; plain bytes, and what others
    // may be writing to them is judged only after the copy.
    unsafe {
        let header = address.cast::<[u8; HEADER_BYTES]>().read_volatile();
        libc::shmdt(address);
        Some(header)
    }
}

fn status(segment: i32) -> Option<libc::shmid_ds> {
    let mut info = std::mem::MaybeUninit::<libc::shmid_ds>::zeroed();
    // SAFETY: `info` is valid for writing one shmid_ds, and all-zero bytes are one.
    unsafe {
        (libc::shmctl(segment, libc::IPC_STAT, info.as_mut_ptr()) == 0).then(|| info.assume_init())
    }
}

/// Processes attached to a segment; `None` if it is gone.
fn attached(segment: i32) -> Option<u64> {
    status(segment).map(|info| info.shm_nattch)
}

/// The segments in use that a control segment lists. Odd handles lie in the main segment and have no file.
fn listed(control: &[u8], item_bytes: usize) -> Vec<u32> {
    const LIST_HEADER_BYTES: usize = 16;
    if word(control, 0) != Some(CONTROL_MAGIC) {
        return Vec::new();
    }
    (0..word(control, 4).unwrap_or(0) as usize)
        .map_while(|item| {
            let offset = LIST_HEADER_BYTES + item * item_bytes;
            Some((word(control, offset)?, word(control, offset + 4)?))
        })
        .filter(|(handle, users)| *users > 0 && handle & 1 == 0)
        .map(|(handle, _)| handle)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn a_segment_is_ours_by_magic_device_and_inode_together() {
        let ours = Leftovers { owner: 1, device: 7, inode: 9, item_bytes: 40, since_s: 0 };
        let header = |magic: u32, device: u64, inode: u64| {
            let mut header = [0; HEADER_BYTES];
            header[..4].copy_from_slice(&magic.to_ne_bytes());
            header[40..48].copy_from_slice(&device.to_ne_bytes());
            header[48..].copy_from_slice(&inode.to_ne_bytes());
            header
        };
        assert!(ours.is_ours(&header(HEADER_MAGIC, 7, 9)));
        for (magic, device, inode) in [(1, 7, 9), (HEADER_MAGIC, 8, 9), (HEADER_MAGIC, 7, 8)] {
            assert!(!ours.is_ours(&header(magic, device, inode)));
        }
    }

    /// As a server leaves it that was killed between making its segment and writing the header.
    #[test]
    fn a_segment_whose_header_was_never_written_goes_if_it_was_made_since() {
        let made = std::process::Command::new("ipcmk").args(["-M", "56", "-p", "0600"]).output();
        let said = made.map(|made| String::from_utf8_lossy(&made.stdout).into_owned());
        let id = said.ok().and_then(|said| said.rsplit(' ').next()?.trim().parse::<i32>().ok());
        let Some(id) = id else {
            return eprintln!("SKIPPED: ipcmk (util-linux) makes no segment here");
        };
        let made = status(id).unwrap();
        let of = |since_s, owner| Leftovers { owner, device: 7, inode: 9, item_bytes: 40, since_s };
        let mut found = vec![
            of(made.shm_ctime + 1, made.shm_perm.uid).unfinished(),
            of(made.shm_ctime, made.shm_perm.uid + 1).unfinished(),
        ];
        of(made.shm_ctime, made.shm_perm.uid).remove();
        found.retain(|ids| ids.contains(&id));
        assert!(found.is_empty(), "of another user or time");
        assert_eq!(attached(id), None, "it is there still");
    }

    #[test]
    fn a_foreign_segment_stays() {
        // SAFETY: creates a private segment of 4096 bytes.
        let id = unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, 0o600) };
        if id < 0 {
            return eprintln!(
                "SKIPPED: no System V shared memory: {}",
                std::io::Error::last_os_error()
            );
        }
        let dir = tempfile::tempdir().unwrap();
        Leftovers::of(&Dir::open(dir.path()).unwrap(), 18, 0).unwrap().remove();
        let still_there = attached(id) == Some(0);
        // SAFETY: the segment was made above.
        unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
        assert!(still_there);
    }
}
