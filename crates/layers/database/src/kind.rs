//! What a kind of database brings, in three small traits: sessions that carry the load, an observer that says what the server did
//! meanwhile, a provisioner that ends and starts a server of our own. The load engine, the sampling and the starts reach a server
//! through these. PostgreSQL is the one kind there is: [`session`](crate::session), [`statistics`](crate::statistics),
//! [`server`](crate::server). Requests and answers are still in its protocol's types, and how a server is made, its tables, plans
//! and statements are outside of these traits: a second kind would have to bring those too.

use std::io;
use std::os::fd::RawFd;

use narrows_engine::Stop;

use crate::counters::Counters;
use crate::sampling::Wait;
use crate::server::{Cluster, HowStopped, ServerError};
use crate::session::{Answer, Refusal, Request};
use crate::wire::WireError;
use narrows_postgres::Address;

/// A session of the load: statements prepared once, sent step by step, answered one step at a time.
pub(crate) trait Session: Sized {
    /// Connects, applies the settings (`name = value`), prepares the statements; from then on nothing waits but what finds no
    /// room at the server, until one of the stops is set.
    fn open(
        address: &Address,
        settings: &[String],
        statements: &[String],
        stops: &[&Stop],
    ) -> Result<Self, WireError>;

    /// The server process of this session.
    fn pid(&self) -> u32;

    /// The descriptor to wait on for something to [`receive`](Session::receive).
    fn descriptor(&self) -> RawFd;

    /// Writes the first step of an operation.
    fn begin<R>(&mut self, write: impl FnOnce(&mut Request<'_>) -> R) -> R;

    /// Whether there is a step to send.
    fn has_step(&self) -> bool;

    /// Sends the step that was written; the last answer is gone after it.
    fn send(&mut self) -> io::Result<()>;

    /// Takes what has come and says whether the answer is complete.
    ///
    /// # Errors
    /// The connection broke, or the server ended the session, with its last word where it said one.
    fn receive(&mut self) -> Result<bool, WireError>;

    /// The answer, or what the server said instead, with the next step to write; only once an answer is complete.
    fn hear<R>(
        &mut self,
        judge: impl FnOnce(Result<Answer<'_>, &Refusal>, &mut Request<'_>) -> R,
    ) -> R;

    /// Whether a transaction is open on the server, as of the last complete answer.
    fn in_transaction(&self) -> bool;

    /// Ends the open transaction; the step that was written stays.
    fn send_rollback(&mut self) -> io::Result<()>;
}

/// One session of the load, or a worker of one, as the server sees it at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    /// What it waits for.
    pub(crate) wait: Wait,
    /// The same in the server's own words.
    pub(crate) name: String,
    /// Its process, where the server says.
    pub(crate) pid: Option<u32>,
    /// Whether it works for another session.
    pub(crate) worker: bool,
}

/// Says what a server did, by its own account; whoever loads it asks before, meanwhile and after.
pub(crate) trait Observer {
    /// What it has counted until now.
    fn counters(&mut self) -> Result<Counters, WireError>;

    /// Waits until the load's sessions have ended and are in the counters.
    fn settle(&mut self) -> Result<(), WireError>;

    /// What the load's sessions do at this moment.
    fn activity(&mut self) -> Result<Vec<Standing>, WireError>;
}

/// A server of our own, which may be ended and started with what it holds.
pub trait Provisioner {
    /// Starts it, and waits until it takes sessions.
    ///
    /// # Errors
    /// It doesn't come up, or a stop.
    fn start(&mut self, stop: &Stop) -> Result<(), ServerError>;

    /// Ends it, with everything written out where it lets itself be ended so; what it holds stays.
    ///
    /// # Errors
    /// It was not running any more.
    fn stop(&mut self) -> Result<HowStopped, ServerError>;

    /// Ends it at once and writes nothing any more, as a fault of the server would.
    ///
    /// # Errors
    /// It was not running.
    fn kill(&mut self) -> Result<(), ServerError>;
}

impl Provisioner for Cluster {
    fn start(&mut self, stop: &Stop) -> Result<(), ServerError> {
        Cluster::start(self, stop)
    }

    fn stop(&mut self) -> Result<HowStopped, ServerError> {
        Cluster::stop(self)
    }

    fn kill(&mut self) -> Result<(), ServerError> {
        Cluster::kill(self)
    }
}
