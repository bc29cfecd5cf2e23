//! The changes, made to bounds and to the parts of an operation's time.

use narrows_model::{Bottleneck, Run};

use super::processors::{io_ns, more_cores};
use super::scenario::{LogChange, Scenario};
use crate::analysis::Analysis;
use crate::bound::{BoundLaw, Candidate};
use crate::estimate::Estimate;
use crate::log;
use crate::session::{Parts, TimeComponent};

/// Bounds and parts after the changes.
pub(super) struct Changed {
    bounds: Vec<Candidate>,
    /// Without queues in front of what was full.
    pub parts: Option<Parts>,
    /// With the queues of now.
    pub queued: Option<Parts>,
    pub assumed: Vec<String>,
    /// Whether no change adds work or sessions.
    pub only_less: bool,
    /// Whether no bound and no part of the time is another than before.
    pub untouched: bool,
}

/// What a change does to each part of an operation's time.
struct Factors {
    reads: f64,
    data: f64,
    /// On the wait for flushes.
    flush: f64,
    /// On the log's ladder; `None`: the ladder is another.
    ladder: Option<f64>,
    /// Processor time that an operation is spared, ns; negative: more.
    cpu_less_ns: f64,
}

impl Changed {
    pub fn of(analysis: &Analysis, scenario: &Scenario, log: Option<&Run>) -> Result<Self, String> {
        let mut changed = Changed {
            bounds: Vec::new(),
            parts: None,
            queued: None,
            assumed: Vec::new(),
            only_less: true,
            untouched: false,
        };
        let factors = changed.factors(analysis, scenario, log)?;
        let sessions = changed.sessions(analysis, scenario)?;
        changed.parts = analysis.unqueued.as_ref().map(|parts| scaled(parts, &factors, sessions));
        changed.queued =
            analysis.parts.as_ref().ok().map(|parts| scaled(parts, &factors, sessions));
        for bound in &analysis.capacities.candidates {
            let moved = changed.moved(analysis, scenario, log, bound, &factors, sessions)?;
            changed.bounds.extend(moved);
        }
        let session = changed.parts.as_ref().and_then(|parts| analysis.session_bound(parts));
        changed.bounds.extend(session);
        changed.only_less = sessions == 1.0
            && factors.cpu_less_ns >= 0.0
            && factors.flush <= 1.0
            && factors.reads / factors.data <= 1.0;
        changed.untouched = changed.is_as(analysis);
        Ok(changed)
    }

    /// Whether everything is as it was.
    fn is_as(&self, analysis: &Analysis) -> bool {
        let rates = |bounds: &[Candidate]| {
            bounds.iter().map(|bound| bound.rate.value).collect::<Vec<f64>>()
        };
        let mut before = analysis.capacities.candidates.clone();
        before.extend(analysis.unqueued.as_ref().and_then(|parts| analysis.session_bound(parts)));
        let time = |parts: Option<&Parts>| parts.map(|parts| parts.residence().value);
        rates(&before) == rates(&self.bounds)
            && time(analysis.parts.as_ref().ok()) == time(self.queued.as_ref())
    }

    /// The bound that binds.
    pub fn lowest(&self) -> Option<&Candidate> {
        self.bounds.iter().min_by(|a, b| a.rate.value.total_cmp(&b.rate.value))
    }

    fn factors(
        &mut self,
        analysis: &Analysis,
        scenario: &Scenario,
        log: Option<&Run>,
    ) -> Result<Factors, String> {
        let (flush, ladder) = match &scenario.log {
            Some(change) => self.log(analysis, scenario, change, log)?,
            None => (1.0, Some(1.0)),
        };
        let flush = self.but_for_standby(analysis, flush);
        let reads = scenario.reads.unwrap_or(1.0);
        Ok(Factors {
            reads,
            data: scenario.data.unwrap_or(1.0),
            flush,
            ladder,
            cpu_less_ns: self.cpu_less_ns(analysis, scenario, reads)?,
        })
    }

    /// The factor on the wait for flushes, of which a standby's part stays.
    fn but_for_standby(&mut self, analysis: &Analysis, flush: f64) -> f64 {
        let observed = analysis.demand.observed.as_ref();
        let standby = observed.map_or(0.0, |observed| observed.behind_standby());
        if flush != 1.0 && standby > 0.0 {
            let text = "the wait for the standby's answer is assumed to stay: its WAL is on another machine";
            self.assumed.push(text.to_string());
        }
        standby + (1.0 - standby) * flush
    }

    /// Factors on the wait for flushes and on the ladder.
    fn log(
        &mut self,
        analysis: &Analysis,
        scenario: &Scenario,
        change: &LogChange,
        other: Option<&Run>,
    ) -> Result<(f64, Option<f64>), String> {
        let demand = &analysis.demand;
        let waits = analysis.parts.as_ref().is_ok_and(|parts| parts.ns(TimeComponent::Flush) > 0.0);
        if !waits && analysis.bound(BoundLaw::Log).is_none() {
            if scenario.names_the_log() {
                let text = "no session is known to wait for WAL here, so it changes nothing";
                self.assumed.push(text.to_string());
            }
            return Ok((1.0, Some(1.0)));
        }
        let layer_ns = log::layer_flush_ns(analysis.run, demand.measurement);
        let inside_ns = analysis.inside.map(|slower| slower.flush_ns);
        let server_ns = inside_ns.or_else(|| demand.flush_ns()).or(layer_ns);
        let device_ns = if let LogChange::Factor(factor) = change {
            // What the device's part is of a flush that is slow inside the server, the log layer says.
            let share = analysis.inside.map_or(1.0, |slower| 1.0 / slower.times);
            return Ok((1.0 - share + share / factor, Some(*factor)));
        } else {
            layer_ns.or(server_ns).ok_or("the time of a flush now is unknown")?
        };
        let server_ns = server_ns.unwrap_or(device_ns);
        let (then_ns, ladder) = match change {
            LogChange::Flush(ns) => (*ns, Some(device_ns / ns)),
            LogChange::Run(name) => {
                let other = other.ok_or_else(|| format!("the run `{name}` was not loaded"))?;
                let ns = log::layer_flush_ns(other, demand.measurement).ok_or_else(|| {
                    format!("the run `{name}` has no valid measurement of a flush by this server's method")
                })?;
                (ns, None)
            }
            LogChange::Factor(_) => unreachable!("answered above"),
        };
        // What a flush takes in the server beyond its device stays.
        let flush = match analysis.inside {
            Some(_) => (server_ns - device_ns + then_ns) / server_ns,
            None => then_ns / device_ns,
        };
        Ok((flush.max(0.0), ladder))
    }

    /// Processor time that an operation is spared: what fewer reads, and cheaper reads and flushes, take less.
    fn cpu_less_ns(
        &mut self,
        analysis: &Analysis,
        scenario: &Scenario,
        reads: f64,
    ) -> Result<f64, String> {
        let each = scenario.cpu_per_io.unwrap_or(1.0);
        if each == 1.0 && reads == 1.0 {
            return Ok(0.0);
        }
        let (read_ns, flush_ns) = io_ns(analysis);
        if scenario.cpu_per_io.is_some() && read_ns.is_none() {
            return Err(
                "the CPU time of a read is unknown: it comes from the block layer of a run of this machine"
                    .to_string(),
            );
        }
        if reads != 1.0 && read_ns.is_none() {
            self.assumed.push(
                "CPU time per operation is assumed to stay: the part of a read in it is unknown"
                    .into(),
            );
        }
        let read_ns = read_ns.unwrap_or(0.0);
        let less_ns = read_ns * (1.0 - reads * each) + flush_ns.unwrap_or(0.0) * (1.0 - each);
        if scenario.cpu_per_io.is_some() {
            if flush_ns.is_none() {
                self.assumed.push("the part of a flush in it is unknown and left out".into());
            }
            self.assumed.push(
                "an I/O is assumed to cost the server what it costs the block and log layers"
                    .into(),
            );
        }
        Ok(less_ns)
    }

    /// The factor on the number of sessions.
    fn sessions(&mut self, analysis: &Analysis, scenario: &Scenario) -> Result<f64, String> {
        let Some(amount) = scenario.sessions else { return Ok(1.0) };
        if analysis.demand.workload.is_scan() {
            self.assumed.push("a scan is one session: its workers stay".into());
            return Ok(1.0);
        }
        let servers = analysis.demand.servers;
        let factor = if servers > 0.0 { amount.on(servers) } else { 0.0 };
        if factor <= 0.0 {
            let have = analysis.demand.sessions_in_words();
            return Err(format!("there are {have} sessions, so none would be left"));
        }
        if analysis.choice.as_ref().is_some_and(|c| c.winner.narrow == Bottleneck::Lock)
            && factor > 1.0
        {
            self.assumed.push("sessions that wait for a lock gain nothing from more sessions; this limit does not include that".into());
        }
        Ok(factor)
    }

    /// A bound after the changes; `None` where nothing of its resource is used any more.
    fn moved(
        &mut self,
        analysis: &Analysis,
        scenario: &Scenario,
        log: Option<&Run>,
        bound: &Candidate,
        factors: &Factors,
        sessions: f64,
    ) -> Result<Option<Candidate>, String> {
        let (capacity, demand) = (bound.capacity, bound.demand_per_op);
        Ok(match bound.place {
            BoundLaw::Drives | BoundLaw::ReadPath | BoundLaw::ReadBytes => {
                bound.changed(capacity.times(factors.data), demand.times(factors.reads))
            }
            BoundLaw::ReadsInFlight => {
                // As many in flight as sessions: at most in proportion.
                bound.changed(capacity.times(factors.data * sessions), demand.times(factors.reads))
            }
            BoundLaw::ReadLimit => bound.changed(capacity, demand.times(factors.reads)),
            BoundLaw::Link if bound.narrow == Bottleneck::ReadBandwidth => {
                bound.changed(capacity, demand.times(factors.reads))
            }
            BoundLaw::Writes => bound.changed(capacity.times(factors.data), demand),
            // With fewer reads it is another mix, and what the drives do of that is not known.
            BoundLaw::Mix if factors.reads != 1.0 => None,
            BoundLaw::Mix => bound.changed(capacity.times(factors.data), demand),
            BoundLaw::Log => self.ladder(analysis, log, bound, factors, sessions),
            BoundLaw::Cpu => self.cpu(analysis, scenario, bound, factors)?,
            BoundLaw::Thread
            | BoundLaw::Client
            | BoundLaw::WriteLimit
            | BoundLaw::Link
            | BoundLaw::Session => Some(bound.clone()),
        })
    }

    fn cpu(
        &mut self,
        analysis: &Analysis,
        scenario: &Scenario,
        bound: &Candidate,
        factors: &Factors,
    ) -> Result<Option<Candidate>, String> {
        let demand = less(bound.demand_per_op, factors.cpu_less_ns * 1e-9);
        let Some(cheaper) = bound.changed(bound.capacity, demand) else { return Ok(None) };
        let Some(cores) = scenario.cores else { return Ok(Some(cheaper)) };
        let (more, assumed) = more_cores(analysis, &cheaper, cores)?;
        self.assumed.extend(assumed);
        Ok(more)
    }

    fn ladder(
        &mut self,
        analysis: &Analysis,
        log: Option<&Run>,
        bound: &Candidate,
        factors: &Factors,
        sessions: f64,
    ) -> Option<Candidate> {
        let run = if factors.ladder.is_some() { analysis.run } else { log? };
        let servers = analysis.demand.servers * sessions;
        let step = if factors.ladder.is_some() && sessions == 1.0 {
            Some(bound.capacity)
        } else {
            log::bound(run, servers).map(|ladder| ladder.rate)
        };
        let Some(step) = step else {
            self.assumed.push(format!("WAL with {servers:.0} committers was not measured"));
            return None;
        };
        bound.changed(step.times(factors.ladder.unwrap_or(1.0)), bound.demand_per_op)
    }
}

/// An estimate less something, never below zero.
fn less(estimate: Estimate, by: f64) -> Estimate {
    Estimate { value: (estimate.value - by).max(0.0), half: estimate.half }
}

fn scaled(parts: &Parts, factors: &Factors, sessions: f64) -> Parts {
    let part = |(part, ns): &(TimeComponent, Estimate)| {
        let ns = match part {
            TimeComponent::Read => ns.times(factors.reads / factors.data),
            TimeComponent::Flush => ns.times(factors.flush),
            TimeComponent::Cpu => less(*ns, factors.cpu_less_ns),
            _ => *ns,
        };
        (*part, ns)
    };
    let all = parts.parts.iter().map(part).collect();
    Parts { parts: all, servers: parts.servers * sessions, ..parts.clone() }
}
