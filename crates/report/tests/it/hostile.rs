//! A run file is of anybody's making: each of its texts in turn is a hostile one, and no output of it steers a terminal, starts
//! markup, is a formula in a spreadsheet, or turns the direction of reading.

use crate::common;
use std::collections::BTreeSet;

use narrows_model::Run;
use narrows_report::{COLOURS, Report, Units, csv, html, json, markdown, text};
use narrows_units::steers;
use serde_json::Value;

/// What somebody might write in the place of a name. `FORGED` begins a line of its own, `EVIL` stands before what has a meaning in
/// Markdown or in a page's attributes.
const HOSTILE: &str = "cmd|' /C calc'!A0\u{1b}[2J\u{9b}31m\u{7}\u{202e}\u{2066}\u{61c}</script>\
                       <script>alert(1)</script>\nFORGED\r\tEVIL|x EVIL`y EVIL[z](javascript:1) EVIL\"onload=1 EVIL'w";
/// How a formula begins.
const FORMULA: [&str; 6] = ["=", "+", "-", "@", "\t", "\r"];

pub(crate) fn runs() -> Vec<(&'static str, Run)> {
    vec![
        ("rich", common::rich()),
        ("quick", common::quick()),
        ("interrupted", common::interrupted()),
        ("doubtful", common::doubtful()),
        ("without_database", common::without_database()),
        ("observed::observed", common::observed::observed()),
        ("observed::by_statement", common::observed::by_statement()),
        ("memory::study", common::memory::study()),
        ("memory::placement", common::memory::placement()),
        ("memory::aged", common::memory::aged()),
        ("log::laddered", common::log::laddered()),
        ("live::looked", common::live::looked()),
        ("log::streams", common::log::streams()),
        ("log::compared", common::log::compared()),
        ("storage::calibrated", common::storage::calibrated()),
        ("storage::interfered", common::storage::interfered()),
        ("storage::botched", common::storage::botched()),
        ("storage::beside", common::storage::beside()),
        ("storage::loads", common::storage::loads()),
    ]
}

/// Where texts are: each way through objects once, whatever the place in a list.
fn ways(
    value: &Value,
    way: &mut Vec<String>,
    known: &mut BTreeSet<String>,
    found: &mut Vec<Vec<String>>,
) {
    match value {
        Value::String(_) => {
            let pattern: Vec<&str> = way
                .iter()
                .map(|step| if step.parse::<usize>().is_ok() { "*" } else { step.as_str() })
                .collect();
            if known.insert(pattern.join("/")) {
                found.push(way.clone());
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                way.push(index.to_string());
                ways(item, way, known, found);
                way.pop();
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                way.push(name.clone());
                ways(field, way, known, found);
                way.pop();
            }
        }
        _ => {}
    }
}

fn at<'a>(value: &'a mut Value, way: &[String]) -> &'a mut Value {
    way.iter().fold(value, |value, step| match value {
        Value::Array(items) => &mut items[step.parse::<usize>().expect("an index")],
        other => &mut other[step.as_str()],
    })
}

/// The run with this text in that place; `None` where no run file has it there.
fn with(document: &Value, way: &[String], text: &str) -> Option<Run> {
    let mut changed = document.clone();
    *at(&mut changed, way) = Value::String(text.to_string());
    Run::from_json(&changed.to_string()).ok()
}

/// The run with hostile names in the maps whose keys are names.
fn with_keys(document: &Value) -> Option<Run> {
    let mut changed = document.clone();
    let measurement = changed["measurements"].as_array_mut()?.first_mut()?;
    for map in ["workload", "conditions"] {
        let text = format!("={HOSTILE}");
        measurement[map][text.as_str()] = Value::String(text.clone());
    }
    Some(Run::from_json(&changed.to_string()).expect("any name may stand there"))
}

/// What is wrong with a text that is about to be shown.
fn steered(name: &str, shown: &str) -> Result<(), String> {
    let ends = |c: char| c == '\n' || (c == '\r' && name == "CSV");
    match shown.chars().find(|c| steers(*c) && !ends(*c)) {
        Some(c) => Err(format!("{name} holds {:?}", c)),
        None if shown.lines().any(|line| line.trim_start().starts_with("FORGED")) => {
            Err(format!("{name} holds a line that was forged"))
        }
        None => Ok(()),
    }
}

/// The cells of a line of CSV in which no quoted cell goes over its end.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells.last_mut().expect("one at least").push(c),
        }
    }
    cells
}

fn formulas(csv: &str) -> Result<(), String> {
    for cell in csv.lines().flat_map(cells) {
        let number = cell.split(' ').all(|word| word.parse::<f64>().is_ok());
        if cell.trim_start().starts_with(['=', '+', '-', '@']) && !number {
            return Err(format!("CSV has the formula {cell}"));
        }
    }
    Ok(())
}

fn harmless(run: &Run) -> Result<(), String> {
    let report = Report::new(run, Units::Si);
    steered("text", &text(&report, 100, false))?;
    let coloured =
        COLOURS.iter().fold(text(&report, 100, true), |text, ours| text.replace(ours, ""));
    steered("coloured text", &coloured)?;
    let marks = markdown(&report);
    steered("Markdown", &marks)?;
    for start in ["<script", "</script", "EVIL|", "EVIL`", "EVIL["] {
        if marks.contains(start) {
            return Err(format!("Markdown holds {start}"));
        }
    }
    let table = csv(&report);
    steered("CSV", &table)?;
    formulas(&table)?;
    let file = json(&report);
    steered("JSON", &file)?;
    if Run::from_json(&file).ok().as_ref() != Some(run) {
        return Err("JSON is another run".to_string());
    }
    let page = common::without_own_script(&html(&report));
    steered("the page", &page)?;
    let (seen, data) = page.rsplit_once("<script type=\"application/").ok_or("no run")?;
    let (data, after) = data.split_once("</script>").ok_or("no end of the run")?;
    if seen.contains("<script") || data.contains('<') || after.contains("<script") {
        return Err("the page holds a script".to_string());
    }
    for start in ["EVIL\"", "EVIL'"] {
        if seen.contains(start) {
            return Err(format!("the page holds {start}"));
        }
    }
    Ok(())
}

#[test]
fn no_text_of_a_run_file_steers_what_shows_it() {
    let mut known = BTreeSet::new();
    let (mut tried, mut wrong) = (0, Vec::new());
    for (name, run) in runs() {
        let document: Value = serde_json::from_str(&run.to_json()).expect("a run file");
        if let Some(Err(why)) = with_keys(&document).map(|run| harmless(&run)) {
            wrong.push(format!("{name}: names of a map: {why}"));
        }
        let mut found = Vec::new();
        ways(&document, &mut Vec::new(), &mut known, &mut found);
        for way in found {
            let Some(run) = with(&document, &way, &format!("={HOSTILE}")) else { continue };
            tried += 1;
            let mut outcome = harmless(&run);
            for start in FORMULA {
                let run = with(&document, &way, &format!("{start}{HOSTILE}"));
                let run = run.expect("as the other");
                let table = csv(&Report::new(&run, Units::Si));
                outcome = outcome.and(steered("CSV", &table)).and(formulas(&table));
            }
            if let Err(why) = outcome {
                wrong.push(format!("{name}: {}: {why}", way.join("/")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried >= 120, "only {tried} places had a text");
}

/// The checks themselves: each notices what it is there for.
#[test]
fn the_checks_notice_faults() {
    for text in ["a\u{1b}[2J", "a\u{9b}", "a\u{202e}", "a\n FORGED"] {
        assert!(steered("text", text).is_err(), "{text:?}");
    }
    for line in ["a,=1", "a,\"=1,2\"", "-1+2,b", "@x"] {
        assert!(formulas(line).is_err(), "{line}");
    }
    assert!(formulas("a,-1,'=1,-1 -2\r\n").is_ok());
}
