//! Images made by the formats' own tools, where they are installed, beside what libblkid says about them.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

use narrows_raw::signature::scan;

/// A tool, its arguments (`IMAGE` is the image, `PIECE` a file, `FOLDER` a folder), the name that must be found.
const TOOLS: &[(&str, &str, &str)] = &[
    ("mkfs.ext2", "-q -F IMAGE", "ext2, ext3 or ext4"),
    ("mkfs.ext3", "-q -F IMAGE", "ext2, ext3 or ext4"),
    ("mkfs.ext4", "-q -F IMAGE", "ext2, ext3 or ext4"),
    ("mkfs.ext4", "-q -F -O journal_dev IMAGE", "ext2, ext3 or ext4"),
    ("mkfs.xfs", "-q -f IMAGE", "XFS"),
    ("mkfs.btrfs", "-q -f IMAGE", "Btrfs"),
    ("mkfs.f2fs", "-q -f IMAGE", "F2FS"),
    ("mkfs.jfs", "-q IMAGE", "JFS"),
    ("mkfs.reiserfs", "-q -ff IMAGE", "ReiserFS 3.6"),
    ("mkfs.gfs2", "-O -p lock_nolock IMAGE", "GFS or GFS2"),
    ("mkfs.nilfs2", "-q -f IMAGE", "NILFS2"),
    ("mkfs.ntfs", "-q -Q -F IMAGE", "NTFS"),
    ("mkfs.exfat", "IMAGE", "exFAT"),
    ("mkfs.fat", "-F 12 -s 128 -S 4096 IMAGE", "FAT"),
    ("mkfs.fat", "-F 16 IMAGE", "FAT"),
    ("mkfs.fat", "-F 32 IMAGE", "FAT"),
    ("mkudffs", "--blocksize=2048 IMAGE", "UDF"),
    ("mkfs.erofs", "IMAGE FOLDER", "EROFS"),
    ("mksquashfs", "PIECE IMAGE -noappend -quiet", "SquashFS"),
    ("mkswap", "-q IMAGE", "swap space"),
    ("mkswap", "-q -p 65536 IMAGE", "swap space"),
    ("cryptsetup", "luksFormat -q --type luks1 --pbkdf-force-iterations 1000 IMAGE PIECE", "LUKS"),
    (
        "cryptsetup",
        "luksFormat -q --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 IMAGE PIECE",
        "LUKS",
    ),
    ("veritysetup", "format PIECE IMAGE", "dm-verity"),
    ("make-bcache", "-B IMAGE", "bcache"),
    ("make-bcache", "-C IMAGE", "bcache"),
    ("sgdisk", "-n 1:0:0 IMAGE", "GPT"),
];

/// Runs a tool, also where a user's path doesn't reach. `None` if it isn't installed.
fn run(tool: &str, arguments: &[String]) -> Option<std::process::Output> {
    let path = std::env::var("PATH").unwrap_or_default() + ":/usr/local/sbin:/usr/sbin:/sbin";
    let mut command = Command::new(tool);
    command.args(arguments).env("PATH", path).env("LC_ALL", "C").stdin(Stdio::null());
    command.output().ok()
}

/// An image of 512 MiB without blocks, and a small file.
fn files() -> (tempfile::TempDir, String, String) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let image = folder.path().join("image");
    File::create(&image).unwrap().set_len(512 << 20).unwrap();
    let piece = folder.path().join("piece");
    std::fs::write(&piece, vec![7; 1 << 20]).unwrap();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_string();
    (folder, text(&image), text(&piece))
}

fn names(image: &str) -> Vec<&'static str> {
    let mut file = File::open(image).unwrap();
    let size = file.metadata().unwrap().len();
    scan(&mut file, size).unwrap().into_iter().map(|found| found.name).collect()
}

#[test]
fn what_the_tools_make_is_found() {
    for (tool, arguments, name) in TOOLS {
        let (folder, image, piece) = files();
        let inner = folder.path().join("folder").to_str().unwrap().to_string();
        let words: Vec<String> = arguments
            .split(' ')
            .map(|word| {
                word.replace("IMAGE", &image).replace("PIECE", &piece).replace("FOLDER", &inner)
            })
            .collect();
        match run(tool, &words) {
            None => eprintln!("SKIPPED: {tool} is not installed"),
            Some(output) if !output.status.success() => {
                // Some want a device, a library, a service.
                let error = String::from_utf8_lossy(&output.stderr);
                eprintln!("SKIPPED: {tool} {arguments}: {}", error.trim());
            }
            Some(_) => {
                let found = names(&image);
                assert!(found.contains(name), "{tool} {arguments}: found {found:?}");
                eprintln!("{tool} {arguments}: {found:?}, libblkid says {:?}", blkid(&image));
            }
        }
    }
}

/// What libblkid calls it: type and partition table. `None` without the tool or if it finds nothing.
fn blkid(image: &str) -> Option<String> {
    let output = run("blkid", &["-p".into(), "-o".into(), "export".into(), image.into()])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let kinds =
        text.lines().filter(|line| line.starts_with("TYPE=") || line.starts_with("PTTYPE="));
    let kinds: Vec<&str> = kinds.collect();
    (!kinds.is_empty()).then(|| kinds.join(" "))
}

/// Marks that libblkid takes by their bytes alone, so that it can be asked about planted ones: name, type it gives.
const BY_BYTES: &[(&str, &str)] = &[
    ("Oracle ASM disk", "oracleasm"),
    ("Ceph BlueStore", "ceph_bluestore"),
    ("OCFS2", "ocfs2"),
    ("VMFS", "VMFS"),
    ("VMFS volume", "VMFS_volume_member"),
    ("VDO", "vdo"),
    ("Reiser4", "reiser4"),
    ("swap space", "swap"),
    ("suspended system", "swsuspend"),
    ("device-mapper snapshot", "DM_snapshot_cow"),
    ("Promise RAID", "promise_fasttrack_raid_member"),
    ("Intel RAID", "isw_raid_member"),
    ("LSI MegaRAID", "lsi_mega_raid_member"),
    ("HighPoint RAID", "hpt45x_raid_member"),
];

#[test]
fn planted_marks_are_those_libblkid_knows() {
    use narrows_raw::signature::table;
    use std::os::unix::fs::FileExt;
    if run("blkid", &["-V".into()]).is_none() {
        eprintln!("SKIPPED: blkid is not installed");
        return;
    }
    for (name, kind) in BY_BYTES {
        let (_folder, image, _) = files();
        let agreed = table().filter(|row| row.name == *name).any(|row| {
            row.places.iter().flat_map(|place| place.offsets(512 << 20)).any(|at| {
                let file = File::options().write(true).open(&image).unwrap();
                file.set_len(0).unwrap();
                file.set_len(512 << 20).unwrap();
                file.write_all_at(row.magic, at).unwrap();
                blkid(&image).is_some_and(|said| said.contains(&format!("TYPE={kind}")))
            })
        });
        assert!(agreed, "libblkid doesn't take {name} for {kind}");
    }
}
