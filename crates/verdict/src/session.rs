//! The session bound: `X ≤ N / (R + Z)`, with the time `R` of one operation summed from its parts.
//!
//! Processor time and run queue come from the scheduler; what they leave of the residence `N / X` is the time blocked, and samples
//! share it out. So the sum gives the rate by itself as long as the looks at the processes admit what the scheduler leaves, and
//! is a check only as fine as those looks: what they would let pass is stored with it (`checked_to`), and bounds the grade.
//!
//! For the bound, as opposed to the sum, queues in front of saturated resources are left out: they are the
//! resource's doing, not the session's.

use narrows_model::{Sum, SumKind, SumTerm};

use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::threshold::SUM_TOLERANCE;

/// A part of the time of one operation. The run queue is not one: it is the processors' queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TimeComponent {
    Cpu,
    Read,
    Flush,
    Lock,
    Client,
    Other,
    /// Of an observed server: between two statements, with or without an open transaction.
    Between,
    /// Of a load of our own: the pause that its sessions make between operations.
    Pause,
}

impl TimeComponent {
    pub fn name(self) -> &'static str {
        match self {
            TimeComponent::Cpu => "CPU",
            TimeComponent::Read => "read",
            TimeComponent::Flush => "flush",
            TimeComponent::Lock => "lock",
            TimeComponent::Client => "client",
            TimeComponent::Other => "other",
            TimeComponent::Between => "between statements",
            TimeComponent::Pause => "think",
        }
    }

    /// What a session does in it, for a sentence.
    pub fn words(self) -> &'static str {
        match self {
            TimeComponent::Cpu => "CPU time",
            TimeComponent::Read => "waiting for reads",
            TimeComponent::Flush => "waiting for flushes",
            TimeComponent::Lock => "waiting for locks",
            TimeComponent::Client => "waiting for the client",
            TimeComponent::Other => "other waits",
            TimeComponent::Between => "idle between statements",
            TimeComponent::Pause => "pausing between operations",
        }
    }
}

/// The time of one operation, part by part, ns.
#[derive(Debug, Clone)]
pub(crate) struct Parts {
    pub parts: Vec<(TimeComponent, Estimate)>,
    pub run_queue: Estimate,
    pub servers: f64,
    pub rate: f64,
}

impl Parts {
    /// Reads the parts; the error names those that are missing.
    pub fn of(demand: &Demand) -> Result<Parts, Vec<&'static str>> {
        let time = &demand.time;
        let parts = [
            (TimeComponent::Cpu, time.cpu),
            (TimeComponent::Read, time.read),
            (TimeComponent::Flush, time.flush),
            (TimeComponent::Lock, time.lock),
            (TimeComponent::Client, time.client),
            (TimeComponent::Other, time.other),
        ];
        let mut missing: Vec<_> =
            parts.iter().filter(|(_, ns)| ns.is_none()).map(|(part, _)| part.name()).collect();
        if time.run_queue.is_none() {
            missing.push("run queue");
        }
        let Some(run_queue) = time.run_queue.filter(|_| missing.is_empty()) else {
            return Err(missing);
        };
        let between = demand.observed.as_ref().and_then(|o| o.between(&demand.throughput));
        // Where sessions pause for longer than they wait, it is their pauses that bound the rate, and the sum, in which these are
        // known, says little of the rest.
        let pauses = demand.observed.is_none() && demand.think_ns > 0.0;
        let pause = pauses.then(|| Estimate::exact(demand.think_ns));
        let parts = parts
            .into_iter()
            .chain([(TimeComponent::Between, between), (TimeComponent::Pause, pause)]);
        Ok(Parts {
            parts: parts.filter_map(|(part, ns)| Some((part, ns?))).collect(),
            run_queue,
            servers: demand.servers,
            rate: demand.rate(),
        })
    }

    /// The part's time, ns.
    pub fn ns(&self, part: TimeComponent) -> f64 {
        self.parts.iter().find(|(p, _)| *p == part).map_or(0.0, |(_, ns)| ns.value)
    }

    fn total_ns(&self) -> f64 {
        self.parts.iter().map(|(_, ns)| ns.value).sum::<f64>() + self.run_queue.value
    }

    /// The sum that must reproduce the measured rate, run queue included.
    pub fn sum(&self) -> Sum {
        let predicted_per_s = self.servers / self.total_ns() * 1e9;
        let mut terms: Vec<SumTerm> = self
            .parts
            .iter()
            .filter(|(_, ns)| ns.value > 0.0)
            .map(|(part, ns)| SumTerm { name: part.name().to_string(), ns_per_op: ns.value })
            .collect();
        terms.push(SumTerm { name: "run queue".to_string(), ns_per_op: self.run_queue.value });
        terms.sort_by(|a, b| b.ns_per_op.total_cmp(&a.ns_per_op));
        Sum {
            kind: SumKind::Session,
            servers: self.servers,
            terms,
            predicted_per_s,
            measured_per_s: self.rate,
            agrees: agrees(predicted_per_s, self.rate),
            checked_to: None,
        }
    }

    /// The parts without queues: no run queue, and at most `ceilings` where a part is spent in a queue in
    /// front of a saturated resource.
    ///
    /// A session that was woken and does not run yet is still sampled in its wait, so the run queue can be
    /// counted twice. What the sum exceeds the residence by, up to the run queue, is taken off the waits again. So is
    /// `stopped_ns` for which a quota stopped the session: some kernels count it into the run queue, others nowhere.
    pub fn without_queues(&self, ceilings: &[(TimeComponent, f64)], stopped_ns: f64) -> Parts {
        let residence_ns = self.servers / self.rate * 1e9;
        let queued_ns = self.run_queue.value.max(stopped_ns);
        let served_ns = self.total_ns() - self.run_queue.value;
        let twice_ns = (served_ns + queued_ns - residence_ns).clamp(0.0, queued_ns);
        let known_ns = self.ns(TimeComponent::Cpu) + self.ns(TimeComponent::Pause);
        let waits_ns = served_ns - known_ns;
        let keep = if waits_ns > 0.0 { (1.0 - twice_ns / waits_ns).max(0.0) } else { 1.0 };
        let parts = self.parts.iter().map(|(part, ns)| {
            let known = matches!(part, TimeComponent::Cpu | TimeComponent::Pause);
            let mut ns = if known { *ns } else { ns.times(keep) };
            for (_, ceiling_ns) in ceilings.iter().filter(|(p, _)| p == part) {
                if ns.value > *ceiling_ns {
                    ns = Estimate { value: *ceiling_ns, half: Some(0.0) };
                }
            }
            (*part, ns)
        });
        Parts { parts: parts.collect(), run_queue: Estimate::exact(0.0), ..self.clone() }
    }

    /// Time of one operation and of the pause before it, with its doubt, ns.
    pub fn residence(&self) -> Estimate {
        Estimate::sum(self.parts.iter().map(|(_, ns)| *ns).chain([self.run_queue]))
    }

    /// Parts by size, largest first.
    pub fn by_size(&self) -> Vec<(TimeComponent, Estimate)> {
        let mut parts = self.parts.clone();
        parts.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
        parts
    }

    /// The largest part inside the server other than the processor.
    pub fn largest_wait(&self) -> Option<TimeComponent> {
        let no_wait = [TimeComponent::Cpu, TimeComponent::Between, TimeComponent::Pause];
        self.by_size().into_iter().map(|(part, _)| part).find(|part| !no_wait.contains(part))
    }

    /// The rate if an operation took so much less, operations per second; `None` if nothing of it is left.
    pub fn rate_spared(&self, spared_ns: f64) -> Option<f64> {
        let rest_ns = self.residence().value - spared_ns;
        (rest_ns > 0.0).then(|| self.servers / rest_ns * 1e9)
    }
}

/// Whether a prediction reproduces a rate within the tolerance.
pub(crate) fn agrees(predicted: f64, measured: f64) -> bool {
    measured > 0.0 && (predicted / measured - 1.0).abs() <= SUM_TOLERANCE
}
