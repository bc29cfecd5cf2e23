//! What one operation of a workload takes, where it was measured: what is carried to a platform on paper.
//!
//! Nothing is invented: what wasn't counted is absent, and whoever reckons with it says so.

use serde::Serialize;

/// A figure with its doubt.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Amount {
    /// In the unit that the field's name says.
    pub value: f64,
    /// Half the width of its 95 % interval in the same unit; absent where no method gave one.
    #[serde(rename = "half_95", skip_serializing_if = "Option::is_none")]
    pub half: Option<f64>,
}

impl Amount {
    /// Counted or given, without doubt.
    pub fn exact(value: f64) -> Self {
        Amount { value, half: Some(0.0) }
    }

    /// Times a number without doubt.
    pub fn times(self, factor: f64) -> Self {
        Amount { value: self.value * factor, half: self.half.map(|half| half * factor.abs()) }
    }

    /// A quotient, doubts in quadrature as for independent ones; `None` where the divisor isn't above zero.
    pub fn over(self, divisor: Amount) -> Option<Self> {
        if divisor.value <= 0.0 {
            return None;
        }
        let value = self.value / divisor.value;
        let half = self.relative().zip(divisor.relative());
        Some(Amount { value, half: half.map(|(a, b)| (value * a.hypot(b)).abs()) })
    }

    /// The doubt over the value.
    pub fn relative(self) -> Option<f64> {
        match self.half {
            Some(half) if self.value != 0.0 => Some((half / self.value).abs()),
            other => other,
        }
    }

    /// What it is doubted by: all of it where nothing says how much.
    pub(crate) fn doubt(self) -> f64 {
        self.half.unwrap_or(self.value.abs())
    }
}

/// Requests of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RequestDemand {
    /// Requests for one operation.
    pub per_op: Amount,
    /// Bytes of one request.
    pub bytes: f64,
}

/// What one operation asks of the commit log.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Log {
    /// Bytes of its records.
    pub bytes: Amount,
    /// Flushes at this load; group commit makes fewer of them as load rises.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flushes: Option<Amount>,
    /// One flush there with nothing else to do, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flush_ns: Option<Amount>,
    /// What that log committed with as many committers that do nothing else, per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_per_s: Option<Amount>,
}

/// What a session does in a part of an operation's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PartKind {
    /// It runs; its time follows the core's speed.
    Cpu,
    /// It waits for reads; its time follows the drives'.
    Read,
    /// It waits for the log; its time follows a flush's.
    Flush,
    /// It waits for something that a description says nothing of.
    Other,
}

/// A part of an operation's time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TimePart {
    /// What scales it.
    pub kind: PartKind,
    /// In words.
    pub name: String,
    /// For one operation, ns.
    pub ns: Amount,
}

/// What one operation of a workload takes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Demand {
    /// The workload.
    pub name: String,
    /// What is counted: `operation`, `transaction that wrote`.
    pub unit: &'static str,
    /// Operations per second where it was measured.
    pub rate_per_s: Amount,
    /// Sessions there, of a scan its processes; of an observed server those at work at a moment, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<f64>,
    /// Seen on a server that others load: its rate is what was asked of it and not what it could do, and its sessions at
    /// work follow from the rate.
    pub observed: bool,
    /// Time a session spends between operations, ns.
    pub think_ns: f64,
    /// What speaks against the measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspect: Option<String>,
    /// Whether the operation reads a table in order.
    pub scan: bool,
    /// Processor time of the server, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<Amount>,
    /// Threads of a core there: processor time is that of threads.
    pub threads_per_core: f64,
    /// Reads of the drives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads: Option<RequestDemand>,
    /// One read there with nothing else to do, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ns: Option<Amount>,
    /// Writes to the drives, the log's included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub writes: Option<RequestDemand>,
    /// The log; absent where its bytes weren't counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Log>,
    /// The time of one operation without queues in front of what is full; absent where parts are missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<TimePart>>,
    /// What the source can't know, in words.
    pub unknown: Vec<String>,
}

/// A page of PostgreSQL's log: what it writes is rounded to pages, so that a flush writes about one more than its
/// records fill.
const LOG_PAGE_BYTES: f64 = 8192.0;

impl Log {
    /// The log's own writes at this load: requests for one operation and bytes of each.
    pub(crate) fn counted(&self) -> Option<RequestDemand> {
        let flushes = self.flushes.filter(|flushes| flushes.value > 0.0)?;
        Some(RequestDemand {
            per_op: flushes,
            bytes: self.bytes.value / flushes.value + LOG_PAGE_BYTES,
        })
    }
}

impl Demand {
    /// The writes that aren't the log's. What more of its requests a file system makes stays among them.
    pub(crate) fn data_writes(&self) -> Option<RequestDemand> {
        let all = self.writes?;
        let Some(log) = self.log.as_ref().and_then(Log::counted) else { return Some(all) };
        let requests = (all.per_op.value - log.per_op.value).max(0.0);
        let bytes = all.per_op.value * all.bytes - log.per_op.value * log.bytes;
        let each = if requests > 0.0 { (bytes / requests).max(0.0) } else { 0.0 };
        let half = all.per_op.half.zip(log.per_op.half).map(|(a, b)| a.hypot(b));
        Some(RequestDemand { per_op: Amount { value: requests, half }, bytes: each })
    }

    /// The same with one of its figures larger by its doubt, one for each figure that a flow rests on, and whether that
    /// doubt is known.
    pub(crate) fn doubted(&self) -> Vec<(Demand, bool)> {
        let more = |amount: Amount| Amount { value: amount.value + amount.doubt(), ..amount };
        let asked = |asked: RequestDemand| RequestDemand { per_op: more(asked.per_op), ..asked };
        let mut all = Vec::new();
        if let Some(cpu_ns) = self.cpu_ns {
            let known = cpu_ns.half.is_some();
            all.push((Demand { cpu_ns: Some(more(cpu_ns)), ..self.clone() }, known));
        }
        if let Some(reads) = self.reads {
            let known = reads.per_op.half.is_some();
            all.push((Demand { reads: Some(asked(reads)), ..self.clone() }, known));
        }
        if let Some(writes) = self.writes {
            let known = writes.per_op.half.is_some();
            all.push((Demand { writes: Some(asked(writes)), ..self.clone() }, known));
        }
        if let Some(log) = self.log {
            let bytes = Log { bytes: more(log.bytes), ..log };
            all.push((Demand { log: Some(bytes), ..self.clone() }, log.bytes.half.is_some()));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_are_carried_and_what_has_none_is_doubted_entirely() {
        let a = Amount { value: 100.0, half: Some(3.0) };
        let b = Amount { value: 50.0, half: Some(2.0) };
        let ratio = a.over(b).unwrap();
        assert_eq!(ratio.value, 2.0);
        assert!((ratio.half.unwrap() - 0.1).abs() < 1e-12);
        assert_eq!(a.over(Amount::exact(0.0)), None);
        assert_eq!(Amount { value: 7.0, half: None }.doubt(), 7.0);
    }
}
