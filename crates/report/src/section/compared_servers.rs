//! Two observations of a running server beside each other: what became of the cause named first, what a transaction takes, what was promised and
//! what came, statements, and whether they can be compared at all.

use narrows_compare::observed::{
    BoundOutcome, CauseChange, CauseFate, Changed, LoadKind, Matched, ObservedComparison,
    ObservedFigure, ObservedSide, Promise, PromisedOf, ShareOf, StatementChange, StatementSide,
};
use narrows_compare::{Against, ConditionDifference, SideFacts};
use narrows_model::Unit;
use narrows_units::significant;

use crate::chart::over_time::{self, Stack};
use crate::document::{
    At, Block, Column, Depth, Entry, Facts, Figure, Inline, List, Remarks, Row, Section, Style,
    Table,
};
use crate::print::{self, Units, percent, rate, time};
use crate::words;

/// Where there are more, the rest is in forms with more room.
const STATEMENTS: usize = 5;
const CAUSES: usize = 6;
const SETTINGS: usize = 6;
/// Letters of a statement's text on a screen.
const TEXT: usize = 100;

/// All of it.
pub(super) fn sections(
    base: &SideFacts,
    against: &Against,
    looks: &ObservedComparison,
    units: Units,
) -> Vec<Section> {
    let names = [base.name.as_str(), against.name.as_str()];
    let result = result(names, looks, units);
    let all = [
        Some(result),
        pictures(names, looks),
        causes(names, looks),
        Some(transaction(names, looks, units)),
        statements(looks),
        Some(comparable(looks)),
    ];
    all.into_iter().flatten().collect()
}

/// What is said of the observations is not said again among the conditions.
pub(super) fn other_conditions(all: &[ConditionDifference]) -> Vec<ConditionDifference> {
    let said = |what: &str| {
        what.starts_with("server setting ") || ["server version", "interval s"].contains(&what)
    };
    all.iter().filter(|condition| !said(&condition.what)).cloned().collect()
}

/// The answer in a few sentences.
fn result(names: [&str; 2], looks: &ObservedComparison, units: Units) -> Section {
    let mut items: Vec<Inline> = weak(names, looks);
    items.extend(first_causes(looks));
    for name in [ObservedFigure::RATE, ObservedFigure::TIME] {
        let figure = looks.figures.iter().find(|figure| figure.name == name);
        items.extend(figure.map(|figure| Inline::from(said(figure, units))));
    }
    items.extend(looks.promise.as_ref().map(promised));
    items.extend(other_setup(looks).into_iter().map(|words| Inline::of(Style::Careful, words)));
    items.extend(other_load(looks.load.kind).map(|words| Inline::of(Style::Careful, words)));
    let title = format!("{} against {}", names[1], names[0]);
    Section::new("result", title).short("RESULT").leading().with([Block::List(List::new(items, 2))])
}

/// What unknown, the intervals are too wide or missing.
fn weak(names: [&str; 2], looks: &ObservedComparison) -> Vec<Inline> {
    let each = |of: fn(&ObservedSide) -> &[String]| -> Vec<String> {
        let sides = names.into_iter().zip([&looks.base, &looks.other]);
        sides
            .flat_map(|(name, look)| of(look).iter().map(move |why| format!("{name}: {why}")))
            .collect()
    };
    let all = each(|look| &look.weak);
    if all.is_empty() {
        let doubts = each(|look| &look.doubts);
        return doubts.into_iter().map(|doubt| Inline::of(Style::Careful, doubt)).collect();
    }
    let mut items = vec![Inline::of(
        Style::Strong,
        "Nothing is concluded: an observation has too little in it. Its figures are below, without a word.",
    )];
    items.extend(all.into_iter().map(|why| Inline::of(Style::Careful, why)));
    items
}

/// What became of the cause named first, and which is named first now.
fn first_causes(looks: &ObservedComparison) -> Vec<Inline> {
    let first = looks.causes.iter().find(|cause| cause.base_place == Some(1));
    let now = looks.causes.iter().find(|cause| cause.other_place == Some(1));
    let mut items = Vec::new();
    items.push(match first {
        None => Inline::from("No cause was named before."),
        Some(cause) => {
            let (style, word) = match cause.fate {
                CauseFate::Gone => (Style::Good, "Gone"),
                CauseFate::Stayed => (Style::Bad, "Still there"),
                CauseFate::NotSeen => {
                    (Style::Careful, "Not named now, but too little was observed")
                }
                CauseFate::New => (Style::Plain, "New"),
            };
            Inline::of(style, word).put(
                Style::Plain,
                format!(": {} ({}, named first before)", cause.summary, cause.id),
            )
        }
    });
    match now {
        Some(cause) if cause.base_place != Some(1) => {
            let since = if cause.fate == CauseFate::New { ", new" } else { "" };
            items.push(Inline::from(format!(
                "Named first now: {} ({}{since})",
                cause.summary, cause.id
            )));
        }
        None if first.is_some() && looks.other.is_strong() => {
            items.push(Inline::from("No cause is named now."));
        }
        _ => {}
    }
    items
}

/// `Transactions per second: 212 → 2410, × 11.4 (× 10.2 to × 12.6)`.
fn said(figure: &ObservedFigure, units: Units) -> String {
    let value = |value: f64| value_of(figure, value, units);
    let change = change(figure);
    let interval = range(figure).map_or(String::new(), |range| format!(" ({range})"));
    let word = match figure.changed {
        Changed::Same => ": the same",
        Changed::Unknown => ": no change shown",
        Changed::Up | Changed::Down => "",
    };
    format!(
        "{}: {} → {}, {change}{interval}{word}",
        words::capital(&figure.name),
        value(figure.base),
        value(figure.other)
    )
}

fn value_of(figure: &ObservedFigure, value: f64, units: Units) -> String {
    match figure.unit {
        Unit::OpsPerS => rate(value),
        Unit::NsPerOp => time(value),
        Unit::Count | Unit::CountPerOp => significant(value, 3),
        unit => units.quantity(value, unit),
    }
}

/// `+12 %`; from threefold on as a factor.
fn ratio_of(ratio: f64, as_factor: bool) -> String {
    if as_factor { format!("× {}", significant(ratio, 3)) } else { print::change(ratio - 1.0) }
}

/// Whether a change is told as a factor: percent of more than threefold are hard to read.
fn as_factor(figure: &ObservedFigure) -> bool {
    figure.ratio.is_some_and(|ratio| ratio >= 3.0)
}

fn change(figure: &ObservedFigure) -> String {
    figure.ratio.map_or("-".to_string(), |ratio| ratio_of(ratio, as_factor(figure)))
}

fn range(figure: &ObservedFigure) -> Option<String> {
    let ends = figure.ratio_95.as_ref().map(|i| [i.low, i.high])?;
    let [low, high] = ends.map(|ratio| ratio_of(ratio, as_factor(figure)));
    Some(format!("{low} to {high}"))
}

/// `Promised: at most 4.1 times the transactions per second. Came: 3.6 times (3.3 to 3.9): within the bound.`
fn promised(promise: &Promise) -> Inline {
    let times = |factor: f64| significant(factor, 2);
    let what = match promise.of {
        PromisedOf::Rate => {
            format!("at most {} times the transactions per second", times(promise.at_most))
        }
        PromisedOf::Time => {
            format!("a transaction's time at most {} times as short", times(promise.at_most))
        }
        PromisedOf::Cpu => {
            format!("CPU time per transaction at most {} times as short", times(promise.at_most))
        }
    };
    let came = promise.came.map_or("unknown".to_string(), |came| {
        let interval = promise
            .came_95
            .map_or(String::new(), |i| format!(" ({} to {})", times(i.low), times(i.high)));
        format!("{} times{interval}", times(came))
    });
    let (style, word) = match promise.outcome {
        BoundOutcome::Within => (Style::Good, "within the bound".to_string()),
        BoundOutcome::Exceeded => (
            Style::Careful,
            "more than the bound: something else changed too, or it had slowed other statements as well, which the bound does not count"
                .to_string(),
        ),
        BoundOutcome::NoGain => (Style::Careful, "no gain".to_string()),
        BoundOutcome::Worse => (Style::Bad, "worse than before".to_string()),
        BoundOutcome::Unknown => {
            (Style::Careful, "unknown, the intervals are too wide or missing".to_string())
        }
    };
    let stays = match promise.fate {
        CauseFate::Stayed => "; the cause is still named",
        _ => "",
    };
    Inline::from(format!("Promised of that cause: {what}. Came: {came}: "))
        .put(style, word)
        .put(Style::Plain, stays)
}

/// Sessions over time of both, as high as each other: of pages only.
fn pictures(names: [&str; 2], looks: &ObservedComparison) -> Option<Section> {
    let stacks =
        [&looks.base, &looks.other].map(|look| Stack::of_states(&look.history, look.interval_ns));
    let highest = stacks.iter().map(Stack::height).fold(0.0, f64::max);
    let figure = |(name, stack): (&str, Stack)| {
        let stack = Stack { highest, ..stack };
        let caption = format!("{name}: active sessions by what they were doing");
        Some(Figure::new(caption, "stacked, mean of each slice", over_time::small(&stack)?))
    };
    let mut figures: Vec<Figure> = names.into_iter().zip(stacks).filter_map(figure).collect();
    let first = figures.first_mut()?;
    first.wide = true;
    let legend = over_time::legend();
    let section = Section::new("pictures", "Sessions over time").from(Depth::Page);
    Some(section.with([Block::Figures(figures), Block::List(legend)]))
}

fn causes(names: [&str; 2], looks: &ObservedComparison) -> Option<Section> {
    if looks.causes.is_empty() {
        return None;
    }
    let mut table = Table::new(vec![
        Column::name("", 2),
        Column::figure(names[0], 26),
        Column::figure(names[1], 38),
        Column::words("cause", At::Wrapped(40, usize::MAX)),
    ]);
    table.rows = looks.causes.iter().map(cause).collect();
    let section = Section::new("causes", "Causes then and now").short("CAUSES");
    Some(section.with(of_depths(&table, CAUSES, "causes")))
}

fn cause(cause: &CauseChange) -> Row {
    let (style, word) = match cause.fate {
        CauseFate::Gone => (Style::Good, "gone"),
        CauseFate::Stayed => (Style::Bad, "stayed"),
        CauseFate::New => (Style::Careful, "new"),
        CauseFate::NotSeen => (Style::Faint, "not seen"),
    };
    let place = |place: Option<usize>, share: Option<(_, f64)>| match (place, share) {
        (None, _) => "-".to_string(),
        (Some(place), None) => format!("no. {place}"),
        (Some(place), Some((_, share))) => format!("no. {place}, {}", percent(share)),
    };
    let [before, after] = cause.shares;
    let cells = vec![
        Inline::of(style, word).into(),
        place(cause.base_place, before).into(),
        place(cause.other_place, after).into(),
        Inline::from(cause.summary.clone()).put(Style::Faint, format!("  {}", cause.id)).into(),
    ];
    Row::Cells(cells, Vec::new())
}

/// The first rows on a screen, with how many more there are, and all of them where there is room.
fn of_depths(all: &Table, on_a_screen: usize, what: &str) -> Vec<Block> {
    let more = all.rows.len().saturating_sub(on_a_screen);
    if more == 0 {
        return vec![Block::Table(all.clone())];
    }
    let mut short = all.clone();
    short.rows.truncate(on_a_screen);
    let more = format!("and {more} more {what}: --format markdown or html has all");
    vec![
        Block::Until(Depth::Explained, vec![Block::Table(short), Block::Paragraph(more.into(), 2)]),
        Block::From(Depth::Text, vec![Block::Table(all.clone())]),
    ]
}

/// What a transaction takes.
fn transaction(names: [&str; 2], looks: &ObservedComparison, units: Units) -> Section {
    let mut table = Table::new(vec![
        Column::name("", 2),
        Column::figure(names[0], 46),
        Column::figure(names[1], 58),
        Column::figure("change", 68),
        Column::words("", At::Left(70)),
        Column::words("95 %", At::Left(79)),
    ]);
    let row = |figure: &ObservedFigure| {
        let style = match figure.changed {
            Changed::Up | Changed::Down => Style::Strong,
            Changed::Same => Style::Plain,
            Changed::Unknown => Style::Faint,
        };
        let cells = vec![
            figure.name.clone().into(),
            value_of(figure, figure.base, units).into(),
            value_of(figure, figure.other, units).into(),
            Inline::of(style, change(figure)).into(),
            Inline::of(style, figure.changed.word()).into(),
            range(figure).unwrap_or_default().into(),
        ];
        Row::Cells(cells, Vec::new())
    };
    table.rows = looks.figures.iter().map(row).collect();
    if !looks.parts.is_empty() {
        table.rows.push(Row::Heading("where a transaction's time goes".to_string()));
        table.rows.extend(looks.parts.iter().map(row));
    }
    let section = Section::new("transaction", "What a transaction takes").short("A TRANSACTION");
    if table.rows.is_empty() {
        return section.with([Block::paragraph("no figure is known in both observations")]);
    }
    section.with([Block::Table(table)])
}

fn statements(looks: &ObservedComparison) -> Option<Section> {
    let changes = &looks.statements;
    if changes.list.is_empty() {
        return None;
    }
    let share = match changes.share_of {
        ShareOf::SessionTime => "session time",
        ShareOf::StatementTime => "statement time",
    };
    let columns = vec![
        Column::name("", 2),
        Column::figure(share, 32),
        Column::figure("time per call", 55),
        Column::figure("blocks per call", 76),
        Column::figure("calls/s", 96),
    ];
    let mut table = Table::new(columns).remarked("", Remarks::Below(4));
    table.screen.longest_name = 14;
    table.rows = changes.list.iter().map(statement).collect();
    let table = table.without_unknown();
    let section =
        Section::new("statements", "Statements, the largest change first").short("STATEMENTS");
    let mut blocks = of_depths(&table, STATEMENTS, "statements");
    let how = match (changes.counted, changes.lacks.as_str()) {
        (true, _) => String::new(),
        (false, lacks) => format!("By samples of active sessions alone: {lacks}."),
    };
    if !how.is_empty() {
        blocks.push(Block::Paragraph(Inline::of(Style::Faint, how), 2));
    }
    Some(section.with(blocks))
}

fn statement(change: &StatementChange) -> Row {
    let text = match &change.text {
        Some(text) => Inline::of(Style::Code, shortened(text)),
        None => Inline::from(format!("statement {}", change.id)),
    };
    let both = |of: &dyn Fn(&StatementSide) -> Option<String>| {
        let one = |side: &Option<StatementSide>| side.as_ref().and_then(of);
        match (one(&change.base), one(&change.other)) {
            (None, None) => "-".to_string(),
            (a, b) => {
                let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_string());
                format!("{} → {}", shown(a), shown(b))
            }
        }
    };
    let cells = vec![
        text.into(),
        Inline::of(Style::Strong, both(&|side| Some(percent(side.share)))).into(),
        both(&|side| side.time_per_call_ns.map(time)).into(),
        both(&|side| side.blocks_per_call.map(|n| significant(n, 3))).into(),
        both(&|side| side.calls_per_s.map(rate)).into(),
    ];
    let remark = match (change.matched, change.base.is_some()) {
        (Matched::Id, _) => None,
        (Matched::Text, _) => Some("the same by its text; its query_id is another one"),
        (Matched::Alone, true) => Some("not listed in the second observation"),
        (Matched::Alone, false) => Some("not listed in the first observation"),
    };
    Row::Cells(cells, remark.map(Inline::from).into_iter().collect())
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        Some((at, _)) => format!("{} …", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// Whether the looks can be compared, and what differs.
fn comparable(looks: &ObservedComparison) -> Section {
    let (base, other) = (&looks.base, &looks.other);
    let two =
        |a: String, b: String| if a == b { format!("both {a}") } else { format!("{a}, then {b}") };
    let samples = format!("{}, then {} samples of sessions", base.samples, other.samples);
    let lengths = two(time(base.interval_ns), time(other.interval_ns));
    let windows = two(
        words::counted(base.windows as usize, "window"),
        words::counted(other.windows as usize, "window"),
    );
    let mut looked = format!("{lengths}; {windows}; {samples}");
    if base.of_runs.max(other.of_runs) > 1 {
        looked += &format!("; the last of {} and of {} runs", base.of_runs, other.of_runs);
    }
    let (settings, others): (Vec<_>, Vec<_>) =
        looks.differences.iter().partition(|difference| difference.setting);
    let differs = others.iter().map(|d| match d.what.as_str() {
        "server" => format!("{} → {}", d.base, d.other),
        what => format!("{what} {} → {}", d.base, d.other),
    });
    let differs: Vec<String> = differs.collect();
    let server = match differs.as_slice() {
        [] => Inline::from(format!("the same: {}", other.address)),
        all => Inline::of(Style::Careful, all.join("; ")),
    };
    let changed: Vec<String> =
        settings.iter().map(|d| format!("{} {} → {}", d.what, d.base, d.other)).collect();
    let listed = |shown: &[String], more: usize| match (shown, more) {
        ([], _) => Inline::from("none changed"),
        (shown, 0) => Inline::of(Style::Careful, shown.join("; ")),
        (shown, more) => Inline::of(Style::Careful, shown.join("; "))
            .put(Style::Plain, format!("; and {more} more")),
    };
    let short = &changed[..changed.len().min(SETTINGS)];
    let entries = |settings: Inline| {
        vec![
            Entry::new("observed", looked.clone()),
            Entry::new("server", server.clone()),
            Entry::new("load", words::capital(&load(looks))),
            Entry::new("settings", settings),
        ]
    };
    let facts =
        |entries: Vec<Entry>| Block::Facts(Facts { entries, labels: Style::Plain, at: (2, 12) });
    let section = Section::new("comparable", "Can they be compared").short("COMPARABLE");
    section.with([
        Block::Until(
            Depth::Explained,
            vec![facts(entries(listed(short, changed.len() - short.len())))],
        ),
        Block::From(Depth::Text, vec![facts(entries(listed(&changed, 0)))]),
    ])
}

/// What else changed, in the result.
fn other_setup(looks: &ObservedComparison) -> Vec<String> {
    let (settings, others): (Vec<_>, Vec<_>) =
        looks.differences.iter().partition(|difference| difference.setting);
    let others: Vec<&str> = others.iter().map(|difference| difference.what.as_str()).collect();
    let differ = (!others.is_empty())
        .then(|| format!("The observations differ in {}: see COMPARABLE.", others.join(", ")));
    let changed = match settings.len() {
        0 => None,
        1 => Some(
            "A setting changed between the observations, and what came is of both: see COMPARABLE."
                .to_string(),
        ),
        n => Some(format!(
            "{n} settings changed between the observations, and what came is of all of it: see COMPARABLE."
        )),
    };
    differ.into_iter().chain(changed).collect()
}

/// Of a load that is not the same, in the result.
fn other_load(kind: LoadKind) -> Option<&'static str> {
    match kind {
        LoadKind::ClosedLoop => None,
        LoadKind::SameRate => Some(
            "The clients choose the rate, and chose the same: time and CPU time of a transaction tell what changed.",
        ),
        LoadKind::OtherRate => Some(
            "The rate is another, and the clients choose it: time and CPU time of a transaction tell what changed, see COMPARABLE.",
        ),
        LoadKind::OtherStatements => Some(
            "The observations saw other statements: figures per transaction are of other transactions, and a cause may come back with its statement.",
        ),
        LoadKind::Unknown => Some("Whether the load is the same is unknown, see COMPARABLE."),
    }
}

/// What the loads are to each other.
fn load(looks: &ObservedComparison) -> String {
    let load = &looks.load;
    let both = |values: [Option<f64>; 2], shown: &dyn Fn(f64) -> String| match values {
        [Some(a), Some(b)] if shown(a) == shown(b) => format!("{} both times", shown(a)),
        [Some(a), Some(b)] => format!("{}, then {}", shown(a), shown(b)),
        _ => "unknown".to_string(),
    };
    let sessions = both(load.sessions, &|n| significant(n, 2));
    let rates = both(load.rates, &rate);
    let between = both(load.between_ns, &|ns| match ns {
        ns if ns < 1e3 => "under 1 µs".to_string(),
        ns => time(ns),
    });
    let mix = load.mix_distance.map_or("unknown".to_string(), |distance| match distance {
        distance if distance < 0.01 => "the same".to_string(),
        distance => format!("{} of them of other statements", percent(distance)),
    });
    let kind = match load.kind {
        LoadKind::ClosedLoop => "sessions ask again as soon as before: the rate tells what changed",
        LoadKind::SameRate => "the same rate, which the clients choose",
        LoadKind::OtherRate => "another rate, which the clients choose",
        LoadKind::OtherStatements => "other statements",
        LoadKind::Unknown => "unknown whether it is the same",
    };
    format!(
        "{kind}. Sessions that took part: {sessions}; their clients' time between transactions: {between}; transactions: {rates}; mix of executions: {mix}"
    )
}

/// How to read it.
pub(super) const METHOD: &str = "up, down: the 95 % interval of the ratio, from those over the windows of each observation, excludes 1; same: it lies within a tenth; unknown: \
     neither. Each row by itself. Windows show how the time observed varied, not how hours differ: where it matters, observe again at another time.";
