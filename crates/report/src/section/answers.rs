//! The highest rates within a limit, with what is beside each: facts, Oracle's form, the curve.

use narrows_model::Validity;

use super::noted;
use crate::calibration::RateAnswer;
use crate::chart::calibration as charts;
use crate::document::{
    Answer, Block, Column, Depth, Entry, Facts, Inline, Remarks, Section, Style, Table,
};
use crate::report::Report;

/// Facts begin here.
const FACT: usize = 13;

/// All answers.
pub(crate) fn answers(report: &Report) -> Option<Section> {
    let mut section = Section::new("answer", "How many within the limit").short("");
    for answer in &report.answers {
        if !section.blocks.is_empty() {
            section.blocks.push(Block::Gap);
        }
        section.blocks.extend(of(answer));
    }
    (!section.blocks.is_empty()).then_some(section)
}

/// Their pictures.
pub(super) fn pictures(report: &Report) -> Option<Section> {
    let mut section = Section::new("pictures", "Latency against rate").from(Depth::Page);
    for (c, answer) in report.run.calibrations.iter().zip(&report.answers) {
        if c.validity != Validity::Invalid {
            let title = match &c.goal.beside {
                Some(beside) => format!("{} beside {beside}", c.goal.what),
                None => c.goal.what.clone(),
            };
            section.blocks.push(Block::Heading(title.into()));
            section.blocks.extend(charts::figures(&report.run, c, answer));
        }
    }
    (!section.blocks.is_empty()).then_some(section)
}

fn of(answer: &RateAnswer) -> Vec<Block> {
    let mut blocks = vec![headline(answer)];
    if !answer.facts.is_empty() {
        let entries = answer.facts.clone();
        blocks.push(Block::Facts(Facts { entries, labels: Style::Faint, at: (2, FACT) }));
    }
    if !answer.oracle.is_empty() {
        let entries = answer.oracle.clone();
        let oracle = Facts { entries, labels: Style::Strong, at: (0, FACT) };
        blocks.extend([Block::Gap, Block::Facts(oracle)]);
    }
    if answer.validity != Validity::Invalid {
        blocks.push(Block::Gap);
        blocks.extend(curve(answer));
    }
    blocks.extend([Block::Gap, aside("method", answer.method.as_str())]);
    blocks
}

/// A text beside a heading.
fn aside(label: &str, text: impl Into<Inline>) -> Block {
    let entries = vec![Entry::new(label, text)];
    Block::Facts(Facts { entries, labels: Style::Strong, at: (0, FACT) })
}

fn headline(answer: &RateAnswer) -> Block {
    let lead = match (answer.validity, &answer.rate) {
        (Validity::Invalid, _) => Inline::of(Style::Bad, "INVALID"),
        (_, None) => Inline::of(Style::Careful, "NOT FOUND"),
        (_, Some(rate)) => Inline::of(Style::Strong, rate.as_str()),
    };
    let sentence = noted(Inline::of(Style::Strong, answer.sentence.as_str()), &answer.notes);
    let suspect = answer.validity == Validity::Suspect && answer.rate.is_some();
    Block::Answer(Answer { lead, suspect, sentence, grade: None })
}

fn curve(answer: &RateAnswer) -> Vec<Block> {
    let said = noted(Inline::from(answer.curve_remark.as_str()), &answer.curve_notes);
    if answer.curve.is_empty() {
        return vec![aside("curve", said)];
    }
    let columns = vec![
        Column::figure("asked", 21),
        Column::figure("reached", 32),
        Column::figure("p50", 42),
        Column::figure("p99", 52),
        Column::figure("p99.9", 62),
        Column::figure("CPU/op", 72),
    ];
    let mut table = Table::new(columns).titled("CURVE").remarked("", Remarks::Beside(74));
    table.rows = answer.curve.clone();
    let said = (!said.is_empty()).then_some(Block::Paragraph(said, FACT));
    std::iter::once(Block::Table(table)).chain(said).collect()
}
