//! A session with its program, and how far its operation is.

use std::borrow::Cow;
use std::time::Duration;

use narrows_engine::Stop;

use super::program::{AfterAnswer, Program, Recovery, Verdict};
use super::result::Tally;
use super::{LoadError, LoadPlan};
use crate::kind::Session;
use crate::session::{Refusal, Request};

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ending {
    Right,
    RolledBack,
    Wrong(Cow<'static, str>),
    Failed,
    Conflict,
}

/// What comes after an answer.
enum After {
    Send,
    Again,
    End(Ending),
}

/// An operation of an open loop that was sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Given {
    pub(super) class: usize,
    pub(super) due_ns: u64,
    /// How late the load generator was with it, ns.
    pub(super) late_ns: u64,
}

pub(super) struct Slot<'w> {
    pub(super) session: Box<dyn Session>,
    program: Box<dyn Program + 'w>,
    pub(super) class: usize,
    /// When it was sent, or due.
    pub(super) from_ns: u64,
    /// How late the load generator was with it, ns.
    pub(super) late_ns: u64,
    /// Whether an operation was sent that has not ended.
    pub(super) busy: bool,
    /// While the engine's ROLLBACK is on its way: what comes then.
    rolling_back: Option<After>,
}

impl<'w> Slot<'w> {
    pub(super) fn open(
        plan: &LoadPlan<'w>,
        number: u32,
        seed: u64,
        stops: &[&Stop],
    ) -> Result<Self, LoadError> {
        let statements = plan.programs.statements(number);
        let session = plan.server.open(plan.settings, &statements, stops)?;
        Ok(Slot::of(session, plan.programs.program(number, seed)))
    }

    pub(super) fn of(session: Box<dyn Session>, program: Box<dyn Program + 'w>) -> Self {
        Slot { session, program, class: 0, from_ns: 0, late_ns: 0, busy: false, rolling_back: None }
    }

    /// Draws the next operation, which is then sent by [`Slot::send`], and says how long to pause before.
    #[inline]
    pub(super) fn draw(&mut self) -> Duration {
        let program = &mut self.program;
        let operation = program.begin(&mut Request::new(self.session.begin()));
        self.class = operation.class;
        operation.pause
    }

    /// The operation that it was given last.
    #[inline]
    pub(super) fn given(&self) -> Given {
        Given { class: self.class, due_ns: self.from_ns, late_ns: self.late_ns }
    }

    /// Sends the operation that was drawn; its latency counts from `from_ns`.
    #[inline]
    pub(super) fn send(&mut self, from_ns: u64) -> Result<(), LoadError> {
        (self.from_ns, self.late_ns) = (from_ns, 0);
        self.busy = true;
        self.send_step()
    }

    #[inline]
    fn send_step(&mut self) -> Result<(), LoadError> {
        if !self.session.has_step() {
            return Err(LoadError::NothingToSend);
        }
        self.session.send().map_err(LoadError::Send)
    }

    /// Takes what has come; the ending, where the operation is over. Once `over`, nothing is done again.
    #[inline]
    pub(super) fn receive(
        &mut self,
        tally: &mut Tally,
        over: impl FnOnce() -> bool,
    ) -> Result<Option<Ending>, LoadError> {
        if !self.session.receive()? {
            return Ok(None);
        }
        let after = match self.rolling_back.take() {
            Some(after) => after,
            None => {
                let after = self.judge(tally, over);
                if self.session.in_transaction() && !matches!(after, After::Send) {
                    self.rolling_back = Some(after);
                    self.session.send_rollback().map_err(LoadError::Send)?;
                    return Ok(None);
                }
                after
            }
        };
        match after {
            After::Send | After::Again => self.send_step().map(|()| None),
            After::End(ending) => {
                self.busy = false;
                Ok(Some(ending))
            }
        }
    }

    #[inline]
    fn judge(&mut self, tally: &mut Tally, over: impl FnOnce() -> bool) -> After {
        let (program, class) = (&mut self.program, self.class);
        let (heard, next) = self.session.heard();
        let request = &mut Request::new(next);
        match heard {
            Ok(answer) => match program.answered(&answer, request) {
                AfterAnswer::Send => After::Send,
                AfterAnswer::Done(Verdict::Right) => After::End(Ending::Right),
                AfterAnswer::Done(Verdict::RolledBack) => After::End(Ending::RolledBack),
                AfterAnswer::Done(Verdict::Wrong(text)) => After::End(Ending::Wrong(text)),
            },
            Err(refusal) => {
                tally.refused(class, refusal);
                match program.refused(refusal, request) {
                    Recovery::Planned => After::End(Ending::RolledBack),
                    Recovery::Again if !over() => {
                        tally.again(class);
                        After::Again
                    }
                    Recovery::Again | Recovery::GiveUp => After::End(failed(tally, refusal)),
                }
            }
        }
    }
}

#[cold]
fn failed(tally: &mut Tally, refusal: &Refusal) -> Ending {
    if refusal.is_conflict() {
        return Ending::Conflict;
    }
    tally.first_error(refusal);
    Ending::Failed
}
