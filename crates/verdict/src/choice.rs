//! Which bound is the lowest, what comes second, and whether the two can be told apart.

use narrows_model::{ActivityState, Bottleneck, Provenance, Role, Run, Workload};

use crate::analysis::{Analysis, LockHeld};
use crate::bound::{BoundLaw, Candidate, same_place};
use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::session::TimeComponent;
use crate::threshold::{FAR, HELD_UP, MOSTLY_CPU, NEAR_SATURATION, OVER_LIMIT, TAKEN, UNDERSTATED};

/// The narrow place and its rival.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub winner: Candidate,
    /// The part of the session's time that is meant, for a session bound.
    pub part: Option<TimeComponent>,
    /// The next candidate that is another place.
    pub rival: Option<Candidate>,
    /// Set where the two can't be told apart.
    pub or: Option<Bottleneck>,
    /// Whether both are parts of one session's time, which no change of load tells apart.
    pub within_session: bool,
    /// Why the verdict must stay open whatever a test shows.
    pub withheld: Vec<String>,
    /// What keeps it from being surer.
    pub doubts: Vec<String>,
}

/// Shares of what the drives did of reads alone and of writes alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct OneBudget {
    pub read: f64,
    pub write: f64,
    /// What is said of the drives if it is full.
    pub narrow: Bottleneck,
}

impl OneBudget {
    /// Share of a budget from which both are served.
    pub fn both(&self) -> f64 {
        self.read + self.write
    }

    /// Whether one budget for both would be nearly used up, while neither would be of two.
    pub fn in_doubt(&self) -> bool {
        self.read.max(self.write) < NEAR_SATURATION && self.both() >= NEAR_SATURATION
    }
}

/// Whether the log lies on other drives than the data, so that no drive serves both.
fn drives_apart(run: &Run) -> bool {
    let Some(platform) = run.platform() else { return false };
    let devices = |role| {
        let paths = platform.roles.iter().filter(move |path| path.role == role);
        paths.flat_map(|path| &path.devices).map(|device| &device.number).collect::<Vec<_>>()
    };
    let (data, log) = (devices(Role::Data), devices(Role::Wal));
    !data.is_empty() && !log.is_empty() && !data.iter().any(|number| log.contains(number))
}

/// What is said where the CPU time of each session and all CPUs together can't be told apart.
pub(crate) fn cpu_from_both_sides(cpu: &Candidate, rate: f64) -> String {
    format!(
        "the CPU time of each session and {}, {:.0} % busy, are limits too close to tell apart: less CPU time per operation or a faster CPU helps, more CPUs may not",
        cpu.label,
        cpu.utilisation(rate) * 100.0
    )
}

impl Analysis<'_> {
    /// The narrow place; `None` where no bound at all is known.
    pub fn choose(&self) -> Option<Choice> {
        let rate = self.demand.rate();
        if let Some(choice) = self.unexplained_run_queue() {
            return Some(choice);
        }
        let bounds = self.bounds();
        // Workers that match the processors one for one are the processors' bound under another name.
        let cpu = self.bound(BoundLaw::Cpu);
        let doubled = |c: &Candidate| {
            c.place == BoundLaw::Session && cpu.is_some_and(|cpu| cpu.narrow == c.narrow)
        };
        let mut bounds = bounds.into_iter().filter(|c| !doubled(c));
        let winner = bounds.next()?.clone();
        let rival = bounds.find(|c| !same_place(c.narrow, winner.narrow)).cloned();
        let part = (winner.place == BoundLaw::Session)
            .then(|| self.unqueued.as_ref()?.by_size().first().map(|(part, _)| *part))
            .flatten();
        let mut choice = Choice {
            winner,
            part,
            rival,
            or: None,
            within_session: false,
            withheld: self.understated(),
            doubts: Vec::new(),
        };
        if choice.winner.narrow == Bottleneck::Unknown {
            choice.withheld.push(self.unnamed());
        }
        self.join_cpu_time(&mut choice, rate);
        self.tell_apart(&mut choice, rate);
        self.tell_lock_from_commit(&mut choice);
        self.doubt_that_others_hold_up(&mut choice);
        self.doubt_one_budget_of_the_drives(&mut choice);
        self.doubt_workers_that_gave_nothing(&mut choice);
        self.doubt_what_was_only_looked_at(&mut choice);
        Some(choice)
    }

    /// Notes the first place that can't be told from the narrow one, and why.
    pub(crate) fn cannot_tell(&self, choice: &mut Choice, narrow: Bottleneck, why: String) {
        if choice.or.is_none() && !same_place(narrow, choice.winner.narrow) {
            choice.or = Some(narrow);
            choice.doubts.push(why);
        }
    }

    /// A bound with its rate; a scan's rate, in scans per second, would say nothing to anybody.
    fn bound_in_words(&self, bound: &Candidate) -> String {
        if self.demand.workload.is_scan() {
            return bound.label.clone();
        }
        let (number, prefix) = narrows_units::si(bound.rate.value);
        format!("{} ({number}{prefix}/s)", bound.label)
    }

    /// The time that each session's own work takes on a CPU and the CPUs that all have together are one resource from two sides, where
    /// sessions do little else. If their limits are too close to tell, it is named all the same, by the CPUs where they are in use
    /// and by the session where they are not; the next candidate is then the rival of both.
    fn join_cpu_time(&self, choice: &mut Choice, rate: f64) {
        let is_cpu = |c: &Candidate| c.place == BoundLaw::Cpu && c.narrow == Bottleneck::Cpu;
        let is_session =
            |c: &Candidate| c.place == BoundLaw::Session && c.narrow == Bottleneck::CpuPerSession;
        let Some(rival) = choice.rival.clone().filter(|_| self.sessions_are_mostly_cpu()) else {
            return;
        };
        let (cpu, session) = match (is_cpu(&choice.winner), is_session(&choice.winner)) {
            (true, _) if is_session(&rival) => (choice.winner.clone(), rival),
            (_, true) if is_cpu(&rival) => (rival, choice.winner.clone()),
            _ => return,
        };
        // CPUs that are in use are the limit also where the sessions' own seems a little lower.
        let told = self.bounds_differ(&cpu, &session)
            && is_session(&choice.winner) != cpu.is_saturated(rate);
        if told {
            return;
        }
        choice.rival = self.bounds().into_iter().find(|c| !is_cpu(c) && !is_session(c)).cloned();
        choice.doubts.push(cpu_from_both_sides(&cpu, rate));
        if cpu.is_saturated(rate) {
            choice.part = None;
            choice.winner = cpu;
        } else {
            choice.part = Some(TimeComponent::Cpu);
            choice.winner = session;
        }
    }

    /// Whether so little of a session's time is anything but CPU time that it is no resource of its own.
    pub(crate) fn sessions_are_mostly_cpu(&self) -> bool {
        self.unqueued.as_ref().is_some_and(|parts| {
            parts.ns(TimeComponent::Cpu) >= MOSTLY_CPU * parts.residence().value
        })
    }

    /// Sets `or` and says why, where the narrow place and another can't be told apart.
    fn tell_apart(&self, choice: &mut Choice, rate: f64) {
        if let Some(rival) = choice.rival.clone() {
            if !self.bounds_differ(&choice.winner, &rival) {
                let why = format!(
                    "the limits of {} and {} are too close to tell apart",
                    self.bound_in_words(&choice.winner),
                    self.bound_in_words(&rival)
                );
                self.cannot_tell(choice, rival.narrow, why);
            } else if choice.winner.fills_up() && !choice.winner.is_saturated(rate) {
                let why = format!(
                    "lowest limit by the model: {}, but only {:.0} % busy at the measured rate; next limit: {}",
                    self.bound_in_words(&choice.winner),
                    choice.winner.utilisation(rate) * 100.0,
                    self.bound_in_words(&rival)
                );
                // What is nearly full, with no other limit in reach, is what binds; how it falls short of full is a doubt.
                let out_of_reach = rival.rate.value >= FAR * choice.winner.rate.value;
                if out_of_reach && choice.winner.is_nearly_saturated(rate) {
                    choice.doubts.push(why);
                } else {
                    self.cannot_tell(choice, rival.narrow, why);
                }
            }
        }
        if choice.part == Some(TimeComponent::Read) {
            let near = self
                .capacities
                .candidates
                .iter()
                .find(|c| c.serves_reads() && c.is_nearly_saturated(rate));
            if let Some(near) = near {
                let busy = near.utilisation(rate) * 100.0;
                let why = format!("{} {busy:.0} % busy: latency and rate are one here", near.label);
                self.cannot_tell(choice, near.narrow, why);
            } else if !self.capacities.candidates.iter().any(Candidate::serves_reads) {
                let why = "no valid capacity of the drives: latency and rate cannot be told apart";
                self.cannot_tell(choice, Bottleneck::ReadRate, why.to_string());
            }
        }
        if let (Some(part), Some(parts)) = (choice.part, &self.unqueued)
            && let Some((second, ns)) = parts.by_size().get(1).copied()
            && let Some(largest) = parts.parts.iter().find(|(p, _)| *p == part).copied()
            && choice.winner.narrow != Bottleneck::Workers
            && !self.parts_differ(largest, (second, ns))
        {
            let why = format!("{} and {} take the same time", part.name(), second.name());
            choice.within_session = choice.or.is_none();
            self.cannot_tell(choice, self.narrow_of(second, parts), why);
        }
    }

    /// Where the time is that no layer has part in; the server's own name for most of it, where it gave one.
    fn unnamed(&self) -> String {
        let seen = self.demand.observed.as_ref().and_then(|observed| observed.seen);
        let others = seen.into_iter().flat_map(|seen| &seen.activity.found);
        let others = others.filter(|found| found.state == ActivityState::Other);
        let most = others.flat_map(|found| &found.events).max_by(|a, b| a.1.total_cmp(&b.1));
        match most {
            Some((event, _)) => format!(
                "most of the time is spent in waits that no layer here measures, most of them {event}"
            ),
            None => "most of the time is spent in waits without a name here".to_string(),
        }
    }

    /// Whoever holds a lock until his commit has been flushed makes others wait for that flush.
    fn tell_lock_from_commit(&self, choice: &mut Choice) {
        if choice.part != Some(TimeComponent::Lock) || self.lock_held != Some(LockHeld::NotKnown) {
            return;
        }
        let flushing = self.unqueued.as_ref().map_or(0.0, |parts| parts.ns(TimeComponent::Flush));
        let sessions = narrows_units::significant(flushing * 1e-9 * self.demand.rate(), 2);
        let by_report = self.demand.observed.as_ref().is_some_and(|o| o.report().is_some());
        let shown = if by_report {
            "who holds the locks meanwhile would show (active session history)"
        } else {
            "synchronous_commit=off would show"
        };
        let why = format!(
            "transactions hold their locks until their commit is flushed, and on average {sessions} sessions are in a flush: {shown} whether locks or flush are waited for"
        );
        self.cannot_tell(choice, Bottleneck::CommitWait, why);
    }

    /// A neighbour that uses whatever is left looks like one that takes.
    fn doubt_that_others_hold_up(&self, choice: &mut Choice) {
        if choice.winner.place == BoundLaw::Session {
            choice.doubts.extend(self.leftovers.clone());
        }
        let held_up = self.without_others().filter(|gain| *gain < HELD_UP);
        let taken =
            choice.winner.place == BoundLaw::Cpu && choice.winner.narrow == Bottleneck::CpuTaken;
        if let (true, Some(gain), Some(session)) = (taken, held_up, &self.session) {
            let why = format!(
                "without any wait for a CPU behind other programs the sessions would do {:.0} % more: other programs may use CPUs that the server leaves idle",
                (gain - 1.0) * 100.0
            );
            self.cannot_tell(choice, session.narrow, why);
        }
    }

    /// Of a drive's reads and writes, each against what it does of that kind alone: the larger share, and both together. `None` where
    /// what it does of both at once was measured.
    pub fn one_budget(&self) -> Option<OneBudget> {
        if self.bound(BoundLaw::Mix).is_some() {
            return None;
        }
        let rate = self.demand.rate();
        let most = |serves: fn(&Candidate) -> bool| {
            let all = self.capacities.candidates.iter().filter(|c| c.fills_up() && serves(c));
            all.max_by(|a, b| a.utilisation(rate).total_cmp(&b.utilisation(rate)))
        };
        let reads = most(Candidate::serves_reads)?;
        let writes = most(|c| matches!(c.place, BoundLaw::Writes | BoundLaw::WriteLimit))?;
        let [read, write] = [reads, writes].map(|c| c.utilisation(rate));
        let larger = if read >= write { reads } else { writes };
        (!drives_apart(self.run)).then_some(OneBudget { read, write, narrow: larger.narrow })
    }

    /// Reads and writes are bounded by what the drives do of each alone; of one budget for both, as cloud volumes have it, more is
    /// used than of either.
    fn doubt_one_budget_of_the_drives(&self, choice: &mut Choice) {
        let of_drives = choice.winner.serves_reads()
            || matches!(choice.winner.place, BoundLaw::Writes | BoundLaw::WriteLimit);
        let Some(budget) = self.one_budget().filter(|_| !of_drives) else { return };
        if budget.in_doubt() {
            let why = format!(
                "the drives do {:.0} % of the reads and {:.0} % of the writes that they reached with each alone: if both share one limit, {:.0} % of it is used",
                budget.read * 100.0,
                budget.write * 100.0,
                budget.both() * 100.0
            );
            self.cannot_tell(choice, budget.narrow, why);
        }
    }

    /// The run's scan with more workers is a test of their number that was made already.
    fn doubt_workers_that_gave_nothing(&self, choice: &mut Choice) {
        if choice.winner.narrow != Bottleneck::Workers {
            return;
        }
        let id = Workload::ScanMany.measurement_id();
        let many = self.run.measurement(id).filter(|m| m.usable());
        let many = many.and_then(|m| Demand::read(m, Workload::ScanMany).ok());
        let Some((many, workers)) = many.and_then(|many| Some((many.throughput, many.workers?)))
        else {
            return;
        };
        let one = self.demand.throughput;
        let faster = many.value > one.value && many.differs_from(&one);
        if self.demand.workers.is_some_and(|own| own < workers) && !faster {
            // No rate is less by nothing.
            let change = ((many.value / one.value - 1.0) * 100.0).round() + 0.0;
            choice.withheld.push(format!(
                "in the same run {workers} workers were not faster beyond the error ({change:+.0} %): more of them may not help"
            ));
        }
    }

    /// Sessions wait for a processor although the server's processors idle: a quota or a neighbour that the
    /// processor's own bound did not show.
    fn unexplained_run_queue(&self) -> Option<Choice> {
        let parts = self.parts.as_ref().ok()?;
        let rate = self.demand.rate();
        let busy = self.bound(BoundLaw::Cpu).map(|cpu| cpu.utilisation(rate))?;
        let largest_ns = parts.by_size().first().map(|(_, ns)| ns.value)?;
        if busy >= NEAR_SATURATION || parts.run_queue.value <= largest_ns {
            return None;
        }
        let cpu = &self.demand.cpu;
        let taken = cpu.set.zip(cpu.taken).is_some_and(|(set, taken)| taken >= TAKEN * set);
        let quota = self.demand.quota_cpus(self.run).is_some();
        let (narrow, withheld) = if cpu.throttled || quota {
            (Bottleneck::CpuQuota, None)
        } else if taken {
            (Bottleneck::CpuTaken, None)
        } else {
            (Bottleneck::Unknown, Some(", and no counter shows what keeps them from it"))
        };
        let per_op = parts.residence().times(1e-9);
        let mut winner = Candidate::new(
            BoundLaw::Session,
            narrow,
            format!("{} sessions (mostly waiting for a CPU)", self.demand.servers),
            (Estimate::exact(self.demand.servers), "sessions"),
            per_op,
            Provenance::Measured,
        )?;
        winner.measurement = Some(self.demand.measurement.id.to_string());
        let idle = format!(
            "sessions wait for a CPU while {:.0} % of the CPUs are idle",
            (1.0 - busy) * 100.0
        );
        let mut withheld: Vec<String> =
            withheld.into_iter().map(|unexplained| format!("{idle}{unexplained}")).collect();
        let doubts = if withheld.is_empty() { vec![idle] } else { Vec::new() };
        withheld.extend(self.understated());
        Some(Choice {
            winner,
            part: None,
            rival: None,
            or: None,
            within_session: false,
            withheld,
            doubts,
        })
    }

    /// Resources that gave more than their capacity.
    fn understated(&self) -> Vec<String> {
        let rate = self.demand.rate();
        self.capacities
            .candidates
            .iter()
            .filter(|c| {
                // An interpolated step is doubted by as much as it may be off.
                let doubt = if c.place == BoundLaw::Log { c.rate.half.unwrap_or(0.0) } else { 0.0 };
                let most = if c.narrow == Bottleneck::IoLimit { OVER_LIMIT } else { UNDERSTATED };
                rate / (c.rate.value + doubt) > most
            })
            .map(|c| {
                format!(
                    "{} reached {:.0} % of its capacity, so the capacity was understated",
                    c.label,
                    c.utilisation(rate) * 100.0
                )
            })
            .collect()
    }
}
