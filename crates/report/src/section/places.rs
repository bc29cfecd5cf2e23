//! Places for the log beside each other: what was predicted and measured of each, and the log tier as a feature that is off and on.

use narrows_model::{CommitFigure, Comparison, DurabilityWord, PlacedStep, Placement, Validity};

use super::{figure, invalid, name, ns, strong};
use crate::chart::log::places as chart;
use crate::document::{At, Block, Cell, Column, Inline, List, Remarks, Row, Section, Style, Table};
use crate::log::{held, measured_over_predicted, tiers};
use crate::print::{half_width, plus_minus, rate, size, time};
use crate::report::Report;

/// What each place gives.
pub(crate) fn places(report: &Report) -> Option<Section> {
    let comparison = report.run.comparison.as_ref()?;
    Some(of(comparison))
}

fn of(comparison: &Comparison) -> Section {
    let columns = vec![
        Column::name("place", 0),
        Column::figure("write, flush", 18),
        Column::figure("wait", 30),
        Column::figure("emulated", 43),
        Column::figure("predicted", 56),
        Column::figure("±95%", 63),
        Column::figure("measured", 76),
        Column::figure("±95%", 83),
        Column::figure("p99", 94),
        Column::words("", At::Right(100)),
    ];
    let mut table = Table::new(columns).remarked("durability, remark", Remarks::Below(4));
    table.screen.longest_name = 0;
    table.rows = comparison.placements.iter().map(|place| row(comparison, place)).collect();
    let sentences = comparison.sentences.iter().map(|text| Inline::from(text.as_str()));
    let mut blocks = vec![Block::Paragraph(work(comparison).into(), 2)];
    blocks.extend(chart::block(comparison));
    blocks.push(Block::Table(table));
    blocks.push(Block::List(List {
        lead: Default::default(),
        items: sentences.collect(),
        at: (0, 2),
    }));
    blocks.extend(tiers(comparison).into_iter().flat_map(|of| [Block::Gap, Block::Table(of)]));
    Section::new("places", "WAL locations").with(blocks)
}

/// `8 sessions; a commit takes 45 µs of CPU, 22 µs of its client, 248 B of log, and its wait`.
fn work(comparison: &Comparison) -> String {
    let sessions = format!("{} sessions", comparison.sessions);
    match &comparison.work {
        None => sessions,
        Some(work) => format!(
            "{sessions}; a commit takes {} of CPU, {} of its client's, {} of WAL",
            time(work.cpu_ns),
            time(work.client_cpu_ns),
            size(work.wal_bytes)
        ),
    }
}

fn row(comparison: &Comparison, place: &Placement) -> Row {
    let first = comparison.placements.first().is_some_and(|first| first.name == place.name);
    let named = Inline::of(Style::Strong, place.name.as_str())
        .put(Style::Plain, format!(" {}: {}", place.folder, place.file_system));
    let mut cells = vec![name(named, place.validity)];
    if place.validity == Validity::Invalid {
        cells.push(invalid());
    } else {
        cells.extend(figures(place, first));
    }
    let mut said = vec![durability(place)];
    let ladder = ladder(place);
    if !ladder.is_empty() {
        said.push(Inline::of(Style::Faint, ladder));
    }
    if let Some(ratio) = measured_over_predicted(place) {
        said.push(Inline::of(Style::Faint, format!("measured ÷ predicted {ratio}")));
    }
    said.extend(place.reason.as_ref().map(|why| Inline::of(Style::Careful, why.as_str())));
    Row::Cells(cells, said)
}

fn figures(place: &Placement, first: bool) -> [Cell; 9] {
    let emulated = place.emulated.as_ref();
    let measured = place.measured.as_ref();
    // Of the first place the emulation is all there is to predict.
    let predicted = place.predicted.filter(|_| !first);
    let per_s = |of: Option<CommitFigure>| figure(of.map(|of| of.rate_per_s), rate);
    let half = |of: Option<CommitFigure>| match of {
        None => Cell::default(),
        Some(of) => figure(half_width(of.interval_95.as_ref()), plus_minus),
    };
    let commits = measured.map(|measured| measured.commits);
    [
        ns(emulated.and_then(|e| e.parallel_write_ns)),
        ns(emulated.and_then(|e| e.log_file_sync_ns)),
        per_s(emulated.map(|e| e.commits)),
        strong(per_s(predicted)),
        half(predicted),
        strong(per_s(commits)),
        half(commits),
        measured.map_or_else(Cell::default, |measured| ns(measured.latency_p99_ns)),
        held(place).into(),
    ]
}

fn durability(place: &Placement) -> Inline {
    let (word, style) = match place.durability {
        _ if place.in_memory => ("not durable".to_string(), Style::Bad),
        DurabilityWord::NotShown if place.unseen.is_some() => {
            ("durability unknown".to_string(), Style::Careful)
        }
        DurabilityWord::Shown => ("durability shown".to_string(), Style::Strong),
        DurabilityWord::NotShown => ("durability not proven".to_string(), Style::Careful),
        DurabilityWord::Refuted => ("durability refuted".to_string(), Style::Bad),
    };
    // "not durable: not durable by construction" would say it twice.
    let sentence = &place.durability_sentence;
    let (between, why) = match sentence.strip_prefix("not durable ") {
        Some(why) if place.in_memory => (" ", why),
        _ => (": ", sentence.as_str()),
    };
    Inline::of(style, word).put(Style::Faint, format!("{between}{why}"))
}

/// `alone: 8 KiB fdatasync 139 µs at p50, 288 µs at p99; log writer …`.
fn ladder(place: &Placement) -> String {
    if place.validity == Validity::Invalid {
        return String::new();
    }
    let one = |step: &PlacedStep| {
        let name = match step.step.as_str() {
            "flush" => "the device's idle flush",
            "leader" => "WAL writer",
            _ => "8 KiB fdatasync",
        };
        let p99 = step.p99_ns.map_or_else(String::new, |ns| format!(", {} at p99", time(ns)));
        Some(format!("{name} {} at p50{p99}", time(step.p50_ns?)))
    };
    let steps: Vec<String> = place.ladder.iter().filter_map(one).collect();
    if steps.is_empty() { String::new() } else { format!("alone: {}", steps.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::render::{Screen, TEXT, render};
    use narrows_model::{CommitWork, Interval, IntervalMethod, PlacedDatabase, PlacedEmulation};

    fn screen(comparison: &Comparison) -> String {
        render(&Document::of([of(comparison)]), &TEXT, Screen::PLAIN)
    }

    fn figure(rate_per_s: f64) -> CommitFigure {
        let (low, high) = (rate_per_s * 0.95, rate_per_s * 1.05);
        let method = IntervalMethod::Propagated;
        CommitFigure { rate_per_s, interval_95: Some(Interval { low, high, method }) }
    }

    fn place(number: u32, rate: f64, ns: f64) -> Placement {
        let name = format!("wal_{number}");
        Placement {
            folder: format!("/srv/a/folder/with/a/long/name/{number}"),
            file_system: "ext4 on /dev/mapper/some-volume-with-a-long-name".to_string(),
            in_memory: number == 2,
            unseen: None,
            durability: DurabilityWord::NotShown,
            durability_sentence: "not tested, no warning signs".to_string(),
            ladder: vec![PlacedStep {
                measurement: format!("log.rung.{name}.leader"),
                step: "leader".to_string(),
                p50_ns: Some(ns),
                p99_ns: Some(2.0 * ns),
            }],
            emulated: Some(PlacedEmulation {
                measurement: format!("log.working.{name}"),
                commits: figure(rate),
                log_file_sync_ns: Some(ns * 1.5),
                parallel_write_ns: Some(ns),
                commits_per_flush: Some(2.0),
            }),
            predicted: Some(figure(rate)),
            measured: Some(PlacedDatabase {
                measurement: format!("database.update.{name}"),
                commits: figure(rate * 1.02),
                latency_p50_ns: Some(2.0 * ns),
                latency_p99_ns: Some(9.0 * ns),
                log_file_sync_ns: Some(1.4 * ns),
                flush_ns: Some(0.9 * ns),
            }),
            measured_over_predicted: Some(1.02),
            measured_over_predicted_95: Some(Interval {
                low: 0.91,
                high: 1.14,
                method: IntervalMethod::PairedLogT,
            }),
            agrees: (number > 1).then_some(number == 2),
            confirms: (number > 1).then_some(number == 2),
            reason: (number == 3).then(|| "one flush went another way".to_string()),
            validity: if number == 2 { Validity::Suspect } else { Validity::Valid },
            name,
        }
    }

    #[test]
    fn every_place_has_its_durability_its_figures_and_whether_they_held() {
        let all = Comparison {
            workload: "update".to_string(),
            sessions: 8,
            work: Some(CommitWork {
                cpu_ns: 45e3,
                client_cpu_ns: 22e3,
                waits_ns: 0.0,
                wal_bytes: 248.0,
            }),
            ceiling: Some(figure(80_000.0)),
            placements: vec![
                place(1, 26_566.0, 310e3),
                place(2, 73_915.0, 56e3),
                place(3, 900.0, 2e6),
            ],
            sentences: vec!["Put the log somewhere else.".to_string()],
        };
        let text = screen(&all);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        for part in [
            "8 sessions; a commit takes 45.0 µs of CPU, 22.0 µs of its client's, 248 B of WAL",
            "not durable: not tested",
            "durability not proven: not tested",
            "?",
            "73.9k/s",
            "holds",
            "fails",
            "one flush went another way",
            "measured ÷ predicted 1.02 (95 %: 0.910 to 1.14)",
            "alone: WAL writer 310 µs at p50, 620 µs at p99",
            "× 2.78",
            "× 5.54 faster",
            "slower",
            "Put the log somewhere else.",
        ] {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
        // Of the first place the sentences say what the emulation misses.
        assert_eq!(text.matches("measured ÷ predicted").count(), 2, "{text}");
        // What agrees and would have agreed with no change too is open.
        let mut open = all.clone();
        open.placements[1].confirms = Some(false);
        let text = screen(&open);
        assert!(text.contains(" open") && !text.contains("holds"), "{text}");
        // Of an invalid place no figure is said.
        let mut invalid = all.clone();
        invalid.placements[1].validity = Validity::Invalid;
        let text = screen(&invalid);
        assert!(text.contains("invalid") && !text.contains("73.9k/s"), "{text}");
        assert_eq!(text.matches("LOG TIER").count(), 1, "{text}");
        // Without a proof there is no table of both.
        let mut unproved = all;
        unproved.placements.iter_mut().skip(1).for_each(|place| place.measured = None);
        let text = screen(&unproved);
        assert!(!text.contains("LOG TIER"), "{text}");
    }
}
