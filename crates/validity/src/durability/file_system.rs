//! The file system and its mount options.

use narrows_model::{DurabilityEvidence, FileSystem};

use super::{against, open, speaks_for};

const ABOUT: &str = "file system";

pub(super) fn evidence(fs: &FileSystem) -> Vec<DurabilityEvidence> {
    if fs.volatile {
        let text = format!("{} is in memory: nothing in it survives a power failure", fs.kind);
        return vec![against(ABOUT, text)];
    }
    let mut found: Vec<DurabilityEvidence> =
        fs.options.iter().filter_map(|option| of_option(option)).collect();
    if fs.network {
        found.push(open(
            ABOUT,
            format!(
                "{} is a network file system: its server decides when a write is durable",
                fs.kind
            ),
        ));
    }
    if fs.overlay {
        found.push(open(
            ABOUT,
            format!(
                "{} is a container's overlay file system: what is below it is not visible",
                fs.kind
            ),
        ));
    }
    match fs.kind.as_str() {
        "zfs" => found.push(open(
            ABOUT,
            "zfs can be set to acknowledge without writing (property sync=disabled), which is not visible from here",
        )),
        "bcachefs" | "btrfs" | "ext3" | "ext4" | "f2fs" | "xfs" if found.is_empty() => {
            found.push(speaks_for(
                ABOUT,
                format!("{} passes flushes on, and no mount option changes that", fs.kind),
            ));
        }
        _ => {}
    }
    found
}

fn of_option(option: &str) -> Option<DurabilityEvidence> {
    let text = match option {
        "nobarrier" | "barrier=0" | "nobarriers" => {
            return Some(against(
                ABOUT,
                format!("mounted with {option}: it sends no flushes to the device"),
            ));
        }
        "fsync_mode=nobarrier" => {
            return Some(against(
                ABOUT,
                "mounted with fsync_mode=nobarrier: fsync sends no flush to the device",
            ));
        }
        "data=writeback" => {
            "mounted with data=writeback: files that were not flushed may hold old blocks after a crash; flushed ones do not"
        }
        "journal_async_commit" => {
            "mounted with journal_async_commit: the journal's commit is not ordered after its blocks, checksums have to \
             notice that"
        }
        "dirsync" => {
            "mounted with dirsync: changes of folders are made durable at once, the contents of files are not"
        }
        "sync" => "mounted with sync: every write is flushed, whether requested or not",
        "dax" | "dax=always" => {
            "mounted with dax: a flush empties the CPU caches into the medium, and no device receives it"
        }
        _ => return None,
    };
    Some(open(ABOUT, text))
}
