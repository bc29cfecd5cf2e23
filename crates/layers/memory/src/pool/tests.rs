use std::fs;
use std::path::Path;

use narrows_facts::{Live as LiveFiles, Tree};
use narrows_model::{NumaNode, Platform, metric};

use super::*;
use crate::matrix::Known;

const MIB: u64 = 1 << 20;

/// A machine on which 64 MiB of shared memory are mapped by three processes, each at another address, and a segment of its own.
fn machine() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let map = |pid: u32, from: u64| {
        format!(
            "{from:x}-{:x} rw-s 00000000 00:01 1024   /dev/zero (deleted)\n\
             5500000000-5502000000 rw-p 00000000 00:00 0   [heap]\n\
             7600000000-7604000000 ---p 00000000 00:00 0\n\
             7610000000-7614000000 rw-s 00000000 fe:00 77  /var/log/journal/system.journal\n\
             7620000000-7621000000 rw-p 00000000 00:0f 8   /anon_hugepage (deleted)\n\
             7700000000-7700100000 r-xp 00000000 fe:00 9   /usr/bin/postgres\n{}",
            from + 64 * MIB,
            if pid == 12 {
                "7800000000-7802000000 rw-s 00000000 00:05 7 /SYSV00 (deleted)\n"
            } else {
                ""
            }
        )
    };
    for (pid, from) in [(10, 0x6000_0000u64), (11, 0x6800_0000), (12, 0x7000_0000)] {
        file(dir.path(), &format!("proc/{pid}/maps"), &map(pid, from));
        let numa =
            format!("{from:x} default file=/dev/zero dirty=1 N0={pid} kernelpagesize_kB=4\n");
        file(dir.path(), &format!("proc/{pid}/numa_maps"), &numa);
    }
    dir
}

fn file(root: &Path, name: &str, text: &str) {
    let path = root.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The pages of the pool by their place in it: each process knows its own third, and the last quarter nobody.
struct Thirds;

impl Pages for Thirds {
    fn nodes(&self, pid: u32, addresses: &[u64]) -> Option<Vec<Option<u32>>> {
        let begin = [0x6000_0000, 0x6800_0000, 0x7000_0000][pid as usize - 10];
        let of = |address: &u64| {
            let mib = (address - begin) / MIB;
            (mib < 48 && mib / 16 == u64::from(pid - 10)).then_some(u32::from(pid == 12))
        };
        Some(addresses.iter().map(of).collect())
    }
}

struct Closed;

impl Pages for Closed {
    fn nodes(&self, _: u32, _: &[u64]) -> Option<Vec<Option<u32>>> {
        None
    }
}

#[test]
fn a_pool_is_what_several_processes_map_and_its_pages_are_of_all_of_them() {
    let dir = machine();
    let tree = Tree::new(dir.path());
    let found = find(&tree, &[11], &[10, 11, 12]);
    // The segment that only another process maps is not this one's.
    let names: Vec<(&str, u64)> = found.pools.iter().map(|p| (p.name.as_str(), p.bytes)).collect();
    let huge = ("private huge pages", 16 * MIB);
    assert_eq!(names, [("/dev/zero (deleted)", 64 * MIB), ("private", 32 * MIB), huge]);
    let pool = &found.pools[0];
    assert_eq!(pool.processes(), [11, 10, 12], "the one that was named is the first");
    let all = find(&tree, &[], &[10, 11, 12]);
    assert_eq!(all.pools.len(), 2, "the segment too, and nobody's private memory: {:?}", all.pools);

    let stop = Stop::new();
    let every = place(&tree, &Thirds, pool, u64::MAX, 1, &stop).unwrap();
    assert_eq!((every.pages, every.asked()), (64 * 256, 64 * 256));
    assert_eq!(every.by_node, [(0, 32 * 256), (1, 16 * 256)].into());
    assert_eq!(every.nowhere, 16 * 256);
    assert_eq!((every.asked_processes, every.refused_processes), (3, 0));
    assert_eq!(every.policy.as_deref(), Some("default"));
    assert_eq!(every.uncertainty(0), 0.0);
    // A sample of it is near.
    let some = place(&tree, &Thirds, pool, 1000, 1, &stop).unwrap();
    assert_eq!(some.asked(), 1000);
    let share = some.shares()[1].1;
    let off = some.uncertainty(1);
    assert!((share - 1.0 / 3.0).abs() < 2.0 * off && off < 0.05, "{share} ± {off}");
}

#[test]
fn who_may_not_ask_is_left_with_one_process_tables() {
    let dir = machine();
    let tree = Tree::new(dir.path());
    let found = find(&tree, &[11], &[10, 11, 12]);
    let placed = place(&tree, &Closed, &found.pools[0], 1000, 1, &Stop::new()).unwrap();
    assert!(placed.by_node.is_empty());
    assert_eq!((placed.asked_processes, placed.refused_processes), (0, 3));
    assert_eq!(placed.by_tables, [(0, 12)].into(), "the fullest");
    assert_eq!(placed.shares(), [(0, 1.0)]);
}

#[test]
fn the_tables_of_a_large_process_are_not_walked_and_a_smaller_one_tells() {
    let dir = machine();
    let tree = Tree::new(dir.path());
    let pages = |bytes: u64| bytes / base_page_bytes();
    // 200 GiB are mapped by all, 64 GiB of them touched by one of the processes.
    let resident = |pid: u32, bytes: u64| {
        let text = format!("{} {} 1 1 0 1 0\n", pages(200 << 30), pages(bytes));
        file(dir.path(), &format!("proc/{pid}/statm"), &text);
    };
    resident(11, 64 << 30);
    resident(10, 16 << 30);
    let found = find(&tree, &[11], &[10, 11, 12]);
    let placed = place(&tree, &Closed, &found.pools[0], 1000, 1, &Stop::new()).unwrap();
    assert_eq!((placed.large_processes, placed.policy.as_deref()), (1, Some("default")));
    assert_eq!(placed.by_tables, [(0, 12)].into(), "that of processes 10 and 12");
    for pid in [10, 12] {
        resident(pid, 64 << 30);
    }
    let placed = place(&tree, &Thirds, &found.pools[0], 1000, 1, &Stop::new()).unwrap();
    assert_eq!((placed.large_processes, placed.policy.as_deref()), (3, None));
    assert_eq!(placed.by_node.len(), 2, "pages are asked for all the same");
    let m = measurement(
        0,
        "postgres",
        &found.pools[0],
        &placed,
        &Platform::default(),
        &Known::default(),
    );
    assert_eq!(m.number(narrows_model::condition::PROCESSES_TOO_LARGE), Some(3.0));
}

#[test]
fn a_pid_that_is_gone_has_nothing() {
    let dir = machine();
    let found = find(&Tree::new(dir.path()), &[99], &[10]);
    assert_eq!(found, PoolScan::default());
}

#[test]
fn shapes_are_told_from_shares() {
    assert_eq!(Shape::of(&[(0, 0.97), (1, 0.03)], 2), Shape::OneNode(0));
    assert_eq!(Shape::of(&[(0, 0.55), (1, 0.45)], 2), Shape::Even);
    assert_eq!(Shape::of(&[(0, 0.7), (1, 0.3)], 2), Shape::Uneven(0));
    let of_eight: Vec<(u32, f64)> = (0..7).map(|node| (node, 1.0 / 7.0)).collect();
    assert_eq!(Shape::of(&of_eight, 8), Shape::Uneven(6), "one of eight has none of it");
    assert_eq!(Shape::of(&of_eight, 7), Shape::Even);
    assert_eq!(Shape::of(&[(4, 1.0)], 1), Shape::OnlyNode);
    assert_eq!(Shape::of(&[(1, 1.0)], 4), Shape::OneNode(1));
    assert_eq!(Shape::of(&[], 4), Shape::Unknown);
}

#[test]
fn what_a_placement_costs_is_reckoned_by_the_matrix() {
    let node = |id: u32| NumaNode { id, cpus: vec![id], memory_bytes: 1, ..NumaNode::default() };
    let platform = Platform { nodes: vec![node(0), node(1)], ..Platform::default() };
    let figures =
        |near: bool| if near { [Some(80.0), Some(100e9)] } else { [Some(160.0), Some(30e9)] };
    let known: Known = [(0, 0), (0, 1), (1, 0), (1, 1)]
        .map(|(from, to)| (crate::matrix::NodePair { from, to }, figures(from == to)))
        .into();
    let pool = Pool {
        name: "x".into(),
        shared: true,
        bytes: 1 << 30,
        parts: vec![MappedRange { pid: 5, from: 0, offset: 0, bytes: 1 << 30 }],
    };
    let placed = Placement {
        by_node: [(0, 100)].into(),
        pages: 100,
        page_bytes: 2 << 20,
        ..Placement::default()
    };
    let m = measurement(1, "postgres", &pool, &placed, &platform, &known);
    assert_eq!(m.text(narrows_model::condition::SHAPE), Some("one node"));
    // Half of the CPUs are far: (80 + 160) / 2, as interleaved; but all of it comes out of one memory.
    assert_eq!(
        (
            m.number(narrows_model::condition::LOAD_NS),
            m.number(narrows_model::condition::INTERLEAVED_LOAD_NS)
        ),
        (Some(120.0), Some(120.0))
    );
    let most =
        |key: narrows_model::Key<[serde_json::Value]>| m.conditions[key][1].as_f64().unwrap();
    assert!((most(narrows_model::condition::READ_BYTES_PER_S) / 100e9 - 1.0).abs() < 1e-9);
    assert!(
        (most(narrows_model::condition::INTERLEAVED_READ_BYTES_PER_S) / 120e9 - 1.0).abs() < 1e-9
    );
    assert_eq!(m.value(metric::FULLEST_NODE_SHARE), Some(1.0));
}

/// Two processes of this machine share a pool, and each touches another half of it.
#[test]
fn pages_that_another_process_touched_are_found_through_it() {
    const BYTES: usize = 32 << 20;
    // SAFETY: anonymous shared memory of our own; the result is checked.
    let pool = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    assert_ne!(pool, libc::MAP_FAILED);
    let touch = |from: usize, to: usize| {
        for at in (from..to).step_by(4096) {
            // SAFETY: inside the mapping.
            unsafe { pool.cast::<u8>().add(at).write_volatile(1) };
        }
    };
    // SAFETY: the child does nothing but touch memory and wait for its end.
    let child = unsafe { libc::fork() };
    assert!(child >= 0);
    if child == 0 {
        touch(BYTES / 2, BYTES * 3 / 4);
        loop {
            // SAFETY: waits for a signal.
            unsafe { libc::pause() };
        }
    }
    struct Ended(libc::pid_t);
    impl Drop for Ended {
        fn drop(&mut self) {
            // SAFETY: our own child, which is waited for.
            unsafe {
                libc::kill(self.0, libc::SIGKILL);
                libc::waitpid(self.0, std::ptr::null_mut(), 0);
            }
        }
    }
    let _child = Ended(child);
    touch(0, BYTES / 4);
    let (own, other) = (std::process::id(), child as u32);
    let stop = Stop::new();
    let asked = |pids: &[u32]| {
        let found = find(&LiveFiles, &[own], pids);
        let mine = |pool: &&Pool| pool.shared && pool.bytes == BYTES as u64;
        let pool = found.pools.iter().find(mine).expect("it is mapped here").clone();
        place(&LiveFiles, &ask::Live, &pool, u64::MAX, 1, &stop).unwrap()
    };
    let alone = asked(&[own]);
    if alone.refused_processes > 0 {
        return eprintln!("SKIPPED: pages may not be asked for here");
    }
    let quarter = alone.pages / 4;
    assert_eq!(alone.by_node.values().sum::<u64>(), quarter, "one process knows its part");
    // The child may still be about it.
    for _ in 0..500 {
        let both = asked(&[own, other]);
        if both.refused_processes > 0 {
            return eprintln!("SKIPPED: another process's pages may not be asked for here");
        }
        if both.by_node.values().sum::<u64>() == 2 * quarter {
            assert_eq!(both.nowhere, 2 * quarter, "and half was touched by nobody");
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("what the child touched is not seen: {:?}", asked(&[own, other]));
}
