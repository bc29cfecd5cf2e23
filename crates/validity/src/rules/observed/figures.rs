//! Figures of an observed server, for its rules.

use narrows_model::{ActivityState, Observation, ProcessClass, Unit};

use crate::Quantity;
use crate::Quantity::Seen;

pub(super) const TRANSACTIONS: Quantity =
    Seen("transactions", Some(Unit::Count), |o| o.counted.transactions());
pub(super) const SAMPLES: Quantity = Seen("samples of sessions", Some(Unit::Count), |o| {
    // What the server counted itself needs none.
    (!o.activity.counted).then_some(o.activity.samples as f64)
});
pub(super) const AT_WORK: Quantity = Seen("active sessions, mean", Some(Unit::Count), |o| {
    // By a report no session can be missed, however seldom a transaction ends.
    o.activity.sessions_at_work().filter(|_| !o.activity.counted)
});
pub(super) const WORKERS: Quantity = Seen("parallel workers, mean", Some(Unit::Count), |o| {
    let found = o.activity.found.iter().filter(|f| f.class == ProcessClass::ParallelWorker);
    (o.activity.samples > 0).then(|| found.map(|f| f.processes).sum())
});
/// Connections per transaction from which sessions are there for a few transactions only. Judgement.
pub(super) const SHORT_LIVED: f64 = 0.2;
/// [`SESSIONS_THERE`]; unknown where sessions come and go: one that begins or ends is in no list of the server's, and takes CPU time all the same.
pub(super) const LASTING_SESSIONS: Quantity =
    Seen("sessions and workers, counting error included", Some(Unit::Count), |o| {
        let connections = o.per_transaction(o.counted.connections);
        sessions_there(o).filter(|_| connections.is_none_or(|each| each <= SHORT_LIVED))
    });
/// Each of these is in a statement or not: what samples of them may miss is two standard errors of a binomial count.
pub(super) const SESSIONS_THERE: Quantity =
    Seen("sessions and workers, counting error included", Some(Unit::Count), sessions_there);
pub(super) const IN_STATEMENTS: Quantity =
    Seen("sessions in statements by the server's account", Some(Unit::Count), |o| {
        (o.interval_ns > 0.0).then_some(o.counted.active_ns? / o.interval_ns)
    });
pub(super) const LENGTH: Quantity =
    Seen("length of the observation", Some(Unit::Ns), |o| Some(o.interval_ns));
pub(super) const BEFORE: Quantity = Seen("length of the observation before", Some(Unit::Ns), |o| {
    o.load_change.map(|change| change.before_ns)
});
pub(super) const RATE_BEFORE: Quantity =
    Seen("transactions before the change", Some(Unit::OpsPerS), |o| {
        o.load_change.map(|change| change.rate_before)
    });
pub(super) const RATE_SINCE: Quantity =
    Seen("transactions after the change", Some(Unit::OpsPerS), |o| {
        o.load_change.map(|change| change.rate_since)
    });
pub(super) const TIMED: Quantity =
    Seen("timed checkpoints", Some(Unit::Count), |o| o.counted.checkpoints_timed);
pub(super) const REQUESTED: Quantity =
    Seen("requested checkpoints", Some(Unit::Count), |o| o.counted.checkpoints_requested);
pub(super) const REQUESTED_BEYOND_TIMED: Quantity =
    Seen("requested checkpoints beyond timed ones", Some(Unit::Count), |o| {
        let beyond = o.counted.checkpoints_requested? - o.counted.checkpoints_timed?;
        (log_asks_for_checkpoints(o) != Some(false)).then_some(beyond)
    });
pub(super) const ALL_CHECKPOINTS: Quantity = Seen("checkpoints", Some(Unit::Count), |o| {
    Some(o.counted.checkpoints_requested? + o.counted.checkpoints_timed?)
});
pub(super) const WRITERS: Quantity =
    Seen("transactions that wrote", Some(Unit::Count), |o| o.counted.writers);
pub(super) const WRITTEN_BY_SESSIONS: Quantity =
    Seen("share of written blocks that backends wrote", Some(Unit::Ratio), |o| {
        let counted = &o.counted;
        let own = counted.session_writes?;
        let all = own + counted.checkpoint_writes? + counted.background_writes?;
        (all >= WORTH_COUNTING).then_some(own / all)
    });
pub(super) const TEMPORARY: Quantity =
    Seen("temporary files written", Some(Unit::BytesPerS), |o| o.per_s(o.counted.temp_bytes));
pub(super) const HITS: Quantity = Seen("buffer hits", Some(Unit::Ratio), |o| {
    let (hits, reads) = (o.counted.block_hits?, o.counted.block_reads?);
    (hits + reads >= WORTH_COUNTING).then_some(hits / (hits + reads))
});
pub(super) const POOL: Quantity =
    Seen("shared_buffers", Some(Unit::Bytes), |o| bytes(o, "shared_buffers"));
pub(super) const IDLE_IN_TRANSACTION: Quantity =
    Seen("longest idle in transaction", Some(Unit::Ns), |o| {
        o.sessions.longest_idle_in_transaction_ns
    });
pub(super) const OLDEST: Quantity =
    Seen("oldest open transaction", Some(Unit::Ns), |o| o.sessions.oldest_transaction_ns);
pub(super) const PREPARED: Quantity =
    Seen("oldest prepared transaction", Some(Unit::Ns), |o| o.sessions.oldest_prepared_ns);
pub(super) const SLOT_HOLDS: Quantity =
    Seen("transactions since the oldest snapshot of a replication slot", Some(Unit::Count), |o| {
        o.sessions.slot_holds
    });
pub(super) const AUTOVACUUM: Quantity = Seen("active autovacuum workers", Some(Unit::Count), |o| {
    let found = o.activity.found.iter().filter(|f| f.class == ProcessClass::Autovacuum);
    (o.activity.samples > 0)
        .then(|| found.filter(|f| f.state != ActivityState::Other).map(|f| f.processes).sum())
});
pub(super) const DEADLOCKS: Quantity =
    Seen("deadlocks", Some(Unit::Count), |o| o.counted.deadlocks);
pub(super) const CONNECTED: Quantity =
    Seen("most sessions connected at once, of max_connections", Some(Unit::Ratio), |o| {
        o.sessions
            .allowed
            .filter(|allowed| *allowed > 0.0)
            .and_then(|n| Some(o.sessions.most_open? / n))
    });
pub(super) const CONNECTIONS: Quantity =
    Seen("connections made", Some(Unit::OpsPerS), |o| o.per_s(o.counted.connections));
pub(super) const CONNECTIONS_EACH: Quantity =
    Seen("connections made", Some(Unit::CountPerOp), |o| o.per_transaction(o.counted.connections));
pub(super) const HOTTEST: Quantity =
    Seen("CPU time of the busiest process per second", Some(Unit::Ratio), |o| {
        Some(o.processes.as_ref()?.hot.as_ref()?.cpus)
    });
pub(super) const STOPPED: Quantity =
    Seen("share of the quota's periods in which it throttled the server", Some(Unit::Ratio), |o| {
        o.processes.as_ref()?.throttled_share
    });
pub(super) const OTHERS: Quantity =
    Seen("CPUs that other programs used, of those the server may use", Some(Unit::Ratio), |o| {
        let processes = o.processes.as_ref().filter(|p| p.allowed_cpus > 0.0)?;
        Some(processes.strangers_cpus()? / processes.allowed_cpus)
    });
pub(super) const BUFFERS_FULL: Quantity =
    Seen("times that wal_buffers was full, per flush", None, |o| {
        o.counted.flushes.filter(|n| *n > 0.0).and_then(|n| Some(o.counted.log_buffers_full? / n))
    });
pub(super) const BEHIND_ONE: Quantity =
    Seen("most sessions behind one holder of a lock", Some(Unit::Count), |o| {
        o.sessions.most_behind_one
    });
pub(super) const JIT_FROM: Quantity = Seen("jit_above_cost", None, |o| {
    o.setting("jit").filter(|jit| jit.value == "on")?;
    o.setting("jit_above_cost")?.value.parse().ok().filter(|cost: &f64| *cost >= 0.0)
});
pub(super) const UNOPTIMISED: Quantity =
    Seen("builds with -O0, -Og or -Os", Some(Unit::Count), |o| {
        let flags = o.build.iter().find(|(name, _)| name == "CFLAGS").map(|(_, flags)| flags)?;
        // The last -O counts (gcc(1)).
        let last = flags.split_whitespace().rfind(|flag| flag.starts_with("-O"));
        Some(f64::from(u8::from(matches!(last, None | Some("-O0" | "-Og" | "-Os" | "-Oz")))))
    });
pub(super) const RESET: Quantity = Seen("times that counters were reset", Some(Unit::Count), |o| {
    Some(f64::from(u8::from(o.counters_were_reset())))
});

fn sessions_there(o: &Observation) -> Option<f64> {
    let workers = o.activity.found.iter().filter(|f| f.class == ProcessClass::ParallelWorker);
    let there = o.sessions.open? + workers.map(|f| f.processes).sum::<f64>();
    let samples = o.activity.samples as f64;
    (samples > 0.0).then(|| there + 2.0 * (there * 0.25 / samples).sqrt())
}

/// Fewer blocks say nothing about shares of them.
const WORTH_COUNTING: f64 = 1000.0;
/// A minute.
pub(super) const MINUTE_NS: f64 = 60e9;

/// Whether the log grows fast enough to ask for a checkpoint before its time: by `max_wal_size` over one and
/// `checkpoint_completion_target`, which is a half of it at least. Else one was requested: by a backup, a restart, `CHECKPOINT`.
fn log_asks_for_checkpoints(o: &Observation) -> Option<bool> {
    let in_time = o.per_s(o.counted.log_bytes)? * seconds(o, "checkpoint_timeout")?;
    Some(in_time >= bytes(o, "max_wal_size")? / 2.0)
}

/// A time with its unit, as the server shows it: `5min`.
fn seconds(o: &Observation, name: &str) -> Option<f64> {
    let value = &o.setting(name)?.value;
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &value[digits.len()..] {
        "ms" => 1e-3,
        "s" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|n| n * scale)
}

/// A setting with its unit, as the server shows it: `128MB`.
fn bytes(o: &Observation, name: &str) -> Option<f64> {
    let value = &o.setting(name)?.value;
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale = match &value[digits.len()..] {
        "B" | "" => 1.0,
        "kB" => 1024.0,
        "MB" => 1024.0 * 1024.0,
        "GB" => 1024.0 * 1024.0 * 1024.0,
        "TB" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|n| n * scale)
}
