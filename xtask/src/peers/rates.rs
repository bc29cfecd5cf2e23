//! Open loops: is the rate that was asked for the rate that was sent?

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::{Arrivals, Context};
use narrows_io::Access;
use narrows_layer_block::{Load, Region, Scenario, Stream, run_scenario};
use narrows_observe::Watch;

use super::{ROUNDS, WINDOW, figure, fio};

const FILE_BYTES: u64 = 64 << 20;
const RATES_PER_S: [f64; 4] = [10e3, 150e3, 300e3, 600e3];
const IN_FLIGHT: u32 = 1024;

pub(super) const TITLE: &str = "## Rates asked for and sent";

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let version = fio::version();
    let mut text = format!(
        "Poisson arrivals against a device that answers at once, one thread; {}. A schedule of n arrivals scatters by \
         1/√n around its rate (0.6 % at 10 k/s here, 0.07 % at 600 k/s), so ours is also compared with its own schedule: \
         sent of due.\n\n\
         | asked | narrows sent | of asked | sent of due | p99 of lateness | fio, `rate_process=poisson` | of asked |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
        version.as_deref().unwrap_or("fio is not installed here"),
    );
    let file = narrows_layer_block::prepare(ctx, folder, FILE_BYTES, ctx.seed)?;
    for asked in RATES_PER_S {
        let (mut sent, mut of_due, mut late_ns, mut theirs) = (vec![], vec![], vec![], vec![]);
        for round in 0..ROUNDS {
            let seed = ctx.seed ^ (u64::from(round) << 20);
            let mut stream =
                Stream::reads("rate", Region::of(&file), 4096, IN_FLIGHT, Access::null());
            stream.load = Load::Open {
                rate_per_s: asked,
                arrivals: Arrivals::Poisson,
                most_in_flight: IN_FLIGHT,
            };
            let warm_up = Duration::from_millis(200);
            let scenario = Scenario::of(stream, warm_up, WINDOW, seed);
            let outcome = run_scenario(ctx, &scenario, &Watch::none())?.remove(0);
            if let Some(open) = &outcome.open {
                sent.push(open.sent as f64 * 1e9 / outcome.window_ns as f64);
                of_due.push(open.sent as f64 / open.due as f64);
                late_ns.extend(open.lateness.quantile(0.99).map(|ns| ns as f64));
            }
            if version.is_some() {
                theirs.push(fio_rate(asked)?);
            }
        }
        let rate = |samples: &[f64]| figure(samples, |rate| format!("{:.2} k/s", rate / 1e3));
        let of = |samples: &[f64]| figure(samples, |rate| format!("{:.4}", rate / asked));
        text += &format!(
            "| {:.0} k/s | {} | {} | {} | {} | {} | {} |\n",
            asked / 1e3,
            rate(&sent),
            of(&sent),
            figure(&of_due, |share| format!("{share:.4}")),
            figure(&late_ns, |ns| format!("{:.1} µs", ns / 1e3)),
            rate(&theirs),
            of(&theirs),
        );
    }
    Ok(text + "\n")
}

fn fio_rate(asked: f64) -> Result<f64> {
    let mut options: Vec<String> =
        ["--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g", "--time_based"]
            .map(String::from)
            .into();
    options.extend(["--rate_process=poisson", "--norandommap"].map(String::from));
    options.push(format!("--rate_iops={asked:.0}"));
    options.push(format!("--runtime={}", WINDOW.as_secs()));
    fio::number(&fio::job(&options)?["read"]["iops"])
}
