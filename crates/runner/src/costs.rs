//! What `narrows cost` and `narrows size` take from a stored run: rates and CPU time of its workloads, CPU time of its I/O, and how much of a
//! rate keeps a percentile of latency.

use anyhow::Result;
use narrows_cost::{Headroom, Measured, MeasuredIo};
use narrows_model::{Layer, Measurement, Run, Validity, metric};
use narrows_plan::{Amount, Demand};
use narrows_verdict::Estimate;

use crate::demand;
use crate::failure::Failure;
use crate::store;

/// Kilohertz of a gigahertz.
const KHZ_OF_A_GHZ: f64 = 1e6;

/// Reads the run.
///
/// # Errors
/// There is no such run, or it has neither a database workload nor I/O with its CPU time.
pub fn measured(name: &str) -> Result<Measured> {
    let run = store::load(&store::find(name)?)?;
    let taken = demand::of_run(&run);
    let io = operations(&run);
    let mut notes = demand::remarks(&run);
    // Of the client's network, which costs nothing here.
    notes.retain(|note| note != demand::CLIENT_NETWORK);
    notes.extend(taken.refused);
    if taken.demands.is_empty() && io.is_empty() {
        return Err(Failure::hinted(
            format!(
                "--run {name}: run {} has no database workload and no I/O with its CPU time",
                run.id
            ),
            "measure some with `narrows run`, `narrows db` or `narrows block`",
        ));
    }
    Ok(Measured {
        from: demand::from(&run),
        demands: taken.demands,
        io,
        notes,
        cpus: cpus(&run),
        threads_per_core: demand::threads_per_core(&run),
        ghz: ghz(&run),
    })
}

/// CPUs that the server had.
fn cpus(run: &Run) -> Option<u32> {
    let cpu = &run.platform()?.cpu;
    match run.plan.server_cpus.len() {
        0 => Some(cpu.threads),
        some => u32::try_from(some).ok(),
    }
}

/// The frequency that the system says it sustains, else the highest.
fn ghz(run: &Run) -> Option<f64> {
    let cpu = &run.platform()?.cpu;
    let khz = cpu.base_khz.or(cpu.max_khz)?;
    Some(khz as f64 / KHZ_OF_A_GHZ)
}

/// I/O at the depth beyond which a device gives little more, of each kind of I/O; other measurements where none is of that depth.
fn operations(run: &Run) -> Vec<MeasuredIo> {
    let all = || run.measurements.iter().filter_map(io);
    let at_the_knee: Vec<MeasuredIo> = all().filter(|io| io.name.ends_with(".knee")).collect();
    if at_the_knee.is_empty() { all().collect() } else { at_the_knee }
}

/// A valid measurement of storage alone with all CPU time that its operations took: the load generator's, the kernel's for it included, and
/// that of the kernel's own threads where they had a part in it.
fn io(measurement: &Measurement) -> Option<MeasuredIo> {
    if measurement.layer != Layer::Block || measurement.validity == Validity::Invalid {
        return None;
    }
    let of = |metric: narrows_model::Metric| Estimate::of(measurement.metric(metric)?);
    let per_s = of(metric::THROUGHPUT)?;
    let bytes = of(metric::BANDWIDTH)?.value / per_s.value;
    let own = of(metric::CPU_PER_OP)?;
    let kernel = of(metric::KERNEL_CPU_PER_OP);
    let cpu = Amount {
        value: own.value + kernel.map_or(0.0, |kernel| kernel.value),
        half: match kernel {
            Some(kernel) => own.half.zip(kernel.half).map(|(a, b)| a.hypot(b)),
            None => own.half,
        },
    };
    let known = per_s.value > 0.0 && bytes.is_finite() && cpu.value > 0.0;
    known.then(|| MeasuredIo {
        name: measurement.id.to_string(),
        per_s: demand::amount(per_s),
        bytes,
        cpu_ns: cpu,
    })
}

/// A run's demands, and of each workload how much of its rate keeps a percentile of latency, where that was measured.
#[derive(Debug)]
pub struct Demands {
    /// The run in a few words.
    pub from: String,
    /// What its workloads take.
    pub demands: Vec<Demand>,
    /// By the workload's name.
    pub headrooms: Vec<(String, Headroom)>,
    /// What bears on all of it.
    pub notes: Vec<String>,
}

/// Reads a run for sizing.
///
/// # Errors
/// There is no such run, or it gives no demand.
pub fn demands(name: &str) -> Result<Demands> {
    let run = store::load(&store::find(name)?)?;
    let taken = demand::of_run(&run);
    if taken.demands.is_empty() {
        return Err(demand::nothing(name, &run, &taken.refused));
    }
    let mut notes = demand::remarks(&run);
    notes.extend(taken.refused);
    let of = |demand: &Demand| headroom(&run, demand).map(|found| (demand.name.clone(), found));
    let headrooms = taken.demands.iter().filter_map(of).collect();
    for highest in run.highest_rates.iter().filter(|highest| highest.rate_per_s.is_none()) {
        notes.push(format!(
            "{}: the run looked for a rate and has none: {}",
            highest.workload, highest.sentence
        ));
    }
    if taken.demands.iter().any(|demand| !demand.observed) {
        notes.push(
            "a workload's rate is what the old server could do, not what it is asked for: --rate says what is needed"
                .to_string(),
        );
    }
    Ok(Demands { from: demand::from(&run), headrooms, demands: taken.demands, notes })
}

/// How busy the server's CPUs were at the highest rate that kept the percentile: that much of CPUs may be used.
fn headroom(run: &Run, demand: &Demand) -> Option<Headroom> {
    let highest = run.highest_rates.iter().find(|highest| highest.workload == demand.name)?;
    let rate = highest.rate_per_s.filter(|_| highest.validity != Validity::Invalid)?;
    let cpus = f64::from(cpus(run)?);
    let share = (rate * demand.cpu_ns?.value / 1e9 / cpus).min(1.0);
    let from = format!(
        "p{} within {} kept up to {}, at which the CPUs were {} busy; run {}",
        highest.quantile * 100.0,
        narrows_units::Nanos(highest.limit_ns),
        narrows_units::OpsPerSecond(rate),
        narrows_units::Ratio(share),
        run.id
    );
    Some(Headroom { share, of_cpus: true, from })
}
