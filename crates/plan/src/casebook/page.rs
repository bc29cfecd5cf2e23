//! The casebook as a page.

use narrows_limits::table::Table;
use narrows_units::{BytesPerSecond, Ratio};

use crate::casebook::arithmetic::{Arithmetic, Published, Sum};
use crate::casebook::figures::{ARITHMETIC, Answered, Figures};
use crate::casebook::{Case, Outcome, Row};

/// One case: its question, a table, what each row says.
pub fn case(case: &Case, rows: &[(&Row, Outcome)]) -> String {
    let mut out = format!("### {}\n\n{} Source: {}. ", case.title, case.question, case.source);
    out += &format!("Described in `cases/{}`.", case.platform);
    if let Some(mark) = &case.mark {
        out += &format!(" {mark}");
    }
    out += "\n\n| measured | published | ceiling | good systems | share of the ceiling | expected | residual | binds |\n";
    out += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";
    for (row, outcome) in rows {
        out += &format!(
            "| {} | {} | {} | {} | {} | {} | {} | {} |\n",
            row.what,
            row.shown(outcome.published),
            row.shown(outcome.ceiling),
            outcome.expected.map_or("-".to_string(), |value| row.shown(value)),
            Ratio(outcome.share()),
            range(row.within),
            signed(outcome.residual()),
            outcome.binding.join(", "),
        );
    }
    out.push('\n');
    for (row, _) in rows {
        out += &format!(
            "- *{}*: {}{}\n",
            row.what,
            row.why,
            outside_expectation(row.outside.as_deref())
        );
    }
    out
}

/// Sums and tables.
///
/// # Errors
/// What can't be reckoned.
pub fn arithmetic(arithmetic: &Arithmetic, table: &Table) -> Result<String, String> {
    let mut out = String::from("### Arithmetic\n\n");
    out += "What follows from the published figures by a sum, without a description. *Given* is the published figure, or\n";
    out += "what the text below says that stands for it.\n\n";
    out += "| of | figures | given | by the sum | difference | sum |\n";
    out += "| --- | --- | ---: | ---: | ---: | --- |\n";
    for sum in &arithmetic.sums {
        let value = sum.value()?;
        let unit = |value: f64| format!("{} {}", plain(value), sum.unit).trim().to_string();
        out += &format!(
            "| {} | {} | {} | {} | {} | `{}` |\n",
            sum.what,
            sum.figures.join(", "),
            unit(sum.published),
            unit(value),
            signed(sum.published / value - 1.0),
            sum.by,
        );
    }
    out.push('\n');
    let why = |sum: &Sum| Some(format!("- *{}*: {}", sum.what, sum.why.as_ref()?));
    for sum in &arithmetic.sums {
        if let Some(why) = why(sum) {
            out += &format!("{why}{}\n", outside_expectation(sum.outside.as_deref()));
        }
    }
    for published in &arithmetic.tables {
        out += &format!("\n{}", one_table(published, table)?);
    }
    Ok(out)
}

fn one_table(published: &Published, table: &Table) -> Result<String, String> {
    let mut out = format!("#### {}\n\n", published.what);
    out += &format!("{}{}\n\n", published.why, outside_expectation(published.outside.as_deref()));
    out += "| class | published | speed by the table of limits | difference |\n";
    out += "| --- | ---: | ---: | ---: |\n";
    for entry in published.run(table)? {
        out += &format!(
            "| `{}` | {} | {} | {} |\n",
            entry.class,
            BytesPerSecond(entry.published),
            BytesPerSecond(entry.speed),
            signed(entry.published / entry.speed - 1.0),
        );
    }
    Ok(out)
}

/// Every published figure and where it is answered, or why not.
pub fn figures(figures: &Figures, answered: &Answered) -> String {
    let mut out = String::from("### Every published figure\n\n");
    out += "Each figure that the publications give of a platform, and where it is answered.\n";
    for publication in &figures.publications {
        out += &format!("\n#### {}. {}\n\n", publication.letter, publication.title);
        out += "| | published | where |\n| --- | --- | --- |\n";
        for figure in &publication.figures {
            let place = |place: &String| match place.as_str() {
                ARITHMETIC => "by a sum".to_string(),
                title => format!("case \"{title}\""),
            };
            let places = answered.get(&figure.id).map(|places| places.iter().map(place).collect());
            let places: Vec<String> = places.unwrap_or_default();
            let place = match &figure.not_modelled {
                Some(why) => format!("not modelled: {why}"),
                None => places.join("; "),
            };
            out += &format!("| {} | {} | {place} |\n", figure.id, figure.gives);
        }
    }
    out
}

fn outside_expectation(outside: Option<&str>) -> String {
    outside.map_or(String::new(), |text| format!(" **Outside what was expected:** {text}"))
}

fn range([least, most]: [f64; 2]) -> String {
    format!("{} to {}", Ratio(least), Ratio(most))
}

fn signed(share: f64) -> String {
    // Less than a hundredth of a per cent is the rounding of what was published.
    let share = if share.abs() < 1e-4 { 0.0 } else { share };
    let sign = if share > 0.0 { "+" } else { "" };
    format!("{sign}{}", Ratio(share))
}

/// Four digits, or all before the point.
fn plain(value: f64) -> String {
    let digits = match value.abs() {
        v if v >= 1000.0 => 0,
        v if v >= 100.0 => 1,
        v if v >= 10.0 => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}
