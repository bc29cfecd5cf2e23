//! Where each workload is narrow.

use narrows_model::{Run, Validity};

use super::noted;
use super::tables::printed;
use crate::bottleneck::Block as Judged;
use crate::chart::charts;
use crate::document::{Block, Depth, Entry, Figure, Inline, List, Section, Style, Verdict};
use crate::print::{percent, plus_minus, time};
use crate::report::Report;
use crate::sum::SumText;
use crate::words;

/// The operating point and a verdict for each workload; nothing where the question does not arise.
pub(crate) fn narrow(report: &Report) -> Option<Section> {
    if report.operating_point.is_empty() {
        return None;
    }
    let title = "Bottlenecks";
    let point = Inline::of(Style::Faint, report.operating_point.as_str());
    let mut blocks = vec![Block::Paragraph(point, title.len() + 2)];
    blocks
        .extend(report.narrow.iter().map(|block| Block::Verdict(Box::new(verdict(report, block)))));
    if report.narrow.iter().any(|block| block.grade.is_some()) {
        blocks.extend([words::LEGEND, words::LINES].map(Block::explanation));
    }
    // A server that was only looked at has no table of workloads before it; what none was measured of is said at once.
    let own = report.run.observations.is_empty() && !report.narrow.is_empty();
    let depth = if own { Depth::Explained } else { Depth::Screen };
    Some(Section::new("narrow", title).from(depth).leading().with(blocks))
}

/// Whether the figures are those of a server's own report, whose one interval has no repeats.
pub(super) fn from_report(run: &Run, block: &Judged) -> bool {
    let reports = run.observations.iter().filter(|seen| seen.report.is_some());
    reports.map(|seen| &seen.measurement).any(|id| *id == block.measurement)
}

fn verdict(report: &Report, block: &Judged) -> Verdict {
    let rate = match block.rate {
        Some(f) => Inline::of(Style::Strong, report.units.work(f.value, f.unit, "tps")),
        None => Inline::of(Style::Bad, "invalid"),
    };
    let spread = match (block.rate, block.half_width) {
        (None, _) => String::new(),
        (Some(_), Some(share)) => plus_minus(share),
        (Some(_), None) if from_report(&report.run, block) => String::new(),
        (Some(_), None) => format!("n {}", block.repeats),
    };
    let phrase = noted(Inline::of(Style::Strong, block.phrase.as_str()), &block.notes);
    Verdict {
        name: block.name.clone(),
        suspect: block.validity == Validity::Suspect,
        absent: (!block.measured).then(|| block.why.join("; ")),
        rate,
        spread,
        latency: block.latency.clone(),
        phrase,
        grade: block.grade.map(printed),
        reasons: reasons(block),
        picture: block.sum.as_ref().map(picture).unwrap_or_default(),
    }
}

fn reasons(block: &Judged) -> Vec<Entry> {
    let mut all = Vec::new();
    if let Some(sum) = &block.sum {
        let text: Vec<&str> = std::iter::once(sum.expression.as_str())
            .chain(sum.remarks.iter().map(String::as_str))
            .collect();
        all.push(Entry::new(sum.label, text.join("; ")));
    }
    all.extend(block.test.as_ref().map(|test| Entry::new("test", test.text.as_str())));
    if !block.then.is_empty() {
        all.push(Entry::new("then", block.then.as_str()));
    }
    let labels = std::iter::once("seen").chain(std::iter::repeat(""));
    all.extend(labels.zip(&block.standing).map(|(label, text)| Entry::new(label, text.as_str())));
    all.extend(block.what_if.iter().map(|asked| Entry::new("if", asked.as_str())));
    if !block.why.is_empty() {
        all.push(Entry::new("why", block.why.join("; ")));
    }
    all
}

/// The parts of the sum as a bar, and what each colour is.
fn picture(sum: &SumText) -> Vec<Block> {
    if sum.parts.len() < 2 {
        return Vec::new();
    }
    let total: f64 = sum.parts.iter().map(|part| part.ns_per_op).sum();
    let legend = sum.parts.iter().map(|part| {
        let share = match total > 0.0 {
            true => percent(part.ns_per_op / total),
            false => "-".to_string(),
        };
        let words = format!("{} {} · {share}", part.name, time(part.ns_per_op));
        let swatch = crate::chart::swatch(charts::part_class(&part.name));
        Inline::default().picture(swatch).put(Style::Plain, words)
    });
    let bar = Figure {
        caption: Inline::default(),
        how: String::new(),
        picture: charts::sum_bar(&sum.parts),
        wide: false,
    };
    let blocks = vec![Block::Figures(vec![bar]), Block::List(List::new(legend, 0))];
    vec![Block::From(Depth::Page, blocks)]
}
