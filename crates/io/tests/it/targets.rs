//! Files and devices that belong to others: opened as they are, never changed by that.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use crate::common::{Loop, MIB, errno, folder, made, one, path, ways};
use narrows_io::{Durable, Error, Op, Pattern, Tag, Target, TargetKind};

#[test]
fn an_existing_file_is_opened_with_its_size_and_stays_as_it_is() {
    let dir = folder();
    let place = dir.path().join("somebody's");
    fs::write(&place, vec![7; 100_000]).unwrap();
    for target in [
        Target::open_read(&place, true).unwrap(),
        Target::open_write_exclusive(&place, false).unwrap(),
    ] {
        assert_eq!((target.bytes(), target.kind()), (100_000, TargetKind::File));
        assert_eq!((target.pattern(), target.logical_block_bytes()), (None, None));
        assert_eq!(target.reopen().unwrap().metadata().unwrap().len(), 100_000);
    }
    assert_eq!(fs::read(&place).unwrap(), vec![7; 100_000]);
    let target = Target::open_read(&place, false).unwrap();
    assert!(!target.writable());
    assert_eq!(target.direct().unwrap_err(), "not asked for");
    assert_eq!(target.offset_alignment(), 1);
    for access in ways() {
        let mut path = path(&access, target.buffered_file(), 1, 4096);
        assert_eq!(errno(one(&mut *path, Op::Write, 0, 4096)), Some(libc::EBADF));
    }
    let missing = dir.path().join("nothing");
    assert!(matches!(Target::open_write_exclusive(&missing, true), Err(Error::System { .. })));
    assert!(!missing.exists(), "never created");
}

#[test]
fn a_test_file_is_a_target_and_clones_share_its_generations() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 5) else { return };
    let target: &Target = file.target();
    let other = target.clone();
    assert_eq!(other.pattern(), file.pattern());
    let mut generations = vec![file.next_generation(), other.next_generation()];
    generations.push(target.next_generation());
    generations.dedup();
    assert_eq!(generations.len(), 3);
    let known = Target::open_read(file.path(), true).unwrap().with_pattern(Pattern::new(5));
    assert_eq!(known.sample_contents(50, 1).unwrap().wrong, 0);
    let strange = Target::open_read(file.path(), true).unwrap().with_pattern(Pattern::new(6));
    assert_eq!(strange.sample_contents(50, 1).unwrap().wrong, 50);
}

#[test]
fn what_is_neither_file_nor_block_device_is_refused_without_opening_it() {
    let dir = folder();
    let pipe = dir.path().join("pipe");
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("socket")).unwrap();
    for (place, what) in [
        (dir.path(), "folder"),
        (pipe.as_path(), "pipe"),
        (&dir.path().join("socket"), "socket"),
        (Path::new("/dev/null"), "character device"),
    ] {
        let error = Target::open_read(place, true).unwrap_err();
        assert!(matches!(error, Error::NotATarget { what: found, .. } if found == what), "{error}");
        assert!(error.to_string().contains("hint: name a file"), "{error}");
    }
}

#[test]
fn a_plain_file_below_dev_is_known_as_such() {
    if let Ok(meant) = tempfile::NamedTempFile::new_in("/dev/shm") {
        assert_eq!(Target::kind_of(meant.path()).unwrap(), TargetKind::File);
    }
    let Ok(file) = tempfile::NamedTempFile::new_in("/dev") else {
        eprintln!("SKIPPED: /dev can't be written to, which takes root");
        return;
    };
    assert_eq!(Target::kind_of(file.path()).unwrap(), TargetKind::FileInDev);
    let dir = folder();
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(file.path(), &link).unwrap();
    assert_eq!(Target::kind_of(&link).unwrap(), TargetKind::FileInDev, "wherever the name is");
}

#[test]
fn a_block_device_tells_its_size_and_blocks_and_is_written_by_one_alone() {
    let dir = folder();
    let image = dir.path().join("image");
    File::create(&image).unwrap().set_len(16 * MIB).unwrap();
    for sector in [512, 4096] {
        let Some(disk) = Loop::over(&image, &["--sector-size", &sector.to_string()]) else {
            return;
        };
        let target = Target::open_write_exclusive(&disk.device, true).unwrap();
        assert_eq!((target.kind(), target.bytes()), (TargetKind::BlockDevice, 16 * MIB));
        assert_eq!(target.logical_block_bytes(), Some(sector));
        assert_eq!(target.unwritten_share(), None, "nobody can tell");
        assert_eq!(target.offset_alignment(), u64::from(sector));
        let error = Target::open_write_exclusive(&disk.device, true).unwrap_err();
        assert_eq!(error.errno(), Some(libc::EBUSY));
        assert!(Target::open_read(&disk.device, true).is_ok(), "reading disturbs nobody");

        let pattern = Pattern::new(1);
        let target = target.with_pattern(pattern);
        for (access, generation) in ways().iter().zip(1..) {
            for file in [target.direct_file().unwrap(), Arc::clone(target.buffered_file())] {
                let mut path = path(access, &file, 1, 65_536);
                pattern.fill(path.buffer(0), MIB, generation);
                assert_eq!(one(&mut *path, Op::Write, MIB, 65_536).bytes().unwrap(), 65_536);
                assert_eq!(one(&mut *path, Op::Sync, 0, 0).bytes().unwrap(), 0);
                path.buffer(0).fill(0);
                assert_eq!(one(&mut *path, Op::Read, MIB, 65_536).bytes().unwrap(), 65_536);
                assert_eq!(pattern.tag(path.buffer(0), MIB), Tag::Ours { generation });
                let trimmed = one(&mut *path, Op::Trim, MIB, 65_536);
                if errno(trimmed) == Some(libc::EOPNOTSUPP) {
                    eprintln!("SKIPPED: the file system below the loop device punches no holes");
                    continue;
                }
                assert_eq!(trimmed.bytes().unwrap(), 0);
                assert_eq!(one(&mut *path, Op::Read, MIB, 65_536).bytes().unwrap(), 65_536);
                assert_eq!(pattern.tag(path.buffer(0), MIB), Tag::Zeros);
                // Beyond its end a device, unlike a file, has no room.
                let beyond = one(&mut *path, Op::Write, 16 * MIB, 65_536);
                assert_eq!(errno(beyond), Some(libc::ENOSPC));
            }
        }
        drop(target);
        let mut contents = Vec::new();
        File::open(&disk.device).unwrap().read_to_end(&mut contents).unwrap();
        assert_eq!(contents.len() as u64, 16 * MIB);
        let mut image_head = vec![1; 4096];
        File::open(&image).unwrap().read_exact_at(&mut image_head, 0).unwrap();
        assert!(image_head.iter().all(|&byte| byte == 0), "nothing but what was asked for");
    }
}

#[test]
fn writes_are_durable_by_themselves_where_that_was_asked_for() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 3) else { return };
    let flags = |file: &File| rustix::fs::fcntl_getfl(file).unwrap().bits() as i32;
    for (durable, flag) in [(Durable::Data, libc::O_DSYNC), (Durable::Whole, libc::O_SYNC)] {
        let target = file.target().durable(durable).unwrap();
        let handles = [Some(Arc::clone(target.buffered_file())), target.direct_file().ok()];
        let own = target.reopen().unwrap();
        for handle in handles.into_iter().flatten().chain([own]) {
            assert_eq!(flags(&handle) & libc::O_SYNC, flag, "{durable:?}");
            handle
                .write_all_at(&[1; 4096], 0)
                .or_else(|error| match error.raw_os_error() {
                    Some(libc::EINVAL) => Ok(()), // Direct, and the buffer is not aligned.
                    _ => Err(error),
                })
                .unwrap();
        }
        assert_eq!(
            flags(file.target().buffered_file()) & libc::O_SYNC,
            0,
            "the other is as it was"
        );
    }
}
