//! Jobs side by side under one window, and one such group after the other: what fio's `stonewall` separates.

use std::time::Duration;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Exit, Job};
use narrows_layer_block::AccessPattern;

use super::cpu_loads::{self, JobLoad};
use super::job_stream::JobStream;
use super::job_streams;
use super::judges;
use super::mapping::{self, refuse, refuse_limit};
use super::operation_rules;
use super::replay;
use super::targets::Targets;
use super::turns;
use super::verify;
use super::verify_state;

/// A job that ends with its work and not with time has this long.
const LONGEST: Duration = Duration::from_secs(3600);
/// Each slice of the series is kept until the end.
const LONGEST_STAGE: Duration = Duration::from_secs(30 * 86_400);
/// Slices of windows up to [`SHORT`], and of longer ones.
const SLICE: Duration = Duration::from_millis(100);
const LONG_SLICE: Duration = Duration::from_secs(1);
const SHORT: Duration = Duration::from_secs(600);
/// Assumed for plans of work that no time ends.
const ASSUMED_BYTES_PER_S: f64 = 500e6;
const ASSUMED_CALL_S: f64 = 100e-6;

/// Jobs that run at the same time.
#[derive(Debug)]
pub struct Stage {
    /// Their streams.
    pub streams: Vec<JobStream>,
    /// Those of them that keep processors busy.
    pub loads: Vec<JobLoad>,
    /// Its first operation comes so long after the run began, or after the stage before it, whichever is later.
    pub delay: Duration,
    /// Unmeasured lead-in of the first.
    pub warm_up: Duration,
    /// The window.
    pub length: Duration,
    /// Whether nothing runs after it.
    pub last: bool,
    names: Vec<String>,
}

impl Stage {
    /// Length of a slice of the series.
    pub fn slice(&self) -> Duration {
        if self.length <= SHORT { SLICE } else { LONG_SLICE }
    }

    /// In words.
    pub fn what(&self) -> String {
        let busy = cpu_loads::what(&self.loads);
        let streams = match self.streams.len() {
            0 if busy.is_empty() => {
                return format!("nothing to do for {}", self.names.join(" and "));
            }
            0 => return format!("run {busy}"),
            1 => "one stream".to_string(),
            n => format!("{n} streams"),
        };
        let unbounded = self.streams.iter().any(|stream| stream.writes_bytes().is_none());
        let writes = if unbounded { ", writes as much as its time allows" } else { "" };
        let busy = if busy.is_empty() { busy } else { format!("; meanwhile {busy}") };
        format!("run {}: {streams}{writes}{busy}", self.names.join(" beside "))
    }

    /// How long it should take, seconds, where the run began so long before it.
    pub fn expected_s(&self, since_s: f64) -> f64 {
        let limited = |stream: &JobStream| {
            let operations = stream.limit?.operations as f64;
            if let AccessPattern::Recorded(record) = &stream.place {
                return Some(record.lasts().as_secs_f64() + operations * ASSUMED_CALL_S);
            }
            if !stream.access.method().moves_data() {
                return Some(operations / f64::from(stream.threads) * ASSUMED_CALL_S);
            }
            Some(
                operations * mapping::mean_length(&stream.mix, &stream.sizes) / ASSUMED_BYTES_PER_S,
            )
        };
        let work = self.streams.iter().map(limited).sum::<Option<f64>>();
        let window = self.length.as_secs_f64();
        // Of those whose work has no end the one with the longest time.
        let endless = self.streams.iter().filter(|stream| stream.limit.is_none());
        let endless = endless.map(|one| one.ends_after.unwrap_or(self.length).as_secs_f64());
        let longest = endless.fold(0.0, f64::max);
        let late = self.streams.iter().filter_map(|one| Some(one.begin.as_ref()?.after));
        let late = late.max().unwrap_or_default().as_secs_f64();
        let delay = (self.delay.as_secs_f64() - since_s).max(0.0);
        let runs = work.map_or(longest, |work| work.min(window));
        let busy = self.loads.iter().filter_map(|job| job.load.lasts).max().unwrap_or_default();
        delay + (self.warm_up.as_secs_f64() + (late + runs).min(window)).max(busy.as_secs_f64())
    }

    /// Bytes written at most, as far as work and not time ends it.
    pub fn writes_bytes(&self) -> u64 {
        let each = self.streams.iter().filter_map(JobStream::writes_bytes);
        each.fold(0, u64::saturating_add)
    }
}

/// All stages; `targets` then knows every file with its length.
///
/// # Errors
/// What a stream can't do, files that can't be used, and jobs that can't share a window.
pub fn stages(jobs: &[Job], targets: &mut Targets, said: &mut Vec<String>) -> Result<Vec<Stage>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if !job.waits_for_previous => group.push(number),
            _ => groups.push(vec![number]),
        }
    }
    let groups = groups.iter().flat_map(|group| turns::parts(group, jobs));
    let mut stages = Vec::new();
    for group in groups {
        let members: Vec<(usize, &Job)> = group.iter().map(|&n| (n, &jobs[n])).collect();
        let mut stage = stage(jobs, &members, stages.len(), targets, said)?;
        verify::check_writers(&stage.streams, jobs, said)?;
        let before = stages.iter().flat_map(|stage: &Stage| &stage.streams);
        verify::check_written(before, &stage.streams, jobs, targets)?;
        verify::share_flows(&mut stage.streams, jobs, said);
        operation_rules::share_ranges(&mut stage.streams, jobs);
        judges::attach(&mut stage.streams, jobs)?;
        let last = stage.last;
        stages.push(stage);
        if last {
            break;
        }
    }
    Ok(stages)
}

fn stage(
    jobs: &[Job],
    members: &[(usize, &Job)],
    number: usize,
    targets: &mut Targets,
    said: &mut Vec<String>,
) -> Result<Stage> {
    let time = |nanos: narrows_units::Nanos| Duration::from_nanos(nanos.0);
    turns::check_loads(members)?;
    let mut streams = Vec::new();
    // What keeps processors busy has no operations, and goes by the times of those beside it.
    let doing: Vec<(usize, &Job)> =
        members.iter().filter(|(_, job)| !cpu_loads::is_load(job)).copied().collect();
    for (job_number, job) in &doing {
        streams.extend(job_streams::of_job(job, *job_number, number, targets, said)?);
    }
    verify_state::attach(&mut streams, jobs, targets, said)?;
    if let Some((_, job)) =
        doing.iter().find(|(_, job)| job.ending.runtime.is_none() && job.replay.is_none())
    {
        said.push(format!(
            "{} [{}]: note: without a runtime it ends when its work is done, at the latest after an hour",
            job.place, job.name
        ));
    }
    let recorded = replay::lasts(&streams);
    let length_of = |job: &Job| {
        let by_work = if job.replay.is_some() { LONGEST + recorded } else { LONGEST };
        job.ending.runtime.map_or(by_work, time)
    };
    let timed = if doing.is_empty() { members } else { doing.as_slice() };
    let times = turns::times(timed, length_of);
    if times.delay + times.warm_up + times.length > LONGEST_STAGE {
        let reason = "with what runs beside it, it takes more than 30 days, and that is not done";
        return Err(refuse(timed[0].1, reason, "write a shorter runtime, startdelay or ramp_time"));
    }
    let loads = cpu_loads::of_jobs(members, times.warm_up)?;
    turns::begin(&mut streams, &doing, &times)?;
    turns::check_flows(&streams, jobs)?;
    if let Some(searching) = streams.iter().find(|one| one.depth_search.is_some())
        && streams.len() > 1
    {
        return Err(refuse_limit(&jobs[searching.job], &limits::TARGET_BESIDE));
    }
    for stream in &mut streams {
        let own = doing.iter().position(|(number, _)| *number == stream.job);
        stream.ends_after = own.and_then(|at| times.jobs[at].ends_after);
    }
    unique(&mut streams);
    Ok(Stage {
        streams,
        loads,
        delay: times.delay,
        warm_up: times.warm_up,
        length: times.length,
        last: members.iter().any(|(_, job)| job.exit == Some(Exit::All)),
        names: doing.iter().map(|(_, job)| job.name.clone()).collect(),
    })
}

/// Sections may have one name; streams may not.
fn unique(streams: &mut [JobStream]) {
    for at in 0..streams.len() {
        let name = streams[at].name.clone();
        let before = streams[..at].iter().filter(|stream| stream.name == name).count();
        if before > 0 {
            streams[at].name = format!("{name}#{}", streams[at].job);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::jobs::written_jobs;

    /// The stages of a job file, in a folder with a log and an empty state of verification.
    fn planned(text: &str) -> Result<Vec<Stage>, String> {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        put("log", &format!("fio version 3 iolog\n1 x add\n{}", "2 x read 0 512\n".repeat(3000)));
        put(
            "local-e-0-verify.state",
            "narrows verify state 1\nmethod md5\nunit 4096\nfile 0000000000000001 w\nend\n",
        );
        put("w", &"w".repeat(65_536));
        let plan = written_jobs::plan(text)?;
        let mut targets = Targets::new(folder.path(), None);
        stages(&plan.jobs, &mut targets, &mut Vec::new()).map_err(|error| format!("{error:#}"))
    }

    #[test]
    fn what_would_fill_the_memory_or_never_end_stops_before_it_begins() {
        for (text, part) in [
            ("[a]\nsize=1m\nruntime=31d", "more than 30 days"),
            (
                "[a]\nsize=1m\nruntime=1\n[b]\nsize=1m\nruntime=1\nstartdelay=40d",
                "more than 30 days",
            ),
            ("[a]\nsize=1m\nss=iops:5%\nss_dur=20d\nruntime=1", "more than a million looks"),
            (
                "[a]\nrw=write\nsize=300g\nverify=md5\nverify_state_save=1\ndo_verify=0",
                "67 million in order",
            ),
            ("[a]\nread_iolog=log\nfilename=x\nnumjobs=1500", "more than 4 194 304 operations"),
            ("[a]\nrw=write\nsize=1m\nfilename=/dev/null\nverify=md5", "keeps nothing"),
            ("[a]\nrw=trim\nsize=1m\nfilename=/dev/zero", "keeps nothing"),
        ] {
            let why = planned(text).map(|stages| stages.len()).expect_err(text);
            assert!(why.contains(part), "{text}: {why}");
        }
    }

    #[test]
    fn a_log_that_only_syncs_a_file_and_a_state_of_nothing_are_planned() {
        let read = "[e]\nrw=read\nfilename=w\nsize=64k\nverify=md5\nverify_state_load=1";
        let stages = planned(read).unwrap();
        assert_eq!((stages[0].streams.len(), stages[0].what()), (0, "nothing to do for e".into()));
        let both = format!("{read}\n[c]\nsize=64k\n[b]\nsize=64k\nwait_for=e");
        let stages = planned(&both).unwrap();
        let begin = |at: usize| stages[0].streams[at].begin.as_ref();
        assert!(
            stages[0].streams.len() == 2 && begin(1).is_some_and(|own| own.waits_for.is_some())
        );
    }
}
