//! How memory modules are spread over channels and sockets, by what the labels of their slots name ([`Slots`]).

use narrows_model::{FindingPlace, Platform, Slots};
use narrows_units::Bytes;

use super::place as found_at;

/// `None` where a label names no place, or where a hypervisor made up the modules.
fn slots(platform: &Platform) -> Option<Slots<'_>> {
    if platform.hypervisor.is_some() {
        return None;
    }
    Slots::of(platform.memory.dimms.iter().flatten())
}

/// Channels without a module, of sockets that have some.
pub(super) fn empty(platform: &Platform) -> Vec<FindingPlace> {
    let Some(slots) = slots(platform).filter(|slots| slots.are_channels) else { return Vec::new() };
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
    let Some(slots) = slots(platform) else { return Vec::new() };
    let sockets = slots.by_socket();
    let labels: Vec<Option<u32>> = sockets.keys().copied().collect();
    let everywhere = |shown| found_at(parts_of_all(platform, &labels), shown);
    let mut found = Vec::new();
    if slots.are_channels {
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
