//! Log pages that a fabric's controller has (NVMe Base Specification, "Get Log Page command").

mod activity;
mod ana;
mod discovery;
mod effects;
mod error;
mod smart;

pub use activity::{ACTIVITY_BYTES, StorageBehind, TargetActivity, TargetWait};
pub use ana::{AnaGroup, AnaLog, AnaState};
pub use discovery::{DISCOVERY_RECORD, DiscoveryEntry, DiscoveryLog, Transport};
pub use effects::CommandEffects;
pub use error::{ERROR_ENTRY_BYTES, ErrorEntry};
pub use smart::{SMART_BYTES, SmartLog};

use crate::bytes::{put_u32, u32_at};

/// Identifiers of log pages.
pub mod page {
    /// Error Information.
    pub const ERROR: u8 = 0x01;
    /// SMART / Health Information.
    pub const SMART: u8 = 0x02;
    /// Firmware Slot Information.
    pub const FIRMWARE: u8 = 0x03;
    /// Changed Namespace List.
    pub const CHANGED_NAMESPACES: u8 = 0x04;
    /// Commands Supported and Effects.
    pub const EFFECTS: u8 = 0x05;
    /// Asymmetric Namespace Access.
    pub const ANA: u8 = 0x0C;
    /// Discovery.
    pub const DISCOVERY: u8 = 0x70;
    /// Reservation Notification.
    pub const RESERVATION: u8 = 0x80;
    /// Of narrows' own target (in the range for vendors): [`TargetActivity`](super::TargetActivity).
    pub const ACTIVITY: u8 = 0xC0;
}

/// Size of the Changed Namespace List, bytes.
pub const CHANGED_BYTES: usize = 4096;
/// First entry of a list that would have had more namespaces than it has room for.
const TOO_MANY: u32 = 0xFFFF_FFFF;

/// The Changed Namespace List: `namespaces` ascending, or that they were too many.
pub fn changed_namespaces(namespaces: &[u32]) -> Box<[u8; CHANGED_BYTES]> {
    let mut data = Box::new([0; CHANGED_BYTES]);
    if namespaces.len() > CHANGED_BYTES / 4 {
        put_u32(&mut *data, 0, TOO_MANY);
        return data;
    }
    for (index, namespace) in namespaces.iter().enumerate() {
        put_u32(&mut *data, index * 4, *namespace);
    }
    data
}

/// Reads the Changed Namespace List; `None` where all are to be looked at.
pub fn changed_namespaces_of(data: &[u8; CHANGED_BYTES]) -> Option<Vec<u32>> {
    if u32_at(data, 0) == TOO_MANY {
        return None;
    }
    let entries = (0..CHANGED_BYTES / 4).map(|index| u32_at(data, index * 4));
    Some(entries.take_while(|namespace| *namespace != 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_changes_than_the_list_holds_are_told_as_all() {
        let some: Vec<u32> = (1..=1024).collect();
        assert_eq!(changed_namespaces_of(&changed_namespaces(&some)), Some(some.clone()));
        let more: Vec<u32> = (1..=1025).collect();
        assert_eq!(changed_namespaces_of(&changed_namespaces(&more)), None);
    }
}
