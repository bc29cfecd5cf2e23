//! Processes that hold a device open.
//!
//! `O_EXCL` finds only those that asked for exclusiveness, which file systems and RAID do and programs seldom do: a
//! virtual machine's disk, a database on a raw device, an exporter. Their open files tell (proc(5), `fd` and `fdinfo`).

use std::ffi::CString;

use narrows_facts::Source;

use crate::family::Member;
use crate::node;

/// A process that has a device open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opener {
    /// Name of the device.
    pub device: String,
    /// Process id.
    pub pid: u32,
    /// Its name, if it could be read.
    pub command: Option<String>,
    /// Whether it could write; taken for granted where the kernel doesn't tell.
    pub writes: bool,
}

/// Those of the processes whose open files can be seen, and how many can't be.
pub(crate) fn openers(source: &dyn Source, members: &[Member]) -> (Vec<Opener>, u32) {
    let own = source.is_live().then(std::process::id);
    let mut openers: Vec<Opener> = Vec::new();
    let mut hidden = 0;
    for name in source.list("/proc").unwrap_or_default() {
        let Ok(pid) = name.parse::<u32>() else { continue };
        if Some(pid) == own {
            continue;
        }
        let files = match source.list(&format!("/proc/{pid}/fd")) {
            Ok(files) => files,
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                hidden += 1;
                continue;
            }
            // It has ended.
            Err(_) => continue,
        };
        for file in files {
            let Some(member) = member(source, pid, &file, members) else { continue };
            let writes = writes(source, pid, &file);
            match openers.iter_mut().find(|o| o.pid == pid && o.device == member.name) {
                Some(opener) => opener.writes |= writes,
                None => openers.push(Opener {
                    device: member.name.clone(),
                    pid,
                    command: source.text(&format!("/proc/{pid}/comm")),
                    writes,
                }),
            }
        }
    }
    (openers, hidden)
}

/// The member that an open file is. By number on the live machine, since a container may call it anything.
fn member<'a>(
    source: &dyn Source,
    pid: u32,
    file: &str,
    members: &'a [Member],
) -> Option<&'a Member> {
    let path = format!("/proc/{pid}/fd/{file}");
    let target = source.link(&path).ok().filter(|target| target.starts_with('/'))?;
    if source.is_live() {
        let number = block_number(&path)?;
        return members.iter().find(|member| member.number == number);
    }
    members.iter().find(|member| target == format!("/dev/{}", member.name.replace('!', "/")))
}

fn writes(source: &dyn Source, pid: u32, file: &str) -> bool {
    let flags = source.text(&format!("/proc/{pid}/fdinfo/{file}")).and_then(|info| {
        let line = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        libc::c_int::from_str_radix(line.trim(), 8).ok()
    });
    flags.is_none_or(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY)
}

/// Number of the block device at a path, if it is one. Doesn't ask a file server, which might never answer.
fn block_number(path: &str) -> Option<String> {
    let path = CString::new(path).ok()?;
    let mut stat = std::mem::MaybeUninit::<libc::statx>::zeroed();
    // SAFETY: the path ends in NUL, `stat` is valid for writing one statx.
    let result = unsafe {
        libc::statx(
            libc::AT_FDCWD,
            path.as_ptr(),
            libc::AT_STATX_DONT_SYNC,
            libc::STATX_TYPE,
            stat.as_mut_ptr(),
        )
    };
    if result != 0 {
        return None;
    }
    // SAFETY: the call succeeded, and all-zero bytes were a valid statx before it.
    let stat = unsafe { stat.assume_init() };
    let block = u32::from(stat.stx_mode) & libc::S_IFMT == libc::S_IFBLK;
    block.then(|| node::number(libc::makedev(stat.stx_rdev_major, stat.stx_rdev_minor)))
}
