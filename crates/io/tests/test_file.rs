//! The test file is what it says it is, or is not there at all.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use narrows_io::{
    Access, Arena, Blueprint, Completion, DevicePath, Entropy, Error, FillStep, Method, Op, Space,
    Tag, TestFile,
};

const MIB: u64 = 1 << 20;
const ROOMY: Space = Space { total_bytes: 1 << 40, available_bytes: 1 << 39 };

/// On the disk of the build folder: the folder for temporary files is often in memory.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn blueprint(dir: &Path, mib: u64, seed: u64) -> Blueprint<'_> {
    Blueprint { dir, bytes: mib * MIB, seed, entropy: Entropy::default(), space: Some(ROOMY) }
}

fn files_in(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
}

fn made(dir: &Path, mib: u64, seed: u64) -> Option<TestFile> {
    match TestFile::create(blueprint(dir, mib, seed), &mut |_| Ok(())) {
        Ok(file) => Some(file),
        Err(error @ Error::InMemory { .. }) => {
            eprintln!("SKIPPED: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_block_is_written_in_its_place_and_the_file_goes_with_its_owner() {
    let dir = folder();
    let Some(file) = made(dir.path(), 20, 7) else { return };
    assert_eq!(file.bytes(), 20 * MIB);
    let pattern = file.pattern().unwrap();
    let mut block = vec![0; 4096];
    for offset in (0..file.bytes()).step_by(4096) {
        file.buffered_file().read_exact_at(&mut block, offset).unwrap();
        for (sector, at) in block.chunks(512).zip((offset..).step_by(512)) {
            assert_eq!(pattern.tag(sector, at), Tag::Ours { generation: 0 }, "at {at}");
        }
    }
    match file.unwritten_share() {
        Some(share) => assert_eq!(share, 0.0),
        None => eprintln!("SKIPPED: the file system does not tell its extents"),
    }
    let contents = file.sample_contents(100, 3).unwrap();
    assert_eq!((contents.sampled, contents.zeros, contents.wrong), (100, 0, 0));
    drop(file);
    assert_eq!(files_in(dir.path()), 0);
}

#[test]
fn holes_and_foreign_blocks_are_found() {
    let dir = folder();
    let path = dir.path().join("sparse");
    let sparse = fs::File::create(&path).unwrap();
    sparse.set_len(8 * MIB).unwrap();
    sparse.write_all_at(&vec![0xab; 2 * MIB as usize], 0).unwrap();
    sparse.sync_all().unwrap();
    let file = TestFile::existing(&path, Some(1)).unwrap();
    assert!(!file.writable());
    let contents = file.sample_contents(400, 5).unwrap();
    assert_eq!((contents.sampled, contents.zeros, contents.wrong), (400, 300, 100));
    match file.unwritten_share() {
        Some(share) => assert!((share - 0.75).abs() < 0.01, "{share}"),
        None => eprintln!("SKIPPED: the file system does not tell its extents"),
    }
    drop(file);
    assert!(path.exists(), "a file that is not ours stays");
}

#[test]
fn stopping_in_the_middle_leaves_nothing() {
    let dir = folder();
    let mut steps = 0;
    let result = TestFile::create(blueprint(dir.path(), 64, 1), &mut |step| {
        steps += 1;
        match step {
            FillStep::Writing { done, .. } if done >= 16 * MIB => Err(Error::Stopped),
            _ => Ok(()),
        }
    });
    if let Err(error @ Error::InMemory { .. }) = result {
        eprintln!("SKIPPED: {error}");
        return;
    }
    assert!(matches!(result, Err(Error::Stopped)), "{result:?}");
    assert!(steps >= 3, "{steps}");
    assert_eq!(files_in(dir.path()), 0);
}

#[test]
fn too_little_room_is_said_before_anything_is_written() {
    let dir = folder();
    let space = Space { total_bytes: 8 << 30, available_bytes: (1 << 30) + 10 * MIB };
    let tight = |mib| Blueprint { space: Some(space), ..blueprint(dir.path(), mib, 1) };
    let result = TestFile::create(tight(11), &mut |_| panic!("nothing may be written"));
    match result {
        Err(Error::NoSpace { wanted, available, reserve, .. }) => {
            assert_eq!((wanted, available, reserve), (11 * MIB, space.available_bytes, 1 << 30));
        }
        Err(error @ Error::InMemory { .. }) => eprintln!("SKIPPED: {error}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(files_in(dir.path()), 0);
}

#[test]
fn a_file_larger_than_the_disk_fails_with_a_hint_and_leaves_nothing() {
    let dir = folder();
    // The check is told that there is room, so the file system itself must refuse: 2^52 bytes fit nowhere.
    let space = Space { total_bytes: 1 << 62, available_bytes: 1 << 61 };
    let huge = Blueprint {
        dir: dir.path(),
        bytes: 1 << 52,
        seed: 1,
        entropy: Entropy::default(),
        space: Some(space),
    };
    let mut written = 0;
    let error = TestFile::create(huge, &mut |step| {
        if let FillStep::Writing { done, .. } = step {
            written = done;
            if done > 64 * MIB {
                // A file system that promises what it can't hold; don't fill the tester's disk.
                return Err(Error::Stopped);
            }
        }
        Ok(())
    })
    .unwrap_err();
    if !matches!(error, Error::Stopped | Error::InMemory { .. }) {
        let text = error.to_string();
        assert!(text.contains("hint: ") && text.contains(dir.path().to_str().unwrap()), "{text}");
    }
    assert_eq!(files_in(dir.path()), 0);
}

#[test]
fn memory_file_systems_and_missing_folders_are_refused_with_a_hint() {
    let shm = Path::new("/dev/shm");
    if narrows_facts::file::fs_kind(shm).is_ok_and(|kind| kind == "tmpfs") {
        let error = TestFile::create(blueprint(shm, 1, 1), &mut |_| Ok(())).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("tmpfs") && text.contains("hint: "), "{text}");
    } else {
        eprintln!("SKIPPED: /dev/shm is not a tmpfs");
    }
    let error = TestFile::create(blueprint(Path::new("/nonexistent/d"), 1, 1), &mut |_| Ok(()))
        .unwrap_err()
        .to_string();
    assert!(error.contains("/nonexistent/d") && error.contains("hint: create"), "{error}");
}

/// Keeps `depth` operations in flight until each of `blocks` was done once; returns the bytes moved.
fn once_each(path: &mut dyn DevicePath, op: Op, file: &TestFile, block: u64, write_gen: u64) {
    let pattern = file.pattern().unwrap();
    let blocks = file.bytes() / block;
    let mut places = vec![0; path.slots() as usize];
    let mut free: Vec<u32> = (0..path.slots()).collect();
    let mut out: Vec<Completion> = Vec::new();
    let (mut next, mut done) = (0, 0);
    while done < blocks {
        while next < blocks
            && let Some(slot) = free.pop()
        {
            // Backwards, so that nothing is right by being sequential.
            let offset = (blocks - 1 - next) * block;
            if op == Op::Write {
                pattern.fill(path.buffer(slot), offset, write_gen);
            }
            places[slot as usize] = offset;
            path.submit(op, slot, offset, block as u32);
            next += 1;
        }
        out.clear();
        path.reap(1, &mut out).unwrap();
        for completion in &out {
            assert_eq!(u64::from(completion.bytes().unwrap()), block);
            let offset = places[completion.slot as usize];
            if op == Op::Read {
                let tag = pattern.tag(path.buffer(completion.slot), offset);
                assert_eq!(tag, Tag::Ours { generation: write_gen });
            }
            free.push(completion.slot);
            done += 1;
        }
    }
}

#[test]
fn every_way_reads_back_what_every_other_wrote() {
    let dir = folder();
    let Some(file) = made(dir.path(), 16, 9) else { return };
    let Ok(direct) = file.direct_file() else {
        eprintln!("SKIPPED: {:?}", file.direct());
        return;
    };
    let ways = [Access::best(), Access::blocking(), Access::without_uring("asked for by the test")];
    for (generation, writer) in (1..).zip(&ways) {
        for reader in &ways {
            for (block, depth) in [(8192, 16), (1 << 20, 4)] {
                let open = |access: &Access| {
                    let arena = Arena::new(depth, block, file.memory_alignment()).unwrap();
                    access.open(Arc::clone(&direct), file.path(), arena, depth).unwrap()
                };
                let size = u64::from(block);
                once_each(&mut *open(writer), Op::Write, &file, size, generation);
                once_each(&mut *open(reader), Op::Read, &file, size, generation);
            }
        }
    }
}

#[test]
fn without_io_uring_blocking_calls_are_obtained_and_the_reason_is_kept() {
    let access = Access::without_uring("kernel.io_uring_disabled = 2");
    assert_eq!(access.method(), Method::Blocking);
    assert_eq!(access.depth_per_thread(), Some(1));
    assert_eq!(access.refused(), Some("kernel.io_uring_disabled = 2"));
    assert_eq!(Access::blocking().refused(), None);
}

#[test]
fn errors_of_single_operations_come_back_with_their_number() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 2) else { return };
    let read_only = Arc::new(fs::File::open(file.path()).unwrap());
    for access in [Access::best(), Access::blocking()] {
        let arena = Arena::new(1, 4096, 4096).unwrap();
        let mut path = access.open(Arc::clone(&read_only), file.path(), arena, 1).unwrap();
        let mut out = Vec::new();
        path.submit(Op::Write, 0, 0, 4096);
        while out.is_empty() {
            path.reap(1, &mut out).unwrap();
        }
        assert_eq!(out[0].bytes().unwrap_err().raw_os_error(), Some(libc::EBADF));
        // Beyond the end: no error, and no bytes.
        out.clear();
        path.submit(Op::Read, 0, 1 << 30, 4096);
        while out.is_empty() {
            path.reap(1, &mut out).unwrap();
        }
        assert_eq!(out[0].bytes().unwrap(), 0);
    }
}
