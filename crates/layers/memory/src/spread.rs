//! How memory is laid on several nodes: as a server's policy does, or by shares of one's own.

use crate::mapping::HUGE;

/// How memory lies on several nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum Spread {
    /// All of it on one node.
    One(u32),
    /// Page by page in turns, by the kernel's policy.
    Interleave(Vec<u32>),
    /// Of each node a share, in pieces of 2 MiB and more.
    Weighted(Vec<(u32, f64)>),
}

/// A share may be off by so much.
pub const TOLERANCE: f64 = 0.02;
/// Pieces of weighted memory: enough that each share comes out, and few enough for any limit on a process's mappings.
const PIECES: usize = 2048;
/// Pieces of each node that make a share come out, whatever node is the first.
const OF_EACH: u64 = 64;
/// A piece of small pages, bytes.
const SMALL: usize = 64 << 10;

/// Whether so many bytes on so many nodes have to be on small pages: of large ones there would be too few for the shares.
pub fn on_small_pages(bytes: u64, nodes: usize) -> bool {
    bytes < OF_EACH * nodes as u64 * HUGE
}

impl Spread {
    /// The share of each node.
    pub fn shares(&self) -> Vec<(u32, f64)> {
        match self {
            Spread::One(node) => vec![(*node, 1.0)],
            Spread::Interleave(nodes) => {
                nodes.iter().map(|node| (*node, 1.0 / nodes.len() as f64)).collect()
            }
            Spread::Weighted(weights) => {
                let all: f64 = weights.iter().map(|(_, weight)| weight).sum();
                weights.iter().map(|(node, weight)| (*node, weight / all)).collect()
            }
        }
    }

    /// Node, offset and length of the pieces of so many bytes, on small pages or on large ones. Each goes to the node that has least of
    /// what it should.
    pub fn pieces(&self, len: usize, small: bool) -> Vec<(u32, usize, usize)> {
        let least = if small { SMALL } else { HUGE as usize };
        let piece = (len / PIECES).next_multiple_of(least).max(least);
        let shares = self.shares();
        let mut has = vec![0usize; shares.len()];
        let mut pieces = Vec::new();
        for at in (0..len).step_by(piece) {
            let len = piece.min(len - at);
            let lacks = |index: &usize| shares[*index].1 * (at + len) as f64 - has[*index] as f64;
            let Some(next) = (0..shares.len()).max_by(|a, b| lacks(a).total_cmp(&lacks(b))) else {
                break;
            };
            has[next] += len;
            pieces.push((shares[next].0, at, len));
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weighted_pieces_add_up_to_their_shares_everywhere() {
        let over = Spread::Weighted(vec![(0, 3.0), (4, 1.0)]);
        let len = 2 * PIECES * HUGE as usize;
        let pieces = over.pieces(len, false);
        assert_eq!(pieces.len(), PIECES);
        let mut end = 0;
        let mut far = 0;
        for (node, at, piece) in pieces {
            assert_eq!(at, end, "they follow each other");
            end += piece;
            far += if node == 4 { piece } else { 0 };
            // At no place is a share off by more than a piece.
            assert!((far as f64 - end as f64 / 4.0).abs() <= piece as f64, "{far} of {end}");
        }
        assert_eq!((end, far), (len, len / 4));
        assert_eq!(Spread::One(2).pieces(3 * HUGE as usize, false).len(), 3);
        assert_eq!(Spread::One(2).pieces(HUGE as usize, true).len(), 32);
        assert!(on_small_pages(8 << 20, 8) && !on_small_pages(1 << 30, 8));
        assert_eq!(Spread::Interleave(vec![1, 2]).shares(), [(1, 0.5), (2, 0.5)]);
    }
}
