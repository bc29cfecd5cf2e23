//! hwloc's tree of objects, whichever of its two ways of writing it was read from.

use std::collections::BTreeMap;

use narrows_model::IdSet;

/// A machine, package, cache, core, node, bridge, device...
#[derive(Debug, Default)]
pub struct Object {
    /// `Package`, `L1dCache`, `Core`, `PU`, `NUMANode`, `MemCache`, `Group`, `Bridge`, `PCI`.
    pub kind: String,
    /// What the kind is refined by: `Cluster`, `GPUMemory`.
    pub subtype: String,
    /// The kernel's number of it.
    pub os_index: Option<u32>,
    /// Its place among its kind, where it is written.
    pub logical: Option<u32>,
    /// `size`, `linesize`, `local`, `busid`, as written.
    pub attributes: BTreeMap<String, String>,
    pub children: Vec<Object>,
}

impl Object {
    /// All threads beneath.
    pub fn threads(&self) -> IdSet {
        self.of_kind("PU").into_iter().filter_map(|pu| pu.os_index).collect()
    }

    /// Itself and all beneath of a kind, in order.
    pub fn of_kind(&self, kind: &str) -> Vec<&Object> {
        let mut found = Vec::new();
        self.visit(&[], &mut |object, _| {
            if object.kind == kind {
                found.push(object);
            }
        });
        found
    }

    /// Calls with each object and the objects around it, the nearest last.
    pub fn visit<'a>(
        &'a self,
        above: &[&'a Object],
        see: &mut dyn FnMut(&'a Object, &[&'a Object]),
    ) {
        see(self, above);
        let mut above = above.to_vec();
        above.push(self);
        for child in &self.children {
            child.visit(&above, see);
        }
    }

    /// A cache's level and whether it holds data, instructions or both, in the kernel's words.
    pub fn cache(&self) -> Option<(u32, &'static str)> {
        let rest = self.kind.strip_prefix('L')?.strip_suffix("Cache")?;
        let level = rest.chars().next()?.to_digit(10)?;
        Some((
            level,
            match &rest[1..] {
                "d" => "Data",
                "i" => "Instruction",
                _ => "Unified",
            },
        ))
    }
}

/// Builds the tree from objects in order of writing, each with its depth.
pub fn nest(flat: Vec<(usize, Object)>) -> Object {
    let mut open: Vec<(usize, Object)> = Vec::new();
    for (depth, object) in flat {
        while open.last().is_some_and(|(above, _)| *above >= depth) {
            close(&mut open);
        }
        open.push((depth, object));
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map(|(_, object)| object).unwrap_or_default()
}

fn close(open: &mut Vec<(usize, Object)>) {
    if let Some((_, done)) = open.pop() {
        match open.last_mut() {
            Some((_, parent)) => parent.children.push(done),
            None => open.push((0, done)),
        }
    }
}

/// Whether `bytes` is what a size such as `5904MiB`, rounded, or `17149054976`, exact, says.
pub fn is_size(text: &str, bytes: u64) -> bool {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let Ok(number) = text[..end].parse::<f64>() else { return false };
    let unit = match &text[end..] {
        "" => 1u64,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        "TiB" => 1 << 40,
        _ => return false,
    };
    (bytes as f64 / unit as f64 - number).abs() <= if unit == 1 { 0.0 } else { 0.5 }
}

/// A mask such as `0x000000ff,0xffffffff`; words left out are zero.
pub fn mask(text: &str) -> IdSet {
    let words = text.trim().rsplit(',').zip(0..);
    words
        .flat_map(|(word, index)| {
            let bits = u32::from_str_radix(word.trim_start_matches("0x"), 16).unwrap_or(0);
            (0..32).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| index * 32 + bit)
        })
        .collect()
}
