//! What joining drives does to writes.
//!
//! Patterson, Gibson, Katz, "A Case for Redundant Arrays of Inexpensive Disks", 1988: a small write to a parity array
//! reads what it replaces and the parity, and writes both. Where fewer members have to be read to compute the parity
//! anew, that way is taken, as Linux md does.

use serde::{Deserialize, Serialize};

use super::figure::Grade;

/// How members hold data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Every block once.
    Stripe,
    /// Every block on every member.
    Mirror,
    /// Stripes over pairs: every block twice.
    MirroredStripe,
    /// One member's worth of parity.
    SingleParity,
    /// Two members' worth of parity.
    DoubleParity,
}

/// A way to join drives.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Raid {
    /// How members hold data.
    pub layout: Layout,
    /// Fewest members.
    pub members_min: u32,
    /// Where this comes from.
    pub source: String,
    /// What that is worth.
    pub grade: Grade,
}

/// Operations on all members together for one operation asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Multiplied {
    /// Reads.
    pub reads: f64,
    /// Writes.
    pub writes: f64,
}

impl Raid {
    /// Members that hold parity or `None` where blocks are copied.
    fn parity(&self) -> Option<u32> {
        match self.layout {
            Layout::SingleParity => Some(1),
            Layout::DoubleParity => Some(2),
            Layout::Stripe | Layout::Mirror | Layout::MirroredStripe => None,
        }
    }

    fn copies(&self, members: u32) -> u32 {
        match self.layout {
            Layout::Mirror => members,
            Layout::MirroredStripe => 2,
            _ => 1,
        }
    }

    /// One write smaller than a stripe; `None` with fewer members than it needs.
    pub fn small_write(&self, members: u32) -> Option<Multiplied> {
        if members < self.members_min {
            return None;
        }
        Some(match self.parity() {
            // Old data and old parity, or the other members' data.
            Some(parity) => Multiplied {
                reads: f64::from((1 + parity).min(members - parity - 1)),
                writes: f64::from(1 + parity),
            },
            None => Multiplied { reads: 0.0, writes: f64::from(self.copies(members)) },
        })
    }

    /// Operations for one read while one of so many members is gone: where all members are loaded alike but for those that stand in for it,
    /// as many as make the whole slower by what the fullest of them has to do. `None` where data are lost then, or with too few members.
    ///
    /// A mirror's other copies take its reads; of a pair the one that is left takes all of the pair's. With parity a block of the missing
    /// member is read from all others.
    pub fn degraded_read(&self, members: u32) -> Option<f64> {
        if members < self.members_min {
            return None;
        }
        let n = f64::from(members);
        match self.layout {
            Layout::Stripe => None,
            Layout::Mirror => Some(n / (n - 1.0)),
            Layout::MirroredStripe => Some(2.0),
            // (n − 1) of n reads as ever, one of n by n − parity, over n − 1 members.
            Layout::SingleParity => Some(((n - 1.0) + (n - 1.0)) / (n - 1.0)),
            Layout::DoubleParity => Some(((n - 1.0) + (n - 2.0)) / (n - 1.0)),
        }
    }

    /// The same for a write smaller than a stripe; old data are read where they and their parity are there. What a rebuild takes is not in
    /// it.
    pub fn degraded_small_write(&self, members: u32) -> Option<Multiplied> {
        let healthy = self.small_write(members)?;
        let n = f64::from(members);
        // The work of n members is done by n − 1.
        let by_fewer = n / (n - 1.0);
        match self.layout {
            Layout::Stripe => None,
            // A copy fewer is written, and as many members fewer write.
            Layout::Mirror | Layout::MirroredStripe => Some(healthy),
            Layout::SingleParity => {
                // Data gone: the others are read and parity is written. Parity gone: the data alone are written.
                let reads = ((n - 2.0) * healthy.reads + (n - 2.0)) / n;
                let writes = ((n - 2.0) * healthy.writes + 2.0) / n;
                Some(Multiplied { reads: reads * by_fewer, writes: writes * by_fewer })
            }
            Layout::DoubleParity => {
                let reads = ((n - 3.0) * healthy.reads + 2.0 * 2.0 + (n - 3.0)) / n;
                let writes = ((n - 3.0) * healthy.writes + 2.0 * 2.0 + 2.0) / n;
                Some(Multiplied { reads: reads * by_fewer, writes: writes * by_fewer })
            }
        }
    }

    /// Bytes written to all members for one byte written in full stripes.
    pub fn full_stripe_write(&self, members: u32) -> Option<f64> {
        self.usable_share(members).map(|share| 1.0 / share)
    }

    /// Room left of the members'.
    pub fn usable_share(&self, members: u32) -> Option<f64> {
        (members >= self.members_min).then(|| match self.parity() {
            Some(parity) => f64::from(members - parity) / f64::from(members),
            None => 1.0 / f64::from(self.copies(members)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raid(layout: Layout, members_min: u32) -> Raid {
        Raid { layout, members_min, source: "test".into(), grade: Grade::Specification }
    }

    #[test]
    fn writes_are_multiplied_as_pencil_says() {
        let of = |layout, least, members| {
            let raid = raid(layout, least);
            let small = raid.small_write(members).unwrap();
            (small.reads, small.writes, raid.full_stripe_write(members).unwrap())
        };
        assert_eq!(of(Layout::Stripe, 2, 8), (0.0, 1.0, 1.0));
        assert_eq!(of(Layout::Mirror, 2, 2), (0.0, 2.0, 2.0));
        assert_eq!(of(Layout::Mirror, 2, 3), (0.0, 3.0, 3.0));
        assert_eq!(of(Layout::MirroredStripe, 4, 8), (0.0, 2.0, 2.0));
        assert_eq!(of(Layout::SingleParity, 3, 8), (2.0, 2.0, 8.0 / 7.0));
        assert_eq!(of(Layout::DoubleParity, 4, 8), (3.0, 3.0, 8.0 / 6.0));
        // With three members the one other block is read instead of old data and parity.
        assert_eq!(of(Layout::SingleParity, 3, 3), (1.0, 2.0, 1.5));
        assert_eq!(of(Layout::DoubleParity, 4, 4), (1.0, 3.0, 2.0));
    }

    /// Of members that each do 100 operations: what is left of reads, and of small writes.
    #[test]
    fn a_member_gone_leaves_what_pencil_says() {
        let of = |layout, least, members: u32| {
            let raid = raid(layout, least);
            let all = 100.0 * f64::from(members);
            let write = raid.degraded_small_write(members).unwrap();
            (all / raid.degraded_read(members).unwrap(), all / (write.reads + write.writes))
        };
        // The widowed half of a pair takes all of its reads; writes go on with one copy fewer.
        assert_eq!(of(Layout::MirroredStripe, 4, 4), (200.0, 200.0));
        assert_eq!(of(Layout::Mirror, 2, 2), (100.0, 100.0));
        // An eighth of the reads costs seven: 14 operations for eight reads, by seven members.
        let (reads, writes) = of(Layout::SingleParity, 3, 8);
        assert!((reads - 400.0).abs() < 1e-9, "{reads}");
        // 6 of 8 writes take four operations, one seven, one a single one: 32 for 8, by seven members.
        assert!((writes - 700.0 / 4.0).abs() < 1e-9, "{writes}");
        let (reads, writes) = of(Layout::DoubleParity, 4, 6);
        assert!((reads - 500.0 * 6.0 / 9.0).abs() < 1e-9, "{reads}");
        assert!(writes < 600.0 / 6.0 * 1.2 && writes > 0.0, "{writes}");
        assert_eq!(raid(Layout::Stripe, 2).degraded_read(4), None);
    }

    #[test]
    fn too_few_members_have_no_answer() {
        assert_eq!(raid(Layout::DoubleParity, 4).small_write(3), None);
        assert_eq!(raid(Layout::SingleParity, 3).usable_share(2), None);
    }
}
