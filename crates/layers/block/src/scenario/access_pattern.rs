//! Where the next operation goes.

use std::sync::Arc;

use super::recorded::RecordedOperations;
use super::zones::{ListedBlocks, StridedZones};

/// Where the next operation goes, inside the stream's region.
#[derive(Debug, Clone, PartialEq)]
pub enum AccessPattern {
    /// Anywhere, at multiples of the operation's length.
    Random(Distribution),
    /// One after the other, each kind of operation for itself; each thread has a part of the region, round and round.
    Sequential,
    /// One after the other, every thread from the region's beginning: all read the same. What clones of a job do in
    /// other programs; most of it is answered by whoever cached the first one's. For showing just that.
    SameOffsets,
    /// One after the other with a gap behind each, every thread from the region's beginning.
    Stepped {
        /// Bytes left out; below zero it goes back.
        gap_bytes: i64,
    },
    /// Anywhere, and from there on in order for a while.
    Jumping(Jumping),
    /// In one zone after the other.
    Zones(StridedZones),
    /// At these blocks, in this order.
    Listed(ListedBlocks),
    /// What was recorded: kinds, lengths and places, done once by one thread. [`super::Load::Open`] keeps its times.
    Recorded(Arc<RecordedOperations>),
    /// Every other operation is a trim, at the places that this says; behind each comes a write of the same place and length.
    TrimThenWrite(Box<AccessPattern>),
}

/// Random places that operations in order follow, or that are aligned otherwise than by their length.
#[derive(Debug, Clone, PartialEq)]
pub struct Jumping {
    /// Where jumps lead.
    pub distribution: Distribution,
    /// Operations from one jump to the next, counted over all kinds; at least 1.
    pub run: u32,
    /// Of the operations that may jump, how many of a hundred do: reads, writes, trims.
    pub jump_percent: [u8; 3],
    /// Jumps lead to multiples of so many bytes: reads, writes, trims. 0: of the operation's length.
    pub align_bytes: [u32; 3],
}

/// How accesses spread over the blocks of a region.
#[derive(Debug, Clone, PartialEq)]
pub enum Distribution {
    /// Every block once before any comes twice, over all threads and kinds of operation (with several lengths: per
    /// length).
    OnceEach,
    /// Every block equally likely every time.
    Uniform,
    /// The k-th most used block with a probability proportional to k^-theta; the most used ones lie scattered.
    Zipf {
        /// The exponent: 0 is uniform, 0.99 a usual web cache.
        theta: f64,
    },
    /// A share of the blocks gets a share of the accesses; the hot blocks lie scattered. Inside both, uniform.
    HotSpot {
        /// Of the blocks, above 0 and below 1.
        blocks_share: f64,
        /// Of the accesses, from 0 to 1.
        accesses_share: f64,
    },
    /// The region is cut into zones, in this order, each with its share of the accesses; inside, uniform.
    Zoned(Vec<Zone>),
}

/// A part of a region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Zone {
    /// Its share of the region; all zones together 1.
    pub space_share: f64,
    /// Its share of the accesses; all zones together 1.
    pub accesses_share: f64,
}

/// Shares may miss their sum by rounding in what a user wrote.
const SUM: f64 = 1e-6;

impl AccessPattern {
    /// `random` or `sequential`.
    pub fn word(&self) -> &'static str {
        match self {
            AccessPattern::Random(_) | AccessPattern::Jumping(_) | AccessPattern::Listed(_) => {
                "random"
            }
            AccessPattern::Zones(zones) => zones.word(),
            AccessPattern::Recorded(record) if record.is_in_order() => "sequential",
            AccessPattern::Recorded(_) => "random",
            AccessPattern::TrimThenWrite(inner) => inner.word(),
            AccessPattern::Sequential
            | AccessPattern::SameOffsets
            | AccessPattern::Stepped { .. } => "sequential",
        }
    }

    /// What distinguishes it beyond that.
    pub fn detail(&self) -> String {
        match self {
            AccessPattern::Sequential => "parts".to_string(),
            AccessPattern::SameOffsets => "same_offsets".to_string(),
            AccessPattern::Stepped { gap_bytes } => format!("gaps of {gap_bytes} bytes"),
            AccessPattern::Random(distribution) => distribution.detail(),
            AccessPattern::Jumping(jumping) => jumping.detail(),
            AccessPattern::Zones(zones) => zones.detail(),
            AccessPattern::Listed(listed) => listed.detail(),
            AccessPattern::Recorded(_) => "recorded".to_string(),
            AccessPattern::TrimThenWrite(inner) => {
                format!("a write behind each trim, {}", inner.detail())
            }
        }
    }

    /// Whether each thread needs a part to itself.
    pub(super) fn parts(&self) -> bool {
        if let AccessPattern::TrimThenWrite(inner) = self {
            return inner.parts();
        }
        matches!(self, AccessPattern::Sequential)
            || self.distribution().is_some_and(|law| *law == Distribution::OnceEach)
    }

    fn distribution(&self) -> Option<&Distribution> {
        match self {
            AccessPattern::Random(distribution) => Some(distribution),
            AccessPattern::Jumping(jumping) => Some(&jumping.distribution),
            AccessPattern::Sequential
            | AccessPattern::SameOffsets
            | AccessPattern::Stepped { .. }
            | AccessPattern::Zones(_)
            | AccessPattern::Listed(_)
            | AccessPattern::Recorded(_)
            | AccessPattern::TrimThenWrite(_) => None,
        }
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        match self {
            AccessPattern::Zones(zones) => return zones.reason(),
            AccessPattern::Listed(listed) => return listed.reason(),
            AccessPattern::TrimThenWrite(inner) => return inner.reason(),
            _ => {}
        }
        if let AccessPattern::Jumping(jumping) = self {
            if jumping.run == 0 {
                return Some("a run between two jumps has no operation");
            }
            if jumping.jump_percent.iter().any(|percent| *percent > 100) {
                return Some("a share of jumps is above 100 %");
            }
        }
        self.distribution()?.reason()
    }
}

impl Jumping {
    fn detail(&self) -> String {
        let mut words = vec![self.distribution.detail()];
        if self.run > 1 {
            words.push(format!("runs of {}", self.run));
        }
        let each = |values: &[String; 3]| {
            if values.iter().all(|value| *value == values[0]) {
                values[0].clone()
            } else {
                format!("reads {}, writes {}, trims {}", values[0], values[1], values[2])
            }
        };
        if self.jump_percent != [100; 3] {
            words.push(format!("jumps {} %", each(&self.jump_percent.map(|p| p.to_string()))));
        }
        if self.align_bytes != [0; 3] {
            words.push(format!(
                "aligned to {} bytes",
                each(&self.align_bytes.map(|b| b.to_string()))
            ));
        }
        words.join(", ")
    }
}

impl Distribution {
    fn detail(&self) -> String {
        match self {
            Distribution::OnceEach => "once_each".to_string(),
            Distribution::Uniform => "uniform".to_string(),
            Distribution::Zipf { theta } => format!("zipf {theta}"),
            Distribution::HotSpot { blocks_share, accesses_share } => {
                format!("hot_spot {accesses_share} of accesses to {blocks_share} of blocks")
            }
            Distribution::Zoned(zones) => {
                let zone = |zone: &Zone| format!("{}/{}", zone.accesses_share, zone.space_share);
                format!("zoned {}", zones.iter().map(zone).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn reason(&self) -> Option<&'static str> {
        let share = |share: f64| (0.0..=1.0).contains(&share);
        match self {
            Distribution::OnceEach | Distribution::Uniform => None,
            Distribution::Zipf { theta } => {
                (!theta.is_finite() || *theta < 0.0).then_some("Zipf's exponent is at least 0")
            }
            Distribution::HotSpot { blocks_share, accesses_share } => {
                (!share(*blocks_share) || !share(*accesses_share) || *blocks_share == 0.0)
                    .then_some("a hot spot's shares lie between 0 and 1")
            }
            Distribution::Zoned(zones) => {
                let sum = |of: fn(&Zone) -> f64| zones.iter().map(of).sum::<f64>();
                let whole = |sum: f64| (sum - 1.0).abs() < SUM;
                let each = |zone: &Zone| share(zone.space_share) && share(zone.accesses_share);
                (!zones.iter().all(each)
                    || !whole(sum(|zone| zone.space_share))
                    || !whole(sum(|zone| zone.accesses_share)))
                .then_some("the shares of zones must each add up to 1")
            }
        }
    }
}
