//! The rules about somebody's server, each on a look in which it fires and in one in which it almost does.

use narrows_model::{
    ActivityState, ActivityWhere, ClassUse, HotProcess, Key, Layer, LiveSetting, LoadChange,
    Measurement, Metric, Observation, ObservedCounts, ObservedProcesses, ObservedSessions,
    ProcessClass, Run, Unknown, condition, metric,
};
use serde_json::json;

use crate::clean::{self, REPEATS, say, set};
use crate::pairs::Pair;

const ID: &str = "database.observed";

#[rustfmt::skip]
pub const PAIRS: &[Pair] = &[
    Pair { rule: "observed-too-short",
        fires: |r| look(r).interval_ns = 9.9e9,
        silent: |r| look(r).interval_ns = 10e9 },
    Pair { rule: "observed-few-samples",
        fires: |r| look(r).activity.samples = 199,
        silent: |r| look(r).activity.samples = 200 },
    Pair { rule: "observed-few-transactions",
        fires: |r| look(r).counted.commits = Some(99.0),
        // Those rolled back count too.
        silent: |r| { let look = look(r); look.counted.commits = Some(60.0); look.counted.rollbacks = Some(40.0) } },
    Pair { rule: "observed-work-without-transactions",
        fires: |r| { let look = look(r); found(look, ProcessClass::Session, ActivityState::Running, 8.0); look.counted.commits = Some(7.0); },
        silent: |r| { let look = look(r); found(look, ProcessClass::Session, ActivityState::Running, 8.0); look.counted.commits = Some(8.0); } },
    // Forty sessions, 1200 samples: 40.2 with the error of the count.
    Pair { rule: "observed-more-time-than-sessions",
        fires: |r| { look(r); figure(r, metric::SUMMED_SESSIONS, 41.1) },
        // Workers are no sessions and have time all the same.
        silent: |r| { found(look(r), ProcessClass::ParallelWorker, ActivityState::Other, 0.04); figure(r, metric::SUMMED_SESSIONS, 41.0) } },
    Pair { rule: "observed-more-time-than-sessions",
        fires: |r| { look(r).counted.connections = Some(0.19 * 120e3); figure(r, metric::SUMMED_SESSIONS, 41.1) },
        // A session that begins or ends is found by nobody and takes its time.
        silent: |r| { look(r).counted.connections = Some(0.21 * 120e3); figure(r, metric::SUMMED_SESSIONS, 41.1) } },
    Pair { rule: "observed-more-account-than-sessions",
        fires: |r| look(r).counted.active_ns = Some(42.4 * 60e9),
        silent: |r| look(r).counted.active_ns = Some(42.1 * 60e9) },
    // An account is of statements, which connections are not.
    Pair { rule: "observed-more-account-than-sessions",
        fires: |r| { let look = look(r); look.counted.connections = Some(120e3); look.counted.active_ns = Some(42.4 * 60e9) },
        silent: |r| { let look = look(r); look.counted.connections = Some(120e3); look.counted.active_ns = Some(42.1 * 60e9) } },
    Pair { rule: "observed-workers-counted",
        fires: |r| found(look(r), ProcessClass::ParallelWorker, ActivityState::Running, 0.06),
        silent: |r| found(look(r), ProcessClass::ParallelWorker, ActivityState::Running, 0.04) },
    Pair { rule: "observed-counters-reset",
        fires: |r| unknown(look(r), Observation::COUNTERS_RESET),
        silent: |r| unknown(look(r), "WAL flushes") },
    Pair { rule: "observed-load-changed",
        fires: |r| { look(r); spread(r, 0.26) },
        silent: |r| { look(r); spread(r, 0.24) } },
    Pair { rule: "observed-again",
        fires: |r| look(r).load_change = Some(LoadChange { before_ns: 60e9, rate_before: 9e3, rate_since: 2e3 }),
        silent: |r| look(r).load_change = None },
    Pair { rule: "observed-checkpoints-requested",
        fires: |r| checkpoints(look(r), 1.0, 2.0),
        silent: |r| checkpoints(look(r), 1.0, 1.0) },
    Pair { rule: "observed-no-checkpoint",
        fires: |r| checkpoints(look(r), 0.0, 0.0),
        // Who writes nothing needs none.
        silent: |r| { let look = look(r); checkpoints(look, 0.0, 0.0); look.counted.writers = Some(0.0) } },
    Pair { rule: "observed-full-pages",
        fires: |r| { look(r); figure(r, metric::FULL_PAGE_SHARE, 0.51) },
        silent: |r| { look(r); figure(r, metric::FULL_PAGE_SHARE, 0.49) } },
    Pair { rule: "observed-log-buffers-full",
        fires: |r| look(r).counted.log_buffers_full = Some(3_001.0),
        silent: |r| look(r).counted.log_buffers_full = Some(3_000.0) },
    Pair { rule: "observed-sessions-write",
        fires: |r| look(r).counted.session_writes = Some(2_600.0),
        silent: |r| look(r).counted.session_writes = Some(2_400.0) },
    Pair { rule: "observed-temporary-files",
        fires: |r| look(r).counted.temp_bytes = Some(61e6),
        silent: |r| look(r).counted.temp_bytes = Some(59e6) },
    Pair { rule: "observed-buffer-pool-small",
        fires: |r| { look(r).counted.block_reads = Some(60e3) },
        // A pool that is a quarter of the memory is none that is small.
        silent: |r| { let look = look(r); look.counted.block_reads = Some(60e3); setting(look, "shared_buffers", "4GB") } },
    Pair { rule: "observed-idle-in-transaction",
        fires: |r| look(r).sessions.longest_idle_in_transaction_ns = Some(61e9),
        silent: |r| look(r).sessions.longest_idle_in_transaction_ns = Some(59e9) },
    Pair { rule: "observed-prepared-transaction",
        fires: |r| look(r).sessions.oldest_prepared_ns = Some(601e9),
        silent: |r| look(r).sessions.oldest_prepared_ns = Some(599e9) },
    Pair { rule: "observed-slot-holds",
        fires: |r| look(r).sessions.slot_holds = Some(1_000_001.0),
        silent: |r| look(r).sessions.slot_holds = Some(999_999.0) },
    Pair { rule: "observed-old-transaction",
        fires: |r| look(r).sessions.oldest_transaction_ns = Some(601e9),
        silent: |r| look(r).sessions.oldest_transaction_ns = Some(599e9) },
    Pair { rule: "observed-autovacuum",
        fires: |r| found(look(r), ProcessClass::Autovacuum, ActivityState::Running, 0.51),
        // Its launcher waits for something all the time.
        silent: |r| found(look(r), ProcessClass::Autovacuum, ActivityState::Other, 1.0) },
    Pair { rule: "observed-deadlocks",
        fires: |r| look(r).counted.deadlocks = Some(1.0),
        silent: |r| look(r).counted.deadlocks = Some(0.0) },
    Pair { rule: "observed-lock-queue",
        fires: |r| look(r).sessions.most_behind_one = Some(5.0),
        silent: |r| look(r).sessions.most_behind_one = Some(4.0) },
    Pair { rule: "observed-connections-near",
        fires: |r| look(r).sessions.most_open = Some(91.0),
        silent: |r| look(r).sessions.most_open = Some(90.0) },
    Pair { rule: "observed-connection-storm",
        fires: |r| look(r).counted.connections = Some(25_000.0),
        // One a minute is no storm, however little else there is.
        silent: |r| { let look = look(r); look.counted.commits = Some(120.0); look.counted.connections = Some(59.0) } },
    Pair { rule: "observed-quota-stops",
        fires: |r| processes(r).throttled_share = Some(0.06),
        silent: |r| processes(r).throttled_share = Some(0.05) },
    Pair { rule: "observed-other-programs",
        fires: |r| processes(r).other_cpus = Some(0.61),
        silent: |r| processes(r).other_cpus = Some(0.6) },
    Pair { rule: "observed-hot-process",
        fires: |r| hot(r, 0.96),
        silent: |r| hot(r, 0.95) },
    Pair { rule: "server-limits-hidden",
        fires: |r| { look(r); says(r, condition::SERVER_LIMITS, "hidden") },
        silent: |r| { look(r); says(r, condition::SERVER_LIMITS, "seen") } },
    Pair { rule: "observed-not-flushed",
        fires: |r| { look(r); figure(r, metric::DEVICE_FLUSHES, 240.0) },
        silent: |r| { look(r); figure(r, metric::DEVICE_FLUSHES, 260.0) } },
    Pair { rule: "observed-not-written",
        fires: |r| { look(r); figure(r, metric::DEVICE_WRITE_BYTES, 0.39e6) },
        silent: |r| { look(r); figure(r, metric::DEVICE_WRITE_BYTES, 0.41e6) } },
    Pair { rule: "observed-fsync-off",
        fires: |r| { look(r); says(r, condition::FSYNC, "off") },
        silent: |r| { look(r); says(r, condition::FSYNC, "on") } },
    Pair { rule: "observed-no-full-pages",
        fires: |r| { look(r); says(r, condition::FULL_PAGE_WRITES, "off") },
        silent: |r| { look(r); says(r, condition::FULL_PAGE_WRITES, "on") } },
    Pair { rule: "observed-commits-do-not-wait",
        fires: |r| { look(r); says(r, condition::SYNCHRONOUS_COMMIT, "off") },
        silent: |r| { look(r); says(r, condition::SYNCHRONOUS_COMMIT, "local") } },
    Pair { rule: "observed-no-read-times",
        fires: |r| { look(r); says(r, condition::TRACK_IO_TIMING, "off") },
        silent: |r| { look(r); says(r, condition::TRACK_IO_TIMING, "on") } },
    Pair { rule: "observed-no-flush-times",
        fires: |r| { look(r); says(r, condition::TRACK_WAL_IO_TIMING, "off") },
        silent: |r| { look(r); says(r, condition::TRACK_WAL_IO_TIMING, "on") } },
    Pair { rule: "observed-jit-early",
        fires: |r| { let look = look(r); setting(look, "jit", "on"); setting(look, "jit_above_cost", "99999") },
        silent: |r| { let look = look(r); setting(look, "jit", "off"); setting(look, "jit_above_cost", "10") } },
    Pair { rule: "observed-assertions",
        fires: |r| { look(r); says(r, condition::DEBUG_ASSERTIONS, "on") },
        silent: |r| { look(r); says(r, condition::DEBUG_ASSERTIONS, "off") } },
    Pair { rule: "observed-unoptimised",
        fires: |r| flags(look(r), "-Wall -O2 -g -O0"),
        silent: |r| flags(look(r), "-Wall -O0 -g -O2") },
];

/// A minute in which nothing is worth a word.
pub fn look(run: &mut Run) -> &mut Observation {
    let mut m = Measurement::new(ID, Layer::Database);
    m.repeats = REPEATS as u32;
    set(&mut m, metric::THROUGHPUT, 2_000.0);
    set(&mut m, metric::WINDOW, 10e9);
    set(&mut m, metric::OPERATIONS, 20e3);
    set(&mut m, metric::WAL_BYTES_PER_OP, 400.0);
    set(&mut m, metric::BLOCK_READS_PER_OP, 0.01);
    set(&mut m, metric::DEVICE_FLUSHES, 5e3);
    set(&mut m, metric::DEVICE_WRITE_BYTES, 4e6);
    m.series.push(clean::series(0, |_| 2_000.0));
    run.measurements.push(m);
    run.observations.push(Observation {
        consumers: None,
        report: None,
        measurement: ID.into(),
        address: "postgres://app@db7:5432/shop".into(),
        version: "17.2".into(),
        interval_ns: 60e9,
        load_change: None,
        windows: REPEATS as u32,
        counted: ObservedCounts {
            commits: Some(120e3),
            rollbacks: Some(0.0),
            writers: Some(60e3),
            block_hits: Some(940e3),
            block_reads: Some(1_200.0),
            session_writes: Some(0.0),
            checkpoint_writes: Some(9_000.0),
            background_writes: Some(1_000.0),
            temp_bytes: Some(0.0),
            deadlocks: Some(0.0),
            connections: Some(10.0),
            flushes: Some(30e3),
            log_bytes: Some(24e6),
            log_buffers_full: Some(0.0),
            checkpoints_timed: Some(1.0),
            checkpoints_requested: Some(0.0),
            ..ObservedCounts::default()
        },
        activity: narrows_model::Activity { samples: 1_200, ..Default::default() },
        sessions: ObservedSessions {
            open: Some(40.0),
            most_open: Some(44.0),
            allowed: Some(100.0),
            oldest_transaction_ns: Some(1e9),
            oldest_prepared_ns: Some(1e9),
            slot_holds: Some(10.0),
            longest_idle_in_transaction_ns: Some(1e9),
            most_behind_one: Some(0.0),
            ..ObservedSessions::default()
        },
        processes: Some(ObservedProcesses {
            classes: vec![ClassUse { class: ProcessClass::Session, cpus: 1.0, run_queue: None }],
            hot: None,
            machine_cpus: 1.2,
            kernel_cpus: Some(0.1),
            other_cpus: Some(0.1),
            unattributed_cpus: None,
            client_cpus: None,
            yielding_cpus: None,
            other_programs: Vec::new(),
            allowed_cpus: 4.0,
            quota_cpus: None,
            throttled_share: None,
            drive_read_bytes: None,
        }),
        settings: Vec::new(),
        build: Vec::new(),
        capacities_from: Vec::new(),
        cost: Default::default(),
        unknown: Vec::new(),
    });
    let look = run.observations.last_mut().expect("just pushed");
    for (name, value) in [("shared_buffers", "128MB"), ("jit", "on"), ("jit_above_cost", "100000")]
    {
        setting(look, name, value);
    }
    flags(look, "-Wall -O2");
    look
}

pub fn setting(look: &mut Observation, name: &str, value: &str) {
    look.settings.retain(|setting| setting.name != name);
    let source = "configuration file".to_string();
    look.settings.push(LiveSetting { name: name.into(), value: value.into(), source });
}

fn flags(look: &mut Observation, flags: &str) {
    look.build = vec![("CFLAGS".to_string(), flags.to_string())];
}

fn unknown(look: &mut Observation, what: &str) {
    look.unknown.push(Unknown { what: what.into(), needs: "another observation".into() });
}

fn checkpoints(look: &mut Observation, timed: f64, requested: f64) {
    look.counted.checkpoints_timed = Some(timed);
    look.counted.checkpoints_requested = Some(requested);
}

fn found(look: &mut Observation, class: ProcessClass, state: ActivityState, processes: f64) {
    let windows = vec![processes; REPEATS];
    let events = Vec::new();
    look.activity.found.push(ActivityWhere {
        class,
        state,
        processes,
        interval_95: None,
        windows,
        events,
    });
}

fn processes(run: &mut Run) -> &mut ObservedProcesses {
    look(run).processes.as_mut().expect("the look has them")
}

fn hot(run: &mut Run, cpus: f64) {
    let class = ProcessClass::Session;
    processes(run).hot = Some(HotProcess { class, cpus, share_of_windows: 1.0 });
}

fn measurement(run: &mut Run) -> &mut Measurement {
    run.measurements.iter_mut().find(|m| m.id == ID).expect("the look has one")
}

fn says(run: &mut Run, setting: Key<str>, value: &str) {
    say(measurement(run), setting, json!(value));
}

fn figure(run: &mut Run, name: Metric, value: f64) {
    set(measurement(run), name, value);
}

/// The windows' rates differ by so much either way.
fn spread(run: &mut Run, share: f64) {
    let metrics = &mut measurement(run).metrics;
    let rate = metrics.iter_mut().find(|m| m.name == metric::THROUGHPUT).expect("it has a rate");
    let interval = rate.interval_95.as_mut().expect("and an interval");
    (interval.low, interval.high) = (rate.value * (1.0 - share), rate.value * (1.0 + share));
}
