//! What somebody does next who typed the command's name alone.

use crate::document::{Block, Document, Entry, Facts, Section, Style};
use crate::section::StoredRun;

/// `kind` and process of each database that runs here, and the newest stored run.
pub fn first_steps(databases: &[(String, u32)], newest: Option<&StoredRun>) -> Document {
    let runs = databases.iter().map(|(kind, pid)| format!("{kind} (process {pid})"));
    let runs: Vec<String> = runs.collect();
    let here = match runs.as_slice() {
        [] => "no database was seen running".to_string(),
        [only] => format!("{only} runs here"),
        [rest @ .., last] => format!("{} and {last} run here", rest.join(", ")),
    };
    let look = (
        "narrows observe [ADDRESS]",
        "bottleneck of a running PostgreSQL; observes for a minute, loads nothing",
    );
    let measure = (
        "narrows run --dry-run",
        "what measuring this machine would take, and what would be refused",
    );
    let what = ("narrows platform", "what this machine is; milliseconds");
    let steps = if runs.is_empty() { [measure, what, look] } else { [look, what, measure] };
    let mut entries = vec![Entry::new("", here)];
    entries.extend(steps.map(|(command, about)| Entry::new(command, about)));
    if let Some(run) = newest {
        let results = run.results.join("; ");
        let said = format!("the newest run, {}: {results}", run.id);
        entries.push(Entry::new("narrows report", said));
    }
    entries.push(Entry::new("narrows --help", "all commands, with examples"));
    let facts = Facts { entries, labels: Style::Code, at: (2, 30) };
    let section = Section::new("next", "What to do").with([Block::Facts(facts)]);
    Document::of([section]).headed("narrows", "what to do")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::{Screen, TEXT, render};

    #[test]
    fn where_a_database_runs_it_is_looked_at_first() {
        let text = |databases: &[(String, u32)]| {
            render(&first_steps(databases, None), &TEXT, Screen::PLAIN)
        };
        let none = text(&[]);
        assert!(none.contains("no database was seen running"), "{none}");
        assert!(
            none.find("narrows run").unwrap() < none.find("narrows observe").unwrap(),
            "{none}"
        );
        let two = text(&[("postgresql".into(), 7), ("mariadb".into(), 9)]);
        assert!(two.contains("postgresql (process 7) and mariadb (process 9) run here"), "{two}");
        assert!(two.find("narrows observe").unwrap() < two.find("narrows run").unwrap(), "{two}");
    }
}
