//! The experiments, and which answer to each is honest.

use std::time::Duration;

use super::answer::{Answer, Worst};
use super::site::Under;
use super::trial::{Ground, Meanwhile, Trial};
use crate::group::Limit;

/// Clean runs of each kind.
const CLEAN_RUNS: u32 = 4;
/// The number under which these stand, behind the twelve of the attack.
pub(super) const CLEAN: u32 = 13;
const CALIBRATION: &str = "block --at {at} --file-size 256m --within 5ms --minutes 1";
const OF_MEMORY: [&str; 3] = ["block-in-memory", "memory-answered", "drives-unseen"];
const OF_CACHE: [&str; 3] = ["memory-answered", "resident-before", "device-saw-less"];

/// All of them, in the page's order.
pub(super) fn all(drive: &str) -> Vec<Trial> {
    let mut all = vec![
        trial(
            1,
            "block on zram",
            Ground::FileSystem(Under::Zram, 2048, "ext4"),
            CALIBRATION,
            |a| a.nothing_valid() && a.names(&OF_MEMORY),
        ),
        trial(
            2,
            "placement on a loop device in memory",
            Ground::FileSystem(Under::Memory, 3072, "ext4"),
            "log placement --wal {drive} --wal {at} --data {drive}",
            |a| !a.says_any(&["Put the log in", "Put WAL in"]) && a.says_any(&["is in memory"]),
        ),
        trial(
            3,
            "btrfs on a cached loop device",
            Ground::FileSystem(Under::CachedDrive, 3072, "btrfs"),
            "block --at {at} --file-size 512m --within 5ms --minutes 1",
            |a| a.worst == Worst::Invalid || (a.nothing_valid() && a.names(&OF_CACHE)),
        ),
        trial(
            3,
            "xfs on a cached loop device",
            Ground::FileSystem(Under::CachedDrive, 3072, "xfs"),
            "block --at {at} --file-size 512m --within 5ms --minutes 1",
            |a| a.worst == Worst::Invalid || (a.nothing_valid() && a.names(&OF_CACHE)),
        ),
        Trial {
            job: Some(
                "[a]\nioengine=io_uring\ndirect=1\nrw=randread\nbs=8k\nsize=256m\niodepth=8\nthinktime=1ms\nthinktime_blocks=8\ntime_based\nruntime=5\n",
            ),
            beside_fio: true,
            ..of_job(4, "fio job with pauses", as_fio)
        },
        Trial {
            job: Some(
                "[b]\nioengine=io_uring\ndirect=1\nrw=randwrite\nbs=8k\nsize=256m\niodepth=16\nfdatasync=16\ntime_based\nruntime=5\n",
            ),
            beside_fio: true,
            ..of_job(4, "fio job with fdatasync", as_fio)
        },
        Trial {
            ground: Ground::FileSystem(Under::Drive, 2048, "ext4"),
            queue: Some(("nr_requests", "4")),
            job: Some(
                "[c]\nioengine=io_uring\ndirect=1\nrw=randread\nbs=8k\nsize=128m\niodepth=256\ntime_based\nruntime=5\n",
            ),
            ..of_job(5, "depth 256, queue of 4", |a| {
                a.names(&["depth-above-tags", "depth-not-reached", "kernel-workers"])
            })
        },
        trial(
            5,
            "raw reads of zram",
            Ground::Device(Under::Zram, 512),
            "block --device {device} --within 5ms --minutes 1",
            |a| {
                a.nothing_valid()
                    && a.names(&[
                        // `blocks-of-nothing` was the name before.
                        "kernel-workers",
                        "block-in-memory",
                        "blocks-never-written",
                        "blocks-of-nothing",
                    ])
            },
        ),
    ];
    all.extend(standing_still());
    all.push(trial(
        7,
        "steady over an eighth of the drive",
        Ground::FileSystem(Under::Drive, 2048, "ext4"),
        "block steady --at {at} --file-size 256m --budget 6g --round 1s",
        |a| a.says_any(&["burst", "of 2.", "of the 2"]) || a.names(&["short-stroked"]),
    ));
    all.extend(throttles(drive));
    all.extend(guards());
    all.extend(contents_and_memory());
    all.extend(clean());
    all
}

fn standing_still() -> Vec<Trial> {
    vec![
        Trial {
            meanwhile: Meanwhile::DriveStops,
            ..trial(
                6,
                "the drive stands still for 20 ms per second",
                Ground::FileSystem(Under::LabDrive, 2048, "ext4"),
                "block --at {at} --file-size 128m --within 5ms --minutes 1",
                |a| !a.names(&["stood-still", "stopped-by-signal"]) && !a.figure_above(5_000.0),
            )
        },
        Trial {
            meanwhile: Meanwhile::ProgramStops,
            ..trial(
                6,
                "narrows is stopped for 20 ms per second",
                Ground::Folder,
                "block --at {at} --file-size 128m --within 5ms --minutes 1",
                |a| a.dropped > 0 || a.names(&["stood-still", "stopped-by-signal"]),
            )
        },
    ]
}

fn throttles(drive: &str) -> Vec<Trial> {
    const JOB: &str = "[t]\nioengine=io_uring\ndirect=1\nrw=randread\nbs=8k\nsize=256m\niodepth=32\nrate_iops=20000\ntime_based\nruntime=6\n";
    let reads = |per_s| Limit::Reads(drive.to_string(), per_s);
    let limited = |variant, meanwhile, honest| Trial {
        job: Some(JOB),
        meanwhile,
        ..of_job(8, variant, honest)
    };
    let named: fn(&Answer) -> bool = |a| {
        a.worst != Worst::Invalid
            && a.names(&["io-limit-reached", "server-limits-hidden"])
            && a.figure_within(4_500.0, 5_500.0)
    };
    vec![
        limited("5,000 reads/s allowed, 20,000 asked", Meanwhile::Limited(reads(5_000)), named),
        limited(
            "a limit that changes meanwhile",
            Meanwhile::Changed(reads(2_000), Duration::from_secs(5), reads(6_000)),
            |a| a.worst == Worst::Invalid && a.names(&["io-limit-changed"]),
        ),
        Trial {
            starter: &["unshare", "--cgroup"],
            ..limited(
                "the limit is above the root of its namespace",
                Meanwhile::Limited(reads(5_000)),
                |a| {
                    let unseen =
                        a.says_any(&["limits of the control group", "limits of control groups"]);
                    (unseen || a.names(&["io-limit-reached", "server-limits-hidden"]))
                        && !a.valid_above(5_500.0)
                },
            )
        },
    ]
}

fn guards() -> Vec<Trial> {
    let inside = |args, variant: &str, honest| Trial {
        meanwhile: Meanwhile::HeldOpen,
        starter: &["unshare", "--pid", "--fork", "--mount-proc"],
        ..trial(10, variant, Ground::Device(Under::Drive, 256), args, honest)
    };
    vec![
        inside("block device {device}", "a device that is open outside of the container", |a| {
            a.says_any(&["can't be seen", "outside", "not seen"])
        }),
        inside(
            "block steady --write-to-device {device} --serial size=268435456 --dry-run",
            "writing to it",
            |a| a.exit == 2,
        ),
    ]
}

fn contents_and_memory() -> Vec<Trial> {
    vec![
        trial(
            11,
            "a device of one byte's value",
            Ground::OneValue(0xFF, 1024),
            "block --device {device} --within 5ms --minutes 1",
            |a| a.nothing_valid() && a.names(&["blocks-of-one-value", "blocks-compressible"]),
        ),
        Trial {
            job: Some(
                "[m]\nioengine=psync\nfilename=cached\nrw=randread\nbs=8k\nsize=64m\ninvalidate=0\nrate_iops=2000\ntime_based\nruntime=6\n",
            ),
            meanwhile: Meanwhile::OthersRead(2000),
            ..of_job(11, "cached reads beside as many of others from the drive", |a| {
                a.nothing_valid() && a.names(&OF_CACHE)
            })
        },
        Trial {
            starter: &["taskset", "--cpu-list", "1"],
            meanwhile: Meanwhile::Hog(1, Duration::from_millis(9)),
            ..trial(
                12,
                "9 % of the load generator's CPU used by another program",
                Ground::Folder,
                CALIBRATION,
                |a| a.dropped > 0 || a.names(&["other-load", "generator-late", "gaps"]),
            )
        },
        Trial {
            meanwhile: Meanwhile::Limited(Limit::Memory(256 << 20)),
            ..trial(12, "memory in 256 MiB", Ground::Folder, "memory --quick", |a| {
                a.names(&["footprint-in-cache", "memory-cache-answers"]) || a.nothing_valid()
            })
        },
    ]
}

/// Runs with nothing wrong, on the machine's drive.
fn clean() -> Vec<Trial> {
    let jobs = [
        (
            "random reads of 8 KiB",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randread\nbs=8k\niodepth=8\n",
        ),
        (
            "reads in order of 1 MiB",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=read\nbs=1m\niodepth=2\n",
        ),
        (
            "random writes, every 16th flushed",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randwrite\nbs=8k\niodepth=16\nfdatasync=16\n",
        ),
        (
            "2,000 reads/s, Poisson",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randread\nbs=8k\niodepth=32\nrate_iops=2000\nrate_process=poisson\n",
        ),
        (
            "reads and writes, 70 to 30",
            "[k]\nioengine=io_uring\ndirect=1\nsize=1g\ntime_based\nruntime=10\nrw=randrw\nrwmixread=70\nbs=8k\niodepth=8\n",
        ),
    ];
    let commands = [
        ("calibration", "block --at {at} --file-size 1g --within 10ms --minutes 1"),
        ("ladder", "log ladder --wal {at} --no-database"),
        ("commits", "log commits --wal {at} --within 10ms --minutes 1"),
        ("memory", "memory --quick"),
        ("interference", "block interference --at {at} --file-size 256m --minutes 1"),
    ];
    let mut all = Vec::new();
    for run in 1..=CLEAN_RUNS {
        for (name, text) in jobs {
            let variant = format!("{name}, run {run}");
            all.push(Trial { job: Some(text), variant, ..of_job(CLEAN, "", Answer::is_silent) });
        }
        for (name, args) in commands {
            let variant = format!("{name}, run {run}");
            all.push(Trial {
                variant,
                ..trial(CLEAN, "", Ground::Folder, args, Answer::is_silent)
            });
        }
    }
    all
}

fn trial(
    experiment: u32,
    variant: &str,
    ground: Ground,
    args: &'static str,
    honest: fn(&Answer) -> bool,
) -> Trial {
    Trial {
        experiment,
        variant: variant.to_string(),
        ground,
        args,
        job: None,
        meanwhile: Meanwhile::Nothing,
        starter: &[],
        beside_fio: false,
        queue: None,
        honest,
    }
}

fn of_job(experiment: u32, variant: &str, honest: fn(&Answer) -> bool) -> Trial {
    trial(experiment, variant, Ground::Folder, "block run {job} --at {at}", honest)
}

/// Not called wrong, and within a tenth of fio's rate.
fn as_fio(answer: &Answer) -> bool {
    let near = answer.over_fio.is_some_and(|over| (0.9..=1.1).contains(&over));
    answer.worst != Worst::Invalid && !answer.names(&["depth-not-reached", "overload"]) && near
}
