//! Runs beside runs: what is better, what is worse, what is as good as the same, what can't be told, and what else differs.
//!
//! A side is one run or several of one configuration. What is comparable is paired ([`pairing`]), each pair is tested
//! ([`compare`]), and every condition that differs is listed, those first that could explain a result ([`conditions`]).
//!
//! One run is one value. Windows of one run share its start, its placement in memory and its moment, so that their scatter says
//! little of how runs differ; with fewer than three runs a side nothing is called better or worse, and the comparison says how far runs
//! would have to scatter to hide what was seen.
//!
//! Pure: data in, data out. Not here: finding and reading runs, and printing.

#![forbid(unsafe_code)]

pub mod claims;
pub mod conditions;
mod gate;
pub mod observed;
mod outcome;
pub mod pairing;
pub mod trend;
mod verdicts;

use narrows_model::{Better, Interval, Layer, Run, Unit};
use narrows_stats::{FEWEST_RUNS, level_of_look};
use serde::Serialize;

pub use conditions::ConditionDifference;
pub use gate::{Gate, GateOutcome, ParseGateError};
pub use pairing::Unpaired;
pub use verdicts::{Named, VerdictChange};

/// Runs of one configuration, under a name.
#[derive(Debug, Clone)]
pub struct Side<'a> {
    /// As it was asked for: an id, a file, a tag.
    pub name: String,
    /// Its runs, in the order of their start.
    pub runs: Vec<&'a Run>,
}

/// What is asked of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Growth, as a share, below which a difference doesn't matter to whoever asks.
    pub margin: f64,
    /// Beginnings of the measurements that are compared; empty: all.
    pub only: Vec<String>,
    /// Whether the runs of both sides are pairs, each made in one stretch of time, in their order.
    pub paired: bool,
    /// For the number of measurements, which promise is kept.
    pub correction: Correction,
    /// Where runs are added until somebody is content: how many results of them were there, with this one.
    pub look: Option<u32>,
}

impl Default for Question {
    /// A margin of 2 %, all measurements, corrected after Holm, runs to which none are added.
    fn default() -> Self {
        Question {
            margin: 0.02,
            only: Vec::new(),
            paired: false,
            correction: Correction::Holm,
            look: None,
        }
    }
}

/// What is promised of many words at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    /// That not even one of them is wrong, in 95 of 100 comparisons.
    #[default]
    Holm,
    /// That of those that are given 5 of 100 are wrong on average: for many measurements, of which some are looked into afterwards.
    BenjaminiHochberg,
}

impl Question {
    /// The level of this look: all of it where nobody adds runs.
    pub fn level(&self) -> f64 {
        self.look.map_or(SIGNIFICANCE, |look| level_of_look(SIGNIFICANCE, look))
    }
}

/// Probability, at most, with which sides that don't differ get even one *better* or *worse*; and with which sides that differ by the margin
/// or more get even one *equivalent*.
pub const SIGNIFICANCE: f64 = 0.05;

/// Why nothing can be compared.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NothingToCompare {
    /// No measurement is in both.
    #[error("{base} and {other} have no measurement in common{}", reason(.reasons))]
    NoPair {
        /// A side.
        base: String,
        /// Another.
        other: String,
        /// Why those that have one id don't pair, the first few.
        reasons: Vec<String>,
    },
}

fn reason(reasons: &[String]) -> String {
    reasons.first().map_or(String::new(), |first| format!(": {first}"))
}

/// Sides beside each other.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// All sides, the one that the others are compared with first.
    pub sides: Vec<SideFacts>,
    /// The others, each against the first.
    pub against: Vec<Against>,
    /// Growth below which a difference doesn't matter.
    pub margin: f64,
    /// Whether runs are pairs.
    pub paired: bool,
    /// For the number of measurements.
    pub correction: Correction,
    /// Of runs that are added to: the number of this result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<u32>,
}

/// What is said of a side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SideFacts {
    /// As it was asked for.
    pub name: String,
    /// Ids of its runs.
    pub runs: Vec<String>,
    /// When they began, RFC 3339.
    pub started_at: Vec<String>,
    /// The machines that they ran on.
    pub machines: Vec<String>,
}

/// One side against the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Against {
    /// Its name.
    pub name: String,
    /// One per measurement that both have.
    pub rows: Vec<ComparedRow>,
    /// What is not compared, and why.
    pub unpaired: Vec<Unpaired>,
    /// What else differs.
    pub conditions: Vec<ConditionDifference>,
    /// Bottlenecks then and now.
    pub verdicts: Vec<VerdictChange>,
    /// Where both sides observed a server: the last observation of each against the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed: Option<Box<observed::ObservedComparison>>,
}

/// What can be said of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// It differs, in the good direction.
    Better,
    /// It differs, in the bad direction.
    Worse,
    /// It differs by less than the margin, if at all.
    Equivalent,
    /// Neither can be shown.
    Unresolved,
}

impl Judgement {
    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Judgement::Better => "better",
            Judgement::Worse => "worse",
            Judgement::Equivalent => "equivalent",
            Judgement::Unresolved => "unresolved",
        }
    }
}

/// A measurement of both sides by its leading metric, and what else the field prints of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRow {
    /// Its id.
    pub measurement: String,
    /// Its layer.
    pub layer: Layer,
    /// The metric that is judged.
    pub leading: MetricPair,
    /// What is said of it.
    pub judgement: Judgement,
    /// Why it is no better word; empty where it is one.
    pub why: String,
    /// P-value of no difference, corrected for the number of rows and of looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// P-value of a difference of the margin or more, corrected likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_equivalent: Option<f64>,
    /// The smallest growth that such runs show in 80 of 100 comparisons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_found: Option<f64>,
    /// Why nothing is said of it although it can be compared: a measurement of it is suspect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspect: Option<String>,
    /// Of pairs: how far the logarithms of their ratios scatter (standard deviation).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair_scatter: Option<f64>,
    /// With fewer than three runs a side: how far runs of one configuration may scatter (standard deviation, as a share) before what was
    /// seen is no difference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scatter_that_hides_it: Option<f64>,
    /// The same without a law of the runs' scatter; from three runs a side on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distribution_free: Option<DistributionFree>,
    /// Throughput, latencies, bandwidth, CPU time per operation: those that both have, without a word.
    pub others: Vec<MetricPair>,
}

/// What runs say of a difference if nothing is assumed of the law of their scatter. None of it gives a word; it shows how much of one rests
/// on the assumption.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DistributionFree {
    /// Growth by Hodges and Lehmann's median, less one.
    pub growth: f64,
    /// P-value of no difference by all orders of the runs, not corrected; absent where there are too many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p_permutation: Option<f64>,
    /// 95 % interval of the growth by the studentized bootstrap; from eight runs a side on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bootstrap_95: Option<Interval>,
}

/// A metric on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MetricPair {
    /// Its name.
    pub metric: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Which direction is good.
    pub better: Better,
    /// Of the first side: the geometric mean of its runs.
    pub base: f64,
    /// Of the other.
    pub other: f64,
    /// One value per run, or per start of the server.
    pub base_runs: Vec<f64>,
    /// The same of the other side.
    pub other_runs: Vec<f64>,
    /// Growth: other over base, less one.
    pub growth: f64,
    /// 95 % interval of the growth, corrected neither for the number of rows nor of looks; from three runs a side on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_95: Option<Interval>,
}

impl MetricPair {
    /// Whether growth is good; `None` where the metric only describes.
    pub fn good(&self) -> Option<bool> {
        match self.better {
            Better::More => Some(self.growth > 0.0),
            Better::Less => Some(self.growth < 0.0),
            Better::Neither => None,
        }
    }
}

impl Against {
    /// How many rows got that word.
    pub fn count(&self, word: Judgement) -> usize {
        self.rows.iter().filter(|row| row.judgement == word).count()
    }

    /// Whether observations of a server are all that there is: nothing else was measured, and there are too few runs for any word.
    pub fn only_observed(&self) -> bool {
        let Some(observed) = &self.observed else { return false };
        let few = observed.base.of_runs.min(observed.other.of_runs) < FEWEST_RUNS;
        few && self.rows.iter().all(|row| row.measurement == observed.measurement)
    }

    /// Whether a side has too few runs for any word.
    pub fn too_few_runs(&self) -> bool {
        let few = |runs: &Vec<f64>| runs.len() < FEWEST_RUNS;
        !self.rows.is_empty()
            && self
                .rows
                .iter()
                .all(|row| few(&row.leading.base_runs) || few(&row.leading.other_runs))
    }
}

/// Compares every side with the first.
///
/// # Errors
/// A side has no measurement that could be held against the first's.
pub fn compare(
    base: &Side<'_>,
    others: &[Side<'_>],
    question: &Question,
) -> Result<RunComparison, NothingToCompare> {
    let against = others.iter().map(|other| against(base, other, question));
    Ok(RunComparison {
        sides: std::iter::once(base).chain(others).map(facts).collect(),
        against: against.collect::<Result<_, _>>()?,
        margin: question.margin,
        paired: question.paired,
        correction: question.correction,
        look: question.look,
    })
}

fn against(
    base: &Side<'_>,
    other: &Side<'_>,
    question: &Question,
) -> Result<Against, NothingToCompare> {
    let (pairs, unpaired) = pairing::pairs(base, other, &question.only);
    let observed = observed::compared(base, other, question).map(Box::new);
    // Of observations that tell too little it is said what they lack.
    if pairs.is_empty() && observed.is_none() {
        let reasons = unpaired.iter().filter(|u| !u.only_one_has_it()).map(Unpaired::sentence);
        return Err(NothingToCompare::NoPair {
            base: base.name.clone(),
            other: other.name.clone(),
            reasons: reasons.take(3).collect(),
        });
    }
    let (rows, left) = outcome::rows(&pairs, question);
    let unpaired = unpaired.into_iter().chain(left).collect();
    Ok(Against {
        name: other.name.clone(),
        conditions: conditions::differences(base, other, &rows),
        verdicts: verdicts::changes(base, other),
        rows,
        unpaired,
        observed,
    })
}

/// Two sides by what differs besides their figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetupComparison {
    /// The first side, then the other.
    pub sides: [SideFacts; 2],
    /// What differs: inventory, settings, plan, conditions of measurements.
    pub conditions: Vec<ConditionDifference>,
}

/// What differs between two sides besides their figures, whether or not these can be compared.
pub fn setups(base: &Side<'_>, other: &Side<'_>) -> SetupComparison {
    SetupComparison {
        sides: [facts(base), facts(other)],
        conditions: conditions::differences(base, other, &[]),
    }
}

fn facts(side: &Side<'_>) -> SideFacts {
    let mut machines: Vec<String> =
        side.runs.iter().filter_map(|run| run.platform()?.hostname.clone()).collect();
    machines.sort();
    machines.dedup();
    SideFacts {
        name: side.name.clone(),
        runs: side.runs.iter().map(|run| run.id.clone()).collect(),
        started_at: side.runs.iter().map(|run| run.started_at.clone()).collect(),
        machines,
    }
}
