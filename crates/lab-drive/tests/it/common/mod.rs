//! A laboratory for one test, and the proof that nothing of it is left.

pub mod crash;

use std::fs;
use std::path::Path;
use std::time::Duration;

use narrows_lab_drive::{DriveContents, Lab, missing};

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_narrows-lab-drive");
/// xfs takes no less than 300 MiB; the image is sparse.
pub const SIZE: u64 = 320 << 20;

/// Runs a test in a laboratory on a thread of its own, whose mounts go with it. The second argument is a folder
/// beside the drive.
pub fn in_lab(kind: DriveContents, test: impl FnOnce(&mut Lab, &Path) + Send) {
    if let Some(reason) = missing(kind) {
        eprintln!("SKIPPED: no laboratory with {kind:?}: {reason}");
        return;
    }
    let folder = tempfile::Builder::new().prefix("narrows-lab-").tempdir_in("/var/tmp").unwrap();
    let beside = folder.path().join("beside");
    fs::create_dir(&beside).unwrap();
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut lab = Lab::start(Path::new(PROGRAM), folder.path(), kind, SIZE).unwrap();
            test(&mut lab, &beside);
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
    assert_eq!(loops_on(folder.path()), Vec::<String>::new());
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    assert!(!mounts.contains(folder.path().to_str().unwrap()), "{mounts}");
}

/// Loop devices that show a file of that folder; the kernel may need a moment after the last user has gone.
fn loops_on(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let used = || -> Vec<String> {
        let devices = fs::read_dir("/sys/block").unwrap().flatten();
        let files = devices.map(|device| device.path().join("loop/backing_file"));
        files
            .filter_map(|file| fs::read_to_string(file).ok())
            .filter(|file| file.contains(folder))
            .collect()
    };
    until(|| used().is_empty());
    used()
}

/// Waits for something, at most a minute.
pub fn until(mut done: impl FnMut() -> bool) -> bool {
    for _ in 0..6000 {
        if done() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}
