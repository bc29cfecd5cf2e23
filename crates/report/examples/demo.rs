//! Renders the test fixture: `cargo run -p narrows-report --example demo -- text|html|markdown|csv|json [which]`
//! where `which` is `rich` (default), `quick`, `interrupted`, `doubtful`, `no-database` or `hostile`; of storage alone
//! `calibrated`, `interfered`, `botched`, `unreachable`, `unlimited` or `loads`; of the commit log `laddered`,
//! `streams` or `compared`; of a server that was looked at `observed`; or a run file's name.

#[allow(dead_code)] // The tests use the rest.
#[path = "../tests/it/common/mod.rs"]
mod common;

use narrows_model::{CalibrationEnd, Run};
use narrows_report::{Report, Units};

fn read(file: &str) -> Run {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("cannot read {file}: {e}"));
    Run::from_json(&text).unwrap_or_else(|e| panic!("{file} is no run: {e}"))
}

fn main() {
    let format = std::env::args().nth(1).unwrap_or_else(|| "text".into());
    let which = std::env::args().nth(2).unwrap_or_else(|| "rich".into());
    let run = match which.as_str() {
        "quick" => common::quick(),
        "interrupted" => common::interrupted(),
        "doubtful" => common::doubtful(),
        "no-database" => common::without_database(),
        "hostile" => common::hostile(),
        "calibrated" => common::storage::calibrated(),
        "interfered" => common::storage::interfered(),
        "botched" => common::storage::botched(),
        "unreachable" => common::storage::unfound(CalibrationEnd::Unreachable),
        "unlimited" => common::storage::unfound(CalibrationEnd::Unlimited),
        "loads" => common::storage::loads(),
        "laddered" => common::log::laddered(),
        "streams" => common::log::streams(),
        "compared" => common::log::compared(),
        "observed" => common::observed::observed(),
        file if file.ends_with(".json") => read(file),
        _ => common::rich(),
    };
    let report = Report::new(&run, Units::Si);
    let out = match format.as_str() {
        "html" => narrows_report::html(&report),
        "markdown" => narrows_report::markdown(&report),
        "csv" => narrows_report::csv(&report),
        "json" => narrows_report::json(&report),
        _ => narrows_report::text(&report, 100, std::env::var_os("COLOUR").is_some()),
    };
    print!("{out}");
}
