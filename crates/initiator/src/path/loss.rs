//! A connection that fails or does not answer, and the commands that are sent again by the next one.

use std::time::{Duration, Instant};

use narrows_io::{Error, HEARTBEAT_MS, WakeUp};
use narrows_nvme::SubmissionEntry;
use narrows_nvme::digest::Digests;

use super::{NvmeTcpPath, WAITING_LIMIT, prepare};
use crate::HostError;
use crate::link::{OpenQueue, reset};
use crate::queue::{Direction, HostQueue};

/// A queue without a connection.
pub(super) fn no_queue() -> HostQueue {
    HostQueue::new(0, Digests::NONE, 0, 0)
}

/// A command that wasn't answered yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    pub(super) entry: SubmissionEntry,
    pub(super) direction: Direction,
    pub(super) submitted: Instant,
    /// When it was last handed to a connection; none while it waits for that.
    pub(super) handed: Option<Instant>,
    /// It was in flight when connections were lost, or began while they were.
    pub(super) stalled: bool,
}

impl NvmeTcpPath {
    /// The connection failed: an error, or the beginning of a wait until it was made again.
    #[cold]
    pub(super) fn lost(&mut self, error: &HostError) -> Result<(), Error> {
        if !self.association.link().reconnects() {
            return Err(self.broken(error));
        }
        self.association.link().report_loss(self.of_association, error);
        if let Some(stream) = self.stream.take() {
            reset(&stream);
        }
        // What was not answered is sent again: reads and writes of the same bytes, flushes and deallocations give the same done
        // twice.
        let mut unanswered: Vec<bool> = self.waits.iter().map(Option::is_some).collect();
        for slot in self.ended.iter().map(|ended| ended.slot) {
            unanswered[usize::from(slot)] = false;
        }
        self.backlog.clear();
        for (slot, wait) in self.waits.iter_mut().enumerate().filter(|(slot, _)| unanswered[*slot])
        {
            if let Some(wait) = wait {
                (wait.stalled, wait.handed) = (true, None);
                self.backlog.push_back((wait.entry, slot as u16, wait.direction));
            }
        }
        self.queue = no_queue();
        self.tls = None;
        Ok(())
    }

    /// Takes the queue once it was made again; whether it was.
    #[cold]
    pub(super) fn come_back(&mut self) -> Result<bool, Error> {
        let made = self.association.link().take_made(self.number);
        let made = made.map_err(|error| self.broken(&error))?;
        let Some(OpenQueue { stream, queue, tls, association }) = made else { return Ok(false) };
        self.of_association = association;
        self.queue = queue;
        self.tls = tls;
        self.wake_up = WakeUp::default();
        let prepared = prepare(&stream, self.options);
        self.stream = Some(stream);
        if let Err(error) = prepared {
            self.lost(&error)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Whether a command was not answered within the I/O timeout, as far as answers were received.
    fn is_overdue(&self, now: Instant) -> bool {
        let late = |wait: &Wait| {
            let passed = wait.handed.map(|handed| now.saturating_duration_since(handed));
            passed.is_some_and(|passed| passed >= self.io_timeout)
        };
        self.waits.iter().enumerate().any(|(slot, wait)| {
            wait.as_ref().is_some_and(late)
                && !self.ended.iter().any(|ended| usize::from(ended.slot) == slot)
        })
    }

    /// Fails where a command was not answered within the I/O timeout. Who calls may not have called for longer than that, so what
    /// came meanwhile is received before.
    #[cold]
    pub(super) fn look_for_overdue(&mut self, now: Instant) -> Result<(), HostError> {
        self.next_look = now + Duration::from_millis(HEARTBEAT_MS);
        if !self.is_overdue(now) {
            return Ok(());
        }
        while self.queue.bytes().len() <= WAITING_LIMIT && self.receive(false)? {}
        if !self.is_overdue(now) {
            return Ok(());
        }
        Err(HostError::Silent { command: "an I/O command", seconds: self.io_timeout.as_secs() })
    }
}
