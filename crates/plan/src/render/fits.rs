//! Measured demands on described platforms.

use narrows_units::{OpsPerSecond, significant};

use super::csv::quoted;
use super::lines::{paragraph, push};
use super::markdown::cell;
use super::rows::{binds, widening};
use crate::demand::Fit;
use crate::error::printable;

/// What the processors' part of the answer rests on.
const PROCESSORS: &str =
    "Processor time is that of the measured server; other processors take more or less of it.";

/// As JSON; keys end in their units.
pub fn fits_json(fits: &[Fit]) -> String {
    // Plain structures of numbers and text always have a JSON form.
    serde_json::to_string_pretty(fits).unwrap_or_default() + "\n"
}

/// For a terminal.
pub fn fits_table(fits: &[Fit], width: usize) -> String {
    let mut out = String::new();
    let head = ["demand", "platform", "measured", "ceiling", "fits"];
    line(&mut out, head.map(str::to_string));
    for fit in fits {
        line(&mut out, row(fit));
        paragraph(&mut out, "  binds", &binding(fit), width);
        if let Some(best) = fit.widen.first() {
            paragraph(&mut out, "  widen first", &widening(best), width);
        }
    }
    out.push('\n');
    for note in notes(fits) {
        paragraph(&mut out, "not reckoned", note, width);
    }
    push(&mut out, PROCESSORS);
    out
}

/// One table.
pub fn fits_markdown(fits: &[Fit]) -> String {
    let mut out =
        "| demand | platform | measured | ceiling | fits | binds | widen first |\n".to_string();
    out += "| --- | --- | ---: | ---: | ---: | --- | --- |\n";
    for fit in fits {
        let widen = fit.widen.first().map(widening).unwrap_or_default();
        let cells = row(fit).into_iter().chain([binding(fit), widen]).map(|text| cell(&text));
        out += &format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "));
    }
    out.push('\n');
    for note in notes(fits) {
        out += &format!("- not reckoned: {}\n", cell(note));
    }
    out += &format!("\n{PROCESSORS}\n");
    out
}

/// One row for each demand and platform; units stand in the column's names.
pub fn fits_csv(fits: &[Fit]) -> String {
    let mut out =
        "demand,platform,measured_per_s,ceiling_per_s,fits_times,binding,widen_first\n".to_string();
    for fit in fits {
        let number = |value: Option<f64>| value.map_or(String::new(), |v| v.to_string());
        let names: Vec<&str> = fit.binding.iter().map(|b| b.component.as_str()).collect();
        let first = fit.widen.first().map(|widen| widen.components.join("; "));
        let cells = [
            quoted(&fit.workload),
            quoted(&fit.platform),
            fit.measured_per_s.to_string(),
            number(fit.ceiling_per_s),
            number(fit.times()),
            quoted(&names.join("; ")),
            quoted(&first.unwrap_or_default()),
        ];
        push(&mut out, &cells.join(","));
    }
    out
}

fn row(fit: &Fit) -> [String; 5] {
    let unknown = || "-".to_string();
    [
        fit.workload.clone(),
        fit.platform.clone(),
        OpsPerSecond(fit.measured_per_s).to_string(),
        fit.ceiling_per_s.map_or_else(unknown, |rate| OpsPerSecond(rate).to_string()),
        fit.times().map_or_else(unknown, |times| format!("{} ×", significant(times, 3))),
    ]
}

fn line(out: &mut String, [demand, platform, measured, ceiling, times]: [String; 5]) {
    let cut = |text: &str, to: usize| printable(text).chars().take(to).collect::<String>();
    let (demand, platform) = (cut(&demand, 19), cut(&platform, 31));
    push(out, &format!("{demand:<20}{platform:<32}{measured:>13}{ceiling:>13}{times:>12}"));
}

fn binding(fit: &Fit) -> String {
    fit.binding.iter().map(binds).collect::<Vec<_>>().join("; ")
}

fn notes(fits: &[Fit]) -> Vec<&String> {
    let mut notes: Vec<&String> = fits.iter().flat_map(|fit| &fit.notes).collect();
    notes.sort();
    notes.dedup();
    notes
}
