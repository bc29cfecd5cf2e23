//! Open loops: is the rate that was asked for the rate that was sent?

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::{Arrivals, Context};
use narrows_io::{Access, TestFile};
use narrows_layer_block::{Load, Region, Scenario, Stream, run_scenario};
use narrows_observe::Watch;

use super::fio::Fio;
use super::{ROUNDS, WINDOW, figure};

const FILE_BYTES: u64 = 64 << 20;
/// Asked per second; and how long a window is, seconds. A slow Poisson stream scatters more, so it is watched longer.
const RATES: [(f64, u64); 4] =
    [(10e3, 5), (150e3, WINDOW.as_secs()), (300e3, WINDOW.as_secs()), (600e3, WINDOW.as_secs())];
const IN_FLIGHT: u32 = 1024;
/// How far the rate of all rounds together may be from the one asked for.
const WITHIN: f64 = 0.005;

pub(super) const TITLE: &str = "## Rates asked for and sent";

/// What one of our windows gave.
struct Sent {
    per_s: f64,
    of_due: f64,
    late_p99_ns: f64,
}

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let fio = Fio::found().into_iter().next();
    let name = fio.as_ref().map_or("fio is not installed here", |fio| fio.version.as_str());
    let mut text = format!(
        "Poisson arrivals against a device that answers at once, one thread; {name}; windows of 2 s, at 10 k/s of 5 s. A \
         schedule of n arrivals scatters by 1/√n around its rate (0.45 % at 10 k/s here, 0.09 % at 600 k/s), so ours is also \
         compared with its own schedule: sent of due. Rates are means of all rounds.\n\n\
         | asked | narrows sent | of asked | sent of due | p99 of lateness | fio, `rate_process=poisson` | of asked |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    );
    let file = narrows_layer_block::prepare(ctx, folder, FILE_BYTES, ctx.seed)?;
    let mut missed = Vec::new();
    for (asked_per_s, seconds) in RATES {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            ours.push(sent(ctx, &file, (asked_per_s, seconds), round)?);
            if let Some(fio) = &fio {
                theirs.push(fio.poisson_rate(asked_per_s, seconds)?);
            }
        }
        let sent_per_s: Vec<f64> = ours.iter().map(|sent| sent.per_s).collect();
        let asked = format!("{:.0} k/s", asked_per_s / 1e3);
        if mean(&sent_per_s).is_none_or(|rate| (rate / asked_per_s - 1.0).abs() > WITHIN) {
            missed.push(asked.clone());
        }
        let of_due: Vec<f64> = ours.iter().map(|sent| sent.of_due).collect();
        let late_ns: Vec<f64> = ours.iter().map(|sent| sent.late_p99_ns).collect();
        text += &format!(
            "| {asked} | {} | {} | {} | {} |\n",
            rate(&sent_per_s, asked_per_s),
            figure(&of_due, |share| format!("{share:.4}")),
            figure(&late_ns, |ns| format!("{:.1} µs", ns / 1e3)),
            rate(&theirs, asked_per_s),
        );
    }
    let outcome = match &missed[..] {
        [] => "**reached** at each".into(),
        missed => format!("**missed** at {}", missed.join(", ")),
    };
    Ok(text
        + &format!("\n- Sent within {:.1} % of the rate asked for: {outcome}.\n\n", WITHIN * 100.0))
}

/// Their mean in thousands, and its share of what was asked, as two cells.
fn rate(samples: &[f64], asked_per_s: f64) -> String {
    mean(samples)
        .map_or("- | -".into(), |mean| format!("{:.2} k/s | {:.4}", mean / 1e3, mean / asked_per_s))
}

fn mean(samples: &[f64]) -> Option<f64> {
    (!samples.is_empty()).then(|| samples.iter().sum::<f64>() / samples.len() as f64)
}

fn sent(
    ctx: &Context<'_>,
    file: &TestFile,
    (rate_per_s, seconds): (f64, u64),
    round: u32,
) -> Result<Sent> {
    let seed = ctx.seed ^ (u64::from(round) << 20);
    let mut stream = Stream::reads("rate", Region::of(file), 4096, IN_FLIGHT, Access::null());
    stream.load = Load::Open { rate_per_s, arrivals: Arrivals::Poisson, most_in_flight: IN_FLIGHT };
    let lengths = (Duration::from_millis(200), Duration::from_secs(seconds));
    let scenario = Scenario::of(stream, lengths.0, lengths.1, seed);
    let outcome = run_scenario(ctx, &scenario, &Watch::none())?.remove(0);
    let open = outcome.open.context("an open loop says nothing of its arrivals")?;
    let late = open.lateness.quantile(0.99).context("nothing was sent")?;
    Ok(Sent {
        per_s: open.sent as f64 * 1e9 / outcome.window_ns as f64,
        of_due: open.sent as f64 / open.due as f64,
        late_p99_ns: late as f64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_the_mean_beside_what_was_asked() {
        assert_eq!(rate(&[10_000.0, 10_100.0], 10e3), "10.05 k/s | 1.0050");
        assert_eq!(rate(&[], 10e3), "- | -");
    }
}
