//! What is written is what is read, however it travels.

use std::sync::Arc;

use narrows_initiator::{Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op};

use crate::program::Program;

/// Bytes of a slot: the most data of a command.
const SLOT: u32 = 1 << 20;
const SLOTS: u32 = 8;

pub(crate) fn path_to(program: &Program, options: &str) -> NvmeTcpPath {
    let association = Arc::new(Association::connect(&program.address(options), 4).unwrap());
    let arena = Arena::new(SLOTS, SLOT, 4096).unwrap();
    association.path(arena, PathOptions::default()).unwrap()
}

/// Waits for everything in flight.
pub(crate) fn all(path: &mut NvmeTcpPath) -> Vec<Completion> {
    let mut done = Vec::new();
    while path.in_flight() > 0 {
        path.reap(path.in_flight(), &mut done).unwrap();
    }
    done
}

pub(crate) fn one(path: &mut NvmeTcpPath, op: Op, offset: u64, bytes: u32) -> i32 {
    path.submit(op, 0, offset, bytes);
    let done = all(path);
    assert_eq!((done.len(), done[0].slot), (1, 0));
    done[0].result
}

pub(crate) fn pattern(seed: u64, bytes: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..bytes).map(|_| next()).collect()
}

/// Sizes on both sides of what a capsule takes (16 KiB), and what one H2CData and one receive take.
const SIZES: [u32; 9] = [512, 4096, 8192, 16384, 16896, 65536, 69632, 262_144, 1 << 20];

/// Writes and reads random places of a namespace beside a copy in memory, several commands at once.
pub(crate) fn hold_against_a_copy(path: &mut NvmeTcpPath, size: u64, rounds: u64) {
    let mut copy = vec![0; size as usize];
    for round in 0..rounds {
        // Commands at once don't overlap: their order is nobody's promise.
        let share = size / u64::from(SLOTS);
        let mut reads = Vec::new();
        for slot in 0..SLOTS {
            let number = round * u64::from(SLOTS) + u64::from(slot);
            let bytes = SIZES[(number % SIZES.len() as u64) as usize];
            let room = (share - u64::from(bytes)) / 512;
            let offset = share * u64::from(slot) + number.wrapping_mul(7919) % (room + 1) * 512;
            let range = offset as usize..offset as usize + bytes as usize;
            if number % 3 == 0 {
                reads.push((slot, range));
                path.submit(Op::Read, slot, offset, bytes);
            } else {
                let data = pattern(number, bytes as usize);
                path.buffer(slot)[..bytes as usize].copy_from_slice(&data);
                copy[range].copy_from_slice(&data);
                path.submit(Op::Write, slot, offset, bytes);
            }
        }
        for done in all(path) {
            assert!(done.result > 0, "slot {}: {}", done.slot, done.result);
        }
        for (slot, range) in reads {
            let bytes = range.len();
            assert!(path.buffer(slot)[..bytes] == copy[range], "round {round}, slot {slot}");
        }
    }
}

#[test]
fn memory_is_as_it_was_written_with_all_digests() {
    let program = Program::serving(&["ram:32MiB"], &[]);
    for digest in ["", "digest=header", "digest=data", "digest=both"] {
        let mut path = path_to(&program, digest);
        assert_eq!(one(&mut path, Op::Trim, 0, 32 << 20), 0);
        hold_against_a_copy(&mut path, 32 << 20, 24);
    }
    program.stop();
}

#[test]
fn a_file_is_as_it_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; 16 << 20]).unwrap();
    let program = Program::serving(&[file.to_str().unwrap()], &[]);
    let mut path = path_to(&program, "digest=data");
    hold_against_a_copy(&mut path, 16 << 20, 12);
    assert_eq!(one(&mut path, Op::Sync, 0, 0), 0);
    let data = pattern(1, 8192);
    path.buffer(0)[..8192].copy_from_slice(&data);
    assert_eq!(one(&mut path, Op::Write, 4096, 8192), 8192);
    drop(path);
    program.stop();
    // The file is what hosts wrote.
    assert_eq!(std::fs::read(&file).unwrap()[4096..4096 + 8192], data);
}

#[test]
fn little_memory_makes_commands_wait_and_loses_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; 16 << 20]).unwrap();
    // Room for one large command; eight come at once.
    let program = Program::serving(&[file.to_str().unwrap()], &["--memory", "1MiB"]);
    let mut path = path_to(&program, "");
    hold_against_a_copy(&mut path, 16 << 20, 12);
    let mut other = path_to(&program, "");
    for slot in 0..SLOTS {
        path.submit(Op::Read, slot, 0, SLOT);
        other.submit(Op::Read, slot, 0, SLOT);
    }
    let done = all(&mut path).into_iter().chain(all(&mut other));
    assert_eq!(done.filter(|done| done.result == SLOT as i32).count(), 16);
    program.stop();
}

#[test]
fn more_commands_than_a_queue_has_entries_wait_on_this_side() {
    let program = Program::serving(&["ram:1MiB"], &["--queue-entries", "4"]);
    let association = Arc::new(Association::connect(&program.address(""), 1).unwrap());
    let arena = Arena::new(64, 4096, 4096).unwrap();
    let mut path = association.path(arena, PathOptions::default()).unwrap();
    for slot in 0..64 {
        path.buffer(slot).fill(slot as u8);
        path.submit(Op::Write, slot, u64::from(slot) * 4096, 4096);
    }
    assert_eq!(path.in_flight(), 64);
    assert_eq!(all(&mut path).len(), 64);
    for slot in 0..64 {
        path.submit(Op::Read, slot, u64::from(63 - slot) * 4096, 4096);
    }
    assert_eq!(all(&mut path).len(), 64);
    for slot in 0..64 {
        assert!(path.buffer(slot).iter().all(|byte| *byte == 63 - slot as u8));
    }
    program.stop();
}

#[test]
fn deallocated_blocks_read_as_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![7; 4 << 20]).unwrap();
    let program = Program::serving(&[file.to_str().unwrap(), "ram:4MiB"], &[]);
    for namespace in ["ns=1", "ns=2"] {
        let mut path = path_to(&program, namespace);
        path.buffer(0)[..8192].fill(7);
        assert_eq!(one(&mut path, Op::Write, 0, 8192), 8192);
        assert_eq!(one(&mut path, Op::Trim, 4096, 4096), 0);
        assert_eq!(one(&mut path, Op::Read, 0, 8192), 8192);
        assert_eq!(path.buffer(0)[..4096], [7; 4096]);
        assert_eq!(path.buffer(0)[4096..8192], [0; 4096]);
    }
    program.stop();
}

#[test]
fn blocks_beyond_the_end_are_refused_and_the_queue_goes_on() {
    let program = Program::serving(&["ram:1MiB", "null:1MiB,readonly"], &[]);
    let mut path = path_to(&program, "");
    assert_eq!(one(&mut path, Op::Read, 1 << 20, 512), -libc::EINVAL);
    assert_eq!(one(&mut path, Op::Write, (1 << 20) - 512, 1024), -libc::EINVAL);
    assert_eq!(one(&mut path, Op::Read, (1 << 20) - 512, 512), 512);
    let mut read_only = path_to(&program, "ns=2");
    assert_eq!(one(&mut read_only, Op::Write, 0, 512), -libc::EROFS);
    assert_eq!(one(&mut read_only, Op::Read, 0, SLOT), SLOT as i32);
    assert!(read_only.buffer(0).iter().all(|byte| *byte == 0));
    let line = program.stop();
    assert!(line.contains("commands="), "{line}");
}

#[test]
fn a_file_that_hosts_only_read_is_opened_for_reading_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![3; 1 << 20]).unwrap();
    let served = |options: &str| Program::serving(&[&format!("{}{options}", file.display())], &[]);
    for (options, writes) in [("", true), (",readonly", false), (",readonly,cache=ram:1MiB", false)]
    {
        let program = served(options);
        assert_eq!(program.opened_for_writing(&file), writes, "{options}");
        let mut path = path_to(&program, "");
        assert_eq!(one(&mut path, Op::Read, 0, SLOT), SLOT as i32);
        assert!(path.buffer(0).iter().all(|byte| *byte == 3));
        if !writes {
            for op in [Op::Write, Op::Trim] {
                assert_eq!(one(&mut path, op, 0, 4096), -libc::EROFS, "{op:?}");
            }
        }
        assert_eq!(one(&mut path, Op::Sync, 0, 0), 0);
        drop(path);
        program.stop();
    }
    assert!(std::fs::read(&file).unwrap().iter().all(|byte| *byte == 3));
}

#[test]
fn operations_that_are_no_whole_blocks_or_too_large_fail_and_no_other() {
    let program = Program::serving(&["ram:4MiB,block=4096"], &[]);
    let mut path = path_to(&program, "");
    assert_eq!(one(&mut path, Op::Read, 0, 512), -libc::EINVAL);
    assert_eq!(one(&mut path, Op::Write, 512, 4096), -libc::EINVAL);
    let association = Arc::new(Association::connect(&program.address(""), 1).unwrap());
    let arena = Arena::new(1, 2 << 20, 4096).unwrap();
    let mut large = association.path(arena, PathOptions::default()).unwrap();
    assert_eq!(one(&mut large, Op::Read, 0, 2 << 20), -libc::EINVAL);
    assert_eq!(one(&mut path, Op::Write, 4096, 8192), 8192);
    program.stop();
}

#[test]
fn a_file_that_is_cut_gives_errors_and_no_other_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![7; 1 << 20]).unwrap();
    let program = Program::serving(&[file.to_str().unwrap()], &[]);
    let mut path = path_to(&program, "");
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(4096).unwrap();
    assert_eq!(one(&mut path, Op::Read, 0, 4096), 4096);
    assert_eq!(one(&mut path, Op::Read, 8192, 4096), -libc::EIO);
    program.stop();
}

#[test]
fn the_target_s_own_time_comes_with_each_answer() {
    let program = Program::serving(&["ram:1MiB"], &[]);
    let association = Arc::new(Association::connect(&program.address(""), 1).unwrap());
    assert!(association.ask_for_service_time());
    let arena = Arena::new(1, 4096, 4096).unwrap();
    let mut path = association.path(arena, PathOptions::default()).unwrap();
    for op in [Op::Read, Op::Write] {
        assert_eq!(one(&mut path, op, 0, 4096), 4096);
        let time = path.service_time(0);
        assert!(time.target_ns > 0 && time.storage_ns <= time.target_ns, "{time:?}");
    }
    program.stop();
}
