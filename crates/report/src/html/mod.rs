//! One file that can be read anywhere: answer first, then everything behind it, and the run itself.
//!
//! No script, no request: the page's own policy forbids both (Content-Security-Policy in the head), so a
//! report can be mailed and opened in years. The run's JSON lies in a script element of a type that browsers do
//! not execute; [`embedded_run`] reads it back.

mod boxes;
pub(crate) mod calibration;
pub(crate) mod charts;
mod detail;
pub(crate) mod escape;
mod fills;
mod heat;
pub(crate) mod interference;
mod inventory;
pub(crate) mod log;
pub(crate) mod memory;
mod names;
mod nested;
mod observed;
mod over_time;
mod plan;
mod rate_chart;
mod said;
mod svg;
mod window_charts;
mod wires;
mod workload;

pub(crate) use fills::swatch;
use narrows_model::{Finding, Platform, ReadRunError, Run};
pub(crate) use plan::{fits_page, plan_page};

use crate::document::Document;
use crate::print::Units;
use crate::render::html as render;
use crate::report::Report;

const JSON_OPEN: &str = "<script type=\"application/json\" id=\"run\">";
const JSON_CLOSE: &str = "</script>";
const STYLE: &str = include_str!("style.css");

/// The page.
pub(crate) fn html(report: &Report, document: &Document) -> String {
    let title = escape::text(&document.head.title.join(" · "));
    let looked = observed::sections(report);
    let mut main: String = render::in_order(document)
        .map(|section| match section.id {
            "observed" => render::section(section) + &looked,
            "findings" => String::new(),
            _ => render::section(section),
        })
        .collect();
    main += &[
        workload::sections(report),
        detail::latency(report),
        detail::sweeps(report),
        detail::time_series(report),
        detail::measurements(report),
        document.sections.iter().filter(|of| of.id == "findings").map(render::section).collect(),
        inventory::machines(report),
        inventory::plan(report),
    ]
    .concat();
    let head = render::head(document);
    let fills = if fills::used(&main) { fills::definitions() } else { String::new() };
    let body = format!("{head}<main>{fills}{main}</main>{}", render::foot(&document.foot));
    page(
        &title,
        &format!(
            "{body}\n{JSON_OPEN}{}{JSON_CLOSE}",
            narrows_units::shown_json(&escape::json(&document.json))
        ),
    )
}

/// The page of a machine of which nothing was measured, with what the rules find in it.
pub(crate) fn platform_page(p: &Platform, findings: &[Finding]) -> String {
    let name = p.hostname.as_deref().unwrap_or("one machine");
    let machine = inventory::machine(p, name, findings, Units::Si);
    let main = crate::section::machine_findings(findings)
        .as_ref()
        .map_or_else(String::new, render::section)
        + &machine;
    let name = escape::text(name);
    let body = format!(
        "<header><h1>{name}<small>its parts, nothing measured</small></h1></header><main>{main}</main>"
    );
    page(&name, &body)
}

/// Title and body are ready HTML.
fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title>\n<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )
}

/// The run inside a page made by [`html`]; `None` if the page holds none.
pub fn embedded_run(page: &str) -> Option<Result<Run, ReadRunError>> {
    let (_, rest) = page.split_once(JSON_OPEN)?;
    let (json, _) = rest.split_once(JSON_CLOSE)?;
    Some(Run::from_json(json))
}

/// A table; headers ending in `>` are right-aligned together with their column. Cells are ready HTML.
fn table(headers: &[&str], rows: &[Vec<String>]) -> String {
    let class = |i: usize| if headers[i].ends_with('>') { " class=\"num\"" } else { "" };
    let mut out = String::from("<div class=\"scroll\"><table><thead><tr>");
    for (i, header) in headers.iter().enumerate() {
        out += &format!("<th{}>{}</th>", class(i), escape::text(header.trim_end_matches('>')));
    }
    out += "</tr></thead><tbody>";
    for row in rows {
        out += "<tr>";
        for (i, cell) in row.iter().enumerate() {
            out += &format!("<td{}>{cell}</td>", class(i));
        }
        out += "</tr>";
    }
    out + "</tbody></table></div>"
}
