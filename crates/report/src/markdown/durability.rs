//! Whether what the log acknowledges survives the power, as Markdown.

use super::{plain, table};
use crate::html::leaning;
use crate::report::Report;

/// The word of each role, with what is known.
pub(super) fn durability(report: &Report, out: &mut String) {
    if report.run.durability.is_empty() {
        return;
    }
    out.push_str("## Durability\n\n");
    for known in &report.run.durability {
        out.push_str(&format!(
            "{}: **{}**: {}\n\n",
            plain(known.role.word()),
            known.word.words(),
            plain(&known.sentence)
        ));
        if known.evidence.is_empty() {
            continue;
        }
        let rows: Vec<Vec<String>> = known
            .evidence
            .iter()
            .map(|item| {
                vec![leaning(item.leaning).to_string(), plain(&item.about), plain(&item.sentence)]
            })
            .collect();
        table(out, &["speaks", "about", "what is known"], &[], &rows);
    }
}
