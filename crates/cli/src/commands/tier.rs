//! `narrows tier`: what a tier in front of storage would give.

use std::path::Path;

use anyhow::Result;
use narrows_cost::{Basis, Given, Range};
use narrows_model::Run;
use narrows_runner::exit::Outcome;
use narrows_runner::failure::Failure;
use narrows_runner::tiers;
use narrows_tier_forecast::{
    CURVE_BYTES_MAX, Curve, Forecast, LogNow, LogTier, Quantity, ReadNow, ReadTier, log_tier,
    read_tier,
};

use crate::args::Format;
use crate::args::tier::{ForecastTier, LogTierArgs, ReadTierArgs, TierArgs, TierCommand};
use crate::{Exit, output};

/// Prints the forecast.
pub fn tier(args: &TierArgs) -> Result<Exit> {
    let TierCommand::Forecast(args) = &args.command;
    match &args.tier {
        ForecastTier::Log(args) => log(args),
        ForecastTier::Reads(args) => reads(args),
    }
}

fn print(forecast: &Forecast, format: Format) -> Result<Exit> {
    output::document(&narrows_report::tier(forecast), format)?;
    Ok(Outcome::answered(forecast.answers()).exit())
}

fn log(args: &LogTierArgs) -> Result<Exit> {
    let (run, now) = match &args.run {
        Some(name) => {
            let (run, now) = tiers::commits(name, args.workload.as_deref())?;
            (Some(run), with_given(args, now))
        }
        None => (None, given_commits(args)),
    };
    let (medium_us, now) = medium(args, run.as_ref(), now)?;
    let added_us = match &args.fabric {
        Some(name) => Some(tiers::way(name)?),
        None => args.added.as_ref().map(|added| of(Some(added), "--added")),
    };
    let tier = LogTier {
        medium_us,
        added_us,
        growth: args.growth.as_ref().map(|growth| of(Some(growth), "--growth")),
        backing_bytes_per_s: of(args.backing.as_ref(), "--backing"),
        size_bytes: of(args.log_size.as_ref(), "--log-size"),
    };
    print(&log_tier(&now, &tier).map_err(tiers::refused)?, args.format)
}

/// Of a run, what it may not know.
fn with_given(args: &LogTierArgs, now: LogNow) -> LogNow {
    LogNow {
        cpus: instead(args.cpus.as_ref(), "--cpus", now.cpus),
        wal_bytes: instead(
            args.wal_per_transaction.as_ref(),
            "--wal-per-transaction",
            now.wal_bytes,
        ),
        ..now
    }
}

fn medium(args: &LogTierArgs, run: Option<&Run>, now: LogNow) -> Result<(Given, LogNow)> {
    match &args.medium {
        Some(name) => tiers::medium(name, run, args.workload.as_deref(), now),
        None => Ok((of(args.medium_flush.as_ref(), "--medium-flush"), now)),
    }
}

fn given_commits(args: &LogTierArgs) -> LogNow {
    let one = || Given::of(Some(Range::exact(1.0)), Basis::Described, "one is taken (--commits)");
    LogNow {
        from: "given figures".to_string(),
        unit: "transactions".to_string(),
        rate_per_s: of(args.rate.as_ref(), "--rate"),
        sessions: of(args.sessions.as_ref(), "--sessions"),
        commits: args.commits.as_ref().map_or_else(one, |n| of(Some(n), "--commits")),
        commit_wait_us: of(args.commit_wait.as_ref(), "--commit-wait"),
        flush_us: of(args.flush.as_ref(), "--flush"),
        device_us: None,
        cpu_us: of(args.cpu_per_transaction.as_ref(), "--cpu-per-transaction"),
        cpus: of(args.cpus.as_ref(), "--cpus"),
        locks_us: None,
        locks_through_commit: None,
        unqueued_us: None,
        limits: Vec::new(),
        ladder_per_s: None,
        wal_bytes: of(args.wal_per_transaction.as_ref(), "--wal-per-transaction"),
        asked: false,
        no_law: None,
        doubts: Vec::new(),
    }
}

fn reads(args: &ReadTierArgs) -> Result<Exit> {
    let now = match &args.run {
        Some(name) => {
            let now = tiers::reads(name, args.workload.as_deref())?;
            ReadNow {
                cpus: instead(args.cpus.as_ref(), "--cpus", now.cpus),
                block_bytes: instead(args.block.as_ref(), "--block", now.block_bytes),
                ..now
            }
        }
        None => given_reads(args),
    };
    let curve = args.curve.as_deref().map(curve).transpose()?;
    let counted = args.blocks_hit.as_ref().zip(args.blocks_read.as_ref());
    let tier = ReadTier {
        hit_us: of(Some(&args.tier_read), "--tier-read"),
        miss_added_us: args.miss_added.as_ref().map(|added| of(Some(added), "--miss-added")),
        size_bytes: of(args.tier_size.as_ref(), "--tier-size"),
        curve,
        hits: args.hits.as_ref().map(|hits| of(Some(hits), "--hits")),
        counted: counted.map(|(hit, read)| [hit.range.value, read.range.value]),
    };
    print(&read_tier(&now, &tier).map_err(tiers::refused)?, args.format)
}

fn given_reads(args: &ReadTierArgs) -> ReadNow {
    ReadNow {
        from: "given figures".to_string(),
        rate_per_s: of(args.rate.as_ref(), "--rate"),
        sessions: of(args.sessions.as_ref(), "--sessions"),
        read_us: of(args.read.as_ref(), "--read"),
        cpu_us: of(args.cpu_per_read.as_ref(), "--cpu-per-read"),
        cpus: of(args.cpus.as_ref(), "--cpus"),
        locks_us: None,
        flushes_us: None,
        besides_us: None,
        block_bytes: of(args.block.as_ref(), "--block"),
        limits: Vec::new(),
        asked: false,
        no_law: None,
        doubts: Vec::new(),
    }
}

/// A file's curve, read no further than any goes.
fn curve(file: &Path) -> Result<Curve> {
    let name = file.display().to_string();
    let text = narrows_files::read_text(file, CURVE_BYTES_MAX).map_err(|refused| {
        let hint = "name a file of lines with a size and the share that a cache of that size misses, as in 64GiB,0.42";
        Failure::hinted(format!("--curve {name}: {refused}"), hint)
    })?;
    Curve::parse(&name, &text).map_err(tiers::refused)
}

/// A figure with the option that gave it; unknown without it.
fn of(given: Option<&Quantity>, option: &str) -> Given {
    let source = match given {
        Some(given) => format!("{option} {}", given.text),
        None => format!("not given ({option})"),
    };
    Given::of(given.map(|given| given.range), Basis::Described, source)
}

/// The figure that is given, else the one that is known.
fn instead(given: Option<&Quantity>, option: &str, known: Given) -> Given {
    if given.is_some() { of(given, option) } else { known }
}
