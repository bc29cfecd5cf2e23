//! Asymmetric Namespace Access: which groups of namespaces a controller reaches how well.

use crate::bytes::{put_u16, put_u32, put_u64, u16_at, u32_at, u64_at};

/// Size of the header, bytes.
const HEADER: usize = 16;
/// Size of a group before its namespaces, bytes.
const GROUP: usize = 32;

/// How well a group can be reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AnaState {
    /// 01h.
    Optimized,
    /// 02h.
    NonOptimized,
    /// 03h.
    Inaccessible,
    /// 04h.
    PersistentLoss,
    /// 0Fh.
    Change,
}

impl AnaState {
    /// Every state.
    pub const ALL: [AnaState; 5] = [
        AnaState::Optimized,
        AnaState::NonOptimized,
        AnaState::Inaccessible,
        AnaState::PersistentLoss,
        AnaState::Change,
    ];

    /// The number.
    pub fn to_byte(self) -> u8 {
        match self {
            AnaState::Optimized => 0x1,
            AnaState::NonOptimized => 0x2,
            AnaState::Inaccessible => 0x3,
            AnaState::PersistentLoss => 0x4,
            AnaState::Change => 0xF,
        }
    }

    fn from_byte(byte: u8) -> Option<AnaState> {
        AnaState::ALL.into_iter().find(|state| state.to_byte() == byte & 0xF)
    }
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnaGroup {
    /// ANAGRPID, 1 or more.
    pub group: u32,
    /// Changes of this group so far.
    pub changes: u64,
    /// How it is.
    pub state: AnaState,
    /// Its namespaces, ascending; none where only groups are asked for.
    pub namespaces: Vec<u32>,
}

/// The log page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnaLog {
    /// Changes so far.
    pub changes: u64,
    /// Groups.
    pub groups: Vec<AnaGroup>,
}

impl AnaLog {
    /// The log page.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut data = vec![0; HEADER];
        put_u64(&mut data, 0, self.changes);
        put_u16(&mut data, 8, self.groups.len() as u16);
        for group in &self.groups {
            let at = data.len();
            data.resize(at + GROUP + group.namespaces.len() * 4, 0);
            put_u32(&mut data, at, group.group);
            put_u32(&mut data, at + 4, group.namespaces.len() as u32);
            put_u64(&mut data, at + 8, group.changes);
            data[at + 16] = group.state.to_byte();
            for (index, namespace) in group.namespaces.iter().enumerate() {
                put_u32(&mut data, at + GROUP + index * 4, *namespace);
            }
        }
        data
    }

    /// Reads a log page; `None` where it ends before its groups do, or has a state that isn't one.
    pub fn from_bytes(data: &[u8]) -> Option<AnaLog> {
        if data.len() < HEADER {
            return None;
        }
        let mut log = AnaLog { changes: u64_at(data, 0), groups: Vec::new() };
        let mut at = HEADER;
        for _ in 0..u16_at(data, 8) {
            let header = data.get(at..at.checked_add(GROUP)?)?;
            let count = u32_at(header, 4) as usize;
            let begin = at + GROUP;
            let list = data.get(begin..begin.checked_add(count.checked_mul(4)?)?)?;
            log.groups.push(AnaGroup {
                group: u32_at(header, 0),
                changes: u64_at(header, 8),
                state: AnaState::from_byte(header[16])?,
                namespaces: (0..count).map(|index| u32_at(list, index * 4)).collect(),
            });
            at = begin + count * 4;
        }
        Some(log)
    }
}
