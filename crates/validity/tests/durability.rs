//! From evidence to one of three words: tables.

use narrows_model::{
    BlockDevice, CrashTest, CrashTestOutcome, DeviceKind, DurabilityWord, FileSystem, Leaning,
    Queue, Role, RolePath,
};
use narrows_validity::durability::{FlushCost, Known, durability};

fn device(name: &str, kind: DeviceKind, cache: Option<&str>, slaves: &[&str]) -> BlockDevice {
    BlockDevice {
        name: name.to_string(),
        number: "8:0".to_string(),
        kind,
        level: None,
        model: None,
        transport: None,
        size_bytes: None,
        slaves: slaves.iter().map(|slave| slave.to_string()).collect(),
        queue: Some(Queue {
            write_cache: cache.map(String::from),
            fua: Some(true),
            ..Queue::default()
        }),
        numa_node: None,
        pcie: Vec::new(),
    }
}

fn path(kind: &str, options: &[&str], devices: Vec<BlockDevice>) -> RolePath {
    RolePath {
        role: Role::Wal,
        path: "/wal/pg".to_string(),
        file_system: FileSystem {
            kind: kind.to_string(),
            mount_point: "/wal".to_string(),
            options: options.iter().map(|option| option.to_string()).collect(),
            volatile: kind == "tmpfs",
            network: kind == "nfs4",
            ..FileSystem::default()
        },
        devices,
    }
}

fn drive() -> Vec<BlockDevice> {
    vec![device("nvme0n1", DeviceKind::Disk, Some("write back"), &[])]
}

fn test(target: &str, outcome: CrashTestOutcome, flushes: bool) -> CrashTest {
    CrashTest {
        id: "0123456789abcdef".to_string(),
        target: target.to_string(),
        method: "write and fdatasync".to_string(),
        flushes,
        outcome,
        sentences: Vec::new(),
        acknowledged: 5000,
        checked: 4000,
        missing: u64::from(outcome == CrashTestOutcome::Refuted),
        torn: 0,
        lost: Vec::new(),
        cut: None,
        host: Some("db1".to_string()),
        mount_point: target
            .rsplit_once('/')
            .map(|(folder, _)| folder.to_string())
            .filter(|f| f != "/dev"),
    }
}

fn judge(path: &RolePath, tests: &[CrashTest]) -> narrows_model::Durability {
    let known =
        Known { path, host: Some("db1"), hypervisor: None, flush: None, crash_tests: tests };
    durability(&known)
}

#[test]
fn no_flag_option_or_speed_gets_past_not_shown() {
    let through = |cache| {
        vec![
            device("dm-0", DeviceKind::Mapper, Some(cache), &["nvme0n1p1"]),
            device("nvme0n1p1", DeviceKind::Partition, None, &["nvme0n1"]),
            device("nvme0n1", DeviceKind::Disk, Some("write back"), &[]),
        ]
    };
    use Leaning::{Against, For, Open};
    for (path, about, leaning, part) in [
        (path("tmpfs", &[], vec![]), "file system", Against, "in memory"),
        (path("ext4", &["rw"], drive()), "file system", For, "passes flushes on"),
        (path("ext4", &["nobarrier"], drive()), "file system", Against, "no flushes"),
        (path("ext4", &["barrier=0"], drive()), "file system", Against, "no flushes"),
        (path("ext4", &["data=writeback"], drive()), "file system", Open, "old blocks"),
        (path("xfs", &["dax=always"], drive()), "file system", Open, "processor's caches"),
        (path("zfs", &[], vec![]), "file system", Open, "sync=disabled"),
        (path("nfs4", &["sync"], vec![]), "file system", Open, "every write is flushed"),
        (path("ext4", &[], vec![]), "block devices", Open, "none"),
        (path("ext4", &[], drive()), "nvme0n1", For, "FUA"),
        (path("xfs", &[], through("write back")), "dm-0", For, "flushes it"),
        (path("xfs", &[], through("write through")), "dm-0", Against, "nvme0n1"),
        (
            path("xfs", &[], vec![device("sda", DeviceKind::Disk, Some("write through"), &[])]),
            "sda",
            Open,
            "somebody wrote that",
        ),
        (
            path("xfs", &[], vec![device("sda", DeviceKind::Disk, None, &[])]),
            "sda",
            Open,
            "does not say",
        ),
        (
            path("xfs", &[], vec![device("ram0", DeviceKind::Memory, None, &[])]),
            "ram0",
            Against,
            "in memory",
        ),
    ] {
        let found = judge(&path, &[]);
        assert_eq!(found.word, DurabilityWord::NotShown, "{path:?}");
        let item = found.evidence.iter().find(|item| item.about == about);
        let item = item.unwrap_or_else(|| panic!("nothing about {about}: {found:?}"));
        assert_eq!(item.leaning, leaning, "{item:?}");
        assert!(item.sentence.contains(part), "{item:?}");
        if leaning == Against {
            let named = found.sentence.contains(about) || found.sentence.contains("in memory");
            assert!(named, "{}", found.sentence);
        }
    }
}

#[test]
fn a_partition_is_passed_through_and_not_asked() {
    let devices = vec![
        device("sda1", DeviceKind::Partition, None, &["sda"]),
        device("sda", DeviceKind::Disk, Some("write back"), &[]),
    ];
    let found = judge(&path("ext4", &[], devices), &[]);
    assert!(found.evidence.iter().all(|item| item.about != "sda1"), "{found:?}");
}

#[test]
fn speed_alone_convicts_nobody() {
    let path = path("ext4", &[], drive());
    for durable_ns in [2_000.0, 50_000.0, 5_000_000.0] {
        for device_flushes in [None, Some(0.0), Some(1.0)] {
            let flush = Some(FlushCost { durable_ns, plain_ns: Some(1500.0), device_flushes });
            let hypervisor = Some("KVM");
            let known = Known { path: &path, host: None, hypervisor, flush, crash_tests: &[] };
            let found = durability(&known);
            assert_eq!(found.word, DurabilityWord::NotShown);
            let of = |about| found.evidence.iter().find(|item| item.about == about).unwrap();
            assert_eq!(of("flush cost").leaning, Leaning::Open);
            assert_eq!(of("hypervisor").leaning, Leaning::Open);
            let fast = of("flush cost").sentence.contains("protected caches");
            assert_eq!(fast, durable_ns < 10_000.0);
        }
    }
}

#[test]
fn only_a_cut_of_this_very_path_decides() {
    use CrashTestOutcome::{Inconclusive, Refuted, Shown};
    let path = path("ext4", &[], drive());
    let (here, there) = ("/wal/crash", "/walther/crash");
    for (tests, word) in [
        (vec![test(here, Shown, true)], DurabilityWord::Shown),
        (vec![test("/dev/nvme0n1", Shown, true)], DurabilityWord::Shown),
        (vec![test(here, Refuted, true)], DurabilityWord::Refuted),
        (vec![test(here, Inconclusive, true)], DurabilityWord::NotShown),
        (vec![test(there, Shown, true)], DurabilityWord::NotShown),
        (vec![test("/dev/nvme1n1", Refuted, true)], DurabilityWord::NotShown),
        (vec![test(here, Refuted, false)], DurabilityWord::NotShown),
        (vec![test(here, Refuted, true), test(here, Shown, true)], DurabilityWord::Refuted),
        (vec![test(here, Shown, true), test(here, Refuted, true)], DurabilityWord::Refuted),
        (vec![test(here, Shown, true), test(here, Inconclusive, true)], DurabilityWord::Shown),
    ] {
        let found = judge(&path, &tests);
        assert_eq!(found.word, word, "{tests:?}");
        let cuts = found.evidence.iter().filter(|item| item.about == "power cut");
        assert_eq!(cuts.count(), tests.len(), "every test is mentioned");
    }
}

#[test]
fn the_same_path_on_another_or_unknown_machine_or_mount_decides_nothing() {
    use CrashTestOutcome::{Refuted, Shown};
    let path = path("ext4", &[], drive());
    for outcome in [Shown, Refuted] {
        for (host, mount_point, part) in [
            (Some("db2"), Some("/wal"), "another machine"),
            (None, Some("/wal"), "not known whether on this machine"),
            (Some("db1"), Some("/"), "another place"),
            (Some("db1"), None, "not known on which file system"),
        ] {
            let (host, mount_point) = (host.map(String::from), mount_point.map(String::from));
            let test = CrashTest { host, mount_point, ..test("/wal/crash", outcome, true) };
            let found = judge(&path, &[test]);
            assert_eq!(found.word, DurabilityWord::NotShown, "{found:?}");
            let item = found.evidence.iter().find(|item| item.about == "power cut").unwrap();
            assert_eq!(item.leaning, Leaning::Open);
            assert!(item.sentence.contains(part), "{item:?}");
        }
    }
    let test = test("/wal/crash", Shown, true);
    let (path, tests) = (&path, &[test]);
    let known = Known { path, host: None, hypervisor: None, flush: None, crash_tests: tests };
    assert_eq!(durability(&known).word, DurabilityWord::NotShown);
}
