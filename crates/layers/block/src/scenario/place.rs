//! Where the next operation goes.

/// Where the next operation goes, inside the stream's region.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// Anywhere, at multiples of the operation's length.
    Random(Distribution),
    /// One after the other; each thread has a part of the region to itself, round and round.
    Sequential,
    /// One after the other, every thread from the region's beginning: all read the same. What clones of a job do in
    /// other programs; most of it is answered by whoever cached the first one's. For showing just that.
    SameOffsets,
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

impl Place {
    /// `random` or `sequential`.
    pub fn word(&self) -> &'static str {
        match self {
            Place::Random(_) => "random",
            Place::Sequential | Place::SameOffsets => "sequential",
        }
    }

    /// What distinguishes it beyond that.
    pub fn detail(&self) -> String {
        match self {
            Place::Sequential => "parts".to_string(),
            Place::SameOffsets => "same_offsets".to_string(),
            Place::Random(Distribution::OnceEach) => "once_each".to_string(),
            Place::Random(Distribution::Uniform) => "uniform".to_string(),
            Place::Random(Distribution::Zipf { theta }) => format!("zipf {theta}"),
            Place::Random(Distribution::HotSpot { blocks_share, accesses_share }) => {
                format!("hot_spot {accesses_share} of accesses to {blocks_share} of blocks")
            }
            Place::Random(Distribution::Zoned(zones)) => {
                let zone = |zone: &Zone| format!("{}/{}", zone.accesses_share, zone.space_share);
                format!("zoned {}", zones.iter().map(zone).collect::<Vec<_>>().join(" "))
            }
        }
    }

    /// Whether each thread needs a part to itself.
    pub(super) fn parts(&self) -> bool {
        matches!(self, Place::Sequential | Place::Random(Distribution::OnceEach))
    }

    pub(super) fn reason(&self) -> Option<&'static str> {
        let Place::Random(distribution) = self else { return None };
        let share = |share: f64| (0.0..=1.0).contains(&share);
        match distribution {
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
