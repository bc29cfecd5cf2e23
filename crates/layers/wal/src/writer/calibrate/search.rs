//! The search for the rate of commits, and the curve around it.

use std::time::Duration;

use narrows_engine::curve::{self, knees};
use narrows_engine::rate_search::{
    Backlog, Because, Outcome, RateSeen, Stage, back_off, same_rate,
};
use narrows_engine::{CurvePlan, LiveValue, RateSearch, held_quantile};
use narrows_model::{CurvePoint, Measurement};

use super::bench::{Bench, WARM_UP, undisturbed};
use super::closed::Closed;
use super::windows::CalibrationWindows;
use crate::LogError;
use crate::writer::Flusher;
use crate::writer::account::Account;
use crate::writer::drive::{Driven, Load};

/// Bounds of the sessions that an open loop has: several times what the limit of latency lets wait at that rate. More would only
/// cost processor time.
const FEWEST_SESSIONS: u32 = 32;
const MOST_SESSIONS: u32 = 512;
/// Above this part of its processors the machine is what makes commits late, and not the clock of the generator.
const BUSY: f64 = 0.85;

/// What the search came to.
pub struct Searched {
    pub outcome: Outcome,
    pub windows: u32,
    pub unusable: u32,
    confirmed: Vec<(f64, CalibrationWindows)>,
}

/// The curve.
#[derive(Default)]
pub struct Curve {
    pub points: Vec<CurvePoint>,
    pub knee_per_s: Option<f64>,
    windows: Vec<(String, CalibrationWindows)>,
}

/// A load of the open loop at that rate.
fn load<F: Flusher + Send>(bench: &Bench<'_, F>, rate_per_s: f64) -> Load {
    let wanted = 4.0 * within_limit(bench, rate_per_s);
    let sessions = (wanted.ceil().min(f64::from(MOST_SESSIONS)) as u32).max(FEWEST_SESSIONS);
    Load::Open { rate_per_s, arrivals: bench.plan.arrivals, sessions }
}

/// Commits that are under way at that rate when all take as long as the limit allows.
fn within_limit<F: Flusher + Send>(bench: &Bench<'_, F>, rate_per_s: f64) -> f64 {
    rate_per_s * bench.plan.goal.limit_ns as f64 / 1e9
}

/// What a window says to the search. Sessions and log share processors, as a server's do: commits that are late because these are
/// all busy are the server's own, and only those that are late on idle ones are the generator's.
fn seen<F: Flusher + Send>(bench: &Bench<'_, F>, driven: &Driven, account: &Account) -> RateSeen {
    let seen = account.rate_seen(&bench.plan.goal, true);
    let all = f64::from(MOST_SESSIONS);
    if seen.backlog == Backlog::CapHit && within_limit(bench, seen.due_per_s) > all {
        // So many sessions can't hold what the limit would allow: nothing is known of the log.
        return RateSeen { backlog: Backlog::Bounded, sent_per_s: 0.0, ..seen };
    }
    let cpus = bench.plan.cpus.len().max(1) as f64;
    if driven.seen.self_cpus / cpus < BUSY {
        return seen;
    }
    RateSeen { lateness_ns: None, lateness_median_ns: None, sent_per_s: seen.due_per_s, ..seen }
}

/// Searches below the ceiling; ends in time and within the bytes.
pub fn search<F: Flusher + Send>(
    bench: &mut Bench<'_, F>,
    closed: &Closed,
) -> Result<Searched, LogError> {
    let plan = bench.plan;
    let mut search = RateSearch::new(plan.goal, closed.ceiling_per_s(), plan.settings);
    let mut confirmed: Vec<(f64, CalibrationWindows)> = Vec::new();
    let (mut unusable, mut disturbed) = (0, 0);
    while let Some(step) =
        search.next_in_time(|n, length| bench.has_time(n, length, plan.curve_s()))
    {
        if !bench.has_bytes() {
            search.give_up(Because::Bytes);
            break;
        }
        let number = search.tried().len() + 1;
        bench.tell(&format!("search: {:.0} commits per second, window {number}", step.rate_per_s));
        let load = load(bench, step.rate_per_s);
        let driven = bench.run(load, (step.warm_up, step.window))?;
        let seen = seen(bench, &driven, &driven.went.account());
        bench.last = Some(LiveValue::Commits(seen.achieved_per_s));
        let usable = undisturbed(&driven.seen) && !seen.stood_still(&plan.goal);
        unusable += u32::from(!usable);
        disturbed = if usable { 0 } else { disturbed + 1 };
        if step.stage == Stage::Confirm && usable {
            let at = confirmed.iter().position(|(rate, _)| same_rate(*rate, step.rate_per_s));
            let at = at.unwrap_or_else(|| {
                confirmed.push((step.rate_per_s, CalibrationWindows::new(load)));
                confirmed.len() - 1
            });
            confirmed[at].1.add(&driven);
        }
        search.saw(RateSeen { usable, ..seen });
        let pause = back_off(step.window, disturbed);
        if !pause.is_zero() && bench.has_time(1, step.window, plan.curve_s() + pause.as_secs_f64())
        {
            bench.ctx.stop.sleep(pause)?;
        }
    }
    let windows = search.tried().len() as u32;
    // Only a search without an outcome has another step, and without a step it has one.
    search.give_up(Because::Windows);
    let outcome = search.outcome().cloned().unwrap_or(Outcome::Unfinished {
        because: Because::Windows,
        passed_per_s: None,
        failed_per_s: None,
        apart_per_s: None,
    });
    Ok(Searched { outcome, windows, unusable, confirmed })
}

impl Searched {
    /// Mean wait at the rate that was kept, ns.
    pub fn mean_ns(&self) -> Option<f64> {
        let kept = self.outcome.kept_per_s()?;
        self.confirmed.iter().find(|(rate, _)| same_rate(*rate, kept))?.1.mean_ns()
    }

    /// `ID.confirm.kept`, `.below.N`, `.beyond.N`; and the ids that a found answer rests on.
    pub fn into_measurements(
        mut self,
        id: &str,
        finish: &impl Fn(CalibrationWindows, String) -> Measurement,
    ) -> (Vec<Measurement>, Vec<String>) {
        self.confirmed.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (mut measurements, mut rests_on) = (Vec::new(), Vec::new());
        for (number, (rate, kept)) in self.confirmed.into_iter().enumerate() {
            let (name, rests) = self.outcome.name_of(rate, number);
            let name = format!("{id}.confirm.{name}");
            if rests {
                rests_on.push(name.clone());
            }
            measurements.push(finish(kept, name));
        }
        (measurements, rests_on)
    }
}

/// Around `rate_per_s`; points above `kept_per_s` have `beyond` in their ids. Ends early where time or bytes do.
pub fn curve<F: Flusher + Send>(
    bench: &mut Bench<'_, F>,
    rate_per_s: f64,
    kept_per_s: Option<f64>,
) -> Result<Curve, LogError> {
    let goal = bench.plan.goal;
    let length: Duration = bench.plan.curve_window();
    let mut curve = Curve::default();
    let mut judged = Vec::new();
    let mut sentinel: Option<CalibrationWindows> = None;
    let steps = CurvePlan::new(rate_per_s, bench.ctx.seed);
    for (step, order) in steps.steps().iter().zip(0..) {
        if !bench.has_time(1, length, 0.0) || !bench.has_bytes() {
            break;
        }
        bench.tell(&format!("curve: {:.0} commits per second", step.rate_per_s));
        let load = load(bench, step.rate_per_s);
        let driven = bench.run(load, (length.mul_f64(WARM_UP), length))?;
        let mut alone = CalibrationWindows::new(load);
        let account = if step.sentinel {
            sentinel.get_or_insert_with(|| CalibrationWindows::new(load)).add(&driven)
        } else {
            alone.add(&driven)
        };
        let seen = seen(bench, &driven, &account);
        bench.last = Some(LiveValue::Commits(seen.achieved_per_s));
        let bounded = seen.backlog == Backlog::Bounded;
        curve.points.push(point(&account, &seen, step.rate_per_s, order, step.sentinel));
        if let (true, Some(mean_ns), Some(ns)) = (bounded, seen.mean_ns, seen.quantile_ns) {
            let quantile_ns = ns as f64;
            let rate_per_s = seen.achieved_per_s;
            judged.push(curve::CurvePoint { rate_per_s, mean_ns, quantile_ns });
        }
        if !step.sentinel {
            let share = (100.0 * step.rate_per_s / rate_per_s).round();
            let kept = kept_per_s.is_some_and(|kept| step.rate_per_s <= kept * 1.000_1);
            let place = if kept { "" } else { "beyond." };
            curve.windows.push((format!("{place}p{share:03}"), alone));
        }
    }
    let place = if kept_per_s.is_some() { "" } else { "beyond." };
    curve.windows.extend(sentinel.map(|kept| (format!("{place}sentinel"), kept)));
    curve.points.sort_by(|a, b| a.asked_per_s.total_cmp(&b.asked_per_s));
    curve.knee_per_s = knees(&judged, goal.limit_ns as f64)
        .filter(|knees| knees.power_is_inside)
        .map(|knees| knees.power_per_s);
    Ok(curve)
}

fn point(
    account: &Account,
    seen: &RateSeen,
    asked_per_s: f64,
    order: u32,
    sentinel: bool,
) -> CurvePoint {
    let quantile = |q: f64| held_quantile(&account.wait, q);
    CurvePoint {
        order,
        sentinel,
        asked_per_s,
        achieved_per_s: seen.achieved_per_s,
        bounded: seen.backlog == Backlog::Bounded,
        latency_mean_ns: account.wait.mean(),
        latency_p50_ns: quantile(0.5),
        latency_p99_ns: quantile(0.99),
        latency_p999_ns: quantile(0.999),
        lateness_p99_ns: held_quantile(&account.lateness, 0.99),
        // One of the sessions spins before a commit is due, so that this says what the idle time costs.
        cpu_per_op_ns: None,
    }
}

impl Curve {
    /// `ID.curve.pNNN`.
    pub fn into_measurements(
        self,
        id: &str,
        finish: &impl Fn(CalibrationWindows, String) -> Measurement,
    ) -> Vec<Measurement> {
        let one = |(name, kept)| finish(kept, format!("{id}.curve.{name}"));
        self.windows.into_iter().map(one).collect()
    }
}
