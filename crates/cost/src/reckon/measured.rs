//! What a run measured, as money: CPU time of transactions and of I/O, and bytes of a core beside a rule of thumb.

use narrows_plan::{Amount, Demand};

use super::Reckoning;
use super::cpu::{Batch, Clocked, CoreMoney, of_rate};
use super::items::key_of;
use super::server::Server;
use crate::sheet::{Basis, Expr, Given, Group, MOST, Range};

/// One kind of I/O that a run measured alone, with the CPU time that it took.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredIo {
    /// The measurement's id.
    pub name: String,
    /// Operations per second.
    pub per_s: Amount,
    /// Bytes of one.
    pub bytes: f64,
    /// CPU time of one, ns.
    pub cpu_ns: Amount,
}

/// What is taken from a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Measured {
    /// The run in a few words.
    pub from: String,
    /// Its database workloads.
    pub demands: Vec<Demand>,
    /// Its measurements of storage alone.
    pub io: Vec<MeasuredIo>,
    /// What bears on all of it.
    pub notes: Vec<String>,
    /// CPUs (threads) that the server had there.
    pub cpus: Option<u32>,
    /// Threads of a core there; one where that isn't visible.
    pub threads_per_core: f64,
    /// Clock of a core there, GHz, as its system tells it.
    pub ghz: Option<f64>,
}

pub(super) fn add(r: &mut Reckoning<'_>, core: &Option<CoreMoney>, server: &Server, total: &Expr) {
    let Some(measured) = r.question.measured else { return };
    r.notes.extend(measured.notes.iter().cloned());
    if !same_processors(r, measured, server) {
        let there =
            measured.cpus.map_or("an unknown number of".to_string(), |cpus| cpus.to_string());
        r.notes.push(format!(
            "the server of the run had {there} CPUs, the description has others: its throughput is not divided by this price; \
             `narrows size` sets its demand on the described platform"
        ));
    }
    if server.core_ratio.is_none() {
        r.notes.push("CPU time is that of the run's cores; core_ratio in [cost.server] says what one here does more".to_string());
    }
    for demand in &measured.demands {
        workload(r, measured, demand, core, server, total);
    }
    for io in &measured.io {
        of_io(r, measured, io, core, server);
    }
    bytes_of_cores(r, measured);
}

/// Bytes of a core's CPU time, and for each GHz where the clock is known.
fn bytes_of_cores(r: &mut Reckoning<'_>, measured: &Measured) {
    let all = of_a_core(measured);
    let ghz = measured.ghz.filter(|_| !all.is_empty()).map(|ghz| {
        let given = given(Amount { value: ghz, half: None }, &measured.from);
        r.sheet.given((Group::Work, "run.ghz"), "clock of a core there", "GHz", given)
    });
    for OfACore { name, bytes, operations } in all {
        let key = |last: &str| format!("run.{}.{last}", key_of(&name));
        let line = given_of(bytes, 1e-6, &measured.from);
        let title = format!("{name}: bytes of one core's CPU time");
        let place = (Group::Work, &*key("mb_per_core"));
        let line = r.sheet.given(place, &title, "MB/s per core", line);
        if let Some(operations) = operations {
            let title = format!("{name}: operations of one core's CPU time");
            let place = (Group::Work, &*key("ops_per_core"));
            let given = given(operations, &measured.from);
            let line = r.sheet.given(place, &title, "/s per core", given);
            r.sheet.shown(&line);
        }
        match &ghz {
            Some(ghz) => {
                let title = format!("{name}: the same per GHz; an old rule says 12");
                let place = (Group::Work, &*key("mb_per_ghz"));
                r.sheet.headline(place, &title, "MB/s per GHz", line / ghz.clone());
            }
            None => r.sheet.shown(&line),
        }
    }
}

/// Whether what is described has as many processors, of the same kind, as the server had that was measured: only then is its rate the
/// description's.
fn same_processors(r: &Reckoning<'_>, measured: &Measured, server: &Server) -> bool {
    let Some((processors, of)) = server.processors() else { return false };
    let there = measured.cpus.map(|cpus| match of {
        "core" => f64::from(cpus) / measured.threads_per_core.max(1.0),
        _ => f64::from(cpus),
    });
    there.is_some() && r.sheet.value(&processors) == there && server.core_ratio.is_none()
}

fn given(amount: Amount, from: &str) -> Given {
    given_of(amount, 1.0, from)
}

fn given_of(amount: Amount, factor: f64, from: &str) -> Given {
    let half = amount.half.unwrap_or(0.0);
    // A few repeats may have an interval wider than the figure; what is counted is never negative.
    let low = (amount.value - half).max(0.0);
    let value = Range { value: amount.value, low, high: amount.value + half };
    let source = match amount.half {
        Some(_) => from.to_string(),
        None => format!("{from}; without an interval"),
    };
    Given {
        value: Some(value.times(factor)),
        basis: Basis::Measured,
        source,
        date: None,
        within: (0.0, MOST),
    }
}

/// A workload's rate and CPU time; what a thousand of it per second cost.
fn workload(
    r: &mut Reckoning<'_>,
    measured: &Measured,
    demand: &Demand,
    core: &Option<CoreMoney>,
    server: &Server,
    total: &Expr,
) {
    let name = &demand.name;
    if let Some(doubt) = &demand.suspect {
        r.notes.push(format!("{name} is suspect: {doubt}"));
    }
    let key = |last: &str| format!("run.{}.{last}", key_of(name));
    if !demand.observed && same_processors(r, measured, server) {
        let rate = given(demand.rate_per_s, &measured.from);
        let title = format!("{name}: throughput");
        let rate = r.sheet.given((Group::Work, &key("rate")), &title, "/s", rate);
        r.sheet.shown(&rate);
        let unit = r.per(&format!("{} per second", demand.unit));
        let title = format!("{name}: cost per throughput");
        r.sheet.headline((Group::Work, &key("cost")), &title, &unit, total.clone() / rate);
    }
    let (Some(cpu), Some(core)) = (demand.cpu_ns, core) else {
        if demand.cpu_ns.is_none() {
            r.notes.push(format!(
                "{name}: its CPU time was not measured, so it has no money per core"
            ));
        }
        return;
    };
    let title = format!("{name}: CPU time of one {}", demand.unit);
    let cpu = given_of(cpu, 1e-3, &measured.from);
    let cpu = r.sheet.given((Group::Cpu, &key("cpu")), &title, "µs", cpu);
    let batch = if demand.scan { Batch::One } else { Batch::Thousand };
    let whose = Clocked::There { threads_per_core: demand.threads_per_core };
    let key = format!("run.{}", key_of(name));
    of_rate(r, (&key, name), &(cpu / 1e6), core, server, (batch, whose));
}

/// What the CPU time of an operation costs at the rate that was measured, and a microsecond less of it.
fn of_io(
    r: &mut Reckoning<'_>,
    measured: &Measured,
    io: &MeasuredIo,
    core: &Option<CoreMoney>,
    server: &Server,
) {
    let Some(core) = core else { return };
    let key = |last: &str| format!("run.{}.{last}", key_of(&io.name));
    let name = &io.name;
    let rate = given(io.per_s, &measured.from);
    let rate =
        r.sheet.given((Group::Cpu, &key("rate")), &format!("{name}: operations"), "/s", rate);
    let cpu = given_of(io.cpu_ns, 1e-3, &measured.from);
    let cpu =
        r.sheet.given((Group::Cpu, &key("cpu")), &format!("{name}: CPU time of one"), "µs", cpu);
    let whose = Clocked::There { threads_per_core: measured.threads_per_core };
    let busy = core.busy(rate.clone() * cpu / 1e6, whose, server);
    let title = format!("{name}: {}s that it keeps busy at that rate", core.of);
    let busy = r.sheet.computed((Group::Cpu, &key("busy")), &title, &format!("{}s", core.of), busy);
    let currency = r.currency.clone();
    core.priced(r, (&key("cpu"), &format!("{name}: its CPU time"), &currency), &busy);
    let spared = core.busy(rate / 1e6, whose, server);
    let title = format!("{name}: a microsecond less of it at that rate");
    core.priced(r, (&key("microsecond"), &title, &currency), &spared);
}

/// What one core's CPU time carries of one kind of work, per second.
struct OfACore {
    name: String,
    bytes: Amount,
    /// Of storage alone: a scan's operation is a whole scan.
    operations: Option<Amount>,
}

fn of_a_core(measured: &Measured) -> Vec<OfACore> {
    const NS: f64 = 1e9;
    let per_cpu_s = |count: f64, cpu_ns: Amount| Amount::exact(count * NS).over(cpu_ns);
    let io = measured.io.iter().filter_map(|io| {
        let (bytes, operations) = (per_cpu_s(io.bytes, io.cpu_ns)?, per_cpu_s(1.0, io.cpu_ns));
        Some(OfACore { name: io.name.clone(), bytes, operations })
    });
    let scans = measured.demands.iter().filter(|demand| demand.scan);
    let scans = scans.filter_map(|demand| {
        let bytes = demand.reads?.per_op.value * demand.reads?.bytes;
        let bytes = per_cpu_s(bytes, demand.cpu_ns?).filter(|bytes| bytes.value > 0.0)?;
        Some(OfACore { name: demand.name.clone(), bytes, operations: None })
    });
    io.chain(scans).collect()
}
