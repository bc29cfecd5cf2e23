//! What narrows' own target says of its threads, beside the service times of its completions.

use crate::bytes::{put_u32, put_u64, u32_at, u64_at};

/// Size, bytes.
pub const ACTIVITY_BYTES: usize = 64;
/// What the page begins with, so that another vendor's page of the same number is not taken for it.
const SIGNATURE: [u8; 8] = *b"narrows1";

/// How the target's threads wait for commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetWait {
    /// They sleep in the kernel.
    Sleep,
    /// They look for so long before they sleep, ns.
    Spin(u32),
    /// They look without end.
    Poll,
}

/// What answers the reads of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StorageBehind {
    /// Memory of the target, and nothing else.
    Memory,
    /// A file through the target's page cache.
    PageCache,
    /// A file or device, behind memory of the target that has some of its pages.
    Cached,
    /// A file or device past the page cache.
    Direct,
}

impl StorageBehind {
    const ALL: [StorageBehind; 4] = [
        StorageBehind::Memory,
        StorageBehind::PageCache,
        StorageBehind::Cached,
        StorageBehind::Direct,
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            StorageBehind::Memory => "memory",
            StorageBehind::PageCache => "page cache",
            StorageBehind::Cached => "cache in front",
            StorageBehind::Direct => "direct",
        }
    }
}

/// What the target's threads did so far, and what is behind a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TargetActivity {
    /// How they wait.
    pub wait: TargetWait,
    /// How many there are.
    pub threads: u32,
    /// CPU time of all of them, ns; at most a quarter of a second old.
    pub cpu_ns: u64,
    /// I/O commands of all hosts.
    pub commands: u64,
    /// Behind the namespace that the page was asked for; unknown where it was asked for none.
    pub storage: Option<StorageBehind>,
}

impl TargetActivity {
    /// The log page.
    pub fn to_bytes(&self) -> [u8; ACTIVITY_BYTES] {
        let mut data = [0; ACTIVITY_BYTES];
        data[..8].copy_from_slice(&SIGNATURE);
        let (word, spin_ns) = match self.wait {
            TargetWait::Sleep => (1, 0),
            TargetWait::Spin(ns) => (2, ns),
            TargetWait::Poll => (3, 0),
        };
        data[8] = word;
        put_u32(&mut data, 12, spin_ns);
        put_u32(&mut data, 16, self.threads);
        put_u64(&mut data, 24, self.cpu_ns);
        put_u64(&mut data, 32, self.commands);
        // 0 for unknown, as targets have it that don't know of this byte.
        data[40] = self.storage.map_or(0, |storage| storage as u8 + 1);
        data
    }

    /// Reads a log page; `None` where it is another target's.
    pub fn from_bytes(data: &[u8; ACTIVITY_BYTES]) -> Option<TargetActivity> {
        if data[..8] != SIGNATURE {
            return None;
        }
        let wait = match data[8] {
            1 => TargetWait::Sleep,
            2 => TargetWait::Spin(u32_at(data, 12)),
            3 => TargetWait::Poll,
            _ => return None,
        };
        Some(TargetActivity {
            wait,
            threads: u32_at(data, 16),
            cpu_ns: u64_at(data, 24),
            commands: u64_at(data, 32),
            storage: StorageBehind::ALL.into_iter().find(|it| *it as u8 + 1 == data[40]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_to_wait_is_read_as_it_was_written() {
        for wait in [TargetWait::Sleep, TargetWait::Spin(50_000), TargetWait::Poll] {
            let activity = activity(wait, None);
            assert_eq!(TargetActivity::from_bytes(&activity.to_bytes()), Some(activity));
        }
    }

    fn activity(wait: TargetWait, storage: Option<StorageBehind>) -> TargetActivity {
        TargetActivity { wait, threads: 3, cpu_ns: 1 << 40, commands: 7, storage }
    }

    #[test]
    fn what_is_behind_a_namespace_is_read_as_it_was_written_and_unknown_words_are_none() {
        for storage in StorageBehind::ALL {
            let activity = activity(TargetWait::Sleep, Some(storage));
            assert_eq!(TargetActivity::from_bytes(&activity.to_bytes()), Some(activity));
        }
        let mut data = activity(TargetWait::Sleep, None).to_bytes();
        data[40] = 5;
        assert_eq!(TargetActivity::from_bytes(&data).unwrap().storage, None);
    }

    #[test]
    fn the_page_of_another_vendor_is_none() {
        assert_eq!(TargetActivity::from_bytes(&[0; ACTIVITY_BYTES]), None);
        let mut data = activity(TargetWait::Poll, None).to_bytes();
        data[8] = 9;
        assert_eq!(TargetActivity::from_bytes(&data), None);
    }
}
