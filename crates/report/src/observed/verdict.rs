//! The verdict's block beside these tables: what they say already is not said twice.

use narrows_model::{Headroom, Observation, ObservedSituation, Provenance, Run, Verdict};
use narrows_units::significant;

use crate::bottleneck::Block;
use crate::print::{count, percent, time};
use crate::words::counted;

/// Shortens the blocks of servers that have tables of their own. Blocks of verdicts stand first and in their order.
pub(crate) fn fit(run: &Run, blocks: &mut [Block]) {
    for (block, verdict) in blocks.iter_mut().zip(&run.verdicts) {
        let mut all = run.observations.iter();
        let seen = all.find(|seen| seen.measurement == verdict.measurement);
        if let (Some(standing), Some(seen)) = (&verdict.standing, seen) {
            // Where hardly anything ended no end is near or far.
            let still = standing.step.is_some();
            block.standing = if still { Vec::new() } else { room(verdict, standing, seen) };
        }
        if seen.is_some_and(is_mariadb) {
            (block.rate, block.measured) = (None, false);
        }
        if seen.is_some() {
            let whole = verdict.standing.as_ref().and_then(|standing| standing.time.as_ref());
            let whole = whole.filter(|_| !super::stands_still(run, verdict));
            block.latency =
                whole.map_or(String::new(), |of| format!("each {}", time(of.summed_ns)));
        }
    }
}

/// Whether it is a MariaDB, which counts no transactions.
pub(super) fn is_mariadb(seen: &Observation) -> bool {
    seen.consumers.as_ref().is_some_and(|of| of.mariadb.is_some())
}

/// How near the ends are, and which aren't known.
fn room(verdict: &Verdict, standing: &ObservedSituation, seen: &Observation) -> Vec<String> {
    let measured = match seen.report {
        Some(_) => {
            "narrows import FILE --capacities RUN uses those of a run of the server's machine"
        }
        None => "--capacities RUN uses those measured on this machine",
    };
    let mut unknown: Vec<&str> = verdict
        .utilisation
        .iter()
        .filter(|used| used.value.is_none())
        .map(|used| used.label.as_str())
        .collect();
    unknown.dedup();
    let Some(nearest) = &standing.nearest else {
        let or = match seen.report {
            Some(_) => "narrows run --with FILE measures them",
            None => "--load-here measures them",
        };
        let unknown =
            format!("how close to saturation is unknown without capacities: {measured}, {or}");
        let busy = flush_busy(seen).into_iter();
        return standing.gains.iter().cloned().chain(busy).chain([unknown]).collect();
    };
    let mut texts: Vec<String> = standing.gains.iter().cloned().chain([end(nearest)]).collect();
    texts.extend(flush_busy(seen));
    if !unknown.is_empty() {
        // What runs of before called the log.
        let labels = unknown.into_iter().map(|label| if label == "log" { "WAL" } else { label });
        let unknown: Vec<&str> = labels.collect();
        texts.push(format!("capacity unknown: {}; {measured}", unknown.join(", ")));
    }
    texts
}

/// One flush runs at a time, but more commits can share one: how much of the time one runs is no use of a capacity, and stands beside
/// the ends.
fn flush_busy(seen: &Observation) -> Option<String> {
    const WORTH_A_WORD: f64 = 0.5;
    let busy = seen.counted.flush_ns.filter(|_| seen.report.is_none())? / seen.interval_ns;
    (busy >= WORTH_A_WORD).then(|| {
        let busy = percent(busy.min(1.0));
        format!("a WAL flush runs {busy} of the time; more commits can share each")
    })
}

fn end(nearest: &Headroom) -> String {
    let whose = match nearest.provenance {
        Provenance::Limit => " by its specification (no drive need reach it)",
        Provenance::Configured => " as configured",
        Provenance::Measured | Provenance::Counted => "",
    };
    let interval = nearest.interval_95.as_ref().map_or(String::new(), |interval| {
        format!(", 95 % {} to {}", significant(interval.low, 2), significant(interval.high, 2))
    });
    format!(
        "closest to saturation: {}{whose}, {} in use; at most {}x the rate of now{interval}",
        nearest.label,
        percent(nearest.utilisation),
        significant(nearest.factor_at_most, 2)
    )
}

/// `3.10 of 8 sessions at work, 100 of 108 did nothing, their clients choose the rate; one look in 6 windows of 10.0 s`; `None` without a look.
pub(crate) fn operating_point(run: &Run) -> Option<String> {
    let seen = run.observations.first()?;
    if let Some(report) = &seen.report {
        let active = run
            .verdicts
            .iter()
            .filter_map(|verdict| verdict.standing.as_ref()?.sessions_at_work)
            .next();
        let sessions = active.map_or(String::new(), |n| {
            format!("{} sessions active on average, ", significant(n, 3))
        });
        return Some(format!(
            "{sessions}load set by the clients; one {} interval of {}",
            report.kind,
            time(seen.interval_ns)
        ));
    }
    let windows = counted(seen.windows as usize, "window");
    let length = seen.interval_ns / f64::from(seen.windows.max(1));
    let looks = format!("one observation, {windows} of {}", time(length));
    let standings = run.verdicts.iter().filter_map(|verdict| verdict.standing.as_ref());
    let active = standings.filter_map(|standing| standing.sessions_at_work).next();
    Some(match sessions(seen, active) {
        Some(sessions) => format!("{sessions}, load set by the clients; {looks}"),
        None => format!("load set by the clients; {looks}"),
    })
}

/// `active`: on average, as the verdict counts them: on a server's only CPU samples find nobody at work while they are taken.
fn sessions(seen: &Observation, active: Option<f64>) -> Option<String> {
    let whole = |n: f64| count((n * 10.0).round() / 10.0);
    let open = seen.sessions.open?;
    let unused = seen.sessions.unused.unwrap_or(0.0);
    let Some(found) = seen.activity.sessions_at_work() else {
        return Some(format!("{} sessions open", whole(open)));
    };
    let at_work = active.map_or(found, |active| active.max(found));
    let took_part = (open - unused).max(at_work);
    if unused >= 0.5 && (open - unused).max(found) < 0.5 {
        return Some(format!("none of {} sessions did anything", whole(open)));
    }
    let mut text = format!("{} of {} sessions active", significant(at_work, 2), whole(took_part));
    if unused >= 0.5 {
        text += &format!(", {} of {} did nothing", whole(unused), whole(open));
    }
    Some(text)
}
