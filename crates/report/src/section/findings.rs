//! All findings with their evidence, and what is not known.

use narrows_model::{Finding, Severity};

use crate::document::{At, Block, Column, Depth, Inline, List, Row, Section, Span, Style, Table};
use crate::report::Report;
use crate::words;

/// Every finding of the run, worst first.
pub(super) fn findings(report: &Report) -> Option<Section> {
    let mut findings: Vec<&Finding> = report.run.findings.iter().collect();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    let numbered = &report.notes.numbered;
    let mut led_to = vec![false; numbered.len()];
    let columns = ["", "about", "what, evidence, advice", "rule"];
    let mut table = Table::new(columns.map(|head| Column::words(head, At::Left(0))).to_vec());
    for finding in findings {
        let same = |n: &Finding| n.id == finding.id && n.summary == finding.summary;
        let mark = numbered.iter().position(same).map(|at| {
            // One footnote can stand for several findings; only the first is what its number leads to.
            match std::mem::replace(&mut led_to[at], true) {
                false => Inline(vec![Span::Target(at + 1)]),
                true => Inline::from(format!("[{}]", at + 1)),
            }
        });
        let severity = mark.unwrap_or_default();
        let severity = if severity.is_empty() { severity } else { severity.put(Style::Plain, " ") };
        let about = finding.measurement.as_deref().unwrap_or("run");
        let cells = vec![
            severity.put(look(finding.severity), words::severity(finding.severity)).into(),
            Inline::of(Style::Code, about).into(),
            what(finding, [finding.evidence.as_str()]).into(),
            Inline::of(Style::Code, finding.id.as_str()).into(),
        ];
        table.rows.push(Row::Cells(cells, Vec::new()));
    }
    let mut section = Section::new("findings", "Findings").from(Depth::Page);
    section.blocks.push(match table.rows.is_empty() {
        true => Block::explanation("No rule fired."),
        false => Block::Table(table),
    });
    let not_known = report.notes.not_known.iter().map(|unknown| unknown.sentence());
    let list = List::new(not_known, 0);
    if !list.items.is_empty() {
        section.blocks.extend([Block::Heading("Not known".into()), Block::List(list)]);
    }
    Some(section)
}

/// What the rules find in a machine of which nothing was measured; nothing where they find nothing.
pub(super) fn machine_findings(findings: &[Finding]) -> Option<Section> {
    let columns = ["", "what, figures, advice", "rule"];
    let mut table = Table::new(columns.map(|head| Column::words(head, At::Left(0))).to_vec());
    let rows = findings.iter().map(|finding| {
        let places = finding.places.iter().map(|place| place.evidence.as_str());
        let cells = vec![
            Inline::of(look(finding.severity), words::severity(finding.severity)).into(),
            what(finding, places).into(),
            Inline::of(Style::Code, finding.id.as_str()).into(),
        ];
        Row::Cells(cells, Vec::new())
    });
    table.rows = rows.collect();
    let some = !table.rows.is_empty();
    some.then(|| Section::new("findings", "Findings").from(Depth::Page).with([Block::Table(table)]))
}

fn look(severity: Severity) -> Style {
    match severity {
        Severity::Invalid => Style::Bad,
        Severity::Suspect => Style::Careful,
        Severity::Note => Style::Faint,
    }
}

/// Summary, evidence, advice, below each other.
fn what<'a>(finding: &Finding, evidence: impl IntoIterator<Item = &'a str>) -> Inline {
    let mut text = Inline::of(Style::Strong, finding.summary.as_str());
    for line in evidence {
        text.0.push(Span::Break);
        text = text.put(Style::Plain, line);
    }
    text.0.push(Span::Break);
    text.put(Style::Faint, finding.advice.as_str())
}
