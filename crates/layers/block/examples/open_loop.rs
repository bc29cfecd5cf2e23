//! What the generator itself can do, without a device: rates of the open loop asked and achieved, and the cost of an
//! operation in a closed loop. Run on a quiet machine:
//!
//! ```sh
//! cargo run --release -p narrows-layer-block --example open_loop
//! ```
//!
//! A Poisson process itself scatters: of n operations due by 1/√n, at 10,000 a second in 5 s by 0.45 %. `of due` is what
//! was achieved of what its schedule held.
//!
//! With `--closed DEPTH OPERATIONS` as arguments it runs only that many operations of a closed loop, for counting
//! instructions: `valgrind --tool=callgrind --toggle-collect='*Hot*run*'`.

use std::error::Error;
use std::time::Duration;

use narrows_engine::{Arrivals, Context, Silent, Stop};
use narrows_io::{Access, Op, TestFile};
use narrows_layer_block::{
    Limit, Load, Mix, Region, Scenario, Stream, StreamOutcome, Then, run_scenario,
};
use narrows_observe::Watch;

const RATES: [f64; 6] = [10e3, 150e3, 300e3, 600e3, 1.2e6, 2.4e6];
const REPEATS: u32 = 3;
const WINDOW: Duration = Duration::from_secs(5);

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let stop = Stop::new();
    let ctx = Context {
        stop: &stop,
        progress: &Silent,
        seed: 1,
        repeats: REPEATS,
        quick: false,
        window: WINDOW,
    };
    // Nothing is read from it: the null way has no device.
    let file = TestFile::existing(&std::env::current_exe()?, None)?;
    if let [word, depth, operations] = args.as_slice()
        && word == "--closed"
    {
        return closed(&ctx, &file, depth.parse()?, operations.parse()?);
    }
    println!("open loop, one thread, no device; windows of {WINDOW:?}");
    println!(
        "{:>10} {:>9} {:>12} {:>8} {:>10} {:>10} {:>6}",
        "asked/s", "arrivals", "achieved/s", "off %", "late p50", "late p99", "CPU"
    );
    for rate in RATES {
        for arrivals in [Arrivals::Poisson, Arrivals::Constant] {
            for repeat in 0..REPEATS {
                open(&ctx, &file, rate, arrivals, u64::from(repeat))?;
            }
        }
    }
    println!("closed loop, one thread, no device");
    for depth in [1, 4, 32, 128] {
        let stream = reads(&file, Load::Closed { depth });
        let outcome = once(&ctx, stream, 1)?;
        let each_ns = 1e9 / outcome.throughput_per_s();
        println!("depth {depth:>4}: {each_ns:6.1} ns per operation");
    }
    Ok(())
}

fn reads(file: &TestFile, load: Load) -> Stream {
    let stream = Stream::reads("null", Region::of(file), 4096, load.in_flight(), Access::null());
    Stream { load, mix: Mix::only(Op::Read), ..stream }
}

fn once(ctx: &Context<'_>, stream: Stream, seed: u64) -> Result<StreamOutcome, Box<dyn Error>> {
    let scenario = Scenario::of(stream, Duration::from_millis(200), ctx.window, seed);
    Ok(run_scenario(ctx, &scenario, &Watch::none())?.remove(0))
}

fn open(
    ctx: &Context<'_>,
    file: &TestFile,
    rate_per_s: f64,
    arrivals: Arrivals,
    seed: u64,
) -> Result<(), Box<dyn Error>> {
    let load = Load::Open { rate_per_s, arrivals, most_in_flight: 4096 };
    let outcome = once(ctx, reads(file, load), seed)?;
    let achieved = outcome.throughput_per_s();
    let Some(open) = &outcome.open else { return Err("not an open loop".into()) };
    let late = |q| open.lateness.quantile(q).unwrap_or(0);
    println!(
        "{rate_per_s:>10.0} {:>9} {achieved:>12.0} {:>8.3} {:>8.3} {:>7} ns {:>7} ns {:>6.2}",
        arrivals.word(),
        100.0 * (achieved / rate_per_s - 1.0),
        100.0 * (outcome.operations() as f64 / open.due as f64 - 1.0),
        late(0.5),
        late(0.99),
        outcome.busiest,
    );
    Ok(())
}

/// A closed loop of so many operations, and nothing else.
fn closed(
    ctx: &Context<'_>,
    file: &TestFile,
    depth: u32,
    operations: u64,
) -> Result<(), Box<dyn Error>> {
    let mut stream = reads(file, Load::Closed { depth });
    stream.limit = Some(Limit { operations, then: Then::EndStream });
    let scenario = Scenario::of(stream, Duration::ZERO, Duration::from_secs(3600), 1);
    let outcome = run_scenario(ctx, &scenario, &Watch::none())?.remove(0);
    println!("{} operations", outcome.operations());
    Ok(())
}
