//! A server that was only looked at, with room for everything: sessions over time, who used the CPUs, log and checkpoints, settings and
//! build.

use narrows_model::{LiveSetting, Observation, ObservedProcesses};
use narrows_units::significant;
use serde_json::{Value, to_value};

use super::figure;
use super::statements::{self, StatementViews};
use crate::chart::{charts, over_time, part_bar, swatch_of};
use crate::document::{At, Block, Cell, Column, Depth, Inline, Row, Section, Style, Table};
use crate::live::spread;
use crate::observed::{Share, StateShare, changed, found, log_parts, written_by};
use crate::print::{Units, count, percent, time};
use crate::report::Report;

/// All sections.
pub(super) fn sections(report: &Report) -> impl Iterator<Item = Section> {
    let units = report.units;
    [
        of_each(report, "history", "Sessions over time", &history),
        of_each(report, "processors", "Who used the CPUs", &|_, seen| processors(seen)),
        of_each(report, "wal", "WAL and checkpoints", &|_, seen| log(seen, units)),
        of_each(report, "settings", "Settings and build", &|_, seen| settings(seen)),
    ]
    .into_iter()
    .filter(|section| !section.blocks.is_empty())
}

/// One section of all servers.
fn of_each(
    report: &Report,
    id: &'static str,
    title: &str,
    of: &dyn Fn(usize, &Observation) -> Vec<Block>,
) -> Section {
    let several = report.observed.len() > 1;
    let mut section = Section::new(id, title).from(Depth::Page);
    for (number, (view, seen)) in report.observed.iter().zip(&report.run.observations).enumerate() {
        let blocks = of(number, seen);
        if several && !blocks.is_empty() {
            section.blocks.push(Block::Heading(view.heading.as_str().into()));
        }
        section.blocks.extend(blocks);
    }
    section
}

/// How many sessions were doing what, over time, and on average; by statement too where that is known. `number` tells servers of a page
/// apart.
fn history(number: usize, seen: &Observation) -> Vec<Block> {
    let found = found(seen);
    if found.is_empty() {
        return Vec::new();
    }
    let picture = match over_time::pictures(&seen.activity.history, seen.interval_ns, cpus(seen)) {
        Some(pictures) => over_time::figure(pictures),
        None => Block::explanation("No picture: observed for too short a time to have a history."),
    };
    let by_wait = vec![picture, Block::Table(legend(&found))];
    let Some(StatementViews { mut views, table }) = statements::views(seen) else { return by_wait };
    if views.is_empty() {
        return by_wait.into_iter().chain(table).collect();
    }
    views.insert(0, ("by wait".to_string(), by_wait));
    std::iter::once(Block::Views(format!("load-{number}"), views)).chain(table).collect()
}

/// What each fill means, with its figures.
fn legend(found: &[StateShare]) -> Table {
    let at_work: f64 = found.iter().filter(|f| f.state.is_at_work()).map(|f| f.sessions).sum();
    let mut table = Table::new(vec![
        Column::words("", At::Left(0)),
        Column::name("what they did", 2),
        Column::figure("sessions", 40),
        Column::figure("±95%", 48),
        Column::figure("of active", 66),
        Column::words("waiting for", At::Left(68)),
    ]);
    let row = |f: &StateShare| {
        let share = (f.state.is_at_work() && at_work > 0.0).then(|| f.sessions / at_work);
        let events: Vec<String> =
            f.events.iter().map(|(name, n)| format!("{name} {}", significant(*n, 2))).collect();
        let cells = vec![
            Inline::default().picture(swatch_of(f.state)).into(),
            f.state.words().into(),
            significant(f.sessions, 3).into(),
            spread(f.interval.as_ref(), Some(f.sessions)).into(),
            figure(share, percent),
            events.join(", ").into(),
        ];
        Row::Cells(cells, Vec::new())
    };
    let in_order = over_time::STACK.iter().rev();
    let in_order = in_order.filter_map(|state| found.iter().find(|f| f.state == *state));
    table.rows = in_order.map(row).collect();
    table
}

/// CPUs that the server may use.
fn cpus(seen: &Observation) -> Option<f64> {
    let processes = seen.processes.as_ref()?;
    let cpus = processes.quota_cpus.unwrap_or(f64::INFINITY).min(processes.allowed_cpus);
    (cpus > 0.0 && cpus.is_finite()).then_some(cpus)
}

/// The server's processes by class, the kernel threads and interrupts, others.
fn processors(seen: &Observation) -> Vec<Block> {
    let Some(processes) = &seen.processes else { return Vec::new() };
    let allowed = processes.allowed_cpus;
    let mut table = Table::new(vec![
        Column::name("", 0),
        Column::figure("CPUs", 40),
        Column::words("", At::Left(42)),
        Column::figure(format!("of {}", count(allowed)), 50),
        Column::figure("ready to run", 66),
    ]);
    let row = |who: &str, cpus: f64, queue: Option<f64>| {
        let share = (allowed > 0.0).then_some(cpus / allowed);
        let bar = share.map_or_else(Inline::default, |share| {
            Inline::default().picture(charts::share_bar(share))
        });
        let cells = vec![
            who.into(),
            significant(cpus, 3).into(),
            bar.into(),
            figure(share, percent),
            figure(queue, |n| significant(n, 3)),
        ];
        Row::Cells(cells, Vec::new())
    };
    let classes = processes.classes.iter().filter(|class| class.cpus > 0.0);
    table.rows =
        classes.map(|class| row(class.class.words(), class.cpus, class.run_queue)).collect();
    let others = processes.beside_server().chain([("the whole machine", processes.in_use())]);
    table.rows.extend(others.map(|(who, cpus)| row(who, cpus, None)));
    vec![Block::explanation(sentence(processes)), Block::Table(table)]
}

fn sentence(processes: &ObservedProcesses) -> String {
    let mut text =
        format!("The server may use {} of the machine's CPUs", count(processes.allowed_cpus));
    if let Some(quota) = processes.quota_cpus {
        text += &format!(", its control group's quota is {}", count(quota));
        if let Some(share) = processes.throttled_share {
            text += &format!(" and throttled it in {} of the periods", percent(share));
        }
    }
    if let Some(hot) = &processes.hot {
        text += &format!(
            ". The busiest process ({}) used {} of one CPU; for {} of the time it was the same one",
            hot.class.words(),
            percent(hot.cpus),
            percent(hot.share_of_windows)
        );
    }
    text + "."
}

/// The log with and without whole pages, checkpoints, who wrote the data files, and every counter.
fn log(seen: &Observation, units: Units) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(parts) = log_parts(seen) {
        let value = |bytes: f64| match seen.per_s(Some(bytes)) {
            Some(per_s) => format!("{} ({})", units.bytes(bytes), units.bytes_per_s(per_s)),
            None => units.bytes(bytes),
        };
        blocks.extend(bar("what WAL consisted of", &parts, value));
    }
    let begun = [
        ("timed", seen.counted.checkpoints_timed),
        ("WAL was full, or requested", seen.counted.checkpoints_requested),
    ];
    let begun: Vec<String> = begun
        .into_iter()
        .filter_map(|(why, n)| n.map(|n| format!("{} because {why}", count(n))))
        .collect();
    if !begun.is_empty() {
        blocks.push(Block::paragraph(format!("Checkpoints begun: {}.", begun.join(", "))));
    }
    let writers = written_by(seen);
    if !writers.is_empty() {
        blocks.extend(bar("who wrote the blocks of data files", &writers, count));
    }
    blocks.extend(counters(seen, units));
    blocks
}

/// A bar of parts with what each is.
fn bar(caption: &str, parts: &[Share], value: impl Fn(f64) -> String) -> [Block; 2] {
    let shares: Vec<(&str, f64)> = parts.iter().map(|part| (part.name, part.share)).collect();
    let (picture, swatches) = part_bar(caption, &shares);
    let legend = parts.iter().zip(swatches).map(|(part, swatch)| {
        let said = format!("{} {} · {}", part.name, value(part.value), percent(part.share));
        Inline::default().picture(swatch).put(Style::Plain, said)
    });
    let legend = crate::document::List::new(legend, 0);
    [Block::figure(caption, "", picture), Block::List(legend)]
}

/// Every counter as the run file names it.
fn counters(seen: &Observation, units: Units) -> Option<Block> {
    let Ok(Value::Object(counts)) = to_value(seen.counted) else { return None };
    let mut table = Table::new(vec![
        Column::name("counter", 0),
        Column::figure("total", 50),
        Column::figure("per second", 66),
        Column::figure("per transaction", 84),
    ]);
    let known = counts.iter().filter_map(|(name, value)| Some((name, value.as_f64()?)));
    let rows = known.map(|(name, total)| {
        let show = |value: f64| match name.rsplit('_').next() {
            Some("ns") => time(value),
            Some("bytes") => units.bytes(value),
            _ if value.fract() == 0.0 => count(value),
            _ => significant(value, 3),
        };
        let words = name.trim_end_matches("_ns").trim_end_matches("_bytes").replace('_', " ");
        let cells = vec![
            words.into(),
            show(total).into(),
            figure(seen.per_s(Some(total)), show),
            figure(seen.per_transaction(Some(total)), show),
        ];
        Row::Cells(cells, Vec::new())
    });
    table.rows = rows.collect();
    let some = !table.rows.is_empty();
    some.then(|| Block::Folded("All counters while observed".into(), vec![Block::Table(table)]))
}

/// Settings, chosen ones first, and how the server was built.
fn settings(seen: &Observation) -> Vec<Block> {
    let (chosen, rest): (Vec<_>, Vec<_>) = seen.settings.iter().partition(|s| changed(s));
    let mut blocks = Vec::new();
    if !chosen.is_empty() {
        blocks.extend([Block::Heading("Not the defaults".into()), settings_of(&chosen)]);
    }
    if !rest.is_empty() {
        let summary = "Defaults that matter for a verdict".into();
        blocks.push(Block::Folded(summary, vec![settings_of(&rest)]));
    }
    if !seen.build.is_empty() {
        let mut table = Table::new(vec![
            Column::name("", 0),
            Column::words("as PostgreSQL reports them", At::Left(30)),
        ]);
        let row = |(name, value): &(String, String)| -> Vec<Cell> {
            vec![name.as_str().into(), Inline::of(Style::Code, value.as_str()).into()]
        };
        let rows = seen.build.iter().map(row);
        table.rows = rows.map(|cells| Row::Cells(cells, Vec::new())).collect();
        blocks.extend([Block::Heading("Build".into()), Block::Table(table)]);
    }
    blocks
}

fn settings_of(of: &[&LiveSetting]) -> Block {
    let mut table = Table::new(vec![
        Column::name("setting", 0),
        Column::words("value", At::Left(40)),
        Column::words("from", At::Left(70)),
    ]);
    let row = |setting: &&LiveSetting| {
        let whose = if setting.is_ours() { ", for narrows' session alone" } else { "" };
        let code = |word: &str| Cell::from(Inline::of(Style::Code, word));
        let source = Inline::of(Style::Faint, format!("{}{whose}", setting.source));
        Row::Cells(vec![code(&setting.name), code(&setting.value), source.into()], Vec::new())
    };
    table.rows = of.iter().map(row).collect();
    Block::Table(table)
}
