//! The test file is what it says it is, or is not there at all.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::common::{MIB, blueprint, folder, made};
use narrows_io::{Blueprint, Entropy, Error, FillStep, Space, Tag, TestFile};

fn files_in(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
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
    let space = Space {
        total_bytes: 8 << 30,
        available_bytes: (1 << 30) + 10 * MIB,
        available_files: None,
    };
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
    let space = Space { total_bytes: 1 << 62, available_bytes: 1 << 61, available_files: None };
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
