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

    #[test]
    fn too_few_members_have_no_answer() {
        assert_eq!(raid(Layout::DoubleParity, 4).small_write(3), None);
        assert_eq!(raid(Layout::SingleParity, 3).usable_share(2), None);
    }
}
