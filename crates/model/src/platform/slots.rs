//! Sockets and channels by the labels of memory slots.
//!
//! Each firmware labels as it likes. `P1-DIMMA2` and `CPU1_DIMM_A2` are socket 1, channel A, slot 2; `P0_Node1_Channel2_Dimm0` is
//! socket 0, channel 2 of its node 1. A channel has three slots at most, so a letter with more of them (`A1` to `A12`) is a
//! socket, and the channels aren't told. Labels that name neither say nothing here.

use std::collections::BTreeMap;

use super::Dimm;

/// No memory controller drives more modules on one channel.
const SLOTS_PER_CHANNEL: usize = 3;

/// What a slot's label names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotPlace {
    /// The socket's number; `None` where the label has none.
    pub socket: Option<u32>,
    /// A letter or number: of a channel, or of a socket. Of a node within the socket `1.2`.
    pub channel: String,
}

/// Slots by what their labels name.
#[derive(Debug, Clone, PartialEq)]
pub struct Slots<'a> {
    by_place: BTreeMap<SlotPlace, Vec<&'a Dimm>>,
    /// Whether the places are channels; else they are sockets.
    pub are_channels: bool,
}

impl Dimm {
    /// What the slot's label names; `None` where that is neither channel nor socket.
    pub fn place(&self) -> Option<SlotPlace> {
        place(self.locator.as_deref()?)
    }
}

impl<'a> Slots<'a> {
    /// `None` where a label names no place.
    pub fn of(dimms: impl IntoIterator<Item = &'a Dimm>) -> Option<Slots<'a>> {
        let mut by_place: BTreeMap<SlotPlace, Vec<&Dimm>> = BTreeMap::new();
        for dimm in dimms {
            by_place.entry(dimm.place()?).or_default().push(dimm);
        }
        let are_channels = by_place.values().all(|slots| slots.len() <= SLOTS_PER_CHANNEL);
        Some(Slots { by_place, are_channels })
    }

    /// The places of each socket with the bytes of their modules; one socket without a number where labels name none.
    pub fn by_socket(&self) -> BTreeMap<Option<u32>, Vec<(&str, u64)>> {
        let mut sockets: BTreeMap<Option<u32>, Vec<(&str, u64)>> = BTreeMap::new();
        for (place, slots) in &self.by_place {
            let bytes = slots.iter().filter_map(|dimm| dimm.size_bytes);
            let bytes = bytes.fold(0, u64::saturating_add);
            sockets.entry(place.socket).or_default().push((&place.channel, bytes));
        }
        sockets
    }
}

fn place(label: &str) -> Option<SlotPlace> {
    let label = label.to_ascii_uppercase();
    let words: Vec<&str> = label.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let numbered = |prefixes: &[&str]| -> Option<u32> {
        let number = |word: &&str| prefixes.iter().find_map(|p| word.strip_prefix(p)?.parse().ok());
        words.iter().find_map(number)
    };
    let lettered = words.iter().find_map(|word| {
        let rest = |prefix| word.strip_prefix(prefix).filter(|rest| is_lettered(rest));
        let rest = ["CHANNEL", "DIMM", "CH", ""].into_iter().find_map(rest)?;
        Some(rest[..1].to_string())
    });
    let channel = lettered.or_else(|| numbered(&["CHANNEL", "CH"]).map(|n| n.to_string()))?;
    let node = numbered(&["NODE"]).map_or(String::new(), |node| format!("{node}."));
    let socket = numbered(&["CPU", "PROC", "SOCKET", "P"]);
    Some(SlotPlace { socket, channel: node + &channel })
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
    use super::*;

    #[test]
    fn labels_of_several_makers_name_socket_and_channel() {
        for (label, wanted) in [
            ("P1-DIMMA2", Some((Some(1), "A"))),
            ("CPU1_DIMM_A2", Some((Some(1), "A"))),
            ("CPU2_DIMM_C1", Some((Some(2), "C"))),
            ("DIMM_B12", Some((None, "B"))),
            ("A1", Some((None, "A"))),
            ("A12", Some((None, "A"))),
            ("ChannelB-DIMM0", Some((None, "B"))),
            ("P0_Node1_Channel2_Dimm0", Some((Some(0), "1.2"))),
            ("P0 CHANNEL K", Some((Some(0), "K"))),
            ("PROC 1 DIMM 3", None),
            ("DIMM 3", None),
            ("DIMM 0", None),
            ("", None),
        ] {
            let found = place(label);
            let found = found.as_ref().map(|place| (place.socket, place.channel.as_str()));
            assert_eq!(found, wanted, "{label}");
        }
    }

    fn dimms(labels: &[&str]) -> Vec<Dimm> {
        let dimm = |label: &&str| Dimm {
            locator: Some(label.to_string()),
            size_bytes: (!label.ends_with('2')).then_some(8),
            kind: None,
            rated_mts: None,
            configured_mts: None,
        };
        labels.iter().map(dimm).collect()
    }

    #[test]
    fn a_letter_with_more_slots_than_a_channel_has_is_a_socket() {
        let slots = dimms(&["A1", "A2", "A3", "B1", "B2", "B3"]);
        let few = Slots::of(&slots).unwrap();
        assert!(few.are_channels);
        assert_eq!(few.by_socket(), [(None, vec![("A", 16), ("B", 16)])].into());
        let slots = dimms(&["A1", "A2", "A3", "A4", "B1"]);
        assert!(!Slots::of(&slots).unwrap().are_channels);
        assert_eq!(Slots::of(&dimms(&["A1", "slot"])), None);
    }
}
