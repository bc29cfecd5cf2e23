//! What a cause would give at most, by the verdict's own law.
//!
//! Of a resource that binds, throughput is capacity over demand: a share `s` less demand allows `1 / (1 - s)` times the rate. Where
//! sessions wait and go round without think time, it is sessions over the time of a transaction, and the same holds for a share of
//! that time. A share that samples told is taken at the upper end of its interval: a bound has to hold. Where the verdict names another resource, the law gives nothing, and no gain is said. The next resource to bind is the
//! cap, unless the cause takes from that too.

use narrows_model::{Bottleneck, CauseShare, ProcessClass};

use crate::ObservedServer;
use crate::figures::{sampling_error, share_of};
use crate::statements::StatementLoad;

/// From this share on a gain is no figure any more: a hundredfold.
const LARGEST_SHARE: f64 = 0.99;

/// The unit of a bound that is sessions over the time that a transaction takes now.
const SESSIONS: &str = "sessions";

const CPU: &[Bottleneck] = &[Bottleneck::Cpu, Bottleneck::CpuQuota, Bottleneck::CpuTaken];
const DRIVE_READS: &[Bottleneck] = &[Bottleneck::ReadRate, Bottleneck::ReadBandwidth];
/// What binds where sessions read or compute one step after the other.
const WORK_OF_A_SESSION: &[Bottleneck] = &[Bottleneck::ReadLatency, Bottleneck::CpuPerSession];
pub(crate) const LOCKS: &[Bottleneck] = &[Bottleneck::Lock];
pub(crate) const COMMITS: &[Bottleneck] = &[Bottleneck::CommitWait, Bottleneck::CommitInsideServer];
/// What less work of a statement takes from, so that none of them is a cap on it.
const WORK: &[Bottleneck] = &[
    Bottleneck::Cpu,
    Bottleneck::CpuQuota,
    Bottleneck::CpuTaken,
    Bottleneck::CpuPerSession,
    Bottleneck::ReadLatency,
    Bottleneck::ReadRate,
    Bottleneck::ReadBandwidth,
    Bottleneck::IoLimit,
    Bottleneck::HotThread,
    Bottleneck::Workers,
];

/// A share with the gain that the law gives for it.
pub(crate) type Worth = (Option<(CauseShare, f64)>, Option<f64>);

impl ObservedServer<'_> {
    /// What statements take of what binds: CPU time where CPUs are full, blocks read where drives are, time else. With the gain if
    /// they took nothing.
    pub(crate) fn worth_of(&self, statements: &[&StatementLoad]) -> Worth {
        self.worth_of_part(statements, 1.0)
    }

    /// The same for a part of what each of them takes.
    pub(crate) fn worth_of_part(&self, statements: &[&StatementLoad], part: f64) -> Worth {
        let sum = |figure: fn(&StatementLoad) -> Option<f64>| {
            let known: Vec<f64> = statements.iter().filter_map(|load| figure(load)).collect();
            (!known.is_empty()).then(|| known.iter().sum::<f64>() * part)
        };
        let cpu = || self.of_server_cpu(sum(|load| load.running.or(load.time))?);
        let (share, binds) = if self.cpus_are_full() {
            (cpu().map(|share| (CauseShare::Cpu, share)), CPU)
        } else if self.is_bound_by(DRIVE_READS) {
            (sum(|load| load.reads).map(|share| (CauseShare::Reads, share)), DRIVE_READS)
        } else {
            (sum(|load| load.time).map(|share| (CauseShare::SessionTime, share)), WORK_OF_A_SESSION)
        };
        let share = share.and_then(|(of, share)| Some((of, share_of(share, 1.0)?)));
        let gain = share.and_then(|(of, share)| {
            // The server counts blocks; the rest is told by samples.
            let at_most = if of == CauseShare::Reads { share } else { self.at_most(share) };
            self.gain(at_most, binds, WORK)
        });
        (share, gain)
    }

    /// A share of statements' CPU time as one of the server's, which has other processes too.
    fn of_server_cpu(&self, share: f64) -> Option<f64> {
        Some(share * self.cpu_share(ProcessClass::serves_transactions).unwrap_or(1.0))
    }

    /// A share of sessions' time in statements that is CPU time, as what binds has it.
    pub(crate) fn worth_of_computing(&self, share: f64) -> Worth {
        if self.cpus_are_full() {
            let share = self.of_server_cpu(share);
            let gain = share.and_then(|share| self.gain(share, CPU, WORK));
            return (share.map(|share| (CauseShare::Cpu, share)), gain);
        }
        (Some((CauseShare::SessionTime, share)), self.gain(share, WORK_OF_A_SESSION, WORK))
    }

    /// A share of sessions' time that is a wait, which binds where the verdict names one of these.
    pub(crate) fn worth_of_wait(&self, share: f64, binds: &[Bottleneck]) -> Worth {
        let gain = self.gain(self.at_most(share), binds, binds);
        (Some((CauseShare::SessionTime, share)), gain)
    }

    /// A share of WAL that is full-page images. What a flush takes doesn't follow its bytes by a law, so no gain follows.
    pub(crate) fn worth_of_images(&self, share: f64) -> Worth {
        (Some((CauseShare::Wal, share)), None)
    }

    /// A share of the server's CPU time.
    pub(crate) fn worth_of_cpu(&self, share: f64) -> Worth {
        (Some((CauseShare::Cpu, share)), self.gain(share, CPU, CPU))
    }

    /// The most that a share can be, of which samples told: the upper end of its 95 % interval. Near the whole a little more of it is a much larger gain.
    fn at_most(&self, share: f64) -> f64 {
        let sampled = self.consumers.sampled.as_ref().map(|sampled| sampled.samples);
        let samples = [Some(self.seen.activity.samples), sampled].into_iter().flatten();
        match samples.filter(|n| *n > 0).min() {
            Some(n) => (share + sampling_error(share, n)).min(1.0),
            None => share,
        }
    }

    /// Relative gain in throughput if a share of what binds went; `None` where something else binds.
    fn gain(&self, share: f64, binds: &[Bottleneck], goes_too: &[Bottleneck]) -> Option<f64> {
        let verdict = self.verdict.filter(|_| self.is_bound_by(binds))?;
        let by_law = (share < LARGEST_SHARE).then(|| 1.0 / (1.0 - share) - 1.0);
        let is_cap = |of: Bottleneck| {
            !goes_too.contains(&of) && of != verdict.narrow && of != Bottleneck::Client
        };
        let rate = verdict.throughput_per_s;
        // Sessions over the time of a transaction is no limit of its own: waits for CPUs are part of flushes and locks, and go with what goes.
        let fixed = verdict.bounds.iter().filter(|bound| bound.capacity_unit != SESSIONS);
        let bounds = fixed.filter(|bound| is_cap(bound.resource));
        let bounds = bounds.map(|bound| bound.bound_per_s / rate);
        let nearest = verdict.standing.as_ref().and_then(|standing| standing.nearest.as_ref());
        let nearest = nearest.filter(|end| is_cap(end.resource)).map(|end| end.factor_at_most);
        let capped = bounds.chain(nearest).filter(|factor| factor.is_finite() && *factor > 0.0);
        let cap = capped.map(|factor| (factor - 1.0).max(0.0)).reduce(f64::min);
        by_law.into_iter().chain(cap).reduce(f64::min).filter(|gain| gain.is_finite())
    }
}
