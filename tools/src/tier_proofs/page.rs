//! The page of the book.

use super::{Hits, Interval, Record, Results, RowRecord, Setting, Storage, Told};

const HEAD: &str = include_str!("page.md");

pub(super) fn page(results: &Results) -> String {
    let mut text = HEAD.to_string();
    if results.proofs.is_empty() {
        return text + "\n## Results\n\nNo proofs are stored.\n";
    }
    text += &format!(
        "\n## Where\n\n{}. {} or more windows of {} or longer on each side.\n",
        results.machine, results.repeats, results.window
    );
    text += &format!("\n## Results\n\n{}\n", sentence(&results.proofs));
    for record in &results.proofs {
        text += &format!("\n### {}\n\n", title(&record.setting));
        text += "| | off | on, forecast | least to most | on, measured | off by | |\n";
        text += "| --- | ---: | ---: | --- | ---: | ---: | --- |\n";
        for row in &record.proof.rows {
            text += &format!("| {} |\n", cells(row).join(" | "));
        }
        text += &format!(
            "\n{}: {}.{}\n",
            word(&record.proof),
            record.proof.sentence,
            of_server(&record.proof)
        );
    }
    text
}

fn title(setting: &Setting) -> String {
    let of = |sessions: u32| match sessions {
        1 => "1 session".to_string(),
        n => format!("{n} sessions"),
    };
    let ms = |us: u64| us as f64 / 1e3;
    match setting {
        Setting::Log { flush_us, sessions } => {
            format!("Log tier: flushes {} ms longer, {}", ms(*flush_us), of(*sessions))
        }
        Setting::Reads { read_us, keys, sessions } => {
            format!("Read cache: reads {} ms longer, `{keys}`, {}", ms(*read_us), of(*sessions))
        }
        Setting::Lookups { read_us, keys, sessions } => format!(
            "PostgreSQL on a read cache: reads {} ms longer, `{keys}`, {}",
            ms(*read_us),
            of(*sessions)
        ),
    }
}

/// What a server's pool and the page cache had to do with it.
fn of_server(proof: &Told) -> String {
    let percent = |share: Option<f64>| {
        share.map_or("unknown".to_string(), |share| format!("{:.0} %", share * 100.0))
    };
    let storage = proof.storage.map(|Storage { off, on, .. }| {
        format!(
            " Of what the server read, {} reached storage without the cache and {} with it.",
            percent(off),
            percent(on)
        )
    });
    let hits = proof.hits.map(|Hits { least, most, by_read_time, reads_per_lookup, .. }| {
        format!(
            " A lookup read {reads_per_lookup:.2} blocks; of the reads {} to {} were forecast to be hits, and the measured time of a read is that of {}.",
            percent(Some(least)),
            percent(Some(most)),
            by_read_time.map_or("no share".to_string(), |share| percent(Some(share)))
        )
    });
    storage.unwrap_or_default() + &hits.unwrap_or_default()
}

fn word(proof: &Told) -> &'static str {
    match proof.outcome.as_str() {
        "agrees" => "Agrees",
        "contradicted" => "Contradicted",
        "not_told" => "Not told",
        _ => "Open",
    }
}

fn cells(row: &RowRecord) -> [String; 7] {
    let show = |value: Option<f64>| value.map_or("-".to_string(), |value| shown(&row.unit, value));
    let between = match (row.on_low, row.on_high) {
        (Some(low), Some(high)) => format!("{} to {}", show(Some(low)), show(Some(high))),
        (Some(low), None) => format!("{} or more", show(Some(low))),
        _ => "-".to_string(),
    };
    let measured = row.measured.map_or("-".to_string(), |Interval { value, low, high }| {
        let [value, low, high] = [value, low, high].map(|value| shown(&row.unit, value));
        format!("{value} ({low} to {high})")
    });
    let off_by =
        row.over_forecast.map_or("-".to_string(), |over| format!("{:+.0} %", (over - 1.0) * 100.0));
    let holds = match row.holds {
        Some(true) => "holds",
        Some(false) => "**contradicted**",
        None => "",
    };
    [row.name.clone(), show(row.off), show(row.on), between, measured, off_by, holds.to_string()]
}

fn shown(unit: &str, value: f64) -> String {
    match unit {
        "us" if value >= 1e3 => format!("{:.2} ms", value / 1e3),
        "us" => format!("{value:.0} µs"),
        "bytes_per_s" => format!("{:.1} MB/s", value / 1e6),
        _ => format!("{value:.0}/s"),
    }
}

/// A proof for a terminal.
pub(super) fn lines(proof: &Told) -> String {
    let rows = proof.rows.iter().map(|row| format!("  {}\n", cells(row).join(" | ")));
    rows.collect::<String>() + &format!("  {}: {}", word(proof), proof.sentence)
}

/// All of it in a sentence or two.
pub(super) fn sentence(proofs: &[Record]) -> String {
    let count = |outcome: &str| proofs.iter().filter(|of| of.proof.outcome == outcome).count();
    // The first rate of each: a server's has its reads beside its transactions.
    let rates = proofs.iter().filter_map(|of| of.proof.rows.iter().find(|row| row.unit == "per_s"));
    let mut off: Vec<f64> =
        rates.filter_map(|row| row.over_forecast).map(|over| (over - 1.0).abs()).collect();
    off.sort_by(f64::total_cmp);
    let spread = match off.as_slice() {
        [] => String::new(),
        off => format!(
            " The forecast of the rate was off by {:.0} % at the median, {:.0} % at most.",
            off[off.len() / 2] * 100.0,
            off[off.len() - 1] * 100.0
        ),
    };
    format!(
        "Of {} forecasts {} agree with what was measured and would have been contradicted by no effect, {} would agree with no effect too, {} are contradicted, {} give no rate.{spread}",
        proofs.len(),
        count("agrees"),
        count("not_told"),
        count("contradicted"),
        count("open")
    )
}
