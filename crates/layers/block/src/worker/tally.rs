//! What one thread counts. Everything is inside the window, except where it says otherwise.

use std::io;

use narrows_facts::Usage;
use narrows_io::{Op, Outages, Pattern, Refusal, SECTOR, Tag};
use narrows_stats::Recorder;

use super::foreign::Foreign;
use super::wrote::Wrote;
use crate::outcome::{Counted, PriorityLatency, Slice, Verified};
use crate::scenario::{DepthFound, WrittenBlock};
use crate::stalls::LateCall;

/// Of that many completed operations one has its contents looked at, and each of as many first ones: a thread may do no more.
const LOOK_AT: u64 = 64;

/// So many late calls are kept of a window.
pub(super) const LATE_CALLS: usize = 1024;

/// What one thread counted.
#[derive(Debug)]
pub(crate) struct Tally {
    /// By kind, see [`Counted::index`].
    pub kinds: [Counted; 4],
    pub first_failure: Option<(u64, io::Error)>,
    /// Operations that failed, warm-up included.
    pub failures: u64,
    /// Reads whose contents were looked at; of these, zeros, and not what belongs there.
    pub looked_at: u64,
    pub zeros: u64,
    pub wrong: u64,
    /// Latency by priority, where operations have their own.
    pub priorities: Vec<PriorityLatency>,
    /// What was compared of blocks that are verified, the warm-up included.
    pub verified: Verified,
    /// Blocks that were written and not read back.
    pub written: Vec<WrittenBlock>,
    /// What blocks are made of that others wrote.
    pub foreign: Foreign,
    /// Some of what was written.
    pub wrote: Wrote,
    pub slices: Vec<Slice>,
    /// Processor time of this thread over the window, ns.
    pub cpu_ns: u64,
    /// The processor it was on before the warm-up and after the window, where that is one.
    pub cpu: Option<u32>,
    /// What the kernel accounted to it over the window.
    pub usage: Usage,
    /// Time over the window in which it was ready to run and waited for a processor, ns; absent where the kernel keeps no such count.
    pub run_delay_ns: Option<u64>,
    /// The processors on which it was seen, at the window's start and end.
    pub seen_on: Vec<u32>,
    /// Operations submitted since the start of the warm-up, syncs not counted.
    pub issued: u64,
    /// Bytes written since the start of the warm-up.
    pub written_bytes: u64,
    /// Whether the kernel granted pinned buffers, where there is such a thing.
    pub registered_buffers: Option<bool>,
    /// Time inside calls that only submit, ns.
    pub submit_ns: Option<u64>,
    /// Threads of the kernel that executed for this one what could not be started without blocking.
    pub workers: Option<u32>,
    /// What the way to the device saw of lost connections, up to the end of the last wait.
    pub outages: Option<Outages>,
    /// What was asked of the way to the device and not obtained.
    pub refusals: Vec<Refusal>,
    /// Whether its figures began anew after a search for its depth, and what that found.
    pub counted_anew: bool,
    pub depth_found: Option<DepthFound>,
    /// When its window began, ns; absent where the scenario's ended before.
    pub began_ns: Option<u64>,
    /// When its limit was reached and everything had come back, ns.
    pub ended_ns: Option<u64>,
    pub open: Option<OpenTally>,
}

/// What an open loop counts besides.
#[derive(Debug)]
pub(crate) struct OpenTally {
    /// Intended to submitted, of the operations that completed.
    pub lateness: Recorder,
    /// The same without the time in which a call held up the thread that was to send them.
    pub own_lateness: Recorder,
    /// Latency without the one and without the other.
    pub on_time: Recorder,
    pub own_on_time: Recorder,
    /// Calls that returned late, as far as there was room for them.
    pub late_calls: Vec<LateCall>,
    /// Latency of those due before the end that came back after it.
    pub stragglers: Recorder,
    /// Due in the window and sent.
    pub due_sent: u64,
    /// Sent in the window.
    pub sent: u64,
    /// Of these, held back because the cap was reached.
    pub held: u64,
    /// In flight at the end.
    pub in_flight: u64,
    /// Of those in flight at the end, never seen to come back.
    pub unfinished: u64,
    /// Due before the end and never sent; of these, due in the window.
    pub unsent: u64,
    pub unsent_due: u64,
}

impl Tally {
    pub(crate) fn new(slices: usize, open: bool) -> Self {
        Tally {
            kinds: std::array::from_fn(|_| Counted::default()),
            first_failure: None,
            failures: 0,
            looked_at: 0,
            zeros: 0,
            wrong: 0,
            priorities: Vec::new(),
            verified: Verified::default(),
            written: Vec::new(),
            foreign: Foreign::default(),
            wrote: Wrote::default(),
            slices: vec![Slice::default(); slices],
            cpu_ns: 0,
            cpu: None,
            usage: Usage::default(),
            run_delay_ns: None,
            seen_on: Vec::new(),
            issued: 0,
            written_bytes: 0,
            registered_buffers: None,
            submit_ns: None,
            workers: None,
            outages: None,
            refusals: Vec::new(),
            counted_anew: false,
            depth_found: None,
            began_ns: None,
            ended_ns: None,
            open: open.then(|| OpenTally {
                lateness: Recorder::new(),
                own_lateness: Recorder::new(),
                on_time: Recorder::new(),
                own_on_time: Recorder::new(),
                late_calls: Vec::with_capacity(LATE_CALLS),
                stragglers: Recorder::new(),
                due_sent: 0,
                sent: 0,
                held: 0,
                in_flight: 0,
                unfinished: 0,
                unsent: 0,
                unsent_due: 0,
            }),
        }
    }

    /// Latency is recorded in its two parts as well.
    pub(super) fn split_latency(&mut self) {
        for kind in &mut self.kinds {
            kind.split.get_or_insert_default();
        }
    }

    pub(super) fn failed(&mut self, offset: u64, error: io::Error) {
        self.failures += 1;
        self.first_failure.get_or_insert((offset, error));
    }
}

/// What is known of the contents of what is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    /// What the file was written with, where that is known.
    pub pattern: Option<Pattern>,
    /// Whether somebody writes to it meanwhile.
    pub written: bool,
}

impl Expected {
    /// Whether the operation with this number, from 1, is one of those to look at.
    #[inline]
    pub(super) fn is_turn(done: u64) -> bool {
        done <= LOOK_AT || done.is_multiple_of(LOOK_AT)
    }

    /// Looks at what was read from `offset`.
    pub(super) fn look(&self, tally: &mut Tally, buffer: &[u8], offset: u64) {
        tally.looked_at += 1;
        match self.pattern.unwrap_or(Pattern::new(0)).tag(buffer, offset) {
            Tag::Ours { .. } => {}
            Tag::Zeros => tally.zeros += 1,
            Tag::Displaced { .. } | Tag::Foreign if self.pattern.is_none() => {
                tally.foreign.look(buffer, offset);
            }
            Tag::Displaced { .. } => tally.wrong += 1,
            Tag::Foreign => {
                let wrong = self.pattern.is_some_and(|pattern| {
                    !(self.written && is_between_writes(pattern, buffer, offset))
                });
                tally.wrong += u64::from(wrong);
            }
        }
    }
}

/// Whether the tag is ours and of this place, but of two generations: read while it was overwritten. Nobody
/// promises that a sector is read whole then.
fn is_between_writes(pattern: Pattern, buffer: &[u8], offset: u64) -> bool {
    let mut fresh = [0u8; SECTOR];
    pattern.stamp(&mut fresh, offset, 0);
    // File and sector number; generation and check word follow.
    const SAME: usize = 16;
    buffer.len() >= SAME && buffer[..SAME] == fresh[..SAME]
}

/// For code that has an operation and wants its row.
#[inline]
pub(super) fn row(kinds: &mut [Counted; 4], op: Op) -> &mut Counted {
    &mut kinds[Counted::index(op)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sector_read_while_it_is_written_is_not_called_wrong() {
        let pattern = Pattern::new(1);
        let mut old = vec![0; SECTOR];
        pattern.fill(&mut old, 8192, 1);
        let mut new = vec![0; SECTOR];
        pattern.fill(&mut new, 8192, 2);
        let torn: Vec<u8> = new[..24].iter().chain(&old[24..]).copied().collect();
        let wrong = |buffer: &[u8], written| {
            let mut tally = Tally::new(0, false);
            Expected { pattern: Some(pattern), written }.look(&mut tally, buffer, 8192);
            assert_eq!(tally.looked_at, 1);
            tally.wrong
        };
        assert_eq!(wrong(&torn, true), 0);
        assert_eq!(wrong(&torn, false), 1);
        assert_eq!(wrong(&old, false), 0);
        let mut elsewhere = vec![0; SECTOR];
        pattern.fill(&mut elsewhere, 0, 1);
        assert_eq!(wrong(&elsewhere, true), 1);
        Pattern::new(2).fill(&mut elsewhere, 8192, 1);
        assert_eq!(wrong(&elsewhere, true), 1);
    }
}
