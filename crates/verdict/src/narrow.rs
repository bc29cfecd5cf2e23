//! Which bound is the lowest, what comes second, and whether the two can be told apart.

use narrows_model::{Narrow, Provenance};

use crate::analysis::Analysis;
use crate::bound::{BoundLaw, Candidate, same_place};
use crate::estimate::Estimate;
use crate::session::TimeComponent;
use crate::threshold::{NEAR_SATURATION, OVER_LIMIT, TAKEN, UNDERSTATED};

/// The narrow place and its rival.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub winner: Candidate,
    /// The part of the session's time that is meant, for a session bound.
    pub part: Option<TimeComponent>,
    /// The next candidate that is another place.
    pub rival: Option<Candidate>,
    /// Set where the two can't be told apart.
    pub or: Option<Narrow>,
    /// Whether both are parts of one session's time, which no change of load tells apart.
    pub within_session: bool,
    /// Why the verdict must stay open whatever a test shows.
    pub withheld: Vec<String>,
    /// What keeps it from being surer.
    pub doubts: Vec<String>,
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
        if choice.winner.narrow == Narrow::Unknown {
            choice.withheld.push("most of the time goes into waits that have no name here".into());
        }
        self.tell_apart(&mut choice, rate);
        self.doubt_what_was_only_looked_at(&mut choice);
        Some(choice)
    }

    /// Notes the first place that can't be told from the narrow one, and why.
    pub(crate) fn cannot_tell(&self, choice: &mut Choice, narrow: Narrow, why: String) {
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
        let space = if prefix.is_empty() { "" } else { " " };
        format!("{} ({number}{space}{prefix}/s)", bound.label)
    }

    /// Sets `or` and says why, where the narrow place and another can't be told apart.
    fn tell_apart(&self, choice: &mut Choice, rate: f64) {
        if let Some(rival) = choice.rival.clone() {
            if !choice.winner.rate.differs_from(&rival.rate) {
                let why = format!(
                    "the bounds of {} and {} are too close",
                    self.bound_in_words(&choice.winner),
                    self.bound_in_words(&rival)
                );
                self.cannot_tell(choice, rival.narrow, why);
            } else if choice.winner.fills_up() && !choice.winner.is_saturated(rate) {
                let why = format!(
                    "{} is the lowest bound, but only {:.0} % busy; {} is next",
                    self.bound_in_words(&choice.winner),
                    choice.winner.utilisation(rate) * 100.0,
                    self.bound_in_words(&rival)
                );
                self.cannot_tell(choice, rival.narrow, why);
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
                let why = "no usable capacity of the drives: latency and rate can't be told apart";
                self.cannot_tell(choice, Narrow::ReadRate, why.to_string());
            }
        }
        if let (Some(part), Some(parts)) = (choice.part, &self.unqueued)
            && let Some((second, ns)) = parts.by_size().get(1).copied()
            && let Some((_, largest)) = parts.parts.iter().find(|(p, _)| *p == part)
            && choice.winner.narrow != Narrow::Workers
            && !largest.differs_from(&ns)
        {
            let why = format!("{} and {} take equally long", part.name(), second.name());
            choice.within_session = choice.or.is_none();
            self.cannot_tell(choice, self.narrow_of(second, parts), why);
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
            (Narrow::CpuQuota, None)
        } else if taken {
            (Narrow::CpuTaken, None)
        } else {
            (
                Narrow::Unknown,
                Some("something keeps the CPUs from the server that no counter shows"),
            )
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
        let mut withheld: Vec<String> = withheld.into_iter().map(str::to_string).collect();
        withheld.extend(self.understated());
        Some(Choice {
            winner,
            part: None,
            rival: None,
            or: None,
            within_session: false,
            withheld,
            doubts: vec![format!(
                "sessions wait for a CPU while {:.0} % of the CPUs idle",
                (1.0 - busy) * 100.0
            )],
        })
    }

    /// Resources that gave more than their capacity.
    fn understated(&self) -> Vec<String> {
        let rate = self.demand.rate();
        self.capacities
            .candidates
            .iter()
            .filter(|c| {
                // An interpolated rung is doubted by as much as it may be off.
                let doubt = if c.place == BoundLaw::Log { c.rate.half.unwrap_or(0.0) } else { 0.0 };
                let most = if c.narrow == Narrow::IoLimit { OVER_LIMIT } else { UNDERSTATED };
                rate / (c.rate.value + doubt) > most
            })
            .map(|c| {
                format!(
                    "{} gave {:.0} % of its capacity, so the capacity was understated",
                    c.label,
                    c.utilisation(rate) * 100.0
                )
            })
            .collect()
    }
}
