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

use std::io;
use std::marker::PhantomData;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::ptr::NonNull;
use std::time::{Duration, Instant};

use narrows_engine::{Context, LiveValue, Phase, Samples, Stop, after_window};
use narrows_facts::{affinity, process};
use narrows_model::{Layer, Measurement, PlannedStep, Series, Unit, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::access_path::AccessPath;
use crate::chase::LINE;
use crate::mapping::{BASE, HUGE, MapError, Mapping, Pages, base_page_bytes, map};
use crate::sizing::TooLittle;
use crate::{Measured, MemoryError};

/// The file that is mapped again and again: so large that a terabyte takes half of the mappings that a process may have
/// (`vm.max_map_count`, 65,530 by default).
const FILE_BYTES: u64 = 32 << 20;
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
/// One sample.
const SAMPLE: Duration = Duration::from_millis(10);
const FIRST_STEPS: u64 = 1 << 12;
/// Loads before the first sample, at most.
const WARM_UP: u64 = 1 << 22;
/// Loads between two looks at the stop token.
const PIECE: u64 = 1 << 17;
/// The generator: Knuth's MMIX multiplier, odd increment.
const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 1_442_695_040_888_963_407;
/// The word that is everywhere in the file.
const WORD: u64 = 0x6e61_7272_6f77_7301;
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

/// Lines that are read, one in each of so many equal pieces of addresses.
struct Lines<'a> {
    at: *const u8,
    /// Logarithm of the number of pieces.
    pieces_log2: u32,
    /// Logarithm of the bytes of a piece.
    piece_log2: u32,
    /// In neighbouring pieces it is another line, up to so many: at one place of each page they would share a few sets of a cache.
    places: u64,
    /// What has to stay mapped.
    _memory: PhantomData<&'a ()>,
}

impl<'a> Lines<'a> {
    /// Of each page of the first `bytes` of a pool.
    fn of_pool(pool: &'a AliasedPool, bytes: u64) -> Lines<'a> {
        assert!(
            bytes <= pool.populated && bytes.is_power_of_two(),
            "only what can be read is read"
        );
        Lines {
            at: pool.first(),
            pieces_log2: (bytes / pool.page_bytes).ilog2(),
            piece_log2: pool.page_bytes.ilog2(),
            places: BASE / LINE as u64,
            _memory: PhantomData,
        }
    }

    /// ns a load, and whether they ended where they should and no page was entered meanwhile.
    fn sample(&self, state: &mut u64, steps: &mut u64) -> (f64, bool) {
        loop {
            let from = *state;
            let before = faults();
            let (cpu_ns, began) = (process::thread_cpu_ns(), Instant::now());
            // SAFETY: whoever made these lines has them mapped, readable and populated for as long.
            *state = unsafe { follow(self, from, *steps) };
            let cpu_ns = process::thread_cpu_ns() - cpu_ns;
            let right = *state == jump(from, *steps) && faults() - before <= FEW_FAULTS;
            if began.elapsed() >= SAMPLE / 2 || !right {
                return (cpu_ns as f64 / *steps as f64, right);
            }
            *steps *= 2;
        }
    }
}

/// Pages of the program's own that a sample may meet for the first time.
const FEW_FAULTS: i64 = 16;

/// Pages that the kernel entered for this thread so far.
fn faults() -> i64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` is valid for writing one rusage, and all-zero bytes are one.
    unsafe {
        libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr());
        usage.assume_init().ru_minflt
    }
}

/// The loads. The number of a piece is the state's highest bits, which have the longest periods.
///
/// # Safety
/// All lines are readable.
#[inline(never)]
unsafe fn follow(lines: &Lines<'_>, mut state: u64, steps: u64) -> u64 {
    let (at, shift, piece_log2) = (lines.at, 64 - lines.pieces_log2, lines.piece_log2);
    let mask = lines.places - 1;
    for _ in 0..steps {
        let piece = state >> shift;
        let offset = (piece << piece_log2) | ((piece & mask) * LINE as u64);
        // SAFETY: the caller's promise; the line lies in its piece.
        let word = unsafe { std::ptr::read_volatile(at.add(offset as usize).cast::<u64>()) };
        state = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT).wrapping_add(word);
    }
    state
}

/// As many lines next to each other on one large page (where there is none, on as few pages as they fill).
struct OnePage(Mapping);

impl OnePage {
    fn new(stop: &Stop) -> Result<OnePage, MapError> {
        let mut mapping = Mapping::new(HUGE, Pages::Any, None, stop)?;
        mapping.words_mut().fill(WORD);
        Ok(OnePage(mapping))
    }

    /// `count` lines, a power of two, or as many as the page has.
    fn lines(&self, count: u64) -> Lines<'_> {
        let count = count.clamp(64, self.0.len() as u64 / LINE as u64);
        Lines {
            at: self.0.as_ptr(),
            pieces_log2: count.ilog2(),
            piece_log2: LINE.ilog2(),
            places: 1,
            _memory: PhantomData,
        }
    }
}

/// Where the generator is after so many steps, by squaring: `x → a x + c` twice is `a² x + (a + 1) c`.
fn jump(state: u64, steps: u64) -> u64 {
    let (mut a, mut c) = (MULTIPLIER, INCREMENT.wrapping_add(WORD));
    let (mut times, mut add, mut left) = (1u64, 0u64, steps);
    while left > 0 {
        if left & 1 == 1 {
            times = times.wrapping_mul(a);
            add = add.wrapping_mul(a).wrapping_add(c);
        }
        c = c.wrapping_mul(a.wrapping_add(1));
        a = a.wrapping_mul(a);
        left >>= 1;
    }
    state.wrapping_mul(times).wrapping_add(add)
}

/// Addresses of a pool that show one small file again and again.
struct AliasedPool {
    file: OwnedFd,
    at: NonNull<u8>,
    reserved: usize,
    populated: u64,
    page_bytes: u64,
    /// This process's page tables before, bytes; `None` where the kernel doesn't say.
    tables_before: Option<u64>,
}

impl AliasedPool {
    /// Addresses for `most` bytes; nothing of them can be read before [`AliasedPool::grow`].
    fn new(pages: Pages, most: u64) -> Result<AliasedPool, MapError> {
        let bytes = usize::try_from(most).unwrap_or(usize::MAX);
        let failed = |reason| MapError::Map { bytes, reason };
        if base_page_bytes() != BASE {
            return Err(MapError::OtherBase { page_bytes: base_page_bytes() });
        }
        let (file, page_bytes) = match pages {
            Pages::Base => (filled_file(0).map_err(failed)?, BASE),
            _ => (huge_file()?, HUGE),
        };
        let reserved = bytes.saturating_add(HUGE as usize);
        // SAFETY: a new private mapping at an address of the kernel's choice, that nobody can read yet; the result is checked.
        let whole = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                reserved,
                libc::PROT_NONE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if whole == libc::MAP_FAILED {
            return Err(failed(io::Error::last_os_error()));
        }
        let at =
            NonNull::new(whole.cast()).ok_or_else(|| failed(io::Error::other("mapped at zero")))?;
        let tables_before = table_bytes();
        Ok(AliasedPool { file, at, reserved, populated: 0, page_bytes, tables_before })
    }

    /// Maps the file over and over until the first `bytes` can be read, and lets the kernel enter every page.
    fn grow(&mut self, bytes: u64, stop: &Stop) -> Result<(), MapError> {
        while self.populated < bytes {
            stop.check()?;
            let step = FILE_BYTES as usize;
            // The reservation has a huge page more than the pool: the pool begins at its first aligned address.
            let address = self.first().wrapping_add(self.populated as usize);
            // SAFETY: the range lies inside our own reservation, of which nothing was handed out that is replaced here.
            let mapped = unsafe {
                libc::mmap(
                    address.cast(),
                    step,
                    libc::PROT_READ,
                    libc::MAP_SHARED | libc::MAP_FIXED | libc::MAP_POPULATE,
                    self.file.as_raw_fd(),
                    0,
                )
            };
            if mapped == libc::MAP_FAILED {
                return Err(MapError::Map { bytes: step, reason: io::Error::last_os_error() });
            }
            self.populated += FILE_BYTES;
        }
        Ok(())
    }

    fn first(&self) -> *mut u8 {
        let at = self.at.as_ptr();
        at.wrapping_add(at.align_offset(HUGE as usize))
    }

    /// Whether the tables grew as they do for pages of the size that was wanted.
    fn verify(&self) -> Result<(), MapError> {
        let Some((before, now)) = self.tables_before.zip(table_bytes()) else {
            let reason = io::Error::other("the kernel does not say how large page tables are");
            return Err(MapError::Map { bytes: self.reserved, reason });
        };
        let grown = now.saturating_sub(before);
        let of_small = self.populated / BASE * 8;
        let as_wanted = match self.page_bytes {
            BASE => grown as f64 >= 0.95 * of_small as f64,
            _ => grown <= of_small / 16,
        };
        if as_wanted {
            return Ok(());
        }
        let what =
            format!("page tables of {grown} bytes for {} bytes of addresses", self.populated);
        Err(MapError::Map { bytes: self.reserved, reason: io::Error::other(what) })
    }
}

/// This process's page tables, bytes: `VmPTE` of `/proc/self/status`.
fn table_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmPTE:"))?;
    Some(line.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

/// A file in memory of that word.
fn filled_file(flags: libc::c_uint) -> io::Result<OwnedFd> {
    // SAFETY: the name is a C string; the result is checked.
    let raw =
        unsafe { libc::memfd_create(c"narrows-translation".as_ptr(), libc::MFD_CLOEXEC | flags) };
    if raw < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that was just made and belongs to nobody else.
    let file = unsafe { OwnedFd::from_raw_fd(raw) };
    // SAFETY: an open descriptor of ours.
    if unsafe { libc::ftruncate(file.as_raw_fd(), FILE_BYTES as libc::off_t) } != 0 {
        return Err(io::Error::last_os_error());
    }
    let whole = Whole::map(&file)?;
    // Where shared memory gets large pages unasked, these are to be small. Refused where there are none, and for the explicit pool.
    let _ = whole.advise(libc::MADV_NOHUGEPAGE);
    // Never by touching: a page that the pool can't give would be a SIGBUS.
    whole.advise(libc::MADV_POPULATE_WRITE)?;
    whole.fill();
    Ok(file)
}

/// The same on 2 MiB pages: of the explicit pool, or joined afterwards (`MADV_COLLAPSE`, Linux 6.1), whatever the settings for new pages.
fn huge_file() -> Result<OwnedFd, MapError> {
    let pool = match filled_file(libc::MFD_HUGETLB | libc::MFD_HUGE_2MB) {
        Ok(file) => return Ok(file),
        Err(reason) => reason.to_string(),
    };
    let joined = filled_file(0).and_then(|file| {
        Whole::map(&file)?.advise(MADV_COLLAPSE)?;
        Ok(file)
    });
    joined.map_err(|reason| MapError::NotHuge { pool, transparent: reason.to_string() })
}

/// `MADV_COLLAPSE` of `linux/mman.h`.
const MADV_COLLAPSE: libc::c_int = 25;

/// The whole file, to be written to; aligned to 2 MiB.
struct Whole {
    reserved: NonNull<u8>,
    at: *mut u8,
}

impl Whole {
    fn map(file: &OwnedFd) -> io::Result<Whole> {
        let len = (FILE_BYTES + HUGE) as usize;
        let reserved = map(len, libc::PROT_NONE, 0)
            .map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let at = reserved.as_ptr();
        let at = at.wrapping_add(at.align_offset(HUGE as usize));
        let whole = Whole { reserved, at };
        // SAFETY: the range lies inside our own reservation; the result is checked.
        let mapped = unsafe {
            libc::mmap(
                at.cast(),
                FILE_BYTES as usize,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED | libc::MAP_FIXED,
                file.as_raw_fd(),
                0,
            )
        };
        if mapped == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(whole) }
    }

    fn advise(&self, advice: libc::c_int) -> io::Result<()> {
        // SAFETY: our own mapping; neither advice discards what is in it.
        let result = unsafe { libc::madvise(self.at.cast(), FILE_BYTES as usize, advice) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    fn fill(&self) {
        // SAFETY: mapped, writable, populated, aligned, and known to nobody else.
        let words = unsafe {
            std::slice::from_raw_parts_mut(self.at.cast::<u64>(), FILE_BYTES as usize / 8)
        };
        words.fill(WORD);
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        // SAFETY: this very reservation with what was mapped into it.
        unsafe { libc::munmap(self.reserved.as_ptr().cast(), (FILE_BYTES + HUGE) as usize) };
    }
}

impl Drop for AliasedPool {
    fn drop(&mut self) {
        // SAFETY: this very reservation, with all that was mapped into it; nobody else knows it.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.reserved) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumping_is_walking() {
        let mut state = 42u64;
        for steps in 0..200 {
            assert_eq!(jump(42, steps), state, "{steps} steps");
            state = state.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT).wrapping_add(WORD);
        }
        assert_eq!(jump(jump(7, 1 << 33), 5), jump(7, (1 << 33) + 5));
    }

    #[test]
    fn a_walk_over_an_aliased_pool_reads_the_file_and_its_tables_are_as_large_as_a_pools() {
        let stop = Stop::new();
        let mut pool = match AliasedPool::new(Pages::Base, LEAST) {
            Ok(pool) => pool,
            Err(refused) => return eprintln!("SKIPPED: {refused}"),
        };
        pool.grow(LEAST, &stop).unwrap();
        // 32 MiB of memory show as 256 MiB, on tables of half a MiB.
        pool.verify().unwrap();
        let lines = Lines::of_pool(&pool, LEAST);
        // SAFETY: populated above.
        let end = unsafe { follow(&lines, 9, 10_000) };
        assert_eq!(end, jump(9, 10_000));
        assert_ne!(end, jump(9, 9_999), "a load left out ends elsewhere");
    }

    #[test]
    fn a_wrong_word_ends_elsewhere() {
        let mut page = OnePage::new(&Stop::new()).unwrap();
        // SAFETY: the page lives.
        let walk = |page: &OnePage| unsafe { follow(&page.lines(64), 5, 4096) };
        assert_eq!(walk(&page), jump(5, 4096));
        page.0.words_mut().fill(WORD ^ 1);
        assert_ne!(walk(&page), jump(5, 4096));
    }

    #[test]
    fn tables_that_were_never_entered_are_refused() {
        let Ok(mut pool) = AliasedPool::new(Pages::Base, LEAST) else { return };
        pool.populated = 1 << 38;
        assert!(pool.verify().is_err());
    }

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
