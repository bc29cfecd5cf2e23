//! Which of these platforms carry a demand as it grows, what binds in each, what is left when a part fails, and what each costs.
//!
//! What a platform carries is its ceiling by [`narrows_plan::fit`], of which so much is used as keeps a percentile of latency: that share
//! is measured (the highest rate that keeps the percentile over the closed loop's), or given. Without it the ceiling is told, and no
//! platform is called large enough: at its ceiling queues have no end.

use narrows_plan::{Amount, Demand, Description, FitError, PlanError, fit};
use serde::Serialize;

use crate::answer::CostAnswer;
use crate::reckon::{Question, cost};

/// A share of the ceiling that is used, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headroom {
    /// Of the ceiling, as a part of one.
    pub share: f64,
    /// In words.
    pub from: String,
}

/// What is asked of every platform.
#[derive(Debug, Clone, Copy)]
pub struct SizeQuestion<'a> {
    /// The rate that is needed over the one that was measured.
    pub growth: f64,
    /// How much of a ceiling is used; `None` where nobody knows.
    pub headroom: Option<&'a Headroom>,
    /// Work of a core there over one where the demand was measured, for machines that don't say their own.
    pub core_ratio: Option<f64>,
    /// How costs are reckoned.
    pub cost: Question<'a>,
}

/// Whether a platform carries the demand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Carries {
    /// Yes, doubts included.
    Yes,
    /// The need is within the doubt.
    JustAbout,
    /// No.
    No,
    /// Its ceiling is above the need, and how much of it may be used is not known.
    HeadroomUnknown,
    /// Nothing described limits it.
    Unknown,
}

impl Carries {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Carries::Yes => "carries it",
            Carries::JustAbout => "just about",
            Carries::No => "too small",
            Carries::HeadroomUnknown => "headroom unknown",
            Carries::Unknown => "cannot tell",
        }
    }
}

/// A platform with one part gone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizedLoss {
    /// The part.
    pub part: String,
    /// Operations per second that may still be used; absent where nothing runs or nothing limits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usable_per_s: Option<f64>,
    /// Whether that is enough.
    pub carries: Carries,
    /// Why nothing runs any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stops: Option<String>,
}

/// One platform under the demand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizedPlatform {
    /// Its name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// Whether it carries the demand with all of its parts.
    pub carries: Carries,
    /// Its ceiling, operations per second; absent where nothing described limits it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_per_s: Option<Amount>,
    /// As much of it as is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usable_per_s: Option<Amount>,
    /// The need over the ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<f64>,
    /// What binds at the ceiling.
    pub binding: Vec<String>,
    /// Parts of which one may be lost.
    pub losses: Vec<SizedLoss>,
    /// What it costs; absent where the description has no costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostAnswer>,
    /// What was taken for granted and left out.
    pub notes: Vec<String>,
}

impl SizedPlatform {
    /// What it costs over its years.
    pub fn total(&self) -> Option<f64> {
        self.cost.as_ref()?.value("total")
    }

    /// Whether every part that can be lost leaves enough.
    pub fn survives(&self) -> bool {
        self.losses.iter().all(|loss| loss.carries == Carries::Yes)
    }
}

/// A demand on all platforms.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sizing {
    /// The workload.
    pub demand: String,
    /// What speaks against its measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspect: Option<String>,
    /// Where it was measured, operations per second.
    pub measured_per_s: Amount,
    /// What is needed over that.
    pub growth: f64,
    /// Operations per second that are needed.
    pub needs_per_s: f64,
    /// How much of a ceiling is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub headroom: Option<Headroom>,
    /// Each platform in the order in which it was given.
    pub platforms: Vec<SizedPlatform>,
    /// Platforms by what they cost, or by their ceilings where a cost is unknown: indices.
    pub order: Vec<usize>,
    /// Whether that order is one of costs.
    pub by_cost: bool,
    /// The first of the order that carries the demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<usize>,
    /// The first of the order that carries it with any one part gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_surviving: Option<usize>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    /// A description of costs is wrong.
    #[error(transparent)]
    Cost(#[from] PlanError),
    /// The platform can't be reckoned with this demand.
    #[error("{file}: {error}")]
    Fit {
        /// The description's file.
        file: String,
        /// Why.
        error: FitError,
    },
}

/// Sets a demand on all platforms, each with the text that it was read from.
///
/// # Errors
/// A description of costs that is wrong, a platform without a database.
pub fn size(
    platforms: &[(&Description, &str)],
    demand: &Demand,
    question: SizeQuestion<'_>,
) -> Result<Sizing, SizeError> {
    let needs_per_s = demand.rate_per_s.value * question.growth;
    let mut sized = Vec::new();
    for (platform, text) in platforms {
        sized.push(one(platform, text, demand, needs_per_s, question)?);
    }
    let by_cost = sized.iter().all(|platform| platform.total().is_some()) && one_currency(&sized);
    let mut order: Vec<usize> = (0..sized.len()).collect();
    let ceiling = |at: &usize| sized[*at].ceiling_per_s.map_or(f64::INFINITY, |most| most.value);
    let rank = |at: &usize| {
        if by_cost { sized[*at].total().unwrap_or(f64::INFINITY) } else { ceiling(at) }
    };
    order.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    let first = |carries: &dyn Fn(&SizedPlatform) -> bool| {
        order.iter().copied().find(|at| carries(&sized[*at]))
    };
    let enough = |platform: &SizedPlatform| platform.carries == Carries::Yes;
    Ok(Sizing {
        demand: demand.name.clone(),
        suspect: demand.suspect.clone(),
        measured_per_s: demand.rate_per_s,
        growth: question.growth,
        needs_per_s,
        headroom: question.headroom.cloned(),
        smallest: first(&enough),
        smallest_surviving: first(&|platform| enough(platform) && platform.survives()),
        platforms: sized,
        order,
        by_cost,
    })
}

fn one_currency(sized: &[SizedPlatform]) -> bool {
    let mut all = sized.iter().filter_map(|platform| Some(&platform.cost.as_ref()?.currency));
    let first = all.next();
    all.all(|currency| Some(currency) == first)
}

fn one(
    platform: &Description,
    text: &str,
    demand: &Demand,
    needs_per_s: f64,
    question: SizeQuestion<'_>,
) -> Result<SizedPlatform, SizeError> {
    let fitted = |platform: &Description| {
        fit(platform, demand, question.core_ratio)
            .map_err(|error| SizeError::Fit { file: platform.file.clone(), error })
    };
    let fit = fitted(platform)?;
    let usable_per_s = usable(fit.ceiling_per_s, question.headroom);
    let mut losses = Vec::new();
    for loss in platform.losses() {
        losses.push(match loss.rest {
            Err(stops) => SizedLoss {
                part: loss.part,
                usable_per_s: None,
                carries: Carries::No,
                stops: Some(stops),
            },
            // Without a way to its data a platform does nothing.
            Ok(rest) => match fitted(&rest) {
                Err(_) => SizedLoss {
                    part: loss.part,
                    usable_per_s: None,
                    carries: Carries::No,
                    stops: Some("no other way leads to the data".to_string()),
                },
                Ok(rest) => SizedLoss {
                    part: loss.part,
                    usable_per_s: usable(rest.ceiling_per_s, question.headroom)
                        .map(|rate| rate.value),
                    carries: judged(rest.ceiling_per_s, needs_per_s, question.headroom),
                    stops: None,
                },
            },
        });
    }
    let described = has_costs(text);
    let cost = match described {
        true => Some(cost(&platform.file, text, Some(platform), question.cost)?),
        false => None,
    };
    let mut notes = fit.notes;
    notes.extend(fit.taken);
    Ok(SizedPlatform {
        name: platform.name.clone(),
        file: platform.file.clone(),
        carries: judged(fit.ceiling_per_s, needs_per_s, question.headroom),
        busy: fit.ceiling_per_s.map(|ceiling| needs_per_s / ceiling.value),
        ceiling_per_s: fit.ceiling_per_s,
        usable_per_s,
        binding: fit.binding.iter().map(|bound| bound.component.clone()).collect(),
        losses,
        cost,
        notes,
    })
}

/// Whether the text has a table `[cost]`.
fn has_costs(text: &str) -> bool {
    text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("cost"))
}

fn usable(ceiling: Option<Amount>, headroom: Option<&Headroom>) -> Option<Amount> {
    let (ceiling, share) = (ceiling?, headroom?.share);
    Some(Amount { value: ceiling.value * share, half: ceiling.half.map(|half| half * share) })
}

/// Two rates without an interval need a third between them to be told apart.
const DOUBT_WITHOUT_INTERVAL: f64 = 1.0 / 3.0;

fn judged(ceiling: Option<Amount>, needs_per_s: f64, headroom: Option<&Headroom>) -> Carries {
    let Some(ceiling) = ceiling else { return Carries::Unknown };
    let doubt = |rate: Amount| rate.half.unwrap_or(rate.value * DOUBT_WITHOUT_INTERVAL);
    if ceiling.value + doubt(ceiling) < needs_per_s {
        return Carries::No;
    }
    let Some(usable) = usable(Some(ceiling), headroom) else { return Carries::HeadroomUnknown };
    if usable.value - doubt(usable) > needs_per_s {
        Carries::Yes
    } else if usable.value + doubt(usable) < needs_per_s {
        Carries::No
    } else {
        Carries::JustAbout
    }
}
