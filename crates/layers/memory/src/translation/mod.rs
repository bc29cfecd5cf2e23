//! What address translation costs a pool of up to a terabyte: loads that depend on each other, one line a page, over a range of addresses
//! as large as the pool, whose page tables are as large as the pool's.
//!
//! A database's pool is far larger than what the TLB covers, and on 4 KiB pages its page tables (8 bytes a page: 2 GiB for a terabyte)
//! are larger than the caches: most loads then wait for an entry of the table from memory before they can begin. A walk over as much
//! memory as a test may touch doesn't show that. But only the tables have to be large: a small file in memory is mapped again and
//! again, side by side, until the addresses cover the pool. One line of each of its pages is read, 512 KiB in all, which a second-level
//! cache holds; the tables don't fit it. What a load takes more than over as many lines of one large page is translation, and what the
//! tables' entries push out of the caches. The order is computed, not stored: a linear congruential generator whose next value takes
//! in the word that was loaded, so that no load can begin before the last one ended; where it ends proves that all were made and gave
//! the right word. That the tables are as large as a pool's is in the kernel's own count of them (`VmPTE`), and no page is entered while
//! it is walked (minor faults).
//!
//! Not seen: tables on another node, and in a virtual machine the second translation of the data's own pages by the hypervisor, which are
//! few here; that of the guest's tables is seen. Both would make it more: the figure is a lower bound there.
//!
//! Sources: Intel SDM volume 3, 4.10 (caching translation information); Hull and Dobell, "Random number generators", 1962 (period).

mod aliased_pool;
mod lines;

use narrows_engine::{Context, LiveValue, Phase, Samples, after_window};
use narrows_facts::affinity;
use narrows_model::{Layer, Measurement, PlannedStep, Series, Unit, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use self::aliased_pool::{AliasedPool, FILE_BYTES};
use self::lines::{Lines, OnePage, SAMPLE, follow};
use crate::access_path::AccessPath;
use crate::chase::LINE;
use crate::mapping::{BASE, HUGE, MapError, Pages};
use crate::sizing::TooLittle;
use crate::{Measured, MemoryError};

/// Pools that are walked, bytes: from what a second-level TLB nearly covers.
const LEAST: u64 = 256 << 20;
/// What a terabyte's tables take on 4 KiB pages is asked for by `--thorough` alone.
const MOST: u64 = 1 << 40;
const USUAL: u64 = 256 << 30;
const QUICK: u64 = 16 << 30;
/// Bytes of page tables for each page: one entry of the lowest level, and a little for those above.
const TABLE_BYTES: u64 = 9;
/// No more than this part of what may be taken is taken by tables.
const PART_FOR_TABLES: u64 = 2;
const FIRST_STEPS: u64 = 1 << 12;
/// Loads before the first sample, at most.
const WARM_UP: u64 = 1 << 22;
/// Loads between two looks at the stop token.
const PIECE: u64 = 1 << 17;
/// The name of the series: x in bytes, values in ns.
const SERIES: &str = "curve.translation";

/// The id on such pages.
pub fn id(pages: Pages) -> String {
    format!("memory.translation.{}", pages.word())
}

/// Pools to walk over, ascending, bytes: every fourth power of two up to the largest that may be had.
fn sizes(pages: Pages, wanted: u64, room_bytes: Option<u64>) -> Vec<u64> {
    let (page_bytes, wanted) = match pages {
        Pages::Base => (BASE, wanted),
        // Tables of large pages cost next to nothing.
        _ => (HUGE, MOST),
    };
    let for_tables = room_bytes.unwrap_or(u64::MAX) / PART_FOR_TABLES;
    let fits = |size: &u64| *size / page_bytes * TABLE_BYTES <= for_tables;
    let mut size = LEAST;
    let all = std::iter::from_fn(|| {
        let this = size;
        size *= 4;
        (this <= wanted).then_some(this)
    });
    all.filter(fits).collect()
}

/// The largest pool on 4 KiB pages.
fn wanted(ctx: &Context, thorough: bool) -> u64 {
    match (thorough, ctx.quick) {
        (true, _) => MOST,
        (false, false) => USUAL,
        (false, true) => QUICK,
    }
}

/// What [`measure`] will do, and for how long.
pub fn planned(ctx: &Context, thorough: bool, room_bytes: Option<u64>) -> PlannedStep {
    let largest =
        |pages| sizes(pages, wanted(ctx, thorough), room_bytes).last().copied().unwrap_or(0);
    let gib = largest(Pages::Base) as f64 / (1u64 << 30) as f64;
    let samples = f64::from(ctx.repeats.max(1)) * SAMPLE.as_secs_f64() * 2.0 * 14.0;
    PlannedStep {
        layer: Layer::Memory,
        what: format!(
            "address translation of pools of up to {} on 4 KiB pages",
            narrows_units::Bytes(largest(Pages::Base)).iec()
        ),
        // Entering and removing a page takes some 30 ns each.
        expected_s: gib * 262_144.0 * 60e-9 + samples,
        writes_bytes: 0,
    }
}

/// What a load costs by pool, on 4 KiB and on 2 MiB pages, from the place's CPU.
///
/// # Errors
/// When asked to stop, or when the thread can't be kept on its CPU.
pub fn measure(
    ctx: &Context,
    place: &AccessPath,
    thorough: bool,
    room_bytes: Option<u64>,
    watch: &Watch,
    measured: &mut Measured,
) -> Result<(), MemoryError> {
    for pages in [Pages::Base, Pages::Huge] {
        let sizes = sizes(pages, wanted(ctx, thorough), room_bytes);
        if sizes.is_empty() {
            let too_little = TooLittle {
                free_bytes: room_bytes.unwrap_or(0),
                least_bytes: LEAST / BASE * TABLE_BYTES * PART_FOR_TABLES,
                limited_by: "memory available",
            };
            measured.leave_out(id(pages), &MapError::TooLittle(too_little));
            continue;
        }
        let walked = std::thread::scope(|scope| {
            let walking = scope.spawn(|| {
                affinity::pin(&[place.cpu])
                    .map_err(|reason| MemoryError::Pin { cpu: place.cpu, reason })?;
                walk(ctx, place, pages, &sizes, watch)
            });
            walking.join().expect("the walking thread does not panic")
        })?;
        match walked {
            Ok(measurement) => measured.measurements.push(measurement),
            Err(refused) => measured.leave_out(id(pages), &refused),
        }
    }
    Ok(())
}

fn walk(
    ctx: &Context,
    place: &AccessPath,
    pages: Pages,
    sizes: &[u64],
    watch: &Watch,
) -> Result<Result<Measurement, MapError>, MemoryError> {
    let largest = sizes.last().copied().unwrap_or(LEAST);
    let mut pool = match AliasedPool::new(pages, largest) {
        Ok(pool) => pool,
        Err(refused) => return Ok(Err(refused)),
    };
    let (mut samples, mut errors) = (Samples::new(), 0u64);
    let mut costs: Vec<(u64, Vec<f64>)> = Vec::new();
    let sentinel_before = narrows_observe::sentinel();
    let before = watch.snapshot();
    let mut last = None;
    for &size in sizes {
        ctx.progress.phase(Layer::Memory, Phase::Prepare, &id(pages));
        match pool.grow(size, ctx.stop) {
            Ok(()) => {}
            Err(MapError::Stopped(stopped)) => return Err(stopped.into()),
            // Smaller pools were walked: that is what there is.
            Err(_) if !costs.is_empty() => break,
            Err(refused) => return Ok(Err(refused)),
        }
        let detail = after_window(&format!("{} {} MiB", id(pages), size >> 20), last);
        ctx.progress.phase(Layer::Memory, Phase::Measure, &detail);
        let over_pool = Lines::of_pool(&pool, size);
        let of_size = samples_of(ctx, &over_pool, &mut errors)?;
        last = narrows_stats::median(&of_size).map(LiveValue::Nanos);
        costs.push((size, of_size));
    }
    let one_page = match OnePage::new(ctx.stop) {
        Ok(page) => page,
        Err(MapError::Stopped(stopped)) => return Err(stopped.into()),
        Err(refused) => return Ok(Err(refused)),
    };
    let without = samples_of(ctx, &one_page.lines(FILE_BYTES / pool.page_bytes), &mut errors)?;
    let seen = watch.since(&before);
    crate::add_seen(&mut samples, &seen);
    crate::add_sentinel(&mut samples, sentinel_before, narrows_observe::sentinel());
    if let Err(refused) = pool.verify() {
        return Ok(Err(refused));
    }
    samples.add(metric::ERRORS, errors as f64);
    Ok(Ok(into_measurement(ctx, place, (pages, &pool), samples, (&costs, &without))))
}

/// ns a load in each repeat, after as many loads as there are lines (up to [`WARM_UP`]) and one sample: what the caches keep of the
/// tables is in them then.
fn samples_of(ctx: &Context, lines: &Lines<'_>, errors: &mut u64) -> Result<Vec<f64>, MemoryError> {
    let (mut state, mut steps) = (ctx.seed, FIRST_STEPS);
    let mut costs = Vec::new();
    let mut left = (1u64 << lines.pieces_log2).min(WARM_UP);
    while left > 0 {
        ctx.stop.check()?;
        let this = left.min(PIECE);
        // SAFETY: as in `sample`.
        state = unsafe { follow(lines, state, this) };
        left -= this;
    }
    for repeat in 0..=ctx.repeats.max(1) {
        ctx.stop.check()?;
        let (ns, right) = lines.sample(&mut state, &mut steps);
        *errors += u64::from(!right);
        if repeat > 0 {
            costs.push(ns);
        }
    }
    Ok(costs)
}

fn into_measurement(
    ctx: &Context,
    place: &AccessPath,
    (pages, pool): (Pages, &AliasedPool),
    mut samples: Samples,
    (costs, without): (&[(u64, Vec<f64>)], &[f64]),
) -> Measurement {
    let repeats = ctx.repeats.max(1) as usize;
    let (largest, at_largest) = costs.last().expect("a pool was walked");
    for repeat in 0..repeats {
        samples.add(metric::COST, at_largest[repeat]);
        samples.add(metric::TRANSLATION_COST, at_largest[repeat] - without[repeat]);
    }
    let middle = |costs: &[f64]| narrows_stats::median(costs).unwrap_or(f64::NAN);
    let alone = middle(without);
    let mut measurement = Measurement::new(id(pages), Layer::Memory);
    measurement.repeats = repeats as u32;
    measurement.series = (0..repeats)
        .map(|repeat| Series {
            name: SERIES.to_string(),
            unit: Unit::NsPerOp,
            repeat: repeat as u32,
            t0_ns: 0,
            interval_ns: 0,
            x: costs.iter().map(|(size, _)| *size as f64).collect(),
            values: costs.iter().map(|(_, of_size)| of_size[repeat] - without[repeat]).collect(),
        })
        .collect();
    measurement.metrics = samples.into_metrics();
    let workload = &mut measurement.workload;
    workload.insert(condition::PATTERN, json!("random"));
    workload.insert(condition::POOL_BYTES, json!(largest));
    workload.insert(condition::LINE_BYTES, json!(LINE));
    workload.insert(condition::CPU, json!(place.cpu));
    workload.insert(condition::SEED, json!(ctx.seed));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::PAGE_BYTES, json!(pool.page_bytes));
    conditions.insert(condition::COST_WITHOUT_TRANSLATION_NS, json!(alone));
    if *largest < MOST
        && let Some((least, most)) = at_a_terabyte(costs, alone)
    {
        conditions.insert(condition::AT_1_TIB_NS, json!([least, most]));
    }
    conditions.insert(
        condition::NODE_NOT_VERIFIED,
        json!("page tables lie where the kernel puts them, on the node of the CPU if it has room"),
    );
    measurement
}

/// What a pool of a terabyte would pay, ns, at least and at most: no less than the largest that was walked; at most as much more with each
/// fourfold size as the last step that was seen took, or as the mean of all steps where that is more.
fn at_a_terabyte(costs: &[(u64, Vec<f64>)], without: f64) -> Option<(f64, f64)> {
    let middle = |at: usize| Some(narrows_stats::median(&costs.get(at)?.1)? - without);
    let last = costs.len().checked_sub(1)?;
    let (first_ns, before_ns, last_ns) = (middle(0)?, middle(last.checked_sub(1)?)?, middle(last)?);
    let step = (last_ns - before_ns).max((last_ns - first_ns) / last as f64).max(0.0);
    let steps = f64::from((MOST / costs[last].0).ilog2()) / 2.0;
    Some((last_ns, last_ns + step * steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_are_as_large_as_their_tables_may_be() {
        assert_eq!(sizes(Pages::Base, MOST, None), [28u32, 30, 32, 34, 36, 38, 40].map(|n| 1 << n));
        assert_eq!(sizes(Pages::Base, USUAL, None).last(), Some(&(256 << 30)));
        // A terabyte on 4 KiB pages takes 2.25 GiB of tables, which may be half of the room.
        assert_eq!(sizes(Pages::Base, MOST, Some(4 << 30)).last(), Some(&(256 << 30)));
        assert_eq!(sizes(Pages::Base, MOST, Some(5 << 30)).last(), Some(&(1 << 40)));
        assert_eq!(sizes(Pages::Huge, USUAL, Some(64 << 20)).last(), Some(&(1 << 40)));
        assert!(sizes(Pages::Base, MOST, Some(1 << 20)).is_empty());
    }

    #[test]
    fn a_terabyte_is_between_the_last_and_as_much_more_as_was_seen_to_grow() {
        let costs = |values: &[f64]| -> Vec<(u64, Vec<f64>)> {
            values.iter().enumerate().map(|(at, v)| (1 << (34 + 2 * at), vec![*v])).collect()
        };
        // 16, 64 and 256 GiB; one fourfold step is left.
        assert_eq!(at_a_terabyte(&costs(&[20.0, 30.0, 45.0]), 5.0), Some((40.0, 55.0)));
        // The last step was the smallest: the mean of all counts.
        assert_eq!(at_a_terabyte(&costs(&[20.0, 40.0, 41.0]), 1.0), Some((40.0, 50.5)));
        assert_eq!(at_a_terabyte(&costs(&[20.0]), 1.0), None, "one point is no line");
    }
}
