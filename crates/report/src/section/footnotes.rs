//! The last lines: legend, footnotes, what is not known, where to see more.

use narrows_model::{Finding, Severity};

use crate::document::{Foot, Inline, Style};
use crate::report::Report;
use crate::section::bottleneck::from_report;
use crate::words;

/// Figures of a place that stand in a footnote are no longer than this.
const PLACE_LETTERS: usize = 160;

/// The foot of a report.
pub(super) fn foot(report: &Report) -> Foot {
    let notes = &report.notes;
    let numbered = notes.numbered.iter().zip(1..);
    let numbered = numbered.map(|(finding, i): (_, u32)| format!("[{i}] {}", footnote(finding)));
    let whole = notes.run_level.iter().map(|finding| format!("[run] {}", footnote(finding)));
    let all = format!("narrows report {} --html", report.run.id);
    let mut brief: Vec<Inline> = notes.machine_line().into_iter().collect();
    if notes.not_shown > 0 {
        let others = words::counted(notes.not_shown, "other finding");
        brief.push(Inline::from(format!("{others}: ")).put(Style::Code, all.as_str()));
    }
    let machine = notes.machine.iter();
    let full = machine.map(|f| format!("Machine setup: {}: {}", f.summary, f.evidence)).collect();
    let tool = &report.run.tool;
    let made = format!(
        "Made by {} {} from run {}. The run file is inside: narrows show PAGE.html reads it from the element ",
        tool.name, tool.version, report.run.id
    );
    let marks = ". Invalid measurements enter no verdict; suspect ones are marked with ?.";
    Foot {
        legend: legend(report),
        explained: explained(report),
        notes: no_interval(report).into_iter().chain(numbered).chain(whole).collect(),
        brief,
        full,
        not_known: notes.not_known.clone(),
        all,
        more: report.more.clone(),
        made: vec![
            Inline::from(made).put(Style::Code, "run").put(Style::Plain, marks),
            Inline::of(Style::Code, report.run.command.join(" ")),
        ],
    }
}

fn legend(report: &Report) -> Vec<String> {
    let mut legend = Vec::new();
    let graded = report.narrow.iter().any(|b| b.grade.is_some());
    if graded || report.head.counts.contains('?') {
        let judged = graded || !report.operating_point.is_empty();
        legend.push(if judged { words::LEGEND } else { words::SUSPECT }.to_string());
    }
    let intervals = report.wide.iter().map(|row| row.half_width);
    let mut intervals = intervals.chain(report.narrow.iter().map(|block| block.half_width));
    if intervals.any(|half| half.is_some()) || !report.run.live_logs.is_empty() {
        legend.push(words::INTERVAL.to_string());
    }
    if report.run.live_logs.iter().any(|log| log.verdict.is_some()) {
        legend.push(words::LOOKED_LEGEND.to_string());
    }
    if !report.run.observations.is_empty() {
        legend.extend(explained(report));
    }
    legend
}

/// The lines under a verdict, which a screen has only of a server that was looked at.
fn explained(report: &Report) -> Vec<String> {
    let some = report.narrow.iter().any(|block| block.sum.is_some());
    some.then(|| words::LINES.to_string()).into_iter().collect()
}

fn no_interval(report: &Report) -> Option<String> {
    let wide = report.wide.iter().any(|r| r.measured.is_some() && r.half_width.is_none());
    let narrow = report.narrow.iter().any(|block| {
        block.rate.is_some() && block.half_width.is_none() && !from_report(&report.run, block)
    });
    (wide || narrow).then(|| "n: repeats, too few for an interval".to_string())
}

/// The finding's sentence, with its severity in a word unless it is a mere note.
fn footnote(finding: &Finding) -> String {
    let said = match finding.places.as_slice() {
        // At one place of the machine the figures are short, and say more than the rule.
        [only] if only.evidence.len() <= PLACE_LETTERS => {
            format!("{}: {}", finding.summary, only.evidence)
        }
        _ => finding.summary.clone(),
    };
    match finding.severity {
        Severity::Note => said,
        worse => format!("{}: {said}", words::severity(worse)),
    }
}
