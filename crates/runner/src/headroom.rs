//! How much of CPUs and drives may be used so that a percentile of latency is kept, by curves of latency against rate that runs measured.
//!
//! Of CPUs by a search of the highest open-loop rate (`narrows db WORKLOAD --p99 TIME`), else by the one open loop that every run of a
//! workload has, where it kept the percentile, else by the closed loop at several numbers of sessions (`--sessions 1,2,4,…`). Of drives by a calibration (`narrows block calibrate`). Not here: a law of queueing; what was not
//! measured gives no share.

use narrows_cost::{Headroom, HeadroomOf};
use narrows_model::{
    Calibration, HighestRate, Interval, Measurement, Run, Validity, family, metric,
};
use narrows_plan::Demand;
use narrows_units::{Nanos, OpsPerSecond, Ratio};

/// The percentile that is asked for.
const P99: f64 = 0.99;

/// What a run's curves say.
#[derive(Debug, Default)]
pub(crate) struct MeasuredCurves {
    /// By the workload's name: how busy CPUs may be.
    pub cpus: Vec<(String, Headroom)>,
    /// How much of drives may be used.
    pub drives: Option<Headroom>,
    /// Why a curve says nothing.
    pub notes: Vec<String>,
}

/// Of these workloads' CPUs and of the run's drives, with p99 within that limit where one is asked for.
pub(crate) fn of(run: &Run, demands: &[Demand], limit_ns: Option<u64>) -> MeasuredCurves {
    let mut found = MeasuredCurves { drives: drives(run), ..MeasuredCurves::default() };
    if found.drives.is_none() {
        found.notes.extend(run.calibrations.iter().map(no_rate));
    }
    let Some(cpus) = super::costs::cpus(run) else { return found };
    for demand in demands {
        let (searched, why_not) = searched(run, demand, f64::from(cpus), limit_ns);
        let headroom = match (searched, limit_ns) {
            (Some(headroom), _) => Some(headroom),
            (None, Some(limit_ns)) => {
                found.notes.extend(why_not);
                let (headroom, why_not) = by_loops(run, demand, f64::from(cpus), limit_ns);
                found.notes.extend(why_not);
                headroom
            }
            (None, None) => {
                found.notes.extend(unused(run, demand));
                None
            }
        };
        found.cpus.extend(headroom.map(|headroom| (demand.name.clone(), headroom)));
    }
    found
}

/// By the search of the highest rate that kept a percentile; why its answer is none for that limit.
fn searched(
    run: &Run,
    demand: &Demand,
    cpus: f64,
    limit_ns: Option<u64>,
) -> (Option<Headroom>, Option<String>) {
    let of = |highest: &&HighestRate| highest.workload == demand.name;
    let Some(highest) = run.highest_rates.iter().find(of) else { return (None, None) };
    let valid = highest.rate_per_s.filter(|_| highest.validity != Validity::Invalid);
    let (Some(rate), Some(cpu)) = (valid, demand.cpu_ns) else { return (None, None) };
    if limit_ns.is_some_and(|limit_ns| highest.limit_ns > limit_ns || highest.quantile != P99) {
        let why = format!(
            "{}: the run searched for the rate that keeps p{} within {}, which is not what is asked for",
            demand.name,
            highest.quantile * 100.0,
            Nanos(highest.limit_ns)
        );
        return (None, Some(why));
    }
    let share = (rate * cpu.value / 1e9 / cpus).min(1.0);
    let from = format!(
        "p{} within {} kept up to {}, at which the CPUs were {} busy{}; run {}",
        highest.quantile * 100.0,
        Nanos(highest.limit_ns),
        OpsPerSecond(rate),
        Ratio(share),
        if highest.validity == Validity::Suspect { "; it is suspect" } else { "" },
        run.id
    );
    let half = doubt(rate, highest.interval_95.as_ref()).map(|relative| share * relative);
    (Some(Headroom { share, half, of: HeadroomOf::Cpus, from }), None)
}

/// How far the ends of an interval are from a value, relative to it. The CPU time of an operation is in the ceiling too, where its doubt
/// counts.
fn doubt(value: f64, interval: Option<&Interval>) -> Option<f64> {
    let Interval { low, high, .. } = interval?;
    let relative = (high - value).abs().max((value - low).abs()) / value;
    relative.is_finite().then_some(relative)
}

/// A load at which the percentile was measured.
struct Point {
    sessions: u32,
    rate_per_s: f64,
    p99_ns: f64,
    busy: f64,
    suspect: bool,
}

impl Point {
    fn of(measurement: &Measurement, sessions: u32, cpus: f64) -> Option<Point> {
        let valid = measurement.validity != Validity::Invalid;
        let rate_per_s = measurement.value(metric::THROUGHPUT).filter(|_| valid)?;
        let cpu_s = measurement.value(metric::SERVER_CPU_PER_OP)? / 1e9;
        let p99_ns = measurement.value(metric::LATENCY_P99)?;
        let suspect = measurement.validity == Validity::Suspect;
        let busy = (rate_per_s * cpu_s / cpus).min(1.0);
        Some(Point { sessions, rate_per_s, p99_ns, busy, suspect })
    }

    /// `4.00 ms, 12.0k/s, CPUs 60 % busy`.
    fn words(&self) -> String {
        let (p99, rate) = (Nanos(self.p99_ns as u64), OpsPerSecond(self.rate_per_s));
        let doubt = if self.suspect { ", suspect" } else { "" };
        format!("{p99}, {rate}, CPUs {} busy{doubt}", Ratio(self.busy))
    }

    fn headroom(&self, from: String) -> Headroom {
        Headroom { share: self.busy, half: None, of: HeadroomOf::Cpus, from }
    }
}

/// The closed loop by its numbers of sessions.
fn by_sessions(run: &Run, demand: &Demand, cpus: f64) -> Vec<Point> {
    let of = |measurement: &Measurement| {
        let (workload, sessions) =
            family::DATABASE.rest(&measurement.id)?.split_once(".sessions_")?;
        let sessions = sessions.parse().ok().filter(|_| workload == demand.name)?;
        Point::of(measurement, sessions, cpus)
    };
    let mut all: Vec<Point> = run.measurements.iter().filter_map(of).collect();
    all.sort_by_key(|point| point.sessions);
    all
}

/// The open loop that is run beside every closed one.
fn open_loop(run: &Run, demand: &Demand, cpus: f64) -> Option<Point> {
    Point::of(run.measurement(&format!("database.{}.open", demand.name))?, 0, cpus)
}

/// By the open loop where it kept the limit; else by the closed loop at the largest number of sessions up to which each kept it, at which
/// CPUs were less busy than where the open one missed it. Or why neither says anything.
fn by_loops(
    run: &Run,
    demand: &Demand,
    cpus: f64,
    limit_ns: u64,
) -> (Option<Headroom>, Option<String>) {
    let (limit, within) = (Nanos(limit_ns), |point: &Point| point.p99_ns <= limit_ns as f64);
    let open = open_loop(run, demand, cpus);
    if let Some(point) = open.as_ref().filter(|point| within(point)) {
        let from = format!(
            "arrivals at random kept p99 within {limit} ({}): at least so much; run {}",
            point.words(),
            run.id
        );
        return (Some(point.headroom(from)), None);
    }
    let missed = open.as_ref().map_or(f64::INFINITY, |point| point.busy);
    let beside =
        open.map_or(String::new(), |point| format!("; arrivals at random had {}", point.words()));
    let points = by_sessions(run, demand, cpus);
    let kept = points.iter().take_while(|point| within(point) && point.busy < missed).count();
    if let Some(last) = kept.checked_sub(1).map(|at| &points[at]) {
        let next = match points.get(kept) {
            Some(next) => format!("{} sessions had {}", next.sessions, next.words()),
            None => "more sessions were not measured".to_string(),
        };
        let from = format!(
            "{} sessions kept p99 within {limit} ({}), {next}{beside}; a closed loop, in which sessions wait for their answers: arrivals that \
             don't wait have a longer p99 at that rate; run {}",
            last.sessions,
            last.words(),
            run.id
        );
        return (Some(last.headroom(from)), None);
    }
    let first =
        points.first().map(|first| format!("{} sessions had {}", first.sessions, first.words()));
    let had = match (first, beside.strip_prefix("; ")) {
        (Some(first), _) => format!("{first}{beside}"),
        (None, Some(open)) => open.to_string(),
        (None, None) => return (None, None),
    };
    let why = format!("{}: no load kept p99 within {limit}: {had}", demand.name);
    (None, Some(why))
}

/// A curve that nobody asked.
fn unused(run: &Run, demand: &Demand) -> Option<String> {
    let cpus = f64::from(super::costs::cpus(run)?);
    let mut points = by_sessions(run, demand, cpus);
    points.extend(open_loop(run, demand, cpus));
    let p99 = |point: &Point| point.p99_ns;
    let least = points.iter().map(p99).reduce(f64::min)?;
    let most = points.iter().map(p99).reduce(f64::max)?;
    let range = match least == most {
        true => Nanos(least as u64).to_string(),
        false => format!("{} to {}", Nanos(least as u64), Nanos(most as u64)),
    };
    Some(format!(
        "{}: the run has p99 of {range}: --p99 TIME takes from it how busy CPUs may be",
        demand.name
    ))
}

/// By calibrations of storage: of several the one that leaves most unused.
fn drives(run: &Run) -> Option<Headroom> {
    let all = run.calibrations.iter().filter_map(|calibration| of_drives(run, calibration));
    all.min_by(|a, b| a.share.total_cmp(&b.share))
}

/// Why a calibration says nothing.
fn no_rate(calibration: &Calibration) -> String {
    let what = &calibration.goal.what;
    match calibration.validity {
        Validity::Invalid => format!("{what}: the calibration is invalid"),
        _ => format!("{what}: the calibration has no rate: {}", calibration.sentence),
    }
}

fn of_drives(run: &Run, calibration: &Calibration) -> Option<Headroom> {
    let rate = calibration.rate_per_s.filter(|_| calibration.validity != Validity::Invalid)?;
    let most = calibration.ceiling_per_s.filter(|most| *most > 0.0)?;
    let share = (rate / most).min(1.0);
    let goal = &calibration.goal;
    let doubtful = match (calibration.thin, calibration.validity) {
        (true, _) => "; it rests on few operations beyond the percentile",
        (_, Validity::Suspect) => "; it is suspect",
        _ => "",
    };
    let from = format!(
        "{}: p{} within {} kept up to {} of {} at most{doubtful}; run {}",
        goal.what,
        goal.quantile * 100.0,
        Nanos(goal.limit_ns),
        OpsPerSecond(rate),
        OpsPerSecond(most),
        run.id
    );
    let half = doubt(rate, calibration.interval_95.as_ref()).map(|relative| share * relative);
    Some(Headroom { share, half, of: HeadroomOf::Drives, from })
}

#[cfg(test)]
mod tests {
    use narrows_model::{
        CalibrationEnd, CalibrationGoal, IntervalMethod, Layer, MetricValue, Plan, Platform,
    };
    use narrows_plan::Amount;

    use super::*;

    fn demand() -> Demand {
        Demand {
            name: "update".to_string(),
            unit: "operation",
            rate_per_s: Amount::exact(12_000.0),
            sessions: Some(8.0),
            observed: false,
            think_ns: 0.0,
            suspect: None,
            scan: false,
            cpu_ns: Some(Amount::exact(200_000.0)),
            threads_per_core: 1.0,
            reads: None,
            read_ns: None,
            writes: None,
            log: None,
            parts: None,
            unknown: Vec::new(),
        }
    }

    fn run() -> Run {
        let mut platform = Platform::default();
        platform.cpu.threads = 4;
        let mut run = Run::blank(Plan::default(), platform);
        run.id = "7f3a".to_string();
        run
    }

    fn highest(limit_ns: u64) -> HighestRate {
        let interval = Interval { low: 9_000.0, high: 11_000.0, method: IntervalMethod::LogT };
        HighestRate {
            workload: "update".to_string(),
            sessions: 8,
            quantile: 0.99,
            limit_ns,
            end: CalibrationEnd::Found,
            sentence: String::new(),
            rate_per_s: Some(10_000.0),
            interval_95: Some(interval),
            quantiles_ns: Vec::new(),
            ceiling_per_s: 12_000.0,
            windows: 1,
            unusable_windows: 0,
            rests_on: Vec::new(),
            validity: Validity::Valid,
        }
    }

    /// A number of sessions with its rate and p99, 200 µs of CPU time each.
    fn step(run: &mut Run, sessions: u32, rate: f64, p99_ns: f64) {
        let id = format!("database.update.sessions_{sessions}");
        let mut m = Measurement::new(id, Layer::Database);
        for (metric, value) in [
            (metric::THROUGHPUT, rate),
            (metric::LATENCY_P99, p99_ns),
            (metric::SERVER_CPU_PER_OP, 200_000.0),
        ] {
            m.metrics.push(MetricValue::new(metric, value, None, vec![value]));
        }
        run.measurements.push(m);
    }

    #[test]
    fn a_search_of_the_rate_says_how_busy_cpus_may_be_with_its_doubt() {
        let run = Run { highest_rates: vec![highest(5_000_000)], ..run() };
        let found = of(&run, &[demand()], None);
        let (_, headroom) = &found.cpus[0];
        // 10,000 × 200 µs on 4 CPUs.
        assert!((headroom.share - 0.5).abs() < 1e-12);
        assert!((headroom.half.unwrap() - 0.05).abs() < 1e-12, "a tenth, by the rate's interval");
        assert_eq!(headroom.of, HeadroomOf::Cpus);
        let stricter = of(&run, &[demand()], Some(10_000_000));
        assert_eq!(stricter.cpus.len(), 1, "within 5 ms is within 10 ms");
        let other = of(&run, &[demand()], Some(1_000_000));
        assert!(other.cpus.is_empty());
        assert!(other.notes[0].contains("not what is asked for"), "{:?}", other.notes);
    }

    #[test]
    fn the_closed_loop_says_it_at_the_last_number_of_sessions_that_keeps_the_limit() {
        let mut run = run();
        step(&mut run, 16, 15_000.0, 9e6);
        step(&mut run, 1, 2_000.0, 1e6);
        step(&mut run, 4, 7_000.0, 2e6);
        step(&mut run, 8, 12_000.0, 4e6);
        let found = of(&run, &[demand()], Some(5_000_000));
        let (_, headroom) = &found.cpus[0];
        assert!((headroom.share - 0.6).abs() < 1e-12, "12,000 × 200 µs on 4 CPUs: {headroom:?}");
        assert!(
            headroom.from.contains("8 sessions") && headroom.from.contains("16 sessions had 9")
        );
        assert!(headroom.from.contains("closed loop"), "{}", headroom.from);
        let none = of(&run, &[demand()], Some(500_000));
        assert!(none.cpus.is_empty());
        assert!(none.notes[0].contains("no load kept p99 within"), "{:?}", none.notes);
        let unasked = of(&run, &[demand()], None);
        assert!(unasked.cpus.is_empty());
        assert!(unasked.notes[0].contains("--p99 TIME takes from it"), "{:?}", unasked.notes);
        run.measurements.iter_mut().for_each(|m| m.validity = Validity::Invalid);
        assert!(
            of(&run, &[demand()], Some(5_000_000)).cpus.is_empty(),
            "what is invalid is no point"
        );
    }

    #[test]
    fn the_open_loop_says_it_before_the_closed_one_and_holds_it_back_where_it_missed() {
        let with_open = |p99_ns: f64| {
            let mut run = run();
            step(&mut run, 4, 7_000.0, 2e6);
            step(&mut run, 8, 12_000.0, 4e6);
            step(&mut run, 1, 10_000.0, p99_ns);
            let open = run.measurements.last_mut().unwrap();
            open.id = "database.update.open".to_string().into();
            run
        };
        let asked = |run: &Run| of(run, &[demand()], Some(5_000_000));
        let kept = asked(&with_open(3e6));
        assert!((kept.cpus[0].1.share - 0.5).abs() < 1e-12, "10,000 × 200 µs on 4 CPUs");
        assert!(kept.cpus[0].1.from.contains("at least so much"));
        // 12,000 per second are more than the 10,000 at which the open loop missed the limit.
        let missed = asked(&with_open(8e6));
        assert!((missed.cpus[0].1.share - 0.35).abs() < 1e-12, "{:?}", missed.cpus[0]);
        let mut alone = with_open(8e6);
        alone.measurements.retain(|m| m.id == "database.update.open");
        let none = asked(&alone);
        assert!(
            none.cpus.is_empty() && none.notes[0].contains("no load kept p99 within"),
            "{:?}",
            none.notes
        );
    }

    fn calibration(rate: Option<f64>, ceiling: f64) -> Calibration {
        Calibration {
            id: "block.calibrate.read.8k".to_string(),
            goal: CalibrationGoal {
                what: "8 KiB random reads".to_string(),
                block_bytes: 8192,
                read_share: 1.0,
                quantile: 0.99,
                limit_ns: 1_000_000,
                arrivals: "poisson".to_string(),
                beside: None,
            },
            end: CalibrationEnd::Found,
            sentence: String::new(),
            rate_per_s: rate,
            interval_95: None,
            quantiles_ns: Vec::new(),
            repeats: (3, 3),
            latency_mean_ns: None,
            alone_ns: None,
            ceiling_per_s: Some(ceiling),
            ceiling_depth: None,
            knee_per_s: None,
            curve: Vec::new(),
            ramp: Vec::new(),
            cpu_per_op_ns: None,
            burst_per_s: None,
            thin: false,
            pooled: false,
            windows: 9,
            unusable_windows: 0,
            generator_per_s: None,
            bound: None,
            bandwidth_bytes_per_s: None,
            bandwidth_depth: None,
            process_bandwidth_bytes_per_s: None,
            oracle: None,
            rests_on: Vec::new(),
            validity: Validity::Valid,
        }
    }

    #[test]
    fn a_calibration_says_how_much_of_drives_may_be_used() {
        let of_drives = |calibrations| of(&Run { calibrations, ..run() }, &[], None).drives;
        let all =
            vec![calibration(Some(45_000.0), 60_000.0), calibration(Some(30_000.0), 60_000.0)];
        let headroom = of_drives(all).unwrap();
        assert!((headroom.share - 0.5).abs() < 1e-12, "the one that leaves most unused");
        assert_eq!(headroom.of, HeadroomOf::Drives);
        assert!(of_drives(vec![calibration(None, 60_000.0)]).is_none(), "it found no rate");
        let invalid = Calibration { validity: Validity::Invalid, ..calibration(Some(1.0), 2.0) };
        assert!(of_drives(vec![invalid.clone()]).is_none());
        let notes =
            |calibration| of(&Run { calibrations: vec![calibration], ..run() }, &[], None).notes;
        assert!(notes(invalid)[0].contains("is invalid"));
        assert!(notes(calibration(None, 60_000.0))[0].contains("has no rate"));
        assert!(notes(calibration(Some(1.0), 2.0)).is_empty());
    }
}
