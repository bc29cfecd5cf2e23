//! How memory modules are spread over channels and sockets, by the labels of their slots.
//!
//! Each firmware labels as it likes. `P1-DIMMA2` and `CPU1_DIMM_A2` are socket 1, channel A, slot 2; a channel has three
//! slots at most, so a letter with more of them (`A1` to `A12`) is a socket, and the channels aren't told. Labels that name
//! neither say nothing here.

use std::collections::BTreeMap;

use narrows_model::{Dimm, FindingPlace, Platform};
use narrows_units::Bytes;

use super::place as found_at;

/// No memory controller drives more modules on one channel.
const SLOTS_PER_CHANNEL: usize = 3;

/// What a slot's label names.
type Place = (Option<u32>, String);

/// Slots by the letter or number of a channel, or of a socket.
struct Slots<'a> {
    by_place: BTreeMap<Place, Vec<&'a Dimm>>,
    /// Whether places are channels.
    channels: bool,
}

impl<'a> Slots<'a> {
    /// `None` where a label names no place, or where a hypervisor made up the modules.
    fn of(platform: &'a Platform) -> Option<Slots<'a>> {
        if platform.hypervisor.is_some() {
            return None;
        }
        let mut by_place: BTreeMap<Place, Vec<&Dimm>> = BTreeMap::new();
        for dimm in platform.memory.dimms.iter().flatten() {
            by_place.entry(place(dimm.locator.as_deref()?)?).or_default().push(dimm);
        }
        let channels = by_place.values().all(|slots| slots.len() <= SLOTS_PER_CHANNEL);
        Some(Slots { by_place, channels })
    }

    /// Places of each socket; of one without a number where labels name none.
    fn by_socket(&self) -> BTreeMap<Option<u32>, Vec<(&str, u64)>> {
        let mut sockets: BTreeMap<Option<u32>, Vec<(&str, u64)>> = BTreeMap::new();
        for ((socket, letter), slots) in &self.by_place {
            let bytes =
                slots.iter().filter_map(|dimm| dimm.size_bytes).fold(0, u64::saturating_add);
            sockets.entry(*socket).or_default().push((letter, bytes));
        }
        sockets
    }
}

/// Channels without a module, of sockets that have some.
pub(super) fn empty(platform: &Platform) -> Vec<FindingPlace> {
    let Some(slots) = Slots::of(platform).filter(|slots| slots.channels) else { return Vec::new() };
    let sockets = slots.by_socket();
    let labels: Vec<Option<u32>> = sockets.keys().copied().collect();
    let found = sockets.into_iter().filter_map(|(socket, channels)| {
        let empty: Vec<&str> =
            channels.iter().filter(|(_, bytes)| *bytes == 0).map(|(letter, _)| *letter).collect();
        let some = !empty.is_empty() && empty.len() < channels.len();
        some.then(|| {
            let shown = format!(
                "{}{} of {} channels empty: {}",
                named(socket),
                empty.len(),
                channels.len(),
                empty.join(", ")
            );
            found_at(parts(platform, &labels, socket), shown)
        })
    });
    found.collect()
}

/// Channels of one socket, or sockets, that have modules of different amounts.
pub(super) fn uneven(platform: &Platform) -> Vec<FindingPlace> {
    let Some(slots) = Slots::of(platform) else { return Vec::new() };
    let sockets = slots.by_socket();
    let labels: Vec<Option<u32>> = sockets.keys().copied().collect();
    let everywhere = |shown| found_at(parts_of_all(platform, &labels), shown);
    let mut found = Vec::new();
    if slots.channels {
        for (socket, channels) in &sockets {
            let filled: Vec<(String, u64)> = channels
                .iter()
                .filter(|(_, bytes)| *bytes > 0)
                .map(|(letter, bytes)| (format!("channel {letter}"), *bytes))
                .collect();
            let shown = differ(&filled).map(|text| format!("{}{text}", named(*socket)));
            found.extend(shown.map(|shown| found_at(parts(platform, &labels, *socket), shown)));
        }
        let sums: Vec<(String, u64)> = sockets
            .iter()
            .map(|(socket, channels)| {
                (
                    named(*socket),
                    channels.iter().map(|(_, bytes)| *bytes).fold(0, u64::saturating_add),
                )
            })
            .map(|(socket, bytes)| (socket.trim_end_matches(": ").to_string(), bytes))
            .collect();
        found.extend(differ(&sums).map(everywhere));
    } else {
        // Without channels the letters are sockets.
        let letters: Vec<(String, u64)> = slots
            .by_socket()
            .into_values()
            .flatten()
            .map(|(letter, bytes)| (format!("slots {letter}"), bytes))
            .collect();
        found.extend(differ(&letters).map(everywhere));
    }
    found
}

/// `channel A 64 GiB, channel C 32 GiB`, the most and the least, if they differ.
fn differ(amounts: &[(String, u64)]) -> Option<String> {
    let most = amounts.iter().max_by_key(|(_, bytes)| *bytes)?;
    let least = amounts.iter().min_by_key(|(_, bytes)| *bytes)?;
    let show = |(name, bytes): &(String, u64)| format!("{name} {}", Bytes(*bytes).iec());
    (most.1 > least.1).then(|| format!("{}, {}", show(most), show(least)))
}

/// The nodes whose memory a socket's slots are, `node 1`: labels in their order are the sockets in theirs, each with as many
/// nodes, as firmware builds them. None where it doesn't come out even, or where memory hangs elsewhere.
fn parts(platform: &Platform, labels: &[Option<u32>], socket: Option<u32>) -> Vec<String> {
    let main = || platform.nodes.iter().filter(|n| n.memory_bytes > 0 && n.device.is_none());
    let mut nodes: Vec<u32> = main().map(|node| node.id).collect();
    nodes.sort_unstable();
    let sockets = platform.cpu.sockets.max(1) as usize;
    let Some(index) = labels.iter().position(|label| *label == socket) else { return Vec::new() };
    let even = labels.len() == sockets && nodes.len().is_multiple_of(sockets);
    if !even || main().any(|node| node.cpus.is_empty()) {
        return Vec::new();
    }
    let each = nodes.len() / sockets;
    nodes.iter().skip(index * each).take(each).map(|node| format!("node {node}")).collect()
}

fn parts_of_all(platform: &Platform, labels: &[Option<u32>]) -> Vec<String> {
    labels.iter().flat_map(|label| parts(platform, labels, *label)).collect()
}

fn named(socket: Option<u32>) -> String {
    socket.map_or(String::new(), |socket| format!("socket {socket}: "))
}

/// Socket, and channel within it.
fn place(label: &str) -> Option<Place> {
    let label = label.to_ascii_uppercase();
    let words: Vec<&str> = label.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let numbered = |prefixes: &[&str]| {
        words
            .iter()
            .find_map(|word| prefixes.iter().find_map(|p| word.strip_prefix(p)?.parse().ok()))
    };
    let socket: Option<u32> = numbered(&["CPU", "PROC", "SOCKET", "P"]);
    let lettered = words.iter().find_map(|word| {
        let rest = |prefix| word.strip_prefix(prefix).filter(|rest| is_lettered(rest));
        let rest = ["CHANNEL", "DIMM", "CH", ""].into_iter().find_map(rest)?;
        Some(rest[..1].to_string())
    });
    let channel = lettered.or_else(|| numbered(&["CHANNEL", "CH"]).map(|n: u32| n.to_string()))?;
    let node: Option<u32> = numbered(&["NODE"]);
    Some((socket, node.map_or(String::new(), |node| format!("{node}.")) + &channel))
}

/// One letter, then digits or nothing: `A`, `A1`; `P1` is a socket.
fn is_lettered(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_uppercase())
        && bytes.all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('P'))
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn labels_of_several_makers() {
        for (label, wanted) in [
            ("P1-DIMMA2", Some((Some(1), "A"))),
            ("CPU2_DIMM_C1", Some((Some(2), "C"))),
            ("DIMM_B12", Some((None, "B"))),
            ("A1", Some((None, "A"))),
            ("P0_Node1_Channel2_Dimm0", Some((Some(0), "1.2"))),
            ("P0 CHANNEL K", Some((Some(0), "K"))),
            ("PROC 1 DIMM 3", None),
            ("DIMM 3", None),
            ("", None),
        ] {
            let found = place(label);
            let found = found.as_ref().map(|(socket, channel)| (*socket, channel.as_str()));
            assert_eq!(found, wanted, "{label}");
        }
    }
}
