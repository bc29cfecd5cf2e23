//! Does a measured demand fit this platform, how far, what binds, and what should be widened?
//!
//! Two answers stand beside each other: what as many sessions as were measured would get through there
//! ([`AtSessions`]), and the ceiling for any number of them, by flow alone. The log has no ceiling by its count of
//! flushes: group commit makes fewer of them as load rises. It limits by its bytes, and by what a flush takes.

use std::cmp::Ordering;

use narrows_limits::flow::{Answer, Counts, FlowError, Network, answer, fair_rates};
use serde::Serialize;

use crate::answer::{Binding, Widen, binding, widen};
use crate::assumptions::{taken, unknown, waits};
use crate::build::{Built, Flushes, build_demand};
use crate::demand::{Amount, Demand};
use crate::description::Description;
use crate::note::in_words;
use crate::sessions::{AtRate, AtSessions, Term, at_rate, at_sessions};

/// Two rates without intervals need a third between them to be told apart.
const DOUBT_WITHOUT_INTERVAL: f64 = 1.0 / 3.0;
/// A figure without a doubt that moves the rate by no more than this when it is doubled.
const HARDLY_MATTERS: f64 = 0.05;

/// Share of the time at the log up to which a rate needs no better grouping of its commits.
const LOG_BUSY: f64 = 0.9;

/// Whether it fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Today's rate and more, doubts included.
    Fits,
    /// Today's rate is within the doubt.
    JustAbout,
    /// Not with as many sessions; the components would carry it with more.
    MoreSessions,
    /// No.
    TooSmall,
    /// The log does, and of the rest nothing is known.
    LogFits,
    /// Nothing described limits it.
    Unknown,
}

impl Verdict {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Fits => "fits",
            Verdict::JustAbout => "just about",
            Verdict::MoreSessions => "with more sessions",
            Verdict::TooSmall => "does not fit",
            Verdict::LogFits => "its log fits",
            Verdict::Unknown => "cannot tell",
        }
    }
}

/// A kind of part whose queues grow as it fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UsedKind {
    /// CPUs.
    Cpus,
    /// Drives, by their operations or their bytes.
    Drives,
    /// Links, adapters, memory.
    Other,
}

/// How full the fullest part of a kind is.
#[derive(Debug, Clone, PartialEq)]
pub struct PartUse {
    /// Which kind.
    pub kind: UsedKind,
    /// The part.
    pub component: String,
    /// Of what it has, as a share.
    pub share: f64,
}

/// A demand on a platform.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Fit {
    /// The platform.
    pub platform: String,
    /// The workload.
    pub demand: String,
    /// Whether something speaks against the measurement of the demand.
    pub suspect: bool,
    /// The answer in a word, as far as is described.
    pub verdict: Verdict,
    /// Where it was measured, operations per second.
    pub measured_per_s: Amount,
    /// With as many sessions there; absent where an operation's time isn't known in parts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_sessions: Option<AtSessions>,
    /// An observed server's rate there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_rate: Option<AtRate>,
    /// What the platform allows at most whatever the sessions, all databases together, operations per second; absent
    /// where nothing described limits it. Its doubt is the demand's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_per_s: Option<Amount>,
    /// The ceiling is that of the log's bytes alone: what else the work takes isn't known.
    pub log_only: bool,
    /// Constraints with less than 5 % left at the ceiling.
    pub binding: Vec<Binding>,
    /// How much of each kind of part is used at the ceiling, the fullest of each; for whoever uses less than a ceiling.
    #[serde(skip)]
    pub used: Vec<PartUse>,
    /// What widening gives at the ceiling, the best first.
    pub widen: Vec<Widen>,
    /// What was taken for granted.
    pub taken: Vec<String>,
    /// What was not reckoned with.
    pub notes: Vec<String>,
}

impl Fit {
    /// How many times the measured rate the ceiling is.
    pub fn ceiling_times(&self) -> Option<Amount> {
        self.ceiling_per_s?.over(self.measured_per_s)
    }

    /// How many times the measured rate as many sessions would reach.
    pub fn sessions_times(&self) -> Option<Amount> {
        self.at_sessions.as_ref()?.rate_per_s.over(self.measured_per_s)
    }

    /// The parts of an operation's time there, the longest first.
    pub fn terms(&self) -> &[Term] {
        let at_rate = self.at_rate.as_ref().map(|at| at.terms.as_slice());
        let at_sessions = self.at_sessions.as_ref().map(|at| at.terms.as_slice());
        at_sessions.or(at_rate).unwrap_or_default()
    }

    fn judged(&self) -> Verdict {
        let beside_one = |times: Amount| match beside_one(times) {
            Ordering::Greater => Verdict::Fits,
            Ordering::Less => Verdict::TooSmall,
            Ordering::Equal => Verdict::JustAbout,
        };
        let ceiling = self.ceiling_times().map(beside_one);
        if let Some(at) = &self.at_rate {
            return match (ceiling, at.log_busy) {
                (Some(Verdict::TooSmall), _) => Verdict::TooSmall,
                // Group commit may make fewer flushes of it, with longer waits.
                (_, Some(busy)) if busy > LOG_BUSY => Verdict::JustAbout,
                (Some(ceiling), _) if !self.log_only => ceiling,
                (_, Some(_)) => Verdict::LogFits,
                (_, None) => Verdict::Unknown,
            };
        }
        match (self.sessions_times().map(beside_one), ceiling) {
            (None, None) => Verdict::Unknown,
            (None, Some(ceiling)) => ceiling,
            (Some(_), Some(Verdict::TooSmall)) => Verdict::TooSmall,
            (Some(Verdict::TooSmall), _) => Verdict::MoreSessions,
            (Some(sessions), _) => sessions,
        }
    }
}

/// Whether a ratio is above or below one, its doubt included; equal where that can't be told.
pub fn beside_one(times: Amount) -> Ordering {
    let doubt = times.half.unwrap_or(DOUBT_WITHOUT_INTERVAL * times.value);
    if times.value - doubt > 1.0 {
        Ordering::Greater
    } else if times.value + doubt < 1.0 {
        Ordering::Less
    } else {
        Ordering::Equal
    }
}

/// Why no answer can be given.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// A database without a way to its data.
    #[error(transparent)]
    Flow(#[from] FlowError),
    /// Nothing there asks for anything.
    #[error("no [[database]] is described, so nothing says where it runs and where its data are")]
    NoDatabase,
    /// A demand without a rate has no headroom.
    #[error("the demand of {demand} was measured at {rate} operations per second")]
    NoRate {
        /// The workload.
        demand: String,
        /// What was found.
        rate: f64,
    },
}

/// One demand on one platform. `core_ratio` is the work of a core there over one where the demand was measured, for
/// machines which don't say their own; `None` where nobody said.
///
/// # Errors
/// A database without a way to its data, a platform without one, a demand without a rate.
pub fn fit(
    platform: &Description,
    demand: &Demand,
    core_ratio: Option<f64>,
) -> Result<Fit, FitError> {
    if platform.databases.is_empty() {
        return Err(FitError::NoDatabase);
    }
    let rate = demand.rate_per_s.value;
    if !(rate.is_finite() && rate > 0.0) {
        return Err(FitError::NoRate { demand: demand.name.clone(), rate });
    }
    let ratio = core_ratio.unwrap_or(1.0);
    let build = |demand: &Demand, flushes| build_demand(platform, demand, ratio, flushes);
    let built = build(demand, Flushes::Free)?;
    let mut fit = Fit {
        platform: platform.name.clone(),
        demand: demand.name.clone(),
        suspect: demand.suspect.is_some(),
        verdict: Verdict::Unknown,
        measured_per_s: demand.rate_per_s,
        at_sessions: None,
        at_rate: None,
        ceiling_per_s: None,
        log_only: demand.cpu_ns.is_none() && demand.reads.is_none() && demand.writes.is_none(),
        binding: Vec::new(),
        used: Vec::new(),
        widen: Vec::new(),
        taken: taken(platform, demand, core_ratio),
        notes: in_words(&built.notes),
    };
    fit.notes.extend(unknown(demand));
    if let Some(answer) = solved(&built)? {
        let doubted = demand.doubted();
        let doubted = doubted.iter().map(|(more, known)| {
            Ok::<_, FlowError>((most(&build(more, Flushes::Free)?.network)?, *known))
        });
        fit.ceiling_per_s = Some(doubted_by(answer.total(), doubted)?);
        fit.binding = binding(&built.network, &answer);
        fit.used = used(platform, &built.network, &answer);
        fit.widen = widen(&built.network, &answer);
    } else {
        fit.notes.push(format!("{}: nothing described limits the flow", demand.name));
    }
    let counted = build(demand, Flushes::Counted)?;
    let flow = solved(&counted)?.map(|answer| {
        let bound = binding(&counted.network, &answer);
        (answer.total(), bound.first().map(|bound| bound.component.clone()))
    });
    if demand.observed {
        fit.at_rate = at_rate(platform, demand, ratio);
    } else {
        fit.at_sessions = at_sessions(platform, demand, ratio, flow);
    }
    fit.taken.extend(waits(fit.terms()));
    fit.verdict = fit.judged();
    Ok(fit)
}

/// The fullest part of each kind.
fn used(platform: &Description, network: &Network, answer: &Answer) -> Vec<PartUse> {
    let mut all: Vec<PartUse> = Vec::new();
    // The fullest first.
    for used in &answer.used {
        let constraint = &network.constraints[used.constraint];
        let component = &network.components[constraint.component];
        let kind = match constraint.counts {
            Counts::Cpu => UsedKind::Cpus,
            _ if platform.drives.iter().any(|drives| drives.name == *component) => UsedKind::Drives,
            _ => UsedKind::Other,
        };
        if !all.iter().any(|known| known.kind == kind) {
            all.push(PartUse { kind, component: component.clone(), share: 1.0 - used.slack });
        }
    }
    all
}

/// `None` where nothing described limits somebody.
fn solved(built: &Built) -> Result<Option<Answer>, FlowError> {
    match answer(&built.network) {
        Ok(answer) => Ok(Some(answer)),
        Err(FlowError::Unlimited(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn most(network: &Network) -> Result<f64, FlowError> {
    Ok(fair_rates(network)?.iter().sum())
}

/// A rate with what it changes by when each figure under it grows by its own doubt, in quadrature. A figure whose doubt
/// isn't known (`false`) is doubled; the rate has no interval then unless that hardly matters.
pub(crate) fn doubted_by<E>(
    rate: f64,
    doubted: impl Iterator<Item = Result<(f64, bool), E>>,
) -> Result<Amount, E> {
    let (mut square, mut known) = (0.0, true);
    for other in doubted {
        let (other, its_doubt) = other?;
        let change = (other - rate).abs();
        square += change.powi(2);
        known &= its_doubt || change <= HARDLY_MATTERS * rate;
    }
    let half: f64 = square.sqrt();
    Ok(Amount { value: rate, half: known.then_some(half) })
}
