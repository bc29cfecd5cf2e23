//! This machine, against the same facts read another way.

use std::path::Path;
use std::process::Command;

use narrows_facts::{Live, Recorder, Replay, parse_cpu_list};
use narrows_model::{Platform, Role};

fn discover() -> Platform {
    narrows_platform::discover(&Live, &[(Role::Data, Path::new("."))])
}

fn output(command: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(command).args(arguments).env("LC_ALL", "C").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

#[test]
fn a_recorded_machine_is_the_machine() {
    let here = std::env::current_dir().unwrap();
    let roles = [(Role::Data, here.as_path()), (Role::Wal, Path::new("/no/such/folder"))];
    let recorder = Recorder::new(&Live);
    let live = narrows_platform::discover(&recorder, &roles);
    let replay = Replay::new(recorder.finish());
    assert_eq!(narrows_platform::discover(&replay, &roles), live);
    // Whatever discovery reads goes through the source.
    assert_eq!(replay.unasked().into_iter().collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn processors_are_those_lscpu_counts() {
    let cpu = discover().cpu;
    assert_eq!(cpu.threads as usize, cpu.online.len());
    assert!(!cpu.allowed.is_empty() && cpu.allowed.iter().all(|id| cpu.online.contains(id)));
    let available = std::thread::available_parallelism().unwrap().get();
    // The standard library also looks at the quota.
    assert!(available <= cpu.allowed.len());
    let mut threads = cpu.cores_threads.concat();
    threads.sort_unstable();
    assert_eq!(threads, cpu.online);
    // One line per on-line thread: cpu, core, socket.
    let Some(text) = output("lscpu", &["-p=CPU,CORE,SOCKET"]) else {
        eprintln!("SKIPPED: no lscpu to compare with");
        return;
    };
    let column = |index: usize| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut values: Vec<u32> =
            lines.filter_map(|line| line.split(',').nth(index)?.parse().ok()).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    assert_eq!(cpu.online, column(0));
    assert_eq!(cpu.cores as usize, column(1).len());
    assert_eq!(cpu.sockets as usize, column(2).len());
}

#[test]
fn caches_are_those_lscpu_lists() {
    let caches = discover().caches;
    let Some(text) = output("lscpu", &["--bytes", "-C=LEVEL,TYPE,ONE-SIZE,ALL-SIZE"]) else {
        eprintln!("SKIPPED: this lscpu lists no caches");
        return;
    };
    for line in text.lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [level, kind, one, all] = words.as_slice() else { continue };
        let of_kind = caches.iter().filter(|cache| {
            cache.level.to_string() == *level && cache.kind.eq_ignore_ascii_case(kind)
        });
        let sum: u64 = of_kind.clone().map(|c| c.size_bytes * u64::from(c.instances)).sum();
        assert_eq!(sum.to_string(), *all, "{line}");
        assert!(of_kind.clone().any(|cache| cache.size_bytes.to_string() == *one), "{line}");
    }
}

#[test]
fn the_path_is_the_one_findmnt_and_lsblk_show() {
    let platform = discover();
    let path = &platform.roles[0];
    assert!(Path::new(&path.path).is_absolute());
    if let Some(text) = output("findmnt", &["-n", "-o", "FSTYPE,TARGET,MAJ:MIN", "-T", "."]) {
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words[0], path.file_system.kind);
        assert_eq!(words[1], path.file_system.mount_point);
        if let Some(first) = path.devices.first().filter(|_| !path.file_system.overlay) {
            assert_eq!(words[2], first.number);
        }
    } else {
        eprintln!("SKIPPED: no findmnt to compare with");
    }
    let Some(first) = path.devices.first() else {
        let what = format!("drives under {}", path.file_system.mount_point);
        let said = platform.unknown.iter().any(|unknown| unknown.what == what);
        assert!(said || path.file_system.volatile, "no device and no reason");
        return;
    };
    assert!(path.drives().count() > 0);
    let device = format!("/dev/{}", first.name);
    let Some(text) = output("lsblk", &["-s", "-n", "-l", "-o", "NAME", &device]) else {
        eprintln!("SKIPPED: lsblk can't open {device}");
        return;
    };
    let mut wanted: Vec<&str> = text.split_whitespace().collect();
    let mut found: Vec<&str> = path.devices.iter().map(|device| device.name.as_str()).collect();
    // lsblk names device-mapper devices by their own name, and lists a drive once per path to it.
    if path.devices.iter().any(|device| device.name.starts_with("dm-")) {
        eprintln!("SKIPPED: device-mapper names differ");
        return;
    }
    wanted.sort_unstable();
    wanted.dedup();
    found.sort_unstable();
    assert_eq!(found, wanted);
}

#[test]
fn memory_and_nodes_add_up() {
    let platform = discover();
    let text = std::fs::read_to_string("/proc/meminfo").unwrap();
    let kib: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert_eq!(platform.memory.total_bytes, kib * 1024);
    let of_nodes: Vec<u32> = platform.nodes.iter().flat_map(|node| node.cpus.clone()).collect();
    assert_eq!(of_nodes.len(), platform.cpu.online.len(), "each processor in one node");
    if let Ok(text) = std::fs::read_to_string("/sys/devices/system/node/online") {
        let listed = parse_cpu_list(&text);
        assert!(platform.nodes.iter().all(|node| listed.contains(&node.id)));
    }
}

#[test]
fn nothing_unknown_is_said_twice_or_without_a_way_out() {
    let mut unknown = discover().unknown;
    let count = unknown.len();
    assert!(unknown.iter().all(|entry| !entry.what.is_empty() && !entry.needs.is_empty()));
    unknown.sort_by(|a, b| a.what.cmp(&b.what));
    unknown.dedup_by(|a, b| a.what == b.what);
    assert_eq!(unknown.len(), count);
}
