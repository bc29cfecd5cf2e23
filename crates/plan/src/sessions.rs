//! What as many sessions as were measured would get through on another platform: an operation's time, part by part.
//!
//! Processor time follows the core's speed, waits for drives and for the log follow what one request there takes alone,
//! and everything else is taken to last as long as where it was measured. What saturates before that is the flow's.

use std::convert::Infallible;

use serde::Serialize;

use crate::build::Builder;
use crate::closed::{Processors, rate};
use crate::constraints::Basis;
use crate::demand::{Amount, Demand, Log, PartKind, TimePart};
use crate::description::{Database, Description};
use crate::fit::doubted_by;
use crate::work::Work;

/// Utilisation from which the processors are what holds the rate.
const BUSY: f64 = 0.9;

/// Why a part lasts as long as where it was measured.
pub(crate) const AS_MEASURED: &str = "as measured";

/// A part of an operation's time on the platform.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Term {
    /// What scales it.
    pub kind: PartKind,
    /// In words.
    pub name: String,
    /// Where it was measured, ns.
    pub measured_ns: f64,
    /// On this platform, ns; its doubt has the range of the description in it.
    pub here_ns: Amount,
    /// Why it is that.
    pub because: String,
}

/// As many sessions there.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtSessions {
    /// Sessions of each database.
    pub sessions: f64,
    /// What they get through, all databases together, operations per second.
    pub rate_per_s: Amount,
    /// What holds it there.
    pub holds: String,
    /// Processor time over what there is; absent where one of both isn't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_busy: Option<f64>,
    /// The parts of an operation's time without queues, the longest first.
    pub terms: Vec<Term>,
    /// What would give more, the best first.
    pub widen: Vec<Gain>,
}

/// A rate that others ask for, on another platform: sessions at work follow from it (Little's law).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AtRate {
    /// Sessions at work at a moment, all databases together; absent where parts of the time aren't known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<Amount>,
    /// Share of the time in which the log would be flushed, with commits grouped as they were; absent where flushes or
    /// their time on the platform aren't known. Above 1 they would have to group better.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_busy: Option<f64>,
    /// The parts of an operation's time, the longest first; empty where they aren't known.
    pub terms: Vec<Term>,
}

/// What a change gives with as many sessions, as a share of the rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gain {
    /// The change.
    pub change: String,
    /// 0.1 is ten per cent more.
    pub gain: f64,
}

/// One database's sessions, and what stands in their way.
#[derive(Debug, Clone)]
struct Closed {
    sessions: f64,
    think_s: f64,
    terms: Vec<Term>,
    /// Processor time of one operation there, s, with its doubt, and cores in threads of where it was measured.
    processors: Option<(Amount, f64)>,
    /// What the log commits with as many, per second.
    log: Option<Amount>,
}

/// `None` where sessions or the parts of an operation's time aren't known. `flow` is the ceiling at the counted load and
/// what binds there.
pub(crate) fn at_sessions(
    platform: &Description,
    demand: &Demand,
    core_ratio: f64,
    flow: Option<(f64, Option<String>)>,
) -> Option<AtSessions> {
    let sessions = demand.sessions.filter(|sessions| *sessions > 0.0)?;
    let closed = closed(platform, demand, sessions, core_ratio)?;
    let all = |closed: &[Closed]| closed.iter().map(|one| one.rate()).sum::<f64>();
    let free = all(&closed);
    let flow_per_s = flow.as_ref().map_or(f64::INFINITY, |(most, _)| *most);
    let capped = |closed: &[Closed]| all(closed).min(flow_per_s);
    let doubted = (0..closed[0].figures()).map(|figure| {
        let more: Vec<Closed> = closed.iter().map(|one| one.doubted(figure)).collect();
        Ok::<_, Infallible>((capped(&more), closed[0].known(figure)))
    });
    let Ok(rate_per_s) = doubted_by(capped(&closed), doubted);
    let busy = closed[0].busy();
    let holds = match flow {
        Some((most, Some(component))) if most < free => component,
        _ => closed[0].holds(platform, demand),
    };
    let mut widen: Vec<Gain> = Vec::new();
    for (change, changed) in closed[0].changes() {
        let changed: f64 = closed.iter().map(|one| one.with(&changed).rate()).sum();
        let gain = changed.min(flow_per_s) / rate_per_s.value - 1.0;
        if gain > 0.005 {
            widen.push(Gain { change, gain });
        }
    }
    widen.sort_by(|a, b| b.gain.total_cmp(&a.gain));
    let terms = closed[0].terms.clone();
    Some(AtSessions { sessions, rate_per_s, holds, cpu_busy: busy, terms, widen })
}

/// The observed rate on the platform: at one database as where it was seen.
pub(crate) fn at_rate(platform: &Description, demand: &Demand, core_ratio: f64) -> Option<AtRate> {
    let database = platform.databases.first()?;
    let rate = demand.rate_per_s.value;
    let closed = closed(platform, demand, demand.sessions.unwrap_or(1.0), core_ratio);
    let terms = closed.and_then(|closed| Some(closed.into_iter().next()?.terms));
    let terms = terms.unwrap_or_default();
    let ns: f64 = terms.iter().map(|term| term.here_ns.value).sum();
    let doubted = terms.iter().map(|term| {
        let more = (ns + term.here_ns.doubt()) * rate / 1e9;
        Ok::<_, Infallible>((more, term.here_ns.half.is_some()))
    });
    let Ok(sessions) = doubted_by(ns * rate / 1e9, doubted);
    let flushes = demand.log.and_then(|log| log.flushes);
    let flush_ns = There::of(platform, database, demand).flush_ns;
    let log_busy = flushes.zip(flush_ns).map(|(n, ns)| rate * n.value * ns.value / 1e9);
    let sessions = (!terms.is_empty()).then_some(sessions);
    Some(AtRate { sessions, log_busy, terms })
}

/// One for each database; the first one's terms are told.
fn closed(
    platform: &Description,
    demand: &Demand,
    sessions: f64,
    core_ratio: f64,
) -> Option<Vec<Closed>> {
    let parts = demand.parts.as_ref().filter(|parts| !parts.is_empty())?;
    let of = |database: &Database| {
        let machine = &platform.machines[database.at];
        let ratio = machine.core_ratio.as_ref().map_or(core_ratio, |(ratio, _)| *ratio);
        let there = There::of(platform, database, demand);
        let mut terms: Vec<Term> =
            parts.iter().map(|part| there.term(part, demand, ratio)).collect();
        terms.sort_by(|a, b| b.here_ns.value.total_cmp(&a.here_ns.value));
        let cores = machine.cores.map(|cores| f64::from(cores) * demand.threads_per_core);
        let cpu = demand.cpu_ns.map(|ns| ns.times(1e-9 / ratio));
        let log = demand.log.as_ref().and_then(|log| there.log(log));
        let think_s = demand.think_ns / 1e9;
        Closed { sessions, think_s, terms, processors: cpu.zip(cores), log }
    };
    Some(platform.databases.iter().map(of).collect())
}

/// What one request takes on the platform, ns, where the description says.
struct There {
    read_ns: Option<Amount>,
    flush_ns: Option<Amount>,
}

impl There {
    fn of(platform: &Description, database: &Database, demand: &Demand) -> There {
        let alone = |database: &Database, work, bytes: f64| {
            let time = |basis| {
                let block = (bytes.round() as u64).max(1);
                Builder::new(platform, work, block, basis).request_s(database)
            };
            let (least, middle) = (time(Basis::Ceiling)?, time(Basis::Expected)?);
            Some(Amount { value: middle * 1e9, half: Some((middle - least) * 1e9) })
        };
        let reads = demand.reads.filter(|reads| reads.per_op.value > 0.0);
        let log = Database { data: database.wal.unwrap_or(database.data), ..database.clone() };
        let flushed = demand.log.as_ref().and_then(Log::counted);
        There {
            read_ns: reads.and_then(|reads| alone(database, Work::RandomRead, reads.bytes)),
            flush_ns: flushed
                .and_then(|flushed| alone(&log, Work::RandomWrite, flushed.bytes.min(4096.0))),
        }
    }

    fn term(&self, part: &TimePart, demand: &Demand, ratio: f64) -> Term {
        let scaled = |own: Option<Amount>, there: Option<Amount>, what: &str| {
            let Some(there) = there else {
                return (part.ns, format!("{AS_MEASURED}: no {what} is described"));
            };
            match own.and_then(|own| Some((own, there.over(own)?))) {
                Some((own, times)) => (
                    product(part.ns, times),
                    format!("{what} {} there, {} here", in_time(own.value), in_time(there.value)),
                ),
                None => (
                    there,
                    format!("at least one {what}; that of where it was measured is unknown"),
                ),
            }
        };
        let (here_ns, because) = match part.kind {
            PartKind::Cpu if ratio != 1.0 => {
                (part.ns.times(1.0 / ratio), format!("a core does {ratio} times the work"))
            }
            PartKind::Cpu => (part.ns, "a core taken as one there".to_string()),
            PartKind::Read
                if !demand.scan && demand.reads.is_some_and(|reads| reads.per_op.value > 0.0) =>
            {
                scaled(demand.read_ns, self.read_ns, "read")
            }
            // Where flushes weren't counted no description tells how long they take.
            PartKind::Flush if demand.log.as_ref().and_then(Log::counted).is_none() => {
                (part.ns, AS_MEASURED.to_string())
            }
            PartKind::Flush => {
                scaled(demand.log.and_then(|log| log.flush_ns), self.flush_ns, "flush")
            }
            PartKind::Read | PartKind::Other => (part.ns, AS_MEASURED.to_string()),
        };
        Term {
            kind: part.kind,
            name: part.name.clone(),
            measured_ns: part.ns.value,
            here_ns,
            because,
        }
    }

    /// The ladder's rate with flushes of here.
    fn log(&self, log: &Log) -> Option<Amount> {
        let measured = log.commits_per_s?;
        match (self.flush_ns, log.flush_ns) {
            (Some(here), Some(there)) => Some(product(measured, there.over(here)?)),
            // A rate at another log says nothing without both times.
            (Some(_), None) => None,
            (None, _) => Some(measured),
        }
    }
}

impl Closed {
    fn rate(&self) -> f64 {
        let of = |processors: bool| {
            self.terms.iter().filter(move |term| !processors || term.kind != PartKind::Cpu)
        };
        let delay_s = |processors| {
            of(processors).map(|term| term.here_ns.value / 1e9).sum::<f64>() + self.think_s
        };
        let found = match self.processors {
            Some((demand_s, count)) => {
                let processors = Processors { demand_s: demand_s.value, count };
                rate(self.sessions, Some(processors), delay_s(true))
            }
            None => rate(self.sessions, None, delay_s(false)),
        };
        self.log.map_or(found, |log| found.min(log.value))
    }

    fn busy(&self) -> Option<f64> {
        self.processors.map(|(demand_s, count)| self.rate() * demand_s.value / count)
    }

    /// How many figures the rate rests on.
    fn figures(&self) -> usize {
        self.terms.len() + 2
    }

    /// Whether one of them has a known doubt.
    fn known(&self, figure: usize) -> bool {
        let of = match self.terms.get(figure) {
            Some(term) => Some(term.here_ns),
            None if figure == self.terms.len() => self.processors.map(|(demand, _)| demand),
            None => self.log,
        };
        of.is_none_or(|amount| amount.half.is_some())
    }

    /// With one of them larger by its doubt.
    fn doubted(&self, figure: usize) -> Closed {
        let more = |amount: Amount| Amount { value: amount.value + amount.doubt(), ..amount };
        let mut changed = self.clone();
        let terms = changed.terms.len();
        if let Some(term) = changed.terms.get_mut(figure) {
            term.here_ns = more(term.here_ns);
        } else if figure == terms {
            changed.processors = changed.processors.map(|(demand, count)| (more(demand), count));
        } else {
            let less = |log: Amount| Amount { value: (log.value - log.doubt()).max(0.0), ..log };
            changed.log = changed.log.map(less);
        }
        changed
    }

    fn holds(&self, platform: &Description, demand: &Demand) -> String {
        if self.log.is_some_and(|log| self.rate() >= log.value) {
            return format!("WAL with {} committers", self.sessions.round());
        }
        let machine = &platform.machines[platform.databases[0].at].name;
        match (self.busy(), self.terms.first()) {
            (Some(busy), _) if busy >= BUSY => format!("CPUs of {machine}"),
            (_, Some(longest)) => {
                let all: f64 = self.terms.iter().map(|term| term.here_ns.value).sum();
                let share = narrows_units::Ratio(longest.here_ns.value / all);
                let of = if demand.scan { "a scan's time" } else { "the time of one" };
                format!("{}, {share} of {of}", longest.name)
            }
            _ => "sessions".to_string(),
        }
    }

    /// What could be changed: each longer part gone, twice the cores, twice the sessions.
    fn changes(&self) -> Vec<(String, Change)> {
        let terms = self.terms.iter().filter(|term| term.kind != PartKind::Cpu);
        let mut all: Vec<(String, Change)> = terms
            .map(|term| (format!("no time in {}", term.name), Change::Without(term.name.clone())))
            .collect();
        if self.processors.is_some() {
            all.push(("twice the cores".to_string(), Change::Cores));
        }
        all.push(("twice the sessions".to_string(), Change::Sessions));
        all
    }

    fn with(&self, change: &Change) -> Closed {
        let mut changed = self.clone();
        match change {
            Change::Without(name) => {
                // What a log commits is a matter of its flushes.
                if changed.terms.iter().any(|t| t.name == *name && t.kind == PartKind::Flush) {
                    changed.log = None;
                }
                changed.terms.retain(|term| term.name != *name);
            }
            Change::Cores => {
                changed.processors =
                    changed.processors.map(|(demand_s, count)| (demand_s, 2.0 * count));
            }
            Change::Sessions => {
                changed.sessions *= 2.0;
                // As many more committers share its flushes as there are, at most.
                changed.log = changed.log.map(|log| log.times(2.0));
            }
        }
        changed
    }
}

enum Change {
    Without(String),
    Cores,
    Sessions,
}

fn product(a: Amount, b: Amount) -> Amount {
    let value = a.value * b.value;
    let half = a.relative().zip(b.relative()).map(|(a, b)| value * a.hypot(b));
    Amount { value, half }
}

fn in_time(ns: f64) -> String {
    narrows_units::Nanos(ns.round() as u64).to_string()
}
