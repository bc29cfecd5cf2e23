//! The commit log: in short, its ladder, its sessions, several of them on one device, and whether it survives the power.

use narrows_model::{Durability, DurabilityWord, Leaning, Role, Validity};
use narrows_units::significant;

use super::{figure, invalid, leading, name, ns, remark, strong};
use crate::calibration::exact_time;
use crate::chart::log as charts;
use crate::document::{
    At, Block, Cell, Column, Depth, Entry, Facts, Inline, Remarks, Row, Section, Style, Table,
};
use crate::log::{CommitsRow, StepFigures, StepRow, Streams, StreamsRow, signed};
use crate::print::{count, percent, rate};
use crate::report::Report;

/// What a reader takes home.
pub(crate) fn short(report: &Report) -> Option<Section> {
    if report.short.is_empty() {
        return None;
    }
    let section = if report.ladder.is_empty() && report.commits.is_empty() {
        Section::new("commit", "WAL streams on one device")
    } else {
        Section::new("commit", "What a commit costs").short("A commit")
    };
    let entries = report.short.iter().enumerate().map(|(i, fact)| {
        let style = if i == 0 { Style::Strong } else { Style::Plain };
        Entry { text: fact.text.clone().all(style), ..fact.clone() }
    });
    let facts = Facts { entries: entries.collect(), labels: Style::Faint, at: (2, 10) };
    Some(section.with([Block::Facts(facts)]))
}

/// The steps from the device's flush to the database's commit.
pub(crate) fn ladder(report: &Report) -> Option<Section> {
    if report.ladder.is_empty() {
        return None;
    }
    let beside = report.ladder.iter().any(|row| row.beside.is_some());
    let adds = || Column::deep("adds", Depth::Text);
    let alone = |head: &str, end| Column::figure(head, end).in_group("alone");
    let mut columns = vec![
        Column::name("step", 2),
        alone("p50", 45),
        adds(),
        alone("p99", 55),
        adds(),
        alone("p99.9", 64),
    ];
    if beside {
        let beside = |head: &str, end| Column::figure(head, end).in_group("beside data files");
        columns.extend([beside("p50", 75), beside("p99", 85), beside("p99.9", 94)]);
    }
    let mut table = Table::new(columns).remarked("remark", Remarks::Below(4));
    table.rows = report.ladder.iter().map(|row| step(row, beside)).collect();
    let mut blocks = vec![Block::explanation(
        "One durable write after another by one thread, from the device's flush to the database's commit; all steps take turns in each repeat. What a step adds is the difference to the one below it in the same repeat. The idle flush has nothing of narrows to write: what the medium takes for the data itself is in the write above it.",
    )];
    if report.ladder.iter().any(|row| row.tier.is_some()) {
        blocks.push(Block::explanation(
            "With the tier: the same write and fdatasync in the folder with the log tier in front, in the same repeats. × is the time without the tier over the time with it, repeat by repeat. Of several writers at once, each in a file of its own, the times are those of one.",
        ));
    }
    blocks.extend(charts::ladder(&report.ladder));
    blocks.push(Block::Table(table));
    Some(Section::new("ladder", "The ladder").short("Ladder").with(blocks))
}

fn step(row: &StepRow, beside: bool) -> Row {
    let both = [row.alone.as_ref(), row.beside.as_ref()];
    let suspect = both.into_iter().flatten().any(|f| f.validity == Validity::Suspect);
    let mut cells = vec![Cell { suspect, ..Cell::from(row.name.as_str()) }];
    let added = |ns: Option<f64>| Cell::from(ns.map_or_else(String::new, signed));
    let none = || [Cell::from("-"), "".into(), "".into()];
    let figures = |f: Option<&StepFigures>| match f {
        None => none(),
        Some(f) if f.validity == Validity::Invalid => [invalid(), "".into(), "".into()],
        Some(f) => [strong(ns(f.p50_ns)), ns(f.p99_ns), ns(f.p999_ns)],
    };
    let [p50, p99, p999] = figures(row.alone.as_ref());
    let of = |pick: fn(&StepFigures) -> Option<f64>| added(row.alone.as_ref().and_then(pick));
    cells.extend([p50, of(|f| f.added_p50_ns), p99, of(|f| f.added_p99_ns), p999]);
    if beside {
        cells.extend(figures(row.beside.as_ref()));
    }
    Row::Cells(cells, remark(Style::Faint, &row.remark, &row.notes))
}

/// How the latencies of each step are distributed.
pub(crate) fn distributions(report: &Report) -> Option<Section> {
    let figures = charts::spreads(report);
    let how = "Share of the operations in each step of 9 %, both scales logarithmic: filled alone, the line beside data files. A dashed line marks a second peak.";
    let section = Section::new("distributions", "How latencies are distributed").from(Depth::Page);
    let some = !figures.is_empty();
    some.then(|| section.with([Block::explanation(how), Block::Figures(figures)]))
}

/// Sessions that share flushes.
pub(crate) fn commits(report: &Report) -> Option<Section> {
    let section = Section::new("sessions", "Sessions that share flushes").short("Sessions");
    let mut blocks = vec![Block::explanation(
        "Sessions that queue during a flush share the next one. The whole wait is Oracle's log file sync, the write with its flush log file parallel write.",
    )];
    blocks.extend(charts::sessions(&report.commits, &report.sharing));
    if report.commits.is_empty() {
        let drawn = Section { depth: Depth::Page, ..section.with(blocks) };
        return (!report.sharing.is_empty()).then_some(drawn);
    }
    let columns = vec![
        Column::figure("sessions", 8).under_title(),
        Column::figure("rate", 22),
        Column::figure("per write", 36),
        Column::figure("wait mean", 48),
        Column::figure("p99", 59),
        Column::figure("write, flush", 74),
        Column::figure("wake-up", 86),
        Column::figure("by the law", 98),
    ];
    let mut table = Table::new(columns).remarked("", Remarks::Below(4));
    let row = |row: &CommitsRow| {
        let mut cells = vec![name(count(row.sessions), row.validity)];
        cells.push(leading(row.validity, row.rate_per_s, rate));
        if row.validity != Validity::Invalid {
            cells.extend([
                figure(row.commits_per_flush, count),
                ns(row.sync_ns),
                ns(row.sync_p99_ns),
                ns(row.write_ns),
                figure(row.wake_up_share, percent),
                ns(row.model_ns),
            ]);
        }
        Row::Cells(cells, remark(Style::Faint, "", &row.notes))
    };
    table.rows = report.commits.iter().map(row).collect();
    blocks.push(Block::Table(table));
    Some(section.with(blocks))
}

/// Several WAL streams on one device.
pub(crate) fn streams(report: &Report) -> Option<Section> {
    let streams = report.streams.as_ref()?;
    let columns = vec![
        Column::figure("logs", 8).under_title(),
        Column::figure("bytes", 21),
        Column::figure("writes", 31),
        Column::figure("p50 wait", 43),
        Column::figure(format!("{} wait", streams.tail()), 56),
        Column::figure(format!("over {}", exact_time(streams.target_ns)), 70),
        Column::figure("write, flush", 86),
        Column::figure("to alone", 99),
    ];
    let mut table = Table::new(columns).remarked("", Remarks::Below(4));
    table.rows = streams.rows.iter().map(|row| stream(report, streams, row)).collect();
    let mut blocks =
        vec![Block::explanation("Each has its own file, its own writer and its own schedule.")];
    blocks.extend(charts::streams(streams));
    blocks.push(Block::Table(table));
    let title = "Several WAL streams on one device";
    Some(Section::new("streams", title).short("Streams").with(blocks))
}

fn stream(report: &Report, streams: &Streams, row: &StreamsRow) -> Row {
    let mut cells = vec![name(count(row.streams), row.validity)];
    if row.validity == Validity::Invalid {
        cells.push(invalid());
    } else {
        cells.extend([
            figure(row.bandwidth_bytes_per_s, |bytes| report.units.bytes_per_s(bytes)),
            figure(row.writes_per_s, rate),
            ns(row.wait_p50_ns),
            strong(ns(row.tail_ns(streams))),
            figure(row.over_share, percent),
            ns(row.write_ns),
            figure(row.to_alone, |ratio| format!("× {}", significant(ratio, 3))),
        ]);
    }
    Row::Cells(cells, remark(Style::Faint, "", &row.notes))
}

/// Whether what is acknowledged survives the power. All that it rests on stands on the screen where the log alone was looked at.
pub(crate) fn durability(report: &Report) -> Option<Section> {
    if report.run.durability.is_empty() {
        return None;
    }
    let depth = if report.ladder.is_empty() { Depth::Text } else { Depth::Screen };
    let section = of_roles(&report.run.durability, depth);
    // Each place says it in its own row.
    Some(if report.run.comparison.is_some() { section.from(Depth::Text) } else { section })
}

/// `depth` is that of the evidence.
fn of_roles(roles: &[Durability], depth: Depth) -> Section {
    let mut blocks = Vec::new();
    for known in roles {
        let style = match known.word {
            DurabilityWord::Shown => Style::Strong,
            DurabilityWord::NotShown => Style::Careful,
            DurabilityWord::Refuted => Style::Bad,
        };
        let what = match known.role {
            Role::Wal => "WAL ",
            Role::Data => "data ",
        };
        let said = Inline::of(Style::Plain, what)
            .put(style, known.word.words())
            .put(Style::Plain, format!(": {}", known.sentence));
        blocks.push(Block::Paragraph(said, 3));
        let rows = known.evidence.iter().map(|item| {
            let (word, style) = match item.leaning {
                Leaning::For => ("for it", Style::Plain),
                Leaning::Against => ("against it", Style::Careful),
                Leaning::Open => ("open", Style::Faint),
            };
            let cells = vec![Inline::of(Style::Faint, word).into(), item.about.as_str().into()];
            Row::Cells(cells, vec![Inline::of(style, item.sentence.as_str())])
        });
        let mut table = Table::new(vec![
            Column::name("speaks", 3),
            Column::words("about", At::Left(15)).under_title(),
        ])
        .remarked("what is known", Remarks::Beside(29));
        table.screen.bare = 29;
        table.rows = rows.collect();
        if !table.rows.is_empty() {
            blocks.push(Block::From(depth, vec![Block::Table(table)]));
        }
    }
    blocks.push(Block::explanation(
        "Shown and refuted need a power cut (narrows log crashtest). Flags, mount options and flush times never prove durability.",
    ));
    Section::new("durability", "Durability").with(blocks)
}

#[cfg(test)]
mod tests {
    use narrows_model::DurabilityEvidence;

    use super::*;
    use crate::document::Document;
    use crate::render::{Screen, TEXT, render};

    #[test]
    fn the_word_stands_first_and_every_line_fits() {
        let item = |leaning| DurabilityEvidence {
            about: "nvme0n1".to_string(),
            leaning,
            sentence: "says something that takes more than one line ".repeat(4),
        };
        let known = [Durability {
            role: Role::Wal,
            word: DurabilityWord::NotShown,
            sentence: "not tested, no warning signs".to_string(),
            evidence: [Leaning::For, Leaning::Against, Leaning::Open].map(item).to_vec(),
        }];
        let text = |depth| {
            let document = Document::of([of_roles(&known, depth)]);
            render(&document, &TEXT, Screen::PLAIN)
        };
        let first = "DURABILITY  WAL not proven: not tested, no warning signs\n";
        assert_eq!(text(Depth::Text), first);
        let all = text(Depth::Screen);
        assert!(all.starts_with(first) && all.lines().all(|line| line.chars().count() <= 100));
        for word in ["for it", "against it", "open"] {
            assert!(all.lines().any(|line| line.trim_start().starts_with(word)), "{all}");
        }
    }
}
