//! WHAT TO DO about the narrow places, what it may bring, and how to prove it.
//!
//! The sentences are a table by narrow place. Gains are the verdict's bounds, never promises: where the
//! action is not the one that was tested, the row says `+0 to`.

use narrows_model::{Bottleneck, DatabaseChoice, Grade, Key, Run, Validity, Verdict, condition};

use crate::observed;
use crate::print;
use crate::words;

/// One row of WHAT TO DO.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NextRow {
    /// What to do.
    pub action: String,
    /// What it may bring.
    pub expect: String,
    /// A command to type, or `tested above`.
    pub prove: String,
    /// Workloads it helps.
    pub workloads: Vec<String>,
    /// Of a cause that was found: what it is, and what else is known of acting on it.
    pub cause: Option<CauseStep>,
}

/// Beside the action on a cause.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CauseStep {
    /// The cause in a sentence.
    pub summary: String,
    /// A statement to paste that does it.
    pub statement: Option<String>,
    /// What takes it back; empty where nothing has to.
    pub undo: String,
}

/// What one narrow place asks for.
struct Advice {
    narrow: Bottleneck,
    /// The action, as it stands behind "updates: ".
    action: &'static str,
    /// How to see that it helps; `{id}` is the run's id.
    prove: &'static str,
    /// Whether the verdict's test was this very action, so that its effect is what to expect.
    tested_is_action: bool,
}

const ADVICE: &[Advice] = &[
    Advice {
        narrow: Bottleneck::Cpu,
        action: "more or faster CPUs, or less CPU time per operation",
        prove: "the same run on more CPUs",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::CpuQuota,
        action: "raise the CPU quota",
        prove: "the same run after raising it",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::CpuTaken,
        action: "move the other load off these CPUs",
        prove: "the same run without it",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::CpuPerSession,
        action: "more sessions (CPUs are idle), or faster CPUs",
        prove: "narrows run --sessions N",
        tested_is_action: true,
    },
    Advice {
        narrow: Bottleneck::ReadLatency,
        action: "more sessions: each waits for one read at a time, and the drives have capacity left",
        prove: "narrows run --sessions N",
        tested_is_action: true,
    },
    Advice {
        narrow: Bottleneck::ReadRate,
        action: "more memory for shared_buffers and page cache, or drives with more read IOPS",
        prove: "narrows run --data DIR",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::ReadBandwidth,
        action: "drives or links with more throughput",
        prove: "narrows run --data DIR",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::IoLimit,
        action: "raise the I/O limit",
        prove: "the same run after raising it",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::CommitWait,
        action: "a faster WAL flush (WAL on a drive of its own)",
        prove: "narrows run --wal DIR",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::CommitInsideServer,
        action: "check what shares the WAL's drive and file system: a flush takes longer in the server than outside it",
        prove: "narrows run --wal DIR",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::WriteRate,
        action: "drives with more write IOPS, or fewer checkpoints",
        prove: "narrows run --data DIR",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::Lock,
        action: "find the lock in the wait samples; hold it for a shorter time, or spread what it protects",
        prove: "narrows report {id} --html",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::HotThread,
        action: "reduce the work of the one busy process; only faster CPUs help it",
        prove: "narrows report {id} --html",
        tested_is_action: false,
    },
    Advice {
        narrow: Bottleneck::Workers,
        action: "more parallel workers",
        prove: "the same with twice as many workers",
        tested_is_action: true,
    },
    Advice {
        narrow: Bottleneck::Client,
        action: "the server was not the limit; give the load generator more CPUs or its own machine",
        prove: "load from another machine",
        tested_is_action: false,
    },
];

/// One row per workload, the surest and largest gain first: what the same action brings differs between them.
/// Unclear workloads share the last row.
pub(crate) fn next_rows(run: &Run) -> Vec<NextRow> {
    // By confidence, then what was tried before what is only bounded, then by gain.
    let mut ranked: Vec<(Grade, bool, f64, NextRow)> = Vec::new();
    let mut unclear: Vec<String> = Vec::new();
    let mut rows_open: Vec<NextRow> = Vec::new();
    let explain = format!("narrows report {} --explain", run.id);
    let mut of_causes: Vec<NextRow> = Vec::new();
    for v in &run.verdicts {
        of_causes.extend(observed::cause_rows(run, v));
        // Hardware only where nobody stands out.
        if observed::stands_out(run, v) {
            continue;
        }
        let invalid =
            run.measurement(&v.measurement).is_some_and(|m| m.validity == Validity::Invalid);
        let advice = ADVICE.iter().find(|a| a.narrow == v.narrow);
        let plural = words::workload_plural(&v.workload, v.operating_point.workers);
        let Some(advice) =
            advice.filter(|_| v.grade != Grade::Undecided && v.or.is_none() && !invalid)
        else {
            match observed::unclear(run, v, &plural) {
                // What stands before an answer is all that there is to do.
                Some(_) if observed::first_step(run, v).is_some() => {}
                Some(_) if observed::is_told_by_causes(run, v) => {}
                Some(row) => rows_open.push(row),
                None => match between(run, v, "run again").filter(|_| !run.plan.quick) {
                    Some(action) => add(&mut rows_open, action, plural, explain.clone()),
                    None => unclear.push(plural),
                },
            }
            continue;
        };
        let (gain, expect) = expectation(run, advice, v);
        ranked.extend(shorter_reads(run, advice, v, &plural));
        let tested = v.test.as_ref().is_some_and(|t| t.confirms) && advice.tested_is_action;
        let (action, command) = action(run, advice, v);
        let prove = if tested { "tested above".to_string() } else { command };
        let workloads = vec![plural];
        let row = NextRow { action, expect, prove, workloads, ..NextRow::default() };
        ranked.push((v.grade, tested, gain, row));
    }
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2)));
    let ranked = ranked.into_iter().map(|(.., row)| row);
    let first = observed::first_steps(run).into_iter();
    let mut rows: Vec<NextRow> = first.chain(of_causes).chain(ranked).chain(rows_open).collect();
    if !unclear.is_empty() {
        let action = if run.plan.quick {
            "undecided: do a full run (narrows run)"
        } else {
            "undecided: run it again, best on an idle machine"
        };
        rows.push(NextRow {
            action: action.to_string(),
            expect: "-".to_string(),
            prove: explain,
            workloads: unclear,
            ..NextRow::default()
        });
    }
    rows
}

/// What to do about two limits that lie too close together where the figures are valid: whoever does it `again` as it was finds them there
/// again.
pub(crate) fn between(run: &Run, v: &Verdict, again: &str) -> Option<String> {
    let valid = run.measurement(&v.measurement).is_some_and(|m| m.validity == Validity::Valid);
    let or =
        v.or.filter(|or| valid && *or != Bottleneck::Unknown && v.narrow != Bottleneck::Unknown)?;
    Some(format!(
        "{} or {}: change one and {again}; the other may hold the rate where it is",
        v.narrow.words(),
        or.words()
    ))
}

/// Adds a row, or the workload to the row that says the same.
fn add(rows: &mut Vec<NextRow>, action: String, plural: String, prove: String) {
    match rows.iter_mut().find(|row| row.action == action) {
        Some(row) => row.workloads.push(plural),
        None => {
            let (expect, workloads) = ("-".to_string(), vec![plural]);
            rows.push(NextRow { action, expect, prove, workloads, ..NextRow::default() });
        }
    }
}

/// Whether the sessions pause by themselves for more than half of their time.
fn pauses(v: &Verdict) -> bool {
    let point = &v.operating_point;
    point.think_ns * 1e-9 * v.throughput_per_s > 0.5 * f64::from(point.sessions)
}

/// `commit_delay` of the server, µs as it is set, where commits are what is waited for and it is at least half of that wait: a setting
/// comes before a device.
fn delays_commits<'a>(run: &'a Run, v: &Verdict) -> Option<&'a str> {
    const COMMIT_DELAY: Key<str> = condition::COMMIT_DELAY.inside(condition::SERVER_SETTINGS);
    if !matches!(v.narrow, Bottleneck::CommitWait | Bottleneck::CommitInsideServer) {
        return None;
    }
    let ours = || run.measurement(&v.measurement)?.conditions.get(COMMIT_DELAY);
    let seen = run.observations.iter().find(|seen| seen.measurement == v.measurement);
    let theirs = seen.and_then(|seen| seen.setting("commit_delay")).map(|set| set.value.as_str());
    // A delay that is short beside what commits wait is not what they wait for.
    let flush = v.sum.as_ref()?.terms.iter().find(|term| term.name == "flush")?;
    let explains = |delay: &&str| {
        delay.parse::<f64>().is_ok_and(|us| us > 0.0 && us * 1e3 * 2.0 >= flush.ns_per_op)
    };
    theirs.or_else(ours).filter(explains)
}

/// The action and how to prove it. Where more CPUs do not scale, they are not advised; where our own server had a part of
/// the machine's CPUs only, that is the first thing to change.
fn action(run: &Run, advice: &Advice, v: &Verdict) -> (String, String) {
    let had = run.plan.server_cpus.len();
    let all = run.platform().map_or(0, |p| p.cpu.threads as usize);
    let ours = run.plan.database == DatabaseChoice::Managed;
    if let Some(delay) = delays_commits(run, v) {
        let action = format!(
            "commit_delay = 0: before a flush a commit waits up to {delay} µs for others to join, however fast the drive is"
        );
        return (action, "observe again after setting it".to_string());
    }
    if let Some((action, prove)) = observed::advice(run, v) {
        return (action, prove.replace("{id}", &run.id));
    }
    let prove = advice.prove.replace("{id}", &run.id);
    if advice.narrow == Bottleneck::Client && pauses(v) {
        let action =
            "nothing in the server: its sessions pause for most of their time; use more sessions";
        (action.to_string(), "the same with twice as many sessions".to_string())
    } else if advice.narrow != Bottleneck::Cpu {
        (advice.action.to_string(), prove)
    } else if v.sharing.as_ref().is_some_and(|sharing| sharing.limits_scaling) {
        let action =
            "faster CPUs or less CPU time per operation; more CPUs gain less than their share";
        (action.to_string(), "the same run on faster CPUs".to_string())
    } else if ours && had > 0 && had < all {
        let had = format!("the server had {had} of {all} here");
        (format!("more CPUs ({had}), or less CPU time per operation"), prove)
    } else {
        (advice.action.to_string(), prove)
    }
}

/// Sessions that wait for reads have two ways out, and the law bounds the other one too: reads that take no time.
fn shorter_reads(
    run: &Run,
    advice: &Advice,
    v: &Verdict,
    plural: &str,
) -> Option<(Grade, bool, f64, NextRow)> {
    let gain = v.gain_at_most.filter(|gain| *gain > 0.0 && gain.is_finite())?;
    let ours = observed::advice(run, v).is_none();
    (advice.narrow == Bottleneck::ReadLatency && ours).then(|| {
        let row = NextRow {
            action: "faster reads (other drives), or fewer of them (more memory)".into(),
            expect: format!("+0 to {}", print::change(gain)),
            prove: "narrows run --data DIR".to_string(),
            workloads: vec![plural.to_string()],
            ..NextRow::default()
        };
        // Bounds come after what was tested.
        (v.grade, false, 0.0, row)
    })
}

/// The effect of the verdict's test as its interval has it, `+38 to +64 %`.
fn tested_range(v: &Verdict) -> Option<String> {
    let interval = v.test.as_ref().filter(|test| test.confirms)?.interval_95.as_ref()?;
    let (low, high) = (print::change(interval.low), print::change(interval.high));
    Some(format!("{} to {high}", low.trim_end_matches(" %")))
}

/// The gain used for ranking, and its text.
fn expectation(run: &Run, advice: &Advice, v: &Verdict) -> (f64, String) {
    let tested = v.gain_tested.filter(|g| *g > 0.0);
    if let Some(gain) = tested.filter(|_| advice.tested_is_action) {
        return (gain, tested_range(v).unwrap_or_else(|| print::change(gain)));
    }
    if delays_commits(run, v).is_some() {
        return (0.0, "unknown".to_string());
    }
    // CPUs that the client went on using are less than CPUs of one's own: a floor.
    let lent = v.test.as_ref().is_some_and(|t| t.confirms && t.measurement.ends_with(".more_cpus"));
    if let (Some(least), Some(most)) = (tested.filter(|_| lent), v.gain_at_most)
        && advice.narrow == Bottleneck::Cpu
        && least < most
        && most.is_finite()
    {
        // What more CPUs give than were tried is in proportion until the next limit, and nobody knows how many there will be.
        let tested = tested_range(v).unwrap_or_else(|| print::change(least));
        return (least, format!("{tested} or more"));
    }
    // A test that took the whole narrow place away bounds the gain as the law does; the smaller bound holds.
    let most = match (tested, v.gain_at_most) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    match most.filter(|g| *g > 0.0 && g.is_finite()) {
        Some(gain) => (gain, format!("+0 to {}", print::change(gain))),
        None => (0.0, "unknown".to_string()),
    }
}

impl NextRow {
    /// `updates: a faster WAL flush (WAL on a drive of its own)`.
    pub fn sentence(&self) -> String {
        format!("{}: {}", self.workloads.join(", "), self.action)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_narrow_place_but_unknown_has_one_sentence() {
        for narrow in Bottleneck::NAMED {
            assert_eq!(ADVICE.iter().filter(|a| a.narrow == narrow).count(), 1, "{narrow:?}");
        }
        assert!(!ADVICE.iter().any(|a| a.narrow == Bottleneck::Unknown));
    }
}
