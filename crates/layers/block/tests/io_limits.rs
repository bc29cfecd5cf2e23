//! A control group's I/O limit on the drive, set for real around this process: reached, it is noted; changed in the
//! middle of a window, the window is invalid. One test, because a group holds the whole process. Needs root; puts
//! the process back where it was, and removes the group.

#[path = "it/causes/bench.rs"]
#[allow(dead_code)] // The other program uses the rest.
mod bench;

use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use narrows_facts::Live;
use narrows_facts::cgroup::{Hierarchies, Version};
use narrows_io::Entropy;
use narrows_layer_block::{Record, Region};
use narrows_model::{Measurement, Severity, metric};
use narrows_observe::Watch;

use bench::{ID, bench, caught, reads, silent};

/// Seconds of which one is left to us on any machine.
const WINDOWS: u32 = 60;

/// A group below our own that limits reads; gone with the value.
struct Group {
    folder: PathBuf,
    home: PathBuf,
    version: Version,
    device: String,
}

impl Group {
    fn new(device: &str) -> io::Result<Group> {
        let io_controller = Hierarchies::read(&Live).controller(&Live, "blkio");
        let controller = io_controller.ok_or_else(|| io::Error::other("no group for I/O"))?;
        let home = PathBuf::from(&controller.folders[0]);
        let folder = home.join(format!("narrows-test-{}", std::process::id()));
        fs::create_dir(&folder)?;
        let version = controller.version;
        // From here on the value removes the folder.
        let group = Group { folder, home, version, device: device.to_string() };
        group.limit(Some(1_000_000))?;
        group.enter(&group.folder)?;
        Ok(group)
    }

    fn enter(&self, folder: &std::path::Path) -> io::Result<()> {
        fs::write(folder.join("cgroup.procs"), std::process::id().to_string())
    }

    /// So many reads per second, or any number.
    fn limit(&self, reads_per_s: Option<u64>) -> io::Result<()> {
        let (file, value) = match self.version {
            Version::V1 => {
                ("blkio.throttle.read_iops_device", reads_per_s.unwrap_or(0).to_string())
            }
            Version::V2 => {
                let value = reads_per_s.map_or("max".to_string(), |value| value.to_string());
                ("io.max", format!("riops={value}"))
            }
        };
        fs::write(self.folder.join(file), format!("{} {value}", self.device))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.enter(&self.home);
        // The kernel lets go of a group a moment after its last process has left.
        for _ in 0..50 {
            match fs::remove_dir(&self.folder) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                _ => break,
            }
        }
    }
}

#[test]
fn a_limit_is_noted_where_it_is_reached_and_one_that_changes_is_invalid() {
    let Some(mut bench) = bench() else { return };
    let Some(file) = bench.file(64, Entropy::default()) else { return };
    let device = &bench.platform.roles[0].devices[0];
    let group = match Group::new(&device.number) {
        Ok(group) => group,
        Err(error) => {
            eprintln!("SKIPPED: no group with a limit of I/O can be made: {error}");
            return;
        }
    };
    // The group is found anew: this process was in another when the bench was made.
    bench.watch = Watch::new(&bench.platform, std::slice::from_ref(&device.name));
    bench.length = Duration::from_secs(1);
    let stream = reads(Region::of(&file));

    // Far below what any drive does, so that nothing but the limit decides.
    group.limit(Some(20)).unwrap();
    // Where others have the CPUs, a second holds fewer reads than even that: then the limit was not reached.
    let operations = |m: &Measurement| m.value(metric::OPERATIONS).unwrap_or(0.0);
    let mut windows = (0..WINDOWS).map(|_| bench.windows(&stream, 1));
    let measurement = windows.find(|m| operations(m) >= 20.0);
    let measurement = measurement.expect("a second in which the drive did 20 reads");
    assert!(operations(&measurement) < 50.0, "it has no effect");
    let found = bench.judged(measurement);
    caught(&found, "io-limit-reached", Severity::Note);
    silent(&found, "io-limit-changed");

    // It changes all the time, so that it does in the window.
    let mut record = Record::new();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for reads_per_s in 100_000.. {
                group.limit(Some(reads_per_s)).unwrap();
                if done.load(Ordering::Relaxed) {
                    break;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        bench.window(&mut record, &stream, 9).unwrap();
        done.store(true, Ordering::Relaxed);
    });
    let found = bench.judged(record.into_measurement(ID, &stream));
    caught(&found, "io-limit-changed", Severity::Invalid);

    // And a limit that is far away and stays is not worth a word.
    group.limit(Some(1_000_000)).unwrap();
    let found = bench.judged(bench.windows(&stream, 1));
    silent(&found, "io-limit-reached");
    silent(&found, "io-limit-changed");
}
