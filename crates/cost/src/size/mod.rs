//! Which of these platforms carry a demand as it grows, what binds in each, what is left when a part fails, and what each costs.
//!
//! What a platform carries is its ceiling by [`narrows_plan::fit`], of which so much is used as keeps a percentile of latency. That share is
//! given for all, or measured by a curve of latency against rate: of CPUs as busy as they were at the rate that kept the percentile, of drives
//! the rate that kept it over the most that they did. A share holds for parts of its kind; where a part of another kind binds, nothing says
//! how much may be used. Without a share the ceiling is told, and no platform is called large enough: at its ceiling queues have no end. As
//! many sessions as were measured may get less than the ceiling through; that is told apart.

mod answer;
mod judge;

use narrows_plan::{
    Amount, Demand, Description, Fit, FitError, FlowError, PlanError, UsedKind, fit,
};

use self::judge::{Allowed, Judge};
use crate::answer::CostAnswer;
use crate::reckon::cost;
use crate::sheet::number;

pub use self::answer::{
    Carries, Headroom, HeadroomOf, SizeQuestion, SizedLoss, SizedPlatform, Sizing,
};

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
