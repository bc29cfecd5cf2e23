//! Whether what the log acknowledges survives the power: the word, why, and what is known from the file system down.

use narrows_model::{Durability, DurabilityWord, Leaning};

use super::escape::text;
use super::table;
use crate::report::Report;

/// The section.
pub(super) fn section(report: &Report) -> String {
    if report.run.durability.is_empty() {
        return String::new();
    }
    let roles: String = report.run.durability.iter().map(of_role).collect();
    format!(
        "<section id=\"durability\"><h2>Durability</h2><p class=\"soft\">Shown and refuted take a cut of the power (<code>narrows \
         log crashtest</code>). Flags, mount options and the cost of a flush never get past not shown.</p>{roles}</section>"
    )
}

fn of_role(known: &Durability) -> String {
    let class = match known.word {
        DurabilityWord::Shown => "strong",
        DurabilityWord::NotShown => "mark",
        DurabilityWord::Refuted => "bad",
    };
    let rows: Vec<Vec<String>> = known
        .evidence
        .iter()
        .map(|item| {
            vec![
                leaning(item.leaning).to_string(),
                format!("<code>{}</code>", text(&item.about)),
                text(&item.sentence),
            ]
        })
        .collect();
    let table = match rows.as_slice() {
        [] => String::new(),
        rows => table(&["speaks", "about", "what is known"], rows),
    };
    format!(
        "<p>{}: <span class=\"{class}\">{}</span>: {}</p>{table}",
        text(known.role.word()),
        known.word.words(),
        text(&known.sentence)
    )
}

/// Which way it points, in words.
pub(crate) fn leaning(leaning: Leaning) -> &'static str {
    match leaning {
        Leaning::For => "for it",
        Leaning::Against => "against it",
        Leaning::Open => "open",
    }
}
