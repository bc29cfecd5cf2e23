//! A run's demands on platforms: the demands, whether each fits, and what holds it.

use narrows_plan::{Amount, AtSessions, Demand, Drawing, Fit, Migration, RequestDemand};
use narrows_units::{Nanos, OpsPerSecond, Ratio, si, significant};

use super::plans::{binds, labelled, picture, side_by_side, widening};
use crate::document::{
    self, Block, Cell, Column, Depth, Document, Entry, Foot, Head, Row, Section, Sheet, Table,
};

/// Room for what rows are about, and for each platform.
const LEFT: usize = 20;
const CELL: usize = 26;

/// The document of demands on platforms; drawings in the order of the platforms, or none.
pub fn fits(migration: &Migration, drawings: &[Drawing]) -> Document {
    let title = vec!["Does it fit?".to_string(), "measured demand on planned hardware".to_string()];
    let platforms = migration.platforms();
    let sections = platforms.iter().enumerate().map(|(i, (name, fits))| {
        let drawn = drawings.get(i).map(|drawing| picture(name, drawing));
        Section::new("", *name)
            .with([Block::From(Depth::Page, drawn.into_iter().collect())])
            .with(fits.iter().flat_map(details))
            .with([labelled(remarks(fits))])
    });
    Document {
        head: Head { depth: Depth::Page, name: title[0].clone(), title, ..Head::default() },
        sections: [demand(migration), answers(&platforms)].into_iter().chain(sections).collect(),
        foot: Foot { more: vec![METHOD.join(" ").into()], ..Foot::default() },
        sheet: sheet(migration),
        json: document::json(migration),
        ..Document::default()
    }
}

fn demand(migration: &Migration) -> Section {
    let ends = [31, 39, 49, 60, 69, 78, 87, 97];
    let mut columns = vec![Column::name(DEMAND_HEADS[0], 0)];
    columns[0].under_title = false;
    columns
        .extend(DEMAND_HEADS[1..].iter().zip(ends).map(|(head, end)| Column::figure(*head, end)));
    let mut table = Table::new(columns);
    table.screen.longest_name = LEFT - 1;
    let row = |demand: &Demand| Row::Cells(demand_row(demand).map(Cell::from).to_vec(), Vec::new());
    table.rows = migration.demands.iter().map(row).collect();
    let mut said: Vec<Entry> =
        migration.refused.iter().map(|why| Entry::new("refused", why.as_str())).collect();
    said.extend(migration.demands.iter().filter_map(|demand| {
        Some(Entry::new("? suspect", format!("{}: {}", demand.name, demand.suspect.as_ref()?)))
    }));
    said.extend(migration.remarks.iter().map(|remark| Entry::new("note", remark.as_str())));
    Section::new("demand", "Demand").short("").with([
        labelled(vec![Entry::new("demand of", migration.from.as_str())]),
        Block::Table(table),
        labelled(said),
    ])
}

/// Each demand with a column for each platform.
fn answers(platforms: &[(&str, &[Fit])]) -> Section {
    let names: Vec<&str> = platforms.iter().map(|(name, _)| *name).collect();
    let mut table = side_by_side(&names, LEFT, CELL);
    let first = platforms.first().map_or(&[][..], |(_, fits)| fits);
    for (index, of) in first.iter().enumerate() {
        let mut row = |left: &str, cell: &dyn Fn(&Fit) -> String| {
            let cells = platforms.iter().filter_map(|(_, fits)| fits.get(index));
            let cells = cells.map(|fit| Cell::from(cell(fit)));
            let left = std::iter::once(Cell::from(left));
            table.rows.push(Row::Cells(left.chain(cells).collect(), Vec::new()));
        };
        row(&marked(of.suspect, &of.demand), &|fit| fit.verdict.words().to_string());
        if of.at_rate.is_some() {
            row("  active", &at_work);
            row("  WAL busy", &log_busy);
        }
        if let Some(at) = &of.at_sessions {
            let s = if at.sessions == 1.0 { "" } else { "s" };
            row(&format!("  {} session{s}", few(at.sessions)), &|fit| {
                rate(fit.at_sessions.as_ref().map(|at| at.rate_per_s), fit.sessions_times())
            });
        }
        let most = if of.log_only { "  WAL bytes at most" } else { "  at most" };
        let times = |fit: &Fit| fit.ceiling_times().filter(|_| !fit.log_only);
        row(most, &|fit| rate(fit.ceiling_per_s, times(fit)));
    }
    Section::new("answers", "Does it fit?").short("").with([Block::Table(table)])
}

/// What holds one demand on one platform.
fn details(fit: &Fit) -> [Block; 2] {
    let some = |label: &str, text: String| (!text.is_empty()).then(|| Entry::new(label, text));
    let at = fit.at_sessions.as_ref();
    let entries = [
        at.and_then(|at| some("  held by", holds(at))),
        some("  time", terms(fit)),
        at.and_then(|at| some("  gives at most", gains(at))),
        some("  bottleneck at most", binding(fit)),
        widen(fit).and_then(|widen| some("  upgrade first", widen)),
    ];
    let name = marked(fit.suspect, &fit.demand);
    [Block::Heading(name.into()), labelled(entries.into_iter().flatten().collect())]
}

/// What was taken for granted, and what isn't reckoned, each once.
fn remarks(fits: &[Fit]) -> Vec<Entry> {
    let taken = once(fits, |fit| &fit.taken).into_iter();
    let notes = once(fits, |fit| &fit.notes).into_iter();
    taken
        .map(|text| Entry::new("taken", text.as_str()))
        .chain(notes.map(|text| Entry::new("not modelled", text.as_str())))
        .collect()
}

/// One row for each demand on each platform; units stand in the column's names, and an empty cell is unknown.
fn sheet(migration: &Migration) -> Sheet {
    let heads = "demand,suspect,platform,verdict,measured_per_s,measured_half_95_per_s,sessions,sessions_per_s,\
                 sessions_half_95_per_s,sessions_times,held_by,cpu_busy,sessions_at_work,log_busy,ceiling_per_s,\
                 ceiling_half_95_per_s,ceiling_times,log_only,binding,widen_first";
    let mut sheet = Sheet::new(&heads.split(',').collect::<Vec<_>>());
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let value = |amount: Option<Amount>| number(amount.map(|amount| amount.value));
    let half = |amount: Option<Amount>| number(amount.and_then(|amount| amount.half));
    for fit in &migration.fits {
        let at = fit.at_sessions.as_ref();
        let rate = at.map(|at| at.rate_per_s);
        let binding: Vec<&str> = fit.binding.iter().map(|b| b.component.as_str()).collect();
        sheet.rows.push(vec![
            fit.demand.clone(),
            fit.suspect.to_string(),
            fit.platform.clone(),
            fit.verdict.words().to_string(),
            value(Some(fit.measured_per_s)),
            half(Some(fit.measured_per_s)),
            number(at.map(|at| at.sessions)),
            value(rate),
            half(rate),
            value(fit.sessions_times()),
            at.map_or(String::new(), |at| at.holds.clone()),
            number(at.and_then(|at| at.cpu_busy)),
            value(fit.at_rate.as_ref().and_then(|at| at.sessions)),
            number(fit.at_rate.as_ref().and_then(|at| at.log_busy)),
            value(fit.ceiling_per_s),
            half(fit.ceiling_per_s),
            value(fit.ceiling_times().filter(|_| !fit.log_only)),
            fit.log_only.to_string(),
            binding.join("; "),
            fit.widen.first().map(|widen| widen.components.join("; ")).unwrap_or_default(),
        ]);
    }
    sheet
}

/// Said under every answer.
const METHOD: [&str; 2] = [
    "sessions: as many as were measured there, each with the parts of its time; at most: by flow alone, for any number of sessions.",
    "± is the demand's uncertainty (95 %) with the range of the described times; × is over the measured rate.",
];

/// Headings of a demand's row.
const DEMAND_HEADS: [&str; 9] =
    ["one operation", "rate", "±95%", "sessions", "CPU", "reads", "writes", "flushes", "WAL"];

/// A demand's row: unknown is `-`, and never zero.
fn demand_row(demand: &Demand) -> [String; 9] {
    let unknown = || "-".to_string();
    let count = |asked: Option<RequestDemand>| asked.map_or_else(unknown, |a| few(a.per_op.value));
    let log = demand.log.as_ref();
    [
        marked(demand.suspect.is_some(), &demand.name),
        OpsPerSecond(demand.rate_per_s.value).to_string(),
        demand.rate_per_s.relative().map_or_else(unknown, |doubt| Ratio(doubt).to_string()),
        demand.sessions.map_or_else(unknown, few),
        demand.cpu_ns.map_or_else(unknown, |ns| Nanos(ns.value.round() as u64).to_string()),
        count(demand.reads),
        count(demand.writes),
        log.and_then(|log| log.flushes).map_or_else(unknown, |flushes| few(flushes.value)),
        log.map_or_else(unknown, |log| bytes(log.bytes.value)),
    ]
}

/// `? update`: something speaks against its measurement.
fn marked(suspect: bool, name: &str) -> String {
    if suspect { format!("? {name}") } else { name.to_string() }
}

/// `412k/s ±5.5 %  6.4 ×`
fn rate(rate: Option<Amount>, times: Option<Amount>) -> String {
    let Some(rate) = rate else { return "-".to_string() };
    let doubt = rate.relative().map_or(String::new(), |doubt| format!(" ±{}", Ratio(doubt)));
    let times = times.map_or(String::new(), |times| format!("  {} ×", significant(times.value, 2)));
    format!("{}{doubt}{times}", OpsPerSecond(rate.value))
}

/// Sessions at work at an observed server's rate: `7.6 sessions ±5.0 %`.
fn at_work(fit: &Fit) -> String {
    let sessions = fit.at_rate.as_ref().and_then(|at| at.sessions);
    sessions.map_or("-".to_string(), |sessions| {
        let doubt = sessions.relative().map_or(String::new(), |by| format!(" ±{}", Ratio(by)));
        format!("{} sessions{doubt}", significant(sessions.value, 3))
    })
}

/// Share of the time in which an observed server's log would be flushed.
fn log_busy(fit: &Fit) -> String {
    let busy = fit.at_rate.as_ref().and_then(|at| at.log_busy);
    busy.map_or("-".to_string(), |busy| Ratio(busy).to_string())
}

/// What holds as many sessions.
fn holds(at: &AtSessions) -> String {
    let busy = at.cpu_busy.map_or(String::new(), |busy| format!("; CPU {} busy", Ratio(busy)));
    format!("{}{busy}", at.holds)
}

/// The parts of an operation's time: there → here.
fn terms(fit: &Fit) -> String {
    let time = |ns: f64| Nanos(ns.round() as u64).to_string();
    let word = |term: &narrows_plan::Term| {
        if (term.here_ns.value - term.measured_ns).abs() < 0.005 * term.measured_ns {
            format!("{} {}", term.name, time(term.here_ns.value))
        } else {
            format!("{} {} (was {})", term.name, time(term.here_ns.value), time(term.measured_ns))
        }
    };
    fit.terms().iter().map(word).collect::<Vec<_>>().join(" + ")
}

/// What would give as many sessions more.
fn gains(at: &AtSessions) -> String {
    let word = |gain: &narrows_plan::Gain| format!("{} +{}", gain.change, Ratio(gain.gain));
    at.widen.iter().take(3).map(word).collect::<Vec<_>>().join("; ")
}

/// What binds at the ceiling.
fn binding(fit: &Fit) -> String {
    fit.binding.iter().map(binds).collect::<Vec<_>>().join("; ")
}

/// What to widen first at the ceiling.
fn widen(fit: &Fit) -> Option<String> {
    fit.widen.first().map(widening)
}

/// Sentences of several fits, each once.
fn once<'a>(fits: &'a [Fit], of: impl Fn(&'a Fit) -> &'a Vec<String>) -> Vec<&'a String> {
    let mut all: Vec<&String> = Vec::new();
    for sentence in fits.iter().flat_map(of) {
        if !all.contains(&sentence) {
            all.push(sentence);
        }
    }
    all
}

fn few(value: f64) -> String {
    if value.fract() == 0.0 && value < 1e6 {
        format!("{value:.0}")
    } else if value < 0.001 {
        "<0.001".to_string()
    } else {
        significant(value, 3)
    }
}

fn bytes(value: f64) -> String {
    let (number, prefix) = si(value);
    format!("{number} {prefix}B")
}
