//! What ends jobs by what they do: `rate_min` of each clone, `steadystate` of each clone or of a group that is reported as one.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Result;
use narrows_fio::{Counted, Job, LatencyTarget, MinimumRate, PerDirection, Steady, SteadyValue};
use narrows_layer_block::{
    DepthFound, Judge, Judged, MinimumRate as LeastRate, Missed, Rule, SteadyRule, SteadySeen,
    SteadyValue as Value, Verdict,
};
use narrows_model::{Measurement, condition};
use narrows_units::Bytes;

use super::execute::Done;
use super::job_stream::JobStream;
use super::mapping::refuse;
use super::stage::Stage;
use crate::failure::Failure;
use crate::ui::Ui;

/// Whether each clone has to be looked at by itself.
pub fn apart(job: &Job) -> bool {
    job.minimum.is_some()
        || job.latency_target.is_some()
        || (job.steady.is_some() && !job.group_reporting)
}

/// Whose figures are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whose {
    Clone(usize, Option<u32>),
    Group(usize),
}

/// Gives the streams of a stage those who end them.
///
/// # Errors
/// Jobs of one group that differ in when they are steady; fio rejects these.
pub fn attach(streams: &mut [JobStream], jobs: &[Job]) -> Result<()> {
    check_groups(jobs)?;
    let minimum = |stream: &JobStream| {
        let rule = least(&jobs[stream.job].minimum?);
        Some((Whose::Clone(stream.job, stream.clone), Rule::Minimum(rule)))
    };
    let steady = |stream: &JobStream| {
        let job = &jobs[stream.job];
        let whose = match job.group_reporting {
            true => Whose::Group(job.group),
            false => Whose::Clone(stream.job, stream.clone),
        };
        Some((whose, Rule::Steady(rule(&job.steady?))))
    };
    together(streams, minimum);
    together(streams, steady);
    Ok(())
}

/// One judge for those that belong together.
fn together(streams: &mut [JobStream], of: impl Fn(&JobStream) -> Option<(Whose, Rule)>) {
    let mut groups: BTreeMap<Whose, (Rule, Vec<usize>)> = BTreeMap::new();
    for (number, stream) in streams.iter().enumerate() {
        if let Some((whose, rule)) = of(stream) {
            groups.entry(whose).or_insert((rule, Vec::new())).1.push(number);
        }
    }
    for (rule, members) in groups.into_values() {
        let judge = Judge::of(rule, members.iter().map(|at| streams[*at].threads).sum());
        let mut first = 0;
        for at in members {
            streams[at].judged.push(Judged { judge: judge.clone(), first });
            first += streams[at].threads;
        }
    }
}

fn check_groups(jobs: &[Job]) -> Result<()> {
    for (number, job) in jobs.iter().enumerate() {
        let other = jobs[..number].iter().find(|other| other.group == job.group);
        if other.is_some_and(|other| other.steady != job.steady) {
            let reason = "jobs of one group differ in steadystate or its times; fio rejects these";
            return Err(refuse(job, reason, "give them the same, or write new_group"));
        }
    }
    Ok(())
}

fn least(asked: &MinimumRate) -> LeastRate {
    let each = |of: &PerDirection<Option<u64>>| [of.read, of.write, of.trim];
    let (mut operations, mut bytes) = ([None; 3], [None; 3]);
    match asked.counted {
        Counted::Operations => operations = each(&asked.per_second),
        Counted::Bytes => bytes = each(&asked.per_second),
    }
    LeastRate { operations, bytes, cycle: Duration::from_nanos(asked.cycle.0) }
}

fn rule(asked: &Steady) -> SteadyRule {
    SteadyRule {
        value: match asked.value {
            SteadyValue::Iops => Value::Operations,
            SteadyValue::Bandwidth => Value::Bytes,
            SteadyValue::Latency => Value::Latency,
        },
        slope: asked.slope,
        percent: asked.percent,
        limit: asked.limit,
        intervals: asked.intervals() as usize,
        interval: Duration::from_nanos(asked.interval.0),
        lead_in: Duration::from_nanos(asked.lead_in.0),
    }
}

/// What was found of a job, with the number of the clone where it is one clone's.
pub fn verdicts(stage: &Stage, job: usize) -> Vec<(Option<u32>, Verdict)> {
    let mut found: Vec<(Option<u32>, Verdict)> = Vec::new();
    for stream in stage.streams.iter().filter(|stream| stream.job == job) {
        for verdict in stream.judged.iter().map(|judged| judged.judge.verdict()) {
            let one = (stream.clone, verdict);
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

/// Says how steady jobs were; the errors about rates that were missed.
pub fn tell(ui: &dyn Ui, jobs: &[Job], done: &[Done]) -> Vec<anyhow::Error> {
    let (mut errors, mut groups) = (Vec::new(), Vec::new());
    for one in done {
        let job = &jobs[one.job];
        for (clone, outcome) in &one.parts {
            let Some((asked, found)) = job.latency_target.zip(outcome.depth_found) else {
                continue;
            };
            let name = name(job, *clone);
            if found.failed {
                errors.push(too_slow(&name, &asked));
            } else {
                ui.say(&depth_in_words(&name, &asked, &found));
            }
        }
        if job.group_reporting && groups.contains(&job.group) {
            continue;
        }
        for (clone, verdict) in &one.verdicts {
            match verdict {
                Verdict::Steady(seen) => {
                    if job.group_reporting && !groups.contains(&job.group) {
                        groups.push(job.group);
                    } else if job.group_reporting {
                        continue;
                    }
                    let name = name(job, clone.filter(|_| !job.group_reporting));
                    ui.say(&sentence(&name, job, seen));
                }
                Verdict::Minimum(missed) => {
                    errors.extend(missed.map(|missed| missed_rate(&name(job, *clone), &missed)))
                }
            }
        }
    }
    errors
}

fn depth_in_words(name: &str, asked: &LatencyTarget, found: &DepthFound) -> String {
    let (target, percent) = (asked.target, asked.percent);
    let what =
        format!("[{name}]: latency_target: {percent} % within {target}: depth {}", found.depth);
    match (found.settled, asked.goes_on) {
        (true, _) => format!("{what}; the figures are of this depth"),
        (false, true) => format!("{what} at last; the figures are of all depths that were tried"),
        (false, false) => format!(
            "{what} is where the search was when the job ended; the figures are of all depths that were tried"
        ),
    }
}

fn too_slow(name: &str, asked: &LatencyTarget) -> anyhow::Error {
    Failure::hinted(
        format!(
            "[{name}]: latency_target: an operation took longer than {} at depth 1",
            asked.target
        ),
        "raise latency_target, or let some be slow: latency_percentile=99.9 with a latency_window",
    )
}

fn name(job: &Job, clone: Option<u32>) -> String {
    match clone {
        Some(clone) => format!("{}.{clone}", job.name),
        None => job.name.clone(),
    }
}

fn sentence(name: &str, job: &Job, seen: &SteadySeen) -> String {
    let Some(steady) = &job.steady else { return String::new() };
    let state = match (seen.attained, seen.samples.len() < seen.rule.intervals) {
        (true, _) => "attained: the job ended for it",
        (false, true) => "not attained: it ended before its window was full",
        (false, false) => "not attained",
    };
    let what = if seen.rule.slope { "slope per interval" } else { "largest deviation" };
    let unit = steady.unit();
    format!(
        "[{name}]: steadystate={}: {state}; {what} {:.3}{unit} at last, over {} intervals of {} s",
        steady.word(),
        seen.criterion,
        seen.rule.intervals,
        seen.rule.interval.as_secs_f64(),
    )
}

/// In words: what was asked for and what there was.
fn in_words(missed: &Missed) -> String {
    let kind = ["reads", "writes", "trims"][missed.kind];
    let rate = |count: u64| match missed.counts_bytes {
        true => format!("{}/s", Bytes(count)),
        false => format!("{count} IOPS"),
    };
    format!(
        "{kind} at {} where {} are the least; the job ended {:.1} s into its window",
        rate(missed.got),
        rate(missed.wanted),
        missed.after_s
    )
}

/// Says in the measurement of a job that a rate was asked for and not reached.
pub fn say_in(measurement: &mut Measurement, done: &Done) {
    let missed = done.verdicts.iter().find_map(|(_, verdict)| match verdict {
        Verdict::Minimum(missed) => *missed,
        Verdict::Steady(_) => None,
    });
    if let Some(missed) = missed {
        measurement.conditions.insert(condition::LEAST_RATE_MISSED, in_words(&missed));
    }
}

fn missed_rate(name: &str, missed: &Missed) -> anyhow::Error {
    let option = if missed.counts_bytes { "rate_min" } else { "rate_iops_min" };
    Failure::hinted(
        format!("[{name}]: {option} was not met: {}", in_words(missed)),
        "the figures up to there are in the run; lower the least rate, or find out what is slow",
    )
}
