//! What will be run, for the printed plan.

use narrows_layer_database::{Action, Source, Spread};
use narrows_units::{Bytes, Nanos, significant};

use super::working_set::touched_bytes;
use crate::request::database::WorkloadRequest;
use crate::resolved::Resolved;

/// One line.
pub fn in_words(request: &WorkloadRequest, resolved: &Resolved) -> String {
    let task = &request.task;
    let mut parts = vec![task.operation()];
    if task.action != Action::Commit {
        parts.push(match task.source {
            Source::Pool => "from the pool".to_string(),
            Source::Drive => "from the drives".to_string(),
        });
        parts.push(set(request, resolved));
    }
    match task.spread {
        Spread::Uniform => {}
        Spread::Zipf(theta) => parts.push(format!("keys by Zipf's law, exponent {theta}")),
        Spread::Hot { calls, keys } => parts.push(format!(
            "{:.0} % of the calls on {:.0} % of the keys",
            calls * 100.0,
            keys * 100.0
        )),
    }
    if request.private {
        let fewer = if request.sessions.len() > 1 { " (fewer sessions touch less)" } else { "" };
        parts.push(format!("one table per session{fewer}"));
    }
    if !task.think.is_zero() {
        parts.push(format!("think time {} ms on average", task.think.as_secs_f64() * 1e3));
    }
    if let Some(rate) = request.rate_per_s {
        parts.push(format!("{rate} per second in an open loop"));
    }
    if let Some(limit_ns) = request.limit_ns {
        parts.push(format!("the highest rate with p99 within {}", Nanos(limit_ns)));
    }
    if request.load.starts > 1 {
        parts.push(format!("on {} starts of the server", request.load.starts));
    }
    match request.sessions.as_slice() {
        sweep @ [_, _, ..] => {
            let sweep: Vec<String> = sweep.iter().map(u32::to_string).collect();
            parts.push(format!("by {} sessions", sweep.join(", ")));
        }
        _ if task.is_scan() => {}
        _ if resolved.plan.sessions == 1 => parts.push("by 1 session".to_string()),
        _ => parts.push(format!("by {} sessions", resolved.plan.sessions)),
    }
    parts.join(", ")
}

/// The working set in bytes, and in shares of the pool and the memory where these are known before.
fn set(request: &WorkloadRequest, resolved: &Resolved) -> String {
    let plan = &resolved.plan;
    let bytes = touched_bytes(request, resolved);
    let percent = |of: u64| format!("{} %", significant(bytes as f64 / of as f64 * 100.0, 2));
    let mut text = format!("working set {}", Bytes(bytes));
    if resolved.address.is_none() {
        let memory = resolved.platform.memory.total_bytes.max(1);
        text += &format!(
            " ({} of the pool, {} of the memory)",
            percent(plan.shared_buffers_bytes.max(1)),
            percent(memory)
        );
    }
    text
}
