//! Which cells of the matrix are measured, and which again.
//!
//! A matrix of N nodes has N² cells and the firmware names a handful of distances, so a few cells stand for each distance: pairs of
//! mirrors, over as many nodes as possible. A cell that differs from the others of its class, or from its mirror, is looked at
//! again, later and on fresh memory; both looks are kept. If it still differs it is an outlier, and the cells of its class that
//! share a node with it are measured too, until nothing new is found. What nobody looked at stays unmeasured, and is said to be.

use std::collections::BTreeSet;

use narrows_engine::Rng;
use narrows_stats::median;

use super::predict::Known;
use crate::thread_group::shuffled;

/// Cells that stand for a class.
const SAMPLE: usize = 4;
/// By so much the figures of a class may differ from their median, and mirrors from each other: latency, bandwidth.
pub const TOLERANCE: [f64; 2] = [0.10, 0.15];

/// From the CPUs of one node to the memory of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodePair {
    /// The CPUs' node.
    pub from: u32,
    /// The memory's node.
    pub to: u32,
}

impl NodePair {
    fn mirror(self) -> NodePair {
        NodePair { from: self.to, to: self.from }
    }

    fn touches(self, other: NodePair) -> bool {
        self.from == other.from || self.to == other.to
    }
}

/// Cells that should be alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Class {
    /// The distance that the firmware names; `None` where it names none.
    pub distance: Option<u32>,
    /// Whether the memory is of the CPUs' own node.
    pub near: bool,
    /// Whether the memory's node has no processors: memory behind a link of another kind.
    pub memory_only: bool,
    /// CPUs that read: fewer get less.
    pub cpus: usize,
}

/// What a look gives.
pub trait Figures {
    /// Latency in ns and bandwidth in bytes/s; `None` where it could not be had.
    fn figures(&self) -> [Option<f64>; 2];
}

/// A cell that was looked at.
#[derive(Debug)]
pub struct Surveyed<L> {
    /// Which.
    pub cell: NodePair,
    /// What it should be like.
    pub class: Class,
    /// Once, or twice where the first look differed; the last one counts.
    pub looks: Vec<L>,
    /// How far latency and bandwidth of the first look were from the class's or from the mirror's, as ratios, where that was too far.
    pub doubt: Option<[Option<f64>; 2]>,
    /// The same of the last look, where there were two.
    pub off: Option<[Option<f64>; 2]>,
    /// Cells of its class that were measured, this one among them.
    pub of_class: usize,
    /// Whether it was chosen without knowing any other: those that were looked at because of an outlier say nothing of the class.
    first: bool,
}

impl<L: Figures> Surveyed<L> {
    /// Of the last look.
    pub fn figures(&self) -> [Option<f64>; 2] {
        self.looks.last().map_or([None, None], Figures::figures)
    }
}

/// Looks at the cells that stand for their classes, at all of them where that is wanted, and at what they make suspicious; `all` has
/// them afterwards, also those from before an error.
///
/// # Errors
/// Those of `look`.
pub fn survey<L: Figures, E>(
    cells: &[(NodePair, Class)],
    thorough: bool,
    rng: &mut Rng,
    all: &mut Vec<Surveyed<L>>,
    mut look: impl FnMut(NodePair) -> Result<L, E>,
) -> Result<(), E> {
    let mut first = true;
    let mut next: Vec<(NodePair, Class)> =
        if thorough { cells.to_vec() } else { representatives(cells, rng) };
    while !next.is_empty() {
        for at in shuffled(next.len(), rng) {
            let (cell, class) = next[at];
            let looks = vec![look(cell)?];
            all.push(Surveyed { cell, class, looks, doubt: None, off: None, of_class: 0, first });
        }
        let mut doubtful = Vec::new();
        for at in 0..all.len() {
            if all[at].looks.len() == 1 {
                all[at].doubt = difference(all, at, true);
                doubtful.extend(all[at].doubt.is_some().then_some(at));
            }
        }
        for at in shuffled(doubtful.len(), rng) {
            let again = look(all[doubtful[at]].cell)?;
            all[doubtful[at]].looks.push(again);
        }
        for at in 0..all.len() {
            if all[at].looks.len() > 1 {
                all[at].off = difference(all, at, false);
            }
        }
        for at in 0..all.len() {
            all[at].of_class = all.iter().filter(|s| s.class == all[at].class).count();
        }
        let seen: BTreeSet<NodePair> = all.iter().map(|surveyed| surveyed.cell).collect();
        let beside_outlier = |(cell, class): &&(NodePair, Class)| {
            let outlier = |s: &Surveyed<L>| s.off.is_some() && s.class == *class;
            !seen.contains(cell) && all.iter().any(|s| outlier(s) && s.cell.touches(*cell))
        };
        next = cells.iter().filter(beside_outlier).copied().collect();
        first = false;
    }
    all.sort_unstable_by_key(|surveyed| surveyed.cell);
    Ok(())
}

/// What is known of the cells: what was measured, and where it was not or could not be, the median of the class.
pub fn filled(measured: &Known, cells: &[(NodePair, Class)]) -> Known {
    let of_class = |class: &Class, kind: usize| {
        let alike = cells.iter().filter(|(_, of)| of == class);
        let figures = alike.filter_map(|(cell, _)| measured.get(cell)?[kind]);
        median(&figures.collect::<Vec<f64>>())
    };
    let mut known = measured.clone();
    for (cell, class) in cells {
        for (kind, figure) in known.entry(*cell).or_default().iter_mut().enumerate() {
            *figure = figure.or_else(|| of_class(class, kind));
        }
    }
    known
}

/// A few of each class: mirrors together, and nodes that were not there yet first.
fn representatives(cells: &[(NodePair, Class)], rng: &mut Rng) -> Vec<(NodePair, Class)> {
    let classes: BTreeSet<Class> = cells.iter().map(|(_, class)| *class).collect();
    let mut chosen: Vec<(NodePair, Class)> = Vec::new();
    let mut uses = std::collections::BTreeMap::<u32, usize>::new();
    for class in classes {
        let of_class: Vec<NodePair> =
            cells.iter().filter(|(_, of)| *of == class).map(|(cell, _)| *cell).collect();
        let mut left: Vec<NodePair> =
            shuffled(of_class.len(), rng).into_iter().map(|at| of_class[at]).collect();
        let mut taken = 0;
        while taken < SAMPLE && !left.is_empty() {
            let used = |cell: &NodePair| -> usize {
                [cell.from, cell.to].iter().map(|node| uses.get(node).copied().unwrap_or(0)).sum()
            };
            let at = (0..left.len()).min_by_key(|&at| used(&left[at])).unwrap_or(0);
            let cell = left.swap_remove(at);
            let mirror = left.iter().position(|other| *other == cell.mirror());
            for cell in [Some(cell), mirror.map(|at| left.swap_remove(at))].into_iter().flatten() {
                *uses.entry(cell.from).or_default() += 1;
                *uses.entry(cell.to).or_default() += 1;
                chosen.push((cell, class));
                taken += 1;
            }
        }
    }
    chosen
}

/// How far a cell is from the others of its class, as ratios; from its mirror where nobody else is of its class, and where that is asked
/// for too (`mirrors`). `None` where that is no more than may be.
fn difference<L: Figures>(
    all: &[Surveyed<L>],
    at: usize,
    mirrors: bool,
) -> Option<[Option<f64>; 2]> {
    let this = &all[at];
    let mut ratios = [None, None];
    for (kind, ratio) in ratios.iter_mut().enumerate() {
        let Some(own) = this.figures()[kind] else { continue };
        let of_class: Vec<f64> = all
            .iter()
            .filter(|s| s.first && s.class == this.class && s.cell != this.cell)
            .filter_map(|s| s.figures()[kind])
            .collect();
        let is_mirror = |s: &&Surveyed<L>| s.cell == this.cell.mirror() && s.class == this.class;
        let mirror = all.iter().find(|s| is_mirror(s) && s.cell != this.cell);
        let mirror = mirror.and_then(|s| s.figures()[kind]);
        // Of two that differ nobody knows which one is wrong.
        let usual = match of_class.len() {
            0 | 1 => mirror.or(of_class.first().copied()),
            _ => median(&of_class),
        };
        let far = |ratio: &f64| (ratio - 1.0).abs() > TOLERANCE[kind];
        let over = |usual: Option<f64>| usual.map(|usual| own / usual).filter(far);
        *ratio = over(usual).or_else(|| over(mirror.filter(|_| mirrors)));
    }
    ratios.iter().any(Option::is_some).then_some(ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight sockets of four nodes with latencies that are known: a machine nobody has here.
    struct Simulated {
        /// Looks so far at each cell.
        looks: std::collections::BTreeMap<NodePair, u32>,
        noise: Rng,
        /// What is wrong with it: a cell, and by how much its latency and bandwidth are off in its n-th look.
        wrong: fn(NodePair, u32) -> [f64; 2],
    }

    const NODES: u32 = 32;

    fn distance(cell: NodePair) -> u32 {
        let (a, b) = (cell.from / 4, cell.to / 4);
        match (cell.from == cell.to, a == b, (a ^ b).count_ones()) {
            (true, ..) => 10,
            (_, true, _) => 12,
            (.., 1) => 50,
            (.., 2) => 65,
            _ => 79,
        }
    }

    fn known(cell: NodePair) -> [f64; 2] {
        match distance(cell) {
            10 => [95.0, 50e9],
            12 => [110.0, 45e9],
            50 => [290.0, 12e9],
            65 => [410.0, 9e9],
            _ => [540.0, 7e9],
        }
    }

    impl Figures for [f64; 2] {
        fn figures(&self) -> [Option<f64>; 2] {
            self.map(Some)
        }
    }

    fn cells() -> Vec<(NodePair, Class)> {
        let pair = |from| (0..NODES).map(move |to| NodePair { from, to });
        (0..NODES)
            .flat_map(pair)
            .map(|cell| {
                let near = cell.from == cell.to;
                (cell, Class { distance: Some(distance(cell)), near, memory_only: false, cpus: 8 })
            })
            .collect()
    }

    fn surveyed(
        wrong: fn(NodePair, u32) -> [f64; 2],
        thorough: bool,
        seed: u64,
    ) -> Vec<Surveyed<[f64; 2]>> {
        let mut machine =
            Simulated { looks: Default::default(), noise: Rng::new(seed ^ 77), wrong };
        let look = |cell: NodePair| {
            let number = machine.looks.entry(cell).or_default();
            *number += 1;
            let (right, off) = (known(cell), (machine.wrong)(cell, *number));
            // Two per cent of noise.
            let mut noisy = || 0.98 + machine.noise.below(1000) as f64 * 4e-5;
            Ok::<_, ()>([right[0] * off[0] * noisy(), right[1] * off[1] * noisy()])
        };
        let mut all = Vec::new();
        survey(&cells(), thorough, &mut Rng::new(seed), &mut all, look).unwrap();
        all
    }

    fn outliers(all: &[Surveyed<[f64; 2]>]) -> Vec<NodePair> {
        all.iter().filter(|s| s.off.is_some()).map(|s| s.cell).collect()
    }

    #[test]
    fn a_few_cells_stand_for_each_distance_and_give_what_is_known() {
        for seed in 0..20 {
            let all = surveyed(|_, _| [1.0; 2], false, seed);
            assert_eq!(all.len(), 5 * SAMPLE, "five distances");
            for s in &all {
                assert_eq!(s.looks.len(), 1);
                let [right, ..] = known(s.cell);
                assert!((s.figures()[0].unwrap() / right - 1.0).abs() < 0.03);
            }
            let mirrored = |s: &Surveyed<_>| all.iter().any(|m| m.cell == s.cell.mirror());
            assert!(all.iter().all(mirrored), "asymmetry would show");
            let nodes: BTreeSet<u32> = all.iter().flat_map(|s| [s.cell.from, s.cell.to]).collect();
            assert!(nodes.len() >= 16, "as many nodes as can be: {nodes:?}");
        }
    }

    #[test]
    fn all_cells_are_looked_at_where_that_is_wanted() {
        let all = surveyed(|_, _| [1.0; 2], true, 1);
        assert_eq!(all.len(), (NODES * NODES) as usize);
        assert!(outliers(&all).is_empty());
    }

    #[test]
    fn a_look_that_was_disturbed_is_repeated_and_both_are_kept() {
        // The first look at any cell of node 3's memory was disturbed.
        let all = surveyed(
            |cell, look| if cell.to == 3 && look == 1 { [1.0, 0.3] } else { [1.0; 2] },
            true,
            2,
        );
        assert!(outliers(&all).is_empty());
        let twice: Vec<NodePair> =
            all.iter().filter(|s| s.looks.len() == 2).map(|s| s.cell).collect();
        // And their mirrors, which they differ from.
        assert_eq!(twice.len(), 2 * NODES as usize - 1);
        assert!(twice.iter().all(|cell| cell.to == 3 || cell.from == 3));
        for s in all.iter().filter(|s| s.cell.to == 3) {
            assert!(s.looks[0][1] < 0.4 * s.looks[1][1], "the first one is not thrown away");
        }
    }

    #[test]
    fn one_cell_that_is_slow_in_every_look_is_named_and_its_mirror_is_not() {
        let all = surveyed(
            |cell, _| if (cell.from, cell.to) == (2, 4) { [1.0, 0.3] } else { [1.0; 2] },
            true,
            3,
        );
        assert_eq!(outliers(&all), [NodePair { from: 2, to: 4 }]);
    }

    #[test]
    fn an_outlier_among_the_few_makes_its_row_and_column_measured() {
        // The memory of node 13 lacks half of its modules, whoever reads it.
        let slow: fn(NodePair, u32) -> [f64; 2] =
            |cell, _| if cell.to == 13 { [1.0, 0.5] } else { [1.0; 2] };
        let mut found = 0;
        for seed in 0..20 {
            let all = surveyed(slow, false, seed);
            let seen = all.iter().any(|s| s.cell.to == 13);
            let outliers = outliers(&all);
            assert!(outliers.iter().all(|cell| cell.to == 13), "{outliers:?}");
            assert_eq!(!outliers.is_empty(), seen, "who looks finds it");
            if let Some(one) = all.iter().find(|s| s.off.is_some() && !s.class.near) {
                let of_class = |s: &&Surveyed<_>| s.cell.to == 13 && s.class == one.class;
                let class = cells().iter().filter(|(c, of)| c.to == 13 && *of == one.class).count();
                assert_eq!(all.iter().filter(of_class).count(), class, "all of its column");
            }
            found += u32::from(seen);
        }
        assert!(found >= 10, "{found} of 20");
    }

    #[test]
    fn of_two_cells_that_differ_both_are_named() {
        let class = Class { distance: Some(21), near: false, memory_only: false, cpus: 8 };
        let cells = [(NodePair { from: 0, to: 1 }, class), (NodePair { from: 1, to: 0 }, class)];
        let mut all = Vec::new();
        survey(&cells, false, &mut Rng::new(1), &mut all, |cell| {
            Ok::<_, ()>([if cell.from == 0 { 100.0 } else { 150.0 }, 1e9])
        })
        .unwrap();
        assert_eq!(all.iter().filter(|s| s.off.is_some()).count(), 2);
        assert!(all.iter().all(|s| s.looks.len() == 2 && s.of_class == 2));
        assert!(all.iter().all(|s| s.doubt.unwrap()[1].is_none()), "only the latency differed");
    }

    #[test]
    fn mirrors_that_differ_are_looked_at_again_though_both_are_near_the_median() {
        let all = surveyed(
            |cell, _| match (cell.from, cell.to) {
                (0, 1) => [0.95, 1.0],
                (1, 0) => [1.08, 1.0],
                _ => [1.0; 2],
            },
            true,
            4,
        );
        let twice: Vec<NodePair> =
            all.iter().filter(|s| s.looks.len() == 2).map(|s| s.cell).collect();
        assert_eq!(twice, [NodePair { from: 0, to: 1 }, NodePair { from: 1, to: 0 }]);
        assert!(outliers(&all).is_empty(), "neither is unlike its class");
    }

    #[test]
    fn what_was_surveyed_before_an_error_is_there() {
        let (mut all, mut left) = (Vec::new(), 3);
        let ended = survey(&cells(), true, &mut Rng::new(1), &mut all, |cell| {
            left -= 1;
            if left < 0 { Err("stopped") } else { Ok(known(cell)) }
        });
        assert_eq!((ended, all.len()), (Err("stopped"), 3));
    }

    #[test]
    fn unmeasured_cells_are_taken_for_the_median_of_their_class() {
        let all = surveyed(|_, _| [1.0; 2], false, 5);
        let measured: Known = all.iter().map(|s| (s.cell, s.figures())).collect();
        let mut measured = measured;
        // One that was looked at and gave no bandwidth.
        let half = *measured.keys().next().unwrap();
        measured.get_mut(&half).unwrap()[1] = None;
        let known_all = filled(&measured, &cells());
        assert!((known_all[&half][1].unwrap() / known(half)[1] - 1.0).abs() < 0.03);
        assert_eq!(known_all.len(), (NODES * NODES) as usize);
        for (cell, figures) in &known_all {
            let right = known(*cell);
            assert!((figures[0].unwrap() / right[0] - 1.0).abs() < 0.03, "{cell:?}");
        }
    }
}
