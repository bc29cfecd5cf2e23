//! The counters against work done on this machine in the test itself.
//!
//! Others and ourselves are told apart in one test, because two such tests at once would be each other's "others".

use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::process::Command;
use std::time::{Duration, Instant};

use narrows_facts::process::{self_cpu_ns, thread_cpu_ns};
use narrows_model::Platform;
use narrows_observe::Watch;

fn burn(length: Duration) {
    let start = Instant::now();
    while start.elapsed() < length {
        std::hint::black_box(thread_cpu_ns());
    }
}

#[test]
fn own_work_is_ours_a_hog_is_not_unless_it_is_named() {
    let watch = Watch::new(&Platform::default(), &[]);
    let length = Duration::from_millis(400);

    // Other tests are threads of this process, and its work too.
    let process_before = self_cpu_ns();
    let before = watch.snapshot();
    let own_before = thread_cpu_ns();
    burn(length);
    let own = (thread_cpu_ns() - own_before) as f64;
    let seen = watch.since(&before);
    let process = (self_cpu_ns() - process_before) as f64;
    if seen.steal.is_some_and(|share| share > 0.02) {
        // Most kernels charge stolen time to the task that was running, and /proc/stat to nobody.
        eprintln!("SKIPPED: the hypervisor takes processor time away, nothing adds up: {seen:?}");
        return;
    }
    let (least, most) = (own / seen.window.0 as f64, process / seen.window.0 as f64);
    let range = least - 1e-6..=most + 1e-6;
    assert!(range.contains(&seen.self_cpus), "{range:?}, {seen:?}");
    assert!(seen.cpus_busy >= seen.self_cpus - 0.15, "{seen:?}");
    assert!(seen.drives.is_none());
    let ids: Vec<u32> = seen.per_cpu.iter().map(|cpu| cpu.id).collect();
    let stat = std::fs::read_to_string("/proc/stat").unwrap();
    let lines = stat.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu "));
    assert_eq!(ids.len(), lines.count());

    // A hog of known size in another process; what it used is read from its own account.
    let mut hog = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
    let named = Watch::new(&Platform::default(), &[]).with_pids(vec![hog.id()]);
    let (before, before_named) = (watch.snapshot(), named.snapshot());
    let hog_before = narrows_facts::process::cpu_ns(hog.id()).unwrap();
    std::thread::sleep(length);
    let hog_ns = narrows_facts::process::cpu_ns(hog.id()).unwrap() - hog_before;
    let (seen, seen_named) = (watch.since(&before), named.since(&before_named));
    let hog_cpus = hog_ns as f64 / seen.window.0 as f64;
    // The sampled counter's error, generously.
    assert!(seen.other_cpus > hog_cpus - 0.25, "hog {hog_cpus}, {seen:?}");
    assert!(seen.other_cpus - seen_named.other_cpus > hog_cpus - 0.3, "{seen:?} {seen_named:?}");

    // Ended and waited for inside the window, its time is ours all the same.
    let (before, before_named) = (watch.snapshot(), named.snapshot());
    std::thread::sleep(length);
    hog.kill().unwrap();
    hog.wait().unwrap();
    let seen_named = named.since(&before_named);
    let seen = watch.since(&before);
    assert!(seen_named.other_cpus <= seen_named.cpus_busy);
    // Unnamed, the whole life of the hog arrives with its end: then others can't come out larger.
    assert!(seen.other_cpus <= seen_named.other_cpus + 0.1, "{seen:?} {seen_named:?}");
}

#[test]
fn bytes_written_through_to_the_drive_are_counted() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let device = std::fs::metadata(folder).unwrap().dev();
    let number = format!("{}:{}", libc::major(device), libc::minor(device));
    let Ok(link) = std::fs::read_link(format!("/sys/dev/block/{number}")) else {
        eprintln!("SKIPPED: the sources are not on a block device ({number})");
        return;
    };
    let name = link.file_name().unwrap().to_string_lossy().into_owned();
    // Twice the same name must not count twice.
    let watch = Watch::new(&Platform::default(), &[name.clone(), name.clone()]);
    let before = watch.snapshot();
    let mut file = tempfile::NamedTempFile::new_in(folder).unwrap();
    let bytes = 8 << 20;
    file.write_all(&vec![0xA5; bytes]).unwrap();
    file.as_file().sync_all().unwrap();
    // Some drivers add to the counter after the request was reported done.
    std::thread::sleep(Duration::from_millis(20));
    let seen = watch.since(&before);
    let Some(drives) = seen.drives else {
        eprintln!("SKIPPED: {name} keeps no counters");
        return;
    };
    assert!(drives.write_bytes >= bytes as u64, "{drives:?}");
    assert!(drives.writes > 0 && drives.busy <= 1.0);
    // Others may write meanwhile, but not for ever.
    assert!(drives.write_bytes < 1 << 33, "{drives:?}");
    assert!(
        Watch::new(&Platform::default(), &[name, "none".into()]).since(&before).drives.is_none()
    );
}

#[test]
fn nothing_watched_is_nothing_claimed() {
    let watch = Watch::none();
    let before = watch.snapshot();
    burn(Duration::from_millis(5));
    let seen = watch.since(&before);
    assert!(seen.self_cpus > 0.0 && seen.window.0 >= 5_000_000);
    assert!(seen.metrics().is_empty(), "{:?}", seen.metrics());
}
