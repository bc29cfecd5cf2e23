//! What is asked of a sizing, and what it answers.

use narrows_plan::{Amount, LostKind, UsedKind};
use serde::Serialize;

use crate::answer::CostAnswer;
use crate::reckon::Question;

/// A share of the ceiling that is used, and where it comes from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Headroom {
    /// Of the ceiling, as a part of one.
    pub share: f64,
    /// Half the width of its 95 % interval; absent where it has none.
    #[serde(rename = "half_95", skip_serializing_if = "Option::is_none")]
    pub half: Option<f64>,
    /// Of which parts it is.
    pub of: HeadroomOf,
    /// In words.
    pub from: String,
}

/// Parts that a share holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadroomOf {
    /// Whatever binds.
    All,
    /// CPUs.
    Cpus,
    /// Drives.
    Drives,
}

impl HeadroomOf {
    pub(super) fn holds_for(self, kind: UsedKind) -> bool {
        match self {
            HeadroomOf::All => true,
            HeadroomOf::Cpus => kind == UsedKind::Cpus,
            HeadroomOf::Drives => kind == UsedKind::Drives,
        }
    }

    /// For people: `of a ceiling`, `of CPUs`, `of drives`.
    pub fn words(self) -> &'static str {
        match self {
            HeadroomOf::All => "of a ceiling",
            HeadroomOf::Cpus => "of CPUs",
            HeadroomOf::Drives => "of drives",
        }
    }
}

/// What is asked of every platform.
#[derive(Debug, Clone, Copy)]
pub struct SizeQuestion<'a> {
    /// The rate that is needed over the one that was measured.
    pub growth: f64,
    /// Growth of the need in one year, as a share; zero where it does not grow.
    pub growth_per_year: f64,
    /// How much of a ceiling is used, of each kind of part for which somebody knows it.
    pub headroom: &'a [Headroom],
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
    /// Its parts do; as many sessions as were measured get less through.
    MoreSessions,
    /// No.
    No,
    /// Its ceiling is above the need, and how much of it may be used is not known.
    HeadroomUnknown,
    /// What limits it is not described, or what the demand takes is not known.
    Unknown,
}

impl Carries {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Carries::Yes => "carries it",
            Carries::JustAbout => "just about",
            Carries::MoreSessions => "with more sessions",
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
    /// Of which kind it is.
    pub kind: LostKind,
    /// Operations per second that may still be used; absent where nothing runs or it can't be told.
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
    /// Years until today's need has grown to that; absent where it does not grow, or where that much is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lasts_years: Option<f64>,
    /// With as many sessions as were measured; absent where the time of an operation isn't known in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions_per_s: Option<Amount>,
    /// How many sessions those are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sessions: Option<f64>,
    /// The need over the ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<f64>,
    /// What binds at the ceiling.
    pub binding: Vec<String>,
    /// Ceiling and usable rate as sums for a pencil.
    pub sums: Vec<String>,
    /// Why it can't be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lacks: Option<String>,
    /// Parts of which one may be lost.
    pub losses: Vec<SizedLoss>,
    /// What it costs; absent where the description has no costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<CostAnswer>,
    /// What was taken for granted.
    pub taken: Vec<String>,
    /// What is not modelled.
    pub notes: Vec<String>,
}

impl SizedPlatform {
    /// What it costs over its years.
    pub fn total(&self) -> Option<f64> {
        self.cost.as_ref()?.value("total")
    }

    /// Whether it carries the demand with any one part of that kind gone; `None` without such parts, or where it can't be told.
    pub fn survives(&self, kind: LostKind) -> Option<bool> {
        let of_kind =
            || self.losses.iter().filter(|loss| loss.kind == kind).map(|loss| loss.carries);
        let open = |carries| matches!(carries, Carries::HeadroomUnknown | Carries::Unknown);
        of_kind().next()?;
        if of_kind().any(|carries| carries != Carries::Yes && !open(carries)) {
            return Some(false);
        }
        (!of_kind().any(open)).then_some(true)
    }

    /// Whether it does so with any part gone but the machine that has the data.
    pub(super) fn survives_but_storage(&self) -> bool {
        let mut others =
            self.losses.iter().filter(|loss| loss.kind != LostKind::Storage).peekable();
        others.peek().is_some() && others.all(|loss| loss.carries == Carries::Yes)
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
    /// The rate that grows, operations per second.
    pub measured_per_s: Amount,
    /// What is needed over that.
    pub growth: f64,
    /// Operations per second that are needed.
    pub needs_per_s: Amount,
    /// What it grows by in one year, as a share.
    pub growth_per_year: f64,
    /// How much of a ceiling is used, of each kind of part for which it is known.
    pub headroom: Vec<Headroom>,
    /// Each platform in the order in which it was given.
    pub platforms: Vec<SizedPlatform>,
    /// Platforms by what they cost, or by their ceilings where costs can't be compared: indices.
    pub order: Vec<usize>,
    /// Why that order is not one of costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_by_cost: Option<String>,
    /// The first of the order that carries the demand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest: Option<usize>,
    /// The first of the order that carries it with any one part gone, but for the machine that has the data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_surviving: Option<usize>,
}
