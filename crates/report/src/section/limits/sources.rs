//! Sources told once, under numbers.

use narrows_limits::table::{Figure, Grade};

use crate::document::{Block, Entry, Facts, Style};

/// Sources by number, in the order in which they were met.
#[derive(Default)]
pub(super) struct Sources {
    met: Vec<(String, Grade)>,
}

impl Sources {
    /// Numbers of the sources of a row, `1 4`; the same source once.
    pub(super) fn of<'a>(
        &mut self,
        figures: impl IntoIterator<Item = Option<&'a Figure>>,
    ) -> String {
        let mut numbers: Vec<usize> = Vec::new();
        for figure in figures.into_iter().flatten() {
            let number = self.number(&figure.source, figure.grade);
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
    }

    /// The number of one source.
    pub(super) fn number(&mut self, source: &str, grade: Grade) -> usize {
        let known = self.met.iter().position(|(text, g)| text == source && *g == grade);
        known.unwrap_or_else(|| {
            self.met.push((source.to_string(), grade));
            self.met.len() - 1
        }) + 1
    }

    /// All of them, one a paragraph.
    pub(super) fn list(&self) -> Block {
        let entry = |(number, (source, grade)): (usize, &(String, Grade))| {
            Entry::new(format!("{number:>4}"), format!("{grade}: {source}"))
        };
        let entries = (1..).zip(&self.met).map(entry).collect();
        Block::Facts(Facts { entries, labels: Style::Plain, at: (0, 6) })
    }
}
