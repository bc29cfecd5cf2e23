//! Processes that hold a device, or a file that holds its bytes, open or mapped into their memory.
//!
//! `O_EXCL` finds only those that asked for exclusiveness, which file systems and RAID do and programs seldom do: a
//! virtual machine's disk, a database on a raw device, an exporter. Their open files tell (proc(5), `fd` and `fdinfo`),
//! and what is mapped and closed stands in `maps`.

use std::thread;
use std::time::Duration;

use narrows_facts::Source;

use crate::family::{BackingFile, Member};
use crate::maps::{Mapping, may_write, shared_mappings};
use crate::storage::{self, Storage};

/// A process that has a device open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opener {
    /// Name of the device, or path of the file that holds its bytes.
    pub device: String,
    /// Process id.
    pub pid: u32,
    /// Its name, if it could be read.
    pub command: Option<String>,
    /// Whether it could write; taken for granted where the kernel doesn't tell.
    pub writes: bool,
}

/// What is looked for.
pub(crate) struct Sought<'a> {
    pub(crate) members: Vec<&'a Member>,
    pub(crate) files: &'a [BackingFile],
}

impl Sought<'_> {
    /// The name of what stands at a path, if it is sought. By number and inode on the live machine, since a container may
    /// call it anything.
    fn at(&self, source: &dyn Source, path: &str) -> Option<String> {
        match storage::at(source, path)? {
            Storage::Device(number) => {
                let member = self.members.iter().find(|member| member.number == number)?;
                Some(member.name.clone())
            }
            Storage::File(id) => {
                let file = self.files.iter().find(|file| file.id == id)?;
                Some(file.shown.clone())
            }
            Storage::Unknown => None,
        }
    }

    fn opened(&self, source: &dyn Source, pid: u32, file: &str) -> Option<String> {
        let path = format!("/proc/{pid}/fd/{file}");
        let target = source.link(&path).ok().filter(|target| target.starts_with('/'))?;
        // A link in a copied machine leads to the name, on the live one to the open file itself.
        self.at(source, if source.is_live() { &path } else { &target })
    }

    fn mapped(&self, source: &dyn Source, pid: u32, mapping: &Mapping) -> Option<String> {
        if source.is_live() {
            let file = format!("/proc/{pid}/map_files/{}", mapping.addresses);
            if let Some(found) = self.at(source, &file) {
                return Some(found);
            }
        }
        // Following the link above takes a right; the name may do.
        self.at(source, &mapping.path)
    }
}

/// How often and how long apart writers are looked for. Tools that look for a free loop device open each for writing for a moment.
const LOOKS: u32 = 10;
const LOOK_PAUSE: Duration = Duration::from_millis(50);

/// Those of the processes whose open files can be seen, and how many can't be. On the live machine a writer counts when each of
/// several looks found one.
pub(crate) fn openers(source: &dyn Source, sought: &Sought<'_>) -> (Vec<Opener>, u32) {
    if source.is_live() {
        lasting(|| openers_now(source, sought), || thread::sleep(LOOK_PAUSE))
    } else {
        openers_now(source, sought)
    }
}

/// What the first look without a writer found, or the last one.
fn lasting(
    mut look: impl FnMut() -> (Vec<Opener>, u32),
    mut pause: impl FnMut(),
) -> (Vec<Opener>, u32) {
    let mut found = look();
    for _ in 1..LOOKS {
        if !found.0.iter().any(|opener| opener.writes) {
            break;
        }
        pause();
        found = look();
    }
    found
}

fn openers_now(source: &dyn Source, sought: &Sought<'_>) -> (Vec<Opener>, u32) {
    let own = source.is_live().then(std::process::id);
    let mut openers: Vec<Opener> = Vec::new();
    let mut hidden = 0;
    // A /proc that hides others' processes (hidepid) shows none of theirs.
    hidden += u32::from(source.is_live() && !source.exists("/proc/1"));
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
        let mut add = |device: String, writes: bool| match openers
            .iter_mut()
            .find(|o| o.pid == pid && o.device == device)
        {
            Some(opener) => opener.writes |= writes,
            None => {
                let command = source.text(&format!("/proc/{pid}/comm"));
                openers.push(Opener { device, pid, command, writes });
            }
        };
        for file in files {
            if let Some(device) = sought.opened(source, pid, &file) {
                add(device, writes(source, pid, &file));
            }
        }
        for mapping in shared_mappings(source, pid) {
            if let Some(device) = sought.mapped(source, pid, &mapping) {
                add(device, may_write(source, pid, &mapping));
            }
        }
    }
    (openers, hidden)
}

fn writes(source: &dyn Source, pid: u32, file: &str) -> bool {
    let flags = source.text(&format!("/proc/{pid}/fdinfo/{file}")).and_then(|info| {
        let line = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        libc::c_int::from_str_radix(line.trim(), 8).ok()
    });
    flags.is_none_or(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many looks were made and what was found, where the first `writers` of them see a process that writes and all of them one
    /// that reads.
    fn looked(writers: u32) -> (u32, u32, usize) {
        let opener = |pid, writes| Opener { device: "sda".into(), pid, command: None, writes };
        let (mut looks, mut pauses) = (0, 0);
        let look = || {
            looks += 1;
            let writer = (looks <= writers).then(|| opener(looks, true));
            (writer.into_iter().chain([opener(99, false)]).collect(), 0)
        };
        let (found, _) = lasting(look, || pauses += 1);
        (looks, pauses, found.iter().filter(|opener| opener.writes).count())
    }

    #[test]
    fn a_writer_for_a_moment_is_none_and_one_after_the_other_are() {
        assert_eq!(looked(0), (1, 0, 0), "readers are not waited for");
        assert_eq!(looked(3), (4, 3, 0));
        assert_eq!(looked(LOOKS - 1), (LOOKS, LOOKS - 1, 0));
        // Each look saw another process.
        assert_eq!(looked(u32::MAX), (LOOKS, LOOKS - 1, 1));
    }
}
