//! Published figures of a tier off and on beside what the forecast makes of those with it off.
//!
//! A row says how far published over forecast was expected to be, before the sums ran; where it isn't, `outside` tells why. Two runs of one
//! load, off and on, also say together how many sessions there were and what they did besides, if only the wait changed: [`Both`].

use std::fmt::Write as _;

use narrows_cost::{Basis, Given, Range, number};
use serde::Deserialize;

use crate::answer::Forecast;
use crate::given::{LogNow, LogTier, ReadNow, ReadTier};
use crate::lines::{self, US};
use crate::quantity::{self, Quantity};
use crate::{log_tier, read_tier};

/// All cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierCases {
    /// Each write-up's tier.
    #[serde(rename = "case")]
    pub cases: Vec<TierCase>,
}

/// Which product a case is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Product {
    /// A log tier.
    Log,
    /// A read cache tier.
    Reads,
}

/// A tier off and on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierCase {
    /// A heading.
    pub title: String,
    /// Who published it.
    pub source: String,
    /// What is asked.
    pub question: String,
    /// Which product.
    pub tier: Product,
    /// Operations per second, off and on.
    pub rate: [String; 2],
    /// Wait of one for storage (a commit, a read), off and on.
    pub wait: [String; 2],
    /// A flush, off and on.
    pub flush: Option<[String; 2]>,
    /// Bytes of a read, off.
    pub block: Option<String>,
    /// What the pair says.
    pub why: String,
    /// Forecasts beside what was published.
    #[serde(rename = "row")]
    pub rows: Vec<TierRow>,
}

/// One line of a forecast.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TierRow {
    /// The line's key.
    pub key: String,
    /// How many sessions are taken; those of both runs together where absent.
    pub sessions: Option<f64>,
    /// As published.
    pub published: f64,
    /// Published over forecast, as expected.
    pub within: [f64; 2],
    /// Whether the published figure is between the forecast's least and most.
    pub held: bool,
    /// What it tells.
    pub why: Option<String>,
    /// Why it is not within.
    pub outside: Option<String>,
}

/// What two runs of one load say together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Both {
    /// Sessions in the wait, off and on, by Little's law.
    pub waiting: [f64; 2],
    /// Sessions, if only the wait changed.
    pub sessions: f64,
    /// What one operation takes besides, µs.
    pub besides_us: f64,
}

impl Both {
    /// From rates per second and waits in µs, off and on; `None` where the rate did not rise as the wait fell.
    ///
    /// `N = (W₁ − W₂) / (1/X₁ − 1/X₂)`: the time of one fell by what its wait fell by.
    pub fn of(rate: [f64; 2], wait_us: [f64; 2]) -> Option<Both> {
        let round = rate.map(|per_s| US / per_s);
        let sessions = (wait_us[0] - wait_us[1]) / (round[0] - round[1]);
        let known = sessions.is_finite() && sessions > 0.0 && wait_us[0] > wait_us[1];
        known.then(|| Both {
            waiting: [0, 1].map(|at| rate[at] * wait_us[at] / US),
            sessions,
            besides_us: sessions * round[0] - wait_us[0],
        })
    }
}

/// A row beside the forecast.
#[derive(Debug, Clone, PartialEq)]
pub struct TierOutcome {
    /// What it is of.
    pub what: String,
    /// Sessions that were taken.
    pub sessions: f64,
    /// As published.
    pub published: f64,
    /// As forecast.
    pub forecast: f64,
    /// The forecast's least and most.
    pub between: [f64; 2],
    /// What it counts.
    pub unit: String,
    /// Whether published over forecast is where it was expected.
    pub within: bool,
    /// What is told of it.
    pub told: String,
}

/// Reads the cases.
///
/// # Errors
/// What is wrong with them.
pub fn read(text: &str) -> Result<TierCases, String> {
    toml::from_str(text).map_err(|error| error.to_string())
}

impl TierCase {
    /// What both runs say together.
    ///
    /// # Errors
    /// Figures that can't be read or don't go together.
    pub fn both(&self) -> Result<Both, String> {
        let rate = self.pair(&self.rate, quantity::per_s)?;
        let wait = self.pair(&self.wait, quantity::time_us)?;
        Both::of(rate, wait).ok_or_else(|| format!("{}: the figures don't go together", self.title))
    }

    fn pair(
        &self,
        texts: &[String; 2],
        read: fn(&str) -> Result<Quantity, String>,
    ) -> Result<[f64; 2], String> {
        let one = |text: &String| {
            read(text)
                .map(|found| found.range.value)
                .map_err(|why| format!("{}: {why}", self.title))
        };
        Ok([one(&texts[0])?, one(&texts[1])?])
    }

    /// What the forecast makes of the figures without the tier.
    ///
    /// # Errors
    /// Figures that can't be read or contradict each other.
    pub fn forecast(&self, sessions: f64) -> Result<Forecast, String> {
        let given =
            |value: f64| Given::of(Some(Range::exact(value)), Basis::Described, "published");
        let unknown = || Given::of(None, Basis::Described, "not published");
        let rate = self.pair(&self.rate, quantity::per_s)?;
        let wait = self.pair(&self.wait, quantity::time_us)?;
        let found = match (self.tier, &self.flush) {
            (Product::Log, Some(flush)) => {
                let flush = self.pair(flush, quantity::time_us)?;
                let now = LogNow {
                    from: self.source.clone(),
                    unit: "executions".to_string(),
                    rate_per_s: given(rate[0]),
                    sessions: given(sessions),
                    commits: given(1.0),
                    commit_wait_us: given(wait[0]),
                    flush_us: given(flush[0]),
                    device_us: None,
                    cpu_us: unknown(),
                    cpu_unflushed_us: None,
                    cpus: unknown(),
                    locks_us: None,
                    locks_through_commit: None,
                    unqueued_us: None,
                    limits: Vec::new(),
                    ladder_per_s: None,
                    wal_bytes: unknown(),
                    asked: false,
                    no_law: None,
                    law_off: 0.0,
                    doubts: Vec::new(),
                };
                let tier = LogTier {
                    medium_us: given(flush[1]),
                    added_us: None,
                    growth: None,
                    backing_bytes_per_s: unknown(),
                    size_bytes: unknown(),
                    held_bytes: None,
                };
                log_tier(&now, &tier)
            }
            (Product::Log, None) => return Err(format!("{}: has no flush", self.title)),
            (Product::Reads, _) => {
                let block = self.block.as_deref().map(quantity::bytes).transpose()?;
                let now = ReadNow {
                    from: self.source.clone(),
                    rate_per_s: given(rate[0]),
                    sessions: given(sessions),
                    read_us: given(wait[0]),
                    alone_us: None,
                    cpu_us: unknown(),
                    cpus: unknown(),
                    locks_us: None,
                    flushes_us: None,
                    besides_us: None,
                    block_bytes: block.map_or_else(unknown, |found| given(found.range.value)),
                    limits: Vec::new(),
                    asked: false,
                    no_law: None,
                    law_off: 0.0,
                    doubts: Vec::new(),
                };
                let tier = ReadTier {
                    hit_us: given(wait[1]),
                    miss_added_us: None,
                    size_bytes: unknown(),
                    curve: None,
                    hits: Some(given(1.0)),
                    counted: None,
                    pool: None,
                };
                read_tier(&now, &tier)
            }
        };
        found.map_err(|refused| format!("{}: {refused}", self.title))
    }

    /// Its rows beside the forecasts.
    ///
    /// # Errors
    /// A row that names what isn't there, and one that is or isn't within or held against what it tells.
    pub fn outcomes(&self) -> Result<Vec<TierOutcome>, String> {
        let both = self.both()?.sessions;
        self.rows.iter().map(|row| self.outcome(row, row.sessions.unwrap_or(both))).collect()
    }

    fn outcome(&self, row: &TierRow, sessions: f64) -> Result<TierOutcome, String> {
        let found = self.forecast(sessions)?;
        let line = lines::line(&found.lines, &row.key)
            .ok_or_else(|| format!("{}: no line {}", self.title, row.key))?;
        let forecast =
            line.value.ok_or_else(|| format!("{}: {} is unknown", self.title, row.key))?;
        let end = |end: &str| {
            lines::value(&found.lines, &format!("{}.{end}", row.key)).unwrap_or(forecast)
        };
        let between = [end("least"), end("most")];
        let share = row.published / forecast;
        let within = (row.within[0]..=row.within[1]).contains(&share);
        let what = format!("{} with {} sessions", line.title, number(sessions));
        if within == row.outside.is_some() {
            let told =
                if within { "is within, and is told as outside" } else { "is outside, untold" };
            return Err(format!("{what}: {} beside {forecast}: {told}", row.published));
        }
        let near = [between[0] * (1.0 - 1e-3), between[1] * (1.0 + 1e-3)];
        let held = (near[0]..=near[1]).contains(&row.published);
        if held != row.held {
            return Err(format!("{what}: held is {held}: {} in {between:?}", row.published));
        }
        let told = row.outside.as_ref().or(row.why.as_ref()).cloned().unwrap_or_default();
        Ok(TierOutcome {
            what: line.title.clone(),
            sessions,
            published: row.published,
            forecast,
            between,
            unit: line.unit.clone(),
            within,
            told,
        })
    }
}

/// One case as a part of a page.
pub fn page(case: &TierCase, both: &Both, outcomes: &[TierOutcome]) -> String {
    let mut text = format!("### {}\n\n{} Source: {}.\n\n", case.title, case.question, case.source);
    let short = |value: f64| {
        let digits = narrows_units::significant(value, 3);
        if value.abs() < 1e3 { digits } else { digits.parse().map_or(digits, number) }
    };
    let of = match case.tier {
        Product::Log => "commits",
        Product::Reads => "reads",
    };
    let _ = writeln!(
        text,
        "By Little's law {} sessions wait for {of} without the tier and {} with it. If only that wait changed, both runs have {} sessions, and one \
         operation takes {} µs besides. {}\n",
        short(both.waiting[0]),
        short(both.waiting[1]),
        short(both.sessions),
        short(both.besides_us),
        case.why
    );
    text += "| forecast from the figures without the tier | sessions | published | forecast | least to most | published over forecast | |\n";
    text += "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for outcome in outcomes {
        let mark = if outcome.within { "" } else { "**outside.** " };
        let _ = writeln!(
            text,
            "| {}, {} | {} | {} | {} | {} to {} | {} | {mark}{} |",
            outcome.what,
            outcome.unit,
            short(outcome.sessions),
            number(outcome.published),
            short(outcome.forecast),
            short(outcome.between[0]),
            short(outcome.between[1]),
            short(outcome.published / outcome.forecast),
            outcome.told
        );
    }
    text
}
