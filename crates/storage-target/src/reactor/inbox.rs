//! Messages to a thread that may sleep.

use std::cell::UnsafeCell;
use std::io;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::{Mutex, PoisonError};

use rustix::event::{EventfdFlags, eventfd};

use crate::backing::logged::News;
use crate::key_maker::KeyDone;

/// A message.
#[derive(Debug)]
pub(crate) enum Message {
    /// A connection to serve.
    Connection(TcpStream),
    /// What a connection asked the maker of keys for.
    KeyDone {
        /// The connection's place.
        peer: u32,
        /// Its number: another may have its place by now.
        serial: u64,
        /// What came of it.
        done: Box<KeyDone>,
    },
    /// News for a command that waited for a log.
    Log {
        /// The connection's place.
        peer: u32,
        /// Its number.
        serial: u64,
        /// The command's place.
        slot: u16,
        news: News,
    },
    /// Hosts may have something to be told.
    Events,
    /// No more commands; what is here is answered.
    Stop,
}

/// What a thread is told by others.
#[derive(Debug)]
pub(crate) struct Inbox {
    messages: Mutex<Vec<Message>>,
    bell: OwnedFd,
    /// Where the kernel writes how often the bell rang; nobody reads it.
    counter: UnsafeCell<u64>,
}

// SAFETY: `counter` is written by the kernel alone, for the one thread that reads from the bell.
unsafe impl Sync for Inbox {}

impl Inbox {
    pub(crate) fn new() -> io::Result<Inbox> {
        Ok(Inbox {
            messages: Mutex::default(),
            bell: eventfd(0, EventfdFlags::CLOEXEC)?,
            counter: UnsafeCell::new(0),
        })
    }

    /// Leaves a message and rings.
    pub(crate) fn send(&self, message: Message) {
        self.messages.lock().unwrap_or_else(PoisonError::into_inner).push(message);
        // It only fails where the bell has rung 2^64 times and nobody came.
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }

    /// All messages, in their order.
    pub(crate) fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn fd(&self) -> RawFd {
        self.bell.as_raw_fd()
    }

    pub(super) fn counter(&self) -> *mut u8 {
        self.counter.get().cast()
    }
}
