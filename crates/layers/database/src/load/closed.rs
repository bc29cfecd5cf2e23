//! The closed loop: every session goes on when it has its answer, after its pause.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::Duration;

use narrows_engine::{Stop, Window, now_ns};

use super::LoadError;
use super::result::Tally;
use super::slot::Slot;
use super::worker::{Ended, LOOK_EVERY, Worker, check};

/// How long the last answers may take once the window is over: a server that works says something in that time, and one that lost a
/// session never does.
const LONGEST_LAST_NS: u64 = 600_000_000_000;

/// Sessions that pause, by when they go on.
type Pauses = BinaryHeap<Reverse<(u64, usize)>>;

impl Worker<'_> {
    /// Until every session has ended the operation that it had when the window ended.
    pub(super) fn closed(
        &mut self,
        tally: &mut Tally,
        window: &Window,
        stops: &[&Stop],
    ) -> Result<(), LoadError> {
        let mut pauses = Pauses::with_capacity(self.slots.len());
        let mut active = 0;
        for (index, slot) in self.slots.iter_mut().enumerate() {
            active += usize::from(go_on(slot, index, now_ns(), window, &mut pauses)?);
        }
        while active > 0 {
            check(stops)?;
            if now_ns() > window.end_ns.saturating_add(LONGEST_LAST_NS) {
                return Err(LoadError::Silent(Duration::from_nanos(LONGEST_LAST_NS)));
            }
            let timeout = until_next(&pauses);
            self.answers(timeout, tally, window, |slot, Ended { index, now, .. }, tally| {
                if window.contains(now) {
                    tally.latency(slot.class, now - slot.from_ns);
                }
                active -= usize::from(!go_on(slot, index, now, window, &mut pauses)?);
                Ok(())
            })?;
            self.end_pauses(&mut pauses, tally, window)?;
        }
        Ok(())
    }

    /// Sends what is due.
    #[inline]
    fn end_pauses(
        &mut self,
        pauses: &mut Pauses,
        tally: &mut Tally,
        window: &Window,
    ) -> Result<(), LoadError> {
        while let Some(Reverse((due, index))) = pauses.peek().copied() {
            let now = now_ns();
            if due > now {
                break;
            }
            pauses.pop();
            self.slots[index].send(due)?;
            if window.contains(due) {
                tally.lateness(now - due);
            }
        }
        Ok(())
    }
}

/// Draws a session's next operation and sends it, or keeps it for when its pause is over; whether there is one before the
/// window ends.
#[inline]
fn go_on(
    slot: &mut Slot<'_>,
    index: usize,
    now: u64,
    window: &Window,
    pauses: &mut Pauses,
) -> Result<bool, LoadError> {
    if now >= window.end_ns {
        return Ok(false);
    }
    let pause = slot.draw();
    if pause.is_zero() {
        slot.send(now)?;
        return Ok(true);
    }
    let due = now.saturating_add(u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX));
    let comes = due < window.end_ns;
    if comes {
        pauses.push(Reverse((due, index)));
    }
    Ok(comes)
}

/// How long nobody's pause ends.
#[inline]
fn until_next(pauses: &Pauses) -> Duration {
    match pauses.peek() {
        Some(Reverse((due, _))) => {
            Duration::from_nanos(due.saturating_sub(now_ns())).min(LOOK_EVERY)
        }
        None => LOOK_EVERY,
    }
}
