//! fio's options as a table: name, type, class, and the sentence that goes with the class.
//!
//! The table is the promise. What it calls the same or approximated is applied in the module `apply`, which a test checks;
//! what it calls refused stops the file; what it doesn't name is unknown and stops the file too.

mod access;
mod engine;
pub mod limits;
mod refused;
mod replay;
mod report;
mod running;
mod verify;

use crate::kind::OptionType;

/// What narrows does with an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// What fio does.
    Same,
    /// Something near it; the sentence says what.
    Approximated(&'static str),
    /// Nothing: the file stops, for this reason, unless the value says what is so anyway.
    Refused {
        /// Why.
        why: &'static str,
        /// What to write instead; may be empty.
        hint: &'static str,
        /// Values that change nothing and are accepted.
        harmless: &'static [&'static str],
    },
}

/// One option of fio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FioOption {
    /// The name fio prints.
    pub name: &'static str,
    /// Other names it goes by.
    pub aliases: &'static [&'static str],
    /// Its type.
    pub kind: OptionType,
    /// The I/O engines that have it; empty for all.
    pub engines: &'static [&'static str],
    /// What narrows does with it.
    pub class: Class,
}

const fn same(name: &'static str, kind: OptionType) -> FioOption {
    FioOption { name, aliases: &[], kind, engines: &[], class: Class::Same }
}

const fn near(name: &'static str, kind: OptionType, how: &'static str) -> FioOption {
    FioOption { name, aliases: &[], kind, engines: &[], class: Class::Approximated(how) }
}

const fn refused(name: &'static str, kind: OptionType, why: &'static str) -> FioOption {
    let class = Class::Refused { why, hint: "", harmless: &[] };
    FioOption { name, aliases: &[], kind, engines: &[], class }
}

impl FioOption {
    const fn alias(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    const fn only_in(mut self, engines: &'static [&'static str]) -> Self {
        self.engines = engines;
        self
    }

    const fn hint(mut self, text: &'static str) -> Self {
        if let Class::Refused { why, harmless, .. } = self.class {
            self.class = Class::Refused { why, hint: text, harmless };
        }
        self
    }

    const fn unless(mut self, values: &'static [&'static str]) -> Self {
        if let Class::Refused { why, hint, .. } = self.class {
            self.class = Class::Refused { why, hint, harmless: values };
        }
        self
    }
}

/// All options, in the order of the book's page.
pub fn all() -> impl Iterator<Item = &'static FioOption> {
    let tables = [access::OPTIONS, running::OPTIONS, engine::OPTIONS, report::OPTIONS];
    tables.into_iter().chain([verify::OPTIONS, replay::OPTIONS, refused::OPTIONS]).flatten()
}

/// The option of this name or alias. Names are case-sensitive in fio.
pub fn find(name: &str) -> Option<&'static FioOption> {
    all().find(|option| option.name == name || option.aliases.contains(&name))
}

/// The option whose name is nearest to a word that is none, if one is near.
pub fn nearest(word: &str) -> Option<&'static str> {
    let names = all().flat_map(|option| option.aliases.iter().copied().chain([option.name]));
    let (distance, name) = names.map(|name| (distance(word, name), name)).min()?;
    (distance <= 2 || distance * 3 <= name.len()).then_some(name)
}

/// How many letters have to be put in, taken out or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    // A word longer than any name is near none.
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The table of the book's page: every option with its class and sentence.
pub fn page() -> String {
    let count = |wanted: fn(&Class) -> bool| all().filter(|option| wanted(&option.class)).count();
    let mut page = format!(
        "{} options: {} the same, {} approximated, {} refused.\n\n",
        all().count(),
        count(|class| *class == Class::Same),
        count(|class| matches!(class, Class::Approximated(_))),
        count(|class| matches!(class, Class::Refused { .. })),
    );
    page += "| option | class | |\n| --- | --- | --- |\n";
    for option in all() {
        let mut names = format!("`{}`", option.name);
        for alias in option.aliases {
            names += &format!(", `{alias}`");
        }
        if !option.engines.is_empty() {
            names += &format!(" ({})", option.engines.join(", "));
        }
        let (class, text) = match option.class {
            Class::Same => ("same", String::new()),
            Class::Approximated(how) => ("approximated", how.to_string()),
            Class::Refused { why, hint, harmless } => {
                let mut text = why.to_string();
                if !hint.is_empty() {
                    text += &format!("; {hint}");
                }
                if !harmless.is_empty() {
                    let values: Vec<String> = harmless.iter().map(|v| format!("`{v}`")).collect();
                    text += &format!(" (accepted: {})", values.join(", "));
                }
                ("refused", text)
            }
        };
        let mut texts = vec![text];
        texts.retain(|text| !text.is_empty());
        let own = limits::ALL.iter().filter(|limit| limit.option == option.name);
        texts.extend(own.map(|limit| format!("refused: {} ({})", limit.why, limit.hint)));
        let text = texts.join("; ");
        page += &format!("| {names} | {class} | {text} |\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_once() {
        let mut names: Vec<_> =
            all().flat_map(|option| option.aliases.iter().copied().chain([option.name])).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn a_slip_of_the_pen_finds_its_option() {
        assert_eq!(nearest("runtme"), Some("runtime"));
        assert_eq!(nearest("io_depth"), Some("iodepth"));
        assert_eq!(nearest("something_else_altogether"), None);
    }
}
