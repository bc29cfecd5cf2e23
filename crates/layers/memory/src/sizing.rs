//! How much memory a measurement walks over: enough that caches can't hold it, no more than the machine can
//! spare.

use narrows_model::{Cache, NumaNode, Platform};

use crate::mapping::{HUGE, MapError, base_page_bytes};

/// The whole must be this many times all last-level caches together.
pub const TIMES_CACHE: u64 = 4;
/// Walked over where caches ask for less: at 4 × a small cache a visible share of the loads still hits it, and
/// 2 MiB pages all fit the TLB, which no database's buffer pool does.
const FLOOR: u64 = 1 << 30;
/// The same for a sketch.
const FLOOR_QUICK: u64 = 256 << 20;
/// Below this a measurement of memory would be one of caches.
const LEAST: u64 = 32 << 20;
/// No more than this share of what is free is taken.
const SHARE_OF_FREE: u64 = 2;

/// A footprint and what set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizing {
    /// Bytes to walk over, a multiple of 2 MiB.
    pub footprint_bytes: u64,
    /// All last-level caches together; `None` where the system shows none.
    pub cache_bytes: Option<u64>,
    /// What would have been walked over if there were memory for it.
    pub wanted_bytes: u64,
    /// What kept it from that.
    pub limited_by: Option<&'static str>,
    /// The most that may be taken, bytes; `None` where nothing says.
    pub room_bytes: Option<u64>,
}

impl Sizing {
    /// Room for the footprint twice, to read from one and to write to the other; less where there is less.
    pub fn doubled_bytes(&self) -> u64 {
        let room = self.room_bytes.unwrap_or(u64::MAX).max(self.footprint_bytes);
        (2 * self.footprint_bytes).min(room) / HUGE * HUGE
    }

    /// Whether so many threads may have so many bytes each.
    ///
    /// # Errors
    /// They would take more than may be taken.
    pub fn allows(&self, threads: usize, each: u64) -> Result<(), MapError> {
        let (bytes, room_bytes) = (threads as u64 * each, self.room_bytes.unwrap_or(u64::MAX));
        // Rounding up to whole pieces, and what stands beside a part that is written, is no excess.
        let slack = threads as u64 * 2 * HUGE;
        if bytes <= room_bytes.max(self.doubled_bytes()).saturating_add(slack) {
            return Ok(());
        }
        Err(MapError::TooMany { threads, bytes, room_bytes })
    }

    /// What may be taken besides the footprint, bytes.
    pub fn spare_bytes(&self) -> u64 {
        self.room_bytes.unwrap_or(u64::MAX).saturating_sub(self.footprint_bytes)
    }

    /// So many bytes over all last-level caches.
    pub fn times_cache(&self, footprint_bytes: u64) -> Option<f64> {
        self.cache_bytes.map(|cache| footprint_bytes as f64 / cache as f64)
    }
}

/// There is less memory than any such measurement needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLittle {
    /// What may be taken, bytes.
    pub free_bytes: u64,
    /// What it takes at least, bytes.
    pub least_bytes: u64,
    /// What limits it.
    pub limited_by: &'static str,
}

/// All instances of the outermost cache level together, bytes.
pub fn last_level_bytes(caches: &[Cache]) -> Option<u64> {
    let data = || caches.iter().filter(|cache| cache.kind != "Instruction");
    let level = data().map(|cache| cache.level).max()?;
    let bytes = data()
        .filter(|cache| cache.level == level)
        .map(|cache| cache.size_bytes * u64::from(cache.instances.max(1)))
        .sum();
    (bytes > 0).then_some(bytes)
}

/// The most that may be taken, bytes, and what sets it: half of what is free, of the machine, the control group and the node. `None`
/// where nothing says.
pub fn room(platform: &Platform, node: Option<&NumaNode>) -> Option<(u64, &'static str)> {
    let memory = &platform.memory;
    let group = &platform.cgroup;
    let sources = [
        ("memory available", memory.available_bytes.or(Some(memory.total_bytes))),
        (
            "the control group's memory limit",
            group
                .memory_limit_bytes
                .map(|limit| limit.saturating_sub(group.memory_used_bytes.unwrap_or(0))),
        ),
        ("memory free on the node", node.and_then(|node| node.free_bytes)),
        ("the limit of this process's addresses (ulimit -v)", addresses()),
    ];
    sources
        .into_iter()
        .filter_map(|(what, free)| free.map(|free| (free / SHARE_OF_FREE, what)))
        .min()
}

/// What this process may still map, bytes; `None` without a limit.
fn addresses() -> Option<u64> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current?;
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mapped: u64 = pages.split(' ').next()?.parse().ok()?;
    Some(limit.saturating_sub(mapped * base_page_bytes()))
}

/// How much is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Four times the caches, 1 GiB at least.
    Full,
    /// Four times the caches, 256 MiB at least: for what is repeated on many nodes.
    Small,
    /// Twice the caches, 256 MiB at least.
    Sketch,
}

/// The footprint on one node, or on any where `node` is `None`.
pub fn footprint(
    platform: &Platform,
    node: Option<&NumaNode>,
    amount: Amount,
) -> Result<Sizing, TooLittle> {
    let cache_bytes = last_level_bytes(&platform.caches);
    let cache = cache_bytes.unwrap_or(0);
    let wanted = match amount {
        Amount::Full => cache.saturating_mul(TIMES_CACHE).max(FLOOR),
        Amount::Small => cache.saturating_mul(TIMES_CACHE).max(FLOOR_QUICK),
        // Below twice the caches too many loads hit one to be called memory's; parts of it are a little smaller than the whole.
        Amount::Sketch => cache.saturating_mul(2).saturating_add(cache / 4).max(FLOOR_QUICK),
    };
    let wanted = wanted.next_multiple_of(HUGE);

    let tightest = room(platform, node);
    let room_bytes = tightest.map(|(free, _)| free);
    let Some((free, what)) = tightest.filter(|(free, _)| *free < wanted) else {
        return Ok(Sizing {
            footprint_bytes: wanted,
            cache_bytes,
            wanted_bytes: wanted,
            limited_by: None,
            room_bytes,
        });
    };
    let footprint = free / HUGE * HUGE;
    if footprint < LEAST {
        return Err(TooLittle { free_bytes: free, least_bytes: LEAST, limited_by: what });
    }
    Ok(Sizing {
        footprint_bytes: footprint,
        cache_bytes,
        wanted_bytes: wanted,
        limited_by: Some(what),
        room_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const MIB: u64 = 1 << 20;

    fn machine(available: u64, l3: u64, instances: u32) -> Platform {
        let mut platform = Platform::default();
        platform.memory.total_bytes = 2 * available;
        platform.memory.available_bytes = Some(available);
        let cache = |level, kind: &str, size_bytes, instances| Cache {
            level,
            kind: kind.to_string(),
            size_bytes,
            line_bytes: Some(64),
            instances,
            ..Cache::default()
        };
        platform.caches = vec![
            cache(1, "Instruction", 32 << 10, 8),
            cache(1, "Data", 32 << 10, 8),
            cache(2, "Unified", MIB, 8),
            cache(3, "Unified", l3, instances),
        ];
        platform
    }

    #[test]
    fn four_times_all_caches_or_the_floor() {
        let large = footprint(&machine(256 * GIB, 96 * MIB, 12), None, Amount::Full).unwrap();
        assert_eq!(large.footprint_bytes, 4 * 12 * 96 * MIB);
        assert_eq!(large.times_cache(large.footprint_bytes), Some(4.0));
        assert_eq!(large.doubled_bytes(), 2 * large.footprint_bytes);
        let small = footprint(&machine(24 * GIB, 32 * MIB, 1), None, Amount::Full).unwrap();
        assert_eq!((small.footprint_bytes, small.limited_by), (GIB, None));
        let quick = footprint(&machine(24 * GIB, 32 * MIB, 1), None, Amount::Sketch).unwrap();
        assert_eq!(quick.footprint_bytes, 256 * MIB);
    }

    #[test]
    fn the_tightest_limit_shrinks_it_and_is_named() {
        let mut platform = machine(24 * GIB, 32 * MIB, 1);
        platform.cgroup.memory_limit_bytes = Some(400 * MIB);
        platform.cgroup.memory_used_bytes = Some(100 * MIB);
        let sizing = footprint(&platform, None, Amount::Full).unwrap();
        assert_eq!(sizing.footprint_bytes, 150 * MIB);
        assert_eq!(sizing.limited_by, Some("the control group's memory limit"));
        assert_eq!(sizing.wanted_bytes, GIB);
        assert_eq!(sizing.doubled_bytes(), 150 * MIB, "no room for twice as much");

        let node = NumaNode {
            id: 1,
            memory_bytes: GIB,
            free_bytes: Some(200 * MIB),
            ..NumaNode::default()
        };
        let sizing = footprint(&platform, Some(&node), Amount::Full).unwrap();
        assert_eq!(sizing.footprint_bytes, 100 * MIB);
        assert_eq!(sizing.limited_by, Some("memory free on the node"));
    }

    #[test]
    fn nothing_worth_the_name_is_refused() {
        let mut platform = machine(24 * GIB, 32 * MIB, 1);
        platform.cgroup.memory_limit_bytes = Some(40 * MIB);
        let refused = footprint(&platform, None, Amount::Full).unwrap_err();
        assert_eq!((refused.free_bytes, refused.least_bytes), (20 * MIB, 32 * MIB));
    }

    #[test]
    fn without_visible_caches_the_floor_stands_and_the_ratio_is_unknown() {
        let mut platform = machine(24 * GIB, 32 * MIB, 1);
        platform.caches.clear();
        let sizing = footprint(&platform, None, Amount::Full).unwrap();
        assert_eq!((sizing.footprint_bytes, sizing.times_cache(GIB)), (GIB, None));
    }
}
