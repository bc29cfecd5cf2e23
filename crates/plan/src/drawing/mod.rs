//! The described platform as a tree: machines with what is in them, and the links between them; what binds is marked where it is.

mod machine;
mod marks;
mod sockets;
mod words;

use serde::Serialize;

use crate::description::{Attachment, Description, End};
use crate::fit::Fit;
pub(crate) use marks::Marks;

/// A part and what lies in it.
#[derive(Debug, Clone, PartialEq, Serialize, Default)]
pub struct DrawnPart {
    /// In words: `nvme: 8 × nvme-gen5-x4, 15.1 GB/s each`.
    pub words: String,
    /// What is to be seen at once: `BINDS random read: 8 × nvme-gen5-x4, in`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
    /// What lies in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<DrawnPart>,
}

/// A link between two of the outermost parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wire {
    /// Which parts, by index.
    pub ends: (usize, usize),
    /// In words, its ends too.
    pub words: String,
    /// As those of a part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<String>,
}

/// A platform as it is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Drawing {
    /// Machines, then switches of the network.
    pub parts: Vec<DrawnPart>,
    /// Links between them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wires: Vec<Wire>,
}

impl DrawnPart {
    fn leaf(words: impl Into<String>) -> DrawnPart {
        DrawnPart { words: words.into(), ..DrawnPart::default() }
    }

    /// With what stands at these components.
    fn marked(mut self, marks: &mut Marks, component: &str) -> DrawnPart {
        self.marks.extend(marks.take(component));
        self
    }
}

impl Drawing {
    /// One line for each part and mark, indented; links last.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let links = self.wires.iter().map(|wire| DrawnPart {
            words: format!("link {}", wire.words),
            marks: wire.marks.clone(),
            within: Vec::new(),
        });
        let links: Vec<DrawnPart> = links.collect();
        for part in self.parts.iter().chain(&links) {
            list(part, 0, &mut lines);
        }
        lines
    }
}

fn list(part: &DrawnPart, depth: usize, lines: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    lines.push(format!("{indent}{}", part.words));
    lines.extend(part.marks.iter().map(|mark| format!("{indent}  ← {mark}")));
    for within in &part.within {
        list(within, depth + 1, lines);
    }
}

/// The drawing of a platform on which demands were set, with what binds each of them at most.
pub fn drawn_for(platform: &Description, fits: &[Fit]) -> Drawing {
    let bound = fits.iter().map(|fit| (fit.demand.as_str(), fit.binding.as_slice()));
    draw(platform, Marks::of(bound))
}

/// The drawing, with `marks` at what they speak of; none is lost.
pub(crate) fn draw(platform: &Description, mut marks: Marks) -> Drawing {
    // A link's name may end as what is of a machine does: `filer to database`.
    let of_links: Vec<Vec<String>> =
        platform.links.iter().map(|link| marks.take(&link.name)).collect();
    let mut parts: Vec<DrawnPart> = Vec::new();
    for index in 0..platform.machines.len() {
        parts.push(machine::draw(platform, index, &mut marks));
    }
    // Where in `parts` a switch of the network stands.
    let mut places = vec![None; platform.switches.len()];
    for (index, switch) in platform.switches.iter().enumerate() {
        if switch.uplink.is_none() {
            places[index] = Some(parts.len());
            let part = DrawnPart::leaf(format!("network switch {}", switch.name));
            parts.push(part.marked(&mut marks, &switch.name));
        }
    }
    let at = |end: End| match end {
        End::Machine(index) => Some(index),
        End::Switch(index) => places[index],
        End::Adapter(index) => platform.machine_of(platform.adapters[index].at),
    };
    let wires = platform.links.iter().zip(of_links).filter_map(|(link, marks)| {
        let ends = (at(link.ends.0)?, at(link.ends.1)?);
        Some(Wire { ends, words: words::link(platform, link), marks })
    });
    let wires = wires.collect();
    // A limit of something that isn't drawn.
    parts.extend(
        marks.rest().map(|(component, marks)| DrawnPart { marks, ..DrawnPart::leaf(component) }),
    );
    Drawing { parts, wires }
}

/// What hangs at a place: switches with what is below them, adapters, drives.
fn hanging(platform: &Description, at: Attachment, marks: &mut Marks) -> Vec<DrawnPart> {
    let mut parts = Vec::new();
    for (index, switch) in platform.switches.iter().enumerate() {
        let Some((above, carrier)) = &switch.uplink else { continue };
        if *above == at {
            let part = DrawnPart {
                within: hanging(platform, Attachment::Switch(index), marks),
                marks: words::switch_narrower(platform, index).into_iter().collect(),
                words: format!("switch {}: upwards {}", switch.name, words::carrier(carrier, 1)),
            };
            parts.push(part.marked(marks, &switch.name));
        }
    }
    for (index, adapter) in platform.adapters.iter().enumerate().filter(|(_, a)| a.at == at) {
        let mut part = DrawnPart::leaf(format!(
            "adapter {}: {}",
            adapter.name,
            words::class(&adapter.slot, 1)
        ));
        part.marks.extend(words::adapter_narrower(platform, index));
        parts.push(part.marked(marks, &adapter.name));
    }
    for drives in platform.drives.iter().filter(|drives| drives.at == at) {
        parts.push(DrawnPart::leaf(words::drives(drives)).marked(marks, &drives.name));
    }
    parts
}

#[cfg(test)]
mod tests;
