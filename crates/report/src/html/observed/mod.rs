//! A server that was only looked at, on the page: the figures, the sessions over time, who used the CPUs, log and checkpoints,
//! settings and build.

mod history;
mod log;
mod processors;
mod settings;

use narrows_model::Observation;

use super::escape::text;
use crate::observed::ObservedView;
use crate::report::Report;

pub(super) fn sections(report: &Report) -> String {
    let several = report.observed.len() > 1;
    let section = |id: &str, title: &str, of: &dyn Fn(&ObservedView, &Observation) -> String| {
        let pairs = report.observed.iter().zip(&report.run.observations);
        let bodies = pairs.map(|(view, seen)| match of(view, seen) {
            body if several && !body.is_empty() => {
                format!("<h3>{}</h3>{body}", text(&view.heading))
            }
            body => body,
        });
        match bodies.collect::<String>() {
            body if body.is_empty() => body,
            body => format!("<section id=\"{id}\"><h2>{title}</h2>{body}</section>"),
        }
    };
    [
        section("history", "Sessions over time", &|_, seen| history::body(seen)),
        section("processors", "Who used the CPUs", &|_, seen| processors::body(seen)),
        section("wal", "Log and checkpoints", &|_, seen| log::body(seen, report.units)),
        section("settings", "Settings and build", &|view, seen| settings::body(view, seen)),
    ]
    .concat()
}
