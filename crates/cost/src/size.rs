//! Which of these platforms carry a demand as it grows, what binds in each, what is left when a part fails, and what each costs.
//!
//! What a platform carries is its ceiling by [`narrows_plan::fit`], of which so much is used as keeps a percentile of latency. That share is
//! given for all, or measured by a curve of latency against rate: of CPUs as busy as they were at the rate that kept the percentile, of drives
//! the rate that kept it over the most that they did. A share holds for parts of its kind; where a part of another kind binds, nothing says
//! how much may be used. Without a share the ceiling is told, and no platform is called large enough: at its ceiling queues have no end. As
//! many sessions as were measured may get less than the ceiling through; that is told apart.

use std::cmp::Ordering;

use narrows_plan::{
    Amount, Demand, Description, Fit, FitError, FlowError, LostKind, PartUse, PlanError, UsedKind,
    beside_one, fit,
};
use serde::Serialize;

use crate::answer::CostAnswer;
use crate::reckon::{Question, cost};
use crate::sheet::number;

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
    fn holds_for(self, kind: UsedKind) -> bool {
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
    fn survives_but_storage(&self) -> bool {
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

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SizeError {
    /// A description of costs is wrong.
    #[error(transparent)]
    Cost(#[from] PlanError),
    /// Costs that can't be set beside each other.
    #[error("{0}")]
    Years(String),
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
/// A description of costs that is wrong, costs over different years, a platform without a database.
pub fn size(
    platforms: &[(&Description, &str)],
    demand: &Demand,
    question: SizeQuestion<'_>,
) -> Result<Sizing, SizeError> {
    let needs = demand.rate_per_s.times(question.growth);
    let mut sized = Vec::new();
    for (platform, text) in platforms {
        sized.push(one(platform, text, demand, needs, question)?);
    }
    let costs: Vec<CostAnswer> = sized.iter().filter_map(|sized| sized.cost.clone()).collect();
    crate::answer::same_years(&costs).map_err(SizeError::Years)?;
    let not_by_cost = not_by_cost(&sized);
    let mut order: Vec<usize> = (0..sized.len()).collect();
    let ceiling = |at: &usize| sized[*at].ceiling_per_s.map_or(f64::INFINITY, |most| most.value);
    let rank = |at: &usize| match not_by_cost {
        None => sized[*at].total().unwrap_or(f64::INFINITY),
        Some(_) => ceiling(at),
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
        growth_per_year: question.growth_per_year,
        needs_per_s: needs,
        headroom: question.headroom.to_vec(),
        smallest: first(&enough),
        smallest_surviving: first(&|platform| enough(platform) && platform.survives_but_storage()),
        platforms: sized,
        order,
        not_by_cost,
    })
}

/// Why platforms can't be ordered by what they cost.
fn not_by_cost(sized: &[SizedPlatform]) -> Option<String> {
    let of = |lacking: &dyn Fn(&SizedPlatform) -> bool| {
        let names: Vec<&str> =
            sized.iter().filter(|one| lacking(one)).map(|one| one.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    if let Some(names) = of(&|one| one.cost.is_none()) {
        return Some(format!("no costs are described for {names}"));
    }
    if let Some(names) = of(&|one| one.total().is_none()) {
        return Some(format!("a price is unknown in {names}"));
    }
    let mut currencies: Vec<&str> =
        sized.iter().filter_map(|one| Some(one.cost.as_ref()?.currency.as_str())).collect();
    currencies.sort_unstable();
    currencies.dedup();
    (currencies.len() > 1).then(|| format!("costs are in {}", currencies.join(" and ")))
}

fn one(
    platform: &Description,
    text: &str,
    demand: &Demand,
    needs: Amount,
    question: SizeQuestion<'_>,
) -> Result<SizedPlatform, SizeError> {
    let cost = match has_costs(platform, text) {
        true => Some(cost(&platform.file, text, Some(platform), question.cost)?),
        false => None,
    };
    let used = match cost.as_ref().and_then(|cost| most_cores(cost, demand)) {
        Some(most) => platform.clone().with_cores_at_most(most),
        None => platform.clone(),
    };
    let fit = fit(&used, demand, question.core_ratio)
        .map_err(|error| SizeError::Fit { file: platform.file.clone(), error })?;
    let lacks = lacks(&used, demand, &fit);
    let judge = Judge { needs, headroom: question.headroom, lacks: lacks.is_some() };
    let losses = used.losses().into_iter().map(|loss| {
        let rest = match &loss.rest {
            Err(stops) => Err(stops.clone()),
            Ok(rest) => fitted_rest(rest, demand, question.core_ratio),
        };
        let (usable_per_s, carries, stops) = match rest {
            Err(stops) => (None, Carries::No, Some(stops)),
            Ok(fit) => (judge.usable(&fit).map(|rate| rate.value), judge.ceiling(&fit), None),
        };
        SizedLoss { part: loss.part, kind: loss.kind, usable_per_s, carries, stops }
    });
    let losses = losses.collect();
    let at_sessions = fit.at_sessions.as_ref();
    let usable = judge.usable(&fit);
    let sums = [ceiling_sum(&fit), usable_sum(&judge, &fit)];
    Ok(SizedPlatform {
        name: platform.name.clone(),
        file: platform.file.clone(),
        carries: judge.carries(&fit),
        busy: fit.ceiling_per_s.map(|ceiling| needs.value / ceiling.value),
        ceiling_per_s: fit.ceiling_per_s,
        usable_per_s: usable,
        lasts_years: usable.and_then(|usable| lasts(usable, demand, question.growth_per_year)),
        sessions_per_s: at_sessions.map(|at| at.rate_per_s),
        sessions: at_sessions.map(|at| at.sessions),
        binding: fit.binding.iter().map(|bound| bound.component.clone()).collect(),
        sums: sums.into_iter().flatten().collect(),
        lacks,
        losses,
        cost,
        taken: fit.taken,
        notes: fit.notes,
    })
}

/// Cores of a server that its products use at most: of threads as many cores as have them where the demand was measured.
fn most_cores(cost: &CostAnswer, demand: &Demand) -> Option<u32> {
    let by_threads = cost.most_threads.map(|most| most / demand.threads_per_core.max(1.0));
    let most = match (cost.most_cores, by_threads) {
        (Some(a), Some(b)) => a.min(b),
        (a, b) => a.or(b)?,
    };
    Some(most.max(1.0) as u32)
}

/// Years until the need of today has grown to so much.
fn lasts(usable: Amount, demand: &Demand, growth_per_year: f64) -> Option<f64> {
    let times = usable.over(demand.rate_per_s)?.value;
    (growth_per_year > 0.0 && times >= 1.0).then(|| times.ln() / growth_per_year.ln_1p())
}

/// What is left of a platform; databases that have no way to their data any more do nothing.
fn fitted_rest(
    rest: &Description,
    demand: &Demand,
    core_ratio: Option<f64>,
) -> Result<Fit, String> {
    match fit(rest, demand, core_ratio) {
        Ok(fit) => return Ok(fit),
        Err(FitError::Flow(FlowError::NoRoute(_))) => {}
        Err(error) => return Err(error.to_string()),
    }
    let alone = |at: usize| {
        let keep: Vec<bool> = (0..rest.databases()).map(|other| other == at).collect();
        fit(&rest.with_databases(&keep), demand, core_ratio).is_ok()
    };
    let keep: Vec<bool> = (0..rest.databases()).map(alone).collect();
    if !keep.contains(&true) {
        return Err("no other way leads to the data".to_string());
    }
    fit(&rest.with_databases(&keep), demand, core_ratio).map_err(|error| error.to_string())
}

/// Whether there are costs: a table `[cost]`, or prices beside the parts.
fn has_costs(platform: &Description, text: &str) -> bool {
    let table = text.parse::<toml::Table>();
    platform.price().is_some() || table.is_ok_and(|table| table.contains_key("cost"))
}

/// `ceiling 40,000/s = 8 / 0.0002: CPUs of server, 8 cores, CPU s of one`.
fn ceiling_sum(fit: &Fit) -> Option<String> {
    let (bound, ceiling) = (fit.binding.first()?, fit.ceiling_per_s?.value);
    let of_one = bound.used / ceiling;
    let counts = match bound.counts {
        "cpu_s_per_s" => "CPU seconds of one operation",
        "ops_per_s" => "requests of one operation",
        "in_flight" => "seconds in flight of one operation",
        _ => "bytes of one operation",
    };
    // Within the last per cent another one is as full: the sum is that of the one that is told.
    let full = bound.slack < 1e-4;
    full.then(|| {
        format!(
            "ceiling {}/s = {} / {}: {}, {}, over {counts}",
            number(ceiling),
            number(bound.capacity),
            number(of_one),
            bound.component,
            bound.limit
        )
    })
}

/// `usable 20,000/s = 40,000 × 0.5 / 1: CPUs of server may be busy by 0.5 and are by 1 at the ceiling`.
fn usable_sum(judge: &Judge<'_>, fit: &Fit) -> Option<String> {
    let (ceiling, allowed) = (fit.ceiling_per_s?.value, judge.allowed(fit)?);
    let Allowed { part, share, of_ceiling } = allowed;
    Some(format!(
        "usable {}/s = {} × {} / {}: {} may be full by {} and {} full by {} at the ceiling",
        number(ceiling * of_ceiling.value),
        number(ceiling),
        number(share),
        number(part.share),
        part.component,
        number(share),
        if part.kind == UsedKind::Cpus { "are" } else { "is" },
        number(part.share)
    ))
}

/// What has to be known before anything is called large enough.
fn lacks(platform: &Description, demand: &Demand, fit: &Fit) -> Option<String> {
    if fit.log_only || demand.cpu_ns.is_none() {
        return Some(
            "the CPU time of an operation is not known, so CPUs limit nothing".to_string(),
        );
    }
    if platform.server_parts().cores.is_none() {
        return Some("the machines don't say their cores, so CPUs limit nothing".to_string());
    }
    let unknown = match (demand.reads.is_none(), demand.writes.is_none()) {
        (true, true) => Some("reads and writes"),
        (true, false) => Some("reads"),
        (false, true) => Some("writes"),
        (false, false) => None,
    };
    if let Some(unknown) = unknown {
        return Some(format!(
            "{unknown} of an operation are not known, so for them drives limit nothing"
        ));
    }
    fit.ceiling_per_s.is_none().then(|| "nothing described limits it".to_string())
}

/// Judges rates by what is needed.
#[derive(Debug, Clone, Copy)]
struct Judge<'a> {
    needs: Amount,
    headroom: &'a [Headroom],
    lacks: bool,
}

/// A part, how full it may be, and what of the ceiling that allows.
struct Allowed<'f> {
    part: &'f PartUse,
    share: f64,
    of_ceiling: Amount,
}

impl Judge<'_> {
    /// So much of a ceiling as is used; `None` where no share holds for what binds.
    fn usable(&self, fit: &Fit) -> Option<Amount> {
        let (ceiling, least) = (fit.ceiling_per_s?, self.allowed(fit)?.of_ceiling);
        let (value, halves) = (ceiling.value * least.value, ceiling.half.zip(least.half));
        let half = halves.map(|(a, b)| (a * least.value).hypot(b * ceiling.value));
        Some(Amount { value, half })
    }

    /// The part that is first as full as it may be. At part of the ceiling each part is as much less full, so a part that is full by
    /// half at the ceiling and may be full by a third allows two thirds.
    fn allowed<'f>(&self, fit: &'f Fit) -> Option<Allowed<'f>> {
        let share_for = |kind| self.headroom.iter().find(|headroom| headroom.of.holds_for(kind));
        share_for(fit.used.first()?.kind)?;
        let all = fit.used.iter().filter_map(|part| {
            let headroom = share_for(part.kind).filter(|_| part.share > 0.0)?;
            let share = Amount { value: headroom.share, half: Some(headroom.half.unwrap_or(0.0)) };
            let of_ceiling = share.times(1.0 / part.share);
            Some(Allowed { part, share: headroom.share, of_ceiling })
        });
        all.min_by(|a, b| a.of_ceiling.value.total_cmp(&b.of_ceiling.value))
    }

    /// By the ceiling alone.
    fn ceiling(&self, fit: &Fit) -> Carries {
        let beside = |rate: Amount| rate.over(self.needs).map(beside_one);
        let Some(ceiling) = fit.ceiling_per_s else { return Carries::Unknown };
        if beside(ceiling) == Some(Ordering::Less) {
            return Carries::No;
        }
        if self.lacks {
            return Carries::Unknown;
        }
        match self.usable(fit).map(beside) {
            None => Carries::HeadroomUnknown,
            Some(Some(Ordering::Greater)) => Carries::Yes,
            Some(Some(Ordering::Less)) => Carries::No,
            Some(_) => Carries::JustAbout,
        }
    }

    /// By the ceiling, and by what as many sessions as were measured get through.
    fn carries(&self, fit: &Fit) -> Carries {
        let carries = self.ceiling(fit);
        let sessions = fit.at_sessions.as_ref().and_then(|at| at.rate_per_s.over(self.needs));
        match (carries, sessions.map(beside_one)) {
            (Carries::Yes | Carries::JustAbout, Some(Ordering::Less)) => Carries::MoreSessions,
            (Carries::Yes, Some(Ordering::Equal)) => Carries::JustAbout,
            _ => carries,
        }
    }
}
