//! The answer in sentences: what the workload does, what each place would give, which to take, whether a proof held.

use narrows_model::{CommitFigure, Comparison, DurabilityWord, Interval, Placement, Validity};
use narrows_units::{OpsPerSecond, significant};

/// All of them.
pub fn sentences(comparison: &Comparison) -> Vec<String> {
    let Some((first, others)) = comparison.placements.split_first() else { return Vec::new() };
    let mut said = Vec::new();
    let Some(own) = first.measured.as_ref() else {
        return vec!["nothing is predicted: the database was not measured".to_string()];
    };
    said.push(format!(
        "{} sessions commit {} with WAL in {}.",
        comparison.sessions,
        OpsPerSecond(own.commits.rate_per_s),
        first.folder
    ));
    said.extend(emulation(first));
    if let Some(ceiling) = &comparison.ceiling {
        said.push(format!(
            "With fsync off, before the others, it was {}{}: about what WAL without flushes gives.",
            OpsPerSecond(ceiling.rate_per_s),
            ceiling.interval_95.as_ref().map_or_else(String::new, plus_minus)
        ));
    }
    said.push(advice(first, others));
    said.extend(proof(others));
    said
}

/// What the emulation gives on the first place, and how much doubt that puts into every prediction.
fn emulation(first: &Placement) -> Option<String> {
    let over = first.measured_over_predicted?;
    let gives = format!(
        "The emulation gives {} there, {}",
        first.predicted.map_or(String::new(), |p| OpsPerSecond(p.rate_per_s).to_string()),
        off(1.0 / over)
    );
    Some(match &first.measured_over_predicted_95 {
        None => format!("{gives}; every prediction is uncertain by that much."),
        Some(interval) => format!(
            "{gives} repeat by repeat (95 %: {} to {}); every prediction is uncertain by the farther end.",
            off(1.0 / interval.high),
            off(1.0 / interval.low)
        ),
    })
}

/// ` ±15 %`.
fn plus_minus(interval: &Interval) -> String {
    format!(" ±{} %", significant(interval.relative_half_width() * 100.0, 2))
}

/// `2.1 % less`.
fn off(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    format!("{:.1} % {}", percent.abs(), if percent < 0.0 { "less" } else { "more" })
}

/// The place with the most, of those that may be recommended at all.
fn advice(first: &Placement, others: &[Placement]) -> String {
    let own = match first.measured.as_ref() {
        Some(measured) => &measured.commits,
        None => return String::new(),
    };
    let takeable: Vec<&Placement> = others.iter().filter(|place| may_be_taken(place)).collect();
    let gains: Vec<_> =
        takeable.iter().filter_map(|place| Some((place, gain(place, own)?))).collect();
    let best = gains.iter().filter(|(_, gain)| gain.sure).max_by(|a, b| a.1.by.total_cmp(&b.1.by));
    let left_out: Vec<String> = others.iter().filter_map(left_out).collect();
    let mut said = match best {
        Some((place, gain)) => format!(
            "Move WAL to {}: {:+.0} % {}, durability {}.",
            place.folder,
            gain.by * 100.0,
            if gain.measured { "measured" } else { "expected" },
            place.durability.words()
        ),
        None if takeable.is_empty() => "None of the other locations is allowed.".to_string(),
        None if gains.is_empty() => {
            "What the other allowed locations would give is unknown.".to_string()
        }
        None => "No allowed location is shown to give more than the first one.".to_string(),
    };
    for out in left_out {
        said += &format!(" {out}");
    }
    said
}

/// What a place gains over the first one.
struct Gain {
    by: f64,
    /// Beyond both doubts, and resting on nothing suspect.
    sure: bool,
    /// By the database itself, and not by the prediction.
    measured: bool,
}

/// A measurement of the database there goes before what was predicted for it.
fn gain(place: &Placement, own: &CommitFigure) -> Option<Gain> {
    let measured = place.measured.as_ref().map(|there| there.commits);
    let there = measured.or(place.predicted)?;
    let apart = match (there.interval_95, own.interval_95) {
        (Some(there), Some(here)) => there.low > here.high,
        _ => false,
    };
    Some(Gain {
        by: there.rate_per_s / own.rate_per_s - 1.0,
        sure: apart && place.validity == Validity::Valid,
        measured: measured.is_some(),
    })
}

/// Whether it may be recommended: never where nothing survives the power by construction, or was seen not to, or where what is behind
/// may be this machine's memory.
fn may_be_taken(place: &Placement) -> bool {
    !place.in_memory && place.unseen.is_none() && place.durability != DurabilityWord::Refuted
}

fn left_out(place: &Placement) -> Option<String> {
    if place.in_memory {
        return Some(format!(
            "{} is in memory: it shows what a fast medium would give and can hold no WAL.",
            place.folder
        ));
    }
    if let Some(why) = &place.unseen {
        return Some(format!(
            "{} is not recommended: {why}, and what is behind it cannot be seen.",
            place.folder
        ));
    }
    (place.durability == DurabilityWord::Refuted)
        .then(|| format!("{} lost acknowledged records after a power cut.", place.folder))
}

/// What the database says about the predictions: each of them is confirmed, not contradicted, or fails.
fn proof(others: &[Placement]) -> Option<String> {
    let proved: Vec<&Placement> = others.iter().filter(|place| place.agrees.is_some()).collect();
    let all = proved.len();
    let agree = |place: &&&Placement| place.agrees == Some(true);
    let open: Vec<&str> = proved
        .iter()
        .filter(agree)
        .filter(|place| place.confirms == Some(false))
        .map(|place| place.name.as_str())
        .collect();
    let confirmed = proved.iter().filter(agree).count() - open.len();
    let reaches = "there the interval is so wide that it includes the first location's rate";
    let said = match (confirmed, open.len()) {
        _ if all == 0 => return None,
        (confirmed, 0) => format!("PostgreSQL itself confirms {confirmed} of {all} predictions."),
        (0, open) => format!(
            "PostgreSQL itself does not contradict {open} of {all} predictions, and confirms none: {reaches}."
        ),
        (confirmed, _) => format!(
            "PostgreSQL itself confirms {confirmed} of {all} predictions and does not contradict that of {}: {reaches}.",
            open.join(", ")
        ),
    };
    let failed: Vec<String> = proved
        .iter()
        .filter(|place| place.agrees == Some(false))
        .map(|place| {
            let why = place.reason.as_deref().unwrap_or("no reason is known");
            format!(" {} fails: {why}.", place.name)
        })
        .collect();
    Some(said + &failed.concat())
}
