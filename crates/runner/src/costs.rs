//! What `narrows cost` and `narrows size` take from a stored run: rates and CPU time of its workloads, CPU time of its I/O, and how much of a
//! rate keeps a percentile of latency.

use anyhow::Result;
use narrows_cost::{Headroom, Measured, MeasuredIo};
use narrows_model::{Layer, Measurement, Run, Validity, metric};
use narrows_plan::{Amount, Demand};
use narrows_verdict::Estimate;

use crate::demand;
use crate::failure::Failure;
use crate::headroom;
use crate::store;

/// Kilohertz of a gigahertz.
const KHZ_OF_A_GHZ: f64 = 1e6;

/// The day by this machine's clock at the place of the earth where it is latest: year, month, day. A price that is quoted today anywhere
/// is not of the future then.
pub fn today() -> (u16, u8, u8) {
    let furthest = jiff::tz::TimeZone::fixed(jiff::tz::offset(14));
    let date = jiff::Timestamp::now().to_zoned(furthest).date();
    let number = |part: i8| u8::try_from(part).unwrap_or(1);
    (u16::try_from(date.year()).unwrap_or(0), number(date.month()), number(date.day()))
}

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

/// CPUs that the server had; `None` where nothing of its machine is known, as of what another tool measured.
pub(crate) fn cpus(run: &Run) -> Option<u32> {
    let cpu = &run.platform()?.cpu;
    match run.plan.server_cpus.len() {
        0 => Some(cpu.threads).filter(|threads| *threads > 0),
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

/// A run's demands, and how much of CPUs and drives may be used by its curves.
#[derive(Debug)]
pub struct Demands {
    /// The run in a few words.
    pub from: String,
    /// What its workloads take.
    pub demands: Vec<Demand>,
    /// How much may be used.
    pub curves: Curves,
    /// What bears on all of it.
    pub notes: Vec<String>,
}

/// How much of CPUs and drives keeps a percentile of latency, by measured curves.
#[derive(Debug, Default)]
pub struct Curves {
    /// Of CPUs, by the workload's name.
    pub cpus: Vec<(String, Headroom)>,
    /// Of drives.
    pub drives: Option<Headroom>,
}

/// Reads a run for sizing; p99 of an operation within `limit_ns`, or within what the run itself searched for.
///
/// # Errors
/// There is no such run, or it gives no demand.
pub fn demands(name: &str, limit_ns: Option<u64>) -> Result<Demands> {
    let run = store::load(&store::find(name)?)?;
    let taken = demand::of_run(&run);
    if taken.demands.is_empty() {
        return Err(demand::nothing(name, &run, &taken.refused));
    }
    let mut notes = demand::remarks(&run);
    notes.extend(taken.refused);
    let found = headroom::of(&run, &taken.demands, limit_ns);
    notes.extend(found.notes);
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
    let curves = Curves { cpus: found.cpus, drives: found.drives };
    Ok(Demands { from: demand::from(&run), demands: taken.demands, curves, notes })
}

/// The curves of another run, for parts of which the demand's run has none.
///
/// # Errors
/// There is no such run, or it has no curve of latency against rate.
pub fn curves(name: &str, limit_ns: Option<u64>) -> Result<Curves> {
    let run = store::load(&store::find(name)?)?;
    let found = headroom::of(&run, &demand::of_run(&run).demands, limit_ns);
    if found.cpus.is_empty() && found.drives.is_none() {
        let why = match found.notes.is_empty() {
            true => String::new(),
            false => format!(": {}", found.notes.join("; ")),
        };
        return Err(Failure::hinted(
            format!(
                "--calibration {name}: run {} has no usable curve of latency against rate{why}",
                run.id
            ),
            "`narrows block calibrate` measures one of drives, `narrows db update --p99 5ms` one of CPUs",
        ));
    }
    Ok(Curves { cpus: found.cpus, drives: found.drives })
}
