//! A log that gets another size while it serves.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_initiator::NvmeTcpPath;
use narrows_io::{DevicePath as _, Op};

use crate::logged::{BLOCK, all, fill, number_of, path_to};
use crate::program::{Program, log_command, logged, make_log, tier_command as tier};

const BLOCKS: usize = 1009;
/// At once, of neighbours: so many that a log of 4 MiB has something to move all the time.
const AT_ONCE: u32 = 8;
/// Superblocks of a medium, bytes.
const HEAD: u64 = 8 << 10;

/// A file with its log, which can be asked while it serves.
struct Disk {
    _folder: tempfile::TempDir,
    file: PathBuf,
    media: Vec<PathBuf>,
    control: String,
}

impl Disk {
    fn new(media: &[&str]) -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (file, media) = (at("disk"), media.iter().map(|name| at(name)).collect::<Vec<_>>());
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        make_log(&file, &media, &[]);
        let control = at("control").display().to_string();
        Disk { file, media, control, _folder: folder }
    }

    fn serve(&self) -> Program {
        let more = ["--threads", "2", "--control", &self.control];
        Program::serving(&[&logged(&self.file, &self.media)], &more)
    }

    fn resize(&self, bytes: u64) -> (String, Option<i32>) {
        let size = bytes.to_string();
        tier(&["resize", "--log", "--size", &size, "--control", &self.control])
    }

    fn lengths(&self) -> Vec<u64> {
        self.media.iter().map(|medium| std::fs::metadata(medium).unwrap().len()).collect()
    }
}

/// Writes numbers that grow, each to a block, until it is told to stop. What each block has then.
fn write_until(path: &mut NvmeTcpPath, stop: &AtomicBool) -> Vec<u64> {
    let (mut last, mut number) = (vec![0; BLOCKS], 0);
    while !stop.load(Ordering::Relaxed) {
        for slot in 0..AT_ONCE {
            number += 1;
            let block = number as usize % BLOCKS;
            fill(&mut path.buffer(slot)[..BLOCK], number);
            path.submit(Op::Write, slot, (block * BLOCK) as u64, BLOCK as u32);
            last[block] = number;
        }
        let done = all(path);
        assert!(done.iter().all(|done| done.result == BLOCK as i32), "{done:?}");
    }
    last
}

#[test]
fn a_log_gets_larger_and_smaller_under_writes_and_loses_nothing() {
    for media in [&["log"][..], &["one", "two"]] {
        let disk = Disk::new(media);
        let mut program = disk.serve();
        let mut path = path_to(&program);
        let stop = AtomicBool::new(false);
        let last = std::thread::scope(|scope| {
            let writer = scope.spawn(|| write_until(&mut path, &stop));
            for mib in [9, 5, 7, 4, 12] {
                let (said, code) = disk.resize(HEAD + (mib << 20));
                assert_eq!(code, Some(0), "{said}");
                assert_eq!(said, format!("room for {} bytes of records\n", mib << 20));
                assert!(disk.lengths().iter().all(|length| *length == HEAD + (mib << 20)));
            }
            stop.store(true, Ordering::Relaxed);
            writer.join().unwrap()
        });
        program.kill();
        for medium in &disk.media {
            let (said, code) = log_command(&["status", medium.to_str().unwrap()]);
            assert!(code == Some(0) && said.contains("12582912 bytes of room"), "{said}");
        }
        // What was acknowledged in the last life is found by its size.
        disk.serve().stop();
        let file = std::fs::read(&disk.file).unwrap();
        let found: Vec<u64> = file.chunks(BLOCK).map(number_of).collect();
        assert!(found == last, "{media:?}");
    }
}

#[test]
fn a_size_that_a_log_can_t_have_is_refused_and_leaves_its_files_as_they_were() {
    let disk = Disk::new(&["one", "two"]);
    let before = disk.lengths();
    let program = disk.serve();
    for (bytes, why) in [
        (1 << 20, "1048576 bytes are too few for a log"),
        (1 << 60, "of memory are available here"),
    ] {
        let (said, code) = disk.resize(bytes);
        assert!(code == Some(2) && said.contains(why), "{said}");
    }
    let (said, code) = tier(&["resize", "--size", "8MiB", "--control", &disk.control]);
    assert!(code == Some(2) && said.contains("hint: `--log`"), "{said}");
    // The size that it has is no change.
    assert_eq!(disk.resize(before[0]).1, Some(0));
    assert_eq!(disk.lengths(), before);
    program.stop();
}
