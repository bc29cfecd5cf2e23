//! Each rule in a run in which it fires and in a near miss in which it stays silent.

use crate::{clean, observed, orders};
use std::collections::BTreeSet;

use narrows_model::{
    BlockDevice, DeviceKind, Key, Layer, LimitBasis, LimitShare, MapperDevice, MapperTarget,
    Measurement, Metric, MetricValue, NumaNode, Role, RolePath, Run, RunningDatabase, Unit,
    condition, metric,
};
use narrows_validity::{About, check, rules};
use serde_json::{Value, json};

use crate::clean::{REPEATS, say, series};

/// A rule, what makes it fire, and what almost does.
pub struct Pair {
    pub rule: &'static str,
    pub fires: fn(&mut Run),
    pub silent: fn(&mut Run),
}

/// The knee as a window of that name, of whose bytes the drive, and the kernel for this process, read that share.
fn too_high(run: &mut Run, id: &str, share: f64) {
    let m = of(run, KNEE);
    m.id = id.into();
    let issued = m.value(metric::ISSUED_READ_BYTES).expect("the clean run has it");
    clean::set(m, metric::DEVICE_READ_BYTES, share * issued);
    clean::set(m, metric::PROCESS_READ_BYTES, share.min(1.0) * issued);
}

const KNEE: &str = "block.read.random.8k.knee";
const BUFFERED: &str = "block.read.random.8k.server_knee";
const WRITE: &str = "block.write.random.8k.knee";
const AIO: &str = "block.read.random.8k.aio";
const BLOCK_OPEN: &str = "block.read.random.8k.open";
const SYNCED: &str = "block.write.random.8k.synced";
const APPEND: &str = "log.append.fdatasync.idle";
const LONE: &str = "log.after.update.lone";
const SHARED: &str = "log.after.update";
const KEPT: &str = "block.calibrate.read.8k.confirm.kept";
const LOG_KEPT: &str = "log.calibrate.commits.200b.confirm.kept";
const AGAIN: &str = "block.calibrate.read.8k.again";
const IDLE: &str = "block.calibrate.read.8k.idle";
const WITH_TIER: &str = "log.ladder.write.fdatasync.overwrite.8k.tier.alone";
const LADDER_COMMIT: &str = "log.ladder.commit.alone";
const CACHED: &str = "database.lookup_cached";
const UNCACHED: &str = "database.lookup_uncached";
const UPDATE: &str = "database.update";
const OPEN: &str = "database.update.open";
const CLIENT_OPEN: &str = "database.client.open";
const PLACED: &str = "database.update.wal_2";

#[rustfmt::skip]
const PAIRS: &[Pair] = &[
    Pair { rule: "rate-of-a-volume-limit",
        fires: |r| { lent(r, "virtio", "x"); samples(r, KNEE, metric::THROUGHPUT, &[15_925.0, 16_000.0, 16_079.0, 15_990.0, 16_010.0, 16_000.0]) },
        // One repeat gave more: nothing holds it back there. And a drive in the machine stands where it stands.
        silent: |r| { lent(r, "virtio", "x"); samples(r, KNEE, metric::THROUGHPUT, &[15_925.0, 16_000.0, 16_081.0, 15_990.0, 16_010.0, 16_000.0]) } },
    Pair { rule: "volume-windows-short",
        fires: |r| { lent(r, "nvme (pcie)", "Amazon Elastic Block Store"); rename(r, KNEE, KEPT); change(r, KEPT, metric::WINDOW, 1e9) },
        silent: |r| { lent(r, "nvme (pcie)", "SAMSUNG MZQL23T8HCLS"); rename(r, KNEE, KEPT); change(r, KEPT, metric::WINDOW, 1e9) } },
    Pair { rule: "volume-windows-short",
        // WAL of a server on a volume of a provider.
        fires: |r| { lent_to(r, Role::Wal, "nvme (pcie)", "Amazon Elastic Block Store"); rename(r, APPEND, LOG_KEPT); change(r, LOG_KEPT, metric::WINDOW, 1e9) },
        silent: |r| { lent_to(r, Role::Wal, "nvme (pcie)", "Amazon Elastic Block Store"); rename(r, APPEND, LOG_KEPT); change(r, LOG_KEPT, metric::WINDOW, 60e9) } },
    Pair { rule: "ceiling-fell",
        fires: |r| { rename(r, KNEE, AGAIN); before(r, AGAIN, 47e3, &[12e3, 37e3, 11e3]) },
        // One window as before: the others met something else.
        silent: |r| { rename(r, KNEE, AGAIN); before(r, AGAIN, 47e3, &[12e3, 38e3, 11e3]) } },
    Pair { rule: "slower-after-idle",
        fires: |r| { rename(r, KNEE, IDLE); before(r, IDLE, 47e3, &[30e3, 31e3, 29e3]) },
        silent: |r| { rename(r, KNEE, IDLE); before(r, IDLE, 47e3, &[40e3, 41e3, 38e3]) } },
    Pair { rule: "slower-after-idle",
        fires: |r| { rename(r, KNEE, IDLE); before(r, IDLE, 47e3, &[30e3, 31e3, 29e3]); put(r, IDLE, metric::GENERATOR_WAIT, 0.04) },
        // Others had the CPUs, and that is another rule's.
        silent: |r| { rename(r, KNEE, IDLE); before(r, IDLE, 47e3, &[30e3, 31e3, 29e3]); put(r, IDLE, metric::GENERATOR_WAIT, 0.3) } },
    Pair { rule: "writes-outrun-reads",
        fires: |r| writes_over_reads(r, 1.25),
        silent: |r| writes_over_reads(r, 1.15) },
    Pair { rule: "little-law-broken",
        fires: |r| change(r, KNEE, metric::IN_FLIGHT, 36.0),
        // Of a disk's 600 operations at depth 32 those at the window's ends are too many to tell.
        silent: |r| { change(r, KNEE, metric::IN_FLIGHT, 35.0); change(r, WRITE, metric::IN_FLIGHT, 40.0); change(r, WRITE, metric::OPERATIONS, 600.0) } },
    Pair { rule: "depth-not-reached",
        fires: |r| change_one(r, KNEE, metric::IN_FLIGHT, 28.0),
        // At depth 1 the generator's own time between two requests is no fault.
        silent: |r| {
            change(r, KNEE, metric::IN_FLIGHT, 29.0);
            change(r, "block.read.random.8k.d1", metric::IN_FLIGHT, 0.7);
            change(r, WRITE, metric::IN_FLIGHT, 25.0);
            change(r, WRITE, metric::OPERATIONS, 600.0);
        } },
    Pair { rule: "depth-not-reached",
        fires: |r| change_one(r, KNEE, metric::IN_FLIGHT, 28.0),
        // fio's thinktime and fdatasync empty the queue on purpose.
        silent: |r| {
            change(r, KNEE, metric::IN_FLIGHT, 16.0);
            say(of(r, KNEE), condition::THINK_AFTER, json!(8));
            change(r, SYNCED, metric::IN_FLIGHT, 16.0);
            say(of(r, SYNCED), condition::SYNC_AFTER, json!(16));
        } },
    Pair { rule: "bytes-not-operations-times-size",
        fires: |r| change_one(r, KNEE, metric::ISSUED_READ_BYTES, 1.02e6 * 8192.0),
        silent: |r| change_one(r, KNEE, metric::ISSUED_READ_BYTES, 1.005e6 * 8192.0) },
    Pair { rule: "rate-not-operations-over-window",
        fires: |r| change_one(r, UPDATE, metric::WINDOW, 9.8e9),
        silent: |r| change_one(r, UPDATE, metric::WINDOW, 9.95e9) },
    Pair { rule: "above-its-limit",
        fires: |r| limited(r, "pcie:nvme0n1", LimitBasis::Raw, 3.8),
        // Packets may be larger than assumed, and the network is another rule's.
        silent: |r| {
            limited(r, "pcie:nvme0n1", LimitBasis::Raw, 1.01);
            limited(r, "pcie:nvme0n1", LimitBasis::Protocol, 1.06);
            limited(r, "cgroup:read:vda", LimitBasis::Configured, 1.3);
            limited(r, "network:eth0", LimitBasis::Raw, 1.3);
        } },
    Pair { rule: "above-its-network",
        fires: |r| limited(r, "network:eth0", LimitBasis::Raw, 1.3),
        silent: |r| { limited(r, "network:eth0", LimitBasis::Raw, 1.01); limited(r, "sata:sda", LimitBasis::Raw, 1.3) } },
    Pair { rule: "operations-failed",
        fires: |r| change_one(r, UPDATE, metric::ERRORS, 1.0),
        silent: |r| remove(r, UPDATE, metric::ERRORS) },
    Pair { rule: "short-io",
        fires: |r| change_one(r, KNEE, metric::SHORT_IOS, 1.0),
        silent: |r| remove(r, KNEE, metric::SHORT_IOS) },

    Pair { rule: "no-operations",
        fires: |r| change_one(r, KNEE, metric::OPERATIONS, 0.0),
        silent: |r| change_one(r, KNEE, metric::OPERATIONS, 1.0) },
    Pair { rule: "window-too-short",
        fires: |r| change_one(r, KNEE, metric::WINDOW, 19e6),
        silent: |r| change_one(r, KNEE, metric::WINDOW, 21e6) },
    Pair { rule: "window-hardly-checked",
        fires: |r| { rename(r, KNEE, "block.job.a"); change_one(r, "block.job.a", metric::WINDOW, 60e6) },
        // A search has short windows, and many.
        silent: |r| { change_one(r, KNEE, metric::WINDOW, 60e6); rename(r, AIO, "block.job.a"); change_one(r, "block.job.a", metric::WINDOW, 101e6) } },
    Pair { rule: "few-operations",
        fires: |r| change(r, KNEE, metric::OPERATIONS, 3.0),
        silent: |r| change(r, KNEE, metric::OPERATIONS, 4.0) },

    Pair { rule: "device-saw-less",
        fires: |r| change_one(r, BUFFERED, metric::DEVICE_READ_BYTES, 0.94e6 * 8192.0),
        // The drive's own commands are not in its counters.
        silent: |r| {
            change_one(r, BUFFERED, metric::DEVICE_READ_BYTES, 0.96e6 * 8192.0);
            change(r, KNEE, metric::DEVICE_READ_BYTES, 0.0);
            say(of(r, KNEE), condition::METHOD, json!("passthrough"));
        } },
    // The queue of a rate that is too high is longer at one end of the window than at the other.
    Pair { rule: "device-saw-less",
        fires: |r| too_high(r, "block.calibrate.read.8k.confirm.kept", 0.9),
        silent: |r| too_high(r, "block.calibrate.read.8k.confirm.beyond.3", 0.9) },
    Pair { rule: "memory-answered",
        fires: |r| too_high(r, "block.calibrate.read.8k.confirm.kept", 0.85),
        silent: |r| too_high(r, "block.calibrate.read.8k.confirm.beyond.3", 0.85) },
    Pair { rule: "others-read-the-drives",
        fires: |r| too_high(r, "block.calibrate.read.8k.confirm.kept", 1.3),
        silent: |r| too_high(r, "block.calibrate.read.8k.confirm.beyond.3", 1.3) },
    Pair { rule: "device-saw-fewer-writes",
        fires: |r| change_one(r, APPEND, metric::DEVICE_WRITE_BYTES, 0.94e5 * 8192.0),
        // A file system in memory has no drive; other rules say so.
        silent: |r| { change(r, APPEND, metric::DEVICE_WRITE_BYTES, 0.0); path(r, Role::Wal).file_system.volatile = true } },
    Pair { rule: "others-read-the-drives",
        fires: |r| change(r, KNEE, metric::DEVICE_READ_BYTES, 1.26e6 * 8192.0),
        silent: |r| change_one(r, KNEE, metric::DEVICE_READ_BYTES, 2e6 * 8192.0) },
    Pair { rule: "others-read-the-drives",
        // 20 MB/s beside 110 MB/s of ours.
        fires: |r| change(r, KNEE, metric::DEVICE_READ_BYTES, 1.18e6 * 8192.0),
        // Read-ahead of our own may be as much.
        silent: |r| change(r, BUFFERED, metric::DEVICE_READ_BYTES, 1.18e6 * 8192.0) },
    Pair { rule: "others-read-the-drives",
        // Buffered, and two fifths more than was requested: read for somebody, and read ahead for us.
        fires: |r| change(r, BUFFERED, metric::DEVICE_READ_BYTES, 1.4e6 * 8192.0),
        silent: |r| {
            change(r, BUFFERED, metric::DEVICE_READ_BYTES, 1.4e6 * 8192.0);
            put(r, BUFFERED, metric::PROCESS_READ_BYTES, 1.38e6 * 8192.0);
        } },
    Pair { rule: "others-write-beside-reads",
        // 100 MB/s beside ours of 819 MB/s.
        fires: |r| put(r, KNEE, metric::DEVICE_WRITE_BYTES, 1.2e5 * 8192.0),
        // What a quiet system writes to its logs; and writes of our own.
        silent: |r| {
            put(r, KNEE, metric::DEVICE_WRITE_BYTES, 1e6);
            put(r, KNEE, metric::DEVICE_READS, 1e6);
            put(r, KNEE, metric::DEVICE_WRITES, 300.0);
            put(r, WRITE, metric::DEVICE_READS, 1.0);
        } },
    Pair { rule: "others-write-beside-reads",
        // Few bytes, and one write for every fifth read.
        fires: |r| { put(r, KNEE, metric::DEVICE_READS, 1e6); put(r, KNEE, metric::DEVICE_WRITES, 2e5) },
        silent: |r| { put(r, KNEE, metric::DEVICE_READS, 1e6); put(r, KNEE, metric::DEVICE_WRITES, 0.9e5) } },
    Pair { rule: "others-read-beside-writes",
        fires: |r| put(r, WRITE, metric::DEVICE_READ_BYTES, 2e5 * 8192.0),
        // Parity is read for each write.
        silent: |r| { put(r, WRITE, metric::DEVICE_READ_BYTES, 2e5 * 8192.0); mirror(r) } },
    Pair { rule: "memory-answered",
        // The drives' counters agree, because others read as much.
        fires: |r| put(r, KNEE, metric::PROCESS_READ_BYTES, 0.6e6 * 8192.0),
        silent: |r| {
            put(r, KNEE, metric::PROCESS_READ_BYTES, 0.95e6 * 8192.0);
            // NVMe passthrough is no read of a block device.
            put(r, AIO, metric::PROCESS_READ_BYTES, 0.0);
            say(of(r, AIO), condition::METHOD, json!("passthrough"));
        } },
    Pair { rule: "part-of-invalid",
        fires: |r| part_of_a_whole(r, metric::ERRORS, 1.0),
        silent: |r| part_of_a_whole(r, metric::ERRORS, 0.0) },
    Pair { rule: "part-of-suspect",
        fires: |r| part_of_a_whole(r, metric::DEVICE_READ_BYTES, 2e6 * 8192.0),
        // What is suspect of the whole by itself may stand of its parts.
        silent: |r| part_of_a_whole(r, metric::STEAL, 0.2) },
    Pair { rule: "requests-above-the-drive",
        fires: |r| put(r, KNEE, metric::DEVICE_IN_FLIGHT, 4.0),
        // A limit of the control group has its own finding; pauses and syncs empty the queue.
        silent: |r| {
            put(r, KNEE, metric::DEVICE_IN_FLIGHT, 20.0);
            put(r, AIO, metric::DEVICE_IN_FLIGHT, 4.0);
            put(r, AIO, metric::IO_LIMIT_SHARE, 0.99);
            put(r, WRITE, metric::DEVICE_IN_FLIGHT, 4.0);
            say(of(r, WRITE), condition::THINK_AFTER, json!(8));
            put(r, SYNCED, metric::DEVICE_IN_FLIGHT, 4.0);
            say(of(r, SYNCED), condition::SYNC_AFTER, json!(16));
        } },
    Pair { rule: "requests-above-the-drive",
        fires: |r| put(r, KNEE, metric::DEVICE_IN_FLIGHT, 4.0),
        // Adjacent requests were merged into fewer.
        silent: |r| { put(r, KNEE, metric::DEVICE_IN_FLIGHT, 4.0); change(r, KNEE, metric::DEVICE_MERGES, 2e5) } },
    Pair { rule: "requests-above-the-drive",
        fires: |r| put(r, KNEE, metric::DEVICE_IN_FLIGHT, 4.0),
        // The generator waited for a CPU, which is another fault.
        silent: |r| { put(r, KNEE, metric::DEVICE_IN_FLIGHT, 4.0); put(r, KNEE, metric::GENERATOR_WAIT, 0.2) } },
    Pair { rule: "depth-above-tags",
        fires: |r| put(r, KNEE, metric::DEVICE_TAGS, 31.0),
        silent: |r| put(r, KNEE, metric::DEVICE_TAGS, 32.0) },
    Pair { rule: "kernel-workers",
        fires: |r| { put(r, KNEE, metric::DEVICE_IN_FLIGHT, 8.0); say(of(r, KNEE), condition::KERNEL_WORKERS, json!(8)) },
        // Some were started once, and the drives had all requests.
        silent: |r| { put(r, KNEE, metric::DEVICE_IN_FLIGHT, 30.0); say(of(r, KNEE), condition::KERNEL_WORKERS, json!(8)) } },
    Pair { rule: "kernel-workers",
        // Nothing counts what the drives had.
        fires: |r| say(of(r, KNEE), condition::KERNEL_WORKERS, json!(8)),
        silent: |r| say(of(r, BUFFERED), condition::KERNEL_WORKERS, json!(8)) },
    Pair { rule: "others-write-the-drives",
        fires: |r| change(r, WRITE, metric::DEVICE_WRITE_BYTES, 2e6 * 8192.0),
        // Mirrors write everything twice.
        silent: |r| { change(r, WRITE, metric::DEVICE_WRITE_BYTES, 2e6 * 8192.0); mirror(r) } },
    Pair { rule: "flush-not-seen",
        fires: |r| change(r, APPEND, metric::DEVICE_FLUSHES, 0.0),
        // A drive without a volatile cache isn't sent flushes.
        silent: |r| { change(r, APPEND, metric::DEVICE_FLUSHES, 0.0); write_through(r) } },
    Pair { rule: "flush-not-seen",
        // A mirror one half of which is sent three of ten; together they have more than one for each append.
        fires: |r| { change(r, APPEND, metric::DEVICE_FLUSHES, 1.3e5); put(r, APPEND, metric::DEVICE_FLUSHES_LEAST, 0.3e5) },
        silent: |r| { change(r, APPEND, metric::DEVICE_FLUSHES, 2e5); put(r, APPEND, metric::DEVICE_FLUSHES_LEAST, 0.99e5) } },
    Pair { rule: "flush-not-seen",
        fires: |r| { rename(r, APPEND, LONE); change(r, LONE, metric::DEVICE_FLUSHES, 0.0) },
        // Of committers that share flushes each flush is for several.
        silent: |r| { rename(r, APPEND, SHARED); change(r, SHARED, metric::DEVICE_FLUSHES, 0.0) } },
    Pair { rule: "syncs-not-seen",
        fires: |r| change(r, SYNCED, metric::DEVICE_FLUSHES, 0.0),
        // Sixteen threads may share one flush.
        silent: |r| change(r, SYNCED, metric::DEVICE_FLUSHES, 1e4 / 16.0) },
    Pair { rule: "requests-merged",
        fires: |r| change(r, KNEE, metric::DEVICE_MERGES, 1.1e5),
        silent: |r| change(r, KNEE, metric::DEVICE_MERGES, 0.9e5) },

    Pair { rule: "plain-file-in-dev",
        fires: |r| say(of(r, KNEE), condition::TARGET_KIND, json!("file in /dev")),
        silent: |r| say(of(r, KNEE), condition::TARGET_KIND, json!("block device")) },
    Pair { rule: "data-compressible",
        fires: |r| say(of(r, WRITE), condition::DEDUPE_PERCENT, json!(20)),
        silent: |r| { say(of(r, WRITE), condition::DEDUPE_PERCENT, json!(0)); say(of(r, WRITE), condition::COMPRESS_PERCENT, json!(10)) } },
    Pair { rule: "streams-overlap",
        // Four streams over the same blocks.
        fires: |r| { say(of(r, KNEE), condition::PLACE, json!("same_offsets")); change(r, KNEE, metric::UNIQUE_BYTES, 0.25e6 * 8192.0) },
        // Each has a part of its own, and went round four times.
        silent: |r| { say(of(r, KNEE), condition::PLACE, json!("parts")); change(r, KNEE, metric::UNIQUE_BYTES, 0.25e6 * 8192.0) } },
    Pair { rule: "working-set-in-memory",
        fires: |r| change(r, BUFFERED, metric::UNIQUE_BYTES, 0.9e6 * 8192.0),
        silent: |r| { change(r, BUFFERED, metric::UNIQUE_BYTES, 0.9e6 * 8192.0); say(of(r, BUFFERED), condition::FILE_BYTES, json!(64_u64 << 30)) } },
    Pair { rule: "blocks-read-again",
        fires: |r| change(r, KNEE, metric::UNIQUE_BYTES, 0.4e6 * 8192.0),
        silent: |r| change(r, KNEE, metric::UNIQUE_BYTES, 0.6e6 * 8192.0) },
    Pair { rule: "few-blocks-read-again",
        // A file of 64 KiB.
        fires: |r| change(r, KNEE, metric::UNIQUE_BYTES, 65_536.0),
        silent: |r| { change(r, KNEE, metric::UNIQUE_BYTES, 64e6); change(r, BUFFERED, metric::UNIQUE_BYTES, 65_536.0) } },
    Pair { rule: "sequence-repeated",
        fires: |r| change_one(r, KNEE, metric::SEQUENCE_REPEATED, 1.0),
        silent: |r| remove(r, KNEE, metric::SEQUENCE_REPEATED) },

    Pair { rule: "resident-before",
        fires: |r| change_one(r, BUFFERED, metric::RESIDENT_BEFORE, 0.02),
        silent: |r| change_one(r, BUFFERED, metric::RESIDENT_BEFORE, 0.005) },
    Pair { rule: "zero-blocks",
        fires: |r| change_one(r, KNEE, metric::ZERO_BLOCKS, 0.001),
        // Somebody else's file may hold a few.
        silent: |r| { say(of(r, KNEE), condition::CONTENTS, json!("of others")); change(r, KNEE, metric::ZERO_BLOCKS, 0.04) } },
    Pair { rule: "blocks-never-written",
        fires: |r| { say(of(r, KNEE), condition::CONTENTS, json!("of others")); change_one(r, KNEE, metric::ZERO_BLOCKS, 0.06) },
        silent: |r| { say(of(r, KNEE), condition::CONTENTS, json!("of others")); change_one(r, KNEE, metric::ZERO_BLOCKS, 0.05) } },
    Pair { rule: "short-stroked",
        fires: |r| { small_file(r); queue(r).rotational = Some(true) },
        // A virtual drive says so whatever it is.
        silent: |r| { small_file(r); queue(r).rotational = Some(true); r.hosts[0].platform.hypervisor = Some("KVM".into()) } },
    Pair { rule: "read-just-written",
        fires: small_file,
        silent: |r| { small_file(r); say(of(r, KNEE), condition::CONTENTS, json!("of others")) } },
    Pair { rule: "blocks-of-one-value",
        fires: |r| put(r, KNEE, metric::CONSTANT_BLOCKS, 0.06),
        silent: |r| put(r, KNEE, metric::CONSTANT_BLOCKS, 0.05) },
    Pair { rule: "blocks-are-copies",
        fires: |r| put(r, KNEE, metric::REPEATED_BLOCKS, 0.21),
        silent: |r| put(r, KNEE, metric::REPEATED_BLOCKS, 0.2) },
    Pair { rule: "blocks-compressible",
        fires: |r| put(r, KNEE, metric::COMPRESSIBLE_BLOCKS, 0.51),
        silent: |r| put(r, KNEE, metric::COMPRESSIBLE_BLOCKS, 0.5) },
    Pair { rule: "writes-not-there",
        fires: |r| put(r, WRITE, metric::WRITTEN_LOST, 0.01),
        silent: |r| put(r, WRITE, metric::WRITTEN_LOST, 0.0) },
    Pair { rule: "cpus-hot",
        fires: |r| change(r, KNEE, metric::HEAT_STOPS, 1.0),
        silent: |r| change_one(r, KNEE, metric::HEAT_STOPS, 5.0) },
    Pair { rule: "drive-hot",
        fires: |r| change_one(r, KNEE, metric::DRIVE_HEAT, 1.01),
        silent: |r| change(r, KNEE, metric::DRIVE_HEAT, 1.0) },
    Pair { rule: "unwritten-extents",
        fires: |r| change_one(r, KNEE, metric::UNWRITTEN, 0.01),
        silent: |r| change_one(r, KNEE, metric::UNWRITTEN, 0.0005) },
    Pair { rule: "burst-write",
        fires: |r| say(of(r, WRITE), condition::WRITE_STATE, json!("burst")),
        silent: |r| say(of(r, WRITE), condition::WRITE_STATE, json!("sustained")) },

    Pair { rule: "not-steady",
        // Half the rate at the end of each window.
        fires: |r| of(r, KNEE).series = (0..6).map(|n| series(n, |s| 100e3 * (1.0 - s as f64 / 60.0))).collect(),
        // The same in one window of six: a visitor.
        silent: |r| of(r, KNEE).series[2] = series(2, |s| 100e3 * (1.0 - s as f64 / 60.0)) },
    Pair { rule: "not-steady",
        // Each repeat below the one before.
        fires: |r| samples(r, KNEE, metric::THROUGHPUT, &[120e3, 116e3, 112e3, 108e3, 104e3, 100e3]),
        // Two neighbours the other way round: by chance in 10 of 720 orders, and a ladder has two dozen of them.
        silent: |r| samples(r, KNEE, metric::THROUGHPUT, &[120e3, 116e3, 108e3, 112e3, 104e3, 100e3]) },
    Pair { rule: "settled-lower",
        // From the middle of the fourth window on, 60 % and level.
        fires: |r| of(r, KNEE).series = (0..6).map(|n| series(n, |s| if n * 30 + (s as u32) < 105 { 100e3 } else { 60e3 })).collect(),
        // As much lower, but ragged: somebody else came.
        silent: |r| of(r, KNEE).series = (0..6).map(|n| series(n, |s| {
            if n * 30 + (s as u32) < 105 { 100e3 } else { 60e3 * [0.7, 1.3, 0.9][s % 3] }
        })).collect() },
    Pair { rule: "gaps",
        // Stopped for 2 of 10 s.
        fires: |r| of(r, KNEE).series = (0..6).map(|n| series(n, |s| if (9..15).contains(&s) { 0.0 } else { 100e3 })).collect(),
        // In two windows of six: the median of the others stands.
        silent: |r| of(r, KNEE).series = (0..6).map(|n| series(n, |s| if n < 2 && (9..15).contains(&s) { 0.0 } else { 100e3 })).collect() },
    Pair { rule: "gaps",
        // A limit for a second of one window, lifted again.
        fires: |r| of(r, KNEE).series = vec![series(0, |s| if (9..12).contains(&s) { 500.0 } else { 47e3 })],
        // A drive that collects garbage every other second.
        silent: |r| of(r, KNEE).series = vec![series(0, |s| if s % 6 == 3 { 500.0 } else { 47e3 })] },
    Pair { rule: "one-long-operation",
        fires: |r| put(r, KNEE, metric::LATENCY_MAX, 2.6e9),
        // Each takes as long on a slow device with a deep queue.
        silent: |r| {
            put(r, KNEE, metric::LATENCY_MAX, 2.4e9);
            put(r, WRITE, metric::LATENCY_MAX, 5e9);
            change(r, WRITE, metric::LATENCY_MEAN, 2.5e9);
        } },
    Pair { rule: "wide-spread",
        // One window, which fell from 45 to 6 thousand and came back half way.
        fires: |r| of(r, KNEE).series = vec![series(0, |s| [45e3, 30e3, 6e3, 25e3, 40e3][s / 6])],
        silent: |r| of(r, KNEE).series = vec![series(0, |s| [45e3, 40e3, 36e3, 42e3, 45e3][s / 6])] },
    Pair { rule: "wide-spread",
        fires: |r| interval(r, UPDATE, metric::THROUGHPUT, 14e3, 26e3),
        silent: |r| interval(r, UPDATE, metric::THROUGHPUT, 16e3, 24e3) },
    Pair { rule: "few-repeats",
        fires: |r| of(r, UPDATE).repeats = 2,
        silent: |r| of(r, UPDATE).repeats = 3 },
    Pair { rule: "few-repeats",
        fires: |r| of(r, UPDATE).repeats = 2,
        silent: |r| { of(r, UPDATE).repeats = 1; r.plan.repeats = 1 } },

    Pair { rule: "steal",
        fires: |r| change(r, KNEE, metric::STEAL, 0.02),
        silent: |r| change(r, KNEE, metric::STEAL, 0.009) },
    Pair { rule: "steal-heavy",
        fires: |r| change(r, KNEE, metric::STEAL, 0.06),
        silent: |r| change(r, UPDATE, metric::STEAL, 0.06) },
    Pair { rule: "other-load",
        fires: |r| change(r, KNEE, metric::OTHER_CPUS, 0.3),
        silent: |r| change(r, KNEE, metric::OTHER_CPUS, 0.1) },
    Pair { rule: "other-load",
        // Of 128 CPUs others use one, and it is ours.
        fires: |r| { r.hosts[0].platform.cpu.threads = 128; change(r, KNEE, metric::OTHER_CPUS, 1.0); put(r, KNEE, metric::GENERATOR_WAIT, 0.3) },
        // Of 2 CPUs one, and it is the other one.
        silent: |r| { r.hosts[0].platform.cpu.threads = 2; change(r, KNEE, metric::OTHER_CPUS, 1.0); put(r, KNEE, metric::GENERATOR_WAIT, 0.01) } },
    Pair { rule: "other-load",
        // Threads of the kernel work for us and wait.
        fires: |r| { change(r, KNEE, metric::OTHER_CPUS, 1.9); put(r, KNEE, metric::GENERATOR_WAIT, 0.03); change(r, KNEE, metric::CPU_PRESSURE, 0.9) },
        silent: |r| { change(r, KNEE, metric::OTHER_CPUS, 1.9); put(r, KNEE, metric::GENERATOR_WAIT, 0.03); change(r, KNEE, metric::CPU_PRESSURE, 0.1) } },
    Pair { rule: "other-load",
        // Of the wait others had no more than they ran, the rest was for threads of the kernel that complete our writes.
        fires: |r| { change(r, KNEE, metric::OTHER_CPUS, 0.06); put(r, KNEE, metric::GENERATOR_WAIT, 0.074) },
        silent: |r| { change(r, KNEE, metric::OTHER_CPUS, 0.014); put(r, KNEE, metric::GENERATOR_WAIT, 0.074) } },
    Pair { rule: "other-load",
        // In three of six repeats, and in two: a third of them is none too many.
        fires: |r| { samples(r, KNEE, metric::OTHER_CPUS, &[0.3, 0.0, 0.3, 0.0, 0.3, 0.0]); put(r, KNEE, metric::GENERATOR_WAIT, 0.2) },
        silent: |r| { samples(r, KNEE, metric::OTHER_CPUS, &[0.3, 0.0, 0.3, 0.0, 0.0, 0.0]); put(r, KNEE, metric::GENERATOR_WAIT, 0.2) } },
    Pair { rule: "steal-heavy",
        // One of 64 CPUs lost half of its time.
        fires: |r| { change(r, KNEE, metric::STEAL, 0.008); put(r, KNEE, metric::GENERATOR_STEAL, 0.5) },
        silent: |r| { change(r, KNEE, metric::STEAL, 0.008); put(r, KNEE, metric::GENERATOR_STEAL, 0.08) } },
    Pair { rule: "steal-heavy",
        // Three of six repeats were destroyed.
        fires: |r| samples(r, KNEE, metric::STEAL, &[0.4, 0.0, 0.4, 0.0, 0.4, 0.0]),
        silent: |r| samples(r, KNEE, metric::STEAL, &[0.4, 0.0, 0.4, 0.0, 0.0, 0.0]) },
    Pair { rule: "stood-still",
        // SIGSTOP for 2 of 6 s.
        fires: |r| put(r, KNEE, metric::STOOD_STILL, 0.33),
        silent: |r| { put(r, KNEE, metric::STOOD_STILL, 0.02); put(r, KNEE, metric::CONTINUED, 1.0) } },
    Pair { rule: "stopped-by-signal",
        // SIGSTOP for 200 of 500 ms, of a log.
        fires: |r| put(r, APPEND, metric::CONTINUED, 1.0),
        // A signal without a stop, where it is known that nothing stood still.
        silent: |r| { put(r, KNEE, metric::CONTINUED, 1.0); put(r, KNEE, metric::STOOD_STILL, 0.0); put(r, APPEND, metric::CONTINUED, 0.0) } },
    Pair { rule: "stopped-by-signal",
        fires: |r| put(r, APPEND, metric::FROZEN, 0.4),
        silent: |r| put(r, APPEND, metric::FROZEN, 0.02) },
    Pair { rule: "server-cpus-taken",
        fires: |r| change(r, UPDATE, metric::SERVER_CPUS_TAKEN, 0.2),
        silent: |r| change_one(r, UPDATE, metric::SERVER_CPUS_TAKEN, 0.2) },
    Pair { rule: "cpu-pressure",
        fires: |r| change(r, APPEND, metric::CPU_PRESSURE, 0.2),
        // Eight sessions on two processors wait for one another by design.
        silent: |r| change(r, UPDATE, metric::CPU_PRESSURE, 0.9) },
    Pair { rule: "cpu-pressure",
        fires: |r| { rename(r, APPEND, LONE); change(r, LONE, metric::CPU_PRESSURE, 0.2) },
        silent: |r| { rename(r, APPEND, SHARED); change(r, SHARED, metric::CPU_PRESSURE, 0.2) } },
    Pair { rule: "sentinel-drift",
        fires: |r| change(r, KNEE, metric::SENTINEL_DRIFT, -0.2),
        silent: |r| change(r, KNEE, metric::SENTINEL_DRIFT, 0.08) },
    Pair { rule: "throttled",
        fires: |r| change(r, KNEE, metric::THROTTLED, 6.0),
        silent: |r| { change(r, KNEE, metric::THROTTLED, 4.0); change(r, KNEE, metric::THROTTLED_CPUS, 0.015) } },
    Pair { rule: "throttled",
        // One short window of several is enough, and no whole period need end in it.
        fires: |r| { change(r, KNEE, metric::THROTTLED, 0.0); change_one(r, KNEE, metric::THROTTLED_CPUS, 0.03) },
        silent: |r| change(r, UPDATE, metric::THROTTLED_CPUS, 0.5) },
    Pair { rule: "stopped-by-quota",
        fires: |r| clean::set(of(r, "memory.latency.2m"), metric::THROTTLED_CPUS, 0.4),
        silent: |r| { clean::set(of(r, "memory.latency.2m"), metric::THROTTLED_CPUS, 0.08); change(r, KNEE, metric::THROTTLED_CPUS, 0.9) } },
    Pair { rule: "nothing-moved",
        fires: |r| change_one(r, "memory.bandwidth.read.node0", metric::BANDWIDTH, 0.0),
        silent: |r| change_one(r, "memory.bandwidth.read.node0", metric::BANDWIDTH, 1e6) },
    Pair { rule: "swapping",
        fires: |r| clean::set(of(r, "memory.latency.2m"), metric::SWAPPED_PAGES, 101.0),
        silent: |r| clean::set(of(r, "memory.latency.2m"), metric::SWAPPED_PAGES, 100.0) },
    Pair { rule: "pages-balanced",
        fires: |r| clean::set(of(r, "memory.latency.2m"), metric::BALANCED_PAGES, 800.0),
        // A server's own pages may be moved: its verdict says so.
        silent: |r| clean::set(of(r, UPDATE), metric::BALANCED_PAGES, 800.0) },
    Pair { rule: "server-throttled",
        fires: |r| change(r, UPDATE, metric::THROTTLED, 1.0),
        silent: |r| change(r, KNEE, metric::THROTTLED, 1.0) },

    Pair { rule: "io-limit-changed",
        fires: |r| change_one(r, KNEE, metric::IO_LIMIT_CHANGED, 1.0),
        silent: |r| remove(r, KNEE, metric::IO_LIMIT_CHANGED) },
    Pair { rule: "io-limit-reached",
        fires: |r| clean::set(of(r, KNEE), metric::IO_LIMIT_SHARE, 0.99),
        silent: |r| clean::set(of(r, KNEE), metric::IO_LIMIT_SHARE, 0.85) },

    Pair { rule: "generator-bound",
        fires: |r| change(r, KNEE, metric::GENERATOR_BUSY, 0.95),
        // On the server's own path the processor is part of what is measured.
        silent: |r| change(r, BUFFERED, metric::GENERATOR_BUSY, 0.99) },
    Pair { rule: "generator-bound",
        // The thread itself is at 60 %: its completions interrupt the same CPU.
        fires: |r| { change(r, KNEE, metric::GENERATOR_BUSY, 0.6); put(r, KNEE, metric::GENERATOR_CPU_BUSY, 0.99) },
        silent: |r| { put(r, KNEE, metric::GENERATOR_CPU_BUSY, 0.9); put(r, BUFFERED, metric::GENERATOR_CPU_BUSY, 1.0); put(r, BLOCK_OPEN, metric::GENERATOR_CPU_BUSY, 1.0) } },
    Pair { rule: "depth-cap-reached",
        fires: |r| say(of(r, KNEE), condition::DEPTH_CAP, json!(256)),
        silent: |r| change(r, KNEE, metric::DEPTH, 32.0) },
    Pair { rule: "client-bound",
        fires: |r| change(r, CACHED, metric::CLIENT_BUSY, 0.71),
        // The client alone is meant to be busy.
        silent: |r| { client_alone(r, 2e5); change(r, CACHED, metric::CLIENT_BUSY, 0.69) } },
    Pair { rule: "client-bound",
        // The workloads' 20 000 a second, within 1.4 times or not.
        fires: |r| client_alone(r, 27_900.0),
        silent: |r| client_alone(r, 28_100.0) },
    Pair { rule: "client-bound",
        fires: |r| client_alone(r, 27_900.0),
        // Alone it is asked without TLS.
        silent: |r| {
            client_alone(r, 27_900.0);
            for m in r.measurements.iter_mut().filter(|m| m.layer == Layer::Database) {
                say(m, condition::ENCRYPTION, json!("TLS 1.3 AES_256_GCM_SHA384, server not verified"));
            }
        } },
    Pair { rule: "client-misses-rate",
        fires: |r| { client_alone(r, 2e5); change(r, CLIENT_OPEN, metric::OFFERED, 1.006e5) },
        silent: |r| { client_alone(r, 2e5); change(r, CLIENT_OPEN, metric::OFFERED, 1.004e5) } },
    Pair { rule: "client-misses-rate",
        fires: |r| { client_alone(r, 2e5); change(r, CLIENT_OPEN, metric::ASKED_RATE, 1.006e5) },
        silent: |r| { client_alone(r, 2e5); change(r, CLIENT_OPEN, metric::ASKED_RATE, 1.004e5) } },
    Pair { rule: "cpus-shared",
        fires: |r| say(of(r, UPDATE), condition::CPUS_SHARED, json!(true)),
        silent: |r| { of(r, UPDATE).workload.remove(condition::CPUS_SHARED); } },
    Pair { rule: "overload",
        fires: |r| change(r, OPEN, metric::OFFERED, 20.5e3),
        silent: |r| change(r, OPEN, metric::OFFERED, 20.1e3) },
    Pair { rule: "rate-above-capacity",
        // A job with rate_iops of four times what a limit lets through.
        fires: |r| { rename(r, BLOCK_OPEN, "block.job.a"); change(r, "block.job.a", metric::OFFERED, 4e5) },
        silent: |r| { rename(r, BLOCK_OPEN, "block.job.a"); change(r, "block.job.a", metric::OFFERED, 1.005e5) } },
    Pair { rule: "overload",
        fires: |r| change(r, OPEN, metric::OFFERED, 20.5e3),
        // What a job's rate means, fio says.
        silent: |r| { rename(r, BLOCK_OPEN, "block.job.a"); change(r, "block.job.a", metric::OFFERED, 4e5) } },
    Pair { rule: "generator-late",
        fires: |r| change(r, OPEN, metric::LATENESS_P99, 0.2e6),
        silent: |r| change(r, OPEN, metric::LATENESS_P99, 0.05e6) },
    Pair { rule: "generator-late",
        // Late by much at times, and by how much the slowest were.
        fires: |r| { change(r, OPEN, metric::LATENESS_P99, 0.2e6); on_time(r, 0.90) },
        silent: |r| { change(r, OPEN, metric::LATENESS_P99, 0.2e6); on_time(r, 0.92) } },
    Pair { rule: "generator-slightly-late",
        fires: |r| on_time(r, 0.94),
        silent: |r| on_time(r, 0.96) },
    Pair { rule: "generator-slightly-late",
        fires: |r| on_time(r, 0.92),
        // More than that has the other name.
        silent: |r| on_time(r, 0.90) },
    Pair { rule: "operations-skipped",
        fires: |r| { let allowed = left_over(r); change_one(r, OPEN, metric::SKIPPED, 1.1 * allowed) },
        // What the ends of the windows cut off.
        silent: |r| { let allowed = left_over(r); change_one(r, OPEN, metric::SKIPPED, 0.9 * allowed) } },
    Pair { rule: "fabric-parts-miss-whole",
        fires: |r| fabric(r, metric::SPLIT_UNEXPLAINED_SHARE, -0.051),
        silent: |r| fabric(r, metric::SPLIT_UNEXPLAINED_SHARE, 0.049) },
    Pair { rule: "fabric-cut-short",
        fires: |r| fabric(r, metric::SPLIT_ROUNDS_DONE, 0.99),
        silent: |r| fabric(r, metric::SPLIT_ROUNDS_DONE, 1.0) },
    Pair { rule: "fabric-segments-sent-again",
        fires: |r| fabric(r, metric::RETRANSMITS, 1.0),
        silent: |r| fabric(r, metric::RETRANSMITS, 0.0) },
    Pair { rule: "fabric-both-ends-here",
        fires: |r| on_one_machine(r, true),
        silent: |r| on_one_machine(r, false) },
    Pair { rule: "nvme-connected-again",
        // An outage that lasts is no reconnect yet.
        fires: |r| { put(r, KNEE, metric::RECONNECTS, 0.0); put(r, KNEE, metric::DISCONNECTED, 1.0) },
        silent: |r| { put(r, KNEE, metric::RECONNECTS, 0.0); put(r, KNEE, metric::DISCONNECTED, 0.0) } },
    Pair { rule: "network-drops",
        fires: |r| { put(r, UPDATE, metric::PORT_DROPS, 0.0); put(r, UPDATE, metric::RETRANSMITS, 1.0) },
        silent: |r| { put(r, UPDATE, metric::PORT_DROPS, 0.0); put(r, UPDATE, metric::RETRANSMITS, 0.0) } },
    Pair { rule: "fabric-blocks-never-written",
        fires: |r| fabric(r, metric::ZERO_BLOCKS, 0.051),
        silent: |r| fabric(r, metric::ZERO_BLOCKS, 0.049) },
    Pair { rule: "fabric-memory-behind",
        fires: |r| fabric(r, metric::SPLIT_STORAGE, 999.0),
        silent: |r| fabric(r, metric::SPLIT_STORAGE, 1001.0) },

    Pair { rule: "fabric-cache-behind",
        fires: |r| fabric_says(r, condition::TARGET_STORAGE, "page cache"),
        silent: |r| fabric_says(r, condition::TARGET_STORAGE, "direct") },
    Pair { rule: "fabric-digests-on",
        fires: |r| fabric_says(r, condition::DIGESTS, "header"),
        silent: |r| fabric_says(r, condition::DIGESTS, "none") },

    Pair { rule: "fabric-encrypted",
        fires: |r| fabric_says(r, condition::ENCRYPTION, "TLS 1.3 AES_128_GCM_SHA256, pre-shared key"),
        silent: |r| fabric_says(r, condition::ENCRYPTION, "none") },

    Pair { rule: "far-from-drive",
        fires: |r| { two_nodes(r, 1); r.hosts[0].platform.cpu.allowed = vec![0, 1] },
        // One of its threads was bound to the drive's side.
        silent: |r| {
            two_nodes(r, 1);
            r.hosts[0].platform.cpu.allowed = vec![0, 1];
            let storage = |m: &&mut Measurement| matches!(m.layer, Layer::Block | Layer::Log);
            r.measurements.iter_mut().filter(storage).for_each(|m| say(m, condition::CPUS, json!([1, 2])));
        } },
    Pair { rule: "backlog-grows",
        fires: |r| change(r, BLOCK_OPEN, metric::BACKLOG_GROWTH, 1.1e4),
        silent: |r| change_one(r, BLOCK_OPEN, metric::BACKLOG_GROWTH, 5e4) },
    Pair { rule: "rate-not-offered",
        fires: |r| change(r, BLOCK_OPEN, metric::SENT_RATE, 98e3),
        // The device held the others back, which is overload.
        silent: |r| { change(r, BLOCK_OPEN, metric::SENT_RATE, 98e3); change(r, BLOCK_OPEN, metric::HELD, 2e4) } },
    Pair { rule: "asynchronous-in-name",
        fires: |r| say(of(r, AIO), condition::DIRECT, json!(false)),
        silent: |r| { say(of(r, AIO), condition::DIRECT, json!(false)); change(r, AIO, metric::DEPTH, 1.0); change(r, AIO, metric::IN_FLIGHT, 0.9) } },
    Pair { rule: "submission-blocks",
        fires: |r| { change(r, AIO, metric::SUBMIT_PER_OP, 9.5e3); change(r, AIO, metric::GENERATOR_BUSY, 0.2) },
        // Busy submitting, not asleep in it.
        silent: |r| { change(r, AIO, metric::SUBMIT_PER_OP, 8e3); change(r, AIO, metric::GENERATOR_BUSY, 0.85) } },
    Pair { rule: "io-uring-refused",
        fires: |r| say(of(r, KNEE), condition::IO_URING_REFUSED, json!("kernel.io_uring_disabled = 2")),
        // Threads that were asked for, not fallen back to.
        silent: |r| say(of(r, KNEE), condition::METHOD, json!("threads")) },
    Pair { rule: "least-load",
        fires: |r| say(of(r, KNEE), condition::LEAST_LOAD, json!(true)),
        // A short run that was asked for on the command line is what it says it is.
        silent: |r| { r.plan.quick = true; r.plan.repeats = 2; } },

    Pair { rule: "server-counts-differ",
        fires: |r| change(r, UPDATE, metric::SERVER_TRANSACTIONS, 2.23e5),
        // What one window's end withheld, the next one got.
        silent: |r| samples(r, UPDATE, metric::SERVER_TRANSACTIONS, &[2.1e5, 2.3e5, 2.2e5, 2.2e5, 2.2e5, 2.2e5]) },
    Pair { rule: "cached-lookups-read",
        fires: |r| change(r, CACHED, metric::BLOCK_READS_PER_OP, 0.02),
        silent: |r| change(r, CACHED, metric::BLOCK_READS_PER_OP, 0.005) },
    Pair { rule: "pool-missed",
        fires: |r| batch_read(r, "pool", 0.02),
        // What is asked of the drives is to be read.
        silent: |r| batch_read(r, "drive", 1.0) },
    Pair { rule: "pool-missed-by-updates",
        fires: |r| update_read(r, 600.0),
        // Blocks that were added.
        silent: |r| update_read(r, 50.0) },
    Pair { rule: "cached-rows-in-cpu-caches",
        fires: |r| working_set(r, 16_384.0, 4.0),
        // As many bytes of the caches, in rows that lie closer.
        silent: |r| working_set(r, 16.0 * 16_384.0, 4.0) },
    Pair { rule: "private-tables-shared",
        fires: |r| say(of(r, UPDATE), condition::PRIVATE_TABLES_SHARED, json!(true)),
        silent: |r| say(of(r, UPDATE), condition::PRIVATE_TABLES_SHARED, json!(false)) },
    Pair { rule: "uncached-lookups-hit",
        fires: |r| change(r, UNCACHED, metric::BLOCK_READS_PER_OP, 0.4),
        silent: |r| change(r, UNCACHED, metric::BLOCK_READS_PER_OP, 0.6) },
    Pair { rule: "page-cache-answered",
        fires: |r| change_one(r, UNCACHED, metric::DEVICE_READ_BYTES, 1.7e5 * 8192.0),
        silent: |r| change_one(r, UNCACHED, metric::DEVICE_READ_BYTES, 1.9e5 * 8192.0) },
    Pair { rule: "fewer-flushes-than-commits-need",
        fires: |r| change(r, UPDATE, metric::FLUSHES_PER_OP, 0.0),
        // Eight sessions may share one flush between them.
        silent: |r| change(r, UPDATE, metric::FLUSHES_PER_OP, 0.125) },
    Pair { rule: "commits-not-flushed",
        fires: |r| { change(r, UPDATE, metric::DEVICE_FLUSHES, 3e3) },
        // Of 20 that the server waited for, one.
        silent: |r| { change(r, UPDATE, metric::DEVICE_FLUSHES, 5e3) } },
    Pair { rule: "ladder-commits-not-flushed",
        fires: |r| { rename(r, APPEND, LADDER_COMMIT); change(r, LADDER_COMMIT, metric::DEVICE_FLUSHES, 0.49e5) },
        // Without a flush it is meant to be.
        silent: |r| { rename(r, APPEND, "log.ladder.commit_async.alone"); change(r, "log.ladder.commit_async.alone", metric::DEVICE_FLUSHES, 0.0) } },
    Pair { rule: "commit-faster-than-its-flush",
        fires: |r| commit_beside_write(r, 66e3),
        silent: |r| commit_beside_write(r, 67e3) },
    Pair { rule: "commits-not-written",
        fires: |r| { change(r, UPDATE, metric::DEVICE_WRITE_BYTES, 0.09 * 2e5 * 500.0) },
        silent: |r| { change(r, UPDATE, metric::DEVICE_WRITE_BYTES, 0.11 * 2e5 * 500.0) } },
    Pair { rule: "plan-changed",
        fires: |r| say(of(r, UPDATE), condition::PLAN_AFTER, json!("other")),
        silent: |r| say(of(r, UPDATE), condition::PLAN_AFTER, json!("same")) },
    Pair { rule: "answered-from-index",
        fires: |r| { of(r, UPDATE).id = "database.scan_1".into(); say(of(r, "database.scan_1"), condition::ANSWERED_FROM, json!("index")) },
        // What else is answered from it is meant to be.
        silent: |r| say(of(r, CACHED), condition::ANSWERED_FROM, json!("index")) },
    Pair { rule: "fsync-off",
        fires: |r| say(of(r, UPDATE), condition::SERVER_SETTINGS, json!({ "fsync": "off" })),
        silent: |r| say(of(r, UPDATE), condition::SERVER_SETTINGS, json!({ "fsync": "on", "jit": "off" })) },
    Pair { rule: "full-page-writes-off",
        fires: |r| say(of(r, UPDATE), condition::SERVER_SETTINGS, json!({ "full_page_writes": "off" })),
        silent: |r| say(of(r, UPDATE), condition::FULL_PAGE_WRITES, json!("off")) },
    Pair { rule: "more-flushes-than-commits",
        fires: |r| change(r, UPDATE, metric::FLUSHES_PER_OP, 1.3),
        silent: |r| change(r, UPDATE, metric::FLUSHES_PER_OP, 1.1) },
    Pair { rule: "few-checkpoints",
        fires: |r| samples(r, UPDATE, metric::CHECKPOINTS, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
        silent: |r| samples(r, UPDATE, metric::CHECKPOINTS, &[0.0, 1.0, 0.0, 0.0, 1.0, 0.0]) },
    Pair { rule: "few-checkpoints-quick",
        fires: |r| { r.plan.quick = true; change(r, UPDATE, metric::CHECKPOINTS, 0.0) },
        silent: |r| { r.plan.quick = true; change(r, UPDATE, metric::CHECKPOINTS, 2.0) } },
    Pair { rule: "checkpoint-in-window",
        fires: |r| { placed(r); change_one(r, PLACED, metric::CHECKPOINTS, 1.0) },
        // Elsewhere a checkpoint belongs to the workload.
        silent: |r| { placed(r); change(r, OPEN, metric::CHECKPOINTS, 2.0) } },
    Pair { rule: "few-wait-samples",
        fires: |r| change(r, UPDATE, metric::WAIT_SAMPLES, 30.0),
        silent: |r| change(r, UPDATE, metric::WAIT_SAMPLES, 40.0) },
    Pair { rule: "bundled-server",
        fires: |r| say(of(r, UPDATE), condition::ORIGIN, json!("bundle")),
        silent: |r| say(of(r, UPDATE), condition::ORIGIN, json!("package")) },
    Pair { rule: "server-data-in-memory",
        fires: |r| path(r, Role::Data).file_system.volatile = true,
        silent: |r| path(r, Role::Wal).file_system.volatile = true },

    Pair { rule: "not-durable",
        fires: |r| path(r, Role::Wal).file_system.volatile = true,
        silent: |r| path(r, Role::Data).file_system.volatile = true },
    Pair { rule: "sync-switched-off",
        fires: |r| drive_cache(r, Role::Data, "write through", true),
        // No workload flushed.
        silent: |r| { drive_cache(r, Role::Data, "write through", true); change(r, SYNCED, metric::SYNC_THROUGHPUT, 0.0) } },
    Pair { rule: "flush-switched-off",
        fires: |r| drive_cache(r, Role::Wal, "write through", true),
        // What the drive reports has no such cache; and a flush that is sent.
        silent: |r| { drive_cache(r, Role::Wal, "write through", false); drive_cache(r, Role::Data, "write back", true) } },
    Pair { rule: "sync-implausibly-fast",
        fires: |r| change(r, SYNCED, metric::SYNC_LATENCY_P50, 2e3),
        silent: |r| change(r, SYNCED, metric::SYNC_LATENCY_P50, 12e3) },
    Pair { rule: "commit-wait-above-law",
        fires: |r| { put(r, APPEND, metric::LATENCY_MEAN, 2.1e5); put(r, APPEND, metric::MODEL_LATENCY_MEAN, 1e5) },
        silent: |r| { put(r, APPEND, metric::LATENCY_MEAN, 1.9e5); put(r, APPEND, metric::MODEL_LATENCY_MEAN, 1e5) } },
    Pair { rule: "fewer-commits-per-flush",
        fires: |r| { put(r, APPEND, metric::COMMITS_PER_FLUSH, 4.9); put(r, APPEND, metric::MODEL_COMMITS_PER_FLUSH, 10.0) },
        silent: |r| { put(r, APPEND, metric::COMMITS_PER_FLUSH, 5.1); put(r, APPEND, metric::MODEL_COMMITS_PER_FLUSH, 10.0) } },
    Pair { rule: "wake-up-dominates",
        fires: |r| put(r, APPEND, metric::WAKE_UP_SHARE, 0.51),
        silent: |r| put(r, APPEND, metric::WAKE_UP_SHARE, 0.49) },
    Pair { rule: "no-flush-counted",
        fires: |r| { rename(r, APPEND, "log.ladder.write.dsync.overwrite.8k.alone"); say(of(r, "log.ladder.write.dsync.overwrite.8k.alone"), condition::DURABLE_BY, json!("no flush was counted")) },
        silent: |r| { rename(r, APPEND, "log.ladder.write.dsync.overwrite.8k.alone"); say(of(r, "log.ladder.write.dsync.overwrite.8k.alone"), condition::DURABLE_BY, json!("fua")) } },
    Pair { rule: "tier-on-same-drives",
        fires: |r| { rename(r, APPEND, WITH_TIER); say(of(r, WITH_TIER), condition::SAME_DRIVES, json!("sda")) },
        // The log's own write is on its drives.
        silent: |r| say(of(r, APPEND), condition::SAME_DRIVES, json!("sda")) },
    // Of a hundred writes a second that are due in six windows some are under way at each end.
    Pair { rule: "streams-fall-behind",
        fires: |r| { rename(r, APPEND, "log.streams.8"); behind(r, "log.streams.8", 0.9) },
        silent: |r| { rename(r, APPEND, "log.streams.8"); behind(r, "log.streams.8", 0.985) } },
    Pair { rule: "live-fsync-off",
        fires: |r| live_says(r, condition::FSYNC, "off"),
        silent: |r| live_says(r, condition::FSYNC, "on") },
    Pair { rule: "live-commits-do-not-wait",
        fires: |r| live_says(r, condition::SYNCHRONOUS_COMMIT, "off"),
        silent: |r| live_says(r, condition::SYNCHRONOUS_COMMIT, "local") },
    Pair { rule: "live-no-full-pages",
        fires: |r| live_says(r, condition::FULL_PAGE_WRITES, "off"),
        silent: |r| live_says(r, condition::FULL_PAGE_WRITES, "on") },
    Pair { rule: "live-no-times",
        fires: |r| live_says(r, condition::TRACK_WAL_IO_TIMING, "off"),
        silent: |r| live_says(r, condition::TRACK_WAL_IO_TIMING, "on") },
    Pair { rule: "live-full-pages-dominate",
        fires: |r| live_has(r, metric::FULL_PAGE_SHARE, 0.51),
        silent: |r| live_has(r, metric::FULL_PAGE_SHARE, 0.49) },
    Pair { rule: "live-buffers-full",
        fires: |r| live_has(r, metric::BUFFERS_FULL_PER_WRITE, 0.11),
        silent: |r| live_has(r, metric::BUFFERS_FULL_PER_WRITE, 0.09) },
    Pair { rule: "live-not-flushed",
        fires: |r| live_flushes(r, 90.0),
        silent: |r| live_flushes(r, 110.0) },
    Pair { rule: "live-io-limit-reached",
        fires: |r| live_has(r, metric::IO_LIMIT_SHARE, 0.81),
        silent: |r| live_has(r, metric::IO_LIMIT_SHARE, 0.79) },
    Pair { rule: "live-states-disagree",
        fires: |r| { live_has(r, metric::FLUSH_BUSY, 0.5); put(r, "log.live", metric::FLUSH_SEEN, 0.24) },
        // Where little happens chance decides.
        silent: |r| { live_has(r, metric::FLUSH_BUSY, 0.09); put(r, "log.live", metric::FLUSH_SEEN, 0.0) } },
    Pair { rule: "live-sampling-costs",
        fires: |r| live_has(r, metric::LOOKING_SHARE, 0.021),
        silent: |r| live_has(r, metric::LOOKING_SHARE, 0.019) },
    Pair { rule: "flush-implausibly-fast",
        fires: |r| change(r, APPEND, metric::LATENCY_P50, 8e3),
        silent: |r| change(r, APPEND, metric::LATENCY_P50, 12e3) },
    Pair { rule: "flush-implausibly-fast",
        fires: |r| { rename(r, APPEND, LONE); change(r, LONE, metric::LATENCY_P50, 8e3) },
        silent: |r| { rename(r, APPEND, SHARED); change(r, SHARED, metric::LATENCY_P50, 8e3) } },

    Pair { rule: "clock-backwards",
        fires: |r| change_one(r, "clock.vdso", metric::ERRORS, 1.0),
        silent: |r| remove(r, "clock.vdso", metric::ERRORS) },
    Pair { rule: "clock-source-changed",
        fires: |r| say(of(r, "clock.vdso"), condition::CLOCK_SOURCE_AFTER, json!("hpet")),
        silent: |r| say(of(r, "clock.vdso"), condition::CLOCK_SOURCE, json!("tsc")) },
    Pair { rule: "clock-is-a-system-call",
        fires: |r| change(r, "clock.vdso", metric::COST, 60.0),
        silent: |r| change(r, "clock.vdso", metric::COST, 44.0) },
    Pair { rule: "huge-pages-not-obtained",
        fires: |r| say(of(r, "memory.latency.2m"), condition::PAGE_BYTES, json!(4096)),
        silent: |r| { of(r, "memory.latency.2m").workload.remove(condition::PAGE_BYTES); } },
    Pair { rule: "node-not-obtained",
        fires: |r| say(of(r, "memory.latency.2m"), condition::NODE_SHARE, json!(0.9)),
        silent: |r| say(of(r, "memory.latency.2m"), condition::NODE_SHARE, json!(0.96)) },
    Pair { rule: "moved-off-cpu",
        fires: |r| say(of(r, "memory.latency.2m"), condition::SAMPLES_ON_ANOTHER_CPU, json!(1)),
        silent: |r| say(of(r, "memory.latency.2m"), condition::SAMPLES_ON_ANOTHER_CPU, json!(0)) },
    Pair { rule: "faster-than-memory",
        // One repeat is enough: nothing makes memory faster for a while.
        fires: |r| { say(of(r, "memory.latency.2m"), condition::FOOTPRINT_BYTES, json!(1_u64 << 30)); change_one(r, "memory.latency.2m", metric::COST, 34.0) },
        silent: |r| { say(of(r, "memory.latency.2m"), condition::FOOTPRINT_BYTES, json!(1_u64 << 30)); change(r, "memory.latency.2m", metric::COST, 42.0) } },
    Pair { rule: "faster-than-memory",
        fires: |r| { say(of(r, "memory.latency.2m"), condition::FOOTPRINT_BYTES, json!(1_u64 << 30)); change(r, "memory.latency.2m", metric::COST, 20.0) },
        // SLB over a few pages: the user's own choice.
        silent: |r| { say(of(r, "memory.latency.2m"), condition::FOOTPRINT_BYTES, json!(256_u64 << 20)); change(r, "memory.latency.2m", metric::COST, 5.0) } },
    Pair { rule: "latency-grows-with-footprint",
        fires: |r| say(of(r, "memory.latency.2m"), condition::HALF_OVER_WHOLE, json!(0.74)),
        // On small pages the tables of half of the pages are closer, too.
        silent: |r| {
            let m = of(r, "memory.latency.2m");
            say(m, condition::HALF_OVER_WHOLE, json!(0.7));
            m.id = "memory.latency.4k".into();
        } },
    Pair { rule: "latency-grows-with-footprint",
        fires: |r| {
            let m = of(r, "memory.latency.2m");
            say(m, condition::HALF_OVER_WHOLE, json!(0.5));
            m.id = "memory.latency.far.d32.2m".into();
        },
        silent: |r| say(of(r, "memory.latency.2m"), condition::HALF_OVER_WHOLE, json!(0.79)) },
    Pair { rule: "memory-cache-answers",
        fires: |r| { let m = of(r, "memory.latency.2m"); say(m, condition::FOOTPRINT_BYTES, json!(1_u64 << 30)); say(m, condition::MEMORY_CACHE_BYTES, json!(16_u64 << 30)) },
        silent: |r| { let m = of(r, "memory.latency.2m"); say(m, condition::FOOTPRINT_BYTES, json!(4_u64 << 30)); say(m, condition::MEMORY_CACHE_BYTES, json!(1_u64 << 30)) } },
    Pair { rule: "threads-unequal",
        fires: |r| say(of(r, "memory.bandwidth.read.node0"), condition::SLOWEST_OVER_FASTEST_THREAD, json!(0.45)),
        silent: |r| say(of(r, "memory.bandwidth.read.node0"), condition::SLOWEST_OVER_FASTEST_THREAD, json!(0.55)) },
    Pair { rule: "nodes-unlike-their-distance",
        fires: |r| {
            let m = of(r, "memory.latency.2m");
            m.id = "memory.matrix.latency.from0.to1".into();
            say(m, condition::OVER_ITS_DISTANCE, json!(0.4));
        },
        silent: |r| of(r, "memory.latency.2m").id = "memory.matrix.latency.from0.to1".into() },
    Pair { rule: "footprint-in-cache",
        fires: |r| say(of(r, "memory.latency.2m"), condition::FOOTPRINT_OVER_LLC, json!(3.9)),
        silent: |r| say(of(r, "memory.latency.2m"), condition::FOOTPRINT_OVER_LLC, json!(4.0)) },

    Pair { rule: "block-in-memory",
        fires: |r| drive(r, Role::Data).kind = DeviceKind::Memory,
        silent: |r| { path(r, Role::Wal).file_system.volatile = true; loop_over_the_drive(r) } },
    Pair { rule: "served-by-this-machine",
        fires: |r| drive(r, Role::Data).transport = Some("iscsi (this machine)".into()),
        silent: |r| drive(r, Role::Data).transport = Some("iscsi".into()) },
    Pair { rule: "served-by-this-machine",
        // A namespace or file system over the network, WAL's as well as data's.
        fires: |r| served_to_itself(r, Role::Wal, true),
        silent: |r| served_to_itself(r, Role::Wal, false) },
    Pair { rule: "server-on-served-storage",
        fires: |r| served_to_itself(r, Role::Wal, true),
        silent: |r| { served_to_itself(r, Role::Wal, false); drive(r, Role::Data).transport = Some("nvme (tcp)".into()) } },
    Pair { rule: "target-serves-memory",
        fires: |r| path(r, Role::Wal).file_system.behind = Some("memory".into()),
        silent: |r| path(r, Role::Wal).file_system.behind = Some("cache in front".into()) },
    Pair { rule: "target-cache-behind",
        fires: |r| path(r, Role::Wal).file_system.behind = Some("page cache".into()),
        silent: |r| path(r, Role::Wal).file_system.behind = Some("direct".into()) },
    Pair { rule: "thin-storage",
        fires: |r| thin(r, Some("a thin volume (dm-thin)")),
        // What caches is another rule's.
        silent: |r| { thin(r, None); mapper(r, "linear") } },
    Pair { rule: "drives-unseen",
        fires: |r| { unseen(r, "zfs"); remove_all(r, "block.read", metric::DEVICE_READ_BYTES) },
        // The kernel's client of NFS keeps no copy of what it reads past the page cache; and drives that are seen.
        silent: |r| { unseen(r, "nfs4"); remove_all(r, "block.read", metric::DEVICE_READ_BYTES) } },
    Pair { rule: "cached-device",
        fires: |r| mapper(r, "writecache"),
        silent: |r| mapper(r, "linear") },
    Pair { rule: "network-path",
        fires: |r| path(r, Role::Wal).file_system.network = true,
        silent: |r| path(r, Role::Wal).devices.clear() },
    Pair { rule: "overlay-path",
        fires: |r| path(r, Role::Data).file_system.overlay = true,
        silent: |r| path(r, Role::Data).file_system.kind = "ext4".to_string() },
    Pair { rule: "pcie-link-below-under-load",
        fires: |r| say(of(r, KNEE), condition::LINKS_UNDER_LOAD, loaded((2.5, 4), (8.0, 2))),
        silent: |r| say(of(r, KNEE), condition::LINKS_UNDER_LOAD, loaded((2.5, 4), (16.0, 4))) },
    Pair { rule: "pcie-link-came-up",
        fires: |r| say(of(r, KNEE), condition::LINKS_UNDER_LOAD, loaded((2.5, 4), (16.0, 4))),
        // Part of the way is not up.
        silent: |r| say(of(r, KNEE), condition::LINKS_UNDER_LOAD, loaded((2.5, 4), (8.0, 4))) },
    Pair { rule: "database-beside",
        fires: |r| database(r, vec![Role::Data]),
        silent: |r| database(r, Vec::new()) },

    Pair { rule: "counters-off",
        fires: |r| queue(r).iostats = Some(false),
        silent: |r| queue(r).iostats = None },
    Pair { rule: "device-reads-unchecked",
        fires: |r| remove_all(r, "block.read", metric::DEVICE_READ_BYTES),
        silent: |r| remove(r, KNEE, metric::DEVICE_READ_BYTES) },
    Pair { rule: "device-writes-unchecked",
        fires: |r| remove_all(r, "", metric::DEVICE_WRITE_BYTES),
        silent: |r| remove(r, WRITE, metric::DEVICE_WRITE_BYTES) },
    Pair { rule: "depth-unchecked",
        fires: |r| remove_all(r, "block", metric::IN_FLIGHT),
        silent: |r| remove(r, KNEE, metric::IN_FLIGHT) },
    Pair { rule: "server-uncounted",
        fires: |r| remove_all(r, "database", metric::SERVER_TRANSACTIONS),
        silent: |r| remove(r, UPDATE, metric::SERVER_TRANSACTIONS) },
    Pair { rule: "other-load-unseen",
        fires: |r| { remove_all(r, "", metric::OTHER_CPUS); remove_all(r, "", metric::STEAL) },
        silent: |r| remove_all(r, "", metric::STEAL) },
];

/// The log's measurement as that of a live server, whose settings are conditions.
fn live_says(r: &mut Run, setting: Key<str>, value: &str) {
    rename(r, APPEND, "log.live");
    say(of(r, "log.live"), setting, json!(value));
}

fn live_has(r: &mut Run, name: Metric, value: f64) {
    rename(r, APPEND, "log.live");
    put(r, "log.live", name, value);
}

/// Of 2,000 flushes of the log so many at the drive.
fn live_flushes(r: &mut Run, at_drive: f64) {
    rename(r, APPEND, "log.live");
    put(r, "log.live", metric::FLUSH_RATE, 2_000.0 / 60.0);
    put(r, "log.live", metric::WINDOW, 10e9);
    put(r, "log.live", metric::DEVICE_FLUSHES, at_drive / 6.0);
}

/// The data drives as such ones.
fn lent(r: &mut Run, transport: &str, model: &str) {
    lent_to(r, Role::Data, transport, model);
}

fn lent_to(r: &mut Run, role: Role, transport: &str, model: &str) {
    for device in &mut path(r, role).devices {
        (device.transport, device.model) = (Some(transport.to_string()), Some(model.to_string()));
    }
}

/// A server's commit, beside a durable write that takes 95 µs.
fn commit_beside_write(r: &mut Run, commit_ns: f64) {
    let mut commit = of(r, APPEND).clone();
    commit.id = LADDER_COMMIT.into();
    r.measurements.push(commit);
    change(r, LADDER_COMMIT, metric::LATENCY_P50, commit_ns);
    rename(r, APPEND, "log.ladder.write.fdatasync.overwrite.8k.alone");
}

/// The updates as those of a place for the log, with no checkpoint anywhere in them.
fn placed(r: &mut Run) {
    rename(r, UPDATE, PLACED);
    for name in [metric::CHECKPOINTS, metric::CHECKPOINT_PAGES, metric::CHECKPOINTING] {
        put(r, PLACED, name, 0.0);
    }
}

#[test]
fn a_checkpoint_beside_a_place_shows_by_its_count_its_pages_or_the_checkpointer_at_work() {
    for name in [metric::CHECKPOINTS, metric::CHECKPOINT_PAGES, metric::CHECKPOINTING] {
        let mut run = clean::run();
        placed(&mut run);
        samples(&mut run, PLACED, name, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
        let findings = check(&run);
        let found = findings.iter().find(|finding| finding.id == "checkpoint-in-window");
        let found = found.unwrap_or_else(|| panic!("{name}: {findings:#?}"));
        assert_eq!(found.measurement.as_deref(), Some(PLACED));
    }
}

fn all_pairs() -> impl Iterator<Item = &'static Pair> {
    PAIRS.iter().chain(observed::PAIRS).chain(orders::PAIRS)
}

#[test]
fn a_look_in_order_has_no_findings() {
    let mut run = clean::run();
    observed::look(&mut run);
    assert_eq!(check(&run), Vec::new());
}

#[test]
fn a_mix_of_orders_in_order_has_no_findings() {
    let mut run = clean::run();
    orders::mix(&mut run);
    assert_eq!(check(&run), Vec::new());
}

#[test]
fn a_checkpoint_that_somebody_asked_for_is_not_the_doing_of_the_log() {
    let found = |log_bytes_per_s: f64| {
        let mut run = clean::run();
        let look = observed::look(&mut run);
        observed::setting(look, "max_wal_size", "1GB");
        observed::setting(look, "checkpoint_timeout", "5min");
        look.counted.log_bytes = Some(log_bytes_per_s * 60.0);
        look.counted.checkpoints_requested = Some(2.0);
        check(&run).iter().any(|finding| finding.id == "observed-checkpoints-requested")
    };
    // Half of 1 GiB in five minutes.
    let least = 512.0 * 1024.0 * 1024.0 / 300.0;
    assert!(found(least + 1.0));
    assert!(!found(least - 1.0), "a backup begins with one");
}

#[test]
fn a_server_that_was_looked_at_is_not_beside_drives_that_nobody_measured() {
    let beside = |change: fn(&mut Run)| {
        let mut run = clean::run();
        observed::look(&mut run);
        database(&mut run, vec![Role::Data, Role::Wal]);
        change(&mut run);
        check(&run).iter().any(|finding| finding.id == "database-beside")
    };
    assert!(beside(|_| {}), "drives were measured before the look");
    assert!(!beside(|run| run.measurements.retain(|m| m.layer == Layer::Database)));
    // What a run of another day measured had other company.
    let taken = |run: &mut Run| {
        for m in &mut run.measurements {
            m.conditions.insert(condition::TAKEN_FROM, json!("run 7f3a, 3 days before"));
        }
    };
    assert!(!beside(taken));
}

#[test]
fn a_run_in_order_has_no_findings() {
    assert_eq!(check(&clean::run()), Vec::new());
}

#[test]
fn every_rule_has_a_pair_and_every_pair_a_rule() {
    let paired: BTreeSet<&str> = all_pairs().map(|pair| pair.rule).collect();
    let all: BTreeSet<&str> = rules().iter().map(|rule| rule.id).collect();
    assert_eq!(all.len(), rules().len(), "two rules share an id");
    // Those about machines have theirs in `structure.rs`.
    let of_runs = rules().iter().filter(|rule| !matches!(rule.about, About::Machine));
    let ruled: BTreeSet<&str> = of_runs.map(|rule| rule.id).collect();
    assert_eq!(paired, ruled);
}

#[test]
fn every_rule_fires_on_its_fault_with_figures_as_evidence() {
    for pair in all_pairs() {
        let mut run = clean::run();
        (pair.fires)(&mut run);
        let findings = check(&run);
        let Some(finding) = findings.iter().find(|finding| finding.id == pair.rule) else {
            panic!("{} stayed silent; instead {findings:#?}", pair.rule);
        };
        assert!(!finding.evidence.is_empty(), "{finding:?}");
        assert!(!finding.evidence.contains("NaN"), "{finding:?}");
    }
}

#[test]
fn every_rule_stays_silent_on_a_near_miss() {
    for pair in all_pairs() {
        let mut run = clean::run();
        (pair.silent)(&mut run);
        let findings = check(&run);
        let fired = findings.iter().find(|finding| finding.id == pair.rule);
        assert_eq!(fired, None, "{} fired", pair.rule);
    }
}

#[test]
fn an_empty_run_has_nothing_to_say() {
    let mut run = clean::run();
    run.measurements.clear();
    run.hosts.clear();
    assert_eq!(check(&run), Vec::new());
}

#[test]
fn a_missing_figure_never_fires() {
    // Whatever metric of whatever measurement is taken away, only notes that a check was impossible may follow.
    let whole = clean::run();
    for m in &whole.measurements {
        for metric in &m.metrics {
            let mut run = whole.clone();
            remove(&mut run, &m.id, Metric::named(&metric.name).unwrap());
            for finding in check(&run) {
                assert!(
                    finding.measurement.is_none(),
                    "{} without {}: {finding:?}",
                    m.id,
                    metric.name
                );
            }
        }
    }
}

fn of<'a>(run: &'a mut Run, id: &str) -> &'a mut Measurement {
    run.measurements.iter_mut().find(|m| m.id == id).unwrap_or_else(|| panic!("no {id}"))
}

fn metric_of<'a>(run: &'a mut Run, id: &str, name: Metric) -> &'a mut MetricValue {
    let metrics = &mut of(run, id).metrics;
    metrics.iter_mut().find(|m| m.name == name).unwrap_or_else(|| panic!("no {name} in {id}"))
}

/// In every repeat.
/// Sequential writes of so many times the reads' bandwidth.
fn writes_over_reads(run: &mut Run, times: f64) {
    for (from, id, bandwidth) in [
        (KNEE, "block.read.sequential.1m.knee", 4.0e9),
        (WRITE, "block.write.sequential.1m.knee", 4.0e9 * times),
    ] {
        rename(run, from, id);
        put(run, id, metric::BANDWIDTH, bandwidth);
    }
}

fn change(run: &mut Run, id: &str, name: Metric, value: f64) {
    samples(run, id, name, &[value; REPEATS]);
}

/// The reads as a part of a whole that is as they are but for one figure.
fn part_of_a_whole(run: &mut Run, name: Metric, value: f64) {
    let whole = Measurement { id: "block.together.0".into(), ..of(run, KNEE).clone() };
    run.measurements.push(whole);
    say(of(run, KNEE), condition::PART_OF, json!("block.together.0"));
    put(run, "block.together.0", name, value);
}

/// In the third repeat only.
fn change_one(run: &mut Run, id: &str, name: Metric, value: f64) {
    metric_of(run, id, name).samples[2] = value;
}

/// The 99th percentile of the open loop's latency, without its lateness so much of it.
fn on_time(run: &mut Run, share: f64) {
    let p99 = metric_of(run, OPEN, metric::LATENCY_P99).value;
    put(run, OPEN, metric::ON_TIME_LATENCY_P99, share * p99);
}

/// What windows gave, and the least of the same load before.
fn before(run: &mut Run, id: &str, least: f64, now: &[f64]) {
    samples(run, id, metric::THROUGHPUT, now);
    say(of(run, id), condition::EARLIER_LEAST_PER_S, json!(least));
}

fn samples(run: &mut Run, id: &str, name: Metric, values: &[f64]) {
    let metric = metric_of(run, id, name);
    metric.samples = values.to_vec();
    metric.value = values[0];
}

/// A metric that the clean run hasn't.
fn put(run: &mut Run, id: &str, name: Metric, value: f64) {
    let metric = MetricValue::new(name, value, None, vec![value; REPEATS]);
    let metrics = &mut of(run, id).metrics;
    metrics.retain(|m| m.name != name);
    metrics.push(metric);
}

/// A latency over a fabric, with that figure in each round.
fn fabric(run: &mut Run, name: Metric, value: f64) {
    let mut m = Measurement::new("fabric.split.read.8k", Layer::Fabric);
    m.repeats = REPEATS as u32;
    m.metrics = vec![
        MetricValue::new(metric::SPLIT_LATENCY, 50e3, None, vec![50e3; REPEATS]),
        MetricValue::new(metric::STEAL, 0.0, None, vec![0.0; REPEATS]),
    ];
    m.metrics.push(MetricValue::new(name, value, None, vec![value; REPEATS]));
    run.measurements.push(m);
}

/// Host and target of that latency are one machine, or two.
fn on_one_machine(run: &mut Run, one: bool) {
    fabric(run, metric::RETRANSMITS, 0.0);
    say(of(run, "fabric.split.read.8k"), condition::SAME_MACHINE, json!(one));
}

/// A latency over a fabric that says this of itself.
fn fabric_says(run: &mut Run, key: narrows_model::Key<str>, word: &str) {
    fabric(run, metric::RETRANSMITS, 0.0);
    say(of(run, "fabric.split.read.8k"), key, json!(word));
}

fn rename(run: &mut Run, id: &str, to: &str) {
    of(run, id).id = to.into();
}

/// The rate obtained is that share of what was due.
fn behind(run: &mut Run, id: &str, share: f64) {
    let rate = metric_of(run, id, metric::THROUGHPUT).value;
    put(run, id, metric::OFFERED, rate / share);
}

fn interval(run: &mut Run, id: &str, name: Metric, low: f64, high: f64) {
    let interval = metric_of(run, id, name).interval_95.as_mut().expect("the clean run has one");
    (interval.low, interval.high) = (low, high);
}

fn remove(run: &mut Run, id: &str, name: Metric) {
    of(run, id).metrics.retain(|m| m.name != name);
}

fn remove_all(run: &mut Run, prefix: &str, name: Metric) {
    for m in run.measurements.iter_mut().filter(|m| m.id.starts_with(prefix)) {
        m.metrics.retain(|metric| metric.name != name);
    }
}

fn path(run: &mut Run, role: Role) -> &mut RolePath {
    let roles = &mut run.hosts[0].platform.roles;
    roles.iter_mut().find(|path| path.role == role).expect("both roles are there")
}

/// A link of 16 GT/s x4 at idle and under load.
fn loaded(idle: (f64, u32), now: (f64, u32)) -> Value {
    json!([{
        "address": "0000:41:00.0", "port": "0000:40:01.0",
        "gts": now.0, "width": now.1,
        "idle_gts": idle.0, "idle_width": idle.1,
        "most_gts": 16.0, "most_width": 4,
    }])
}

fn queue(run: &mut Run) -> &mut narrows_model::Queue {
    path(run, Role::Data).devices[0].queue.as_mut().expect("the clean drive has a queue")
}

fn write_through(run: &mut Run) {
    let queue = path(run, Role::Wal).devices[0].queue.as_mut().expect("it has a queue");
    queue.write_cache = Some("write through".to_string());
}

/// What the kernel takes a drive's cache for, and whether the drive says that it is volatile.
fn drive_cache(run: &mut Run, role: Role, kernel: &str, volatile: bool) {
    let queue = path(run, role).devices[0].queue.as_mut().expect("it has a queue");
    queue.write_cache = Some(kernel.to_string());
    queue.drive_cache = Some(narrows_model::DriveCache { volatile, says: "it says so".into() });
}

/// A file of a twentieth of the drive.
fn small_file(run: &mut Run) {
    say(of(run, KNEE), condition::FILE_BYTES, json!(1_920_000_000u64));
}

fn drive(run: &mut Run, role: Role) -> &mut BlockDevice {
    &mut path(run, role).devices[0]
}

/// A loop device over a file on the drive's file system.
fn loop_over_the_drive(run: &mut Run) {
    let devices = &mut path(run, Role::Data).devices;
    let name = devices[0].name.clone();
    let upper = BlockDevice {
        name: "loop0".to_string(),
        kind: DeviceKind::Loop,
        transport: None,
        slaves: vec![name],
        ..devices[0].clone()
    };
    devices.insert(0, upper);
}

/// A file system over the network under a role, of this machine itself or of another.
fn served_to_itself(run: &mut Run, role: Role, itself: bool) {
    let path = path(run, role);
    path.devices.clear();
    path.file_system.kind = "nfs4".to_string();
    path.file_system.network = true;
    path.file_system.this_machine = itself;
}

fn thin(run: &mut Run, what: Option<&str>) {
    let queue = drive(run, Role::Wal).queue.get_or_insert_default();
    queue.thin = what.map(str::to_string);
}

fn unseen(run: &mut Run, kind: &str) {
    let path = path(run, Role::Data);
    path.devices.clear();
    path.file_system.kind = kind.to_string();
}

/// A device of the mapper with that kind of stretch, above the drive.
fn mapper(run: &mut Run, kind: &str) {
    mirror(run);
    let device = &mut path(run, Role::Data).devices[0];
    (device.kind, device.name) = (DeviceKind::Mapper, "dm-0".to_string());
    let target = MapperTarget { kind: kind.to_string(), ..MapperTarget::default() };
    let mapped =
        MapperDevice { name: "dm-0".into(), targets: vec![target], ..MapperDevice::default() };
    run.hosts[0].platform.devices.mapped.push(mapped);
}

/// A limit beside a figure, of which that share was measured.
fn limited(run: &mut Run, id: &str, basis: LimitBasis, share: f64) {
    of(run, KNEE).limits.push(LimitShare {
        id: id.to_string(),
        basis,
        value: 8e9,
        unit: Unit::BytesPerS,
        share,
        source: "PCIe 4.0 x4".to_string(),
    });
}

fn mirror(run: &mut Run) {
    let devices = &mut path(run, Role::Data).devices;
    let mut raid = devices[0].clone();
    raid.kind = narrows_model::DeviceKind::Raid;
    raid.level = Some("raid1".to_string());
    raid.slaves = vec![devices[0].name.clone()];
    devices.insert(0, raid);
}

/// Two nodes with two processors each; all drives at `drives_at`.
fn two_nodes(run: &mut Run, drives_at: u32) {
    let platform = &mut run.hosts[0].platform;
    let node = |id: u32, cpus: Vec<u32>| NumaNode {
        id,
        cpus,
        memory_bytes: 8 << 30,
        distances: vec![10, 21],
        ..NumaNode::default()
    };
    platform.nodes = vec![node(0, vec![0, 1]), node(1, vec![2, 3])];
    let devices = platform.roles.iter_mut().flat_map(|path| &mut path.devices);
    devices.for_each(|device| device.numa_node = Some(drives_at));
}

/// Operations that the ends of all windows of the open loop may leave over.
fn left_over(run: &mut Run) -> f64 {
    let m = of(run, OPEN);
    let figure = |name: Metric| m.value(name).expect("the clean run has it");
    let waiting = figure(metric::THROUGHPUT) * figure(metric::LATENCY_MEAN) / 1e9 + 1.0;
    waiting * (REPEATS as f64 + 3.0 * (REPEATS as f64).sqrt())
}

/// The client against a server that does nothing, in both loops.
fn client_alone(run: &mut Run, per_s: f64) {
    for (id, kind, per_s) in
        [("database.client", "closed", per_s), (CLIENT_OPEN, "open", per_s / 2.0)]
    {
        let mut m = Measurement::new(id, Layer::Database);
        m.repeats = REPEATS as u32;
        say(&mut m, condition::LOOP, json!(kind));
        for name in [metric::THROUGHPUT, metric::OFFERED, metric::ASKED_RATE] {
            clean::set(&mut m, name, per_s);
        }
        clean::set(&mut m, metric::WINDOW, 10e9);
        clean::set(&mut m, metric::OPERATIONS, per_s * 10.0);
        clean::set(&mut m, metric::CLIENT_BUSY, 0.98);
        // Nothing else happens in such an answer's time.
        clean::set(&mut m, metric::LATENCY_P99, 20e3);
        clean::set(&mut m, metric::LATENESS_P99, 5e3);
        run.measurements.push(m);
    }
}

#[test]
fn the_client_alone_is_in_order_when_it_is_its_own_limit() {
    let mut run = clean::run();
    client_alone(&mut run, 2e5);
    assert_eq!(check(&run), Vec::new());
}

fn database(run: &mut Run, shares_role: Vec<Role>) {
    run.hosts[0].platform.databases.push(RunningDatabase {
        kind: "postgresql".to_string(),
        pid: 1234,
        data_dir: None,
        shares_role,
    });
}

/// One commit in ten operations needs a tenth of the flushes, and blocks are judged one by one.
#[test]
fn mixes_and_operations_of_several_blocks_are_judged_by_commit_and_by_block() {
    let fires = |rule: &str, change: fn(&mut Run)| {
        let mut run = clean::run();
        change(&mut run);
        narrows_validity::check(&run).iter().any(|finding| finding.id == rule)
    };
    let tenth: fn(&mut Run) = |r| {
        add(r, UPDATE, metric::COMMITS_PER_OP, 0.1);
        change(r, UPDATE, metric::FLUSHES_PER_OP, 0.0125);
    };
    assert!(!fires("fewer-flushes-than-commits-need", tenth));
    let more: fn(&mut Run) = |r| {
        add(r, UPDATE, metric::COMMITS_PER_OP, 0.1);
        change(r, UPDATE, metric::FLUSHES_PER_OP, 0.2);
    };
    assert!(fires("more-flushes-than-commits", more));
    let many: fn(&mut Run) = |r| {
        add(r, CACHED, metric::BLOCKS_PER_OP, 64.0);
        change(r, CACHED, metric::BLOCK_READS_PER_OP, 0.3);
    };
    assert!(!fires("cached-lookups-read", many));
}

fn batch_read(run: &mut Run, from: &str, reads_per_op: f64) {
    const BATCH: &str = "database.batch";
    of(run, CACHED).id = BATCH.into();
    say(of(run, BATCH), condition::FROM, json!(from));
    change(run, BATCH, metric::BLOCK_READS_PER_OP, reads_per_op);
}

/// Rows of cached lookups in 128 MiB, which are so many times the last-level caches.
fn working_set(run: &mut Run, keys: f64, of_caches: f64) {
    let cached = &mut of(run, CACHED).workload;
    cached.insert(condition::KEYS, json!(keys));
    cached.insert(condition::WORKING_SET_BYTES, json!(128 << 20));
    cached.insert(condition::WORKING_SET_OF_CACHE, json!(of_caches));
}

fn update_read(run: &mut Run, read_time_ns: f64) {
    say(of(run, UPDATE), condition::FROM, json!("pool"));
    add(run, UPDATE, metric::BLOCK_READS_PER_OP, 0.1);
    clean::set(of(run, UPDATE), metric::SERVER_READ_TIME_PER_OP, read_time_ns);
}

fn add(run: &mut Run, id: &str, name: Metric, value: f64) {
    clean::set(of(run, id), name, value);
}
