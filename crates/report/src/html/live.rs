//! Logs that were only looked at, on the page.

use super::escape::text;
use super::{sections, table};
use crate::live::{Grid, LiveView};
use crate::orders::OrdersView;
use crate::report::Report;
use crate::words;

pub(super) fn sections(report: &Report) -> String {
    let orders = orders(report);
    if report.live.is_empty() && report.flush_tests.is_empty() {
        return orders;
    }
    let mut out = orders + "<section id=\"live\"><h2>Looked at</h2>";
    out += &report.live.iter().map(live).collect::<String>();
    out += &report.flush_tests.iter().map(grid).collect::<String>();
    out + "</section>"
}

/// The order-entry mix.
fn orders(report: &Report) -> String {
    if report.orders.is_empty() {
        return String::new();
    }
    let one = |view: &OrdersView| grid(&view.grid) + &list(&view.sentences);
    let grids: String = report.orders.iter().map(one).collect();
    format!("<section id=\"orders\"><h2>Orders</h2>{grids}</section>")
}

fn live(view: &LiveView) -> String {
    let mark = if view.suspect { " ?" } else { "" };
    let mut out = format!("<h3>{}{mark}{}</h3>", text(&view.heading), sections::marks(&view.notes));
    out += &view.grids.iter().map(grid).collect::<String>();
    if !view.phrase.is_empty() {
        let grade = view.grade.map_or("no grade", words::grade);
        out += &format!("<p><strong>{}</strong> ({grade})</p>", text(&view.phrase));
    }
    out += &list(&view.sentences);
    if !view.changes.is_empty() {
        out += &format!("<p>It would change with</p>{}", list(&view.changes));
    }
    let remarks: Vec<String> = view
        .remarks
        .iter()
        .map(|(label, remark)| format!("{}: {remark}", label.to_lowercase()))
        .collect();
    out + &list(&remarks)
}

pub(super) fn list(items: &[String]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let items: String = items.iter().map(|item| format!("<li>{}</li>", text(item))).collect();
    format!("<ul>{items}</ul>")
}

pub(super) fn grid(grid: &Grid) -> String {
    let numeric: Vec<String> = grid.columns.iter().map(|name| format!("{name}>")).collect();
    let mut headers = vec![""];
    headers.extend(numeric.iter().map(String::as_str));
    headers.push("");
    let rows: Vec<Vec<String>> = grid
        .rows
        .iter()
        .map(|row| {
            let cells = std::iter::once(&row.name).chain(&row.cells).chain([&row.remark]);
            cells.map(|cell| text(cell)).collect()
        })
        .collect();
    format!("<h4>{}</h4>{}", text(&grid.title), table(&headers, &rows))
}
