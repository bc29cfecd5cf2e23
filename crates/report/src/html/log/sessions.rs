//! Sessions that share flushes: what they wait for, how many commits go with one flush, and all figures as a table.

use narrows_model::Validity;

use super::{figure, sharing, waits};
use crate::html::escape::text;
use crate::html::sections::marks;
use crate::html::table;
use crate::log::CommitsRow;
use crate::print::{count, percent, rate, time};
use crate::report::Report;

/// The section.
pub(super) fn section(report: &Report) -> String {
    if report.commits.is_empty() && report.sharing.is_empty() {
        return String::new();
    }
    let mut out = "<section id=\"sessions\"><h2>Sessions that share flushes</h2><p class=\"soft\">Who queues while a flush runs \
                   goes with the next one. The whole wait is Oracle's <em>log file sync</em>, the write with its flush \
                   <em>log file parallel write</em>.</p>"
        .to_string();
    if let Some(chart) = waits::picture(&report.commits) {
        out += &figure(
            "What a commit waits for",
            "each session commits again at once; the line across a bar is what flush times alone explain",
            &chart,
        );
        out += &legend();
    }
    if let Some(chart) = sharing::picture(&report.sharing) {
        out += &figure(
            "Commits of a flush",
            "against the rate; figures on the line are numbers of sessions",
            &chart,
        );
    }
    out + &rows(&report.commits) + "</section>"
}

fn legend() -> String {
    let items: String = waits::PARTS
        .iter()
        .map(|(name, class)| format!("<li><i class=\"{class}\"></i>{name}</li>"))
        .collect();
    format!("<ul class=\"legend\">{items}</ul>")
}

fn rows(commits: &[CommitsRow]) -> String {
    if commits.is_empty() {
        return String::new();
    }
    let headers = [
        "sessions>",
        "rate>",
        "per write>",
        "wait mean>",
        "p99>",
        "write, flush>",
        "wake-up>",
        "by the law>",
        "",
    ];
    let rows: Vec<Vec<String>> = commits.iter().map(row).collect();
    table(&headers, &rows)
}

fn row(row: &CommitsRow) -> Vec<String> {
    let dash = || "-".to_string();
    let ns = |ns: Option<f64>| ns.map_or_else(dash, time);
    let mark = match row.validity {
        Validity::Suspect => " <span class=\"mark\">?</span>",
        _ => "",
    };
    let first = match row.validity {
        Validity::Invalid => "<span class=\"bad\">invalid</span>".to_string(),
        _ => row.rate_per_s.map_or_else(dash, |per_s| text(&rate(per_s))),
    };
    vec![
        format!("{}{mark}", count(row.sessions)),
        format!("<span class=\"strong\">{first}</span>"),
        row.commits_per_flush.map_or_else(dash, count),
        ns(row.sync_ns),
        ns(row.sync_p99_ns),
        ns(row.write_ns),
        row.wake_up_share.map_or_else(dash, percent),
        ns(row.model_ns),
        marks(&row.notes),
    ]
}
