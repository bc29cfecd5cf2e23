//! The highest rate at which a percentile of latency stays within a limit: [`RateSearch`] driven with windows of an open
//! loop. Whoever runs the windows decides what is run and what is watched meanwhile; the search decides at which rate,
//! how long, and when it is enough.
//!
//! Not for the ceiling below which it searches: that is a closed loop's rate with as many sessions. More can't be in flight than
//! there are sessions: an operation that waits for one waits in the client, and its latency counts that.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use narrows_engine::RateSearch;
use narrows_engine::rate_search::{
    Backlog, Because, Goal, Outcome, RateSeen, RateStep, SearchDescription, Settings, Stage,
    same_rate,
};
use narrows_stats::Slice;

use crate::load::LoadResult;

/// What is searched for, and what may be spent on it.
#[derive(Debug, Clone, Copy)]
pub struct HighestPlan {
    /// The percentile and its limit.
    pub goal: Goal,
    /// How the search goes about it.
    pub settings: Settings,
    /// How long it may take in all.
    pub budget: Duration,
}

/// What a window gave, and what its runner wants to keep of it.
#[derive(Debug)]
pub struct SearchWindow<T> {
    /// What the load saw, run by [`run_load_within`](crate::run_load_within) with the goal's limit.
    pub load: LoadResult,
    /// What made the window worthless, in words that follow "windows": `were beside another's load`.
    pub spoiled: Option<String>,
    /// Kept where it was a window of the confirmation and not spoiled.
    pub kept: T,
}

/// How the search ended.
#[derive(Debug)]
pub struct Highest<T> {
    /// How.
    pub outcome: Outcome,
    /// Windows that were run.
    pub windows: u32,
    /// Of these, not used: by what they suffered.
    pub spoiled: BTreeMap<String, u32>,
    /// The windows of the confirmation by their rates, ascending.
    pub confirmed: Vec<Confirmed<T>>,
}

/// The windows of the confirmation at one rate.
#[derive(Debug)]
pub struct Confirmed<T> {
    /// Asked for, per second.
    pub rate_per_s: f64,
    /// What they are called: `kept`, `beyond.next`, `below.N`, `beyond.N`.
    pub name: String,
    /// Whether an answer rests on them.
    pub rests: bool,
    /// Mean latency from when due, one value a window, ns.
    pub means_ns: Vec<f64>,
    /// What the runner kept.
    pub kept: Vec<T>,
}

/// Searches below a ceiling, operations per second; `run` runs a window of a step: warm-up, rate and length.
///
/// # Errors
/// What `run` gives.
pub fn highest<T, E>(
    plan: &HighestPlan,
    ceiling_per_s: f64,
    mut run: impl FnMut(&RateStep) -> Result<SearchWindow<T>, E>,
) -> Result<Highest<T>, E> {
    let mut search = RateSearch::new(plan.goal, ceiling_per_s, plan.settings);
    let mut time = Time::new(plan.budget);
    let mut spoilt = BTreeMap::new();
    let mut confirmed: Vec<Confirmed<T>> = Vec::new();
    while let Some(step) = search.next_in_time(|windows, length| time.has(windows, length)) {
        let began = Instant::now();
        let shown = run(&step)?;
        time.took(began.elapsed(), &step);
        let seen = seen(&shown.load, &plan.goal, step.window);
        let because = spoiled(&shown, &seen, &plan.goal);
        if let Some(because) = &because {
            *spoilt.entry(because.clone()).or_insert(0) += 1;
        } else if step.stage == Stage::Confirm {
            at(&mut confirmed, step.rate_per_s).add(shown, seen.mean_ns);
        }
        search.saw(RateSeen { usable: because.is_none(), ..seen });
    }
    // Only a search without an outcome has another step, and without a step it has one.
    search.give_up(Because::Windows);
    let windows = search.tried().len() as u32;
    let outcome = search.outcome().cloned().unwrap_or(Outcome::Unfinished {
        because: Because::Windows,
        passed_per_s: None,
        failed_per_s: None,
        apart_per_s: None,
    });
    confirmed.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    for (number, confirmed) in confirmed.iter_mut().enumerate() {
        (confirmed.name, confirmed.rests) = outcome.name_of(confirmed.rate_per_s, number);
    }
    Ok(Highest { outcome, windows, spoiled: spoilt, confirmed })
}

impl<T> Highest<T> {
    /// How it ended, in one sentence with its figures.
    pub fn sentence(&self, goal: &Goal) -> String {
        let worst = self.spoiled.iter().max_by_key(|(_, count)| **count);
        self.outcome.sentence(
            goal,
            &SearchDescription {
                limited: "latency",
                windows: self.windows,
                unusable: self.spoiled.values().sum(),
                disturbed: worst.map_or("were disturbed", |(words, _)| words),
            },
        )
    }
}

impl<T> Confirmed<T> {
    fn add(&mut self, shown: SearchWindow<T>, mean_ns: Option<f64>) {
        self.means_ns.extend(mean_ns);
        self.kept.push(shown.kept);
    }
}

/// The windows at that rate.
fn at<T>(confirmed: &mut Vec<Confirmed<T>>, rate_per_s: f64) -> &mut Confirmed<T> {
    let known = confirmed.iter().position(|c| same_rate(c.rate_per_s, rate_per_s));
    let index = known.unwrap_or_else(|| {
        let (name, rests, means_ns, kept) = (String::new(), false, Vec::new(), Vec::new());
        confirmed.push(Confirmed { rate_per_s, name, rests, means_ns, kept });
        confirmed.len() - 1
    });
    &mut confirmed[index]
}

fn spoiled<T>(shown: &SearchWindow<T>, seen: &RateSeen, goal: &Goal) -> Option<String> {
    let load = &shown.load;
    let words = if load.errors > 0 {
        "had operations that failed"
    } else if load.wrong > 0 {
        "had wrong answers"
    } else if seen.stood_still(goal) {
        "saw the whole machine stand still"
    } else {
        return shown.spoiled.clone();
    };
    Some(words.into())
}

/// What the search judges of a window.
fn seen(load: &LoadResult, goal: &Goal, window: Duration) -> RateSeen {
    let per_s = |count: u64| count as f64 / window.as_secs_f64();
    let open = load.open.clone().unwrap_or_default();
    let ended = open.slices.iter().map(|slice| slice.ended).sum();
    let slices =
        open.slices.iter().map(|slice| Slice { operations: slice.due, over: slice.over }).collect();
    RateSeen {
        due_per_s: per_s(load.due),
        // What waits because all sessions are busy is not the generator's.
        sent_per_s: per_s(load.due),
        achieved_per_s: per_s(ended),
        slices,
        quantile_ns: load.latency.quantile(goal.quantile),
        mean_ns: load.latency.mean(),
        lateness_ns: load.lateness.quantile(goal.quantile),
        lateness_median_ns: load.lateness.quantile(0.5),
        backlog: Backlog::of(&open.waiting(), load.due, load.span_skipped > 0),
        usable: true,
    }
}

/// How long the search goes on.
struct Time {
    started: Instant,
    budget: Duration,
    /// What windows took besides themselves: sessions that open, answers that are waited for.
    besides: Duration,
    windows: u32,
}

impl Time {
    fn new(budget: Duration) -> Time {
        Time { started: Instant::now(), budget, besides: Duration::ZERO, windows: 0 }
    }

    fn took(&mut self, all: Duration, step: &RateStep) {
        self.besides += all.saturating_sub(step.warm_up + step.window);
        self.windows += 1;
    }

    /// Whether so many more of that length fit, each with a warm-up of a fifth of it.
    fn has(&self, windows: u32, length: Duration) -> bool {
        let besides = self.besides / self.windows.max(1);
        self.started.elapsed() + (length.mul_f64(1.2) + besides) * windows <= self.budget
    }
}

#[cfg(test)]
#[path = "highest_test.rs"]
mod tests;
