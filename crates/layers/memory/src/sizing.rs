//! How much memory a measurement walks over: enough that caches can't hold it, no more than the machine can
//! spare.
//!
//! What caches can hold is what the CPUs that walk can reach: of the last level the instances behind them (a core of a processor
//! of many dies fills only the one of its own die), and every level from the second on, because a last level that takes in what
//! the second drops (exclusive, victim) holds other lines than it.

use narrows_facts::AddressSpace;
use narrows_model::{Cache, NumaNode, Platform};

use crate::mapping::{HUGE, MapError};

/// The whole must be this many times all caches that its CPUs reach. At random one load in four may then still find its line in a
/// cache that keeps lines against a stream of others; whether it does is seen at half of the footprint ([`crate::latency`]).
pub const TIMES_CACHE: u64 = 4;
/// Walked over where caches ask for less. Large enough for caches that a hypervisor hides from its guest: the largest that one core
/// reaches are about 500 MiB. What address translation costs a pool is not seen at this size: [`crate::translation`].
const FLOOR: u64 = 1 << 30;
/// The same for a sketch, where no hypervisor may hide a cache.
const FLOOR_QUICK: u64 = 256 << 20;
/// The most that is walked over: lines are numbered by 32 bits.
pub const MOST: u64 = (1 << 32) * 64 - HUGE;
/// Below this a measurement of memory would be one of caches.
const LEAST: u64 = 32 << 20;
/// No more than this share of what is free is taken.
const SHARE_OF_FREE: u64 = 2;

/// A footprint and what set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizing {
    /// Bytes to walk over, a multiple of 2 MiB.
    pub footprint_bytes: u64,
    /// What the caches hold that the walking CPUs reach; `None` where the system shows none.
    pub cache_bytes: Option<u64>,
    /// The cache between all CPUs and the node's memory, bytes, where the firmware tells of one: a footprint inside it is answered by
    /// it, and it may be larger than any footprint.
    pub memory_cache_bytes: Option<u64>,
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

    /// So many bytes over all caches that are reached.
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

/// What the caches hold that these CPUs reach, bytes: every level from the second on (of a machine with one level, that one), and of
/// each the instances behind these CPUs; all instances where it is not known which CPUs are behind which.
fn reached_bytes(caches: &[Cache], cpus: &[u32]) -> Option<u64> {
    let data = || caches.iter().filter(|cache| cache.kind != "Instruction");
    let outermost = data().map(|cache| cache.level).max()?;
    let instances = |cache: &Cache| {
        let behind = |set: &narrows_model::IdSet| cpus.iter().any(|cpu| set.contains(*cpu));
        let reached = cache.cpus.iter().filter(|set| behind(set)).count() as u64;
        if reached > 0 { reached } else { u64::from(cache.instances.max(1)) }
    };
    let bytes = data()
        .filter(|cache| cache.level >= outermost.min(2))
        .map(|cache| cache.size_bytes * instances(cache))
        .sum();
    (bytes > 0).then_some(bytes)
}

/// The largest cache before the memory of that node, or of any node where `node` is `None`, bytes.
fn memory_cache_bytes(platform: &Platform, node: Option<&NumaNode>) -> Option<u64> {
    let nodes = match node {
        Some(node) => std::slice::from_ref(node),
        None => &platform.nodes,
    };
    nodes.iter().flat_map(|node| &node.memory_caches).filter_map(|cache| cache.size_bytes).max()
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
        (
            "the limit of this process's addresses (ulimit -v)",
            AddressSpace::own().map(|space| space.free_bytes()),
        ),
    ];
    sources
        .into_iter()
        .filter_map(|(what, free)| free.map(|free| (free / SHARE_OF_FREE, what)))
        .min()
}

/// How much is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Four times the caches, 1 GiB at least.
    Full,
    /// Four times the caches, 256 MiB at least (1 GiB below a hypervisor): for a sketch, and for what is repeated on many nodes.
    Small,
}

/// The footprint on one node, or on any where `node` is `None`, for walks by these CPUs.
pub fn footprint(
    platform: &Platform,
    node: Option<&NumaNode>,
    cpus: &[u32],
    amount: Amount,
) -> Result<Sizing, TooLittle> {
    let cache_bytes = reached_bytes(&platform.caches, cpus);
    // Parts of the whole, one for each thread, are a little smaller than it.
    let by_caches = cache_bytes.unwrap_or(0).saturating_mul(TIMES_CACHE).saturating_mul(33) / 32;
    let floor = match amount {
        Amount::Small if platform.hypervisor.is_none() => FLOOR_QUICK,
        Amount::Full | Amount::Small => FLOOR,
    };
    let wanted = by_caches.max(floor).min(MOST).next_multiple_of(HUGE);
    let memory_cache_bytes = memory_cache_bytes(platform, node);

    let tightest = room(platform, node);
    let room_bytes = tightest.map(|(free, _)| free);
    let Some((free, what)) = tightest.filter(|(free, _)| *free < wanted) else {
        return Ok(Sizing {
            footprint_bytes: wanted,
            cache_bytes,
            memory_cache_bytes,
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
        memory_cache_bytes,
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

    /// Which CPUs are behind which instance: so many each, in turn.
    fn behind(platform: &mut Platform, each: &[u32]) {
        for (cache, &each) in platform.caches.iter_mut().zip(each) {
            let set = |nth: u32| (nth * each..(nth + 1) * each).collect();
            cache.cpus = (0..cache.instances).map(set).collect();
        }
    }

    #[test]
    fn four_times_all_caches_or_the_floor() {
        let large = footprint(&machine(256 * GIB, 96 * MIB, 12), None, &[0], Amount::Full).unwrap();
        // Nothing says who is behind which: all of the third level and all of the second.
        let caches = 12 * 96 * MIB + 8 * MIB;
        assert_eq!(large.footprint_bytes, (caches * 4 * 33 / 32).next_multiple_of(HUGE));
        assert!(large.times_cache(large.footprint_bytes).unwrap() >= 4.0);
        assert_eq!(large.doubled_bytes(), 2 * large.footprint_bytes);
        let small = footprint(&machine(24 * GIB, 32 * MIB, 1), None, &[0], Amount::Full).unwrap();
        assert_eq!((small.footprint_bytes, small.limited_by), (GIB, None));
        let quick = footprint(&machine(24 * GIB, 32 * MIB, 1), None, &[0], Amount::Small).unwrap();
        assert_eq!(quick.footprint_bytes, 256 * MIB);
        // A guest may be shown less than there is.
        let mut guest = machine(24 * GIB, 16 * MIB, 1);
        guest.hypervisor = Some("KVM".to_string());
        let quick = footprint(&guest, None, &[0], Amount::Small).unwrap();
        assert_eq!(quick.footprint_bytes, GIB);
    }

    #[test]
    fn a_core_is_measured_by_the_caches_it_reaches_and_a_team_by_those_of_all() {
        // Two sockets of four dies of 32 MiB, two cores on each.
        let mut platform = machine(256 * GIB, 256 * MIB, 8);
        for cache in &mut platform.caches[..3] {
            cache.instances = 16;
        }
        behind(&mut platform, &[1, 1, 1, 2]);
        let caches = |cpus: &[u32]| {
            footprint(&platform, None, cpus, Amount::Full).unwrap().cache_bytes.unwrap()
        };
        assert_eq!(caches(&[3]), 257 * MIB);
        assert_eq!(caches(&[2, 3]), 258 * MIB, "two cores of one die");
        let node: Vec<u32> = (0..8).collect();
        assert_eq!(caches(&node), 4 * 256 * MIB + 8 * MIB);
    }

    #[test]
    fn a_cache_before_the_memory_is_told_apart() {
        let mut platform = machine(256 * GIB, 32 * MIB, 1);
        let node = |id, size_bytes| NumaNode {
            id,
            memory_bytes: 128 * GIB,
            memory_caches: vec![narrows_model::MemoryCache {
                level: 1,
                size_bytes,
                line_bytes: None,
                indexing: None,
                write_policy: None,
            }],
            ..NumaNode::default()
        };
        platform.nodes = vec![node(0, Some(16 * GIB)), node(1, None)];
        let of = |node| footprint(&platform, node, &[0], Amount::Full).unwrap();
        assert_eq!(of(Some(&platform.nodes[0])).memory_cache_bytes, Some(16 * GIB));
        assert_eq!(of(Some(&platform.nodes[1])).memory_cache_bytes, None);
        assert_eq!(of(None).memory_cache_bytes, Some(16 * GIB));
        assert_eq!(of(None).footprint_bytes, GIB, "it may be larger than any footprint");
    }

    #[test]
    fn lines_beyond_what_can_be_numbered_are_not_walked() {
        let huge = machine(4096 * GIB, 128 * GIB, 1);
        let sizing = footprint(&huge, None, &[0], Amount::Full).unwrap();
        assert_eq!(sizing.footprint_bytes, 256 * GIB - HUGE);
        assert!(u32::try_from(sizing.footprint_bytes / 64).is_ok());
    }

    #[test]
    fn the_tightest_limit_shrinks_it_and_is_named() {
        let mut platform = machine(24 * GIB, 32 * MIB, 1);
        platform.cgroup.memory_limit_bytes = Some(400 * MIB);
        platform.cgroup.memory_used_bytes = Some(100 * MIB);
        let sizing = footprint(&platform, None, &[0], Amount::Full).unwrap();
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
        let sizing = footprint(&platform, Some(&node), &[0], Amount::Full).unwrap();
        assert_eq!(sizing.footprint_bytes, 100 * MIB);
        assert_eq!(sizing.limited_by, Some("memory free on the node"));
    }

    #[test]
    fn nothing_worth_the_name_is_refused() {
        let mut platform = machine(24 * GIB, 32 * MIB, 1);
        platform.cgroup.memory_limit_bytes = Some(40 * MIB);
        let refused = footprint(&platform, None, &[0], Amount::Full).unwrap_err();
        assert_eq!((refused.free_bytes, refused.least_bytes), (20 * MIB, 32 * MIB));
    }

    #[test]
    fn without_visible_caches_the_floor_stands_and_the_ratio_is_unknown() {
        let mut platform = machine(24 * GIB, 32 * MIB, 1);
        platform.caches.clear();
        let sizing = footprint(&platform, None, &[0], Amount::Full).unwrap();
        assert_eq!((sizing.footprint_bytes, sizing.times_cache(GIB)), (GIB, None));
    }
}
