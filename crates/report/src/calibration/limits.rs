//! The limits that are known beside the ceiling of a calibration: how much of each was used there, the nearest first.
//!
//! Arithmetic on what the run holds. A limit of which a part isn't known is left out; none is ever understated, so that a
//! used-up one is a reason.

use narrows_model::{Calibration, LimitBasis, Role, Run, Unit};

use super::operation;
use crate::print::{percent, rate, time};

/// A limit used that much is what ends the growth.
const FULL: f64 = 0.9;
/// More than these nobody reads.
const MOST: usize = 4;

/// One limit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    /// `the drive's queue, 256 requests of 98.0 µs each`.
    what: String,
    /// Operations per second it allows.
    per_s: f64,
    /// Of these, done at the ceiling.
    used: f64,
    /// Whether the search itself can't have looked at it.
    beneath: bool,
}

/// What ends the growth: a limit beneath the program that is used up, or what the search saw.
pub(super) fn bound_by(run: &Run, c: &Calibration) -> String {
    let used_up = known(run, c).into_iter().find(|limit| limit.beneath && limit.used > FULL);
    match (used_up, &c.bound) {
        (Some(limit), _) => {
            format!(
                "{}: its limit is {}, and {} of that is used at the ceiling",
                limit.what,
                rate(limit.per_s),
                percent(limit.used)
            )
        }
        (None, Some(bound)) => bound.clone(),
        (None, None) => "an unknown limit".to_string(),
    }
}

/// The limits in words, the nearest first; `None` where none is known.
pub(super) fn limits(run: &Run, c: &Calibration) -> Option<String> {
    let known = known(run, c);
    let each = |limit: &Known| {
        format!("{} at most by {} ({} used)", rate(limit.per_s), limit.what, percent(limit.used))
    };
    let all: Vec<String> = known.iter().take(MOST).map(each).collect();
    (!all.is_empty()).then(|| format!("closest first: {}", all.join("; ")))
}

fn known(run: &Run, c: &Calibration) -> Vec<Known> {
    let Some(ceiling_per_s) = c.ceiling_per_s.filter(|per_s| *per_s > 0.0) else {
        return Vec::new();
    };
    let mut all: Vec<Known> = attached(run, c)
        .into_iter()
        .map(|(what, per_s)| (what, per_s, true))
        .chain(queue(run, c).map(|(what, per_s)| (what, per_s, true)))
        .chain(processors(run, c).map(|(what, per_s)| (what, per_s, false)))
        .chain(c.generator_per_s.map(|per_s| ("the load generator".to_string(), per_s, false)))
        .filter(|(_, per_s, _)| per_s.is_finite() && *per_s > 0.0)
        .map(|(what, per_s, beneath)| Known { what, per_s, used: ceiling_per_s / per_s, beneath })
        .collect();
    all.sort_by(|a, b| b.used.total_cmp(&a.used));
    all
}

/// Links and limits of the control group stand beside the ceiling's own windows.
fn attached(run: &Run, c: &Calibration) -> Vec<(String, f64)> {
    let Some(m) = run.measurement(&format!("{}.ceiling", c.id)) else { return Vec::new() };
    let mut found: Vec<(String, f64)> = Vec::new();
    for limit in m.limits.iter().filter(|limit| limit.basis != LimitBasis::Raw) {
        let per_s = match limit.unit {
            Unit::OpsPerS => limit.value,
            Unit::BytesPerS => limit.value / f64::from(c.goal.block_bytes.max(1)),
            _ => continue,
        };
        let what = match limit.id.split_once(':') {
            Some(("pcie", drive)) => {
                let link = limit.source.split(',').next().unwrap_or_default();
                format!("the link of {drive} ({link})")
            }
            Some(("cgroup", "cpu")) => "the control group's CPU quota".to_string(),
            Some(("cgroup", rest)) => {
                format!("the control group's {}", rest.replace(':', " of "))
            }
            _ => limit.source.clone(),
        };
        // Of one link the lowest of its limits, in bytes or in operations.
        match found.iter_mut().find(|(other, _)| *other == what) {
            Some((_, least)) => *least = least.min(per_s),
            None => found.push((what, per_s)),
        }
    }
    found
}

/// Requests that the drives' queues hold, each for as long as one alone takes; not of commits, many of which are one request.
fn queue(run: &Run, c: &Calibration) -> Option<(String, f64)> {
    if operation(c) == "commit" {
        return None;
    }
    let alone_ns = c.alone_ns.filter(|ns| *ns > 0.0)?;
    let path = run.platform()?.roles.iter().find(|path| path.role == Role::Data)?;
    let mut requests = 0.0;
    for drive in path.drives() {
        let queue = drive.queue.as_ref()?;
        // The kernel's number is of each hardware queue.
        requests += f64::from(queue.nr_requests?) * f64::from(queue.hardware_queues?);
    }
    let what = format!("the drive's queue, {requests:.0} requests of {} each", time(alone_ns));
    (requests > 0.0).then(|| (what, requests * 1e9 / alone_ns))
}

fn processors(run: &Run, c: &Calibration) -> Option<(String, f64)> {
    let each_ns = c.cpu_per_op_ns.filter(|ns| *ns > 0.0)?;
    let cpus = run.platform()?.cpu.allowed.len();
    let what = format!("{cpus} CPUs, {} per operation", time(each_ns));
    (cpus > 0).then(|| (what, cpus as f64 * 1e9 / each_ns))
}
