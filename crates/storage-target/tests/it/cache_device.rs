//! A file with a cache on another in front: what is read is what was written, whatever becomes of the cache.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use narrows_initiator::NvmeTcpPath;
use narrows_io::{DevicePath, Op};

use crate::cached::figure;
use crate::data::{hold_against_a_copy, one, path_to, pattern};
use crate::program::{
    NQN, Program, cache_command, logged, make_cache, make_log, refusal, tier_command,
};

/// Longest wait for what surely comes.
const PATIENCE: Duration = Duration::from_secs(60);
/// Where the pages of a cache begin.
const HEAD: u64 = 1 << 20;

/// A file, and a cache with room for so many bytes for it.
struct Disk {
    _folder: tempfile::TempDir,
    file: PathBuf,
    cache: PathBuf,
    control: PathBuf,
    metrics: PathBuf,
}

impl Disk {
    fn new(content: &[u8], room: u64) -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let (file, cache) = (at("disk"), at("cache"));
        std::fs::write(&file, content).unwrap();
        make_cache(&cache, room);
        Disk { file, cache, control: at("control"), metrics: at("metrics"), _folder: folder }
    }

    fn namespace(&self) -> String {
        format!("{},cache={}", self.file.display(), self.cache.display())
    }

    fn serve(&self, namespace: &str) -> Program {
        let (control, metrics) = (self.control.to_str().unwrap(), self.metrics.to_str().unwrap());
        Program::serving(&[namespace], &["--control", control, "--metrics", metrics])
    }

    /// What `tier list` has of the cache.
    fn listed(&self) -> serde_json::Value {
        let control = self.control.to_str().unwrap();
        let (json, code) = tier_command(&["list", "--json", "--control", control]);
        assert_eq!(code, Some(0), "{json}");
        let list: serde_json::Value = serde_json::from_str(&json).unwrap();
        list["namespaces"][0]["cache"].clone()
    }

    /// Waits until all that was read is on the cache's file.
    fn settle(&self) {
        let begun = Instant::now();
        while self.listed()["device"]["waiting_pages"] != 0 {
            assert!(begun.elapsed() < PATIENCE, "{}", self.listed());
        }
    }
}

/// Reads, and holds what came against what the file was filled with.
fn read_right(path: &mut NvmeTcpPath, content: &[u8], at: u64, bytes: u32) {
    assert_eq!(one(path, Op::Read, at, bytes), bytes as i32, "{bytes} at {at}");
    let expected = &content[at as usize..at as usize + bytes as usize];
    assert!(path.buffer(0)[..bytes as usize] == *expected, "{bytes} at {at}");
}

#[test]
fn a_file_with_a_cache_on_another_is_as_it_was_written_and_metrics_say_what_the_cache_did() {
    // Less than the file in one shard; more than the file in several.
    for room in [2 << 20, 64 << 20] {
        let disk = Disk::new(&vec![0; 16 << 20], room);
        let program = disk.serve(&disk.namespace());
        let mut path = path_to(&program, "digest=data");
        assert_eq!(one(&mut path, Op::Trim, 0, 16 << 20), 0);
        hold_against_a_copy(&mut path, 16 << 20, 40);
        disk.settle();
        hold_against_a_copy_again(&disk, &mut path);
        drop(path);
        program.stop();
        let text = std::fs::read_to_string(&disk.metrics).unwrap();
        for name in ["hit", "miss", "admitted", "invalidated"] {
            assert!(figure(&text, &format!("cache_{name}_pages_total")) > 0, "{name}: {text}");
        }
        assert_eq!(figure(&text, "cache_pages"), room / 4096);
        assert!(figure(&text, "cache_device_written_bytes_total") > 0, "{text}");
        for name in ["off", "wrong_pages_total", "errors_total", "waiting_pages"] {
            assert_eq!(figure(&text, &format!("cache_device_{name}")), 0, "{name}: {text}");
        }
    }
}

/// Twice what the file has, the second time with what of it the cache took.
fn hold_against_a_copy_again(disk: &Disk, path: &mut NvmeTcpPath) {
    let content = std::fs::read(&disk.file).unwrap();
    for _ in 0..2 {
        for at in (0..1u64 << 20).step_by(64 << 10) {
            read_right(path, &content, at + 512, 4608);
            read_right(path, &content, at, 64 << 10);
        }
        disk.settle();
    }
    assert!(disk.listed()["hits"].as_u64().unwrap() >= 16, "{}", disk.listed());
}

#[test]
fn a_cached_page_is_answered_without_the_file_until_the_file_is_looked_at_again() {
    let content = pattern(3, 1 << 20);
    let disk = Disk::new(&content, 1 << 20);
    let program = disk.serve(&disk.namespace());
    let mut path = path_to(&program, "");
    read_right(&mut path, &content, 8192, 65_536);
    disk.settle();
    // The file ends before these pages now: only the cache has them.
    let cut = OpenOptions::new().write(true).open(&disk.file).unwrap();
    cut.set_len(4096).unwrap();
    for (at, bytes) in [(12_288, 4096), (8192, 65_536), (12_800, 512), (9728, 20_480)] {
        read_right(&mut path, &content, at, bytes);
    }
    assert_eq!(one(&mut path, Op::Read, 512 << 10, 4096), -libc::EIO);
    // The size is looked at again: nothing is left of what was before.
    cut.set_len(2 << 20).unwrap();
    program.signal(libc::SIGHUP);
    program.line_with("sizes-changed");
    read_right(&mut path, &[0; 16_384], 12_288, 4096);
    program.stop();
}

#[test]
fn nothing_of_a_cache_is_believed_after_a_start_and_a_log_may_lie_between() {
    let content = pattern(1, 1 << 20);
    let disk = Disk::new(&content, 1 << 20);
    let media = [disk.file.with_file_name("log")];
    for (round, kill) in [(1, false), (2, true), (3, false)] {
        let mut namespace = disk.namespace();
        if round == 3 {
            make_log(&disk.file, &media, &[]);
            namespace = format!("{},cache={}", logged(&disk.file, &media), disk.cache.display());
        }
        let program = disk.serve(&namespace);
        let mut path = path_to(&program, "");
        let mut content = pattern(round, 1 << 20);
        for _ in 0..2 {
            read_right(&mut path, &content, 0, 65_536);
            disk.settle();
        }
        assert_eq!(disk.listed()["hits"], 16, "cold at first, warm then");
        path.buffer(0)[..512].fill(9);
        content[512..1024].fill(9);
        assert_eq!(one(&mut path, Op::Write, 512, 512), 512);
        read_right(&mut path, &content, 0, 4096);
        drop(path);
        if kill {
            drop(program);
        } else {
            program.stop();
        }
        assert!(std::fs::read(&disk.file).unwrap() == content);
        // Changed while the target was away.
        std::fs::write(&disk.file, pattern(round + 1, 1 << 20)).unwrap();
    }
}

#[test]
fn a_cache_that_is_overwritten_from_outside_costs_time_and_is_off_at_last() {
    let content = pattern(5, 1 << 20);
    let disk = Disk::new(&content, 1 << 20);
    let program = disk.serve(&disk.namespace());
    let mut path = path_to(&program, "");
    read_right(&mut path, &content, 0, 1 << 20);
    disk.settle();
    let cache = OpenOptions::new().write(true).open(&disk.cache).unwrap();
    cache.write_all_at(&pattern(6, 1 << 20), HEAD).unwrap();
    cache.sync_all().unwrap();
    for page in 0..256 {
        read_right(&mut path, &content, page * 4096, 4096);
    }
    program.line_with("cache-off");
    let listed = disk.listed();
    let device = &listed["device"];
    assert_eq!((device["state"].as_str(), device["wrong_pages"].as_u64()), (Some("off"), Some(16)));
    assert!(device["reason"].as_str().unwrap().starts_with("wrong: 16 pages"), "{listed}");
    assert_eq!(listed["used_bytes"], 0);
    let control = disk.control.to_str().unwrap();
    let (text, _) = tier_command(&["list", "--control", control]);
    assert!(text.contains(": off, wrong: 16 pages") && text.contains("16 were wrong"), "{text}");
    read_right(&mut path, &content, 0, 1 << 20);
    drop(path);
    program.stop();
    let text = std::fs::read_to_string(&disk.metrics).unwrap();
    assert_eq!(figure(&text, "cache_device_off"), 1);
}

#[test]
fn a_cache_that_was_cut_is_off_and_no_read_fails() {
    let content = pattern(7, 1 << 20);
    let disk = Disk::new(&content, 1 << 20);
    let program = disk.serve(&disk.namespace());
    let mut path = path_to(&program, "");
    read_right(&mut path, &content, 0, 1 << 20);
    disk.settle();
    OpenOptions::new().write(true).open(&disk.cache).unwrap().set_len(HEAD).unwrap();
    read_right(&mut path, &content, 0, 1 << 20);
    let line = program.line_with("cache-off");
    assert!(line.contains("failed: a read: it is shorter than it was"), "{line}");
    read_right(&mut path, &content, 4096, 8192);
    assert_eq!(disk.listed()["device"]["state"], "off");
    drop(path);
    program.stop();
}

#[test]
fn a_cache_is_listed_evicted_and_not_resized() {
    let content = pattern(8, 1 << 20);
    let disk = Disk::new(&content, 2 << 20);
    let ranges = "cache-keep=0+64KiB,cache-recycle=512KiB+64KiB";
    let program = disk.serve(&format!("{},{ranges}", disk.namespace()));
    assert!(program.said_before_listening("kind=file"));
    let mut path = path_to(&program, "");
    for _ in 0..2 {
        read_right(&mut path, &content, 0, 8192);
        disk.settle();
    }
    let listed = disk.listed();
    let device = &listed["device"];
    assert_eq!((device["state"].as_str(), device["kind"].as_str()), (Some("on"), Some("file")));
    assert_eq!(device["written_bytes"], 8192);
    assert_eq!(listed["ranges"][1]["used_bytes"], 8192);
    let counts = ["hits", "misses", "used_bytes", "capacity_bytes"].map(|key| listed[key].clone());
    assert_eq!(counts, [2, 2, 8192, 2 << 20]);
    let control = disk.control.to_str().unwrap();
    let (text, _) = tier_command(&["list", "--control", control]);
    for words in [
        "cache  8.0 KiB of 2.0 MiB used",
        &format!("         on file {}: on\n", disk.cache.display()),
        "8.0 KiB written to it, 0.0 times its size",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let (said, code) = tier_command(&["resize", "--size", "1MiB", "--control", control]);
    assert!(
        code == Some(2) && said.contains("is as large as") && said.contains("hint: "),
        "{said}"
    );
    let (said, code) = tier_command(&["evict", "--control", control]);
    assert!(code == Some(0) && said.contains("2 pages evicted"), "{said}");
    assert_eq!(disk.listed()["used_bytes"], 0);
    read_right(&mut path, &content, 0, 8192);
    drop(path);
    program.stop();
}

/// What the target says to a namespace that it doesn't serve.
fn refused(namespace: &str) -> String {
    let more = ["--namespace", namespace, "--listen", "127.0.0.1:0"];
    let arguments = ["--subsystem", NQN, "--allow-any-host"].into_iter().chain(more);
    let (said, code) = refusal(&arguments.collect::<Vec<_>>());
    assert_eq!(code, Some(2), "{said}");
    said
}

#[test]
fn only_what_was_made_a_cache_is_one_and_it_is_one_namespace_s_alone() {
    let disk = Disk::new(&[0; 1 << 20], 1 << 20);
    let at = |name: &str| disk.file.with_file_name(name);
    let with = |cache: &Path| format!("{},cache={}", disk.file.display(), cache.display());
    let sized = |name: &str, bytes: u64| {
        File::create(at(name)).unwrap().set_len(bytes).unwrap();
        at(name)
    };
    // Something else, and too little.
    let said = refused(&with(&sized("empty", 4 << 20)));
    assert!(said.contains("holds something else") && said.contains("cache make"), "{said}");
    assert!(refused(&with(&sized("small", 4096))).contains("holds something else"));
    let small = sized("small", HEAD + 4096);
    let (said, code) = cache_command(&["make", small.to_str().unwrap()]);
    assert!(code == Some(2) && said.contains("a cache needs 1310720"), "{said}");
    // Written to since, wherever file systems begin.
    let spoilt = sized("spoilt", 0);
    make_cache(&spoilt, 1 << 20);
    let file = OpenOptions::new().write(true).open(&spoilt).unwrap();
    file.write_all_at(b"_BHRfS_M", 0x1_0040).unwrap();
    drop(file);
    assert!(refused(&with(&spoilt)).contains("something else was written to its first mebibyte"));
    let (said, code) = cache_command(&["make", spoilt.to_str().unwrap()]);
    assert!(code == Some(2) && said.contains("holds something, at byte 0"), "{said}");
    // Somebody's data are no cache.
    let mine = at("mine");
    let mut content = vec![0; 4 << 20];
    content[(3 << 20) + 5] = 1;
    std::fs::write(&mine, &content).unwrap();
    let (said, code) = cache_command(&["make", mine.to_str().unwrap()]);
    assert!(code == Some(2) && said.contains("at byte 3145733, and is no cache"), "{said}");
    assert!(std::fs::read(&mine).unwrap() == content);
    // The same twice, and what is a cache is nothing else.
    assert!(refused(&with(&disk.file)).contains("it is named twice"));
    let cache = disk.cache.to_str().unwrap();
    assert!(refused(cache).contains("it is the cache "));
    // A host may have written that.
    disk.serve(&format!("{cache},contents=keep")).stop();
    let keep = format!("{},cache-keep=0+2MiB", disk.namespace());
    assert!(refused(&keep).contains("quotas of 512 slots in a cache of 256"));
    let program = disk.serve(&disk.namespace());
    let other = at("other");
    std::fs::write(&other, [0; 4096]).unwrap();
    let said = refused(&format!("{},cache={}", other.display(), disk.cache.display()));
    assert!(said.contains("open for writing"), "{said}");
    program.stop();
}

#[test]
fn a_cache_is_made_again_and_dropped() {
    let content = pattern(9, 1 << 20);
    let disk = Disk::new(&content, 1 << 20);
    let program = disk.serve(&disk.namespace());
    let mut path = path_to(&program, "");
    read_right(&mut path, &content, 0, 1 << 20);
    disk.settle();
    drop(path);
    program.stop();
    let cache = disk.cache.to_str().unwrap();
    let (said, code) = cache_command(&["make", cache]);
    assert!(
        code == Some(0) && said.contains("which goes") && said.contains("serve it: "),
        "{said}"
    );
    let (said, code) = cache_command(&["drop", cache]);
    assert!(code == Some(0) && said.contains("is gone"), "{said}");
    assert!(refused(&disk.namespace()).contains("holds something else"));
    let (said, code) = cache_command(&["drop", cache]);
    assert!(code == Some(2) && said.contains("is no cache"), "{said}");
    if std::fs::read(&disk.cache).unwrap().iter().all(|byte| *byte == 0) {
        let (said, code) = cache_command(&["make", cache]);
        assert_eq!(code, Some(0), "{said}");
    }
}

/// State and reason of an index, pages that it named and that are here.
fn index_of(cache: &serde_json::Value) -> (String, String, [u64; 3]) {
    let index = &cache["index"];
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_string();
    let numbers = [&index["named_pages"], &index["warmed_pages"], &cache["used_bytes"]];
    (text(&index["state"]), text(&index["reason"]), numbers.map(|it| it.as_u64().unwrap()))
}

#[test]
fn what_an_index_names_is_there_after_an_end_in_order_and_after_no_other() {
    for with_log in [false, true] {
        let mut content = pattern(4, 1 << 20);
        let disk = Disk::new(&content, 1 << 20);
        let beside = |name: &str| disk.file.with_file_name(name);
        let mut without = disk.namespace();
        if with_log {
            make_log(&disk.file, &[beside("log")], &[]);
            without =
                format!("{},cache={}", logged(&disk.file, &[beside("log")]), disk.cache.display());
        }
        let indexed = format!("{without},cache-index={}", beside("index").display());
        let cold = |why: &str| {
            let (state, reason, numbers) = index_of(&disk.listed());
            assert!(state == "cold" && reason.contains(why), "{state} {reason}");
            assert_eq!(numbers, [0, 0, 0]);
        };
        let warm = |pages: u64| {
            assert_eq!(
                index_of(&disk.listed()),
                ("warm".to_string(), String::new(), [pages, pages, pages * 4096])
            );
        };
        let program = disk.serve(&indexed);
        cold("nothing was saved yet");
        let mut path = path_to(&program, "");
        read_right(&mut path, &content, 0, 65_536);
        disk.settle();
        // What is written leaves.
        path.buffer(0)[..512].fill(9);
        content[8192..8704].fill(9);
        assert_eq!(one(&mut path, Op::Write, 8192, 512), 512);
        drop(path);
        program.stop();
        // Nothing is read again, and one page is missing.
        let program = disk.serve(&indexed);
        warm(15);
        let mut path = path_to(&program, "");
        read_right(&mut path, &content, 0, 8192);
        read_right(&mut path, &content, 12_288, 53_248);
        read_right(&mut path, &content, 8192, 4096);
        let listed = disk.listed();
        assert_eq!((&listed["hits"], &listed["misses"]), (&15.into(), &1.into()));
        assert_eq!(listed["device"]["wrong_pages"], 0);
        disk.settle();
        drop(path);
        let mut program = program;
        program.kill();
        let program = disk.serve(&indexed);
        cold("the target before did not end in order");
        read_right(&mut path_to(&program, ""), &content, 0, 32_768);
        disk.settle();
        program.stop();
        // Another use of the cache gives places to other pages.
        let program = disk.serve(&without);
        read_right(&mut path_to(&program, ""), &content, 512 << 10, 65_536);
        disk.settle();
        program.stop();
        let program = disk.serve(&indexed);
        cold("the cache was used without its index");
        read_right(&mut path_to(&program, ""), &content, 0, 65_536);
        disk.settle();
        program.stop();
        // Somebody writes over the cache while it is not served.
        let cache = OpenOptions::new().write(true).open(&disk.cache).unwrap();
        cache.write_all_at(&[7; 3 * 4096], HEAD).unwrap();
        drop(cache);
        let program = disk.serve(&indexed);
        warm(16);
        let mut path = path_to(&program, "");
        for page in 0..16 {
            read_right(&mut path, &content, page * 4096, 4096);
        }
        let listed = disk.listed();
        assert_eq!((&listed["hits"], &listed["device"]["wrong_pages"]), (&16.into(), &3.into()));
        disk.settle();
        drop(path);
        program.stop();
        // And over the file.
        content[..4096].fill(1);
        std::fs::write(&disk.file, &content).unwrap();
        let program = disk.serve(&indexed);
        cold("changed since by somebody else");
        read_right(&mut path_to(&program, ""), &content, 0, 65_536);
        program.stop();
    }
}
