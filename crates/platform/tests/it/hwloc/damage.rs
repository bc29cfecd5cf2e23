//! Copies of machines that were cut, mixed up or made up are examined all the same.
//!
//! Each round damages one machine's files in a few places: a file's text is cut, swapped with another's, or replaced by
//! something hostile; a file becomes a folder, a link to itself, out of the tree, or to another file; a folder goes.
//! Discovery must end, and what it says must still hold together. Seeds are printed.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use narrows_facts::Tree;

use crate::hwloc::{archive, check_invariants};

/// Small ones with something special each: no cpu list, s390's levels, memory-only nodes, hybrid cores.
const MACHINES: [&str; 4] = [
    "2ps3-2t",
    "20s390-2g6s4c",
    "fakememinitiators-1np2c+1npp+gi",
    "20em64t-hybrid-1p6c2t+2ca4co1t",
];
const ROUNDS: u64 = 40;
const PLACES: usize = 6;

const HOSTILE: [&[u8]; 12] = [
    b"",
    b"\0\0\0",
    b"0-4294967295",
    b"99999999999999999999",
    b"-1",
    b"4294967295",
    b"18446744073709551615",
    b"18446744073709551615K",
    b"ffffffff,ffffffff,ffffffff,ffffffff,ffffffff",
    b"0,0,0,1-0,5-2,65535",
    b"Node 0 MemTotal: 18446744073709551615 kB\nNode 0 MemFree: -1 kB",
    b"\xff\xfe:,-\n",
];

/// xorshift64*: the same damage for the same seed anywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

#[test]
fn damaged_machines_are_examined_all_the_same() {
    let Some(folder) = archive::folder() else { return };
    for name in MACHINES {
        let path = folder.join(format!("{name}.tar.bz2"));
        if !path.exists() {
            eprintln!("SKIPPED: {} is not there", path.display());
            continue;
        }
        let unpacked = archive::unpack(&path);
        // Damage adds up over the rounds; the machine falls apart step by step.
        for seed in 1..=ROUNDS {
            let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let mut files = Vec::new();
            gather(&unpacked.root, &mut files);
            let done: Vec<String> = (0..PLACES)
                .filter(|_| !files.is_empty())
                .map(|_| damage(&unpacked.root, &files, &mut random))
                .collect();
            let outcome = std::panic::catch_unwind(|| {
                let platform = narrows_platform::discover(&Tree::new(&unpacked.root), &[]);
                check_invariants(name, &platform);
            });
            assert!(outcome.is_ok(), "{name}, seed {seed}, after {done:?}");
        }
    }
}

/// Plain files below, in order of names.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    for path in entries {
        let kind = path.symlink_metadata().unwrap().file_type();
        if kind.is_dir() {
            gather(&path, files);
        } else if kind.is_file() {
            files.push(path);
        }
    }
}

/// Damages one file, and says how.
fn damage(root: &Path, files: &[PathBuf], random: &mut Random) -> String {
    let file = random.one_of(files);
    let other = random.one_of(files);
    // Gone with its folder in this round, or a link by now: nothing is read or written through one, because some lead out.
    if !file.symlink_metadata().is_ok_and(|found| found.file_type().is_file()) {
        return String::new();
    }
    let bytes = std::fs::read(file).unwrap();
    let replaced_by_link = |target: &Path| {
        std::fs::remove_file(file).unwrap();
        symlink(target, file).unwrap();
    };
    let how = random.below(9);
    match how {
        0 => std::fs::write(file, &bytes[..random.below(bytes.len())]).unwrap(),
        1 => std::fs::write(file, random.one_of(&HOSTILE)).unwrap(),
        2 => std::fs::write(file, std::fs::read(other).unwrap_or_default()).unwrap(),
        3 => std::fs::remove_file(file).unwrap(),
        4 => {
            std::fs::remove_file(file).unwrap();
            std::fs::create_dir(file).unwrap();
        }
        5 => replaced_by_link(file),
        // Out of the tree, to a file that not even root can write.
        6 => replaced_by_link(Path::new("../../../../../../../../../../../proc/version")),
        7 => replaced_by_link(other.strip_prefix(root).unwrap()),
        _ if file.parent() == Some(root) => std::fs::remove_file(file).unwrap(),
        _ => std::fs::remove_dir_all(file.parent().unwrap()).unwrap(),
    }
    format!("{how} {}", file.strip_prefix(root).unwrap().display())
}
