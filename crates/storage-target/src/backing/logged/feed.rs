//! Gives records to the peers of a log, each on a thread of its own: what waits for a peer goes in one write, as far as it lies together, so
//! that a peer that takes long is behind by time and not by commands.

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use narrows_log_tier::State;

use super::peer::{PeerMedium, is_taken};
use super::{Appended, LogMedium, LoggedDisk, News, Waiter};
use crate::journal;

/// How a write to a medium ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The medium has it.
    Whole,
    /// It failed.
    Failed,
    /// Another host has reserved the medium.
    Taken,
}

/// A thread for each peer of a log.
///
/// # Errors
/// Where there is none to be had.
pub(super) fn start_feeders(disk: &Arc<LoggedDisk>) -> io::Result<Vec<JoinHandle<()>>> {
    let peers = disk.media.iter().filter(|(_, medium)| medium.peer().is_some());
    let started = peers.map(|(number, _)| {
        let (its, number) = (Arc::clone(disk), *number);
        thread::Builder::new().name("target-peer".to_string()).spawn(move || its.feed(number))
    });
    started.collect()
}

impl LoggedDisk {
    /// A record that a peer has to be given, by its thread.
    pub(crate) fn hand_over(&self, appended: &Appended, medium: u8) {
        if let Some(LogMedium::Peer(peer)) = self.media.get(&medium) {
            peer.hand_over(*appended);
        }
    }

    /// Nothing comes for the peers any more.
    pub(super) fn end_feeders(&self) {
        self.media.values().filter_map(LogMedium::peer).for_each(|peer| peer.end());
    }

    /// Others may write to the peers.
    pub(super) fn release_peers(&self) {
        let peers = self.media.values().filter_map(LogMedium::peer);
        peers.filter_map(PeerMedium::peer).for_each(|peer| peer.release());
    }

    fn feed(&self, number: u8) {
        let Some(peer) = self.media.get(&number).and_then(LogMedium::peer) else { return };
        let mut bytes = Vec::new();
        while let Some(run) = peer.next_run() {
            // Before it is looked whether the peer is a member: from here on it joins no other life.
            let Some(queue) = peer.claim() else { continue };
            let Some(at) = self.copy_run(&run, number, &mut bytes) else {
                peer.give_back(queue);
                continue;
            };
            match peer.write_records(queue, &bytes, at) {
                Some(Ok(())) => {
                    let seqs: Vec<u64> = run.iter().map(|record| record.seq).collect();
                    tell(self.end_of(&seqs, number, End::Whole));
                }
                Some(Err(error)) => self.give_up(number, &error),
                // It was lost meanwhile, and is no member any more.
                None => {}
            }
        }
    }

    /// Copies records that follow each other; where they belong on the medium. `None` where it is given none any more.
    fn copy_run(&self, run: &[Appended], number: u8, out: &mut Vec<u8>) -> Option<u64> {
        let first = run.first()?;
        let bytes: u64 = run.iter().map(|record| u64::from(record.bytes)).sum();
        out.resize(bytes as usize, 0);
        let shared = self.shared();
        // While it is a member, no room of what it wasn't given is used again. It may have been lost and have joined again since.
        if shared.log.members() >> number & 1 == 0 || first.seq < shared.log.first_seq() {
            return None;
        }
        shared.image.copy(first.at, out);
        Some(shared.log.geometry().on_medium(first.at))
    }

    /// A medium failed for this reason: it is out, and all of them where another host has reserved it. Tells everybody whom that concerns.
    pub(super) fn give_up(&self, number: u8, error: &io::Error) {
        let Some(peer) = self.media.get(&number).and_then(LogMedium::peer) else {
            return tell(self.end_of(&[], number, End::Failed));
        };
        let first = peer.fail(error);
        // A peer that was lost before is looked for by a host of another identifier, whose reservation it is that what is still on its way
        // meets.
        let end = if first && is_taken(error) { End::Taken } else { End::Failed };
        let news = self.end_of(&[], number, end);
        if first {
            let event = if end == End::Taken { "log-peer-taken" } else { "log-peer-lost" };
            journal::line(event, &[("peer", peer.address()), ("reason", error)]);
        }
        tell(news);
    }

    /// Writes of records to a medium ended. Who waited for what is durable now, or fails now.
    pub(super) fn end_of(
        &self,
        seqs: &[u64],
        medium: u8,
        end: End,
    ) -> Vec<(Option<u64>, Waiter, News)> {
        let mut shared = self.shared();
        let mut durable: Range<u64> = 0..0;
        let mut more = |range: Range<u64>| {
            if durable.is_empty() {
                durable = range;
            } else if !range.is_empty() {
                durable.end = range.end;
            }
        };
        match end {
            End::Whole => {
                seqs.iter().for_each(|seq| more(shared.log.written(*seq, medium)));
            }
            End::Failed => more(self.fail_medium(&mut shared, medium)),
            End::Taken => {
                shared.taken = true;
                for medium in self.media.keys() {
                    more(self.fail_medium(&mut shared, *medium));
                }
            }
        }
        let mut news = shared.news_of(durable);
        let failed = shared.log.state() == State::Failed;
        if failed {
            shared.pausing = false;
            news.extend(shared.all_fail());
        }
        // A wake-up costs the host of this very write: without need there is none.
        let due = shared.has_to_move();
        drop(shared);
        if failed {
            self.forget_what_was_lost();
        }
        if due {
            self.bell.notify_one();
        }
        news
    }
}

/// Tells each on its thread.
fn tell(news: Vec<(Option<u64>, Waiter, News)>) {
    news.into_iter().for_each(|(_, waiter, news)| waiter.tell(news));
}
