//! What can't be known about a device that is to be written, and what the user may take upon themselves by name.
//!
//! A process outside of the process namespace of a container is not in its `/proc`, and the open files of others' processes are
//! hidden from all but root. Such a user of the device claims nothing by `O_EXCL` either: a virtual machine's disk, a database on a
//! raw device, an exporter.

use narrows_facts::Source;

use crate::Refusal;

/// A reason against writing that its user may know to be none. All other reasons stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Doubt {
    /// Who else has it open can't be seen.
    UnseenUsers,
    /// Data is on it that no known mark explains.
    UnknownContents,
}

impl Doubt {
    /// All of them.
    pub const ALL: [Doubt; 2] = [Doubt::UnseenUsers, Doubt::UnknownContents];

    /// As it is named to accept it.
    pub fn word(self) -> &'static str {
        match self {
            Doubt::UnseenUsers => "unseen-users",
            Doubt::UnknownContents => "unknown-contents",
        }
    }

    /// The doubt that a reason rests on, if it is one.
    pub(crate) fn of(reason: &Refusal) -> Option<Doubt> {
        match reason {
            Refusal::UsersUnseen(_) => Some(Doubt::UnseenUsers),
            Refusal::DataUnknown { .. } => Some(Doubt::UnknownContents),
            _ => None,
        }
    }
}

/// Why processes that use the device may not be seen at all, in a sentence.
pub(crate) fn outside(source: &dyn Source) -> Option<String> {
    // PROC_PID_INIT_INO, a constant of the kernel.
    const FIRST: &str = "pid:[4026531836]";
    let own = source.link("/proc/self/ns/pid").ok()?;
    (own != FIRST).then(|| "processes outside of this process namespace (a container)".to_string())
}
