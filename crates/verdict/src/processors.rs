//! Why a server has fewer processors than its set holds (a quota, a neighbour, or neither), and how many the set holds.

use narrows_model::{Bottleneck, DatabaseChoice, Run, metric};

use crate::demand::Demand;
use crate::threshold::{LITTLE_LESS, STOPS_OFTEN, TAKEN, WITHHELD};

/// Which of the reasons for fewer processors than the set holds is the larger one, if any is large.
pub(crate) fn narrow(run: &Run, demand: &Demand, available: f64) -> Bottleneck {
    let Some(set) = demand.cpu.set.filter(|set| *set > 0.0) else { return Bottleneck::Cpu };
    let taken = demand.cpu.taken.unwrap_or(0.0).max(0.0);
    let withheld = set - available - taken;
    let quota = demand.quota_cpus(run);
    // Of a quota that stopped the server and is less than others leave, nobody else is the end, however little it keeps back. What
    // others take, on a virtual machine its hypervisor among them, comes in bursts: between them the quota stops the server all the same.
    let often = demand.cpu.throttled_share.is_some_and(|share| share >= STOPS_OFTEN);
    let left = (set - taken) * if often { 1.0 + LITTLE_LESS } else { 1.0 };
    if demand.cpu.throttled && quota.is_some_and(|quota| quota < left) {
        return Bottleneck::CpuQuota;
    }
    if (quota.is_some() || demand.cpu.throttled) && withheld > WITHHELD * set && withheld >= taken {
        return Bottleneck::CpuQuota;
    }
    if taken >= TAKEN * set && !grows_with_load(run, demand, taken) {
        Bottleneck::CpuTaken
    } else {
        Bottleneck::Cpu
    }
}

/// Whether what "others" use comes with the workload: interrupts and kernel threads work for the server without
/// being its processes. Beside a lone session they use little; a neighbour uses as much as ever.
fn grows_with_load(run: &Run, demand: &Demand, taken: f64) -> bool {
    if let Some(observed) = &demand.observed {
        return observed.other_cpus().is_some_and(|others| others < taken / 2.0);
    }
    run.measurement(&format!("{}.alone", demand.measurement.id))
        .filter(|m| m.usable())
        .and_then(|m| m.value(metric::SERVER_CPUS_TAKEN))
        .is_some_and(|alone| alone < taken / 2.0)
}

/// A number of CPUs for the screen. A CPU is what the kernel schedules on (as in `lscpu`), whatever it is of a core.
pub(crate) fn words(cpus: f64) -> String {
    if (cpus - cpus.round()).abs() < 0.005 {
        let plural = if cpus.round() == 1.0 { "" } else { "s" };
        format!("{cpus:.0} CPU{plural}")
    } else {
        format!("{cpus:.2} CPUs")
    }
}

/// `1 of 2`, where a server that we started was given a part of the machine's CPUs only: a full set then says
/// nothing about the whole machine. `None` where it had all of them, or where the set was not ours to choose.
pub(crate) fn given(run: &Run, demand: &Demand) -> Option<String> {
    let set = demand
        .cpu
        .set
        .filter(|_| demand.observed.is_none() && run.plan.database == DatabaseChoice::Managed)?;
    let all = f64::from(run.platform()?.cpu.threads);
    (set < all).then(|| format!("{set:.0} of {all:.0}"))
}
