//! The highest rate of a task at which a percentile of latency stays within a limit, on a server: what [`highest`] searches,
//! with windows that are watched as all others are, so that the answer falls with what it rests on.

use narrows_engine::rate_search::{Outcome, RateStep};
use narrows_engine::{Context, Phase};
use narrows_model::{
    CalibrationEnd, HighestRate, Interval, IntervalMethod, Layer, Measurement, Validity,
};
use serde_json::json;

use crate::database::Database;
use crate::error::DatabaseError;
use crate::evict::evict_once;
use crate::highest::{Highest, HighestPlan, SearchWindow, highest};
use crate::repeat_sample::RepeatSample;
use crate::task::{Source, Task};
use crate::variation::Variation;

/// A window that may have to be shown.
struct Window {
    once: RepeatSample,
    hot: Option<String>,
    resident: Option<f64>,
    drift: f64,
}

impl Database {
    /// Searches below `ceiling_per_s`, the closed loop's rate by as many sessions; returns the answer and the windows it rests
    /// on, as measurements `ID.NAME`.
    ///
    /// # Errors
    /// The server plans a statement otherwise than it is meant to run, or broke; or a stop.
    pub fn highest_rate(
        &mut self,
        ctx: &Context<'_>,
        task: &Task,
        base: &Variation,
        plan: &HighestPlan,
        ceiling_per_s: f64,
    ) -> Result<(HighestRate, Vec<Measurement>), DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let plans = self.plans(task, base, &table)?;
        let files = match task.source {
            Source::Drive => Some(self.evictable()?),
            Source::Pool => {
                ctx.progress.phase(Layer::Database, Phase::WarmUp, "the buffer pool");
                self.warm(task)?;
                None
            }
        };
        let mut tried = 0u64;
        let found = highest(plan, ceiling_per_s, |step: &RateStep| {
            ctx.stop.check()?;
            tried += 1;
            let ctx = Context { window: step.window, ..*ctx };
            let what = format!("{} at {:.0} /s", base.id, step.rate_per_s);
            ctx.progress.phase(Layer::Database, Phase::Measure, &what);
            let variation = Variation {
                open_rate_per_s: Some(step.rate_per_s),
                limit_ns: Some(plan.goal.limit_ns),
                ..base.clone()
            };
            let resident = match &files {
                Some(files) => Some(
                    evict_once(files)
                        .map_err(|reason| DatabaseError::Evict { reason: reason.to_string() })?,
                ),
                None => None,
            };
            let before = narrows_observe::sentinel();
            let seed = ctx.seed ^ (tried << 32);
            let (once, hot) = self.once_load(&ctx, task, &variation, seed, files.as_deref())?;
            let drift = narrows_observe::sentinel().0 as f64 / before.0.max(1) as f64 - 1.0;
            let load = once.load.clone();
            Ok::<_, DatabaseError>(SearchWindow {
                load,
                spoiled: None,
                kept: Window { once, hot, resident, drift },
            })
        })?;
        let mut measurements = Vec::new();
        let mut answer = answer(task, base, plan, ceiling_per_s, &found);
        let cpus = self.cpus_of(base);
        for confirmed in found.confirmed.into_iter().filter(|confirmed| confirmed.rests) {
            let mut variation = base.clone();
            variation.id = format!("{}.{}", base.id, confirmed.name);
            variation.open_rate_per_s = Some(confirmed.rate_per_s);
            let mut filling = self.begin(task, &variation, &plans);
            let say = &mut filling.measurement.workload;
            say.insert(narrows_model::condition::ASKED_RATE_PER_S, json!(confirmed.rate_per_s));
            for (repeat, window) in confirmed.kept.iter().enumerate() {
                let hot = window.hot.clone();
                let (repeat, drift) = (repeat as u32, window.drift);
                filling.take(repeat, &window.once, &cpus, hot, window.resident, drift);
            }
            self.planned_again(task, &variation, &plans, &mut filling)?;
            answer.rests_on.push(variation.id);
            measurements.push(filling.finish());
        }
        Ok((answer, measurements))
    }
}

fn answer<T>(
    task: &Task,
    base: &Variation,
    plan: &HighestPlan,
    ceiling_per_s: f64,
    found: &Highest<T>,
) -> HighestRate {
    let exact = match &found.outcome {
        Outcome::Found(answer) => Some(answer),
        _ => None,
    };
    HighestRate {
        workload: task.word().to_string(),
        sessions: base.sessions,
        quantile: plan.goal.quantile,
        limit_ns: plan.goal.limit_ns,
        end: CalibrationEnd::from(&found.outcome),
        sentence: found.sentence(&plan.goal),
        rate_per_s: found.outcome.kept_per_s(),
        interval_95: exact.map(|answer| {
            let (low, high) = answer.interval_95();
            Interval { low, high, method: IntervalMethod::OrderStatistic }
        }),
        quantiles_ns: exact.map(|answer| answer.quantiles_ns.clone()).unwrap_or_default(),
        ceiling_per_s,
        windows: found.windows,
        unusable_windows: found.spoiled.values().sum(),
        rests_on: Vec::new(),
        validity: Validity::Valid,
    }
}
