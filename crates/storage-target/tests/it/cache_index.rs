//! A cache after a restart: warm where the target before ended in order, cold in every other case, and never old.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use narrows_io::{DevicePath, Op};

use crate::data::{one, path_to, pattern};
use crate::program::{Program, logged, make_log};

/// Longest wait for what surely comes.
const PATIENCE: Duration = Duration::from_secs(60);
const MIB: u64 = 1 << 20;

/// A file of 4 MiB with a cache as large, whose index is beside it.
struct Disk {
    folder: tempfile::TempDir,
    file: PathBuf,
    namespace: String,
}

impl Disk {
    fn new(with_log: bool) -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let file = at("disk");
        std::fs::write(&file, pattern(1, 4 << 20)).unwrap();
        let mut namespace = file.display().to_string();
        if with_log {
            make_log(&file, &[at("log")], &[]);
            namespace = logged(&file, &[at("log")]);
        }
        namespace += &format!(",cache=ram:4MiB,cache-index={}", at("index").display());
        Disk { file, namespace, folder }
    }

    fn at(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn serve(&self) -> Program {
        let (metrics, control) = (self.at("metrics"), self.at("control"));
        Program::serving(&[&self.namespace], &["--metrics", &metrics, "--control", &control])
    }

    /// The cache as `tier list` shows it, as JSON and as text, once nothing is read again any more.
    fn cache(&self) -> (serde_json::Value, String) {
        let control = self.at("control");
        let begun = Instant::now();
        loop {
            let list: serde_json::Value =
                serde_json::from_str(&tier(&["list", "--json", "--control", &control])).unwrap();
            let cache = list["namespaces"][0]["cache"].clone();
            if cache["index"]["state"] != "warming" {
                return (cache, tier(&["list", "--control", &control]));
            }
            assert!(begun.elapsed() < PATIENCE, "{cache}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn figure(&self, name: &str) -> u64 {
        let text = std::fs::read_to_string(self.at("metrics")).unwrap();
        let start = format!("narrows_target_{name}{{");
        let line = text.lines().find(|line| line.starts_with(&start));
        line.and_then(|line| line.rsplit_once(' ')).unwrap().1.parse().unwrap()
    }
}

fn tier(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows-target"));
    let output = command.arg("tier").args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Reads some of what a target serves.
fn read(program: &Program, offset: u64, bytes: u32) -> Vec<u8> {
    let mut path = path_to(program, "");
    assert_eq!(one(&mut path, Op::Read, offset, bytes), bytes as i32);
    path.buffer(0)[..bytes as usize].to_vec()
}

fn write(program: &Program, offset: u64, data: &[u8]) {
    let mut path = path_to(program, "");
    path.buffer(0)[..data.len()].copy_from_slice(data);
    assert_eq!(one(&mut path, Op::Write, offset, data.len() as u32), data.len() as i32);
}

/// What a file has from an offset on.
fn of_file(file: &Path, offset: u64, bytes: usize) -> Vec<u8> {
    std::fs::read(file).unwrap()[offset as usize..][..bytes].to_vec()
}

fn warm_after_an_end_in_order(disk: &Disk) {
    let program = disk.serve();
    let (cache, text) = disk.cache();
    assert_eq!(cache["index"]["state"], "cold");
    assert!(text.contains("index: cold, because nothing was saved yet"), "{text}");
    read(&program, MIB, 1 << 20);
    // What was written since it was read comes back as it was written.
    write(&program, MIB + 4096, &pattern(7, 8192));
    program.stop();
    let expected = of_file(&disk.file, MIB, 1 << 20);
    assert_eq!(expected[4096..12_288], pattern(7, 8192));
    for _ in 0..2 {
        let program = disk.serve();
        let (cache, text) = disk.cache();
        let (index, of) = (&cache["index"], |value: &serde_json::Value| value.as_u64().unwrap());
        assert_eq!((index["state"].as_str(), of(&cache["used_bytes"])), (Some("warm"), MIB));
        assert_eq!((of(&index["named_pages"]), of(&index["warmed_pages"])), (256, 256));
        assert_eq!((of(&cache["hits"]), of(&cache["misses"])), (0, 0), "no host asked");
        assert!(text.contains("index: warm; 256 of 256 pages are there again"), "{text}");
        assert!(read(&program, MIB, 1 << 20) == expected);
        program.stop();
        let names = ["cache_hit_pages_total", "cache_miss_pages_total", "cache_index_pages"];
        assert_eq!(names.map(|name| disk.figure(name)), [256, 0, 256]);
        assert_eq!(
            (disk.figure("cache_warmed_pages_total"), disk.figure("cache_warming")),
            (256, 0)
        );
    }
}

#[test]
fn a_cache_is_warm_after_an_end_in_order() {
    warm_after_an_end_in_order(&Disk::new(false));
}

#[test]
fn so_is_one_in_front_of_a_log() {
    warm_after_an_end_in_order(&Disk::new(true));
}

#[test]
fn a_cache_is_cold_after_a_kill_and_shows_what_was_written_last() {
    for with_log in [false, true] {
        let disk = Disk::new(with_log);
        let program = disk.serve();
        read(&program, MIB, 1 << 20);
        program.stop();
        // The index is of this end, and the target after it writes and is killed.
        let program = disk.serve();
        assert_eq!(disk.cache().0["index"]["state"], "warm");
        write(&program, MIB, &pattern(9, 65_536));
        program.signal(libc::SIGKILL);
        drop(program);
        let program = disk.serve();
        let (cache, text) = disk.cache();
        assert_eq!((&cache["index"]["state"], &cache["used_bytes"]), (&"cold".into(), &0.into()));
        assert!(text.contains("because the target before did not end in order"), "{text}");
        assert!(read(&program, MIB, 65_536) == pattern(9, 65_536));
        program.stop();
        // From here on it is as ever.
        let program = disk.serve();
        assert_eq!(disk.cache().0["index"]["named_pages"], 16);
        assert!(read(&program, MIB, 65_536) == pattern(9, 65_536));
        program.stop();
    }
}

#[test]
fn a_cache_is_cold_where_its_file_was_changed_meanwhile() {
    for with_log in [false, true] {
        let disk = Disk::new(with_log);
        let program = disk.serve();
        read(&program, 0, 1 << 20);
        program.stop();
        let mut changed = std::fs::read(&disk.file).unwrap();
        changed[4096..8192].fill(3);
        std::fs::write(&disk.file, &changed).unwrap();
        let program = disk.serve();
        let (cache, text) = disk.cache();
        assert_eq!((&cache["index"]["state"], &cache["used_bytes"]), (&"cold".into(), &0.into()));
        assert!(text.contains("because what is cached was changed since"), "{text}");
        assert!(read(&program, 0, 65_536) == changed[..65_536]);
        program.stop();
    }
}

#[test]
fn hosts_are_served_while_a_cache_is_warmed() {
    let disk = Disk::new(false);
    let program = disk.serve();
    for at in 0..4 {
        read(&program, at * MIB, 1 << 20);
    }
    program.stop();
    let program = disk.serve();
    // Whatever of it is there already, what is written now is read from now on.
    for (at, seed) in (0..4u8).zip(10..) {
        let (offset, data) = (u64::from(at) * MIB + 8192, pattern(seed, 4096));
        write(&program, offset, &data);
        assert!(read(&program, offset, 4096) == data);
    }
    assert_eq!(disk.cache().0["index"]["state"], "warm");
    for (at, seed) in (0..4u8).zip(10..) {
        assert!(read(&program, u64::from(at) * MIB + 8192, 4096) == pattern(seed, 4096));
    }
    let content = std::fs::read(&disk.file).unwrap();
    for at in 0..4 {
        assert!(read(&program, at * MIB, 1 << 20) == content[(at * MIB) as usize..][..1 << 20]);
    }
    program.stop();
}
