//! Places for the log beside each other, as Markdown.

use narrows_model::{CommitFigure, Comparison, Placement, Validity};

use super::{plain, table};
use crate::log::tiers;
use crate::print::{half_width, percent, rate, time};
use crate::report::Report;

/// What each place gives, predicted and measured.
pub(super) fn places(report: &Report, out: &mut String) {
    let Some(comparison) = &report.run.comparison else { return };
    out.push_str("## Places for the log\n\n");
    for sentence in &comparison.sentences {
        out.push_str(&format!("{}\n\n", plain(sentence)));
    }
    let header = [
        "place",
        "write, flush",
        "wait",
        "emulated",
        "predicted",
        "± 95 %",
        "measured",
        "± 95 %",
        "p99",
        "",
        "durability, remark",
    ];
    let rows: Vec<Vec<String>> =
        comparison.placements.iter().map(|place| row(comparison, place)).collect();
    table(out, &header, &[1, 2, 3, 4, 5, 6, 7, 8], &rows);
    for tier in tiers(comparison) {
        let rows: Vec<Vec<String>> =
            tier.rows.iter().map(|cells| cells.iter().map(|cell| plain(cell)).collect()).collect();
        let names = tier.names.map(|name| plain(&name));
        let header = ["log tier", &names[0], &names[1], "by the figures"];
        table(out, &header, &[1, 2, 3], &rows);
    }
}

fn row(comparison: &Comparison, place: &Placement) -> Vec<String> {
    let dash = || "-".to_string();
    let usable = place.validity != Validity::Invalid;
    let first = comparison.placements.first().is_some_and(|first| first.name == place.name);
    let mark = match place.validity {
        Validity::Valid => "",
        Validity::Suspect => " ?",
        Validity::Invalid => " invalid",
    };
    let ns = |ns: Option<f64>| ns.filter(|_| usable).map_or_else(dash, time);
    let per_s = |f: Option<CommitFigure>| f.map_or_else(dash, |f| rate(f.rate_per_s));
    let half = |f: Option<CommitFigure>| {
        f.and_then(|f| half_width(f.interval_95.as_ref())).map_or_else(dash, percent)
    };
    let emulated = place.emulated.as_ref().filter(|_| usable);
    // Of the first place the emulation is all there is to predict.
    let predicted = place.predicted.filter(|_| usable && !first);
    let database = place.measured.as_ref().filter(|_| usable);
    let measured = database.map(|database| database.commits);
    let held = match place.agrees {
        None => "",
        Some(true) => "holds",
        Some(false) => "fails",
    };
    let word = if place.in_memory { "not durable" } else { place.durability.words() };
    let why = &place.durability_sentence;
    let mut remark =
        if why.starts_with(word) { plain(why) } else { format!("{word}: {}", plain(why)) };
    if let Some(reason) = &place.reason {
        remark += &format!("; {}", plain(reason));
    }
    vec![
        format!(
            "{}{mark}: {}, {}",
            plain(&place.name),
            plain(&place.folder),
            plain(&place.file_system)
        ),
        ns(emulated.and_then(|e| e.parallel_write_ns)),
        ns(emulated.and_then(|e| e.log_file_sync_ns)),
        per_s(emulated.map(|e| e.commits)),
        per_s(predicted),
        half(predicted),
        per_s(measured),
        half(measured),
        ns(database.and_then(|database| database.latency_p99_ns)),
        held.to_string(),
        remark,
    ]
}
