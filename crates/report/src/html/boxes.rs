//! The machine as boxes within boxes: packages, nodes, caches and cores as they lie within each other, and what hangs on PCIe with
//! what its link carries. What is alike is one box with a count. A link that runs below what both its ends could do says so in words.

use narrows_model::{Devices, PciDevice, PciKind, PcieLink, Platform};

use super::svg::Picture;
use crate::inventory::topology::{Place, places};
use crate::print::Units;

const WIDTH: f64 = 960.0;
/// Between a box's edge and what is in it, and between boxes.
const PAD: f64 = 9.0;
const LINE: f64 = 16.0;
/// From a line's place to where its letters stand.
const SINK: f64 = 4.0;
/// A letter is no wider on average.
const LETTER: f64 = 7.5;
/// Links that are drawn; a machine with more has them in its list.
const MOST_LINKS: usize = 64;

/// The picture; `None` where nothing is known of how the machine is built.
pub(super) fn picture(p: &Platform, name: &str) -> Option<String> {
    let mut parts = places(p);
    parts.extend(links(&p.devices));
    if parts.is_empty() {
        return None;
    }
    let machine = lay(&Place { words: name.to_string(), within: parts }, WIDTH);
    let label = format!("{name}: its parts as boxes within boxes");
    let mut picture = Picture::new(WIDTH + 2.0, machine.height + 2.0, &label);
    draw(&machine, (1.0, 1.0), 0, &mut picture);
    Some(picture.finish("chart", false))
}

/// What is on PCI by node, each with its link; of what several functions share one link, the first.
fn links(devices: &Devices) -> Vec<Place> {
    let linked = devices.links().map(|(end, port)| (end, link(end, port)));
    let others = devices.pci.iter().filter(|end| end.kind != PciKind::Bridge && end.link.is_none());
    let all: Vec<_> = linked.chain(others.map(|end| (end, None))).collect();
    let left_out = all.len().saturating_sub(MOST_LINKS);
    let mut nodes: Vec<(Option<u32>, Vec<Place>)> = Vec::new();
    for (end, link) in all.into_iter().take(MOST_LINKS) {
        let names = devices.names_at(&end.address);
        let what = if names.is_empty() { end.address.clone() } else { names.join(" and ") };
        let link = link.map_or(String::new(), |link| format!(", {link}"));
        let place =
            Place { words: format!("{what}, {}{link}", end.kind.word()), within: Vec::new() };
        match nodes.iter_mut().find(|(node, _)| *node == end.numa_node) {
            Some((_, places)) => places.push(place),
            None => nodes.push((end.numa_node, vec![place])),
        }
    }
    nodes.sort_by_key(|(node, _)| node.unwrap_or(u32::MAX));
    let words = |node: Option<u32>| match node {
        Some(node) => format!("PCI at node {node}"),
        None => "PCI, at no node that is known".to_string(),
    };
    let mut places: Vec<Place> =
        nodes.into_iter().map(|(node, within)| Place { words: words(node), within }).collect();
    if left_out > 0 {
        places
            .push(Place { words: format!("and {left_out} more in the list"), within: Vec::new() });
    }
    places
}

/// `PCIe 16 GT/s × 4, 7.88 GB/s each way, below what both ends could do: PCIe 32 GT/s × 4`; `None` where speed or width aren't
/// known.
fn link(end: &PciDevice, port: Option<&PciDevice>) -> Option<String> {
    let own = end.link.as_ref()?;
    let carries = Units::Si.bytes_per_s(own.bytes_per_s()?);
    let mut words = format!("{}, {carries} each way", speed(own.current_gts?, own.current_width?));
    let most = port.and_then(|port| at_most(own, port.link.as_ref()?));
    if let Some((gts, width)) = most
        && (Some(gts) > own.current_gts || Some(width) > own.current_width)
    {
        words += &format!(", below what both ends could do: {}", speed(gts, width));
    }
    Some(words)
}

/// What both ends could do, where both say it.
fn at_most(end: &PcieLink, port: &PcieLink) -> Option<(f64, u32)> {
    Some((end.max_gts?.min(port.max_gts?), end.max_width?.min(port.max_width?)))
}

fn speed(gts: f64, width: u32) -> String {
    format!("PCIe {gts} GT/s × {width}")
}

/// A box with its size, and the boxes in it with their corners.
struct Laid {
    lines: Vec<String>,
    width: f64,
    height: f64,
    within: Vec<((f64, f64), Laid)>,
}

/// Boxes from left to right in rows, as wide as their words or what is in them.
fn lay(place: &Place, most: f64) -> Laid {
    let inner = (most - 2.0 * PAD).max(10.0 * LETTER);
    let lines = wrap(&place.words, (inner / LETTER) as usize);
    let words = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as f64 * LETTER;
    let top = PAD + lines.len() as f64 * LINE;
    let (mut x, mut y, mut row, mut widest) = (0.0, top, 0.0f64, words);
    let mut within = Vec::new();
    for child in &place.within {
        let child = lay(child, inner);
        if x > 0.0 && x + child.width > inner {
            (x, y, row) = (0.0, y + row + PAD, 0.0);
        }
        let corner = (PAD + x, y);
        x += child.width + PAD;
        row = row.max(child.height);
        widest = widest.max(x - PAD);
        within.push((corner, child));
    }
    let below = if within.is_empty() { 0.0 } else { row };
    Laid { lines, width: widest.min(inner) + 2.0 * PAD, height: y + below + PAD, within }
}

/// Words in lines of so many letters; a longer word stands alone.
fn wrap(text: &str, letters: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= letters => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

fn draw(laid: &Laid, (x, y): (f64, f64), depth: usize, picture: &mut Picture) {
    let class = if depth.is_multiple_of(2) { "box even" } else { "box" };
    picture.bar(class, x, y, laid.width, laid.height);
    for (line, number) in laid.lines.iter().zip(1..) {
        picture.words("boxword", x + PAD, y + f64::from(number) * LINE + SINK, line);
    }
    for ((dx, dy), within) in &laid.within {
        draw(within, (x + dx, y + dy), depth + 1, picture);
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Cache;

    use super::*;

    fn inside(laid: &Laid) {
        for (number, ((x, y), child)) in laid.within.iter().enumerate() {
            assert!(*x >= PAD && x + child.width <= laid.width - PAD + 0.1, "{:?}", child.lines);
            assert!(*y >= PAD && y + child.height <= laid.height - PAD + 0.1, "{:?}", child.lines);
            for ((ox, oy), other) in &laid.within[..number] {
                let apart = ox + other.width <= *x || oy + other.height <= *y;
                assert!(apart, "{:?} over {:?}", child.lines, other.lines);
            }
            inside(child);
        }
    }

    #[test]
    fn boxes_lie_in_their_boxes_and_beside_each_other() {
        let leaf = |words: String| Place { words, within: Vec::new() };
        let many = (0..30).map(|i| leaf(format!("{} × core", "word ".repeat(i)))).collect();
        let package = Place { words: "package 0".into(), within: many };
        let long = leaf("a word that has no end ".repeat(40));
        let machine = Place { words: "m".into(), within: vec![package, long] };
        let laid = lay(&machine, WIDTH);
        assert!(laid.width <= WIDTH + 0.1);
        inside(&laid);
    }

    fn function(address: &str, above: Option<&str>, kind: PciKind, link: PcieLink) -> PciDevice {
        PciDevice {
            address: address.into(),
            above: above.map(str::to_string),
            numa_node: Some(1),
            link: Some(link),
            ..PciDevice::new(kind)
        }
    }

    fn runs(now: (f64, u32), most: (f64, u32)) -> PcieLink {
        PcieLink {
            address: String::new(),
            current_gts: Some(now.0),
            current_width: Some(now.1),
            max_gts: Some(most.0),
            max_width: Some(most.1),
        }
    }

    #[test]
    fn a_link_says_what_it_carries_and_when_it_could_do_more() {
        let said = |now, end, port| {
            let pci = vec![
                function("0000:00:01.0", None, PciKind::Bridge, runs(now, port)),
                function("0000:01:00.0", Some("0000:00:01.0"), PciKind::Nvme, runs(now, end)),
            ];
            let places = links(&Devices { pci, ..Devices::default() });
            assert_eq!((places.len(), places[0].words.as_str()), (1, "PCI at node 1"));
            assert_eq!(places[0].within.len(), 1);
            places[0].within[0].words.clone()
        };
        let slow = said((8.0, 2), (16.0, 4), (32.0, 4));
        assert_eq!(
            slow,
            "0000:01:00.0, NVMe, PCIe 8 GT/s × 2, 1.97 GB/s each way, below what both ends could do: PCIe 16 GT/s × 4"
        );
        // The port can do no more: nothing is lost.
        assert!(!said((16.0, 4), (32.0, 4), (16.0, 4)).contains("below"));
        assert!(!said((16.0, 4), (16.0, 4), (16.0, 16)).contains("below"));
    }

    #[test]
    fn a_machine_of_which_nothing_is_known_has_no_picture() {
        assert_eq!(picture(&Platform::default(), "db7"), None);
        let cache = Cache { level: 3, size_bytes: 1 << 20, instances: 1, ..Cache::default() };
        let known = Platform {
            caches: vec![Cache { cpus: vec!["0-3".parse().unwrap()], ..cache }],
            ..Platform::default()
        };
        let drawn = picture(&known, "<db7>").unwrap();
        assert!(drawn.contains("L3 1 MiB") && drawn.contains("&lt;db7&gt;"), "{drawn}");
    }
}
