//! What sessions do: the traits between the engine, which sends, waits, times and counts, and a workload, which says
//! what is sent and whether what came back is right.

use std::borrow::Cow;
use std::time::Duration;

use crate::session::{Answer, Refusal, Request};

/// A workload: the same for all sessions, each of which gets a program of its own.
pub trait Programs: Sync {
    /// Names of the classes of operations, by their numbers; at least one. Latencies and counts are kept by class.
    fn classes(&self) -> Vec<String>;

    /// The statements that a session prepares, by their numbers; `BEGIN` and `COMMIT` among them where operations have
    /// transactions of several steps.
    fn statements(&self, session: u32) -> Vec<String>;

    /// The program of a session, numbered from 0 on. Made in the thread that drives it and dropped there when the load
    /// ends, however it ends: what a program learned for later it puts where the load's caller finds it (a lock, a channel).
    fn program(&self, session: u32, seed: u64) -> Box<dyn Program + '_>;
}

/// What one session does, operation by operation. Called between an answer and the next request, so it neither waits
/// nor allocates where nothing went wrong.
pub trait Program {
    /// Draws the next operation and writes its first step.
    fn begin(&mut self, request: &mut Request<'_>) -> Operation;

    /// Looks at the answer of a step; writes the next one for [`AfterAnswer::Send`].
    fn answered(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> AfterAnswer;

    /// The server reported an error. What transaction is open is rolled back by the engine, whatever comes next.
    /// [`Recovery::Again`] writes the first step of the same operation anew.
    fn refused(&mut self, refusal: &Refusal, request: &mut Request<'_>) -> Recovery {
        let _ = (refusal, request);
        Recovery::GiveUp
    }
}

/// The operation that was drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Its class, by number.
    pub class: usize,
    /// How long the session pauses between the last answer and this operation (thinking after the one, keying before
    /// the other), before the first one too. Latency counts from the end of the pause. An open loop has a schedule
    /// instead, and makes no pauses.
    pub pause: Duration,
}

impl Operation {
    /// Without a pause.
    #[inline]
    pub fn now(class: usize) -> Self {
        Operation { class, pause: Duration::ZERO }
    }
}

/// What comes after an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AfterAnswer {
    /// The step that was written.
    Send,
    /// The operation is over. A transaction that is still open is rolled back by the engine.
    Done(Verdict),
}

impl AfterAnswer {
    /// Over, with an answer that is right if it is so.
    #[inline]
    pub fn done_if(right: bool, otherwise: &'static str) -> Self {
        AfterAnswer::Done(if right { Verdict::Right } else { Verdict::Wrong(otherwise.into()) })
    }
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The answers were right.
    Right,
    /// The operation was rolled back, as it was meant to be.
    RolledBack,
    /// An answer was wrong; what was wrong about it.
    Wrong(Cow<'static, str>),
}

/// What comes after an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The operation failed.
    GiveUp,
    /// The same operation once more, as written; its latency goes on. Not done any more when the window is over.
    Again,
    /// The error was meant to be: a rollback as planned.
    Planned,
}
