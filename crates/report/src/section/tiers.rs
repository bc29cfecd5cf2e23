//! A tier in front of storage: off and on, what stops the gain, and every line to be redone with a pencil.

use narrows_cost::{CostLine, number};
use narrows_tier_forecast::{Forecast, OffOn, PoolReads, RelationReads, Share, Tier, Unit};
use narrows_units::{Bytes, BytesPerSecond, Nanos, OpsPerSecond, Ratio, significant};

use super::costs::numbered;
use super::plans::labelled;
use crate::document::{
    self, At, Block, Cell, Column, Depth, Document, Entry, Foot, Head, Row, Section, Sheet, Table,
};

/// Relations that are shown.
const RELATIONS: usize = 8;
/// Nanoseconds of a microsecond.
const US_NS: f64 = 1e3;

/// The document of a forecast.
pub fn tier(forecast: &Forecast) -> Document {
    let name = match forecast.tier {
        Tier::Log => "A log tier, off and on",
        Tier::ReadCache => "A read cache tier, off and on",
    };
    let title = vec![name.to_string(), format!("forecast; off: {}", forecast.from)];
    let more = "On, least and most: what is doubted of the figures, and of the law. How the forecast is made, and what it was held against: \
                docs/src/guide/tier.md.";
    Document {
        head: Head { depth: Depth::Page, name: name.to_string(), title, ..Head::default() },
        sections: [Some(table(forecast)), forecast.pool.as_ref().map(relations)]
            .into_iter()
            .flatten()
            .chain([told(forecast), lines(forecast)])
            .collect(),
        foot: Foot { more: vec![more.into()], ..Foot::default() },
        sheet: sheet(forecast),
        json: document::json(forecast),
        ..Document::default()
    }
}

fn table(forecast: &Forecast) -> Section {
    let mut table = Table::new(vec![
        Column::name("", 0),
        Column::figure("off", 38),
        Column::figure("on", 52),
        Column::words("least to most", At::Right(76)),
        Column::figure("by the figures", 94),
    ]);
    table.rows = forecast.rows.iter().map(row).collect();
    Section::new("tier", "Forecast").short("").with([Block::Table(table)])
}

fn row(row: &OffOn) -> Row {
    let shown = |value: Option<f64>| value.map_or("-".to_string(), |value| shown(row.unit, value));
    let cells =
        [row.name.clone(), shown(row.off), shown(row.on), between(row), times(row)].map(Cell::from);
    Row::Cells(cells.to_vec(), Vec::new())
}

/// Least to most.
pub(super) fn between(row: &OffOn) -> String {
    match (row.on_low, row.on_high) {
        (Some(low), Some(high)) if significant(low, 3) == significant(high, 3) => "-".to_string(),
        (Some(low), Some(high)) => {
            format!("{} to {}", shown(row.unit, low), shown(row.unit, high))
        }
        (Some(low), None) => format!("{} or more", shown(row.unit, low)),
        _ => "-".to_string(),
    }
}

pub(super) fn shown(unit: Unit, value: f64) -> String {
    match unit {
        Unit::PerS => OpsPerSecond(value).to_string(),
        Unit::Us => Nanos((value * US_NS).round() as u64).to_string(),
        Unit::BytesPerS => BytesPerSecond(value).to_string(),
    }
}

/// `× 2.78`, `× 5.54 faster`.
fn times(row: &OffOn) -> String {
    let Some(times) = row.times() else { return "-".to_string() };
    match (row.unit, times >= 1.0) {
        (Unit::Us, true) => format!("× {} faster", significant(times, 3)),
        (Unit::Us, false) => format!("× {} slower", significant(1.0 / times, 3)),
        _ => format!("× {}", significant(times, 3)),
    }
}

/// Reads by relation, and what the pool has of each.
fn relations(pool: &PoolReads) -> Section {
    let mut table = Table::new(vec![
        Column::name("relation", 0),
        Column::figure("size", 46),
        Column::figure("in the pool", 59),
        Column::figure("blocks read", 72),
        Column::figure("per block", 83),
        Column::figure("of the tier", 96),
    ]);
    table.screen.longest_name = 35;
    table.rows = pool.relations.iter().take(RELATIONS).map(of_relation).collect();
    let shares = format!(
        "at least {}; if each relation's reads are spread evenly, {} by LRU and {} at most",
        Ratio(pool.least),
        Ratio(pool.even_lru),
        Ratio(pool.even_most)
    );
    let room = format!(
        "{} of {} were used again since they came",
        Ratio(1.0 - pool.room),
        Bytes(pool.pool_bytes as u64).iec()
    );
    let mut entries = vec![Entry::new("share of hits", shares), Entry::new("shared_buffers", room)];
    if let Some(others) = pool.relations.len().checked_sub(RELATIONS).filter(|others| *others > 0) {
        let said = format!("{others} more that were read; --format json has all");
        entries.push(Entry::new("not shown", said));
    }
    entries.extend(pool.advice.iter().map(|advice| Entry::new("advice", advice.as_str())));
    Section::new("relations", "Relations").with([Block::Table(table), labelled(entries)])
}

fn of_relation(relation: &RelationReads) -> Row {
    let size = |bytes: f64| Bytes(bytes as u64).iec();
    let cells = [
        relation.name.clone(),
        relation.bytes.map_or("-".to_string(), size),
        size(relation.pool_bytes),
        number(relation.reads),
        relation.reads_per_block.map_or("-".to_string(), |each| significant(each, 3)),
        size(relation.tier_bytes),
    ];
    Row::Cells(cells.map(Cell::from).to_vec(), Vec::new())
}

/// What stops the gain, where the time goes, writing behind, what is unknown and doubted.
pub(super) fn told(forecast: &Forecast) -> Section {
    let rate = forecast.rate();
    let condition = rate.and_then(|row| {
        let condition = row.condition.as_ref()?;
        Some(Entry::new("the rate", condition.as_str()))
    });
    let mut entries: Vec<Entry> = condition.into_iter().collect();
    entries.push(Entry::new("binds next", forecast.next.sentence.as_str()));
    if !forecast.time.is_empty() {
        let parts: Vec<String> = forecast.time.iter().map(part).collect();
        entries.push(Entry::new("time of one", parts.join(", ")));
    }
    entries.extend(forecast.destaging.iter().map(|text| Entry::new("destaging", text.as_str())));
    entries.extend(forecast.unknown.iter().map(|unknown| {
        let text = format!("{}, for {} ({})", unknown.what, unknown.gives, unknown.hint);
        Entry::new("unknown", text)
    }));
    entries.extend(forecast.doubts.iter().map(|doubt| Entry::new("doubt", doubt.as_str())));
    Section::new("binds", "What binds next").with([labelled(entries)])
}

/// `commit wait 80 µs (48 %)`.
fn part(part: &Share) -> String {
    format!("{} {} ({})", part.name, shown(Unit::Us, part.us), Ratio(part.share))
}

pub(super) fn lines(forecast: &Forecast) -> Section {
    let lines: Vec<CostLine> = forecast.lines.iter().map(ranged).collect();
    Section::new("lines", "Every line").with(numbered(&lines))
}

/// With what ranges make of it behind its formula or source.
fn ranged(line: &CostLine) -> CostLine {
    let mut line = line.clone();
    let range = match line.interval {
        Some([low, high]) => format!("; {} to {}", number(low), number(high)),
        None if line.unbounded => "; unbounded".to_string(),
        None => return line,
    };
    match line.formula.is_empty() {
        true => line.source += &range,
        false => line.formula += &range,
    }
    line
}

/// One row for each row of the table, then one for each line.
pub(super) fn sheet(forecast: &Forecast) -> Sheet {
    let mut sheet = Sheet::new(&[
        "kind", "key", "title", "off", "on", "low", "high", "unit", "formula", "source",
    ]);
    let figure = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for row in &forecast.rows {
        let unit = match row.unit {
            Unit::PerS => "/s",
            Unit::Us => "µs",
            Unit::BytesPerS => "B/s",
        };
        let figures = [row.off, row.on, row.on_low, row.on_high].map(figure);
        let words = ["row".to_string(), String::new(), row.name.clone()];
        let rest = [unit.to_string(), String::new(), String::new()];
        sheet.rows.push(words.into_iter().chain(figures).chain(rest).collect());
    }
    for line in &forecast.lines {
        let interval = line.interval.map_or([None; 2], |ends| ends.map(Some));
        let words = ["line".to_string(), line.key.clone(), line.title.clone(), String::new()];
        let figures = [line.value, interval[0], interval[1]].map(figure);
        let rest = [line.unit.clone(), line.formula.clone(), line.source.clone()];
        sheet.rows.push(words.into_iter().chain(figures).chain(rest).collect());
    }
    sheet
}
