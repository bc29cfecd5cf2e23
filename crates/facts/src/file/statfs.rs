//! The file system a path lies on, by `statfs(2)`: its kind from the magic number, its size, and whether what is
//! written there survives a power failure or leaves the machine.

use std::io;
use std::path::Path;

/// What `statfs(2)` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FsStat {
    /// The kind's magic number (`statfs(2)`, Linux `include/uapi/linux/magic.h`).
    pub magic: i64,
    /// Size, bytes.
    pub total_bytes: u64,
    /// Free for this user, bytes; less than what is free where some is kept for root.
    pub free_bytes: u64,
}

/// Magic numbers with the names `mountinfo` uses. Several kinds of a family share one.
const KINDS: &[(u32, &str)] = &[
    (0xEF53, "ext4"),
    (0x5846_5342, "xfs"),
    (0x9123_683E, "btrfs"),
    (0x2FC1_2FC1, "zfs"),
    (0xF2F5_2010, "f2fs"),
    (0xCA45_1A4E, "bcachefs"),
    (0x0102_1994, "tmpfs"),
    (0x8584_58F6, "ramfs"),
    (0x794C_7630, "overlay"),
    (0x6969, "nfs"),
    (0xFF53_4D42, "cifs"),
    (0xFE53_4D42, "smb3"),
    (0x517B, "smbfs"),
    (0x0102_1997, "9p"),
    (0x6573_5546, "fuse"),
    (0x00C3_6400, "ceph"),
    (0x0BD0_0BD0, "lustre"),
    (0x4750_4653, "gpfs"),
    (0x7461_636F, "ocfs2"),
    (0x0116_1970, "gfs2"),
    (0x5346_414F, "afs"),
    (0x7371_7368, "squashfs"),
    (0xE0F5_E1E2, "erofs"),
    (0x5265_4973, "reiserfs"),
    (0x3153_464A, "jfs"),
    (0x4D44, "vfat"),
    (0x2011_BAB0, "exfat"),
    (0x9FA0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x9584_58F6, "hugetlbfs"),
    (0x6462_6720, "debugfs"),
    (0x0027_E0EB, "cgroup"),
    (0x6367_7270, "cgroup2"),
];

/// Asks the kernel.
///
/// # Errors
/// What `statfs(2)` gave; `InvalidInput` for a path with a NUL byte.
pub fn statfs(path: &Path) -> io::Result<FsStat> {
    let stat = rustix::fs::statfs(path)?;
    // The fields' types differ between architectures.
    #[allow(clippy::unnecessary_cast)] // Needed where they are narrower.
    let (magic, fragment, block) = (stat.f_type as i64, stat.f_frsize as u64, stat.f_bsize as u64);
    let unit = if fragment > 0 { fragment } else { block };
    #[allow(clippy::unnecessary_cast)] // As above.
    let (total, free) = (stat.f_blocks as u64, stat.f_bavail as u64);
    Ok(FsStat {
        magic,
        total_bytes: total.saturating_mul(unit),
        free_bytes: free.saturating_mul(unit),
    })
}

/// The kind's name as `mountinfo` would write it, or its magic number in hexadecimal. ext2, ext3 and ext4 share a number
/// and are called `ext4`; kinds of FUSE are all `fuse`.
///
/// # Errors
/// As [`statfs`].
pub fn fs_kind(path: &Path) -> io::Result<String> {
    let magic = statfs(path)?.magic as u32;
    let known = KINDS.iter().find(|(number, _)| *number == magic);
    Ok(known.map_or_else(|| format!("{magic:#x}"), |(_, name)| name.to_string()))
}

/// Whether a path lies in memory, so that nothing written to it survives power-off.
///
/// # Errors
/// As [`statfs`].
pub fn volatile(path: &Path) -> io::Result<bool> {
    Ok(volatile_kind(&fs_kind(path)?))
}

/// Whether a path is reached over a network, or through a program that may be (FUSE, 9p).
///
/// # Errors
/// As [`statfs`].
pub fn network(path: &Path) -> io::Result<bool> {
    Ok(network_kind(&fs_kind(path)?))
}

/// Whether a kind of file system lives in memory.
pub fn volatile_kind(kind: &str) -> bool {
    matches!(kind, "tmpfs" | "ramfs" | "hugetlbfs" | "devtmpfs" | "rootfs")
}

/// Whether a kind of file system is reached over a network, or through a program that may be. Cluster file systems
/// on shared block devices (ocfs2, gfs2, gpfs) are included: their locks travel.
pub fn network_kind(kind: &str) -> bool {
    // FUSE serves local disks too; these do and say so.
    const LOCAL_FUSE: [&str; 3] = ["fuseblk", "fuse.lxcfs", "fuse.fuse-overlayfs"];
    const NETWORK: [&str; 18] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "ceph",
        "lustre",
        "gpfs",
        "ocfs2",
        "gfs2",
        "afs",
        "glusterfs",
        "beegfs",
        "virtiofs",
        "ncpfs",
        "coda",
        "orangefs",
    ];
    let fuse = kind == "fuse" || kind.starts_with("fuse.");
    NETWORK.contains(&kind) || (fuse && !LOCAL_FUSE.contains(&kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_is_proc_and_sizes_agree_with_df() {
        assert_eq!(fs_kind(Path::new("/proc")).unwrap(), "proc");
        assert!(statfs(Path::new("/no/such/path")).is_err());
        let Ok(output) =
            std::process::Command::new("df").args(["-B1", "--output=size", "."]).output()
        else {
            eprintln!("SKIPPED: no df to compare with");
            return;
        };
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let Some(size) = text.lines().nth(1).and_then(|line| line.trim().parse::<u64>().ok())
        else {
            eprintln!("SKIPPED: this df has no --output");
            return;
        };
        let stat = statfs(Path::new(".")).unwrap();
        assert_eq!(stat.total_bytes, size);
        assert!(stat.free_bytes <= stat.total_bytes);
    }

    #[test]
    fn what_is_lost_and_what_travels() {
        if fs_kind(Path::new("/dev/shm")).is_ok_and(|kind| kind == "tmpfs") {
            assert!(volatile(Path::new("/dev/shm")).unwrap());
        } else {
            eprintln!("SKIPPED: /dev/shm is not a tmpfs here");
        }
        assert!(!volatile_kind("ext4") && !volatile_kind("overlay"));
        for kind in ["nfs4", "cifs", "9p", "fuse.sshfs", "fuse", "virtiofs"] {
            assert!(network_kind(kind), "{kind}");
        }
        assert!(!network_kind("fuseblk") && !network_kind("xfs") && !network_kind("nfsd"));
    }
}
