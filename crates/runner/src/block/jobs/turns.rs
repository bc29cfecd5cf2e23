//! Which jobs begin with which: `wait_for` and `startdelay` as stages one after the other where that is the same, else as beginnings of their
//! own within one.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::Result;
use narrows_fio::Job;
use narrows_fio::options::limits;
use narrows_layer_block::{Begin, Ended, Route};

use super::cpu_loads;
use super::job_stream::JobStream;
use super::mapping::{refuse, refuse_limit};

/// A stage with jobs that wait for others may go on for so much longer than their times add up to: what is in flight has to come back.
const SLACK: Duration = Duration::from_secs(60);

/// Jobs between two stonewalls, as parts of which each begins when all before it have ended.
pub fn parts(group: &[usize], jobs: &[Job]) -> Vec<Vec<usize>> {
    let mut after: Vec<BTreeSet<usize>> = Vec::new();
    for (at, &number) in group.iter().enumerate() {
        let awaited = awaited(group[..at].iter().map(|&before| &jobs[before]), &jobs[number]);
        let mut before: BTreeSet<usize> = awaited.into_iter().collect();
        before.extend(awaited.iter().flat_map(|at| after[*at].iter().copied()));
        after.push(before);
    }
    // A job that ends the others ends those as well that wait for it.
    let apart = group.iter().all(|&number| jobs[number].exit.is_none());
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut begin = 0;
    for (at, &number) in group.iter().enumerate() {
        let all_wait = after[at..].iter().all(|after| (begin..at).all(|one| after.contains(&one)));
        match parts.last_mut() {
            Some(part) if !(apart && all_wait) => part.push(number),
            _ => {
                begin = at;
                parts.push(vec![number]);
            }
        }
    }
    parts
}

/// Where among these the job is that `job` waits for.
fn awaited<'a>(mut before: impl Iterator<Item = &'a Job>, job: &Job) -> Option<usize> {
    let name = job.waits_for.as_ref()?;
    before.position(|other| other.name == *name)
}

/// Refuses what a load on processors can't do: it has no beginning and no end of its own.
///
/// # Errors
/// One that waits for a job of the same stage, or is waited for.
pub fn check_loads(members: &[(usize, &Job)]) -> Result<()> {
    for (_, job) in members {
        let Some(name) = &job.waits_for else { continue };
        let awaited = members.iter().map(|(_, other)| other).find(|other| other.name == *name);
        if awaited.is_some_and(|other| cpu_loads::is_load(job) || cpu_loads::is_load(other)) {
            return Err(refuse_limit(job, &limits::WAITING_AROUND_A_LOAD));
        }
    }
    Ok(())
}

/// When the jobs of a stage begin and end.
#[derive(Debug, PartialEq)]
pub struct Times {
    /// From the beginning of the run to the first operation of the first, at least.
    pub delay: Duration,
    /// From the first operation to the window.
    pub warm_up: Duration,
    /// The window.
    pub length: Duration,
    /// Each job's own.
    pub jobs: Vec<JobTimes>,
}

/// When a job begins and ends.
#[derive(Debug, Clone, PartialEq)]
pub struct JobTimes {
    /// From the stage's first operation to its own, where that is not the stage's.
    pub after: Option<Duration>,
    /// Its lead-in.
    pub warm_up: Duration,
    /// Its time; `None`: to the end of the window.
    pub ends_after: Option<Duration>,
    /// Where in the stage the job is that it waits for.
    pub awaited: Option<usize>,
}

/// Of jobs of one stage, of which each runs so long.
pub fn times(members: &[(usize, &Job)], length_of: impl Fn(&Job) -> Duration) -> Times {
    let time = |nanos: narrows_units::Nanos| Duration::from_nanos(nanos.0);
    let awaited: Vec<Option<usize>> = (0..members.len())
        .map(|at| awaited(members[..at].iter().map(|(_, job)| *job), members[at].1))
        .collect();
    let free = || members.iter().zip(&awaited).filter(|(_, awaited)| awaited.is_none());
    let delay = free().map(|((_, job), _)| time(job.ending.start_delay)).min().unwrap_or_default();
    let mut ends: Vec<Duration> = Vec::new();
    let mut begins: Vec<Duration> = Vec::new();
    for ((_, job), awaited) in members.iter().zip(&awaited) {
        let own = time(job.ending.start_delay).saturating_sub(delay);
        begins.push(own);
        let last = awaited.map_or(own, |at| own.max(ends[at]));
        ends.push(last + time(job.ending.ramp) + length_of(job));
    }
    let counts = free().map(|((_, job), _)| {
        time(job.ending.start_delay).saturating_sub(delay) + time(job.ending.ramp)
    });
    let warm_up = counts.min().unwrap_or_default();
    let waits = awaited.iter().any(Option::is_some);
    let last = ends.iter().max().copied().unwrap_or_default();
    let together = !waits
        && members
            .iter()
            .zip(&begins)
            .all(|((_, job), begins)| begins.is_zero() && time(job.ending.ramp) == warm_up);
    let jobs = members.iter().zip(&awaited).zip(begins.iter().zip(&ends)).map(
        |(((_, job), awaited), (begins, ends))| JobTimes {
            after: (!together).then_some(*begins),
            warm_up: time(job.ending.ramp),
            ends_after: (waits || *ends < last).then(|| length_of(job)),
            awaited: *awaited,
        },
    );
    let slack = if waits { SLACK } else { Duration::ZERO };
    Times { delay, warm_up, length: last - warm_up + slack, jobs: jobs.collect() }
}

/// Gives the streams of a stage their beginnings.
///
/// # Errors
/// A job whose beginning or end is more than its first and last operation.
pub fn begin(streams: &mut [JobStream], members: &[(usize, &Job)], times: &Times) -> Result<()> {
    for ((number, job), own) in members.iter().zip(&times.jobs) {
        let waits_for = match own.awaited {
            Some(at) => Some(told_by(streams, members[at])?),
            None => None,
        };
        let Some(after) = own.after else { continue };
        let late = waits_for.is_some() || after > Duration::ZERO;
        if late && refills_its_cache(streams, *number) {
            return Err(refuse_limit(job, &limits::LATE_THROUGH_CACHE));
        }
        for stream in streams.iter_mut().filter(|stream| stream.job == *number) {
            let waits_for = waits_for.clone();
            stream.begin = Some(Begin { after, warm_up: own.warm_up, waits_for });
        }
    }
    Ok(())
}

/// Refuses shares of operations with a job that begins later: what others may do depends on what it has done.
///
/// # Errors
/// Such a job.
pub fn check_flows(streams: &[JobStream], jobs: &[Job]) -> Result<()> {
    let group = |stream: &JobStream| jobs[stream.job].flow.map(|flow| flow.group);
    let is_late = |one: &&JobStream| {
        let begin = one.begin.as_ref();
        begin.is_some_and(|begin| begin.after > Duration::ZERO || begin.waits_for.is_some())
    };
    let later = streams.iter().filter(is_late).filter(|one| group(one).is_some());
    for late in later {
        if streams.iter().any(|one| one.job != late.job && group(one) == group(late)) {
            let reason = "it begins after others of its flow_id, whose operations would wait for it until then";
            let hint =
                "leave out startdelay, ramp_time and wait_for, or give it a flow_id of its own";
            return Err(refuse(&jobs[late.job], reason, hint));
        }
    }
    Ok(())
}

/// Who is told when all clones of that job have ended.
fn told_by(
    streams: &mut [JobStream],
    (number, job): (usize, &Job),
) -> Result<std::sync::Arc<Ended>> {
    let writes = streams.iter().any(|stream| stream.job == number && stream.mix.writes());
    let reads_back = job.verify.as_ref().is_some_and(|verify| verify.reads_back);
    let follows = reads_back || job.flushes.fsync_at_end || job.flushes.fsync_on_close;
    if writes && follows {
        return Err(refuse_limit(job, &limits::WAITING_FOR_WHAT_FOLLOWS));
    }
    let own = || streams.iter().filter(|stream| stream.job == number);
    if let Some(known) = own().find_map(|stream| stream.ended.clone()) {
        return Ok(known);
    }
    let ended = Ended::of(own().map(|stream| stream.threads).sum());
    for stream in streams.iter_mut().filter(|stream| stream.job == number) {
        stream.ended = Some(ended.clone());
    }
    Ok(ended)
}

/// Whether a job reads what is to be dropped from the page cache when it begins, and others fill it before.
fn refills_its_cache(streams: &[JobStream], number: usize) -> bool {
    let own = streams.iter().filter(|stream| stream.job == number);
    let mut cached = own.filter(|stream| stream.route == Route::Buffered && stream.invalidate);
    cached
        .any(|stream| streams.iter().any(|other| other.job != number && other.file == stream.file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::jobs::stage;
    use crate::block::jobs::targets::Targets;
    use crate::block::jobs::written_jobs::jobs;

    fn parts_of(text: &str) -> Vec<Vec<usize>> {
        let jobs = jobs(text);
        parts(&(0..jobs.len()).collect::<Vec<_>>(), &jobs)
    }

    #[test]
    fn those_who_all_wait_for_all_before_are_a_stage_of_their_own() {
        assert_eq!(
            parts_of("[global]\nsize=1m\n[a]\n[b]\nwait_for=a\n[c]\nwait_for=b\n"),
            [[0], [1], [2]]
        );
        let two = parts_of("[global]\nsize=1m\n[a]\n[b]\n[c]\nwait_for=a\n");
        assert_eq!(two, [vec![0, 1, 2]], "b may still run");
        let both = parts_of("[global]\nsize=1m\n[a]\n[b]\nwait_for=a\n[c]\nwait_for=a\n");
        assert_eq!(both, [vec![0], vec![1, 2]]);
        let later = parts_of("[global]\nsize=1m\n[a]\n[b]\nwait_for=a\n[c]\n");
        assert_eq!(later, [vec![0, 1, 2]], "c begins with a");
        let ends = parts_of("[global]\nsize=1m\n[a]\nexitall\n[b]\nwait_for=a\n");
        assert_eq!(ends, [vec![0, 1]], "a ends b before it begins");
    }

    #[test]
    fn delays_count_from_the_first_and_lead_ins_are_each_job_s_own() {
        let jobs = jobs(
            "[global]\nsize=1m\nruntime=10\n[a]\nstartdelay=2\nramp_time=5\n[b]\nstartdelay=4\n[c]\nwait_for=b\nruntime=3\nstartdelay=1\n",
        );
        let members: Vec<(usize, &Job)> = jobs.iter().enumerate().collect();
        let length = |job: &Job| Duration::from_nanos(job.ending.runtime.unwrap().0);
        let s = Duration::from_secs;
        let found = times(&members, length);
        assert_eq!((found.delay, found.warm_up), (s(2), s(2)), "b's window is the first");
        // c begins when b ends, 12 s after a's first operation.
        assert_eq!(found.length, s(15 - 2) + SLACK);
        let own: Vec<_> =
            found.jobs.iter().map(|job| (job.after, job.warm_up, job.awaited)).collect();
        let expected =
            [(Some(s(0)), s(5), None), (Some(s(2)), s(0), None), (Some(s(0)), s(0), Some(1))];
        assert_eq!(own, expected);
        assert!(found.jobs.iter().all(|job| job.ends_after.is_some()));
    }

    #[test]
    fn jobs_that_begin_together_have_no_beginning_of_their_own() {
        let jobs =
            jobs("[global]\nsize=1m\nramp_time=1\nstartdelay=3\n[a]\nruntime=10\n[b]\nruntime=4\n");
        let members: Vec<(usize, &Job)> = jobs.iter().enumerate().collect();
        let found = times(&members, |job| Duration::from_nanos(job.ending.runtime.unwrap().0));
        let s = Duration::from_secs;
        assert_eq!((found.delay, found.warm_up, found.length), (s(3), s(1), s(10)));
        assert!(found.jobs.iter().all(|job| job.after.is_none()));
        assert_eq!(
            found.jobs.iter().map(|job| job.ends_after).collect::<Vec<_>>(),
            [None, Some(s(4))]
        );
    }

    #[test]
    fn a_job_that_begins_later_shares_no_flow_with_one_that_does_not_wait() {
        let stages = |more: &str| {
            let jobs = jobs(&format!(
                "[global]\nioengine=null\nsize=1m\nruntime=9\nflow=1\n[a]\n[b]\n{more}\n"
            ));
            let mut targets = Targets::new(std::path::Path::new("/"), None);
            stage::stages(&jobs, &mut targets, &mut Vec::new()).map(|stages| stages.len())
        };
        let why = stages("startdelay=3").unwrap_err().to_string();
        assert!(why.contains("[b]") && why.contains("flow_id"), "{why}");
        assert_eq!(stages("startdelay=3\nflow_id=7").unwrap(), 1);
        assert_eq!(stages("").unwrap(), 1);
    }
}
