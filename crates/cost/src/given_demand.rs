//! A demand that somebody knows from elsewhere, as a file: what one operation takes and how many there are.

use narrows_plan::{Amount, Demand, Log, PlanError, RequestDemand, Source};
use serde::Deserialize;
use toml::Spanned;

use crate::entry::{Figure, Text};
use crate::figures::Reader;
use crate::sheet::Range;
use crate::syntax;

const NS: f64 = 1e9;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DemandEntry {
    name: Text,
    rate: Text,
    sessions: Option<Figure>,
    threads_per_core: Option<Figure>,
    cpu: Option<Text>,
    reads: Option<Figure>,
    read_size: Option<Text>,
    writes: Option<Figure>,
    write_size: Option<Text>,
    log: Option<Text>,
    scan: Option<bool>,
    source: Spanned<String>,
}

/// Reads one demand: `rate` in operations per second, minute or hour, `cpu` for each, `reads` and `writes` of the drives for each with
/// `read_size` and `write_size`, `log` bytes for each.
///
/// # Errors
/// What is wrong with it, by line.
pub fn given_demand(file: &str, text: &str) -> Result<Demand, PlanError> {
    let source = Source { file, text };
    let entry: DemandEntry =
        toml::from_str(text).map_err(|error| syntax::refused(source, &error, "the demand"))?;
    let reader = Reader { source, today: None };
    let name = reader.prose("name", &entry.name)?;
    reader.prose("source", &entry.source)?;
    let rate = reader.rate("rate", &entry.rate)?;
    let number = |figure: &Option<Figure>, what: &str, range| match figure {
        Some(figure) => reader.within(what, figure, range),
        None => Ok(None),
    };
    let requests = |count: &Option<Figure>, size: &Option<Text>, what: &str| {
        let count = number(count, what, 0.0..=1e9)?;
        match (count, size) {
            (None, None) => Ok(None),
            // None at all have no size.
            (Some(count), None) if count.high == 0.0 => {
                Ok(Some(RequestDemand { per_op: amount(count), bytes: 0.0 }))
            }
            (Some(count), Some(size)) => {
                let bytes = reader.size(what, size)?.value;
                Ok(Some(RequestDemand { per_op: amount(count), bytes }))
            }
            _ => {
                let hint = "reads = 3.2 with read_size = \"8 KiB\"; writes with write_size";
                Err(source.error(&entry.name.span(), what, "needs both a count and a size", hint))
            }
        }
    };
    let cpu = entry.cpu.as_ref().map(|cpu| reader.seconds("cpu", cpu)).transpose()?;
    if let (Some(text), Some(time)) = (&entry.cpu, cpu)
        && time.low <= 0.0
    {
        let hint = "leave cpu out where nobody knows it: then no platform is called large enough";
        return Err(reader.refused(text, "cpu", "an operation takes CPU time", hint));
    }
    let log = entry.log.as_ref().map(|log| reader.size("log", log)).transpose()?;
    let sessions = number(&entry.sessions, "sessions", 1.0..=1e6)?;
    let threads = number(&entry.threads_per_core, "threads_per_core", 1.0..=8.0)?;
    Ok(Demand {
        name,
        unit: "operation",
        rate_per_s: amount(rate.value.times(1.0 / rate.seconds)),
        sessions: sessions.map(|range| range.value),
        observed: true,
        think_ns: 0.0,
        suspect: None,
        scan: entry.scan.unwrap_or(false),
        cpu_ns: cpu.map(|cpu| amount(cpu.times(NS))),
        threads_per_core: threads.map_or(1.0, |range| range.value),
        reads: requests(&entry.reads, &entry.read_size, "reads")?,
        read_ns: None,
        writes: requests(&entry.writes, &entry.write_size, "writes")?,
        log: log.map(|bytes| Log {
            bytes: amount(bytes),
            flushes: None,
            flush_ns: None,
            commits_per_s: None,
        }),
        parts: None,
        unknown: Vec::new(),
    })
}

fn amount(range: Range) -> Amount {
    Amount { value: range.value, half: Some((range.high - range.low) / 2.0) }
}
