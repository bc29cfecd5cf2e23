//! The exponentiations of key exchanges, on a thread of their own: they take milliseconds, and in a serving thread every
//! connection would wait for them. However many hosts ask, they take one CPU.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::{io, thread};

use narrows_nvme::authentication::{ExponentBytes, Group, KeyPair, SharedKey, UnusablePublicValue};
use ring::rand::{SecureRandom, SystemRandom};
use zeroize::Zeroizing;

use crate::reactor::{Inbox, Message};
use crate::target::Permit;

/// What is to be computed.
#[derive(Debug)]
pub(crate) enum KeyWork {
    /// A key of a group.
    Make(Group),
    /// What comes of a key and the host's public value.
    Share(KeyPair, Vec<u8>),
}

/// What a connection asks for.
#[derive(Debug)]
pub(crate) struct KeyRequest {
    pub(crate) work: KeyWork,
    /// Kept until it is done, so that who leaves doesn't make room for more of it.
    pub(crate) permit: Option<Arc<Permit>>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum KeyDone {
    /// A key.
    Made(KeyPair),
    /// The key of both.
    Shared(Result<SharedKey, UnusablePublicValue>),
    /// Nothing: too much waits, or there is no randomness.
    Failed,
}

impl KeyRequest {
    /// Does it.
    pub(crate) fn execute(self) -> KeyDone {
        let KeyRequest { work, permit } = self;
        let done = work.execute();
        drop(permit);
        done
    }
}

impl KeyWork {
    fn execute(self) -> KeyDone {
        match self {
            KeyWork::Share(key, public) => KeyDone::Shared(key.shared(&public)),
            KeyWork::Make(group) => {
                let mut random: Zeroizing<ExponentBytes> = Zeroizing::new([0; 64]);
                let filled = fill_random(&mut *random);
                let key = filled.and_then(|()| KeyPair::new(group, &random));
                key.map_or(KeyDone::Failed, KeyDone::Made)
            }
        }
    }
}

/// Fills with randomness of the system.
pub(crate) fn fill_random(bytes: &mut [u8]) -> Option<()> {
    static RANDOM: OnceLock<SystemRandom> = OnceLock::new();
    RANDOM.get_or_init(SystemRandom::new).fill(bytes).ok()
}

/// Whose it is: a connection of a thread, which may be gone by then.
#[derive(Debug)]
pub(crate) struct KeyOwner {
    pub(crate) inbox: Arc<Inbox>,
    pub(crate) peer: u32,
    /// Number of the connection, of which no two are the same.
    pub(crate) serial: u64,
}

/// Where a thread leaves what is to be computed.
#[derive(Debug, Clone)]
pub(crate) struct KeyMaker(SyncSender<(KeyOwner, KeyRequest)>);

impl KeyMaker {
    /// Starts the thread, which ends with the last of those who leave work there. `waiting` is how much may wait.
    ///
    /// # Errors
    /// Where there is no thread to be had.
    pub(crate) fn start(waiting: usize) -> io::Result<KeyMaker> {
        let (sender, receiver) = sync_channel(waiting);
        thread::Builder::new().name("target-keys".to_string()).spawn(move || work(&receiver))?;
        Ok(KeyMaker(sender))
    }

    /// Leaves work; whether there was room.
    pub(crate) fn ask(&self, owner: KeyOwner, request: KeyRequest) -> bool {
        self.0.try_send((owner, request)).is_ok()
    }
}

fn work(requests: &Receiver<(KeyOwner, KeyRequest)>) {
    for (owner, request) in requests {
        let done = request.execute();
        let (peer, serial) = (owner.peer, owner.serial);
        owner.inbox.send(Message::KeyDone { peer, serial, done: Box::new(done) });
    }
}
