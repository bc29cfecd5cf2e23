//! Measured demands on described platforms.

use narrows_units::{OpsPerSecond, significant};

use super::rows::{binds, widening};
use crate::demand::Fit;
use crate::error::printable;

/// As JSON; keys end in their units.
pub fn fits_json(fits: &[Fit]) -> String {
    // Plain structures of numbers and text always have a JSON form.
    serde_json::to_string_pretty(fits).unwrap_or_default() + "\n"
}

/// For people.
pub fn fits_table(fits: &[Fit]) -> String {
    let mut out = format!(
        "{:<18}{:<24}{:>13}{:>13}{:>10}\n",
        "demand", "platform", "measured", "ceiling", "fits"
    );
    for fit in fits {
        let cut = |text: &str, to: usize| printable(text).chars().take(to).collect::<String>();
        let ceiling = fit.ceiling_per_s.map_or("-".to_string(), |c| OpsPerSecond(c).to_string());
        let times = fit.times().map_or("-".to_string(), |t| format!("{} ×", significant(t, 3)));
        out += &format!(
            "{:<18}{:<24}{:>13}{ceiling:>13}{times:>10}\n",
            cut(&fit.workload, 17),
            cut(&fit.platform, 23),
            OpsPerSecond(fit.measured_per_s).to_string(),
        );
        if !fit.binding.is_empty() {
            let all: Vec<String> = fit.binding.iter().map(binds).collect();
            out += &format!("  binds: {}\n", printable(&all.join("; ")));
        }
        if let Some(best) = fit.widen.first() {
            out += &format!("  widen first: {}\n", printable(&widening(best)));
        }
    }
    let mut notes: Vec<&String> = fits.iter().flat_map(|fit| &fit.notes).collect();
    notes.sort();
    notes.dedup();
    for note in notes {
        out += &format!("not reckoned: {}\n", printable(note));
    }
    out += "Processor time is that of the measured server; other processors take more or less of it.\n";
    out
}
