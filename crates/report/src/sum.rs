//! The sum under a verdict, rounded so that it adds up with a pencil.
//!
//! Terms are printed in one unit with common decimals, and the rounding errors are handed out by largest
//! remainder (Hamilton's apportionment), so that the printed terms add up to the printed total exactly; every
//! term stays within one last digit of its value.

use narrows_model::{Bottleneck, Run, Sum, SumKind, Verdict};
use narrows_units::{si, significant};

use crate::print;

/// One part of the sum.
#[derive(Debug, Clone, PartialEq)]
pub struct SumPart {
    /// `CPU`, `read`, `flush`...
    pub name: String,
    /// Time per operation, ns.
    pub ns_per_op: f64,
    /// As printed, without unit.
    pub printed: String,
}

/// The sum as text.
#[derive(Debug, Clone, PartialEq)]
pub struct SumText {
    /// `128 sessions / (CPU 96 + read 131 + other 33 = 260 µs) = 492k/s`.
    pub expression: String,
    /// What stands behind the expression: the measured rate where it differs, sharing.
    pub remarks: Vec<String>,
    /// The parts, for a picture of them.
    pub parts: Vec<SumPart>,
    /// The printed total with its unit.
    pub total: String,
    /// Whether sum and measured rate agree within the verdict's tolerance.
    pub agrees: bool,
    /// What it is: of one resource there is nothing to add up.
    pub label: &'static str,
    /// The rate that it gives over the measured one.
    pub predicted_over_measured: f64,
    /// The largest error that an account kept apart would have shown, relative; `None` without one.
    pub checked_to: Option<f64>,
}

/// The verdict's sum; `None` where it has none.
pub(crate) fn sum_text(run: &Run, verdict: &Verdict) -> Option<SumText> {
    let sum = verdict.sum.as_ref()?;
    let mut terms: Vec<(String, f64)> =
        sum.terms.iter().map(|t| (t.name.clone(), t.ns_per_op)).collect();
    let think_ns = verdict.operating_point.think_ns;
    if sum.kind == SumKind::Session && think_ns > 0.0 && !terms.iter().any(|(n, _)| n == "think") {
        terms.push(("think".to_string(), think_ns));
    }
    let printed = Printed::new(&terms);
    let rate = pencil_rate(sum, printed.total_ns);
    let expression = match sum.kind {
        SumKind::Batch => {
            format!(
                "measured ladder at {} committers: {}",
                print::count(sum.servers),
                print::rate(rate)
            )
        }
        SumKind::Session | SumKind::Capacity => {
            let over = flow(verdict, sum).unwrap_or_else(|| {
                let name = match sum.kind {
                    SumKind::Session if verdict.operating_point.workers.is_some() => "worker",
                    SumKind::Session => "session",
                    SumKind::Capacity => "CPU",
                    SumKind::Batch => unreachable!("has its own text"),
                };
                let plural = if sum.servers == 1.0 { "" } else { "s" };
                let servers = print::count(sum.servers);
                format!("{servers} {name}{plural} / {}", printed.text(sum.kind))
            });
            format!("{over} = {}", print::rate(rate))
        }
    };
    Some(SumText {
        expression,
        remarks: remarks(run, verdict, sum, rate),
        parts: printed.parts,
        total: format!("{} {}", printed.total, printed.unit),
        agrees: sum.agrees,
        label: match sum.kind {
            SumKind::Capacity => "use",
            SumKind::Session | SumKind::Batch => "sum",
        },
        predicted_over_measured: rate / sum.measured_per_s,
        checked_to: sum.checked_to,
    })
}

/// A capacity that is a flow, over what one operation takes of it: `1.50 k reads/s / 0.931 reads`.
fn flow(verdict: &Verdict, sum: &Sum) -> Option<String> {
    let bound = verdict.bounds.iter().find(|bound| bound.resource == verdict.narrow)?;
    let thing =
        bound.capacity_unit.strip_suffix("_per_s").filter(|_| sum.kind == SumKind::Capacity)?;
    let (number, prefix) = si(bound.capacity);
    let demand = significant(bound.demand_per_op, 3);
    Some(format!("{number}{prefix} {thing}/s / {demand} {thing}"))
}

/// What a reader gets from the terms; the ladder's rate is measured, not computed.
fn pencil_rate(sum: &Sum, total_ns: f64) -> f64 {
    match sum.kind {
        SumKind::Batch => sum.predicted_per_s,
        SumKind::Session | SumKind::Capacity if total_ns > 0.0 => sum.servers * 1e9 / total_ns,
        SumKind::Session | SumKind::Capacity => sum.predicted_per_s,
    }
}

fn remarks(run: &Run, verdict: &Verdict, sum: &Sum, rate: f64) -> Vec<String> {
    let mut remarks = Vec::new();
    if rate > 0.0 && (sum.predicted_per_s / rate - 1.0).abs() > 0.01 {
        remarks.push(format!("the run file's sum gives {}", print::rate(sum.predicted_per_s)));
    }
    if !sum.agrees {
        remarks
            .push(format!("does not agree with the measured {}", print::rate(sum.measured_per_s)));
    } else if print::rate(rate) != print::rate(sum.measured_per_s) {
        let off = sum.measured_per_s / rate - 1.0;
        let way = if off < 0.0 { "less" } else { "more" };
        remarks.push(format!("measured {} {way}", print::percent(off.abs())));
    }
    if let Some(share) = sum.checked_to.filter(|_| sum.agrees) {
        remarks.push(format!("checked to ± {}", print::percent(share)));
    }
    let measurement = run.measurement(&verdict.measurement);
    if let Some(commits) = measurement
        .and_then(|m| m.value(narrows_model::metric::COMMITS_PER_FLUSH))
        .filter(|commits| *commits >= 1.5)
    {
        remarks.push(format!("{} commits per flush", significant(commits, 2)));
    }
    remarks.extend(shared(verdict));
    remarks
}

/// What running beside others costs an operation. That it costs nothing, or isn't known, is said only where the CPU is
/// the narrow place, because there it decides whether more cores help.
fn shared(verdict: &Verdict) -> Option<String> {
    let sharing = verdict.sharing.as_ref()?;
    let on_cpu = verdict.or.is_none()
        && matches!(
            verdict.narrow,
            Bottleneck::Cpu
                | Bottleneck::CpuQuota
                | Bottleneck::CpuTaken
                | Bottleneck::CpuPerSession
        );
    let who = if verdict.operating_point.workers.is_some() { "worker" } else { "session" };
    let alone = format!("one {who} alone needs {} CPU", print::time(sharing.alone_ns_per_op));
    let smt = match sharing.smt_factor {
        Some(smt) if smt > 1.0 => format!("SMT × {}, ", significant(smt, 3)),
        _ => String::new(),
    };
    let grown = |ratio: f64| format!("{alone}: {smt}× {}", significant(ratio, 3));
    match sharing.ratio {
        Some(ratio) if sharing.limits_scaling => {
            let clock = match sharing.clock_factor {
                Some(clock) if clock > 1.0 => {
                    format!(
                        ", more than a falling clock explains (× {} at most)",
                        significant(clock, 3)
                    )
                }
                _ => String::new(),
            };
            Some(format!(
                "{} by sharing (memory, caches, locks){clock}, so more CPUs will gain less than their share",
                grown(ratio)
            ))
        }
        Some(ratio) if on_cpu && ratio < 1.0 => {
            Some(format!("{alone}, more than one of many: the cost of sharing is unknown"))
        }
        Some(ratio) if on_cpu && ratio > 1.0 && sharing.clock_factor != Some(1.0) => {
            Some(format!("{}, which sharing or a clock that falls under load may be", grown(ratio)))
        }
        Some(_) if on_cpu => Some(format!("{alone}: {smt}no contention overhead")),
        None if on_cpu => Some(format!("{alone}: SMT and sharing cannot be told apart")),
        _ => None,
    }
}

/// Terms and total in one unit.
struct Printed {
    parts: Vec<SumPart>,
    total: String,
    total_ns: f64,
    unit: &'static str,
}

impl Printed {
    fn new(terms: &[(String, f64)]) -> Self {
        let total_ns: f64 = terms.iter().map(|(_, ns)| ns).sum();
        // A unit in which the total has three or four figures: the parts are smaller and need the digits.
        let (scale, unit) = match total_ns.abs() {
            t if t < 10e3 => (1.0, "ns"),
            t if t < 10e6 => (1e3, "µs"),
            t if t < 10e9 => (1e6, "ms"),
            _ => (1e9, "s"),
        };
        let decimals = match total_ns.abs() / scale {
            t if t < 9.995 => 2,
            t if t < 99.95 => 1,
            _ => 0,
        };
        let steps_per_ns = 10f64.powi(decimals) / scale;
        let values: Vec<f64> = terms.iter().map(|(_, ns)| ns * steps_per_ns).collect();
        let (steps, total_steps) = apportion(&values);
        let show =
            |steps: i64| format!("{:.*}", decimals as usize, steps as f64 / 10f64.powi(decimals));
        let parts = terms
            .iter()
            .zip(steps)
            // A part that prints as zero changes nothing in the reader's sum.
            .filter(|(_, steps)| *steps != 0)
            .map(|((name, ns), steps)| SumPart {
                name: name.clone(),
                ns_per_op: *ns,
                printed: show(steps),
            })
            .collect();
        Printed { parts, total: show(total_steps), total_ns, unit }
    }

    fn text(&self, kind: SumKind) -> String {
        match self.parts.as_slice() {
            [] => format!("{} {}", self.total, self.unit),
            // "96 CPUs / CPU 61 µs" would say it twice.
            [only] if kind == SumKind::Capacity => format!("{} {}", only.printed, self.unit),
            [only] => format!("{} {} {}", only.name, only.printed, self.unit),
            parts => {
                let mut text = String::new();
                for part in parts {
                    let (sign, digits) = match part.printed.strip_prefix('-') {
                        Some(digits) => ("- ", digits),
                        None => ("+ ", part.printed.as_str()),
                    };
                    if !text.is_empty() || sign == "- " {
                        text.push_str(if text.is_empty() { "-" } else { sign });
                    }
                    text.push_str(&format!("{} {digits} ", part.name));
                }
                format!("({}= {} {})", text, self.total, self.unit)
            }
        }
    }
}

/// Whole numbers next to `values` that add up to their rounded sum.
fn apportion(values: &[f64]) -> (Vec<i64>, i64) {
    let total = values.iter().sum::<f64>().round() as i64;
    let mut whole: Vec<i64> = values.iter().map(|v| v.floor() as i64).collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    let rest = |i: &usize| values[*i] - values[*i].floor();
    order.sort_by(|a, b| rest(b).total_cmp(&rest(a)));
    let missing = (total - whole.iter().sum::<i64>()).max(0) as usize;
    for i in order.into_iter().take(missing) {
        whole[i] += 1;
    }
    (whole, total)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn printed_parts_add_up_to_the_printed_total(
            values in proptest::collection::vec(-50.0f64..5e6, 1..8),
        ) {
            let (whole, total) = apportion(&values);
            proptest::prop_assert_eq!(whole.iter().sum::<i64>(), total);
            for (value, whole) in values.iter().zip(&whole) {
                proptest::prop_assert!((value - *whole as f64).abs() <= 1.0);
            }
        }
    }

    #[test]
    fn a_single_part_needs_no_brackets_and_a_negative_one_is_subtracted() {
        let printed = Printed::new(&[("CPU".into(), 61_000.0)]);
        assert_eq!(printed.text(SumKind::Session), "CPU 61.0 µs");
        assert_eq!(printed.text(SumKind::Capacity), "61.0 µs");
        let printed = Printed::new(&[("CPU".into(), 200_000.0), ("other".into(), -13_000.0)]);
        assert_eq!(printed.text(SumKind::Session), "(CPU 200 - other 13 = 187 µs)");
    }
}
