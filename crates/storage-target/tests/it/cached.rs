//! A file with memory in front: what is read is what was written, by whomever, and after a restart.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use narrows_io::{DevicePath, Op};

use crate::data::{all, hold_against_a_copy, one, path_to, pattern};
use crate::program::{NQN, Program, logged, make_cache, make_log};

/// The figure of a metric that one namespace has.
pub(crate) fn figure(text: &str, name: &str) -> u64 {
    let line = text.lines().find(|line| line.starts_with(&format!("narrows_target_{name}{{")));
    let value = line.and_then(|line| line.rsplit_once(' ')).map(|(_, value)| value.parse());
    value.unwrap_or_else(|| panic!("no {name} in {text}")).unwrap()
}

#[test]
fn a_file_with_a_cache_is_as_it_was_written_and_metrics_say_what_the_cache_did() {
    let folder = tempfile::tempdir().unwrap();
    let (file, metrics) = (folder.path().join("disk"), folder.path().join("metrics"));
    std::fs::write(&file, vec![0; 16 << 20]).unwrap();
    // Less than the file in one shard; more than the file in several.
    for cache in ["2MiB", "64MiB"] {
        let namespace = format!("{},cache=ram:{cache}", file.display());
        let more = ["--metrics", metrics.to_str().unwrap()];
        let program = Program::serving(&[&namespace], &more);
        let mut path = path_to(&program, "digest=data");
        assert_eq!(one(&mut path, Op::Trim, 0, 16 << 20), 0);
        hold_against_a_copy(&mut path, 16 << 20, 40);
        // Read again, whatever of it is there.
        for _ in 0..3 {
            assert_eq!(one(&mut path, Op::Read, 4096, 8192), 8192);
        }
        assert_eq!(one(&mut path, Op::Trim, 8192, 4096), 0);
        assert_eq!(one(&mut path, Op::Read, 4096, 8192), 8192);
        assert!(path.buffer(0)[4096..8192].iter().all(|byte| *byte == 0));
        drop(path);
        program.stop();
        let text = std::fs::read_to_string(&metrics).unwrap();
        assert!(figure(&text, "cache_hit_pages_total") >= 4, "{text}");
        for name in ["miss", "admitted", "updated", "invalidated"] {
            assert!(figure(&text, &format!("cache_{name}_pages_total")) > 0, "{name}: {text}");
        }
        let pages = figure(&text, "cache_pages");
        let used = figure(&text, "cache_used_pages");
        assert!(used > 0 && used <= pages, "{used} of {pages}");
        let curve = |times: &str| {
            let labels = format!("range=\"rest\",times=\"{times}\",bound=\"median\"}} ");
            let line = text.lines().find_map(|line| line.split_once(&labels)).expect("a curve").1;
            line.parse::<f64>().unwrap()
        };
        let ratios = ["0.25", "0.5", "1", "2", "4"].map(curve);
        assert!(ratios.is_sorted_by(|a, b| a >= b) && ratios[4] > 0.0, "{ratios:?}");
        assert_eq!(pages, if cache == "2MiB" { 512 } else { 16_384 });
        assert_eq!(cache == "2MiB", figure(&text, "cache_evicted_pages_total") > 0, "{text}");
    }
}

/// The figure of a metric that a range of the one cache has.
fn figure_of_range(text: &str, name: &str, range: &str) -> u64 {
    let labels = format!(",range=\"{range}\"}} ");
    let lines = text.lines().filter(|line| line.starts_with(&format!("narrows_target_{name}{{")));
    let value = lines.filter_map(|line| line.split_once(&labels)).next();
    value.unwrap_or_else(|| panic!("no {name} of {range} in {text}")).1.parse().unwrap()
}

#[test]
fn a_range_that_is_kept_stays_and_one_that_is_recycled_takes_little() {
    let folder = tempfile::tempdir().unwrap();
    let (file, metrics) = (folder.path().join("disk"), folder.path().join("metrics"));
    std::fs::write(&file, pattern(3, 16 << 20)).unwrap();
    let ranges = "cache-recycle=8MiB+8MiB,cache-keep=0+2MiB";
    let namespace = format!("{},cache=ram:3MiB,{ranges}", file.display());
    let program = Program::serving(&[&namespace], &["--metrics", metrics.to_str().unwrap()]);
    let mut path = path_to(&program, "");
    for at in (0..2u64 << 20).chain(2 << 20..16 << 20).chain(0..2 << 20).step_by(1 << 20) {
        assert_eq!(one(&mut path, Op::Read, at, 1 << 20), 1 << 20);
    }
    drop(path);
    program.stop();
    let text = std::fs::read_to_string(&metrics).unwrap();
    let (keep, recycle) = ("keep=0+2097152", "recycle=8388608+8388608");
    for (range, hits, misses, used) in
        [(keep, 512, 512, 512), (recycle, 0, 2048, 12), ("rest", 0, 1536, 768 - 512 - 12)]
    {
        let figure = |name: &str| figure_of_range(&text, name, range);
        let counts = [figure("cache_hit_pages_total"), figure("cache_miss_pages_total")];
        assert_eq!(counts, [hits, misses], "{range}: {text}");
        assert_eq!(figure("cache_used_pages"), used, "{range}: {text}");
    }
}

#[test]
fn more_than_the_cache_has_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; 16 << 20]).unwrap();
    let namespace = format!("{},cache=ram:1MiB,cache-keep=0+2MiB", file.display());
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_narrows-target"))
        .args(["serve", "--subsystem", NQN, "--allow-any-host", "--listen", "127.0.0.1:0"])
        .args(["--namespace", &namespace])
        .output()
        .unwrap();
    assert!(!program.status.success());
    let told = String::from_utf8_lossy(&program.stderr);
    assert!(told.contains("quotas of 512 slots in a cache of 256"), "{told}");
    assert!(told.contains("hint: say a larger `cache=ram:SIZE`"), "{told}");
}

#[test]
fn a_cached_page_is_answered_without_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, pattern(3, 1 << 20)).unwrap();
    let program = Program::serving(&[&format!("{},cache=ram:1MiB", file.display())], &[]);
    let mut path = path_to(&program, "");
    assert_eq!(one(&mut path, Op::Read, 8192, 16_384), 16_384);
    // The file ends before these pages now: only memory has them.
    let cut = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
    cut.set_len(4096).unwrap();
    assert_eq!(one(&mut path, Op::Read, 12_288, 4096), 4096);
    assert_eq!(path.buffer(0)[..4096], pattern(3, 1 << 20)[12_288..16_384]);
    assert_eq!(one(&mut path, Op::Read, 512 << 10, 4096), -libc::EIO);
    // The size is looked at again: nothing is left of what was before.
    cut.set_len(2 << 20).unwrap();
    program.signal(libc::SIGHUP);
    program.line_with("sizes-changed");
    assert_eq!(one(&mut path, Op::Read, 12_288, 4096), 4096);
    assert_eq!(path.buffer(0)[..4096], [0; 4096]);
    program.stop();
}

#[test]
fn what_was_changed_while_the_target_was_away_is_read_after_it_came_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, pattern(1, 1 << 20)).unwrap();
    let namespace = format!("{},cache=ram:1MiB", file.display());
    for round in 1..4 {
        let program = Program::serving(&[&namespace], &[]);
        let mut path = path_to(&program, "");
        for _ in 0..2 {
            assert_eq!(one(&mut path, Op::Read, 0, 65_536), 65_536);
            assert_eq!(path.buffer(0)[..65_536], pattern(round, 1 << 20)[..65_536]);
        }
        path.buffer(0)[..512].fill(9);
        assert_eq!(one(&mut path, Op::Write, 512, 512), 512);
        assert_eq!(one(&mut path, Op::Read, 0, 4096), 4096);
        assert_eq!(path.buffer(0)[512..1024], [9; 512]);
        drop(path);
        program.stop();
        assert_eq!(std::fs::read(&file).unwrap()[512..1024], [9; 512]);
        std::fs::write(&file, pattern(round + 1, 1 << 20)).unwrap();
    }
}

/// Pages that one writes and others read.
const PAGES: u64 = 16;

/// A writer raises the number in a page and says so once it was answered; readers on other threads of the target never read less than what
/// had been said before they asked, though the cache is made smaller and larger and emptied meanwhile.
#[test]
fn no_read_shows_less_than_what_was_answered_before_it_began() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    let namespace = format!("{},cache=ram:512KiB", file.display());
    did_all(&race(&folder, &file, &namespace, &[&["evict"]]), &["hit", "miss", "updated"]);
}

/// The same on another file, to which a thread of its own writes pages meanwhile.
#[test]
fn nor_from_a_cache_on_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let (file, cache) = (folder.path().join("disk"), folder.path().join("cache"));
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    make_cache(&cache, 512 << 10);
    let namespace = format!("{},cache={}", file.display(), cache.display());
    // It has the size that it has.
    let verbs: [&[&str]; 5] = [&["evict"], &["list"], &["list"], &["evict"], &["list"]];
    let text = race(&folder, &file, &namespace, &verbs);
    did_all(&text, &["hit", "miss", "invalidated"]);
    assert_eq!(figure(&text, "cache_device_wrong_pages_total"), 0, "{text}");
    assert_eq!(figure(&text, "cache_device_off"), 0, "{text}");
}

/// The same with a log between, which is moved again and again.
#[test]
fn nor_with_a_log_behind_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    make_log(&file, &media, &[]);
    let namespace = format!("{},cache=ram:512KiB", logged(&file, &media));
    let text = race(&folder, &file, &namespace, &[&["flush"], &["evict"]]);
    did_all(&text, &["hit", "miss", "updated"]);
}

/// Whether a cache had some of each of these pages.
fn did_all(text: &str, names: &[&str]) {
    let some = |name: &&str| figure(text, &format!("cache_{name}_pages_total")) > 0;
    assert!(names.iter().all(some), "{text}");
}

/// `verbs` are what the target is asked beside new sizes of the cache.
fn race(folder: &tempfile::TempDir, file: &Path, namespace: &str, verbs: &[&[&str]]) -> String {
    let metrics = folder.path().join("metrics");
    let control = folder.path().join("control");
    let control = control.to_str().unwrap();
    let metrics_file = metrics.to_str().unwrap();
    let more = ["--threads", "3", "--metrics", metrics_file, "--control", control];
    let program = Program::serving(&[namespace], &more);
    let tier = |verb: &[&str]| {
        let mut tier = std::process::Command::new(env!("CARGO_BIN_EXE_narrows-target"));
        let tier = tier.arg("tier").args(verb).args(["--control", control]);
        let output = tier.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let said: Arc<Vec<AtomicU64>> = Arc::new((0..PAGES).map(|_| AtomicU64::new(0)).collect());
    let mut writing = path_to(&program, "");
    let reading: Vec<_> = (0..2).map(|_| path_to(&program, "")).collect();
    std::thread::scope(|scope| {
        let said = &said;
        scope.spawn(move || {
            let path = &mut writing;
            for version in 1..=3000u64 {
                let page = version * 7 % PAGES;
                // Half a page by turns, so that updates meet what is left of it.
                let bytes = if version % 3 == 0 { 2048 } else { 4096 };
                path.buffer(0)[..bytes as usize]
                    .chunks_exact_mut(8)
                    .for_each(|word| word.copy_from_slice(&version.to_le_bytes()));
                assert_eq!(one(path, Op::Write, page * 4096, bytes), bytes as i32);
                said[page as usize].store(version, Ordering::Release);
            }
        });
        scope.spawn(move || {
            for round in 0..24 {
                match verbs.get(round % 5) {
                    Some(verb) => tier(verb),
                    None if round % 2 == 0 => tier(&["resize", "--size", "256KiB"]),
                    None => tier(&["resize", "--size", "2MiB"]),
                }
            }
        });
        for (reader, mut path) in (0..).zip(reading) {
            scope.spawn(move || {
                for round in 0..3000u64 {
                    let page = (round * 5 + reader) % PAGES;
                    let least = said[page as usize].load(Ordering::Acquire);
                    // The page alone, or in the midst of others.
                    let (at, bytes) =
                        if round % 4 == 0 { (0, 65_536) } else { (page * 4096, 4096) };
                    assert_eq!(one(&mut path, Op::Read, at, bytes), bytes as i32);
                    let begin = (page * 4096 - at) as usize;
                    let read = &path.buffer(0)[begin..begin + 512];
                    let version = u64::from_le_bytes(read[..8].try_into().unwrap());
                    assert!(version >= least, "page {page}: {version} after {least}");
                    let whole = read.chunks_exact(8).all(|word| word == &read[..8]);
                    assert!(whole, "a block of two versions");
                }
            });
        }
    });
    // And all is as the file has it.
    verbs.iter().for_each(|verb| tier(verb));
    let content = std::fs::read(file).unwrap();
    let mut path = path_to(&program, "");
    for page in 0..PAGES as usize {
        path.submit(Op::Read, 0, page as u64 * 4096, 4096);
        assert_eq!(all(&mut path)[0].result, 4096);
        assert!(path.buffer(0)[..4096] == content[page * 4096..(page + 1) * 4096], "page {page}");
    }
    program.stop();
    std::fs::read_to_string(&metrics).unwrap()
}
