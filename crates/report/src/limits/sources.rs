//! Sources told once, under numbers.

use narrows_limits::table::{Figure, Grade};

use crate::render::markdown::plain;

/// Widest line.
const WIDTH: usize = 100;

/// Sources by number, in the order in which they were met.
#[derive(Default)]
pub(super) struct Sources {
    met: Vec<(String, Grade)>,
}

impl Sources {
    /// Numbers of the sources of a row, `1 4`; the same source once.
    pub fn of<'a>(&mut self, figures: impl IntoIterator<Item = Option<&'a Figure>>) -> String {
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
    pub fn number(&mut self, source: &str, grade: Grade) -> usize {
        let known = self.met.iter().position(|(text, g)| text == source && *g == grade);
        match known {
            Some(index) => index + 1,
            None => {
                self.met.push((source.to_string(), grade));
                self.met.len()
            }
        }
    }

    /// All of them, one a paragraph.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (index, (source, grade)) in self.met.iter().enumerate() {
            let label = format!("{:>4}  ", index + 1);
            text += &wrapped(&label, &format!("{grade}: {source}"), WIDTH);
        }
        text
    }

    /// All of them, as a list.
    pub fn markdown(&self) -> String {
        let line = |(index, (source, grade)): (usize, &(String, Grade))| {
            format!("{}. {grade}: {}\n", index + 1, plain(source))
        };
        self.met.iter().enumerate().map(line).collect()
    }
}

/// Words under a label, indented by it.
pub(super) fn wrapped(label: &str, text: &str, width: usize) -> String {
    let indent = label.chars().count();
    let mut lines = String::new();
    let mut line = label.to_string();
    let mut used = indent;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > indent && used + length > width {
            lines += line.trim_end();
            lines += "\n";
            line = " ".repeat(indent);
            used = indent;
        }
        line += word;
        line += " ";
        used += length + 1;
    }
    lines + line.trim_end() + "\n"
}
