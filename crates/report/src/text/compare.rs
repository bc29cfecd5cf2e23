//! Places for the commit log beside each other, as text: prediction and proof, and the log tier's table of both.

use narrows_model::{Comparison, DurabilityWord, Interval, PlacedRung, Placement, Validity};

use crate::layout::{Line, Style, paragraph};
use crate::log::{Tier, held, measured_over_predicted, tiers};
use crate::print::{half_width, percent, rate, size, time};

// Columns at which figures end.
const FLUSH: usize = 18;
const WAIT: usize = 30;
const EMULATED: usize = 43;
const PREDICTED: [usize; 2] = [56, 63];
const MEASURED: [usize; 3] = [76, 83, 94];
const INDENT: usize = 4;
// Columns of the log tier's table.
const OFF: usize = 38;
const ON: usize = 54;
const BY: usize = 72;

/// What each place gives.
pub(super) fn comparison(comparison: &Comparison, edge: usize) -> Vec<Line> {
    let head = Line::of(Style::Strong, "PLACES FOR THE LOG")
        .put(Style::Plain, "  ")
        .put(Style::Plain, &work(comparison));
    let mut lines = vec![head];
    lines.push(
        Line::new()
            .right(Style::Faint, "write, flush", FLUSH)
            .right(Style::Faint, "wait", WAIT)
            .right(Style::Faint, "emulated", EMULATED)
            .right(Style::Faint, "predicted", PREDICTED[0])
            .right(Style::Faint, "±95%", PREDICTED[1])
            .right(Style::Faint, "measured", MEASURED[0])
            .right(Style::Faint, "±95%", MEASURED[1])
            .right(Style::Faint, "p99", MEASURED[2]),
    );
    for place in &comparison.placements {
        lines.extend(placement(place, edge));
    }
    for sentence in &comparison.sentences {
        lines.extend(paragraph(Line::new(), Style::Plain, sentence, 2, edge));
    }
    for tier in tiers(comparison) {
        lines.push(Line::new());
        lines.extend(off_and_on(&tier));
    }
    lines
}

/// `8 sessions; a commit takes 45 µs of CPU, 22 µs of its client, 248 B of log, and its wait`.
fn work(comparison: &Comparison) -> String {
    let sessions = format!("{} sessions", comparison.sessions);
    match &comparison.work {
        None => sessions,
        Some(work) => format!(
            "{sessions}; a commit takes {} of CPU, {} of its client's, {} of log",
            time(work.cpu_ns),
            time(work.client_cpu_ns),
            size(work.wal_bytes)
        ),
    }
}

fn placement(place: &Placement, edge: usize) -> Vec<Line> {
    let start = Line::of(Style::Strong, &place.name).put(Style::Plain, " ");
    let text = format!("{}: {}", place.folder, place.file_system);
    let mut lines = paragraph(start, Style::Plain, &text, INDENT, edge);
    let (word, style) = match place.durability {
        _ if place.in_memory => ("not durable".to_string(), Style::Bad),
        DurabilityWord::Shown => ("durability shown".to_string(), Style::Strong),
        DurabilityWord::NotShown => ("durability not shown".to_string(), Style::Careful),
        DurabilityWord::Refuted => ("durability refuted".to_string(), Style::Bad),
    };
    // "not durable: not durable by construction" would say it twice.
    let sentence = &place.durability_sentence;
    let (between, why) = match sentence.strip_prefix("not durable ") {
        Some(why) if place.in_memory => (" ", why),
        _ => (": ", sentence.as_str()),
    };
    let start = Line::new().to(INDENT).put(style, &word).put(Style::Faint, between);
    lines.extend(paragraph(start, Style::Faint, why, INDENT, edge));
    let ladder = ladder(place);
    if !ladder.is_empty() {
        lines.extend(paragraph(Line::new().to(INDENT), Style::Faint, &ladder, INDENT, edge));
    }
    lines.push(figures(place));
    if let Some(ratio) = measured_over_predicted(place) {
        let said = format!("measured ÷ predicted {ratio}");
        lines.push(Line::new().to(INDENT).put(Style::Faint, &said));
    }
    if let Some(reason) = &place.reason {
        let start = Line::new().to(INDENT);
        lines.extend(paragraph(start, Style::Careful, reason, INDENT, edge));
    }
    lines
}

/// `alone: 8 KiB fdatasync 139 µs at p50, 288 µs at p99; log writer …`.
fn ladder(place: &Placement) -> String {
    if place.validity == Validity::Invalid {
        return String::new();
    }
    let one = |rung: &PlacedRung| {
        let name = match rung.rung.as_str() {
            "flush" => "the device's flush",
            "leader" => "log writer",
            _ => "8 KiB fdatasync",
        };
        let p99 = rung.p99_ns.map_or_else(String::new, |ns| format!(", {} at p99", time(ns)));
        Some(format!("{name} {} at p50{p99}", time(rung.p50_ns?)))
    };
    let rungs: Vec<String> = place.ladder.iter().filter_map(one).collect();
    if rungs.is_empty() { String::new() } else { format!("alone: {}", rungs.join("; ")) }
}

fn half(interval: Option<&Interval>) -> String {
    half_width(interval).map_or_else(|| "-".to_string(), percent)
}

fn figures(place: &Placement) -> Line {
    let dash = || "-".to_string();
    let (mark, style) = match place.validity {
        Validity::Valid => ("", Style::Plain),
        Validity::Suspect => ("?", Style::Careful),
        Validity::Invalid => ("invalid", Style::Bad),
    };
    // An invalid figure is not printed at all: what is printed gets quoted.
    if place.validity == Validity::Invalid {
        return Line::new().to(INDENT).put(style, mark);
    }
    let emulated = place.emulated.as_ref();
    let ns = |ns: Option<f64>| ns.map_or_else(dash, time);
    let mut line = Line::of(style, mark)
        .right(Style::Plain, &ns(emulated.and_then(|e| e.parallel_write_ns)), FLUSH)
        .right(Style::Plain, &ns(emulated.and_then(|e| e.log_file_sync_ns)), WAIT)
        .right(Style::Plain, &emulated.map_or_else(dash, |e| rate(e.commits.rate_per_s)), EMULATED);
    // Of the first place the emulation is all there is to predict.
    if let Some(predicted) = place.predicted.filter(|_| place.name != "wal_1") {
        line = line.right(Style::Strong, &rate(predicted.rate_per_s), PREDICTED[0]).right(
            Style::Plain,
            &half(predicted.interval_95.as_ref()),
            PREDICTED[1],
        );
    } else {
        line = line.right(Style::Faint, "-", PREDICTED[0]);
    }
    match &place.measured {
        None => line.right(Style::Faint, "-", MEASURED[0]),
        Some(measured) => {
            let commits = &measured.commits;
            line.right(Style::Strong, &rate(commits.rate_per_s), MEASURED[0])
                .right(Style::Plain, &half(commits.interval_95.as_ref()), MEASURED[1])
                .right(Style::Plain, &ns(measured.latency_p99_ns), MEASURED[2])
        }
    }
    .right(Style::Plain, held(place), MEASURED[2] + 6)
}

/// The log tier, as a feature that is off and on.
fn off_and_on(tier: &Tier) -> Vec<Line> {
    let heading = Line::of(Style::Strong, "LOG TIER")
        .right(Style::Faint, &tier.names[0], OFF)
        .right(Style::Faint, &tier.names[1], ON)
        .right(Style::Faint, "by the figures", BY);
    let row = |[name, off, on, by]: &[String; 4]| {
        Line::new()
            .put(Style::Plain, name)
            .right(Style::Plain, off, OFF)
            .right(Style::Plain, on, ON)
            .right(Style::Plain, by, BY)
    };
    std::iter::once(heading).chain(tier.rows.iter().map(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::write_lines;
    use narrows_model::{
        CommitFigure, CommitWork, IntervalMethod, PlacedDatabase, PlacedEmulation,
    };

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
            durability: DurabilityWord::NotShown,
            durability_sentence: "nothing seen here speaks against it".to_string(),
            ladder: vec![PlacedRung {
                measurement: format!("log.rung.{name}.leader"),
                rung: "leader".to_string(),
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
        let text = write_lines(&comparison(&all, 100), false);
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
        for part in [
            "8 sessions; a commit takes 45.0 µs of CPU, 22.0 µs of its client's, 248 B of log",
            "not durable: nothing seen here",
            "durability not shown: nothing",
            "?",
            "73.9 k/s",
            "holds",
            "fails",
            "one flush went another way",
            "measured ÷ predicted 1.02 (95 %: 0.910 to 1.14)",
            "alone: log writer 310 µs at p50, 620 µs at p99",
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
        let text = write_lines(&comparison(&open, 100), false);
        assert!(text.contains(" open") && !text.contains("holds"), "{text}");
        // Of an invalid place no figure is said.
        let mut invalid = all.clone();
        invalid.placements[1].validity = Validity::Invalid;
        let text = write_lines(&comparison(&invalid, 100), false);
        assert!(text.contains("invalid") && !text.contains("73.9 k/s"), "{text}");
        assert_eq!(text.matches("LOG TIER").count(), 1, "{text}");
        // Without a proof there is no table of both.
        let mut unproved = all;
        unproved.placements.iter_mut().skip(1).for_each(|place| place.measured = None);
        let text = write_lines(&comparison(&unproved, 100), false);
        assert!(!text.contains("LOG TIER"), "{text}");
    }
}
