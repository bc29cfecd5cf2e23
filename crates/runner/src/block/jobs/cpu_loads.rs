//! `ioengine=cpuio`: jobs that do no operations and keep processors busy beside those that do.

use std::time::Duration;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Engine, Job};
use narrows_layer_block::{BusyWork, CpuLoad};

use super::mapping::refuse_limit;
use super::nodes;

/// A job's load.
#[derive(Debug)]
pub struct JobLoad {
    /// Its name.
    pub name: String,
    /// Its threads.
    pub load: CpuLoad,
    /// Whether it ends when the jobs beside it have ended.
    ends_with_others: bool,
}

/// Whether a job does no operations.
pub fn is_load(job: &Job) -> bool {
    matches!(job.engine, Engine::Cpu(_))
}

/// The loads of jobs side by side, which begin `warm_up` before the window.
///
/// # Errors
/// One that nothing would end.
pub fn of_jobs(members: &[(usize, &Job)], warm_up: Duration) -> Result<Vec<JobLoad>> {
    let others = members.iter().any(|(_, job)| !is_load(job));
    let mut loads = Vec::new();
    // A job that ends the others ends these as well.
    let ended = members.iter().any(|(_, job)| !is_load(job) && job.exit.is_some());
    for (_, job) in members {
        let Engine::Cpu(burn) = job.engine else { continue };
        if members.iter().any(|(_, other)| !keeps_time(job, other)) {
            return Err(refuse_limit(job, &limits::LOAD_AT_TIMES_OF_ITS_OWN));
        }
        let runtime = job.ending.runtime.map(|runtime| Duration::from_nanos(runtime.0) + warm_up);
        if runtime.is_none() && !others {
            return Err(refuse_limit(job, &limits::ENDLESS_LOAD));
        }
        let load = CpuLoad {
            threads: job.clones,
            busy: Duration::from_micros(burn.busy_us),
            idle: Duration::from_micros(burn.idle_us),
            work: if burn.sorts { BusyWork::Sort } else { BusyWork::Spin },
            cpus: nodes::cpus(job)?,
            one_cpu_each: job.placement.one_each && job.placement.cpu_nodes.is_none(),
            lasts: runtime,
        };
        loads.push(JobLoad {
            name: job.name.clone(),
            load,
            ends_with_others: burn.ends_with_others && others || ended,
        });
    }
    Ok(loads)
}

/// Whether a load can run beside a job: both begin together, and neither waits for or is ended by the load.
fn keeps_time(load: &Job, other: &Job) -> bool {
    let (one, two) = (&load.ending, &other.ending);
    let waits = load.waits_for.as_ref() == Some(&other.name)
        || other.waits_for.as_ref() == Some(&load.name);
    let ends = load.exit.is_some() && load.place != other.place;
    (one.start_delay, one.ramp) == (two.start_delay, two.ramp) && !waits && !ends
}

/// What is left of loads after the jobs beside them have ended, `elapsed` after they began; with how long that takes.
pub fn left(loads: &[JobLoad], elapsed: Duration) -> Option<(Vec<CpuLoad>, Duration)> {
    let one = |job: &JobLoad| {
        let lasts = job.load.lasts?.checked_sub(elapsed).filter(|left| !left.is_zero())?;
        (!job.ends_with_others).then(|| CpuLoad { lasts: Some(lasts), ..job.load.clone() })
    };
    let left: Vec<CpuLoad> = loads.iter().filter_map(one).collect();
    let longest = left.iter().filter_map(|load| load.lasts).max()?;
    Some((left, longest))
}

/// In words.
pub fn what(loads: &[JobLoad]) -> String {
    let one = |job: &JobLoad| {
        let CpuLoad { threads, busy, idle, .. } = &job.load;
        let share = busy.as_secs_f64() / (*busy + *idle).as_secs_f64() * 100.0;
        let threads = if *threads == 1 { "1 CPU".to_string() } else { format!("{threads} CPUs") };
        format!("{} keeps {threads} busy for {share:.0} % of the time", job.name)
    };
    loads.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job_load(lasts: Option<Duration>, ends_with_others: bool) -> JobLoad {
        let load = CpuLoad {
            threads: 2,
            busy: Duration::from_millis(50),
            idle: Duration::from_millis(150),
            work: BusyWork::Spin,
            cpus: Vec::new(),
            one_cpu_each: false,
            lasts,
        };
        JobLoad { name: "burn".to_string(), load, ends_with_others }
    }

    #[test]
    fn what_is_left_goes_on_unless_it_ends_with_the_others() {
        let seconds = Duration::from_secs;
        let loads = [
            job_load(Some(seconds(10)), false),
            job_load(Some(seconds(3)), false),
            job_load(Some(seconds(20)), true),
            job_load(None, true),
        ];
        let (left, longest) = left(&loads, seconds(4)).unwrap();
        assert_eq!((left.len(), left[0].lasts, longest), (1, Some(seconds(6)), seconds(6)));
        assert!(super::left(&loads[1..], seconds(4)).is_none());
        assert_eq!(what(&loads[..1]), "burn keeps 2 CPUs busy for 25 % of the time");
    }
}
