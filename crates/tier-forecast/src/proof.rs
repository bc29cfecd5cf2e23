//! A forecast held against what was measured with the tier.
//!
//! Nothing of the windows with the tier goes into the forecast; each of its rows stands beside the same figure of those windows. A row
//! holds where its measured interval has something in common with the forecast's, from *least* to *most*. That alone may be cheap: a wide
//! forecast holds often. So each row says how far its middle is off, and the whole says whether no effect at all would have been told
//! from what was forecast.

use narrows_cost::{Given, Range};
use serde::Serialize;

use crate::answer::{Better, Forecast, OffOn, Unit};

/// A measured figure and its 95 % interval over the repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasuredRange {
    /// The figure.
    pub value: f64,
    /// Its lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl MeasuredRange {
    pub(crate) fn of(given: &Given) -> Option<MeasuredRange> {
        given.value.map(|Range { value, low, high }| MeasuredRange { value, low, high })
    }

    pub(crate) fn times(self, factor: f64) -> MeasuredRange {
        let MeasuredRange { value, low, high } = self;
        MeasuredRange { value: value * factor, low: low * factor, high: high * factor }
    }
}

/// A row of the forecast beside what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProofRow {
    /// What was forecast.
    #[serde(flatten)]
    pub forecast: OffOn,
    /// What was measured with the tier; absent where it could not be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub measured: Option<MeasuredRange>,
    /// Measured over forecast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_forecast: Option<f64>,
    /// Whether the measured interval meets the forecast's; absent where one of the two is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<bool>,
}

impl ProofRow {
    fn of(forecast: OffOn, measured: Option<MeasuredRange>) -> ProofRow {
        let over_forecast = measured
            .zip(forecast.on.filter(|on| *on > 0.0))
            .map(|(measured, on)| measured.value / on);
        let ends = forecast.on_low.or(forecast.on).map(|low| (low, forecast.on_high));
        let holds = measured.zip(ends).map(|(measured, (low, high))| {
            measured.high >= low && high.is_none_or(|high| measured.low <= high)
        });
        ProofRow { forecast, measured, over_forecast, holds }
    }

    /// How many times better it was measured to be with the tier.
    pub fn times(&self) -> Option<f64> {
        let measured =
            OffOn { on: self.measured.map(|range| range.value), ..self.forecast.clone() };
        measured.times()
    }

    /// Whether all of the forecast is better than the figure without the tier: then no effect would have been told from it.
    fn promises(&self) -> bool {
        let row = &self.forecast;
        match row.better {
            Better::More => row.off.zip(row.on_low).is_some_and(|(off, low)| low > off),
            Better::Less => row.off.zip(row.on_high).is_some_and(|(off, high)| high < off),
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofOutcome {
    /// Every row holds, and no effect would have been told from at least one of them.
    Agrees,
    /// Every row holds, and so would all of them without any effect.
    NotTold,
    /// A row doesn't hold.
    Contradicted,
    /// There is no forecast of a rate, or it was not measured; or what was measured proves nothing.
    Open,
}

/// A forecast and its proof.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proof {
    /// What came of it.
    pub outcome: ProofOutcome,
    /// The same in a sentence.
    pub sentence: String,
    /// Rows of the forecast beside what was measured.
    pub rows: Vec<ProofRow>,
    /// The rate with the tier over the one without, window by window, where windows pair: what drifts falls out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_ratio: Option<MeasuredRange>,
    /// Of how many windows on each side.
    pub windows: usize,
    /// How many of a server's reads reached storage, where a server read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub storage: Option<ReachedStorage>,
    /// The share of the reads that the tier serves, where it was forecast by a law of the keys behind a server's pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hits: Option<HitShare>,
    /// What bears on the measured side.
    pub doubts: Vec<String>,
    /// The forecast.
    pub forecast: Forecast,
}

/// Of the bytes that a server read into its pool, those that storage was asked for, by its counters; the rest came from the kernel's page
/// cache. More than 1: reads ahead. Absent where storage counts nothing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ReachedStorage {
    /// Without the tier.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub off: Option<f64>,
    /// With it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<f64>,
    /// Whether the server reads around the page cache.
    pub direct: bool,
}

/// A share of hits.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct HitShare {
    /// Forecast, at least.
    pub least: f64,
    /// Forecast, at most.
    pub most: f64,
    /// The share with which the same law gives the measured time of a read; absent where none does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_read_time: Option<f64>,
    /// Reads of a lookup without the tier: what the server's pool left.
    pub reads_per_lookup: f64,
    /// Size of the pool, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_bytes: Option<f64>,
}

impl Proof {
    /// The same, if what was measured proves nothing.
    pub(crate) fn proves_nothing(self, why: String) -> Proof {
        Proof { outcome: ProofOutcome::Open, sentence: format!("this is no proof: {why}"), ..self }
    }

    /// Whether it says something of the forecast: agreed, or contradicted.
    pub fn answers(&self) -> bool {
        matches!(self.outcome, ProofOutcome::Agrees | ProofOutcome::Contradicted)
    }
}

/// Holds a forecast against a figure for each of its rows, in their order.
pub(crate) fn proof(
    forecast: Forecast,
    measured: &[Option<MeasuredRange>],
    (off, on): (&[f64], &[f64]),
    doubts: Vec<String>,
) -> Proof {
    let rows: Vec<ProofRow> = forecast
        .rows
        .iter()
        .zip(measured)
        .map(|(row, measured)| ProofRow::of(row.clone(), *measured))
        .collect();
    let outcome = outcome(&rows);
    let sentence = sentence(outcome, &rows, &forecast);
    let rate_ratio = narrows_stats::paired_ratio(on, off).and_then(|ratio| {
        let interval = ratio.interval_95?;
        Some(MeasuredRange { value: ratio.value, low: interval.low, high: interval.high })
    });
    Proof {
        outcome,
        sentence,
        rows,
        rate_ratio,
        windows: on.len().min(off.len()),
        storage: None,
        hits: None,
        doubts,
        forecast,
    }
}

fn outcome(rows: &[ProofRow]) -> ProofOutcome {
    let rate = rows.iter().find(|row| row.forecast.unit == Unit::PerS);
    if rows.iter().any(|row| row.holds == Some(false)) {
        ProofOutcome::Contradicted
    } else if rate.is_none_or(|rate| rate.over_forecast.is_none()) {
        ProofOutcome::Open
    } else if rows.iter().any(|row| row.holds == Some(true) && row.promises()) {
        ProofOutcome::Agrees
    } else {
        ProofOutcome::NotTold
    }
}

fn sentence(outcome: ProofOutcome, rows: &[ProofRow], forecast: &Forecast) -> String {
    let names = |wanted: &dyn Fn(&&ProofRow) -> bool| -> String {
        let names = rows.iter().filter(wanted).map(|row| row.forecast.name.as_str());
        names.collect::<Vec<_>>().join(", ")
    };
    match outcome {
        ProofOutcome::Agrees => {
            let told = names(&|row| row.holds == Some(true) && row.promises());
            format!(
                "forecast and measurement agree; no effect would have contradicted the forecast of: {told}"
            )
        }
        ProofOutcome::NotTold => {
            "forecast and measurement agree, and no effect at all would agree with the forecast too: this proves little"
                .to_string()
        }
        ProofOutcome::Contradicted => format!(
            "the measurement contradicts the forecast of: {}",
            names(&|row| row.holds == Some(false))
        ),
        ProofOutcome::Open => {
            let nothing = "no rate is forecast, so there is nothing to hold the measured one against";
            let unknown = forecast.unknown.iter().find(|unknown| unknown.gives.contains("rate"));
            let doubt = forecast.doubts.iter().find_map(|doubt| doubt.strip_prefix("no rate is forecast: "));
            match (doubt, unknown) {
                (Some(doubt), _) => format!("{nothing}: {doubt}"),
                (_, Some(unknown)) => format!("{nothing}: {} is unknown ({})", unknown.what, unknown.hint),
                _ => nothing.to_string(),
            }
        }
    }
}
