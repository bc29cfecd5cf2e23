//! Calls that hold up the thread of an open loop, and what falls due meanwhile.

use super::Hot;
use crate::stalls::{LateCall, Span};
use crate::worker::clock::Clock;
use crate::worker::tally::LATE_CALLS;

/// A call that returns by so much too late holds up the thread, ns. What is shorter is submitting itself, or one of the short stops of a
/// machine of which nothing shows whose they are.
const LATE_NS: u64 = 1_000_000;
/// Submitting an operation may take so long, ns: ten times what it takes with drivers that do their work in it.
const SUBMIT_NS: u64 = 20_000;
/// While more than that wait to be sent at a time, what a late call left behind is being made up.
const BACKLOG: u64 = 8;

/// What the loop remembers of late calls.
#[derive(Debug, Default)]
pub(super) struct HeldUpState {
    /// Until then a call held back what was due.
    pub until_ns: u64,
    /// What fell due during a late call is being sent, at the longest until then.
    catching_up_until_ns: u64,
    /// Operations issued when the last call began.
    issued: u64,
    /// The thread's run delay when it was read last.
    run_delay_ns: Option<u64>,
}

impl<C: Clock> Hot<'_, C> {
    /// The window begins.
    #[inline]
    pub(super) fn held_up_begins(&mut self) {
        if self.tally.open.is_some() {
            self.held_up.run_delay_ns = (self.orders.run_delay_ns)();
        }
    }

    /// Open loop: a call that began at `began_ns` and was to wait no longer than `asked_ns` has returned; when, ns.
    #[inline]
    pub(super) fn returned(&mut self, began_ns: u64, asked_ns: u64) -> u64 {
        let ended_ns = self.clock.now_ns();
        let late_ns = ended_ns.saturating_sub(began_ns + asked_ns);
        let issued = self.tally.issued;
        let sent = issued - std::mem::replace(&mut self.held_up.issued, issued);
        if late_ns > LATE_NS + sent * SUBMIT_NS {
            self.came_late(Span { from_ns: began_ns + asked_ns, to_ns: ended_ns });
        } else if ended_ns < self.held_up.catching_up_until_ns {
            // What fell due while the backlog was handed over is late for the same reason.
            self.held_up.until_ns = ended_ns;
            if sent <= BACKLOG {
                self.held_up.catching_up_until_ns = 0;
            }
        }
        ended_ns
    }

    #[cold]
    fn came_late(&mut self, span: Span) {
        self.held_up.until_ns = span.to_ns;
        self.held_up.catching_up_until_ns = span.to_ns + span.length_ns();
        let now_ns = (self.orders.run_delay_ns)();
        let before_ns = std::mem::replace(&mut self.held_up.run_delay_ns, now_ns);
        let run_delay_ns = now_ns.zip(before_ns).map(|(now, before)| now.saturating_sub(before));
        if let Some(open) = self.tally.open.as_mut().filter(|_| self.counting)
            && open.late_calls.len() < LATE_CALLS
        {
            open.late_calls.push(LateCall { span, run_delay_ns });
        }
    }
}
