//! Commands that wait for a log, on whichever thread they are.

use std::sync::Arc;

use crate::reactor::{Inbox, Message};

/// What a command hears that waited for a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum News {
    /// Its record is durable.
    Durable,
    /// There may be room.
    Room,
    /// Its record won't be durable.
    Failed,
}

/// A connection of a thread, which may be gone by the time that there is news.
#[derive(Debug, Clone)]
pub(crate) struct Owner {
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) peer: u32,
    /// Number of the connection, of which no two are the same.
    pub(crate) serial: u64,
}

/// A command that waits.
#[derive(Debug)]
pub(crate) struct Waiter {
    pub(crate) owner: Owner,
    pub(crate) slot: u16,
}

impl Waiter {
    pub(super) fn tell(self, news: News) {
        let Owner { inbox, peer, serial } = self.owner;
        inbox.send(Message::Log { peer, serial, slot: self.slot, news });
    }
}
