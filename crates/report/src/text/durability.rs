//! Whether what the log acknowledges survives the power, as text.

use narrows_model::{Durability, DurabilityWord, Leaning};

use crate::layout::{Line, Style, paragraph};
use crate::report::Report;

const ABOUT: usize = 3;
const SENTENCE: usize = 17;

/// One line for each role; where the log alone was looked at, everything it rests on too.
pub(super) fn durability(report: &Report, edge: usize) -> Vec<Line> {
    let everything = report.run.measurements.iter().any(|m| m.id.starts_with("log.ladder."));
    report.run.durability.iter().flat_map(|known| of_role(known, everything, edge)).collect()
}

fn of_role(known: &Durability, everything: bool, edge: usize) -> Vec<Line> {
    let style = match known.word {
        DurabilityWord::Shown => Style::Strong,
        DurabilityWord::NotShown => Style::Careful,
        DurabilityWord::Refuted => Style::Bad,
    };
    let start = Line::of(Style::Strong, "DURABILITY")
        .put(Style::Plain, &format!("  {} ", known.role.word()))
        .put(style, known.word.words())
        .put(Style::Plain, ": ");
    let mut lines = paragraph(start, Style::Plain, &known.sentence, ABOUT, edge);
    for item in known.evidence.iter().filter(|_| everything) {
        // The mark says what colour can't.
        let (mark, style) = match item.leaning {
            Leaning::For => ("+", Style::Plain),
            Leaning::Against => ("-", Style::Careful),
            Leaning::Open => ("o", Style::Faint),
        };
        let line = Line::of(Style::Faint, mark)
            .to(ABOUT)
            .put(Style::Plain, &item.about)
            .put(Style::Plain, " ")
            .to(SENTENCE);
        lines.extend(paragraph(line, style, &item.sentence, SENTENCE, edge));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{DurabilityEvidence, Role};

    #[test]
    fn the_word_stands_first_and_every_line_fits() {
        let item = |leaning| DurabilityEvidence {
            about: "nvme0n1".to_string(),
            leaning,
            sentence: "says something that takes more than one line ".repeat(4),
        };
        let known = Durability {
            role: Role::Wal,
            word: DurabilityWord::NotShown,
            sentence: "nothing seen here speaks against it".to_string(),
            evidence: [Leaning::For, Leaning::Against, Leaning::Open].map(item).to_vec(),
        };
        let text =
            |everything| crate::layout::write_lines(&of_role(&known, everything, 100), false);
        assert_eq!(
            text(false).trim_end(),
            "DURABILITY  wal not shown: nothing seen here speaks against it"
        );
        let all = text(true);
        assert!(all.lines().all(|line| line.chars().count() <= 100), "{all}");
        let marks: String = all.lines().filter_map(|line| line.chars().next()).collect();
        assert_eq!(marks.replace([' ', 'D'], ""), "+-o");
    }
}
