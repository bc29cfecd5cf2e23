//! Memory channels: transfers per second × 8 bytes × channels.
//!
//! A channel carries 64 data bits; the two halves of a DDR5 channel sum to the same (JEDEC JESD79-4, JESD79-5). Two
//! modules on one channel share it, so channels are counted by the slots' labels, which firmware writes as it
//! likes: labels that don't name a channel give no ceiling.

use std::collections::BTreeSet;

use narrows_model::{Dimm, Platform, Slots};

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
    let mut configured_mts = u32::MAX;
    for dimm in &populated {
        if dimm.kind.as_ref() != Some(&kind) {
            return None;
        }
        configured_mts = configured_mts.min(dimm.configured_mts?);
    }
    // Empty slots count here: with them it shows whether a letter is a channel or a socket.
    let slots = Slots::of(dimms).filter(|slots| slots.are_channels)?;
    let filled = |places: Vec<(&str, u64)>| places.iter().filter(|(_, bytes)| *bytes > 0).count();
    let by_socket = slots.by_socket().into_iter().map(|(s, places)| (s, filled(places) as u32));
    let by_socket = by_socket.filter(|(_, count)| *count > 0).collect();
    Some(Channels { by_socket, configured_mts, kind })
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
    use super::*;

    fn dimm(label: &str, filled: bool) -> Dimm {
        Dimm {
            locator: Some(label.into()),
            size_bytes: filled.then_some(1 << 30),
            kind: Some("DDR4".into()),
            rated_mts: Some(3200),
            configured_mts: Some(2933),
        }
    }

    #[test]
    fn channels_with_modules_are_counted_by_socket() {
        let labels = ["P1-DIMMA1", "P1-DIMMA2", "P1-DIMMB1", "P2-DIMMA1", "P2-DIMMB1"];
        let dimms: Vec<Dimm> =
            labels.iter().map(|label| dimm(label, *label != "P2-DIMMB1")).collect();
        let found = channels(&dimms).unwrap();
        assert_eq!(found.by_socket, [(Some(1), 2), (Some(2), 1)]);
        assert_eq!((found.configured_mts, found.kind.as_str()), (2933, "DDR4"));
    }

    /// The empty slots tell that a letter isn't a channel, which would have a ceiling much too low.
    #[test]
    fn letters_that_are_sockets_give_no_channels() {
        let slots: Vec<Dimm> = (1..=12).map(|slot| dimm(&format!("A{slot}"), slot <= 2)).collect();
        assert_eq!(channels(&slots), None);
        assert!(channels(&slots[..2]).is_some());
    }
}
