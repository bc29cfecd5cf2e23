//! Every way to a device: what is submitted is completed once, what is written is read back by every other, and what
//! goes wrong comes back as the operation's result.

use crate::common;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::time::Duration;

use crate::common::{errno, folder, made, one, open_direct, path, ways};
use narrows_io::{
    Access, Arena, Completion, DevicePath, Method, Op, Options, Tag, TestFile, UringPath,
};

/// Keeps all slots in flight until each block was done once, last first, so that nothing is right by being sequential.
fn once_each(path: &mut dyn DevicePath, op: Op, file: &TestFile, block: u32, generation: u64) {
    let pattern = file.pattern().unwrap();
    let blocks = file.bytes() / u64::from(block);
    let mut places = vec![0; path.slots() as usize];
    let mut free: Vec<u32> = (0..path.slots()).collect();
    let mut out: Vec<Completion> = Vec::new();
    let (mut submitted, mut completed) = (0, 0);
    while completed < blocks {
        while submitted < blocks
            && let Some(slot) = free.pop()
        {
            let offset = (blocks - 1 - submitted) * u64::from(block);
            if op == Op::Write {
                pattern.fill(path.buffer(slot), offset, generation);
            }
            places[slot as usize] = offset;
            path.submit(op, slot, offset, block);
            submitted += 1;
        }
        assert_eq!(u64::from(path.in_flight()), submitted - completed);
        out.clear();
        path.reap(1, &mut out).unwrap();
        for completion in &out {
            assert_eq!(completion.bytes().unwrap(), block);
            let offset = places[completion.slot as usize];
            if op == Op::Read {
                let tag = pattern.tag(path.buffer(completion.slot), offset);
                assert_eq!(tag, Tag::Ours { generation });
            }
            free.push(completion.slot);
            completed += 1;
        }
    }
    assert_eq!((submitted, completed, path.in_flight()), (blocks, blocks, 0));
}

#[test]
fn every_way_reads_back_what_every_other_wrote() {
    let dir = folder();
    let Some(file) = made(dir.path(), 16, 9) else { return };
    let mut handles = vec![Arc::clone(file.buffered_file())];
    match file.direct_file() {
        Ok(direct) => handles.push(direct),
        Err(reason) => eprintln!("SKIPPED: direct I/O: {reason}"),
    }
    let mut generation = 0;
    for handle in &handles {
        for writer in &ways() {
            for (block, depth) in [(8192, 16), (1 << 20, 4)] {
                generation += 1;
                let open = |access: &Access| {
                    let arena = Arena::new(depth, block, file.memory_alignment()).unwrap();
                    access.open(Arc::clone(handle), file.path(), arena, depth).unwrap()
                };
                once_each(&mut *open(writer), Op::Write, &file, block, generation);
                for reader in &ways() {
                    once_each(&mut *open(reader), Op::Read, &file, block, generation);
                }
            }
        }
    }
}

#[test]
fn ways_without_a_device_complete_what_is_submitted_too() {
    let zero = Arc::new(File::open("/dev/zero").unwrap());
    for access in [Access::null(), Access::nop()] {
        let mut path = path(&access, &zero, 32, 8192);
        let mut out = Vec::new();
        for round in 0..100 {
            for slot in 0..32 {
                let op = [Op::Read, Op::Write, Op::Trim, Op::Sync][slot as usize % 4];
                path.submit(op, slot, round * 8192, 4096 + slot * 8);
            }
            while path.in_flight() > 0 {
                path.reap(path.in_flight(), &mut out).unwrap();
            }
        }
        assert_eq!(out.len(), 3200, "{}", access.method());
        for completion in out {
            let moves = completion.slot % 4 < 2;
            let expected = if moves { 4096 + completion.slot * 8 } else { 0 };
            assert_eq!(completion.bytes().unwrap(), expected, "{}", access.method());
        }
    }
}

#[test]
fn parts_of_a_slot_move_and_the_end_of_the_file_cuts_reads_short() {
    let dir = folder();
    let place = dir.path().join("data");
    fs::write(&place, vec![7; 10_000]).unwrap();
    let file = Arc::new(OpenOptions::new().read(true).write(true).open(&place).unwrap());
    for access in ways() {
        let mut path = path(&access, &file, 1, 8192);
        path.buffer(0).fill(1);
        assert_eq!(one(&mut *path, Op::Read, 4096, 100).bytes().unwrap(), 100);
        assert_eq!(path.buffer(0)[99..101], [7, 1], "no more than asked");
        assert_eq!(one(&mut *path, Op::Read, 8192, 8192).bytes().unwrap(), 10_000 - 8192);
        assert_eq!(one(&mut *path, Op::Read, 1 << 30, 8192).bytes().unwrap(), 0);
        path.buffer(0).fill(9);
        assert_eq!(one(&mut *path, Op::Write, 0, 5).bytes().unwrap(), 5);
        let mut head = [0; 6];
        file.read_exact_at(&mut head, 0).unwrap();
        assert_eq!(head, [9, 9, 9, 9, 9, 7], "{}", access.method());
        file.write_all_at(&[7; 5], 0).unwrap();
    }
}

#[test]
fn sync_and_trim_work_on_files() {
    let dir = folder();
    for access in ways() {
        let Some(file) = made(dir.path(), 1, 5) else { return };
        let mut path = path(&access, file.buffered_file(), 1, 4096);
        assert_eq!(one(&mut *path, Op::Sync, 0, 0).bytes().unwrap(), 0);
        let trimmed = one(&mut *path, Op::Trim, 65_536, 65_536);
        if errno(trimmed) == Some(libc::EOPNOTSUPP) {
            eprintln!("SKIPPED: this file system punches no holes");
            return;
        }
        assert_eq!(trimmed.bytes().unwrap(), 0, "{}", access.method());
        assert_eq!(file.bytes(), fs::metadata(file.path()).unwrap().len(), "the size stays");
        let zeros = (0..256).filter(|block| {
            let mut data = [0; 4096];
            file.buffered_file().read_exact_at(&mut data, block * 4096).unwrap();
            data == [0; 4096]
        });
        assert_eq!(zeros.collect::<Vec<_>>(), (16..32).collect::<Vec<_>>());
    }
}

#[test]
fn errors_of_single_operations_come_back_with_their_number() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 2) else { return };
    let read_only = Arc::new(File::open(file.path()).unwrap());
    let full = Arc::new(OpenOptions::new().read(true).write(true).open("/dev/full").unwrap());
    for access in ways() {
        let mut reader = path(&access, &read_only, 2, 4096);
        assert_eq!(errno(one(&mut *reader, Op::Write, 0, 4096)), Some(libc::EBADF));
        assert_eq!(errno(one(&mut *reader, Op::Read, u64::MAX - 4095, 4096)), Some(libc::EINVAL));
        // The one that fails takes no other with it.
        reader.submit(Op::Write, 0, 0, 4096);
        reader.submit(Op::Read, 1, 0, 4096);
        let mut out = Vec::new();
        while out.len() < 2 {
            reader.reap(2, &mut out).unwrap();
        }
        out.sort_by_key(|completion| completion.slot);
        assert_eq!((out[0].result, out[1].result), (-libc::EBADF, 4096), "{}", access.method());
        if access.method() == Method::Aio {
            continue; // Linux AIO refuses this device; targets.rs has the end of a real one.
        }
        let mut writer = path(&access, &full, 1, 4096);
        assert_eq!(errno(one(&mut *writer, Op::Write, 0, 4096)), Some(libc::ENOSPC));
    }
}

#[test]
fn wrong_alignment_is_an_error_of_the_operation() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 3) else { return };
    let Some(direct) = open_direct(file.path()) else { return };
    // A file system may do more than its drive needs; then there is nothing to be wrong.
    let mut probe = [0; 8192];
    let odd = probe.as_ptr().align_offset(4096) + 1;
    if direct.read_at(&mut probe[odd..odd + 100], 3).is_ok() {
        eprintln!("SKIPPED: direct I/O needs no alignment here");
        return;
    }
    for access in ways() {
        let mut path = path(&access, &direct, 1, 4096);
        for (offset, bytes) in [(3, 4096), (0, 100), (4095, 1)] {
            let completion = one(&mut *path, Op::Read, offset, bytes);
            assert_eq!(errno(completion), Some(libc::EINVAL), "{}", access.method());
        }
        assert_eq!(one(&mut *path, Op::Read, 4096, 4096).bytes().unwrap(), 4096);
    }
}

#[test]
fn a_file_cut_or_removed_meanwhile_gives_fewer_bytes_not_a_crash() {
    let dir = folder();
    for access in ways() {
        let place = dir.path().join("data");
        fs::write(&place, vec![7; 1 << 20]).unwrap();
        let Some(direct) = open_direct(&place) else { return };
        let mut path = path(&access, &direct, 8, 65_536);
        for slot in 0..8 {
            path.submit(Op::Read, slot, u64::from(slot) * 131_072, 65_536);
        }
        direct.set_len(4096).unwrap();
        fs::remove_file(&place).unwrap();
        let mut out = Vec::new();
        while path.in_flight() > 0 {
            path.reap(1, &mut out).unwrap();
        }
        assert_eq!(out.len(), 8);
        assert!(out.iter().all(|completion| completion.bytes().is_ok()), "{out:?}");
        assert_eq!(one(&mut *path, Op::Read, 0, 65_536).bytes().unwrap(), 4096);
        assert_eq!(one(&mut *path, Op::Read, 65_536, 65_536).bytes().unwrap(), 0);
    }
}

#[test]
fn dropping_with_operations_in_flight_gives_nothing_to_whoever_gets_the_memory_next() {
    let dir = folder();
    let Some(file) = made(dir.path(), 64, 4) else { return };
    let handle = file.direct_file().unwrap_or(Arc::clone(file.buffered_file()));
    for access in ways() {
        for round in 0..8 {
            let arena = Arena::new(32, 1 << 20, file.memory_alignment()).unwrap();
            let mut path = access.open(Arc::clone(&handle), file.path(), arena, 32).unwrap();
            for slot in 0..32 {
                path.submit(Op::Read, slot, u64::from(slot) << 20, 1 << 20);
            }
            if round % 2 == 0 {
                path.reap_within(0, Duration::ZERO, &mut Vec::new()).unwrap();
            }
            drop(path);
            // Most likely the same addresses: what is still written there now would show.
            let next = Arena::new(32, 1 << 20, file.memory_alignment()).unwrap();
            for slot in 0..32 {
                assert!(next.slot(slot).iter().all(|&byte| byte == 0), "{}", access.method());
            }
        }
    }
}

#[test]
fn a_limited_wait_takes_what_is_there() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 6) else { return };
    for access in ways() {
        let mut path = path(&access, file.buffered_file(), 4, 4096);
        for slot in 0..4 {
            path.submit(Op::Read, slot, 0, 4096);
        }
        let mut out = Vec::new();
        while out.len() < 4 {
            path.reap_within(4, Duration::from_secs(60), &mut out).unwrap();
        }
        path.submit(Op::Read, 0, 0, 4096);
        while out.len() < 5 {
            path.reap_within(1, Duration::ZERO, &mut out).unwrap();
        }
        path.reap_within(1, Duration::from_secs(60), &mut out).unwrap();
        assert_eq!((out.len(), path.in_flight()), (5, 0), "nothing to wait for");
    }
}

#[test]
fn what_cannot_be_had_falls_back_and_says_why() {
    let access = Access::without_uring("kernel.io_uring_disabled = 2");
    assert_eq!(access.method(), Method::Blocking);
    assert_eq!(access.depth_per_thread(), Some(1));
    assert_eq!(access.refused(), Some("kernel.io_uring_disabled = 2"));
    assert_eq!(access.refusals()[0].to_string(), "io_uring refused: kernel.io_uring_disabled = 2");
    assert_eq!(Access::blocking().refused(), None);
    for method in Method::ALL {
        assert_eq!(Method::from_word(method.word()), Some(method));
        let access = Access::named(method, Options::default());
        assert_eq!(access.method() != method, !access.refusals().is_empty());
        assert_eq!(access.depth_per_thread().is_some(), access.method() == Method::Blocking);
    }
    assert_eq!(Method::from_word("libaio"), None);
}

#[test]
fn polled_completion_is_refused_where_it_would_not_be_polled() {
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 8) else { return };
    let polled = Access::named(Method::IoUring, Options { polled: true, ..Options::default() });
    if polled.method() != Method::IoUring {
        eprintln!("SKIPPED: {:?}", polled.refusals());
        return;
    }
    // Through the page cache there is nothing to poll.
    let mut buffered = path(&polled, file.buffered_file(), 1, 4096);
    assert_eq!(buffered.refusals()[0].what, "polled completion");
    assert!(buffered.refusals()[0].why.contains("direct I/O"), "{:?}", buffered.refusals());
    assert_eq!(one(&mut *buffered, Op::Read, 0, 4096).bytes().unwrap(), 4096);
    // Past it that depends on the drive; it works either way, and either is said.
    let Ok(direct) = file.direct_file() else { return };
    let arena = Arena::new(4, 4096, 4096).unwrap();
    let options = polled.options();
    let mut path = UringPath::new(direct, file.path().into(), arena, 4, options).unwrap();
    assert_eq!(path.granted().polled, path.refusals().is_empty(), "{:?}", path.refusals());
    for slot in 0..4 {
        path.submit(Op::Read, slot, 0, 4096);
    }
    let mut out = Vec::new();
    while path.in_flight() > 0 {
        path.reap(4, &mut out).unwrap();
    }
    assert_eq!(out.iter().map(|completion| completion.result).sum::<i32>(), 4 * 4096);
    assert_eq!(one(&mut path, Op::Sync, 0, 0).result, 0);
}

#[test]
fn the_kernel_gets_atomic_writes_as_such_and_reads_without_the_flag() {
    // A device that never takes them: with the flag the kernel refuses every write, without it none. Kernels before 6.11 refuse the flag.
    let null = Arc::new(OpenOptions::new().read(true).write(true).open("/dev/null").unwrap());
    for method in [Method::IoUring, Method::Aio] {
        let options = Options { atomic_writes: true, ..Options::default() };
        let unregistered = Options { registered_buffers: false, registered_file: false, ..options };
        for options in [options, unregistered] {
            let access = Access::named(method, options);
            if access.method() != method {
                eprintln!("SKIPPED: {method}: {:?}", access.refusals());
                continue;
            }
            let mut atomic = path(&access, &null, 1, 4096);
            let write = one(&mut *atomic, Op::Write, 0, 4096);
            assert_eq!(errno(write), Some(libc::EOPNOTSUPP), "{method}");
            assert_eq!(one(&mut *atomic, Op::Read, 0, 4096).bytes().unwrap(), 0, "{method}");
            let plain = Access::named(method, Options { atomic_writes: false, ..options });
            let write = one(&mut *path(&plain, &null, 1, 4096), Op::Write, 0, 4096);
            assert_eq!(write.bytes().unwrap(), 4096, "{method}");
        }
    }
}

#[test]
fn operations_that_the_kernel_hands_to_a_worker_are_seen_there() {
    let uring = Access::named(Method::IoUring, Options::default());
    if uring.method() != Method::IoUring {
        eprintln!("SKIPPED: {:?}", uring.refusals());
        return;
    }
    let dir = folder();
    let Some(file) = made(dir.path(), 1, 10) else { return };
    let mut path = path(&uring, file.buffered_file(), 1, 4096);
    let before = path.workers().unwrap();
    // A flush always blocks, so a ring never does it in the submitting thread.
    one(&mut *path, Op::Sync, 0, 0);
    assert!(path.workers().unwrap() > before);
    let aio = Access::named(Method::Aio, Options::default());
    assert_eq!(common::path(&aio, file.buffered_file(), 1, 4096).workers(), None);
}

#[test]
fn blocking_submissions_of_linux_aio_show_in_their_time() {
    let aio = Access::named(Method::Aio, Options::default());
    if aio.method() != Method::Aio {
        eprintln!("SKIPPED: {:?}", aio.refusals());
        return;
    }
    let dir = folder();
    let Some(file) = made(dir.path(), 32, 11) else { return };
    // Through the page cache io_submit does the work itself, and nothing is left to wait for.
    let mut path = path(&aio, file.buffered_file(), 16, 1 << 20);
    let began_cpu_ns = narrows_facts::process::thread_cpu_ns();
    for _ in 0..8 {
        for slot in 0..16 {
            path.submit(Op::Read, slot, u64::from(slot) << 20, 1 << 20);
        }
        while path.in_flight() > 0 {
            path.reap(16, &mut Vec::new()).unwrap();
        }
    }
    // Copying 128 MiB is nearly all of this thread's processor time, and a call takes no less time than it computes.
    let cpu_ns = narrows_facts::process::thread_cpu_ns() - began_cpu_ns;
    let submit_ns = path.submit_ns().unwrap();
    assert!(
        submit_ns > cpu_ns / 2,
        "{submit_ns} ns in calls that submit, {cpu_ns} ns of processor time"
    );
    let blocking = common::path(&Access::blocking(), file.buffered_file(), 1, 512);
    assert_eq!(blocking.submit_ns(), None);
}
