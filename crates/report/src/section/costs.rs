//! What described platforms cost: side by side, which differs how much, then every line of each to be redone with a pencil.

use narrows_cost::{
    Basis, CostAnswer, CostLine, Counts, Group, Move, Published, Range, Rule, Rules, Term,
    break_even, compared, number,
};
use narrows_units::{Bytes, Ratio};

use super::plans::labelled;
use crate::document::{
    self, At, Block, Cell, Column, Depth, Document, Entry, Foot, Head, Inline, Row, Section, Sheet,
    Style, Table,
};

/// Columns of a screen, room for each description on it, and how many stand beside each other.
const SCREEN: usize = 100;
const CELL: usize = 22;
const BESIDE: usize = 3;
/// Where parts of a sheet's line begin on a screen: title, value, formula or source; and where the last ends.
const LINE: [usize; 4] = [5, 38, 61, 100];
/// A longer source is told below the lines, characters.
const SOURCE_IN_LINE: usize = 40;
/// Digits of a value in the comparison.
const SHOWN_DIGITS: usize = 4;

/// The document of these answers.
pub fn costs(answers: &[CostAnswer]) -> Document {
    let names: Vec<&str> = answers.iter().map(|answer| answer.name.as_str()).collect();
    let name = names.join(" and ");
    let title = vec![format!("What it costs: {name}"), "by the prices that are given".to_string()];
    let more = "List prices are those of their day and no offer; rules of licensing are told with their source and are no legal advice. \
                ± and −…+… are what the ranges of given figures make of a value, one at a time, in quadrature; a figure without a range counts \
                as exact. --what-if KEY=VALUE changes a figure by the key that stands with it.";
    let sections = std::iter::once(headlines(answers)).chain(differences(answers));
    Document {
        head: Head { depth: Depth::Page, name, title, ..Head::default() },
        sections: sections.chain(answers.iter().map(section)).collect(),
        foot: Foot { more: vec![more.into()], ..Foot::default() },
        sheet: sheet(answers),
        json: document::json(&json(answers)),
        ..Document::default()
    }
}

/// Every answer, and what differs between the first and each other.
fn json(answers: &[CostAnswer]) -> serde_json::Value {
    let differences: Vec<_> = answers
        .iter()
        .skip(1)
        .map(|other| {
            serde_json::json!({
                "first": answers[0].name,
                "second": other.name,
                "lines": compared(&answers[0], other),
                "break_even": break_even(&answers[0], other),
            })
        })
        .collect();
    serde_json::json!({"costs": answers, "differences": differences})
}

/// Headline lines side by side, as many descriptions as a screen has room for in each table.
fn headlines(answers: &[CostAnswer]) -> Section {
    let mut lines: Vec<&CostLine> = Vec::new();
    for line in answers.iter().flat_map(|answer| &answer.lines).filter(|line| line.headline) {
        if !lines.iter().any(|known| known.key == line.key && known.unit == line.unit) {
            lines.push(line);
        }
    }
    lines.sort_by_key(|line| line.group);
    let tables = answers.chunks(BESIDE).map(|answers| Block::Table(beside(answers, &lines)));
    Section::new("costs", "What it costs").short("").with(tables)
}

fn beside(answers: &[CostAnswer], lines: &[&CostLine]) -> Table {
    let titles = SCREEN - CELL * answers.len();
    let mut columns = vec![Column::words("", At::Wrapped(0, titles))];
    columns.extend(answers.iter().enumerate().map(|(at, answer)| {
        Column::figure(answer.name.as_str(), SCREEN - CELL * (answers.len() - 1 - at))
    }));
    let mut table = Table::new(columns);
    table.columns[0].under_title = true;
    let mut group: Option<Group> = None;
    for line in lines {
        let of = |answer: &CostAnswer| {
            answer.line(&line.key).filter(|other| other.unit == line.unit).map(ranged)
        };
        let cells: Vec<Option<String>> = answers.iter().map(of).collect();
        if cells.iter().all(Option::is_none) {
            continue;
        }
        if group != Some(line.group) {
            table.rows.push(Row::Heading(heading(line.group).to_string()));
            group = Some(line.group);
        }
        let cells = cells.into_iter().map(|cell| Cell::from(cell.unwrap_or("-".to_string())));
        let left = Cell::from(counted(line));
        table.rows.push(Row::Cells(std::iter::once(left).chain(cells).collect(), Vec::new()));
    }
    table
}

fn heading(group: Group) -> &'static str {
    match group {
        Group::Cost => "Costs",
        Group::Licence => "Licences",
        Group::Work => "Throughput",
        Group::Cpu => "CPU time as money",
        Group::Cache => "A page in memory",
        Group::Outage => "Outages",
        Group::Tier => "A tier",
    }
}

/// `all of it over the years, USD`.
fn counted(line: &CostLine) -> String {
    if line.unit.is_empty() { line.title.clone() } else { format!("{}, {}", line.title, line.unit) }
}

/// A value, and what ranges make of it.
fn ranged(line: &CostLine) -> String {
    let Some(value) = line.value else { return "unknown".to_string() };
    if line.unbounded {
        return format!("{} unbounded", short(value));
    }
    match line.interval {
        Some([low, high]) if value != 0.0 => {
            let [down, up] = [low, high].map(|end| Ratio((end / value - 1.0).abs()).to_string());
            if down == up {
                format!("{} ± {up}", short(value))
            } else {
                format!("{} −{down} +{up}", short(value))
            }
        }
        _ => short(value),
    }
}

/// Four digits, thousands apart.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    let scale = 10f64.powi(SHOWN_DIGITS as i32 - 1 - magnitude);
    number((value * scale).round() / scale)
}

/// How much each other one differs from the first, both ways round.
fn differences(answers: &[CostAnswer]) -> Option<Section> {
    let (first, others) = answers.split_first()?;
    if others.is_empty() {
        return None;
    }
    let mut blocks = Vec::new();
    for other in others {
        let mut table = Table::new(vec![
            Column::name(format!("{} beside {}", other.name, first.name), 0),
            Column::words("times", At::Right(58)),
            Column::words(format!("of {}", first.name), At::Right(76)),
            Column::words("the other way round", At::Right(98)),
        ]);
        table.columns[0].under_title = false;
        table.screen.longest_name = 48;
        for line in compared(first, other) {
            table.rows.push(Row::figures(
                line.title.clone(),
                [
                    format!("× {}", short(line.ratio)),
                    signed(line.second_over_first),
                    signed(line.first_over_second),
                ],
                "",
            ));
        }
        if !table.rows.is_empty() {
            blocks.push(Block::Table(table));
        }
        if let Some(even) = break_even(first, other) {
            let years = even.years.map(|years| Entry::new("by years", years.sentence));
            let rate = even.throughput.map(|rate| Entry::new("by rate", rate.sentence));
            blocks.push(labelled(years.into_iter().chain(rate).collect()));
        }
        if other.currency != first.currency {
            let text = format!("not compared: {} and {}", first.currency, other.currency);
            blocks.push(labelled(vec![Entry::new("costs", text)]));
        }
    }
    (!blocks.is_empty()).then(|| Section::new("differences", "What differs").with(blocks))
}

fn signed(share: f64) -> String {
    let sign = if share < 0.0 { "−" } else { "+" };
    format!("{sign}{}", Ratio(share.abs()))
}

/// One description: what is unknown, what moves it, all of its lines, and their sources.
fn section(answer: &CostAnswer) -> Section {
    let mut entries = Vec::new();
    for key in &answer.unknown {
        let text = format!("{key}: give it in the description, or by --what-if {key}=VALUE");
        entries.push(Entry::new("unknown", text));
    }
    entries.extend(answer.moves.iter().map(|one| Entry::new("moves total", moved(one))));
    if let Some(other) = &answer.other {
        entries.extend(other.moves.iter().map(|one| Entry::new("moves cost/rate", moved(one))));
    }
    entries.extend(without_range(answer).map(|text| Entry::new("exact", text)));
    entries.extend(answer.notes.iter().map(|note| Entry::new("note", note.as_str())));
    let note = answer.note.as_ref().map(|note| Block::paragraph(note.as_str()));
    Section::new("", answer.name.as_str())
        .with(note)
        .with([labelled(entries)])
        .with(numbered(&answer.lines))
}

/// How many given figures have no range, and which of them were measured: their doubt is in no sum.
fn without_range(answer: &CostAnswer) -> Option<String> {
    let chosen = |line: &&CostLine| {
        line.value.is_some() && line.formula.is_empty() && line.basis != Some(Basis::Rule)
    };
    let given: Vec<&CostLine> = answer.lines.iter().filter(chosen).collect();
    let exact: Vec<&CostLine> =
        given.iter().filter(|line| line.interval.is_none()).copied().collect();
    let measured = exact.iter().filter(|line| line.basis == Some(Basis::Measured));
    let measured: Vec<&str> = measured.map(|line| line.key.as_str()).collect();
    let also = match measured.is_empty() {
        true => String::new(),
        false => format!("; measured without an interval: {}", measured.join(", ")),
    };
    (!exact.is_empty()).then(|| {
        format!(
            "{} of {} given figures have no range and count as exact, so ± is less than the doubt{also}",
            exact.len(),
            given.len()
        )
    })
}

/// Every line with its number and formula or source, then the sources that are too long for a line.
pub(super) fn numbered(all: &[CostLine]) -> [Block; 2] {
    let sources = Sources::of(all);
    let listed = sources.long.iter().enumerate();
    let listed = listed.map(|(at, source)| Entry::new(format!("({})", at + 1), source.as_str()));
    let listed = labelled(listed.collect());
    [Block::Table(lines(all, &sources)), listed]
}

/// `oracle-ee: price: +9.9 % for a tenth more; within its own range 3.1M to 3.3M`.
fn moved(one: &Move) -> String {
    let range = one.within_range.map(|[low, high]| {
        let (low, high) = (low.min(high), low.max(high));
        format!("; within its own range {} to {}", short(low), short(high))
    });
    let by = signed(one.by_a_tenth);
    format!("{}: {by} for a tenth more{} ({})", one.title, range.unwrap_or_default(), one.key)
}

/// Sources that are too long for a line, each told once.
struct Sources {
    long: Vec<String>,
}

impl Sources {
    fn of(lines: &[CostLine]) -> Sources {
        let mut long = Vec::new();
        for source in lines.iter().map(dated) {
            if source.chars().count() > SOURCE_IN_LINE && !long.contains(&source) {
                long.push(source);
            }
        }
        Sources { long }
    }

    /// The source, or the number that it has below.
    fn told(&self, line: &CostLine) -> String {
        let source = dated(line);
        match self.long.iter().position(|known| *known == source) {
            Some(at) => format!("({})", at + 1),
            None => source,
        }
    }
}

/// A given figure's source with its date.
fn dated(line: &CostLine) -> String {
    match &line.date {
        Some(date) => format!("{}, {date}", line.source),
        None => line.source.clone(),
    }
}

fn lines(all: &[CostLine], sources: &Sources) -> Table {
    let [title, value, how, edge] = LINE;
    let mut table = Table::new(vec![
        Column::words("", At::Left(0)),
        Column::words("line", At::Wrapped(title, value - title - 1)),
        Column::words("value", At::Wrapped(value, how - value - 1)),
        Column::words("formula, or source", At::Wrapped(how, edge - how)),
    ]);
    table.columns[0].under_title = true;
    for line in all {
        let value = match line.value {
            Some(value) => format!("{} {}", number(value), line.unit).trim().to_string(),
            None => "unknown".to_string(),
        };
        let title = Inline::of(Style::Plain, line.title.clone());
        table.rows.push(Row::Cells(
            vec![
                Cell::from(Inline::of(Style::Faint, format!("[{}]", line.number))),
                Cell::from(title),
                Cell::from(value),
                Cell::from(how_known(line, sources)),
            ],
            Vec::new(),
        ));
    }
    table
}

/// The formula, or where the figure comes from with its key.
fn how_known(line: &CostLine, sources: &Sources) -> String {
    if !line.formula.is_empty() {
        return line.formula.clone();
    }
    let basis = match line.basis {
        Some(Basis::Price) => "price: ",
        Some(Basis::Rule) => "rule: ",
        Some(Basis::Measured) => "measured: ",
        _ => "",
    };
    format!("{} = {basis}{}", line.key, sources.told(line))
}

/// The rules of licensing that are known, each with its source.
pub fn licence_rules(rules: &Rules) -> Document {
    let sections = rules.all().iter().map(|rule| {
        let mut entries =
            vec![Entry::new("id", rule.id.as_str()), Entry::new("counts", counts(rule))];
        let price = match (&rule.price, &rule.currency) {
            (Some(price), Some(currency)) => {
                let of = if rule.pack.is_some() { "pack" } else { "licence" };
                let often = match rule.term {
                    Term::Once => "",
                    Term::Month => " and month",
                    Term::Year => " and year",
                };
                format!("{} {currency} for a {of}{often}", ranged_price(*price))
            }
            _ => "none was found in public".to_string(),
        };
        entries.push(Entry::new("price", price));
        if let Some(support) = rule.support_per_year {
            entries.push(Entry::new(
                "support",
                format!("{} of the fee for a year", Ratio(support.value)),
            ));
        }
        entries.push(Entry::new("source", format!("{}, {}", rule.source, rule.date)));
        entries.extend(rule.note.as_ref().map(|note| Entry::new("note", note.as_str())));
        Section::new("", rule.title.as_str()).with([labelled(entries)])
    });
    let figures: Vec<Entry> = rules.figures().iter().map(published).collect();
    let figures = Section::new("figures", "Published figures").with([labelled(figures)]);
    let sections = sections.chain([figures]);
    let more = "Rules of one day with the place where they were published; no legal advice. --rules FILE overrides a rule by its id.";
    Document {
        foot: Foot { more: vec![more.into()], ..Foot::default() },
        ..Document::of(sections)
            .headed("Licence rules", "what is counted, and for how much")
            .holding(rules)
    }
}

/// `electricity-eu-business: 0.1902 EUR for a kWh, …`.
fn published(figure: &Published) -> Entry {
    let range = ranged_price(figure.value);
    let often = if figure.per == "once" { String::new() } else { format!(" and {}", figure.per) };
    let value = match (&figure.currency, &figure.of) {
        (Some(currency), Some(of)) => format!("{range} {currency} for a {of}{often}"),
        _ => range,
    };
    let text =
        format!("{}: {value}. {}, {}. {}", figure.id, figure.title, figure.date, figure.source);
    Entry::new("figure", text)
}

/// `5,000 to 10,000`.
fn ranged_price(range: Range) -> String {
    match range.is_exact() {
        true => number(range.value),
        false => format!("{} to {}", number(range.low), number(range.high)),
    }
}

/// `cores, 0.5 licences for each; at least 4 for each socket; in packs of 2`.
fn counts(rule: &Rule) -> String {
    let mut words = vec![match rule.factor.value {
        _ if rule.counts == Counts::None => "nothing: no fee".to_string(),
        1.0 => format!("{}, a licence for each", rule.counts.plural()),
        factor => format!("{}, {} licences for each", rule.counts.plural(), number(factor)),
    }];
    let mut say = |value: Option<f64>, text: &dyn Fn(&str) -> String| {
        words.extend(value.map(|value| text(&number(value))));
    };
    say(rule.least_per_socket, &|n| format!("at least {n} for each socket"));
    say(rule.least, &|n| format!("at least {n} licences for a server"));
    say(rule.pack, &|n| format!("in packs of {n}"));
    say(rule.most_sockets, &|n| format!("servers of at most {n} sockets"));
    say(rule.most_vcpus, &|n| format!("instances of at most {n} vCPUs"));
    say(rule.most_cores, &|n| format!("uses at most {n} cores"));
    say(rule.most_threads, &|n| format!("uses at most {n} threads of CPUs"));
    say(rule.most_used_sockets, &|n| format!("uses at most {n} sockets"));
    words.extend(rule.needs.as_ref().map(|needs| format!("an option of {needs}")));
    words.extend(
        rule.most_memory
            .map(|bytes| format!("uses at most {} of memory", Bytes(bytes as u64).iec())),
    );
    words.join("; ")
}

/// One row for each line of each description.
fn sheet(answers: &[CostAnswer]) -> Sheet {
    let mut sheet = Sheet::new(&[
        "description",
        "number",
        "key",
        "title",
        "value",
        "low",
        "high",
        "unit",
        "formula",
        "basis",
        "source",
        "date",
        "lacks",
    ]);
    let figure = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for (answer, line) in answers.iter().flat_map(|a| a.lines.iter().map(move |line| (a, line))) {
        sheet.rows.push(vec![
            answer.name.clone(),
            line.number.to_string(),
            line.key.clone(),
            line.title.clone(),
            figure(line.value),
            figure(line.interval.map(|[low, _]| low)),
            figure(line.interval.map(|[_, high]| high)),
            line.unit.clone(),
            line.formula.clone(),
            line.basis.map(|basis| format!("{basis:?}").to_lowercase()).unwrap_or_default(),
            line.source.clone(),
            line.date.clone().unwrap_or_default(),
            line.lacks.join(" "),
        ]);
    }
    sheet
}
