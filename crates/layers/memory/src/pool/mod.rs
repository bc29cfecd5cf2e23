//! Where a running database's memory lies: nodes, policy, page size.
//!
//! Shared memory belongs to no process: each has page tables of its own, in which only what it touched itself is found, so that one
//! process's `numa_maps` shows a part that says little of the whole. So every pool is asked for through all processes that map it:
//! the same pages, by their place in the pool, of one process after the other until the node of each is known (`move_pages` without
//! targets, which moves nothing). What is in nobody's table was not touched yet, or was touched by processes that have ended.
//!
//! Asking takes the right to look into these processes (the same user, or root). Without it the nodes' own counters remain, which
//! anybody may read: how much shared memory and how many huge pages each node holds, whoever's they are.
//!
//! Nothing is touched, mapped or moved. Not here: what is in which pool (that is the database's own to say).

mod ask;
mod counters;
mod maps;
mod told;

pub use ask::{Live as LivePages, Pages};
pub use counters::{Counters, NodeCounters, SysV, counters};
pub use told::{Shape, counted, measurement};

use std::collections::BTreeMap;

use narrows_engine::{Rng, Stop, Stopped};
use narrows_facts::Source;

use self::maps::{Mapped, Tables};
use crate::mapping::{HUGE, base_page_bytes};

/// Pages that are asked for where not every one is.
pub const SAMPLE: u64 = 1 << 16;
/// After so many processes in a row that knew nothing new, the others are not asked.
const IN_VAIN: usize = 32;
/// Processes whose own account of the pool is read: the kernel walks all of its tables for it.
const ACCOUNTS: usize = 4;
/// Of a process that holds more than this in ordinary pages (`resident` of its `statm`) they are not read: the walk holds its `mmap_lock`,
/// some 30 ns a page, and is a tenth of a second of a production server's process at this size, seconds at a terabyte.
const MOST_WALKED_BYTES: u64 = 16 << 30;
/// Pages of a pool that are kept in mind at a time.
const AT_A_TIME: usize = 1 << 20;
/// Pages of a process asked for at a time: a lock of the process is held meanwhile.
const BATCH: usize = 1 << 10;
/// Smaller pools are no database's.
pub const LEAST_BYTES: u64 = 16 << 20;

/// A pool of memory, as one or more processes map it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pool {
    /// As the kernel names it; `private` for what one process has alone.
    pub name: String,
    /// Whether processes share it.
    pub shared: bool,
    /// Length, bytes, as far as it is mapped.
    pub bytes: u64,
    /// Who maps it where, the first process first.
    parts: Vec<MappedRange>,
}

/// A range of a process that shows a part of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
struct MappedRange {
    pid: u32,
    from: u64,
    /// Of the pool.
    offset: u64,
    bytes: u64,
}

impl Pool {
    /// The processes that map it, the first one first.
    pub fn processes(&self) -> Vec<u32> {
        let mut seen = Vec::new();
        for part in &self.parts {
            if !seen.contains(&part.pid) {
                seen.push(part.pid);
            }
        }
        seen
    }
}

/// Where a pool lies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Placement {
    /// Pages that were asked for, by node.
    pub by_node: BTreeMap<u32, u64>,
    /// Pages that were asked for and are in nobody's table.
    pub nowhere: u64,
    /// Pages that the pool has.
    pub pages: u64,
    /// Size of a page, bytes.
    pub page_bytes: u64,
    /// The policy of the first process that says one.
    pub policy: Option<String>,
    /// Bytes that are mapped as huge pages though they were not asked for as such (transparent ones), in the process that has most.
    pub transparent_bytes: u64,
    /// Bytes in swap, in the process that has most.
    pub swap_bytes: u64,
    /// Processes that were asked.
    pub asked_processes: usize,
    /// Processes that map it and may not be looked into.
    pub refused_processes: usize,
    /// Processes whose own account was not read because their page tables are large; what only such an account tells is then unknown.
    pub large_processes: usize,
    /// How many pages the kernel says each node holds, by the process that has most in its own tables; where pages can't be asked for.
    pub by_tables: BTreeMap<u32, u64>,
}

impl Placement {
    /// Pages that were asked for.
    pub fn asked(&self) -> u64 {
        self.by_node.values().sum::<u64>() + self.nowhere
    }

    /// The share of each node among the pages that are somewhere: by asking, or by one process's tables where that is all there is.
    pub fn shares(&self) -> Vec<(u32, f64)> {
        let of = if self.by_node.is_empty() { &self.by_tables } else { &self.by_node };
        let all: u64 = of.values().sum();
        of.iter().map(|(node, pages)| (*node, *pages as f64 / all as f64)).collect()
    }

    /// How far the share of a node may be off at most, in a 95 % interval by the number of pages asked for; zero where all were.
    pub fn uncertainty(&self, node: u32) -> f64 {
        let known: u64 = self.by_node.values().sum();
        if self.asked() >= self.pages || known == 0 {
            return 0.0;
        }
        let there = self.by_node.get(&node).copied().unwrap_or(0);
        let share = there as f64 / known as f64;
        let (low, high) = narrows_stats::share_interval_95(there, known);
        (share - low).max(high - share)
    }
}

/// Pools and who could not be looked into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PoolScan {
    /// The largest first.
    pub pools: Vec<Pool>,
    /// Processes whose mappings may not be read.
    pub closed: Vec<u32>,
}

/// The pools of [`LEAST_BYTES`] and more that any of `roots` maps, with everybody of `all` who maps them too; the private memory of
/// each root as well, what is on explicit huge pages apart. Where `roots` is empty: all shared pools of anybody. Files of drives are no
/// pools, whoever maps them.
pub fn find(source: &dyn Source, roots: &[u32], all: &[u32]) -> PoolScan {
    let mut found = PoolScan::default();
    let mut shared: BTreeMap<Identity, Pool> = BTreeMap::new();
    let mut private = Vec::new();
    // The roots first, so that their view is the first.
    let others = all.iter().filter(|pid| !roots.contains(pid));
    for &pid in roots.iter().chain(others) {
        let text = match source.read(&format!("/proc/{pid}/maps")) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                found.closed.push(pid);
                continue;
            }
            // It has ended meanwhile.
            Err(_) => continue,
        };
        let is_root = roots.is_empty() || roots.contains(&pid);
        let named = |name: &str| Pool {
            name: name.to_string(),
            shared: false,
            bytes: 0,
            parts: Vec::new(),
        };
        let (mut own, mut own_huge) = (named("private"), named("private huge pages"));
        for range in maps::parse(&text).into_iter().filter(|range| range.readable) {
            if range.shared {
                if range.is_memory() {
                    add_shared(source, &mut shared, pid, range, is_root);
                }
                continue;
            }
            let pool = match (range.is_huge(), &range.identity) {
                (true, _) => &mut own_huge,
                (false, None) if !range.name.starts_with("[v") => &mut own,
                _ => continue,
            };
            let part =
                MappedRange { pid, from: range.from, offset: pool.bytes, bytes: range.len() };
            pool.bytes += part.bytes;
            pool.parts.push(part);
        }
        if roots.contains(&pid) {
            private.extend([own, own_huge]);
        }
    }
    found.pools = shared.into_values().chain(private).collect();
    found.pools.retain(|pool| pool.bytes >= LEAST_BYTES);
    found.pools.sort_by_key(|pool| std::cmp::Reverse(pool.bytes));
    found
}

/// What tells pools apart: device, inode, name, and where that is a System V segment's number, the space in which it counts.
type Identity = (String, u64, String, String);

fn add_shared(
    source: &dyn Source,
    pools: &mut BTreeMap<Identity, Pool>,
    pid: u32,
    range: Mapped,
    begin: bool,
) {
    let (Some((device, inode)), bytes) = (range.identity.clone(), range.len()) else { return };
    let space = match range.name.starts_with("/SYSV") {
        true => source.link(&format!("/proc/{pid}/ns/ipc")).unwrap_or_default(),
        false => String::new(),
    };
    let identity = (device, inode, range.name.clone(), space);
    let end = range.offset + bytes;
    let part = MappedRange { pid, from: range.from, offset: range.offset, bytes };
    let known = pools.get_mut(&identity);
    match known {
        Some(pool) => {
            pool.bytes = pool.bytes.max(end);
            pool.parts.push(part);
        }
        None if begin => {
            let pool = Pool { name: range.name, shared: true, bytes: end, parts: vec![part] };
            pools.insert(identity, pool);
        }
        None => {}
    }
}

/// Asks for at most `most` pages of a pool, spread evenly over it; all of them where that is as many.
///
/// # Errors
/// When asked to stop.
pub fn place(
    source: &dyn Source,
    pages: &dyn Pages,
    pool: &Pool,
    most: u64,
    seed: u64,
    stop: &Stop,
) -> Result<Placement, Stopped> {
    let mut placement = Placement::default();
    let tables = read_tables(source, pool, &mut placement);
    let by_name = if maps::is_huge_name(&pool.name) { HUGE } else { base_page_bytes() };
    let page_bytes = tables.iter().find_map(|tables| tables.page_bytes).unwrap_or(by_name);
    placement.page_bytes = page_bytes;
    placement.pages = pool.bytes / page_bytes;
    placement.policy =
        tables.into_iter().map(|tables| tables.policy).find(|policy| !policy.is_empty());
    let (count, mut rng) = (placement.pages.min(most), Rng::new(seed));
    let mut asked = BTreeMap::new();
    for from in (0..count).step_by(AT_A_TIME) {
        // Evenly, with a begin of its own in each step: a policy's own rhythm is not met.
        let stretch = |nth: u64| (nth as u128 * placement.pages as u128 / count as u128) as u64;
        let mut unknown: Vec<u64> = (from..count.min(from + AT_A_TIME as u64))
            .map(|nth| {
                let (from, to) = (stretch(nth), stretch(nth + 1));
                (from + rng.below((to - from).max(1))) * page_bytes
            })
            .collect();
        ask_all(pages, pool, &mut unknown, &mut placement.by_node, &mut asked, stop)?;
        placement.nowhere += unknown.len() as u64;
    }
    placement.asked_processes = asked.values().filter(|answered| **answered).count();
    placement.refused_processes = asked.values().filter(|answered| !**answered).count();
    Ok(placement)
}

/// Asks the pool's processes for these pages one after the other; what stays unknown stays. Notes who answered.
fn ask_all(
    pages: &dyn Pages,
    pool: &Pool,
    unknown: &mut Vec<u64>,
    by_node: &mut BTreeMap<u32, u64>,
    asked: &mut BTreeMap<u32, bool>,
    stop: &Stop,
) -> Result<(), Stopped> {
    let mut in_vain = 0;
    for pid in pool.processes() {
        if unknown.is_empty() || in_vain >= IN_VAIN {
            break;
        }
        stop.check()?;
        let before = unknown.len();
        let answered = ask_one(pages, pool, pid, unknown, by_node, stop)?;
        *asked.entry(pid).or_insert(false) |= answered;
        if answered {
            in_vain = if unknown.len() < before { 0 } else { in_vain + 1 };
        }
    }
    Ok(())
}

/// What the first process's ranges of the pool are, by the kernel's own account; the largest of each sum over all processes.
fn read_tables(source: &dyn Source, pool: &Pool, placement: &mut Placement) -> Vec<Tables> {
    let mut first = Vec::new();
    let (large, walked): (Vec<u32>, Vec<u32>) =
        pool.processes().into_iter().partition(|pid| is_large(source, *pid));
    placement.large_processes = large.len();
    for pid in walked.into_iter().take(ACCOUNTS) {
        let ranges = pool.parts.iter().filter(|part| part.pid == pid);
        if let Some(text) = source.text(&format!("/proc/{pid}/numa_maps")) {
            let all = maps::tables(&text);
            let own: Vec<Tables> =
                ranges.clone().filter_map(|part| all.get(&part.from).cloned()).collect();
            let mut sum = BTreeMap::new();
            for (node, pages) in own.iter().flat_map(|tables| &tables.by_node) {
                *sum.entry(*node).or_insert(0) += pages;
            }
            if sum.values().sum::<u64>() > placement.by_tables.values().sum() {
                placement.by_tables = sum;
            }
            if first.is_empty() {
                first = own;
            }
        }
        if let Some(text) = source.text(&format!("/proc/{pid}/smaps")) {
            let (mut transparent, mut swap) = (0, 0);
            for part in ranges {
                if let Some(mapped) =
                    crate::smaps::in_range(&text, part.from, part.from + part.bytes)
                {
                    transparent += mapped.transparent_bytes;
                    swap += mapped.swap_bytes;
                }
            }
            placement.transparent_bytes = placement.transparent_bytes.max(transparent);
            placement.swap_bytes = placement.swap_bytes.max(swap);
        }
    }
    first
}

/// Whether reading a process's own account would take its `mmap_lock` for long. Huge pages of the pool are not resident by this count,
/// and their tables are short.
fn is_large(source: &dyn Source, pid: u32) -> bool {
    let statm = source.text(&format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.is_some_and(|pages| pages.saturating_mul(base_page_bytes()) > MOST_WALKED_BYTES)
}

/// Asks a process for what is unknown so far; what stays unknown stays. `false` where it may not be asked.
fn ask_one(
    pages: &dyn Pages,
    pool: &Pool,
    pid: u32,
    unknown: &mut Vec<u64>,
    by_node: &mut BTreeMap<u32, u64>,
    stop: &Stop,
) -> Result<bool, Stopped> {
    let parts: Vec<&MappedRange> = pool.parts.iter().filter(|part| part.pid == pid).collect();
    let address = |offset: u64| {
        let part =
            parts.iter().find(|part| (part.offset..part.offset + part.bytes).contains(&offset))?;
        Some(part.from + (offset - part.offset))
    };
    let mut still = Vec::new();
    let mut answered = true;
    let mut left = std::mem::take(unknown).into_iter().peekable();
    while answered && left.peek().is_some() {
        stop.check()?;
        let batch: Vec<u64> = left.by_ref().take(BATCH).collect();
        let (here, away): (Vec<u64>, Vec<u64>) =
            batch.into_iter().partition(|offset| address(*offset).is_some());
        still.extend(away);
        let addresses: Vec<u64> = here.iter().filter_map(|offset| address(*offset)).collect();
        if addresses.is_empty() {
            continue;
        }
        let Some(nodes) = pages.nodes(pid, &addresses) else {
            still.extend(here);
            answered = false;
            continue;
        };
        for (offset, node) in here.into_iter().zip(nodes) {
            match node {
                Some(node) => *by_node.entry(node).or_default() += 1,
                None => still.push(offset),
            }
        }
    }
    still.extend(left);
    *unknown = still;
    Ok(answered)
}

#[cfg(test)]
mod tests;
