//! Structures that Identify answers with, 4096 bytes each (NVMe Base Specification, "Identify command"; NVM Command Set
//! Specification for namespaces).

mod command_set;
mod controller;
mod descriptor;
mod namespace;

pub use command_set::CommandSetController;
pub use controller::IdentifyController;
pub use descriptor::NamespaceIds;
pub use namespace::IdentifyNamespace;

use crate::bytes::{put_u32, u32_at};

/// Size of each, bytes.
pub const IDENTIFY_BYTES: usize = 4096;

/// One of them.
pub type IdentifyData = [u8; IDENTIFY_BYTES];

/// Most namespaces of a list.
pub const LIST_NAMESPACES: usize = IDENTIFY_BYTES / 4;

/// The list of those of `namespaces` (ascending) that come after `after`, as far as it fits.
pub fn namespace_list(namespaces: impl Iterator<Item = u32>, after: u32) -> Box<IdentifyData> {
    let mut data = Box::new([0; IDENTIFY_BYTES]);
    let listed = namespaces.filter(|namespace| *namespace > after).take(LIST_NAMESPACES);
    for (index, namespace) in listed.enumerate() {
        put_u32(&mut *data, index * 4, namespace);
    }
    data
}

/// Reads such a list, which ends with 0 or with its space.
pub fn namespaces_of(data: &IdentifyData) -> impl Iterator<Item = u32> {
    (0..LIST_NAMESPACES)
        .map(|index| u32_at(data, index * 4))
        .take_while(|namespace| *namespace != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_goes_on_after_its_last() {
        let all = || (1..=3000).filter(|namespace| namespace % 2 == 1);
        let first = namespace_list(all(), 0);
        let read: Vec<u32> = namespaces_of(&first).collect();
        assert_eq!(read.len(), 1024);
        let second = namespace_list(all(), read[1023]);
        let more: Vec<u32> = namespaces_of(&second).collect();
        assert!(read.into_iter().chain(more).eq(all()));
    }
}
