//! Demands on platforms, for a terminal of 100 columns.

use super::fits::{
    DEMAND_HEADS, METHOD, Migration, at_work, binding, demand_row, few, gains, holds, log_busy,
    marked, once, rate, terms, widen,
};
use super::lines::{paragraph, push};
use crate::error::printable;
use crate::fit::Fit;

/// Columns of the left edge's words.
const LEFT: usize = 20;
/// Columns of one platform.
const CELL: usize = 26;

/// Demands, then platforms side by side, as many in a row of tables as `width` columns hold, then what holds each.
pub fn fits_text(migration: &Migration, width: usize) -> String {
    let mut out = String::new();
    paragraph(&mut out, "demand of", &migration.from, width);
    let cells = |[name, rest @ ..]: [String; 9]| {
        let wide = [11, 8, 10, 11, 9, 9, 9, 10];
        let rest = rest.iter().zip(wide).map(|(cell, wide)| format!("{cell:>wide$}"));
        format!("{:<LEFT$}{}", cut(&name, LEFT - 1), rest.collect::<String>())
    };
    push(&mut out, &cells(DEMAND_HEADS.map(str::to_string)));
    for demand in &migration.demands {
        push(&mut out, &cells(demand_row(demand)));
    }
    for refused in &migration.refused {
        paragraph(&mut out, "refused", refused, width);
    }
    for demand in &migration.demands {
        if let Some(why) = &demand.suspect {
            paragraph(&mut out, "? suspect", &format!("{}: {why}", demand.name), width);
        }
    }
    for remark in &migration.remarks {
        paragraph(&mut out, "note", remark, width);
    }
    out.push('\n');
    let platforms = migration.platforms();
    for some in platforms.chunks((width.saturating_sub(LEFT) / CELL).max(1)) {
        table(&mut out, some);
        out.push('\n');
    }
    for (name, fits) in platforms {
        push(&mut out, &printable(name).to_uppercase());
        fits.iter().for_each(|fit| details(&mut out, fit, width));
        for taken in once(fits, |fit| &fit.taken) {
            paragraph(&mut out, "taken", taken, width);
        }
        for note in once(fits, |fit| &fit.notes) {
            paragraph(&mut out, "not reckoned", note, width);
        }
        out.push('\n');
    }
    METHOD.iter().for_each(|line| paragraph(&mut out, "", line, width));
    out
}

fn table(out: &mut String, platforms: &[(&str, &[Fit])]) {
    let names: String = platforms.iter().map(|(name, _)| right(name)).collect();
    push(out, &format!("{}{names}", " ".repeat(LEFT)));
    let demands = platforms.first().map_or(0, |(_, fits)| fits.len());
    for index in 0..demands {
        let row = |left: &str, cell: &dyn Fn(&Fit) -> String| {
            let cells: String =
                platforms.iter().map(|(_, fits)| right(&cell(&fits[index]))).collect();
            format!("{:<LEFT$}{cells}", cut(left, LEFT - 1))
        };
        let first = &platforms[0].1[index];
        let name = marked(first.suspect, &first.demand);
        push(out, &row(&name, &|fit| fit.verdict.words().to_string()));
        if first.at_rate.is_some() {
            push(out, &row("  at work", &|fit| at_work(fit)));
            push(out, &row("  log busy", &|fit| log_busy(fit)));
        }
        if let Some(at) = &first.at_sessions {
            let sessions = few(at.sessions);
            let left = format!("  {sessions} session{}", if at.sessions == 1.0 { "" } else { "s" });
            push(
                out,
                &row(&left, &|fit| {
                    rate(fit.at_sessions.as_ref().map(|at| at.rate_per_s), fit.sessions_times())
                }),
            );
        }
        let most = if first.log_only { "  log bytes at most" } else { "  at most" };
        let times = |fit: &Fit| fit.ceiling_times().filter(|_| !fit.log_only);
        push(out, &row(most, &|fit| rate(fit.ceiling_per_s, times(fit))));
    }
}

fn details(out: &mut String, fit: &Fit, width: usize) {
    push(out, &marked(fit.suspect, &fit.demand));
    if let Some(at) = &fit.at_sessions {
        paragraph(out, "  held by", &holds(at), width);
    }
    if !fit.terms().is_empty() {
        paragraph(out, "  time", &terms(fit), width);
    }
    let gains = fit.at_sessions.as_ref().map(gains).filter(|gains| !gains.is_empty());
    if let Some(gains) = gains {
        paragraph(out, "  gives at most", &gains, width);
    }
    if !fit.binding.is_empty() {
        paragraph(out, "  binds at most", &binding(fit), width);
    }
    if let Some(widen) = widen(fit) {
        paragraph(out, "  widen first", &widen, width);
    }
}

fn cut(text: &str, to: usize) -> String {
    printable(text).chars().take(to).collect()
}

/// Right-aligned in its column, with a gap before it; what is too long loses its end.
fn right(text: &str) -> String {
    let room = CELL - 2;
    let long = text.chars().count() > room;
    let shown = cut(text, if long { room - 1 } else { room }) + if long { "…" } else { "" };
    format!("{shown:>CELL$}")
}
