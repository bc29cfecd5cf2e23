//! Which share of a server's reads a cache behind its buffer pool would serve, by `pg_buffercache` and counters.
//!
//! Certain is little. A read of a block that came before is served by an LRU cache that had room for all that was read in between. No more
//! different blocks of a relation were read than it has, and than it had reads: where all of these fit, every read but the first of each
//! block is served, whatever the order; that is *least*, and otherwise it is nothing. *Most* is all reads: a few blocks may have had them
//! all, and the cache may have had them before.
//!
//! The figure between rests on an assumption: a relation's reads are spread evenly over those of its blocks that the pool does not keep.
//! Kept are buffers that were used again since they came (usage count 2 or more); each came by one read that does not come again, unless it
//! came before the counters began. Of reads that are so spread, an LRU cache serves what Che's approximation says
//! ([`crate::popularity`]), and no cache serves more than one that holds the relations with the most reads per block. Reads of which the
//! relation's size is not known count as missed. A hot part within a relation gives more than that, and scans of more than fits give less.

use narrows_cost::Range;
use narrows_units::{Bytes, Ratio};
use serde::Serialize;

use crate::buffercache::{Buffercache, PoolRelation};
use crate::given::Refused;
use crate::popularity::{Group, lru, most_popular};

/// Blocks over which reads are spread that nobody asks for twice.
const NEVER_AGAIN: f64 = 1e15;
/// Room in the pool does as well where this share of what the cache would serve fits into it.
const AS_GOOD: f64 = 0.9;
/// Of the pool, buffers that hold nothing from which on it was not full.
const NOT_FULL: f64 = 0.01;

/// A relation's reads, and what a cache would have of them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RelationReads {
    /// Its name.
    pub name: String,
    /// Its size; absent where the line stands for several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<f64>,
    /// Of it, what is in the pool.
    pub pool_bytes: f64,
    /// Blocks of it that were read.
    pub reads: f64,
    /// Reads of each block that the pool does not keep; absent where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reads_per_block: Option<f64>,
    /// What of the cache it would take if those with the most reads per block came first.
    pub tier_bytes: f64,
    /// Of its reads, those that the cache would serve then.
    pub served: f64,
}

/// Reads by relation, those with the most reads per block first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolReads {
    /// Where they come from.
    pub from: String,
    /// All reads.
    pub reads: f64,
    /// Of them, what is served for certain.
    pub least: f64,
    /// By LRU, if each relation's reads are spread evenly.
    pub even_lru: f64,
    /// At most, if they are.
    pub even_most: f64,
    /// Of them, those of other databases and of relations that are gone.
    pub elsewhere: f64,
    /// The pool.
    pub pool_bytes: f64,
    /// Of the pool, buffers that were not used again since they came, or hold nothing.
    pub room: f64,
    /// Those that were read.
    pub relations: Vec<RelationReads>,
    /// What costs less than a cache.
    pub advice: Vec<String>,
}

impl PoolReads {
    /// Of the reads, those that the cache misses.
    pub(crate) fn missed(&self) -> Range {
        let value = (1.0 - self.even_lru).clamp(0.0, 1.0 - self.least);
        Range { value, low: 0.0, high: 1.0 - self.least }
    }
}

/// Blocks that a relation's reads are spread over, and reads that may come again.
struct Spread<'a> {
    relation: &'a PoolRelation,
    blocks: f64,
    again: f64,
}

impl Spread<'_> {
    fn of(relation: &PoolRelation) -> Spread<'_> {
        let blocks = relation.blocks.map_or(0.0, |blocks| blocks - relation.kept());
        let again = if blocks > 0.0 { relation.reads - relation.came } else { 0.0 };
        Spread { relation, blocks: blocks.max(0.0), again }
    }

    fn per_block(&self) -> f64 {
        if self.again > 0.0 { self.again / self.blocks } else { 0.0 }
    }
}

/// What a cache of that size would serve.
///
/// # Errors
/// There are no reads.
pub(crate) fn pool_reads(pool: &Buffercache, size_bytes: f64) -> Result<PoolReads, Refused> {
    let reads: f64 = pool.relations.iter().map(|its| its.reads).sum();
    if reads <= 0.0 {
        return Err(Refused::new(
            format!("{}: no block was read", pool.from),
            "look again after some hours of the usual load",
        ));
    }
    let cached = (size_bytes / pool.block_bytes).floor();
    let mut spread: Vec<Spread<'_>> = pool.relations.iter().map(Spread::of).collect();
    spread.sort_by(|a, b| {
        b.per_block().total_cmp(&a.per_block()).then(b.relation.reads.total_cmp(&a.relation.reads))
    });
    let groups = groups(&spread, reads);
    let even_most = most_popular(&groups, cached);
    let even_lru = lru(&groups, cached).min(even_most);
    let elsewhere = pool.relations.iter().filter(|its| its.blocks.is_none());
    let buffers: f64 = pool.relations.iter().map(|its| its.buffers).sum::<f64>() + pool.unused;
    let kept: f64 = pool.relations.iter().map(PoolRelation::kept).sum();
    let mut found = PoolReads {
        from: pool.from.clone(),
        reads,
        least: least(pool, reads, cached),
        even_lru,
        even_most,
        elsewhere: elsewhere.map(|its| its.reads).sum(),
        pool_bytes: buffers * pool.block_bytes,
        room: if buffers > 0.0 { (buffers - kept) / buffers } else { 0.0 },
        relations: told(&spread, cached, pool.block_bytes),
        advice: Vec::new(),
    };
    found.advice = advice(&found, pool, &spread);
    Ok(found)
}

/// Blocks by how often they are read, if each relation's are read alike; and reads that do not come again.
fn groups(spread: &[Spread<'_>], reads: f64) -> Vec<Group> {
    let again = spread.iter().filter(|its| its.again > 0.0);
    let mut groups: Vec<Group> =
        again.map(|its| Group { blocks: its.blocks, each: its.per_block() / reads }).collect();
    let once = reads - spread.iter().map(|its| its.again).sum::<f64>();
    if once > 0.0 {
        groups.push(Group { blocks: NEVER_AGAIN, each: once / NEVER_AGAIN / reads });
    }
    groups
}

/// What is served whatever the order of the reads: nothing, unless all fits that may have been read.
fn least(pool: &Buffercache, reads: f64, cached: f64) -> f64 {
    let different = |its: &PoolRelation| its.reads.min(its.blocks.unwrap_or(f64::INFINITY));
    let different: f64 = pool.relations.iter().map(different).sum();
    if different <= cached { 1.0 - different / reads } else { 0.0 }
}

fn told(spread: &[Spread<'_>], cached: f64, block_bytes: f64) -> Vec<RelationReads> {
    let mut room = cached;
    let of = |its: &Spread<'_>| {
        let taken = if its.again > 0.0 { its.blocks.min(room) } else { 0.0 };
        room -= taken;
        let relation = its.relation;
        RelationReads {
            name: relation.name.clone(),
            bytes: relation.blocks.map(|blocks| blocks * block_bytes),
            pool_bytes: relation.buffers * block_bytes,
            reads: relation.reads,
            reads_per_block: relation.blocks.map(|_| its.per_block()),
            tier_bytes: taken * block_bytes,
            served: if taken > 0.0 { its.again / relation.reads * taken / its.blocks } else { 0.0 },
        }
    };
    let read = spread.iter().filter(|its| its.relation.reads > 0.0);
    read.map(of).collect()
}

/// Buffers that hold nothing, or blocks that were not used again of relations that are read less than half as often per block, where what
/// serves nearly as much as the cache would fit into them.
fn room_instead(found: &PoolReads, pool: &Buffercache, spread: &[Spread<'_>]) -> Option<f64> {
    let goal = AS_GOOD * found.even_most * found.reads;
    let (mut served, mut needed, mut per_block) = (0.0, 0.0, 0.0);
    for its in spread.iter().take_while(|its| its.again > 0.0) {
        if served >= goal {
            break;
        }
        per_block = its.per_block();
        let taken = its.blocks.min((goal - served) / per_block);
        needed += taken;
        served += taken * per_block;
    }
    let less_read = spread.iter().filter(|its| its.per_block() < per_block / 2.0);
    let room = less_read.map(|its| its.relation.buffers - its.relation.kept()).sum::<f64>();
    let room = room + pool.unused;
    (needed > 0.0 && room >= needed).then_some(room * pool.block_bytes)
}

fn advice(found: &PoolReads, pool: &Buffercache, spread: &[Spread<'_>]) -> Vec<String> {
    let mut all = Vec::new();
    let unused_bytes = pool.unused * pool.block_bytes;
    if unused_bytes > found.pool_bytes * NOT_FULL {
        all.push(format!(
            "{} of the pool hold nothing: it was not full, so most of these reads were first ones, which no cache serves either; look again once it is",
            Bytes(unused_bytes as u64).iec()
        ));
    }
    if let Some(room_bytes) = room_instead(found, pool, spread) {
        all.push(format!(
            "{} of the pool hold nothing, or blocks that were not used again of relations that are read less than half as often per block: room for {} of what the cache would serve; look first at what reads those (large scans, VACUUM), and at pg_prewarm",
            Bytes(room_bytes as u64).iec(),
            Ratio(AS_GOOD)
        ));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "relation,size_blocks,buffers,usage0,usage1,usage2,usage3,usage4,usage5,reads,block_bytes\n";

    fn pool(lines: &str) -> Buffercache {
        Buffercache::parse("pool.csv", &format!("{HEAD}{lines}")).unwrap()
    }

    fn ask(lines: &str, blocks: f64) -> PoolReads {
        pool_reads(&pool(lines), blocks * 8192.0).unwrap_or_else(|error| panic!("{error}"))
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn one_relation_that_is_read_evenly_is_served_as_far_as_it_fits() {
        // 1,000 blocks, none of them in the pool: a cache of 250 serves a quarter, and nothing for certain.
        let found = ask("a,1000,0,0,0,0,0,0,0,8000,8192\n", 250.0);
        assert!(close(found.even_lru, 0.25) && close(found.even_most, 0.25), "{found:?}");
        assert_eq!((found.least, found.missed().low), (0.0, 0.0));
        assert!(close(found.missed().value, 0.75) && close(found.missed().high, 1.0));
        // All of it fits: of 8,000 reads 1,000 may have been first ones.
        let found = ask("a,1000,0,0,0,0,0,0,0,8000,8192\n", 1000.0);
        assert!(close(found.least, 0.875) && close(found.even_lru, 1.0), "{found:?}");
        assert!(close(found.missed().high, 0.125) && found.missed().value < 1e-6);
        // One block less, and an order may be that none is served.
        assert_eq!(ask("a,1000,0,0,0,0,0,0,0,8000,8192\n", 999.0).least, 0.0);
        // No more different blocks than reads: 40 of a million.
        let few = ask("a,1000000,0,0,0,0,0,0,0,40,8192\n", 100.0);
        assert_eq!(few.least, 0.0);
        assert!(close(
            ask("a,10,0,0,0,0,0,0,0,40,8192\nb,1000000,0,0,0,0,0,0,0,40,8192\n", 50.0).least,
            30.0 / 80.0
        ));
    }

    #[test]
    fn relations_with_the_most_reads_per_block_come_first() {
        // 80 reads per block on 100 blocks, 2 on 1,000: a cache of 600 has the first, and half of the second.
        let lines = "big,1000,0,0,0,0,0,0,0,2000,8192\nhot,100,0,0,0,0,0,0,0,8000,8192\n";
        let found = ask(lines, 600.0);
        assert!(close(found.even_most, 0.9), "{found:?}");
        // LRU by pencil: 100 (1 - exp(-80 t)) + 1000 (1 - exp(-2 t)) = 600, so t = 0.34657 and all of `hot` is there.
        let t = 0.5f64.ln() / -2.0;
        let hot = 100.0 * (-80.0 * t).exp();
        assert!(hot < 1e-9 && close(found.even_lru, 0.9), "{found:?}");
        let [first, second] = &found.relations[..] else { panic!("{found:?}") };
        assert_eq!((first.name.as_str(), first.served, first.tier_bytes), ("hot", 1.0, 819_200.0));
        assert_eq!(second.reads_per_block, Some(2.0));
        assert!(close(second.served, 0.5) && close(second.tier_bytes, 500.0 * 8192.0));
        // Too small for both, LRU gives way to the large one: less than the best there is.
        let small = ask(lines, 100.0);
        assert!(small.even_lru < small.even_most - 0.05, "{small:?}");
        assert!(close(small.even_most, 0.8));
    }

    #[test]
    fn what_the_pool_keeps_takes_no_room_and_does_not_come_again() {
        // 400 of 1,000 blocks are kept, and each came by a read: 600 reads over the other 600 blocks.
        let found = ask("a,1000,400,0,0,0,0,0,400,1000,8192\n", 300.0);
        assert_eq!(found.relations[0].reads_per_block, Some(1.0));
        assert!(close(found.even_most, 0.3), "{found:?}");
        // LRU has the reads that don't come again in it too.
        assert!(found.even_lru < 0.3 && found.even_lru > 0.15, "{found:?}");
        // A relation that the pool has whole: its reads are those by which it came.
        let whole =
            ask("a,1000,1000,0,0,0,0,0,1000,1000,8192\nb,10,0,0,0,0,0,0,0,1,8192\n", 1000.0);
        assert!(whole.even_most < 0.01, "{whole:?}");
    }

    #[test]
    fn reads_of_what_has_no_size_count_as_missed() {
        let found =
            ask("a,100,0,0,0,0,0,0,0,300,8192\n(elsewhere),,0,0,0,0,0,0,0,100,8192\n", 150.0);
        assert!(close(found.even_most, 0.75), "{found:?}");
        assert_eq!(found.least, 0.0);
        // For certain only where these would fit too, all of them different.
        let large =
            ask("a,100,0,0,0,0,0,0,0,300,8192\n(elsewhere),,0,0,0,0,0,0,0,100,8192\n", 200.0);
        assert!(close(large.least, 0.5), "{large:?}");
        let elsewhere = large.relations.last().unwrap();
        assert_eq!((elsewhere.bytes, elsewhere.reads_per_block), (None, None));
    }

    #[test]
    fn room_in_the_pool_is_named_where_it_would_do_as_well() {
        let scan = "scan,1000,500,400,100,0,0,0,0,1000,8192\n";
        let hot = "hot,400,0,0,0,0,0,0,0,9000,8192\n";
        let with = ask(&format!("{scan}{hot}"), 450.0);
        assert!(with.advice.iter().any(|its| its.contains("not used again")), "{:?}", with.advice);
        assert!(close(with.room, 1.0));
        // The same where the pool keeps what it has.
        let kept = "scan,1000,500,0,0,0,0,0,500,1000,8192\n";
        assert!(ask(&format!("{kept}{hot}"), 450.0).advice.is_empty());
        // And where what would leave is read as often as what would come.
        let alike = ask("a,1000,500,400,100,0,0,0,0,8000,8192\n", 250.0);
        assert!(alike.advice.is_empty() && close(alike.room, 1.0), "{alike:?}");
        // A pool that was not full, and one that all but was.
        let unused = |n: u32| ask(&format!("{kept}{hot}(unused),,{n},0,0,0,0,0,0,0,8192\n"), 450.0);
        assert!(unused(100).advice.iter().any(|its| its.contains("hold nothing")));
        assert!(unused(5).advice.is_empty());
    }

    #[test]
    fn without_a_read_there_is_nothing_to_say() {
        let error = pool_reads(&pool("a,10,0,0,0,0,0,0,0,0,8192\n"), 8192.0).unwrap_err();
        assert!(error.what.contains("no block was read"), "{error}");
    }

    #[test]
    fn relations_that_were_not_read_are_left_out() {
        let found = ask("a,100,9,0,0,0,0,0,9,0,8192\nb,100,0,0,0,0,0,0,0,5,8192\n", 100.0);
        let names: Vec<&str> = found.relations.iter().map(|its| its.name.as_str()).collect();
        assert_eq!(names, ["b"]);
    }
}
