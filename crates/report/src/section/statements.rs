//! Which statements sessions were in over time, and what they waited for there: the history of a server that was looked at, by wait and
//! by statement, and both held against each other.

use narrows_model::{
    ActivityState, Consumers, Observation, SampledConsumers, StatementGroup, StatementHistory,
    StatementMoment, StatementSamples,
};
use narrows_units::significant;

use crate::chart::over_time::{self, Heights, Layer, STACK, Stack};
use crate::chart::{swatch, swatch_of};
use crate::document::{At, Block, Column, Inline, Row, Style, Table};
use crate::print::{count, percent};

/// Letters of a statement's text beside its fill.
const TEXT: usize = 160;
/// Fills of the statements, in their order.
const FILLS: [&str; StatementHistory::LISTED] = ["f0", "f1", "f2", "f3", "f5"];
const OTHERS: &str = "f6";
const UNKNOWN: &str = "f8";

/// A statement, or what stands for several.
struct Taker {
    statement: StatementGroup,
    fill: &'static str,
    /// `1`, where it has one.
    number: String,
    text: Inline,
}

/// The views of the history beside that by wait, each with its label, and what behind all of them is held against each other.
pub(super) struct StatementViews {
    pub(super) views: Vec<(String, Vec<Block>)>,
    pub(super) table: Vec<Block>,
}

/// `None` where nobody asked which statements sessions were in, or nobody was in one.
pub(super) fn views(seen: &Observation) -> Option<StatementViews> {
    let consumers = seen.consumers.as_ref()?;
    let sampled = consumers.sampled.as_ref()?;
    let history = sampled.history.as_ref()?;
    let takers = takers(consumers, history);
    if history.times(at_work) == 0 || takers.is_empty() {
        return None;
    }
    let by_statement = by_statement(seen, history, &takers);
    let highest = by_statement.height();
    let of_one = takers.iter().filter_map(|taker| of_one(seen, history, taker, highest));
    let all = over_time::stacked(&by_statement, None).map(|pictures| {
        let caption = "active sessions and their parallel workers by statement";
        let figure = Block::figure(caption, "stacked, mean of each slice", pictures);
        ("by statement".to_string(), vec![figure, Block::Table(legend(&takers, history))])
    });
    Some(StatementViews {
        views: all.into_iter().chain(of_one).collect(),
        table: table(sampled, history, &takers),
    })
}

/// Slices with a place, and in which somebody asked.
fn drawable(history: &StatementHistory) -> impl Iterator<Item = &StatementMoment> {
    history.moments.iter().filter(|moment| moment.samples > 0 && moment.at_ns.is_finite())
}

fn at_work(found: &StatementSamples) -> bool {
    found.state.is_at_work()
}

/// Those in which somebody was found.
fn takers(consumers: &Consumers, history: &StatementHistory) -> Vec<Taker> {
    let listed = (0_u32..).zip(&history.statements).zip(FILLS).map(|((at, id), fill)| {
        let text = match consumers.text(id) {
            Some(text) => Inline::of(Style::Code, shortened(text)),
            None => Inline::from(format!("statement {id}")),
        };
        Taker { statement: StatementGroup::Listed(at), fill, number: format!("{}", at + 1), text }
    });
    let rest = [
        (StatementGroup::Others, OTHERS, "all others"),
        (StatementGroup::Unknown, UNKNOWN, "no statement known"),
    ];
    let rest = rest.map(|(statement, fill, words)| Taker {
        statement,
        fill,
        number: String::new(),
        text: words.into(),
    });
    let met = |taker: &Taker| history.times(|f| f.statement == taker.statement && at_work(f)) > 0;
    listed.chain(rest).filter(met).collect()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{} …", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// Statements upon each other, and who is idle in transaction on top, as in the picture by wait.
fn by_statement(seen: &Observation, history: &StatementHistory, takers: &[Taker]) -> Stack {
    let layer = |taker: &Taker| Layer { fill: taker.fill, words: taker.text.text() };
    let idle = over_time::of_layer(ActivityState::IdleInTransaction);
    let slices = drawable(history).map(|moment| {
        let of = takers
            .iter()
            .map(|taker| moment.mean(|f| f.statement == taker.statement && at_work(f)));
        let idle = moment.mean(|found| !at_work(found));
        Heights { at_ns: moment.at_ns, of: of.chain([idle]).collect() }
    });
    Stack {
        layers: takers.iter().map(layer).chain([idle]).collect(),
        slices: slices.collect(),
        label: "sessions over time by statement",
        interval_ns: seen.interval_ns,
        highest: 0.0,
    }
}

/// One statement alone by what it waited for, as high as all of them together are.
fn of_one(
    seen: &Observation,
    history: &StatementHistory,
    taker: &Taker,
    highest: f64,
) -> Option<(String, Vec<Block>)> {
    let states: Vec<ActivityState> = STACK.into_iter().filter(|state| state.is_at_work()).collect();
    let slices = drawable(history).map(|moment| Heights {
        at_ns: moment.at_ns,
        of: states
            .iter()
            .map(|state| moment.mean(|f| f.statement == taker.statement && f.state == *state))
            .collect(),
    });
    let stack = Stack {
        layers: states.iter().map(|state| over_time::of_layer(*state)).collect(),
        slices: slices.collect(),
        label: "sessions in one statement over time by what they were doing",
        interval_ns: seen.interval_ns,
        highest,
    };
    let label = match taker.number.as_str() {
        "" => taker.text.text(),
        number => format!("statement {number}"),
    };
    let pictures = over_time::stacked(&stack, None)?;
    let figure =
        Block::figure(taker.text.clone(), "by what it waited for, mean of each slice", pictures);
    let times = |state: ActivityState| {
        history.times(|f| f.statement == taker.statement && f.state == state)
    };
    let all = history.times(|f| f.statement == taker.statement && at_work(f));
    let mut table = Table::new(vec![
        Column::words("", At::Left(0)),
        Column::name("what it did", 2),
        Column::figure("share of it", 40),
        Column::figure("times found", 52),
    ]);
    let met = states.iter().rev().filter(|state| times(**state) > 0);
    table.rows = met
        .map(|state| {
            let cells = vec![
                Inline::default().picture(swatch_of(*state)).into(),
                state.words().into(),
                percent(times(*state) as f64 / all.max(1) as f64).into(),
                count(times(*state) as f64).into(),
            ];
            Row::Cells(cells, Vec::new())
        })
        .collect();
    Some((label, vec![figure, Block::Table(table)]))
}

/// What each fill of the picture by statement means.
fn legend(takers: &[Taker], history: &StatementHistory) -> Table {
    let mut table = Table::new(vec![
        Column::words("", At::Left(0)),
        Column::words("", At::Left(2)),
        Column::name("statement", 4),
        Column::figure("sessions", 40),
        Column::figure("of active", 52),
    ]);
    let samples: u64 = history.moments.iter().map(|moment| moment.samples).sum();
    let all = history.times(at_work);
    let row = |taker: &Taker| {
        let times = history.times(|f| f.statement == taker.statement && at_work(f));
        let cells = vec![
            Inline::default().picture(swatch(taker.fill)).into(),
            taker.number.clone().into(),
            taker.text.clone().into(),
            significant(times as f64 / samples.max(1) as f64, 3).into(),
            percent(times as f64 / all.max(1) as f64).into(),
        ];
        Row::Cells(cells, Vec::new())
    };
    // As they lie in the picture, the top first.
    table.rows = takers.iter().rev().map(row).collect();
    let idle = history.times(|found| !at_work(found));
    if idle > 0 {
        let state = ActivityState::IdleInTransaction;
        let cells = vec![
            Inline::default().picture(swatch_of(state)).into(),
            "".into(),
            state.words().into(),
            significant(idle as f64 / samples.max(1) as f64, 3).into(),
            "-".into(),
        ];
        table.rows.insert(0, Row::Cells(cells, Vec::new()));
    }
    table
}

/// Statements by waits: down a column the statements behind a wait, along a row the waits of a statement.
fn table(sampled: &SampledConsumers, history: &StatementHistory, takers: &[Taker]) -> Vec<Block> {
    let all = history.times(at_work);
    let met = |state: &ActivityState| {
        state.is_at_work() && history.times(|found| found.state == *state) > 0
    };
    let states: Vec<ActivityState> = ActivityState::ALL.into_iter().filter(met).collect();
    let mut columns = vec![
        Column::words("", At::Left(0)),
        Column::name("statement", 4),
        Column::figure("times found", 40),
        Column::figure("of active", 52),
    ];
    let wait = states.iter().map(|state| Column::figure(state.words(), 64));
    columns.extend(wait);
    let mut table = Table::new(columns);
    let cell = |times: u64| match times {
        0 => "-".to_string(),
        times => format!("{} ({})", percent(times as f64 / all as f64), count(times as f64)),
    };
    let row = |number: &str, text: Inline, of: &dyn Fn(&StatementSamples) -> bool| {
        let whole = history.times(|found| at_work(found) && of(found));
        let waits = states
            .iter()
            .map(|state| cell(history.times(|found| found.state == *state && of(found))).into());
        let head = [
            number.into(),
            text.into(),
            count(whole as f64).into(),
            percent(whole as f64 / all as f64).into(),
        ];
        Row::Cells(head.into_iter().chain(waits).collect(), Vec::new())
    };
    table.rows = takers
        .iter()
        .map(|taker| row(&taker.number, taker.text.clone(), &|f| f.statement == taker.statement))
        .collect();
    table.rows.push(row("", Inline::of(Style::Strong, "all"), &|_| true));
    let note = format!(
        "Down a column: the statements behind a wait. Along a row: the waits of a statement. Shares are of all times that a session or a parallel worker \
         was found in a statement, with the number of times in brackets: {} samples, {} different executions. \
         Every sample counts once here; WHO TAKES IT weighs each by the time that it stands for.",
        count(sampled.samples as f64),
        count(sampled.executions as f64)
    );
    vec![
        Block::Heading("Statements by waits".into()),
        Block::explanation(note),
        Block::Table(table),
    ]
}
