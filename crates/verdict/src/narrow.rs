//! Which bound is the lowest, what comes second, and whether the two can be told apart.

use narrows_model::{Narrow, Provenance, Run, metric};

use crate::bound::{Candidate, Place, same_place};
use crate::capacity::{Capacities, capacities};
use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::log;
use crate::session::{Part, Parts};
use crate::threshold::{NEAR_SATURATION, SLOWER_INSIDE, TAKEN, UNDERSTATED, WORKERS_BUSY};

/// Everything that the law says about one measurement, before any test.
#[derive(Debug, Clone)]
pub(crate) struct Analysis<'a> {
    pub run: &'a Run,
    pub demand: Demand<'a>,
    pub capacities: Capacities,
    /// The time of one operation, queues included; or what is missing of it.
    pub parts: Result<Parts, Vec<&'static str>>,
    /// The same without queues at saturated resources.
    pub unqueued: Option<Parts>,
    /// The session bound, where there is one.
    pub session: Option<Candidate>,
    /// How many times slower a flush is inside the server than in the log layer, where that is slow.
    pub inside: Option<f64>,
    pub choice: Option<Choice>,
}

/// The narrow place and its rival.
#[derive(Debug, Clone)]
pub(crate) struct Choice {
    pub winner: Candidate,
    /// The part of the session's time that is meant, for a session bound.
    pub part: Option<Part>,
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

impl<'a> Analysis<'a> {
    pub fn of(run: &'a Run, demand: Demand<'a>) -> Self {
        let capacities = capacities(run, &demand);
        let parts = complete_parts(&demand);
        let inside = flush_inside(run, &demand);
        let mut analysis = Analysis {
            run,
            demand,
            capacities,
            parts,
            unqueued: None,
            session: None,
            inside,
            choice: None,
        };
        if let Ok(parts) = &analysis.parts {
            let unqueued = parts.without_queues(&analysis.ceilings(parts));
            analysis.session = analysis.session_bound(&unqueued);
            analysis.unqueued = Some(unqueued);
        }
        analysis.choice = analysis.choose();
        analysis
    }

    /// All bounds, lowest first.
    pub fn bounds(&self) -> Vec<&Candidate> {
        let mut all: Vec<_> = self.capacities.candidates.iter().chain(&self.session).collect();
        all.sort_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
        all
    }

    /// The bound of one place.
    pub fn bound(&self, place: Place) -> Option<&Candidate> {
        self.capacities.candidates.iter().find(|candidate| candidate.place == place)
    }

    /// What each part would take if it did not queue in front of something saturated, ns.
    fn ceilings(&self, parts: &Parts) -> Vec<(Part, f64)> {
        let rate = self.demand.rate();
        let mut ceilings = Vec::new();
        for candidate in self.capacities.candidates.iter().filter(|c| c.is_saturated(rate)) {
            match candidate.place {
                Place::Drives | Place::ReadPath | Place::ReadBytes | Place::ReadLimit => {
                    ceilings.push((Part::Read, self.lone_read_ns().unwrap_or(0.0)));
                }
                Place::Writes | Place::WriteLimit => ceilings.push((Part::Flush, 0.0)),
                Place::Client => {
                    let own_ns = self.demand.client_cpu_ns.map_or(0.0, |ns| ns.value);
                    ceilings.push((Part::Client, own_ns));
                }
                Place::Thread => ceilings.extend(parts.largest_wait().map(|part| (part, 0.0))),
                Place::Cpu | Place::ReadsInFlight | Place::Log | Place::Session => {}
            }
        }
        ceilings
    }

    /// Time an operation's reads take when nobody else reads, ns.
    fn lone_read_ns(&self) -> Option<f64> {
        let blocks = self.demand.io.block_reads?.value;
        let ids = ["block.read.random.8k.server_d1", "block.read.random.8k.d1"];
        ids.iter()
            .filter_map(|id| self.run.measurement(id).filter(|m| m.usable()))
            .find_map(|m| m.value(metric::LATENCY_MEAN))
            .map(|latency_ns| latency_ns * blocks)
    }

    fn session_bound(&self, unqueued: &Parts) -> Option<Candidate> {
        let (part, _) = *unqueued.by_size().first()?;
        let narrow = self.narrow_of(part, unqueued);
        let time = unqueued.residence();
        let per_op = Estimate { value: time.value + self.demand.think_ns, half: time.half };
        let (unit, what) = if self.demand.workload.is_scan() {
            ("workers", "workers")
        } else {
            ("sessions", "sessions")
        };
        Candidate::new(
            Place::Session,
            narrow,
            format!("{} {what}, mostly {}", self.demand.servers, part.name()),
            (Estimate::exact(self.demand.servers), unit),
            per_op.times(1e-9),
            Provenance::Measured,
        )
        .map(|candidate| candidate.from_measurement(self.demand.measurement.id.clone()))
    }

    /// What it means that a part is the largest.
    fn narrow_of(&self, part: Part, parts: &Parts) -> Narrow {
        let servers = self.demand.servers;
        if self.demand.workload.is_scan() {
            let busy = parts.ns(Part::Cpu) * 1e-9 * self.demand.rate() / servers;
            if part == Part::Cpu || busy >= WORKERS_BUSY {
                let cpus = self.demand.cpu.available.map(|cpus| cpus.value);
                // As many workers as processors: more workers would find no processor.
                return if cpus.is_some_and(|cpus| servers >= cpus * 0.99) {
                    self.bound(Place::Cpu).map_or(Narrow::Cpu, |cpu| cpu.narrow)
                } else {
                    Narrow::Workers
                };
            }
        }
        match part {
            Part::Cpu => Narrow::CpuPerSession,
            Part::Read => Narrow::ReadLatency,
            Part::Flush if self.inside.is_some() => Narrow::CommitInsideServer,
            Part::Flush => Narrow::CommitWait,
            Part::Lock => Narrow::Lock,
            Part::Client => Narrow::Client,
            Part::Other => Narrow::Unknown,
        }
    }

    fn choose(&self) -> Option<Choice> {
        let rate = self.demand.rate();
        if let Some(choice) = self.unexplained_run_queue() {
            return Some(choice);
        }
        let bounds = self.bounds();
        // Workers that match the processors one for one are the processors' bound under another name.
        let cpu = self.bound(Place::Cpu);
        let doubled = |c: &Candidate| {
            c.place == Place::Session && cpu.is_some_and(|cpu| cpu.narrow == c.narrow)
        };
        let mut bounds = bounds.into_iter().filter(|c| !doubled(c));
        let winner = bounds.next()?.clone();
        let rival = bounds.find(|c| !same_place(c.narrow, winner.narrow)).cloned();
        let part = (winner.place == Place::Session)
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
        Some(choice)
    }

    /// Notes the first place that can't be told from the narrow one, and why.
    fn cannot_tell(&self, choice: &mut Choice, narrow: Narrow, why: String) {
        if choice.or.is_none() && !same_place(narrow, choice.winner.narrow) {
            choice.or = Some(narrow);
            choice.doubts.push(why);
        }
    }

    /// Sets `or` and says why, where the narrow place and another can't be told apart.
    fn tell_apart(&self, choice: &mut Choice, rate: f64) {
        if let Some(rival) = choice.rival.clone() {
            if !choice.winner.rate.differs_from(&rival.rate) {
                let why = format!(
                    "the bounds of {} and {} are too close",
                    choice.winner.label, rival.label
                );
                self.cannot_tell(choice, rival.narrow, why);
            } else if choice.winner.fills_up() && !choice.winner.is_saturated(rate) {
                let why = format!(
                    "{} is the lowest bound, but only {:.0} % busy",
                    choice.winner.label,
                    choice.winner.utilisation(rate) * 100.0
                );
                self.cannot_tell(choice, rival.narrow, why);
            }
        }
        if choice.part == Some(Part::Read) {
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
        let busy = self.bound(Place::Cpu).map(|cpu| cpu.utilisation(rate))?;
        let largest_ns = parts.by_size().first().map(|(_, ns)| ns.value)?;
        if busy >= NEAR_SATURATION || parts.run_queue.value <= largest_ns {
            return None;
        }
        let cpu = &self.demand.cpu;
        let taken = cpu.set.zip(cpu.taken).is_some_and(|(set, taken)| taken >= TAKEN * set);
        let quota = self.run.platform().is_some_and(|p| p.cgroup.cpu_quota_cpus.is_some());
        let (narrow, withheld) = if cpu.throttled || quota {
            (Narrow::CpuQuota, None)
        } else if taken {
            (Narrow::CpuTaken, None)
        } else {
            (
                Narrow::Unknown,
                Some("something keeps the processors from the server that no counter shows"),
            )
        };
        let per_op = parts.residence().times(1e-9);
        let mut winner = Candidate::new(
            Place::Session,
            narrow,
            format!("{} sessions, mostly run queue", self.demand.servers),
            (Estimate::exact(self.demand.servers), "sessions"),
            per_op,
            Provenance::Measured,
        )?;
        winner.measurement = Some(self.demand.measurement.id.clone());
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
                "sessions wait for a processor while {:.0} % of them idle",
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
                let doubt = if c.place == Place::Log { c.rate.half.unwrap_or(0.0) } else { 0.0 };
                rate / (c.rate.value + doubt) > UNDERSTATED
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

/// The parts of an operation's time. Of a scan whose waits are unknown, the processors' part alone is enough
/// when it fills the workers' time.
fn complete_parts(demand: &Demand) -> Result<Parts, Vec<&'static str>> {
    Parts::of(demand).or_else(|missing| {
        let cpu = demand.time.cpu.or(demand.cpu.server_ns);
        let busy = |ns: &Estimate| ns.value * 1e-9 * demand.rate() / demand.servers;
        match cpu.filter(|ns| demand.workload.is_scan() && busy(ns) >= WORKERS_BUSY) {
            Some(ns) => Ok(Parts {
                parts: vec![(Part::Cpu, ns)],
                run_queue: demand.time.run_queue.unwrap_or(Estimate::exact(0.0)),
                servers: demand.servers,
                think_ns: demand.think_ns,
                rate: demand.rate(),
            }),
            None => Err(missing),
        }
    })
}

fn flush_inside(run: &Run, demand: &Demand) -> Option<f64> {
    demand.commits_per_op()?;
    let times_slower = demand.io.server_flush_ns? / log::layer_flush_ns(run, demand.measurement)?;
    (times_slower >= SLOWER_INSIDE).then_some(times_slower)
}
