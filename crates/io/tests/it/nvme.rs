//! Polled completion and the drive's own commands, on a real or emulated NVMe drive that the tester names and whose
//! contents are lost: NARROWS_TEST_NVME=nvme1n1. With `nvme.poll_queues` above 0 also polled.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::common::{MIB, errno, one};
use narrows_io::{
    Access, Arena, Completion, DevicePath, Method, Op, Options, Pattern, Tag, Target, TargetKind,
};

/// The block device and the generic device of the drive to test on.
fn drive() -> Option<(Target, Target)> {
    let Some(name) = std::env::var_os("NARROWS_TEST_NVME") else {
        eprintln!("SKIPPED: NARROWS_TEST_NVME names no drive whose contents may be lost");
        return None;
    };
    let name = name.into_string().unwrap();
    let block = PathBuf::from(format!("/dev/{name}"));
    let generic = PathBuf::from(format!("/dev/{}", name.replacen("nvme", "ng", 1)));
    Some((
        Target::open_write_exclusive(&block, true).unwrap(),
        Target::open_write_exclusive(&generic, false).unwrap(),
    ))
}

/// Whether the drive was given queues to poll.
fn poll_queues(drive: &Target) -> bool {
    let name = drive.path().file_name().unwrap().to_str().unwrap();
    fs::read_to_string(format!("/sys/block/{name}/queue/io_poll")).unwrap().trim() == "1"
}

fn open(target: &Target, method: Method, options: Options, depth: u32) -> Box<dyn DevicePath> {
    let access = Access::named(method, options);
    let arena = Arena::new(depth, 65_536, target.memory_alignment()).unwrap();
    access.open(target.direct_file().unwrap(), target.path(), arena, depth).unwrap()
}

/// Writes, or reads and looks at, 64 blocks of 64 KiB with `depth` in flight.
fn sweep(path: &mut dyn DevicePath, op: Op, pattern: Pattern, generation: u64) {
    let mut out: Vec<Completion> = Vec::new();
    let depth = path.slots();
    for first in (0..64).step_by(depth as usize) {
        for slot in 0..depth {
            let offset = (first + u64::from(slot)) * 65_536;
            if op == Op::Write {
                pattern.fill(path.buffer(slot), offset, generation);
            } else {
                path.buffer(slot).fill(0);
            }
            path.submit(op, slot, offset, 65_536);
        }
        out.clear();
        while path.in_flight() > 0 {
            path.reap(path.in_flight(), &mut out).unwrap();
        }
        for completion in &out {
            assert_eq!(completion.bytes().unwrap(), 65_536);
            let offset = (first + u64::from(completion.slot)) * 65_536;
            assert_eq!(pattern.tag(path.buffer(completion.slot), offset), Tag::Ours { generation });
        }
    }
}

#[test]
fn what_one_way_writes_to_the_drive_every_other_reads() {
    let Some((block, generic)) = drive() else { return };
    assert_eq!((generic.kind(), block.kind()), (TargetKind::NvmeGeneric, TargetKind::BlockDevice));
    assert_eq!(generic.bytes(), block.bytes());
    assert_eq!(generic.logical_block_bytes(), block.logical_block_bytes());
    let pattern = Pattern::new(3);
    let mut generation = 0;
    let plain = Options { registered_buffers: false, registered_file: false, ..Options::default() };
    let mut ways = vec![(&block, Method::Aio, plain), (&block, Method::IoUring, plain)];
    for options in [plain, Options::default()] {
        ways.push((&generic, Method::Passthrough, options));
        let polled = Options { polled: true, ..options };
        ways.extend([(&block, Method::IoUring, polled), (&generic, Method::Passthrough, polled)]);
    }
    for &(writer, method, options) in &ways {
        generation += 1;
        let mut path = open(writer, method, options, 16);
        let polled = options.polled && poll_queues(&block);
        assert_eq!(path.refusals().is_empty(), polled == options.polled, "{:?}", path.refusals());
        sweep(&mut *path, Op::Write, pattern, generation);
        assert_eq!(one(&mut *path, Op::Sync, 0, 0).result, 0, "{method} {options:?}");
        for &(reader, method, options) in &ways {
            sweep(&mut *open(reader, method, options, 16), Op::Read, pattern, generation);
        }
    }
    if !poll_queues(&block) {
        eprintln!("SKIPPED: polled: nvme.poll_queues is 0");
    }
}

#[test]
fn the_drives_own_commands_fail_as_other_ways_do() {
    let Some((_block, generic)) = drive() else { return };
    let block_bytes = generic.logical_block_bytes().unwrap();
    let mut path = open(&generic, Method::Passthrough, Options::default(), 1);
    assert_eq!(errno(one(&mut *path, Op::Read, 1, block_bytes)), Some(libc::EINVAL));
    assert_eq!(errno(one(&mut *path, Op::Read, 0, block_bytes - 1)), Some(libc::EINVAL));
    assert_eq!(errno(one(&mut *path, Op::Read, 0, 0)), Some(libc::EINVAL));
    assert_eq!(errno(one(&mut *path, Op::Trim, 1, block_bytes)), Some(libc::EINVAL));
    let end = generic.bytes();
    assert_eq!(errno(one(&mut *path, Op::Write, end, block_bytes)), Some(libc::ENOSPC));
    let last = end - u64::from(block_bytes);
    assert_eq!(one(&mut *path, Op::Read, last, block_bytes).bytes().unwrap(), block_bytes);
}

#[test]
fn a_trim_takes_its_range_and_nothing_beside_it() {
    let Some((block, generic)) = drive() else { return };
    let name = block.path().file_name().unwrap().to_str().unwrap().to_string();
    let model = fs::read_to_string(format!("/sys/block/{name}/device/model")).unwrap();
    // What a trimmed block reads as is the drive's affair; the emulated one answers with zeros.
    let zeros = model.starts_with("QEMU");
    let pattern = Pattern::new(5);
    let blocking = Method::Blocking;
    let ways = [(&block, Method::IoUring), (&generic, Method::Passthrough), (&block, blocking)];
    for (generation, (target, method)) in (1..).zip(ways) {
        for polled in [false, true] {
            let options = Options { polled, ..Options::default() };
            let mut path = open(target, method, options, 16);
            sweep(&mut *path, Op::Write, pattern, generation);
            // Two of them at once, and reads beside them.
            path.submit(Op::Trim, 0, 3 * 65_536, 65_536);
            path.submit(Op::Trim, 1, 5 * 65_536, 2 * 65_536);
            path.submit(Op::Read, 2, 2 * 65_536, 65_536);
            path.submit(Op::Sync, 3, 0, 0);
            let mut out = Vec::new();
            while path.in_flight() > 0 {
                path.reap(path.in_flight(), &mut out).unwrap();
            }
            out.sort_by_key(|completion| completion.slot);
            let results: Vec<i32> = out.iter().map(|completion| completion.result).collect();
            assert_eq!(results, [0, 0, 65_536, 0], "{method} polled {polled}");
            for at in 0..64 {
                let read = one(&mut *path, Op::Read, at * 65_536, 65_536);
                assert_eq!(read.bytes().unwrap(), 65_536);
                let buffer = path.buffer(read.slot);
                if !matches!(at, 3 | 5 | 6) {
                    assert_eq!(pattern.tag(buffer, at * 65_536), Tag::Ours { generation }, "{at}");
                } else if zeros {
                    assert!(buffer.iter().all(|byte| *byte == 0), "{method} {polled}: {at}");
                }
            }
        }
    }
}

#[test]
fn the_block_layer_does_not_count_the_drives_own_commands() {
    let Some((block, generic)) = drive() else { return };
    let name = block.path().file_name().unwrap().to_str().unwrap();
    let setting = fs::read_to_string(format!("/sys/block/{name}/queue/iostats_passthrough"));
    if setting.is_ok_and(|setting| setting.trim() == "1") {
        eprintln!("SKIPPED: queue/iostats_passthrough is 1");
        return;
    }
    let reads = || {
        let stat = fs::read_to_string(format!("/sys/block/{name}/stat")).unwrap();
        stat.split_whitespace().next().unwrap().parse::<u64>().unwrap()
    };
    for (target, method, counted) in
        [(&generic, Method::Passthrough, 0), (&block, Method::IoUring, 100)]
    {
        let mut path = open(target, method, Options::default(), 1);
        let before = reads();
        for offset in 0..100 {
            assert_eq!(one(&mut *path, Op::Read, offset * 4096, 4096).bytes().unwrap(), 4096);
        }
        assert_eq!(reads() - before, counted, "{method}");
    }
}

#[test]
fn dropping_with_commands_in_flight_waits_for_them() {
    let Some((block, generic)) = drive() else { return };
    for (target, method) in [(&generic, Method::Passthrough), (&block, Method::IoUring)] {
        for polled in [false, true] {
            let mut path = open(target, method, Options { polled, ..Options::default() }, 32);
            for slot in 0..32 {
                path.submit(Op::Read, slot, u64::from(slot) * MIB, 65_536);
            }
            path.reap(0, &mut Vec::new()).unwrap();
            drop(path);
        }
    }
}

#[test]
fn anything_else_is_no_nvme_drive() {
    let zero = Arc::new(fs::File::open("/dev/zero").unwrap());
    let mut byte = [1];
    zero.read_exact_at(&mut byte, 0).unwrap();
    if Access::best().method() != Method::IoUring {
        eprintln!("SKIPPED: no io_uring");
        return;
    }
    let arena = Arena::new(1, 4096, 4096).unwrap();
    let access = Access::named(Method::Passthrough, Options::default());
    let Err(error) = access.open(zero, "/dev/zero".as_ref(), arena, 1) else { panic!() };
    assert!(error.to_string().contains("not an NVMe generic device"), "{error}");
}
