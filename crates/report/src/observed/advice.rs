//! What to do about somebody's server. Nobody can load it to prove a thing, so that what a change would allow is asked of the
//! verdict's own law, or seen by looking again.

use narrows_model::{Bottleneck, ObservedProcesses, Run, Verdict};
use narrows_units::significant;

const AGAIN: &str = "observe again: narrows observe";
/// The same for a server whose own report was read.
pub(super) const NEXT: &str = "compare with the next report";

/// Action, and how to see what it would bring; `{id}` is the run's id. `None` for workloads of ours.
pub(crate) fn advice(run: &Run, verdict: &Verdict) -> Option<(String, &'static str)> {
    if verdict.workload != "observed" {
        return None;
    }
    let seen = run.observations.iter().find(|seen| seen.measurement == verdict.measurement);
    let report = seen.and_then(|seen| seen.report.as_ref());
    if verdict.narrow == Bottleneck::CommitWait
        && seen.is_some_and(|s| s.activity.waits_for_standby())
    {
        let (log, prove) = match report {
            Some(_) => ("redo", NEXT),
            None => ("WAL", "narrows log postgres URL"),
        };
        let action = format!(
            "a shorter path to the standby, a faster {log} device there, or a quorum of several; a faster drive here changes nothing"
        );
        return Some((action, prove));
    }
    let log_space = report.and_then(|report| report.log_space_ns.zip(report.commit_wait_ns));
    if verdict.narrow == Bottleneck::CommitWait
        && log_space.is_some_and(|(space, sync)| space > sync)
    {
        let action = "a redo log with more write throughput, and larger redo logs: sessions wait for room in the log (log buffer space, log file switch) longer than for commits";
        return Some((action.to_string(), NEXT));
    }
    let by_report = report.is_some();
    let (action, prove) = if by_report { of_report(verdict.narrow)? } else { of(verdict.narrow)? };
    // Where the model misses the rate, a change is not answered.
    let answers = verdict.sum.as_ref().is_some_and(|sum| sum.agrees);
    let prove = if prove.contains("--what-if") && !answers { AGAIN } else { prove };
    let mut action = action.to_string();
    let processes = seen.and_then(|seen| seen.processes.as_ref());
    if let Some(owner) =
        processes.filter(|_| verdict.narrow == Bottleneck::Cpu).and_then(find_owner)
    {
        return Some((owner, NEXT));
    }
    let others = processes.map(|p| p.others_by_name());
    if let Some(others) = others.filter(|o| verdict.narrow == Bottleneck::CpuTaken && !o.is_empty())
    {
        action += &format!(" ({others} CPUs)");
    }
    Some((action, prove))
}

/// Where many of the CPUs in use are of nobody known: who uses them comes before more of them.
pub(super) fn find_owner(processes: &ObservedProcesses) -> Option<String> {
    Some(format!(
        "find what uses the host's CPUs (top, other instances, backups): {} of the {} in use are not on these sessions' account",
        significant(processes.owner_unknown()?, 3),
        significant(processes.machine_cpus, 3)
    ))
}

/// The same for a server whose own report was read: Oracle's words, and another report to see it by.
fn of_report(narrow: Bottleneck) -> Option<(&'static str, &'static str)> {
    Some(match narrow {
        Bottleneck::Cpu => (
            "more or faster CPUs, or less CPU time per transaction (SQL ordered by CPU Time)",
            "narrows report {id} --what-if cores=+8",
        ),
        Bottleneck::CpuQuota => ("raise the CPU quota, or cpu_count", NEXT),
        Bottleneck::CpuTaken => (
            "move the other load off this host's CPUs: other instances, pluggable databases, programs",
            NEXT,
        ),
        Bottleneck::CpuPerSession => (
            "less CPU time per transaction (SQL ordered by CPU Time), or faster CPUs: CPUs of the host are idle",
            NEXT,
        ),
        Bottleneck::ReadLatency => (
            "fewer reads (larger buffer cache, SQL ordered by Reads), or drives with lower latency",
            "narrows report {id} --what-if reads=-50%",
        ),
        Bottleneck::ReadRate | Bottleneck::ReadBandwidth => (
            "fewer reads (larger buffer cache, SQL ordered by Reads), or drives with more throughput",
            "narrows report {id} --what-if data=2x",
        ),
        Bottleneck::IoLimit => ("raise the I/O limit", NEXT),
        Bottleneck::CommitWait => (
            "fewer commits, or a redo log with a faster write: log file parallel write against log file sync tells how much of it is the device",
            "narrows report {id} --what-if log=2x",
        ),
        Bottleneck::CommitInsideServer => (
            "look at the log writer: its write takes longer than the same write outside the server",
            NEXT,
        ),
        Bottleneck::WriteRate => (
            "drives with more write IOPS, or fewer writes (larger buffer cache, longer checkpoints)",
            NEXT,
        ),
        Bottleneck::Lock => (
            "find what holds the lock or latch named by the events; hardware will not help",
            "narrows report {id} --html",
        ),
        Bottleneck::HotThread => {
            ("reduce the work of the one busy process; only faster CPUs help it", NEXT)
        }
        Bottleneck::Workers => ("more parallel execution servers", NEXT),
        Bottleneck::Client => (
            "look at the clients: the server waits for them most of the time",
            "narrows report {id} --html",
        ),
        Bottleneck::Unknown => return None,
    })
}

fn of(narrow: Bottleneck) -> Option<(&'static str, &'static str)> {
    Some(match narrow {
        Bottleneck::Cpu => (
            "more or faster CPUs, or less CPU time per transaction",
            "narrows report {id} --what-if cores=+8",
        ),
        Bottleneck::CpuQuota => ("raise the CPU quota", AGAIN),
        Bottleneck::CpuTaken => ("move the other load off these CPUs", AGAIN),
        Bottleneck::CpuPerSession => (
            "less CPU time per transaction, or faster CPUs: each session computes, and CPUs are idle",
            AGAIN,
        ),
        Bottleneck::ReadLatency => (
            "fewer reads (more memory for shared_buffers and page cache), or drives with lower latency",
            "narrows report {id} --what-if reads=-50%",
        ),
        Bottleneck::ReadRate | Bottleneck::ReadBandwidth => (
            "fewer reads (more memory for shared_buffers and page cache), or drives with more throughput",
            "narrows report {id} --what-if data=2x",
        ),
        Bottleneck::IoLimit => ("raise the I/O limit", AGAIN),
        Bottleneck::CommitWait => (
            "a faster WAL flush (WAL on a drive of its own)",
            "narrows report {id} --what-if log=2x",
        ),
        Bottleneck::CommitInsideServer => (
            "look inside the server: its flush is slower than the same flush outside it",
            "narrows log --wal DIR",
        ),
        Bottleneck::WriteRate => ("drives with more write IOPS, or fewer checkpoints", AGAIN),
        Bottleneck::Lock => (
            "find the lock in the waits above; hardware will not help",
            "narrows report {id} --html",
        ),
        Bottleneck::HotThread => {
            ("reduce the work of the one busy process; only faster CPUs help it", AGAIN)
        }
        Bottleneck::Workers => ("more parallel workers", AGAIN),
        Bottleneck::Client => (
            "look at the clients: the server waits for them most of the time",
            "narrows report {id} --html",
        ),
        Bottleneck::Unknown => return None,
    })
}
