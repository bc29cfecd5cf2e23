//! Demands on platforms as Markdown: the demands, one table of answers, then what holds each.

use super::fits::{
    DEMAND_HEADS, METHOD, Migration, at_work, binding, demand_row, gains, holds, log_busy, marked,
    once, rate, terms, widen,
};
use super::markdown::cell;

/// Demands and platforms.
pub fn fits_markdown(migration: &Migration) -> String {
    let mut out = format!("Demand of {}\n\n", cell(&migration.from));
    let row = |out: &mut String, cells: &[String]| {
        let cells: Vec<String> = cells.iter().map(|text| cell(text)).collect();
        *out += &format!("| {} |\n", cells.join(" | "));
    };
    row(&mut out, &DEMAND_HEADS.map(str::to_string));
    out += &format!("| --- |{}\n", " ---: |".repeat(DEMAND_HEADS.len() - 1));
    for demand in &migration.demands {
        row(&mut out, &demand_row(demand));
    }
    out.push('\n');
    for refused in &migration.refused {
        out += &format!("- refused: {}\n", cell(refused));
    }
    for demand in &migration.demands {
        if let Some(why) = &demand.suspect {
            out += &format!("- suspect: {}: {}\n", cell(&demand.name), cell(why));
        }
    }
    for remark in &migration.remarks {
        out += &format!("- {}\n", cell(remark));
    }
    out += "\n| demand | platform | | with as many sessions | at most |\n| --- | --- | --- | ---: | ---: |\n";
    for fit in &migration.fits {
        let at = fit.at_sessions.as_ref();
        let cells = [
            marked(fit.suspect, &fit.demand),
            fit.platform.clone(),
            fit.verdict.words().to_string(),
            match fit.at_rate {
                Some(_) => format!("{} at work, log busy {}", at_work(fit), log_busy(fit)),
                None => rate(at.map(|at| at.rate_per_s), fit.sessions_times()),
            },
            match fit.log_only {
                true => format!("{} by the log's bytes", rate(fit.ceiling_per_s, None)),
                false => rate(fit.ceiling_per_s, fit.ceiling_times()),
            },
        ];
        row(&mut out, &cells);
    }
    for (name, fits) in migration.platforms() {
        out += &format!("\n**{}**\n\n", cell(name));
        for fit in fits {
            let mut words = Vec::new();
            words.extend(fit.at_sessions.as_ref().map(|at| format!("held by {}", holds(at))));
            words.extend(Some(terms(fit)).filter(|t| !t.is_empty()).map(|t| format!("time {t}")));
            let gains = fit.at_sessions.as_ref().map(gains).filter(|gains| !gains.is_empty());
            words.extend(gains.map(|gains| format!("gives at most: {gains}")));
            words.extend(
                Some(binding(fit)).filter(|b| !b.is_empty()).map(|b| format!("binds at most: {b}")),
            );
            words.extend(widen(fit).map(|w| format!("widen first: {w}")));
            out += &format!("- {}: {}\n", cell(&fit.demand), cell(&words.join(". ")));
        }
        once(fits, |fit| &fit.taken).iter().for_each(|t| out += &format!("- taken: {}\n", cell(t)));
        for note in once(fits, |fit| &fit.notes) {
            out += &format!("- not reckoned: {}\n", cell(note));
        }
    }
    out += &format!("\n{}\n", METHOD.join(" "));
    out
}
