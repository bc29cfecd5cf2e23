//! Runs beside runs: the answer in a sentence, a row per measurement, the field's table of improvement, bottlenecks then and now, what
//! else differs, and what is not compared.

use narrows_compare::{
    Against, ComparedRow, ConditionDifference, Correction, Gate, GateOutcome, Judgement,
    MetricPair, RunComparison, SIGNIFICANCE, SetupComparison, SideFacts, Unpaired, VerdictChange,
};
use narrows_model::{Grade, Interval, metric};
use narrows_stats::level_of_look;

use super::compared_servers;
use crate::chart::{compared as chart, definitions};
use crate::document::{
    At, Block, Cell, Column, Depth, Document, Inline, List, Remarks, Row, Section, Style, Table,
};
use crate::print::{self, Units};
use crate::words;

/// Where there are more, the rest is in forms with more room.
const MOST_CONDITIONS: usize = 12;
const MOST_UNPAIRED: usize = 6;
/// A growth beyond which its size is nobody's plan.
const FAR: f64 = 3.0;

/// The whole comparison, with the gates that were asked for.
pub fn comparison(found: &RunComparison, gates: &[(Gate, GateOutcome)], units: Units) -> Document {
    let base = &found.sides[0];
    let mut sections = vec![sides(&found.sides)];
    for (against, side) in found.against.iter().zip(&found.sides[1..]) {
        if let Some(compared) = &against.observed {
            sections.extend(compared_servers::sections(base, against, compared, units));
        }
        // Of one observation of each the rows say nothing that these tables don't.
        if against.only_observed() {
            let others = compared_servers::other_conditions(&against.conditions);
            if !others.is_empty() {
                sections.push(conditions(&base.name, &against.name, &others));
            }
            continue;
        }
        sections.push(result(base, side, against));
        sections.extend(pictures(base, against, units));
        sections.push(rows(base, against, units));
        sections.extend(improvement(base, against));
        sections.extend(distribution_free(against));
        sections.extend(verdicts(base, against));
        sections.push(conditions(&base.name, &against.name, &against.conditions));
        sections.extend(unpaired(against));
    }
    sections.extend(gates_of(gates));
    sections.extend(method(found));
    let names: Vec<&str> = found.sides.iter().map(|side| side.name.as_str()).collect();
    let mut document =
        Document::of(sections).headed("Comparison", names.join(" · ")).holding(found);
    // The fills of the pictures over time.
    document.shared =
        found.against.iter().any(|against| against.observed.is_some()).then(definitions);
    document
}

/// What differs between two sides besides their figures.
pub fn setup_differences(found: &SetupComparison) -> Document {
    let [base, other] = &found.sides;
    let sections = [sides(&found.sides), conditions(&base.name, &other.name, &found.conditions)];
    Document::of(sections)
        .headed("Differences", format!("{} · {}", base.name, other.name))
        .holding(&found.conditions)
}

fn sides(all: &[SideFacts]) -> Section {
    let mut table = Table::new(vec![
        Column::name("side", 2),
        Column::figure("runs", 32),
        Column::words("started, UTC", At::Left(36)),
        Column::words("machine", At::Wrapped(76, usize::MAX)),
    ]);
    for side in all {
        let minute = |time: &String| time.get(..16).unwrap_or(time).replace('T', " ");
        let when = match side.started_at.as_slice() {
            [] => String::new(),
            [one] => minute(one),
            [first, .., last] => format!("{} to {}", minute(first), minute(last)),
        };
        let cells =
            [side.name.clone(), side.runs.len().to_string(), when, side.machines.join(", ")];
        table.rows.push(Row::Cells(cells.map(Into::into).to_vec(), Vec::new()));
    }
    Section::new("sides", "Compared").short("COMPARED").with([Block::Table(table)])
}

/// `after against before: better in 1 of 12, worse in none, …`.
fn result(base: &SideFacts, side: &SideFacts, against: &Against) -> Section {
    let all = against.rows.len();
    let count = |word: Judgement| match against.count(word) {
        0 => format!("{} in none", word.word()),
        n => format!("{} in {n}", word.word()),
    };
    let words = [Judgement::Better, Judgement::Worse, Judgement::Equivalent, Judgement::Unresolved]
        .map(count);
    let mut items = Vec::new();
    if against.too_few_runs() {
        items.push(Inline::of(
            Style::Strong,
            format!(
                "Not resolved: {} and {}. Fewer than three of each do not show how runs of one configuration differ from each other.",
                runs_of(base),
                runs_of(side)
            ),
        ));
    } else {
        let text = format!(
            "Of {} {} is {}.",
            words::counted(all, "measurement"),
            side.name,
            words.join(", ")
        );
        items.push(Inline::of(Style::Strong, text));
    }
    items.extend(largest(against).map(Inline::from));
    if against.too_few_runs() {
        items.push(Inline::from(
            "next: make three runs or more of each, in turns, and name them together: narrows compare A1,A2,A3 B1,B2,B3",
        ));
    }
    let changed = against.verdicts.iter().filter(|change| change.changed).count();
    if changed > 0 {
        items.push(Inline::from(format!(
            "{} changed, see BOTTLENECKS",
            words::counted(changed, "bottleneck")
        )));
    }
    let title = format!("{} against {}", side.name, base.name);
    Section::new("result", title).short("RESULT").leading().with([Block::List(List::new(items, 2))])
}

/// The changes on one scale, and the runs of both sides: of pages only.
fn pictures(base: &SideFacts, against: &Against, units: Units) -> Option<Section> {
    let mut blocks: Vec<Block> =
        chart::changes(against).map(|figure| Block::Figures(vec![figure])).into_iter().collect();
    let strips = chart::strips(&base.name, against, units);
    if !strips.is_empty() {
        blocks.push(Block::Figures(strips));
    }
    (!blocks.is_empty()).then(|| Section::new("pictures", "Changes").from(Depth::Page).with(blocks))
}

fn runs_of(side: &SideFacts) -> String {
    format!("{} is {}", side.name, words::counted(side.runs.len(), "run"))
}

/// The largest difference that got a word, or the largest of all.
fn largest(against: &Against) -> Option<String> {
    let shown = |row: &&ComparedRow| matches!(row.judgement, Judgement::Better | Judgement::Worse);
    let size = |row: &&ComparedRow| row.leading.growth.ln_1p().abs();
    let of = |rows: Vec<&ComparedRow>| {
        rows.into_iter().max_by(|a, b| size(a).total_cmp(&size(b))).cloned()
    };
    let row = of(against.rows.iter().filter(shown).collect())
        .or_else(|| of(against.rows.iter().collect()))?;
    let pair = &row.leading;
    let interval = pair.interval_95.as_ref().map_or(String::new(), |i| format!(" ({})", range(i)));
    let hidden = row.scatter_that_hides_it.map_or(String::new(), |scatter| {
        format!(
            ", a difference unless runs of one configuration scatter by {} or more (standard deviation)",
            print::percent(scatter)
        )
    });
    let change = print::change(pair.growth);
    Some(format!(
        "largest: {} {} {change}{interval}{hidden}",
        row.measurement,
        words_of(&pair.metric)
    ))
}

fn words_of(metric: &str) -> String {
    metric.replace('_', " ")
}

fn range(interval: &Interval) -> String {
    format!("{} to {}", print::change(interval.low), print::change(interval.high))
}

fn rows(base: &SideFacts, against: &Against, units: Units) -> Section {
    let mut table = Table::new(vec![
        Column::name("measurement", 2),
        Column::words("metric", At::Left(36)),
        Column::figure(base.name.clone(), 60),
        Column::figure(against.name.clone(), 71),
        Column::figure("change", 79),
        Column::words("", At::Left(81)),
    ])
    .remarked("95 %, why, what could be found", Remarks::Below(6));
    table.rows = against.rows.iter().map(|row| compared_row(row, units)).collect();
    Section::new("rows", "Measurements").short("MEASUREMENTS").with([Block::Table(table)])
}

fn compared_row(row: &ComparedRow, units: Units) -> Row {
    let pair = &row.leading;
    let style = match row.judgement {
        Judgement::Better => Style::Good,
        Judgement::Worse => Style::Bad,
        Judgement::Equivalent => Style::Plain,
        Judgement::Unresolved => Style::Faint,
    };
    let cells: Vec<Cell> = vec![
        Inline::of(Style::Code, row.measurement.clone()).into(),
        words_of(&pair.metric).into(),
        units.quantity(pair.base, pair.unit).into(),
        units.quantity(pair.other, pair.unit).into(),
        Inline::of(Style::Strong, print::change(pair.growth)).into(),
        Inline::of(style, row.judgement.word()).into(),
    ];
    Row::Cells(cells, remark(row).map(Inline::from).into_iter().collect())
}

/// `+9.3 % to +11 %; from 1.2 % on it would be found`.
fn remark(row: &ComparedRow) -> Option<String> {
    let mut parts: Vec<String> = row.leading.interval_95.as_ref().map(range).into_iter().collect();
    if row.judgement == Judgement::Unresolved && row.scatter_that_hides_it.is_none() {
        parts.push(row.why.clone());
    }
    if let Some(least) = row
        .smallest_found
        .filter(|_| row.judgement != Judgement::Better && row.judgement != Judgement::Worse)
    {
        parts.push(match least > FAR {
            true => "only changes by several times would be found".to_string(),
            false => format!("from {} on it would be found", print::percent(least)),
        });
    }
    if let Some(scatter) = row.scatter_that_hides_it {
        parts.push(format!(
            "a difference unless runs scatter by {} or more",
            print::percent(scatter)
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// What the field prints: changes of throughput, latency, bandwidth and CPU time per operation beside each other.
fn improvement(base: &SideFacts, against: &Against) -> Option<Section> {
    let heads = [
        ("throughput", metric::THROUGHPUT),
        ("mean", metric::LATENCY_MEAN),
        ("p99", metric::LATENCY_P99),
        ("bytes/s", metric::BANDWIDTH),
        ("CPU/op", metric::CPU_PER_OP),
    ];
    let mut columns = vec![Column::name("measurement", 2)];
    columns.extend(
        heads.iter().enumerate().map(|(at, (head, _))| Column::figure(*head, 48 + 11 * at)),
    );
    let mut table = Table::new(columns);
    for row in &against.rows {
        let pairs: Vec<&MetricPair> = std::iter::once(&row.leading).chain(&row.others).collect();
        let of =
            |name: &str| pairs.iter().find(|pair| pair.metric == name).map(|pair| change(pair));
        let figures: Vec<String> = heads
            .iter()
            .map(|(_, metric)| {
                // A database's operation costs the server's CPU time, whatever the load generator took.
                let server = (*metric == metric::CPU_PER_OP)
                    .then(|| of(metric::SERVER_CPU_PER_OP.name))
                    .flatten();
                server.or_else(|| of(metric.name)).unwrap_or_else(|| "-".to_string())
            })
            .collect();
        if figures.iter().filter(|figure| *figure != "-").count() > 1 {
            table.rows.push(Row::figures(row.measurement.clone(), figures, ""));
        }
    }
    if table.rows.is_empty() {
        return None;
    }
    let note = Block::paragraph(format!(
        "change against {}; ~ where the interval holds no change, or there is none",
        base.name
    ));
    let section = Section::new("improvement", "Improvement").short("IMPROVEMENT");
    Some(section.with([Block::Table(table), note]))
}

/// What of the words rests on the law of the runs' scatter: for forms with room.
fn distribution_free(against: &Against) -> Option<Section> {
    let mut table = Table::new(vec![
        Column::name("measurement", 2),
        Column::figure("change", 48),
        Column::figure("median of ratios", 66),
        Column::figure("p of all orders", 83),
        Column::words("95 %, bootstrap", At::Left(86)),
    ]);
    for row in &against.rows {
        let Some(free) = &row.distribution_free else { continue };
        let cells: Vec<Cell> = vec![
            Inline::of(Style::Code, row.measurement.clone()).into(),
            print::change(row.leading.growth).into(),
            print::change(free.growth).into(),
            free.p_permutation.map_or("-".to_string(), |p| format!("{p:.3}")).into(),
            free.bootstrap_95.as_ref().map_or("-".to_string(), range).into(),
        ];
        table.rows.push(Row::Cells(cells, Vec::new()));
    }
    if table.rows.is_empty() {
        return None;
    }
    let note = Block::paragraph(
        "Hodges and Lehmann's median of ratios; the share of all orders of the runs that show as large a change (not corrected; with three \
         runs of a side never below 0.1, with four pairs 0.125); the studentized bootstrap, from eight runs of a side. No word rests on them: \
         where they disagree with the change, the scatter of the runs is not log-normal, or one run is odd.",
    );
    Some(
        Section::new("distribution-free", "Without a law of the scatter")
            .from(Depth::Text)
            .with([Block::Table(table), note]),
    )
}

/// `+10 %`, or `~+3 %` where no change is within its interval.
fn change(pair: &MetricPair) -> String {
    let shown = pair.interval_95.as_ref().is_some_and(|i| i.low > 0.0 || i.high < 0.0);
    format!("{}{}", if shown { "" } else { "~" }, print::change(pair.growth))
}

fn verdicts(base: &SideFacts, against: &Against) -> Option<Section> {
    if against.verdicts.is_empty() {
        return None;
    }
    let mut table = Table::new(vec![
        Column::name("workload", 2),
        Column::words(base.name.clone(), At::Wrapped(20, 36)),
        Column::words(against.name.clone(), At::Wrapped(58, usize::MAX)),
    ]);
    table.rows = against.verdicts.iter().map(verdict).collect();
    Some(
        Section::new("bottlenecks", "Bottlenecks").short("BOTTLENECKS").with([Block::Table(table)]),
    )
}

fn verdict(change: &VerdictChange) -> Row {
    let named = |named: &narrows_compare::Named| {
        let grade = words::grade(named.grade);
        let share = match named.of {
            1 => String::new(),
            of => format!(", {} of {of} runs", named.runs),
        };
        match named.grade {
            Grade::Undecided => format!("{grade}{share}: {}", named.phrase),
            _ => format!("{} ({grade}{share})", named.phrase),
        }
    };
    let style = if change.changed { Style::Strong } else { Style::Plain };
    Row::Cells(
        vec![
            change.workload.replace('_', " ").into(),
            named(&change.base).into(),
            Inline::of(style, named(&change.other)).into(),
        ],
        Vec::new(),
    )
}

fn conditions(base: &str, other: &str, all: &[ConditionDifference]) -> Section {
    let section = Section::new("conditions", "What else differs").short("WHAT ELSE DIFFERS");
    if all.is_empty() {
        return section.with([Block::paragraph(
            "nothing that was recorded: inventory, settings and plan are the same",
        )]);
    }
    let table = |conditions: &[ConditionDifference]| {
        let mut table = Table::new(vec![
            Column::name("condition", 2),
            Column::words(base.to_string(), At::Wrapped(40, 28)),
            Column::words(other.to_string(), At::Wrapped(70, usize::MAX)),
        ]);
        table.rows = conditions.iter().map(condition).collect();
        table
    };
    let (shown, more) = all.split_at(all.len().min(MOST_CONDITIONS));
    let mut blocks = vec![Block::Table(table(shown))];
    if !more.is_empty() {
        blocks.push(Block::Until(
            Depth::Text,
            vec![Block::paragraph(format!(
                "and {} more: --format markdown or html has all",
                more.len()
            ))],
        ));
        blocks.push(Block::From(Depth::Text, vec![Block::Table(table(more))]));
    }
    blocks.push(Block::paragraph("in bold: known to change such results"));
    section.with(blocks)
}

fn condition(condition: &ConditionDifference) -> Row {
    let style = if condition.could_explain { Style::Strong } else { Style::Plain };
    let values = |values: &[String]| values.join(" | ");
    Row::Cells(
        vec![
            Inline::of(style, condition.what.clone()).into(),
            values(&condition.base).into(),
            values(&condition.other).into(),
        ],
        Vec::new(),
    )
}

fn unpaired(against: &Against) -> Option<Section> {
    if against.unpaired.is_empty() {
        return None;
    }
    let sentences = |unpaired: &[Unpaired]| List::new(unpaired.iter().map(Unpaired::sentence), 2);
    // What both have and can't be held against each other comes before what one of them lacks.
    let mut all = against.unpaired.clone();
    all.sort_by_key(|unpaired| unpaired.missing);
    let (shown, more) = all.split_at(all.len().min(MOST_UNPAIRED));
    let mut blocks = vec![Block::List(sentences(shown))];
    if !more.is_empty() {
        blocks.push(Block::Until(
            Depth::Text,
            vec![Block::paragraph(format!(
                "and {} more: --format markdown or html has all",
                more.len()
            ))],
        ));
        blocks.push(Block::From(Depth::Text, vec![Block::List(sentences(more))]));
    }
    Some(Section::new("not-compared", "Not compared").short("NOT COMPARED").with(blocks))
}

fn gates_of(gates: &[(Gate, GateOutcome)]) -> Option<Section> {
    if gates.is_empty() {
        return None;
    }
    let line = |(gate, outcome): &(Gate, GateOutcome)| match outcome {
        GateOutcome::Passed => {
            Inline::of(Style::Good, "passed").put(Style::Plain, format!("  {}", gate.text))
        }
        GateOutcome::Failed => {
            Inline::of(Style::Bad, "FAILED").put(Style::Plain, format!("  {}", gate.text))
        }
        GateOutcome::Unresolved(why) => Inline::of(Style::Careful, "not resolved")
            .put(Style::Plain, format!("  {}: {why}", gate.text)),
    };
    let list = List::new(gates.iter().map(line), 2);
    Some(Section::new("gates", "Gates").short("GATES").with([Block::List(list)]))
}

fn method(found: &RunComparison) -> Vec<Section> {
    let section = |id, text: String| {
        Section::new(id, "How to read it")
            .short("METHOD")
            .with([Block::Paragraph(Inline::of(Style::Faint, text), 2)])
    };
    let mut sections = Vec::new();
    if found.against.iter().any(|against| against.observed.is_some()) {
        sections.push(section("observed-method", compared_servers::METHOD.to_string()));
    }
    if found.against.iter().all(Against::only_observed) {
        return sections;
    }
    let promise = match found.correction {
        Correction::Holm => "(Holm), 5 % in all",
        Correction::BenjaminiHochberg => {
            "(Benjamini and Hochberg): of the words given 5 % are wrong on average"
        }
    };
    let mut text = format!(
        "better, worse: {} on logarithms, corrected for the number of measurements {promise}. equivalent: within \
         ±{}, two one-sided tests, corrected likewise. unresolved: neither. Windows of one run are one run. The word is of the metric in its row alone.",
        if found.paired { "Student's t of pairs of runs" } else { "Welch's t of runs" },
        print::percent(found.margin)
    );
    if let Some(look) = found.look {
        let level = level_of_look(SIGNIFICANCE, look);
        text += &format!(
            " Result {look} of this experiment, tested at {}: what is left of the 5 % is for results after more pairs.",
            print::percent(level)
        );
    }
    sections.push(section("method", text));
    sections
}
