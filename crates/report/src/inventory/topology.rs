//! How packages, nodes, caches and cores lie within each other, as a tree in which what is alike is one line.
//!
//! Everything that has a set of processors is put into the smallest thing that has all of them. Branches of one shape are
//! merged, with the ids of all: two equal packages are `2 × package (0-1)`. What has exactly the processors of the
//! thing it lies in shares its line.

use narrows_model::{Cpu, IdSet, NumaNode, Platform};

use crate::nested_box::NestedBox;
use crate::print::Units;

/// Ids longer than this are left out; sparse ids of a hundred packages help nobody.
const MAX_IDS_CHARS: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Group,
    Node,
    /// A node without processors; nothing lies in it.
    MemoryOnly,
    Cache,
    Core,
}

/// Equal branches of the tree.
#[derive(Debug, Clone)]
struct Branch {
    what: What,
    /// How many there are within one of the branch above.
    count: usize,
    name: String,
    ids: Vec<u32>,
    /// Least and most memory of one.
    memory: Option<(u64, u64)>,
    cpus: IdSet,
    children: Vec<Branch>,
}

/// The lines of the tree with their depths; none where nothing is known but the number of cores.
pub(super) fn lines(p: &Platform) -> Vec<(usize, String)> {
    let mut lines = Vec::new();
    for place in places(p) {
        print(&place, 0, &mut lines);
    }
    lines
}

/// What is to be seen at once of a node.
type Marks<'a> = &'a dyn Fn(u32) -> Vec<String>;

/// The outermost parts; none where nothing is known but the number of cores.
pub(crate) fn places(p: &Platform) -> Vec<NestedBox> {
    places_with(p, &|_| Vec::new())
}

/// The same with marks, which are asked for by node.
pub(crate) fn places_with(p: &Platform, marks: Marks<'_>) -> Vec<NestedBox> {
    if p.cpu.groups.is_empty() && p.caches.iter().all(|cache| cache.cpus.is_empty()) {
        return Vec::new();
    }
    let mut roots = Vec::new();
    for branch in sorted(p) {
        insert(&mut roots, branch);
    }
    merged(roots).iter().map(|branch| place(branch, marks)).collect()
}

fn print(place: &NestedBox, depth: usize, lines: &mut Vec<(usize, String)>) {
    lines.push((depth, place.words.clone()));
    for within in &place.within {
        print(within, depth + 1, lines);
    }
}

/// All things with processors, what can hold others first, then the memory that has none.
fn sorted(p: &Platform) -> Vec<Branch> {
    let mut all = groups(&p.cpu);
    all.extend(p.nodes.iter().filter(|node| !node.cpus.is_empty()).map(node));
    all.extend(caches(p));
    all.extend(cores(&p.cpu));
    // Stable: of equal sets the order above stands.
    all.sort_by(|a, b| b.cpus.len().cmp(&a.cpus.len()).then_with(|| a.cpus.cmp(&b.cpus)));
    all.extend(p.nodes.iter().filter(|node| node.cpus.is_empty()).map(node));
    all
}

fn branch(what: What, name: String, cpus: IdSet) -> Branch {
    Branch { what, count: 1, name, ids: Vec::new(), memory: None, cpus, children: Vec::new() }
}

fn groups(cpu: &Cpu) -> Vec<Branch> {
    let mut groups: Vec<_> = cpu.groups.iter().collect();
    groups.sort_by_key(|group| group.level);
    groups
        .into_iter()
        .map(|group| Branch {
            ids: group.id.into_iter().collect(),
            ..branch(What::Group, group.level.word().to_string(), group.cpus.clone())
        })
        .collect()
}

fn node(node: &NumaNode) -> Branch {
    let own = IdSet::from(node.cpus.as_slice());
    let mut name = match &node.device {
        Some(device) => format!("node of {device}"),
        None if own.is_empty() => "node of memory only".to_string(),
        None => "node".to_string(),
    };
    for cache in &node.memory_caches {
        let size = cache.size_bytes.map(|bytes| format!(" of {}", Units::Si.bytes(bytes as f64)));
        name += &format!(" behind a memory cache{}", size.unwrap_or_default());
    }
    Branch {
        ids: vec![node.id],
        memory: Some((node.memory_bytes, node.memory_bytes)),
        ..match own.is_empty() {
            true => branch(What::MemoryOnly, name, node.nearest_cpus.clone()),
            false => branch(What::Node, name, own),
        }
    }
}

/// The highest level first.
fn caches(p: &Platform) -> Vec<Branch> {
    let mut caches: Vec<_> = p.caches.iter().collect();
    caches.sort_by_key(|cache| std::cmp::Reverse(cache.level));
    caches
        .into_iter()
        .flat_map(|cache| {
            let kind = super::processors::cache_kind(cache);
            let size = Units::Iec.bytes(cache.size_bytes as f64);
            let name = format!("L{}{kind} {size}", cache.level);
            cache.cpus.iter().map(move |cpus| branch(What::Cache, name.clone(), cpus.clone()))
        })
        .collect()
}

fn cores(cpu: &Cpu) -> Vec<Branch> {
    cpu.cores_threads
        .iter()
        .map(|threads| {
            let kind = threads
                .first()
                .and_then(|first| cpu.kinds.iter().position(|kind| kind.cpus.contains(*first)));
            let kind = kind.map(|index| format!(" of kind {}", index + 1)).unwrap_or_default();
            let threads = IdSet::from(threads.as_slice());
            let name = match threads.len() {
                1 => format!("core{kind}"),
                several => format!("core{kind} with {several} CPUs"),
            };
            branch(What::Core, name, threads)
        })
        .collect()
}

/// Puts a branch where it belongs: into the last of the smallest sets that hold it.
fn insert(branches: &mut Vec<Branch>, new: Branch) {
    let holds = |branch: &&mut Branch| !new.cpus.is_empty() && new.cpus.is_subset(&branch.cpus);
    // Memory without processors of its own holds nothing.
    let holder = branches.iter_mut().filter(|branch| branch.what != What::MemoryOnly).find(holds);
    match holder {
        Some(holder) => insert(&mut holder.children, new),
        None => branches.push(new),
    }
}

impl Branch {
    /// Whether it can be counted with `other`.
    fn is_like(&self, other: &Branch) -> bool {
        let alike = |(a, b): (&Branch, &Branch)| a.count == b.count && a.is_like(b);
        self.name == other.name
            && self.cpus.len() == other.cpus.len()
            && self.children.len() == other.children.len()
            && self.children.iter().zip(&other.children).all(alike)
    }

    /// Takes in the ids and memory of a branch like itself.
    fn absorb(&mut self, other: &Branch) {
        self.ids.extend(&other.ids);
        self.memory = match (self.memory, other.memory) {
            (Some((least, most)), Some((a, b))) => Some((least.min(a), most.max(b))),
            (ours, theirs) => ours.or(theirs),
        };
        for (ours, theirs) in self.children.iter_mut().zip(&other.children) {
            ours.absorb(theirs);
        }
    }

    fn label(&self) -> String {
        let ids = self.ids.iter().copied().collect::<IdSet>().to_string();
        let mut label = self.name.clone();
        if !ids.is_empty() && ids.len() <= MAX_IDS_CHARS {
            // The id belongs to the word, not to what is said about it.
            let (word, rest) = label.split_once(' ').unwrap_or((&label, ""));
            let ids = if self.ids.len() > 1 { format!("({ids})") } else { ids };
            label = format!("{word} {ids} {rest}").trim_end().to_string();
        }
        let bytes = |bytes: u64| Units::Si.bytes(bytes as f64);
        match self.memory {
            Some((0, 0)) => label + " without memory",
            Some((least, most)) if bytes(least) == bytes(most) => {
                format!("{label}, {}", bytes(least))
            }
            Some((least, most)) => format!("{label}, {} to {}", bytes(least), bytes(most)),
            None => label,
        }
    }
}

/// Branches of one shape counted together, at every level.
fn merged(mut branches: Vec<Branch>) -> Vec<Branch> {
    branches.sort_by(|a, b| a.cpus.cmp(&b.cpus));
    let mut kept: Vec<Branch> = Vec::new();
    for mut branch in branches {
        branch.children = merged(branch.children);
        match kept.iter_mut().find(|other| other.is_like(&branch)) {
            Some(other) => {
                other.count += 1;
                other.absorb(&branch);
            }
            None => kept.push(branch),
        }
    }
    kept
}

/// A branch with those that share its line.
fn place(branch: &Branch, marks: Marks<'_>) -> NestedBox {
    let mut chain = vec![branch];
    let mut last = branch;
    while let [only] = last.children.as_slice()
        && only.count == 1
        && only.cpus.len() == last.cpus.len()
        && only.what != What::MemoryOnly
    {
        chain.push(only);
        last = only;
    }
    // A core with its own caches is a core first.
    if let Some(core) = chain.iter().position(|branch| branch.what == What::Core) {
        let first = chain.iter().position(|branch| branch.what == What::Cache).unwrap_or(core);
        chain[first..=core].rotate_right(1);
    }
    let count = match branch.count {
        1 => String::new(),
        several => format!("{several} × "),
    };
    let labels: Vec<String> = chain.iter().map(|branch| branch.label()).collect();
    // Memory first: what is near the processors below is easier read above them.
    let (memory, others): (Vec<&Branch>, Vec<&Branch>) =
        last.children.iter().partition(|child| child.what == What::MemoryOnly);
    let nodes = chain.iter().filter(|branch| matches!(branch.what, What::Node | What::MemoryOnly));
    let own = nodes.flat_map(|branch| &branch.ids).flat_map(|node| marks(*node)).collect();
    let within = memory.into_iter().chain(others).map(|branch| place(branch, marks)).collect();
    NestedBox { marks: own, ..NestedBox::of(format!("{count}{}", labels.join(", ")), within) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{Cache, CoreKind, CpuGroup, GroupLevel, MemoryCache};

    fn lines(p: &Platform) -> Vec<String> {
        let line = |(depth, words)| format!("{}{words}", "  ".repeat(depth));
        super::lines(p).into_iter().map(line).collect()
    }

    fn set(text: &str) -> IdSet {
        text.parse().unwrap()
    }

    fn cache(level: u32, kind: &str, size_bytes: u64, cpus: &[&str]) -> Cache {
        Cache {
            level,
            kind: kind.into(),
            size_bytes,
            instances: cpus.len() as u32,
            cpus: cpus.iter().map(|cpus| set(cpus)).collect(),
            ..Cache::default()
        }
    }

    fn node(id: u32, cpus: &str, memory_bytes: u64) -> NumaNode {
        NumaNode { id, cpus: set(cpus).ids().to_vec(), memory_bytes, ..NumaNode::default() }
    }

    fn group(level: GroupLevel, id: u32, cpus: &str) -> CpuGroup {
        CpuGroup { level, id: Some(id), cpus: set(cpus) }
    }

    /// Two packages with a node each; four cores of two threads.
    fn server() -> Platform {
        let mut p = Platform {
            nodes: vec![node(0, "0-1,4-5", 64_000_000_000), node(1, "2-3,6-7", 65_000_000_000)],
            caches: vec![
                cache(1, "Data", 32 << 10, &["0,4", "1,5", "2,6", "3,7"]),
                cache(2, "Unified", 1 << 20, &["0,4", "1,5", "2,6", "3,7"]),
                cache(3, "Unified", 32 << 20, &["0-1,4-5", "2-3,6-7"]),
            ],
            ..Platform::default()
        };
        p.cpu.groups = vec![
            group(GroupLevel::Package, 0, "0-1,4-5"),
            group(GroupLevel::Package, 1, "2-3,6-7"),
        ];
        p.cpu.cores_threads = (0..4).map(|cpu| vec![cpu, cpu + 4]).collect();
        p
    }

    #[test]
    fn what_is_alike_is_one_line_with_the_ids_of_all() {
        assert_eq!(
            lines(&server()),
            [
                "2 × package (0-1), node (0-1), 64.0 GB to 65.0 GB, L3 32 MiB",
                "  2 × core with 2 CPUs, L2 1 MiB, L1d 32 KiB",
            ]
        );
    }

    #[test]
    fn what_differs_is_told_apart() {
        let mut p = server();
        p.caches[2].cpus.pop();
        let kind = |cpus| CoreKind {
            counters: None,
            cpus: set(cpus),
            capacity: None,
            base_khz: None,
            max_khz: None,
        };
        p.cpu.kinds = vec![kind("0-2,4-6"), kind("3,7")];
        assert_eq!(
            lines(&p),
            [
                "package 0, node 0, 64.0 GB, L3 32 MiB",
                "  2 × core of kind 1 with 2 CPUs, L2 1 MiB, L1d 32 KiB",
                "package 1, node 1, 65.0 GB",
                "  core of kind 1 with 2 CPUs, L2 1 MiB, L1d 32 KiB",
                "  core of kind 2 with 2 CPUs, L2 1 MiB, L1d 32 KiB",
            ]
        );
    }

    #[test]
    fn memory_of_its_own_stands_at_the_processors_nearest_to_it() {
        let mut p = server();
        p.nodes.push(NumaNode {
            nearest_cpus: set("2-3,6-7"),
            device: Some("dax1.0".into()),
            ..node(5, "", 256_000_000_000)
        });
        // Nobody says where this one is.
        p.nodes.push(node(9, "", 16_000_000_000));
        p.nodes[0].memory_caches =
            vec![MemoryCache { level: 1, size_bytes: Some(8 << 30), ..MemoryCache::default() }];
        let lines = lines(&p);
        assert!(lines.contains(&"node 9 of memory only, 16.0 GB".to_string()), "{lines:#?}");
        let package = lines.iter().position(|line| line.starts_with("package 1")).unwrap();
        assert_eq!(lines[package + 1], "  node 5 of dax1.0, 256 GB");
        assert!(lines.iter().any(|line| line.contains("behind a memory cache of 8.59 GB")));
    }

    #[test]
    fn without_sets_of_processors_there_is_no_tree() {
        let mut p = server();
        p.cpu.groups.clear();
        p.caches.iter_mut().for_each(|cache| cache.cpus.clear());
        assert_eq!(lines(&p), Vec::<String>::new());
    }

    /// Sets of broken files overlap: they end in some tree, and no core is lost.
    #[test]
    fn sets_that_overlap_are_put_somewhere() {
        let mut p = Platform::default();
        p.cpu.cores_threads = (0..64).map(|cpu| vec![cpu]).collect();
        let overlapping =
            (0..60).map(|from| group(GroupLevel::Cluster, from, &format!("{from}-{}", from + 4)));
        p.cpu.groups = overlapping.collect();
        let mut roots = Vec::new();
        for branch in sorted(&p) {
            insert(&mut roots, branch);
        }
        fn cores(branches: &[Branch]) -> usize {
            let within =
                |branch: &Branch| cores(&branch.children) + usize::from(branch.what == What::Core);
            branches.iter().map(within).sum()
        }
        assert_eq!(cores(&roots), 64);
        assert!(!lines(&p).is_empty());
    }
}
