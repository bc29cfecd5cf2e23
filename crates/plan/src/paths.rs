//! Ways from one machine to another over the described links.

use crate::description::{Description, End};

/// Most links that one way may have; a storage network has two or three.
const LINKS_MAX: usize = 8;
/// More ways between two machines than anybody reckons with; whoever asks refuses so many.
const PATHS_MAX: usize = 65;

/// One link of a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hop {
    pub link: usize,
    /// From the link's `from` to its `to`.
    pub forward: bool,
}

/// Every way without passing a place twice, and without passing through another machine, since machines don't
/// forward; short ones first.
pub(crate) fn paths(platform: &Description, from: usize, to: usize) -> Vec<Vec<Hop>> {
    let mut found = Vec::new();
    let mut open: Vec<(End, Vec<End>, Vec<Hop>)> =
        vec![(End::Machine(from), vec![End::Machine(from)], Vec::new())];
    while !open.is_empty() && found.len() < PATHS_MAX {
        let mut next = Vec::new();
        for (at, passed, hops) in open {
            for (hop, there) in neighbours(platform, at) {
                if passed.contains(&there) {
                    continue;
                }
                let mut hops = hops.clone();
                hops.push(hop);
                if there == End::Machine(to) {
                    found.push(hops);
                } else if matches!(there, End::Switch(_)) && hops.len() < LINKS_MAX {
                    let mut passed = passed.clone();
                    passed.push(there);
                    next.push((there, passed, hops));
                }
            }
        }
        if next.len() > 4 * PATHS_MAX {
            // Too many to follow: as many as are refused.
            found.resize(PATHS_MAX, Vec::new());
        }
        open = next;
    }
    found.truncate(PATHS_MAX);
    found
}

fn neighbours(platform: &Description, at: End) -> impl Iterator<Item = (Hop, End)> {
    platform.links.iter().enumerate().flat_map(move |(link, described)| {
        let (from, to) = (node(platform, described.ends.0), node(platform, described.ends.1));
        let forward = (from == at).then_some((Hop { link, forward: true }, to));
        let back = (to == at).then_some((Hop { link, forward: false }, from));
        [forward, back].into_iter().flatten()
    })
}

/// An adapter's end is its machine.
fn node(platform: &Description, end: End) -> End {
    match end {
        End::Adapter(index) => {
            platform.machine_of(platform.adapters[index].at).map_or(end, End::Machine)
        }
        other => other,
    }
}
