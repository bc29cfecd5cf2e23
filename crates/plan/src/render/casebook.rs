//! The casebook as a page.

use narrows_units::{BytesPerSecond, OpsPerSecond, Ratio};

use crate::casebook::{Case, Outcome, Row};

/// One case: its question, a table, what each row says.
pub fn case(case: &Case, rows: &[(&Row, Outcome)]) -> String {
    let mut out = format!("### {}\n\n{} Source: {}. ", case.title, case.question, case.source);
    out += &format!("Described in `cases/{}`.", case.platform);
    if let Some(mark) = &case.mark {
        out += &format!(" {mark}");
    }
    out += "\n\n| measured | published | ceiling | good systems | share of the ceiling | residual | binds |\n";
    out += "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for (row, outcome) in rows {
        let figure = |value: f64| {
            if row.work.is_random() {
                OpsPerSecond(value).to_string()
            } else {
                BytesPerSecond(value).to_string()
            }
        };
        let expected = outcome.expected.map_or("-".to_string(), figure);
        out += &format!(
            "| {} | {} | {} | {expected} | {} | {} | {} |\n",
            row.what,
            figure(outcome.published),
            figure(outcome.ceiling),
            Ratio(outcome.share()),
            signed(outcome.residual()),
            outcome.binding.join(", "),
        );
    }
    out.push('\n');
    for (row, _) in rows {
        out += &format!("- *{}*: {}\n", row.what, row.why);
    }
    out
}

fn signed(share: f64) -> String {
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", Ratio(share))
}
