//! Latency by I/O priority, of jobs whose operations have their own: in words, and in fio's layout.

use narrows_facts::io_priority;
use narrows_fio::json::{Latencies, PriorityResult};
use narrows_fio::{IoPriority, Job};
use narrows_io::Op;
use narrows_layer_block::{PriorityLatency, StreamOutcome};
use narrows_stats::Recorder;
use narrows_units::Nanos;

/// A line for each kind of operation and priority.
pub fn sentences(job: &Job, outcome: &StreamOutcome) -> Vec<String> {
    let one = |part: &PriorityLatency| {
        let kind = if part.op == Op::Read { "reads" } else { "writes" };
        let priority = match (part.priority, job.placement.priority) {
            (Some(priority), _) => format!("of priority {}", io_priority::words(priority)),
            (None, Some(own)) => {
                format!("of the job's priority, {}", io_priority::words(own.value()))
            }
            (None, None) => "without a priority of their own".to_string(),
        };
        let count = part.latency.count();
        let share = count as f64 * 100.0 / outcome.of(part.op).operations.max(1) as f64;
        let [p50, p99] = [0.5, 0.99].map(|q| Nanos(part.latency.quantile(q).unwrap_or(0)));
        format!("[{}]: {kind} {priority}: {count}, {share:.1} %; p50 {p50}, p99 {p99}", job.name)
    };
    outcome.priorities.iter().map(one).collect()
}

/// Latencies of that kind, that of the job's own priority first, as in fio.
pub fn in_fio(
    job: &Job,
    outcome: &StreamOutcome,
    op: Op,
    latencies: impl Fn(&Recorder) -> Latencies,
) -> Vec<PriorityResult> {
    let own = job.placement.priority.map_or(0, IoPriority::value);
    let mut parts: Vec<&PriorityLatency> =
        outcome.priorities.iter().filter(|one| one.op == op).collect();
    parts.sort_by_key(|one| one.priority.is_some());
    let one = |part: &&PriorityLatency| {
        let (class, level, hint) = IoPriority::parts(part.priority.unwrap_or(own));
        PriorityResult { class, level, hint, latency: latencies(&part.latency) }
    };
    parts.iter().map(one).collect()
}
