//! From evidence to one of three words: tables.

use narrows_model::{
    BlockDevice, CrashTest, CrashTestOutcome, DeviceKind, DriveCache, Durability, DurabilityWord,
    FileSystem, Finding, Layer, Leaning, Measurement, Plan, Platform, Queue, Role, RolePath, Run,
    Severity,
};
use narrows_validity::durability::{FlushCost, Identity, Known, durability, of_run};

fn device(name: &str, kind: DeviceKind, cache: Option<&str>, slaves: &[&str]) -> BlockDevice {
    BlockDevice {
        name: name.to_string(),
        number: "8:0".to_string(),
        kind,
        level: None,
        model: None,
        transport: Some("sata".to_string()).filter(|_| kind == DeviceKind::Disk),
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
    drive_named("nvme0n1")
}

fn drive_named(name: &str) -> Vec<BlockDevice> {
    vec![device(name, DeviceKind::Disk, Some("write back"), &[])]
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
        told: None,
        host: Some("db1".to_string()),
        machine: Some("m1".to_string()),
        boot_id: Some("after".to_string()),
        mount_point: target
            .rsplit_once('/')
            .map(|(folder, _)| folder.to_string())
            .filter(|f| f != "/dev"),
    }
}

/// Examined in a later boot than that of the tests' checks.
const DB1: Identity<'_> =
    Identity { host: Some("db1"), machine: Some("m1"), boot_id: Some("later") };

fn judge_at(machine: Identity<'_>, path: &RolePath, tests: &[CrashTest]) -> Durability {
    durability(&Known {
        path,
        machine,
        hypervisor: None,
        flush: None,
        unflushed: None,
        crash_tests: tests,
    })
}

fn judge(path: &RolePath, tests: &[CrashTest]) -> Durability {
    judge_at(DB1, path, tests)
}

#[test]
fn memory_behind_a_device_is_not_durable_by_construction() {
    let looped = BlockDevice {
        transport: Some("memory (tmpfs)".to_string()),
        ..device("loop0", DeviceKind::Loop, Some("write back"), &[])
    };
    let found = judge(&path("ext4", &["rw"], vec![looped]), &[]);
    assert_eq!(found.word, DurabilityWord::NotShown);
    assert_eq!(
        found.sentence,
        "not durable by construction: loop0 serves a file in memory (tmpfs)"
    );
    let of_loop = found.evidence.iter().find(|item| item.about == "loop0").expect("it is listed");
    assert_eq!(of_loop.leaning, Leaning::Against, "{of_loop:?}");
}

#[test]
fn in_a_virtual_machine_a_volatile_cache_speaks_for_nothing() {
    let path = path("ext4", &["rw"], drive());
    let judged = |hypervisor| {
        let known = Known {
            path: &path,
            machine: DB1,
            hypervisor,
            flush: None,
            unflushed: None,
            crash_tests: &[],
        };
        let evidence = durability(&known).evidence;
        evidence.into_iter().find(|item| item.about == "nvme0n1").expect("it is listed")
    };
    assert_eq!(judged(None).leaning, Leaning::For);
    let inside = judged(Some("KVM"));
    assert_eq!(inside.leaning, Leaning::Open);
    assert!(inside.sentence.contains("whether KVM passes a flush on"), "{}", inside.sentence);
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
        (path("xfs", &["dax=always"], drive()), "file system", Open, "CPU caches"),
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
            "does not report it, or a changed",
        ),
        (
            path("xfs", &[], vec![device("sda", DeviceKind::Disk, None, &[])]),
            "sda",
            Open,
            "does not report",
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
            let machine = Identity::default();
            let known = Known {
                path: &path,
                machine,
                hypervisor,
                flush,
                unflushed: None,
                crash_tests: &[],
            };
            let found = durability(&known);
            assert_eq!(found.word, DurabilityWord::NotShown);
            let of = |about| found.evidence.iter().find(|item| item.about == about).unwrap();
            assert_eq!(of("flush cost").leaning, Leaning::Open);
            assert_eq!(of("hypervisor").leaning, Leaning::Open);
            let fast = of("flush cost").sentence.contains("power-loss protection");
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
            (None, Some("/wal"), "on an unknown machine"),
            (Some("db1"), Some("/"), "another place"),
            (Some("db1"), None, "on an unknown file system"),
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
    assert_eq!(judge_at(Identity::default(), &path, &[test]).word, DurabilityWord::NotShown);
}

#[test]
fn a_machine_is_known_by_more_than_its_name() {
    let path = path("ext4", &[], drive());
    let test = test("/wal/crash", CrashTestOutcome::Shown, true);
    let word = |machine, boot_id, test: &CrashTest| {
        let here = Identity { host: Some("db1"), machine, boot_id };
        let found = judge_at(here, &path, std::slice::from_ref(test));
        (found.word, found.evidence.last().unwrap().sentence.clone())
    };
    assert_eq!(word(Some("m1"), None, &test).0, DurabilityWord::Shown);
    // No machine id, but still in the boot in which the records were looked for.
    assert_eq!(word(None, Some("after"), &test).0, DurabilityWord::Shown);
    let (seen, text) = word(Some("m2"), Some("later"), &test);
    assert_eq!(seen, DurabilityWord::NotShown);
    assert!(text.contains("called db1 too"), "{text}");
    let (seen, text) = word(None, Some("later"), &test);
    assert_eq!(seen, DurabilityWord::NotShown);
    assert!(text.contains("only its name"), "{text}");
    let nameless = CrashTest { machine: None, boot_id: None, ..test };
    assert_eq!(word(Some("m1"), Some("later"), &nameless).0, DurabilityWord::NotShown);
}

#[test]
fn a_boot_of_this_machine_shows_nothing_of_a_drive_in_another() {
    use CrashTestOutcome::{Refuted, Shown};
    let away = |transport: &str| {
        let mut sdb = device("sdb", DeviceKind::Disk, Some("write back"), &[]);
        sdb.transport = Some(transport.to_string());
        let dm = device("dm-0", DeviceKind::Mapper, Some("write back"), &["sda", "sdb"]);
        path("xfs", &[], [vec![dm], drive_named("sda"), vec![sdb]].concat())
    };
    for transport in ["iscsi", "nvme (tcp)", "network (nbd)", "network (rbd)", "network (drbd)"] {
        let path = away(transport);
        let found = judge(&path, &[]);
        let item = found.evidence.iter().find(|item| item.sentence.contains("its own power"));
        let item = item.unwrap_or_else(|| panic!("{transport}: {found:?}"));
        assert_eq!((item.about.as_str(), item.leaning), ("sdb", Leaning::Open));
        assert!(item.sentence.contains(transport), "{item:?}");
        assert!(found.sentence.contains("machine that has the drive"), "{}", found.sentence);
        for outcome in [Shown, Refuted] {
            let booted = test("/wal/crash", outcome, true);
            let found = judge(&path, std::slice::from_ref(&booted));
            assert_eq!(found.word, DurabilityWord::NotShown, "{found:?}");
            let told = CrashTest { told: Some("the array's plug".to_string()), ..booted };
            let found = judge(&path, &[told]);
            assert_ne!(found.word, DurabilityWord::NotShown, "{found:?}");
            let item = found.evidence.last().unwrap();
            assert!(item.sentence.contains("the array's plug"), "{item:?}");
            if outcome == Shown {
                assert!(found.sentence.contains("according to the person"), "{}", found.sentence);
            }
        }
    }
    assert!(!judge(&away("sata"), &[]).sentence.contains("machine that has"));
    assert_eq!(
        judge(&away("sata"), &[test("/wal/crash", Shown, true)]).word,
        DurabilityWord::Shown
    );
}

#[test]
fn ending_a_guest_cuts_no_drive() {
    let path = path("ext4", &[], drive());
    let tests = [test("/wal/crash", CrashTestOutcome::Shown, true)];
    let hypervisor = Some("KVM");
    let known = Known {
        path: &path,
        machine: DB1,
        hypervisor,
        flush: None,
        unflushed: None,
        crash_tests: &tests,
    };
    let found = durability(&known);
    assert_eq!(found.word, DurabilityWord::NotShown);
    let item = found.evidence.iter().find(|item| item.about == "hypervisor").unwrap();
    assert!(item.sentence.contains("its host"), "{item:?}");
}

#[test]
fn a_drive_that_contradicts_the_kernel_speaks_against_itself() {
    let says = |kernel: &str, volatile| {
        let mut sda = device("sda", DeviceKind::Disk, Some(kernel), &[]);
        let cache = DriveCache { volatile, says: "cache_type \"x\"".to_string() };
        sda.queue.as_mut().unwrap().drive_cache = Some(cache);
        let lv = device("dm-0", DeviceKind::Mapper, Some("write back"), &["sda1"]);
        let part = device("sda1", DeviceKind::Partition, None, &["sda"]);
        judge(&path("xfs", &[], vec![lv, part, sda]), &[])
    };
    let of = |found: &Durability| {
        let found = found.evidence.iter().find(|item| item.about == "sda").unwrap().clone();
        (found.leaning, found.sentence)
    };
    let (leaning, text) = of(&says("write through", true));
    assert_eq!(leaning, Leaning::Against, "{text}");
    assert!(text.contains("cache_type \"x\""), "{text}");
    let (leaning, text) = of(&says("write through", false));
    assert_eq!(leaning, Leaning::Open, "{text}");
    assert!(text.contains("reports"), "{text}");
    assert_eq!(of(&says("write back", true)).0, Leaning::For);
}

#[test]
fn a_server_whose_flushes_no_drive_saw_speaks_against_its_path() {
    let path = path("ext4", &[], drive());
    let found = Finding {
        id: "live-not-flushed".into(),
        severity: Severity::Suspect,
        measurement: Some("log.live".into()),
        summary: "WAL flushes that the server counted did not reach its drives".into(),
        evidence: "7 against 230,000".into(),
        advice: "Look for LD_PRELOAD".into(),
        places: Vec::new(),
    };
    let machine = DB1;
    let mut run =
        Run::blank(Plan::default(), Platform { roles: vec![path.clone()], ..Platform::default() });
    run.measurements.push(Measurement::new("log.live", Layer::Log));
    let of = |run: &Run| of_run(run).remove(0);
    assert!(of(&run).sentence.starts_with("not tested, no warning signs"), "{:?}", of(&run));
    run.findings.push(Finding { id: "live-full-pages-dominate".into(), ..found.clone() });
    assert!(of(&run).sentence.starts_with("not tested, no warning signs"), "{:?}", of(&run));
    run.findings.push(found.clone());
    assert!(of(&run).sentence.starts_with("the server speaks against it"), "{:?}", of(&run));
    let known = Known {
        path: &path,
        machine,
        hypervisor: None,
        flush: None,
        unflushed: Some(&found),
        crash_tests: &[],
    };
    let said = durability(&known);
    assert!(
        said.evidence.iter().any(|item| item.sentence.contains("7 against 230,000")),
        "{said:?}"
    );
}
