//! Memory channels: transfers per second × 8 bytes × channels.
//!
//! A channel carries 64 data bits; the two halves of a DDR5 channel sum to the same (JEDEC JESD79-4, JESD79-5). Two
//! modules on one channel share it, so channels are counted by the slots' labels, which firmware writes as it
//! likes: labels that don't name a channel give no ceiling.

use std::collections::BTreeSet;

use narrows_model::{Dimm, Platform};

/// Data bytes that one transfer moves on one channel.
const BYTES_PER_TRANSFER: f64 = 8.0;

/// Kinds of modules whose channel is 64 data bits wide. Low-power modules have narrower channels, and memory on
/// the package has other ones.
const KINDS: &[&str] = &["DDR3", "DDR4", "DDR5", "MRDIMM"];

/// Bytes per second of one channel at so many million transfers per second.
pub fn channel_bytes_per_s(mega_transfers_per_s: u32) -> f64 {
    f64::from(mega_transfers_per_s) * 1e6 * BYTES_PER_TRANSFER
}

/// Channels that have a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channels {
    /// Socket by its label, and channels with modules there; one entry without label where slots name none.
    pub by_socket: Vec<(Option<u32>, u32)>,
    /// The slowest configured speed, million transfers per second: one controller runs all its modules alike.
    pub configured_mts: u32,
    /// `DDR5`.
    pub kind: String,
}

/// Counts channels from the modules; `None` where a label names no channel or repeats, or a speed or kind is unknown.
pub fn channels(dimms: &[Dimm]) -> Option<Channels> {
    let populated: Vec<&Dimm> = dimms.iter().filter(|d| d.size_bytes.is_some()).collect();
    let kind = populated.first()?.kind.clone()?;
    if !KINDS.contains(&kind.as_str()) {
        return None;
    }
    let labels: BTreeSet<&Option<String>> = populated.iter().map(|d| &d.locator).collect();
    if labels.len() < populated.len() {
        // Labels that repeat would hide channels, and the ceiling would be too low.
        return None;
    }
    let mut seen = BTreeSet::new();
    let mut configured_mts = u32::MAX;
    for dimm in &populated {
        if dimm.kind.as_ref() != Some(&kind) {
            return None;
        }
        configured_mts = configured_mts.min(dimm.configured_mts?);
        seen.insert(place(dimm.locator.as_deref()?)?);
    }
    let mut by_socket: Vec<(Option<u32>, u32)> = Vec::new();
    for (socket, _) in seen {
        match by_socket.last_mut() {
            Some((last, count)) if *last == socket => *count += 1,
            _ => by_socket.push((socket, 1)),
        }
    }
    Some(Channels { by_socket, configured_mts, kind })
}

/// Socket and channel in a slot's label: `P1-DIMMA2` and `CPU1_DIMM_A2` are socket 1, channel A, slot 2; `A2` is
/// channel A of an unnamed socket; `P0_Node1_Channel2_Dimm0` is socket 0, channel 2 of its node 1.
fn place(locator: &str) -> Option<(Option<u32>, String)> {
    let label = locator.to_ascii_uppercase();
    let words: Vec<&str> = label.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let socket = numbered(&words, &["CPU", "PROC", "SOCKET", "P"]);
    let node = numbered(&words, &["NODE"]).map_or(String::new(), |node| format!("{node}."));
    let lettered = words.iter().find_map(|word| {
        let prefixes = ["CHANNEL", "DIMM", "CH", ""];
        let rest = prefixes.iter().find_map(|p| word.strip_prefix(p).filter(|r| is_lettered(r)))?;
        Some(rest[..1].to_string())
    });
    let channel = lettered
        .or_else(|| numbered(&words, &["CHANNEL", "CH"]).map(|channel| channel.to_string()))?;
    Some((socket, format!("{node}{channel}")))
}

/// The number behind the first word that is one of these prefixes and a number.
fn numbered(words: &[&str], prefixes: &[&str]) -> Option<u32> {
    words.iter().find_map(|word| prefixes.iter().find_map(|p| word.strip_prefix(p)?.parse().ok()))
}

/// One letter, then digits or nothing: `A`, `A1`.
fn is_lettered(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_uppercase())
        && bytes.all(|b| b.is_ascii_digit())
        // `P1` is a socket, not a channel P.
        && !(text.starts_with('P') && text.len() > 1)
}

/// The raw ceiling of one node's memory, bytes per second, and where it comes from.
///
/// Channels are spread evenly over a socket's nodes (firmware calls that sub-NUMA clustering or nodes per socket);
/// where that doesn't come out even there is no ceiling.
pub fn node_bytes_per_s(platform: &Platform, node: u32) -> Option<(f64, String)> {
    if platform.hypervisor.is_some() {
        return None;
    }
    let channels = channels(platform.memory.dimms.as_deref()?)?;
    // A device's memory is not behind the sockets' channels, and what is behind memory-only nodes isn't told.
    let main = platform.nodes.iter().filter(|n| n.memory_bytes > 0 && n.device.is_none());
    if main.clone().any(|n| n.cpus.is_empty()) {
        return None;
    }
    let mut nodes: Vec<u32> = main.map(|n| n.id).collect();
    nodes.sort_unstable();
    let index = nodes.iter().position(|id| *id == node)?;
    let sockets = platform.cpu.sockets.max(1) as usize;
    // Labels of one socket on a machine with several don't tell which socket a slot belongs to.
    if channels.by_socket.len() != sockets {
        return None;
    }
    let groups: Vec<u32> = channels.by_socket.iter().map(|(_, count)| *count).collect();
    if !nodes.len().is_multiple_of(groups.len()) {
        return None;
    }
    let nodes_per_socket = nodes.len() / groups.len();
    let of_socket = groups[index / nodes_per_socket];
    if !(of_socket as usize).is_multiple_of(nodes_per_socket) {
        return None;
    }
    let count = of_socket / nodes_per_socket as u32;
    let value = f64::from(count) * channel_bytes_per_s(channels.configured_mts);
    let source = format!(
        "{count} channels × {} MT/s × 8 B ({}), from the memory modules' labels and configured speed",
        channels.configured_mts, channels.kind
    );
    Some((value, source))
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn labels_of_several_makers_name_socket_and_channel() {
        for (label, expected) in [
            ("P1-DIMMA2", Some((Some(1), "A"))),
            ("CPU1_DIMM_A2", Some((Some(1), "A"))),
            ("P0_Node1_Channel2_Dimm0", Some((Some(0), "1.2"))),
            ("DIMM_A1", Some((None, "A"))),
            ("A12", Some((None, "A"))),
            ("ChannelB-DIMM0", Some((None, "B"))),
            ("PROC 2 DIMM 3", None),
            ("DIMM 0", None),
        ] {
            let expected = expected.map(|(socket, channel)| (socket, channel.to_string()));
            assert_eq!(place(label), expected, "{label}");
        }
    }
}
