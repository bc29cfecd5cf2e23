//! Shares of the observed sessions' time and of the server's resources. All are from 0 to 1, or unknown.

use narrows_model::{ActivityState, ActivityWhere, Bottleneck, CauseShare, ProcessClass};

use crate::ObservedServer;

/// Samples of sessions of which fewer say nothing of shares: one half is known to ± 14 points with so many (binomial proportion, normal
/// approximation), and the first answer comes after five seconds.
pub(crate) const LEAST_SAMPLES: u64 = 50;
/// With so many a share counts at the lower end of its interval: nine tenths are known to ± 16 points.
const FEW_SAMPLES: u64 = 20;
/// Samples that suffice beside counters of which nothing moved: who is found waiting in a few of them waits for what did not end.
const LEAST_BESIDE_COUNTERS: u64 = 5;
/// Active sessions, mean, of which fewer are nobody's trouble: one session for three seconds of a minute.
const LEAST_ACTIVE: f64 = 0.05;
/// Of the CPUs that the server may use, the share in use from which on they are full. As the verdict's.
const FULL: f64 = 0.9;

/// A part of a whole, from 0 to 1; an empty sum is −0 and becomes 0. `None` where there is no whole, or a figure is none.
pub(crate) fn share_of(part: f64, whole: f64) -> Option<f64> {
    let share = part / whole;
    (part >= 0.0 && whole > 0.0 && share.is_finite()).then_some(share.min(1.0) + 0.0)
}

/// How far a share by so many samples may be off (95 %, binomial proportion, normal approximation with a correction for continuity).
pub(crate) fn sampling_error(share: f64, samples: u64) -> f64 {
    let n = samples as f64;
    1.96 * (share * (1.0 - share) / n).sqrt() + 0.5 / n
}

/// Sessions that wait for something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Waits {
    /// How many, mean.
    pub sessions: f64,
    /// Of the sessions in a statement.
    pub share: f64,
    samples: u64,
}

impl Waits {
    /// Whether the share is that or more; of few samples, whether it is in any case.
    pub(crate) fn reaches(&self, least: f64) -> bool {
        let doubt = match self.samples {
            0..LEAST_SAMPLES => sampling_error(self.share, self.samples),
            _ => 0.0,
        };
        self.share - doubt >= least
    }
}

impl ObservedServer<'_> {
    /// Sessions and parallel workers in a statement, as often as they were found.
    fn at_work(&self) -> impl Iterator<Item = &ActivityWhere> {
        let found = self.seen.activity.found.iter();
        found.filter(|found| found.class.serves_transactions() && found.state.is_at_work())
    }

    /// Mean number of sessions and parallel workers in a statement; `None` where that was not seen often enough to say anything of it.
    pub(crate) fn active(&self) -> Option<f64> {
        self.active_in(LEAST_SAMPLES)
    }

    fn active_in(&self, least: u64) -> Option<f64> {
        let active: f64 = self.at_work().map(|found| found.processes).sum();
        let enough = self.seen.activity.samples >= least && active >= LEAST_ACTIVE;
        (enough && active.is_finite()).then_some(active)
    }

    /// Those found in a state.
    pub(crate) fn in_state(&self, state: ActivityState) -> Option<Waits> {
        let these = self.at_work().filter(|found| found.state == state);
        self.waits(these.map(|found| found.processes).sum())
    }

    /// Those found in one of these waits, named as the newest version does: names were recased in version 17.
    pub(crate) fn at_events(&self, names: &[&str]) -> Option<Waits> {
        self.waits(self.event_sessions(|event| names.iter().any(|n| n.eq_ignore_ascii_case(event))))
    }

    /// The same where counters prove that what they wait for did not end once, so that few samples tell.
    pub(crate) fn at_events_that_never_end(&self, names: &[&str]) -> Option<Waits> {
        let one = |event: &str| names.iter().any(|n| n.eq_ignore_ascii_case(event));
        self.waits_in(self.event_sessions(one), LEAST_BESIDE_COUNTERS)
    }

    fn waits_in(&self, sessions: f64, least: u64) -> Option<Waits> {
        let share = share_of(sessions, self.active_in(least)?)?;
        Some(Waits { sessions, share, samples: self.seen.activity.samples })
    }

    /// Those found in a wait of which the name begins so.
    pub(crate) fn at_events_of(&self, beginning: &str) -> Option<Waits> {
        let begins = |event: &str| {
            event.get(..beginning.len()).is_some_and(|head| head.eq_ignore_ascii_case(beginning))
        };
        self.waits(self.event_sessions(begins))
    }

    fn event_sessions(&self, is_one: impl Fn(&str) -> bool) -> f64 {
        let events = self.at_work().flat_map(|found| &found.events);
        events.filter(|(event, _)| is_one(event)).map(|(_, n)| n).sum::<f64>() + 0.0
    }

    fn waits(&self, sessions: f64) -> Option<Waits> {
        self.waits_in(sessions, FEW_SAMPLES)
    }

    /// Sessions idle in transaction, mean.
    pub(crate) fn idle_in_transaction(&self) -> Option<f64> {
        self.seen.activity.of(ActivityState::IdleInTransaction)
    }

    /// Mean number of processes of a class that were found doing something.
    pub(crate) fn busy_of(&self, class: ProcessClass) -> f64 {
        let found = self.seen.activity.found.iter().filter(|found| found.class == class);
        found
            .filter(|found| found.state != ActivityState::Other)
            .map(|found| found.processes)
            .sum::<f64>()
            + 0.0
    }

    /// CPUs that the server may use, its quota included.
    pub(crate) fn cpus(&self) -> Option<f64> {
        let processes = self.seen.processes.as_ref()?;
        let cpus = processes.quota_cpus.unwrap_or(f64::INFINITY).min(processes.allowed_cpus);
        (cpus > 0.0 && cpus.is_finite()).then_some(cpus)
    }

    /// Share of what others leave of these CPUs that is in use: as the verdict has it, or else of the machine's account, by whomever.
    pub(crate) fn cpus_in_use(&self) -> Option<f64> {
        let judged = self.verdict.into_iter().flat_map(|verdict| &verdict.utilisation);
        let judged = judged.filter(|used| used.resource == Bottleneck::Cpu);
        if let Some(share) = judged.filter_map(|used| used.value).reduce(f64::max) {
            return Some(share);
        }
        let processes = self.seen.processes.as_ref()?;
        let of_all = share_of(processes.in_use(), processes.allowed_cpus);
        let of_quota = processes.quota_cpus.and_then(|quota| share_of(processes.cpus(), quota));
        of_all.into_iter().chain(of_quota).reduce(f64::max)
    }

    /// Whether the server's CPUs are full.
    pub(crate) fn cpus_are_full(&self) -> bool {
        match self.cpus_in_use() {
            Some(share) => share >= FULL,
            None => self.is_bound_by(&[Bottleneck::Cpu, Bottleneck::CpuQuota]),
        }
    }

    /// Of the server's CPU time, the share of a class of processes; `None` where it is unknown.
    pub(crate) fn cpu_share(&self, is_of: impl Fn(ProcessClass) -> bool) -> Option<f64> {
        let processes = self.seen.processes.as_ref()?;
        let these = processes.classes.iter().filter(|class| is_of(class.class));
        share_of(these.map(|class| class.cpus).sum(), processes.cpus())
    }

    /// Whether the verdict names one of these, alone or as one of two that are too close to tell.
    pub(crate) fn is_bound_by(&self, these: &[Bottleneck]) -> bool {
        let named = self.verdict.map(|verdict| (verdict.narrow, verdict.or));
        named.is_some_and(|(narrow, or)| {
            these.contains(&narrow) || or.is_some_and(|or| these.contains(&or))
        })
    }

    /// What a share of something is worth beside shares of the sessions' time: all of it where that binds, and else the part of their time
    /// in which they have to do with it.
    pub(crate) fn weight(&self, of: CauseShare) -> f64 {
        let time_in = |states: &[ActivityState]| {
            states.iter().filter_map(|state| Some(self.in_state(*state)?.share)).sum::<f64>()
        };
        match of {
            CauseShare::SessionTime => 1.0,
            CauseShare::Cpu if self.cpus_are_full() => 1.0,
            CauseShare::Cpu => time_in(&[ActivityState::Running]),
            CauseShare::Reads => time_in(&[ActivityState::Read]),
            CauseShare::Wal => time_in(&[ActivityState::Log]),
        }
    }

    /// Mean time of a read of a block that was not in shared_buffers, ns.
    pub(crate) fn read_ns(&self) -> Option<f64> {
        let counted = &self.seen.counted;
        let reads = counted.block_reads.filter(|reads| *reads >= 1.0)?;
        Some(counted.read_ns? / reads).filter(|ns| ns.is_finite())
    }

    /// Of the blocks asked for, the share found in shared_buffers.
    pub(crate) fn hits(&self) -> Option<f64> {
        let (hits, reads) = (self.seen.counted.block_hits?, self.seen.counted.block_reads?);
        share_of(hits, hits + reads)
    }
}
