//! Demands of the transactions that were seen on somebody's server by a look at its log.
//!
//! A look counts bytes and flushes of the log and samples what sessions do. It can't know what a transaction took of the
//! processors and of the drives with the data; that stays unknown.

use narrows_model::{LiveLog, LiveWaitKind, Measurement, Metric, Run, Validity, metric};
use narrows_plan::{Amount, Demand, Log, PartKind, TimePart};
use narrows_verdict::Estimate;

use super::{MeasuredDemands, amount};

pub(super) fn demands(run: &Run) -> MeasuredDemands {
    let mut taken = MeasuredDemands::default();
    for log in &run.live_logs {
        match demand(run, log) {
            Ok(demand) => taken.demands.push(demand),
            Err(why) => taken.refused.push(format!("the WAL of {}: {why}", log.address)),
        }
    }
    taken
}

fn demand(run: &Run, log: &LiveLog) -> Result<Demand, String> {
    let measurement = run.measurement(&log.measurement).ok_or("its measurement is missing")?;
    let findings = measurement.findings.join(", ");
    if measurement.validity == Validity::Invalid {
        return Err(format!("it is invalid: {findings}"));
    }
    let counted = &log.counted;
    let rate =
        counted.per_s(counted.wrote()).ok_or("the number of transactions that wrote is unknown")?;
    if rate <= 0.0 {
        return Err("no transaction wrote while observed".to_string());
    }
    let doubted = |name: Metric, value: f64| doubted(measurement, name, value);
    let bytes = counted.per_writer(counted.log_bytes);
    let method = log.sync_method();
    let flush_ns = log.verdict.as_ref().and_then(|verdict| Some(verdict.model.as_ref()?.flush_ns));
    let flush_ns = flush_ns.or_else(|| counted.durable_mean_ns(method)).filter(|ns| *ns > 0.0);
    let sessions: f64 = log.waits.sessions.iter().map(|wait| wait.backends).sum();
    Ok(Demand {
        name: "transaction".to_string(),
        unit: "transaction that wrote",
        rate_per_s: doubted(metric::WRITING_TRANSACTIONS, rate),
        sessions: (log.waits.samples > 0 && sessions > 0.0).then_some(sessions),
        observed: true,
        think_ns: 0.0,
        suspect: (measurement.validity == Validity::Suspect).then_some(findings),
        scan: false,
        cpu_ns: None,
        threads_per_core: 1.0,
        reads: None,
        read_ns: None,
        writes: None,
        log: bytes.map(|bytes| Log {
            bytes: doubted(metric::WAL_BYTES_PER_OP, bytes),
            flushes: counted.per_writer(counted.durable(method)).map(Amount::exact),
            flush_ns: flush_ns.map(|ns| Amount { value: ns, half: None }),
            commits_per_s: None,
        }),
        parts: parts(log),
        unknown: unknown(log),
    })
}

/// A figure over the whole look, with the interval of its windows where it was long enough to have some.
fn doubted(measurement: &Measurement, name: Metric, value: f64) -> Amount {
    let half = measurement.metric(name).and_then(Estimate::of).and_then(|of| of.half);
    amount(Estimate { value, half })
}

/// What a session does for each transaction that wrote.
fn parts(log: &LiveLog) -> Option<Vec<TimePart>> {
    let parts = &log.verdict.as_ref()?.parts;
    let of = |kind: LiveWaitKind| match kind {
        LiveWaitKind::Running => PartKind::Cpu,
        LiveWaitKind::Behind => PartKind::Flush,
        kind if kind.is_at_the_log() => PartKind::Flush,
        _ => PartKind::Other,
    };
    let some: Vec<TimePart> = parts
        .iter()
        .filter(|part| part.per_commit_ns > 0.0)
        .map(|part| TimePart {
            kind: of(part.kind),
            name: word(part.kind).to_string(),
            ns: Amount {
                value: part.per_commit_ns,
                half: part.interval_95.as_ref().map(|i| (i.high - i.low) / 2.0),
            },
        })
        .collect();
    (!some.is_empty()).then_some(some)
}

/// A part in a word, as it stands in a sum.
fn word(kind: LiveWaitKind) -> &'static str {
    match kind {
        LiveWaitKind::Flush => "flush",
        LiveWaitKind::Write => "log write",
        LiveWaitKind::Behind => "another's flush",
        LiveWaitKind::NewFile => "new log file",
        LiveWaitKind::Delay => "commit_delay",
        LiveWaitKind::Standby => "standby",
        LiveWaitKind::Insert => "log insert lock",
        LiveWaitKind::Buffers => "log buffers",
        LiveWaitKind::Lock => "locks",
        LiveWaitKind::Running => "running or ready to",
        LiveWaitKind::Elsewhere => "other waits",
    }
}

fn unknown(log: &LiveLog) -> Vec<String> {
    let mut all = Vec::new();
    if log.waits.samples == 0 {
        all.push("what sessions waited for was not seen".to_string());
    }
    all.extend(
        log.unknown.iter().map(|unknown| format!("{} needs {}", unknown.what, unknown.needs)),
    );
    all
}
