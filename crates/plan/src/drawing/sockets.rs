//! Sockets as the firmware's distances group them: those that are nearer to each other than to the rest lie in one box.

use std::collections::BTreeSet;

use super::DrawnPart;
use crate::description::Machine;

/// Nodes in groups of groups; the innermost are single nodes.
#[derive(Debug, Clone, PartialEq)]
enum Group {
    /// One, by its index in the matrix.
    Node(usize),
    /// The distances within it, and what is in it.
    Of(BTreeSet<i64>, Vec<Group>),
}

/// Nothing for a single socket, which its machine's words tell already.
pub(super) fn draw(machine: &Machine) -> Vec<DrawnPart> {
    let nodes = machine.distances.as_ref().map_or(machine.sockets as usize, Vec::len);
    if nodes < 2 {
        return Vec::new();
    }
    let word = if nodes == machine.sockets as usize { "socket" } else { "node" };
    let groups = match &machine.distances {
        None => (0..nodes).map(Group::Node).collect(),
        Some(matrix) => {
            let all: Vec<usize> = (0..nodes).collect();
            match group(matrix, &all) {
                Group::Of(_, within) => within,
                node => vec![node],
            }
        }
    };
    let each = per_node(machine, nodes, word);
    let mut parts = merged(&groups, &each);
    if let Some(matrix) = &machine.distances
        && let [only] = parts.as_mut_slice()
    {
        only.words += &format!(", {}", apart(matrix, &groups));
    }
    parts
}

/// `socket: 15 cores`.
fn per_node(machine: &Machine, nodes: usize, word: &str) -> String {
    let cores = machine.cores.filter(|cores| (*cores as usize).is_multiple_of(nodes));
    match cores.map(|cores| cores as usize / nodes) {
        Some(1) => format!("{word} of 1 core"),
        Some(cores) => format!("{word} of {cores} cores"),
        None => word.to_string(),
    }
}

/// What is alike is one part with a count.
fn merged(groups: &[Group], each: &str) -> Vec<DrawnPart> {
    let mut parts: Vec<(usize, DrawnPart)> = Vec::new();
    for group in groups {
        let part = match group {
            Group::Node(_) => DrawnPart::leaf(each),
            Group::Of(distances, within) => {
                let within = merged(within, each);
                DrawnPart {
                    within,
                    ..DrawnPart::leaf(format!("group, {} within it", distance(distances)))
                }
            }
        };
        match parts.iter_mut().find(|(_, known)| *known == part) {
            Some((count, _)) => *count += 1,
            None => parts.push((1, part)),
        }
    }
    let count = |(count, part): (usize, DrawnPart)| match count {
        1 => part,
        _ => DrawnPart { words: format!("{count} × {}", part.words), ..part },
    };
    parts.into_iter().map(count).collect()
}

/// `distance 50 between them`: of nodes that aren't in one of the groups together.
fn apart(matrix: &[Vec<i64>], groups: &[Group]) -> String {
    let mut between = BTreeSet::new();
    for (index, one) in groups.iter().enumerate() {
        for other in &groups[index + 1..] {
            for (a, b) in pairs(&one.nodes(), &other.nodes()) {
                between.extend([matrix[a][b], matrix[b][a]]);
            }
        }
    }
    format!("{} between them", distance(&between))
}

impl Group {
    fn nodes(&self) -> Vec<usize> {
        match self {
            Group::Node(index) => vec![*index],
            Group::Of(_, within) => within.iter().flat_map(Group::nodes).collect(),
        }
    }
}

/// These nodes, divided at the largest distance at which that leaves groups whose nodes are all nearer to each other than to the rest.
fn group(matrix: &[Vec<i64>], nodes: &[usize]) -> Group {
    if let [only] = nodes {
        return Group::Node(*only);
    }
    let distances = distinct(matrix, nodes);
    let parts = distances.iter().rev().skip(1).find_map(|most| divided(matrix, nodes, *most));
    let within = match parts {
        Some(parts) => parts.iter().map(|part| group(matrix, part)).collect(),
        None => nodes.iter().copied().map(Group::Node).collect(),
    };
    Group::Of(distances, within)
}

/// Distances between different nodes.
fn distinct(matrix: &[Vec<i64>], nodes: &[usize]) -> BTreeSet<i64> {
    let different = pairs(nodes, nodes).filter(|(a, b)| a != b);
    different.map(|(a, b)| matrix[a][b]).collect()
}

fn pairs<'a>(some: &'a [usize], others: &'a [usize]) -> impl Iterator<Item = (usize, usize)> + 'a {
    some.iter().flat_map(|a| others.iter().map(move |b| (*a, *b)))
}

/// Sets of nodes that are all within `most` of each other and of no other node; `None` where nodes don't fall into such sets.
fn divided(matrix: &[Vec<i64>], nodes: &[usize], most: i64) -> Option<Vec<Vec<usize>>> {
    let near = |a: usize| -> Vec<usize> {
        let is = |b: &usize| a == *b || (matrix[a][*b] <= most && matrix[*b][a] <= most);
        nodes.iter().copied().filter(is).collect()
    };
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for node in nodes {
        let here = near(*node);
        match parts.iter().find(|part| part.contains(node)) {
            Some(part) if *part != here => return None,
            Some(_) => {}
            None if here.iter().any(|other| parts.iter().any(|p| p.contains(other))) => {
                return None;
            }
            None => parts.push(here),
        }
    }
    (parts.len() > 1).then_some(parts)
}

fn distance(distances: &BTreeSet<i64>) -> String {
    let all = distances.iter().map(i64::to_string).collect::<Vec<_>>();
    match all.as_slice() {
        [one] => format!("distance {one}"),
        [first @ .., last] => format!("distances {} and {last}", first.join(", ")),
        [] => "no distance".to_string(),
    }
}
