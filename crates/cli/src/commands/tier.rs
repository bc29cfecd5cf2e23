//! `narrows tier`: what a tier in front of storage would give.

use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use anyhow::Result;
use narrows_cost::{Basis, Given, Range};
use narrows_model::Run;
use narrows_runner::exit::Outcome;
use narrows_runner::failure::Failure;
use narrows_runner::request::block::TargetRequest;
use narrows_runner::request::log::PlacementRequest;
use narrows_runner::tier_proof::{
    self, LogTierProof, LookupProofRequest, LookupTierProof, ReadProofRequest, ReadTierProof,
};
use narrows_runner::{execute, tiers};
use narrows_tier_forecast::{
    BUFFERCACHE_BYTES_MAX, Buffercache, CURVE_BYTES_MAX, Curve, Forecast, LogNow, LogTier,
    Popularity, Quantity, ReadNow, ReadTier, Trace, WalCounted, WalTrace, log_tier, read_tier,
};

use crate::args::Format;
use crate::args::db::KeysArg;
use crate::args::tier::{
    CurveArgs, CurveFormat, ForecastTier, LogProofArgs, LogTierArgs, ProofTier, ReadProofArgs,
    ReadTierArgs, TierArgs, TierCommand,
};
use crate::terminal::Terminal;
use crate::{Exit, output};

/// The longest read that is measured, and what it is a multiple of, bytes.
const MOST_READ_BYTES: u64 = 1 << 20;
const SECTOR_BYTES: u64 = 512;
/// A block of PostgreSQL and Oracle, where nothing else is given.
const DATABASE_BLOCK_BYTES: f64 = 8192.0;
/// The shared_buffers of a private server whose reads are measured: small beside any tier.
const POOL_BYTES: u64 = 4 << 20;
/// A trace is read no further.
const MOST_TRACE_BYTES: u64 = 64 << 30;
/// Nor a line of it: what follows is taken as another one.
const LONGEST_LINE_BYTES: u64 = 4096;

/// Prints the forecast, or measures and holds it against that.
pub fn tier(args: TierArgs) -> Result<Exit> {
    match args.command {
        TierCommand::Forecast(args) => match &args.tier {
            ForecastTier::Log(args) => log(args),
            ForecastTier::Reads(args) => reads(args),
        },
        TierCommand::Curve(args) => print_curve(&args),
        TierCommand::Prove(args) => match args.tier {
            ProofTier::Log(args) => prove_log(*args),
            ProofTier::Reads(args) => prove_reads(*args),
        },
    }
}

/// A trace's curve.
fn print_curve(args: &CurveArgs) -> Result<Exit> {
    let curve = traced(&args.trace, args.size as f64)?;
    let text = match args.format {
        CurveFormat::Csv => curve_lines(&curve),
        CurveFormat::Json => curve_object(&curve, args.size)?,
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

fn curve_object(curve: &Curve, block_bytes: u64) -> Result<String> {
    let points = curve.points().iter().map(|(size_bytes, miss)| {
        serde_json::json!({
            "size_bytes": *size_bytes as u64,
            "missed": miss.value,
            "missed_least": miss.low,
            "missed_most": miss.high,
        })
    });
    let points: Vec<serde_json::Value> = points.collect();
    let object =
        serde_json::json!({ "from": curve.from, "block_bytes": block_bytes, "points": points });
    Ok(serde_json::to_string_pretty(&object)? + "\n")
}

/// The lines that `--curve` reads.
fn curve_lines(curve: &Curve) -> String {
    let mut text = format!("size,miss\n# {}\n", curve.from);
    for (size, miss) in curve.points() {
        let share = |value: f64| format!("{:.4}", value * 100.0);
        let (low, high) = (share(miss.low), share(miss.high));
        let ends = if low == high { low } else { format!("{low}..{high}") };
        text += &format!("{}B,{ends}%\n", *size as u64);
    }
    text
}

/// A trace's curve, of blocks of that size.
fn traced(file: &Path, block_bytes: f64) -> Result<Curve> {
    let mut trace = Trace::new(block_bytes as u64);
    let hint = "name a file that blkparse or fio's write_iolog wrote, or - for standard input";
    lines(file, hint, |line| trace.line(line))?;
    trace.curve(&file.display().to_string()).map_err(tiers::refused)
}

/// What WAL comes to that pg_waldump printed.
fn wal_counted(file: &Path) -> Result<WalCounted> {
    let mut trace = WalTrace::new();
    let hint = "name a file that pg_waldump wrote, or - for standard input";
    lines(file, hint, |line| trace.line(line))?;
    trace.counted(&file.display().to_string()).map_err(tiers::refused)
}

/// Gives each line of a trace away until no more are taken.
fn lines(file: &Path, hint: &'static str, mut take: impl FnMut(&str) -> bool) -> Result<()> {
    let name = file.display().to_string();
    let unread = |why: String| Failure::hinted(format!("{name}: {why}"), hint);
    let source: Box<dyn BufRead> = match name.as_str() {
        "-" => Box::new(std::io::stdin().lock()),
        _ => {
            let file = narrows_files::open_plain(file).map_err(|why| unread(why.to_string()))?;
            Box::new(BufReader::new(file))
        }
    };
    let mut source = source.take(MOST_TRACE_BYTES);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = source.by_ref().take(LONGEST_LINE_BYTES).read_until(b'\n', &mut line);
        let is_last = read.map_err(|why| unread(why.to_string()))? == 0;
        if is_last || !take(&String::from_utf8_lossy(&line)) {
            return Ok(());
        }
    }
}

/// The proof that a stored run has, once more.
fn proven(name: &str, format: Format) -> Result<Exit> {
    let proof = tier_proof::stored(name)?;
    output::document(&narrows_report::tier_proof(&proof), format)?;
    Ok(Outcome::answered(proof.answers()).exit())
}

fn prove_reads(args: ReadProofArgs) -> Result<Exit> {
    if let Some(name) = &args.run {
        return proven(name, args.output.format);
    }
    if args.database.is_some() {
        return prove_lookups(args);
    }
    let side = |text: Option<String>| TargetRequest::only_read(&text.unwrap_or_default());
    let block = args.size.clamp(1, MOST_READ_BYTES);
    if block != args.size || !block.is_multiple_of(SECTOR_BYTES) {
        return Err(Failure::hinted(
            format!("--size {}: a read is of 512 bytes to 1 MiB, in whole sectors", args.size),
            "8k is what a database reads",
        ));
    }
    let request = ReadProofRequest {
        off: side(args.off)?,
        on: side(args.on)?,
        tier_bytes: args.tier_size.unwrap_or_default(),
        working_set_bytes: args.working_set / block * block,
        block_bytes: block as u32,
        law: law(args.keys),
        sessions: args.sessions,
        warm_up: args.warm_up,
        repeats: args.repeats,
        window: args.window,
        options: args.output.options(),
    };
    execute::<ReadTierProof>(&request, &Terminal::of(&args.output))
}

fn law(keys: KeysArg) -> Popularity {
    match keys {
        KeysArg::Uniform => Popularity::Uniform,
        KeysArg::Zipf(theta) => Popularity::Zipf { theta },
        KeysArg::Hot(reads_share, blocks_share) => {
            Popularity::HotSpot { blocks_share, reads_share }
        }
    }
}

/// The same by a server with its data on each side.
fn prove_lookups(args: ReadProofArgs) -> Result<Exit> {
    let folder = |side: Option<String>| PathBuf::from(side.unwrap_or_default());
    let request = LookupProofRequest {
        off: folder(args.off),
        on: folder(args.on),
        tier_bytes: args.tier_size.unwrap_or_default(),
        working_set_bytes: args.working_set,
        pool_bytes: args.pool.unwrap_or(POOL_BYTES),
        law: law(args.keys),
        sessions: args.sessions,
        warm_up: args.warm_up,
        repeats: args.repeats,
        window: args.window,
        postgres: args.postgres,
        options: args.output.options(),
    };
    execute::<LookupTierProof>(&request, &Terminal::of(&args.output))
}

fn prove_log(args: LogProofArgs) -> Result<Exit> {
    if let Some(name) = &args.run {
        return proven(name, args.output.format);
    }
    let request = PlacementRequest {
        wal: args.off.into_iter().chain(args.on).collect(),
        option: "OFF or ON",
        data: args.data,
        sessions: args.load.sessions,
        prove: true,
        repeats: args.load.repeats,
        window: args.load.window,
        postgres: args.load.postgres,
        options: args.output.options(),
    };
    execute::<LogTierProof>(&request, &Terminal::of(&args.output))
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
    let wal = args.trace.as_deref().map(wal_counted).transpose()?;
    let held_bytes = wal.as_ref().and_then(|wal| held(wal, args));
    let now = match &wal {
        Some(wal) => by_wal(wal, now),
        None => now,
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
        held_bytes,
    };
    print(&log_tier(&now, &tier).map_err(tiers::refused)?, args.format)
}

/// A server that commits as its WAL has it.
fn by_wal(wal: &WalCounted, now: LogNow) -> LogNow {
    let mut doubts = now.doubts;
    doubts.push(
        "WAL does not say which commits shared a flush, how long they waited, or which did not wait (synchronous_commit=off): --commit-wait and --flush must be of its time"
            .to_string(),
    );
    LogNow {
        from: format!("WAL, and given figures: {}", wal.from()),
        rate_per_s: wal.rate_per_s(),
        wal_bytes: wal.wal_bytes(),
        doubts,
        ..now
    }
}

/// What a tier would have held by it: of the backing's least, and of the growth that is given, or none.
fn held(wal: &WalCounted, args: &LogTierArgs) -> Option<Given> {
    let backing = args.backing.as_ref()?.range;
    let growth = args.growth.as_ref().map_or(Range::exact(1.0), |growth| growth.range);
    let range = Range {
        value: wal.held_bytes(backing.value, growth.value),
        low: wal.held_bytes(backing.high, growth.low),
        high: wal.held_bytes(backing.low, growth.high),
    };
    let source = "WAL as it came, less what the backing takes";
    Some(Given::of(Some(range), Basis::Measured, source))
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
        cpu_unflushed_us: None,
        cpus: of(args.cpus.as_ref(), "--cpus"),
        locks_us: None,
        locks_through_commit: None,
        unqueued_us: None,
        limits: Vec::new(),
        ladder_per_s: None,
        wal_bytes: of(args.wal_per_transaction.as_ref(), "--wal-per-transaction"),
        asked: false,
        no_law: None,
        law_off: 0.0,
        doubts: Vec::new(),
    }
}

fn reads(args: &ReadTierArgs) -> Result<Exit> {
    let now = match &args.run {
        Some(name) => {
            let now = tiers::reads(name, args.workload.as_deref())?;
            ReadNow {
                alone_us: alone(args).or(now.alone_us),
                cpus: instead(args.cpus.as_ref(), "--cpus", now.cpus),
                block_bytes: instead(args.block.as_ref(), "--block", now.block_bytes),
                ..now
            }
        }
        None => given_reads(args),
    };
    let block = now.block_bytes.value.map_or(DATABASE_BLOCK_BYTES, |block| block.value);
    let curve = match (&args.trace, &args.curve) {
        (Some(trace), _) => Some(traced(trace, block)?),
        (None, file) => file.as_deref().map(curve).transpose()?,
    };
    let counted = args.blocks_hit.as_ref().zip(args.blocks_read.as_ref());
    let tier = ReadTier {
        hit_us: of(Some(&args.tier_read), "--tier-read"),
        miss_added_us: args.miss_added.as_ref().map(|added| of(Some(added), "--miss-added")),
        size_bytes: of(args.tier_size.as_ref(), "--tier-size"),
        curve,
        hits: args.hits.as_ref().map(|hits| of(Some(hits), "--hits")),
        counted: counted.map(|(hit, read)| [hit.range.value, read.range.value]),
        pool: pool(&args.buffercache)?,
    };
    print(&read_tier(&now, &tier).map_err(tiers::refused)?, args.format)
}

fn alone(args: &ReadTierArgs) -> Option<Given> {
    args.read_alone.as_ref().map(|alone| of(Some(alone), "--read-alone"))
}

fn given_reads(args: &ReadTierArgs) -> ReadNow {
    ReadNow {
        from: "given figures".to_string(),
        rate_per_s: of(args.rate.as_ref(), "--rate"),
        sessions: of(args.sessions.as_ref(), "--sessions"),
        read_us: of(args.read.as_ref(), "--read"),
        alone_us: alone(args),
        cpu_us: of(args.cpu_per_read.as_ref(), "--cpu-per-read"),
        cpus: of(args.cpus.as_ref(), "--cpus"),
        locks_us: None,
        flushes_us: None,
        besides_us: None,
        block_bytes: of(args.block.as_ref(), "--block"),
        limits: Vec::new(),
        asked: false,
        no_law: None,
        law_off: 0.0,
        doubts: Vec::new(),
    }
}

/// A server's pool and the reads by relation, of one look or between two.
fn pool(files: &[PathBuf]) -> Result<Option<Buffercache>> {
    let one = |file: &PathBuf| {
        let name = file.display().to_string();
        let text = narrows_files::read_text(file, BUFFERCACHE_BYTES_MAX).map_err(|refused| {
            let hint = "`narrows tier forecast reads --help` has the statement that prints it, for psql --csv";
            Failure::hinted(format!("--buffercache {name}: {refused}"), hint)
        })?;
        Buffercache::parse(&name, &text).map_err(tiers::refused)
    };
    match files {
        [] => Ok(None),
        [only] => one(only).map(Some),
        [before, later] => one(before)?.until(one(later)?).map(Some).map_err(tiers::refused),
        _ => Err(Failure::hinted(
            format!("--buffercache is given {} times", files.len()),
            "once for the reads since the counters were reset, twice for those between two looks",
        )),
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
