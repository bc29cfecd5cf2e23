//! What a kind of server brings, so that the load engine, the windows and the records know none: sessions that carry the load, a
//! server that makes tables and says how it plans, an observer that says what the server did meanwhile, and a provisioner that ends
//! and starts a server of our own.
//!
//! All of it behind `dyn`: an operation costs microseconds, a call by a table of functions two or three nanoseconds. Statements, names
//! of counters and of settings are the kind's; what an operation is ([`Task`]) and what a figure means is the layer's.

use narrows_model::Conditions;
use std::any::Any;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::{Context, Stop};
use serde_json::Value as Json;

use crate::counters::Counters;
use crate::database::Settings;
use crate::error::DatabaseError;
use crate::processes::ServerProcesses;
use crate::sampling::Wait;
use crate::session::{Answer, Encode, Refusal};
use crate::table::{Contents, Table};
use crate::task::{Planned, Task};
use crate::variation::Variation;

/// What went wrong with a server, in the words of its kind.
pub type KindError = Box<dyn std::error::Error + Send + Sync>;

/// A session of the load: statements prepared once, sent step by step, answered one step at a time.
pub trait Session {
    /// The server's process or thread of this session.
    fn pid(&self) -> u32;

    /// The descriptor to wait on for something to [`receive`](Session::receive).
    fn descriptor(&self) -> RawFd;

    /// Begins a step anew; what is written into it is sent by [`send`](Session::send).
    fn begin(&mut self) -> &mut dyn Encode;

    /// Whether there is a step to send.
    fn has_step(&self) -> bool;

    /// Sends the step that was written; the last answer is gone after it.
    fn send(&mut self) -> io::Result<()>;

    /// Takes what has come and says whether the answer is complete.
    ///
    /// # Errors
    /// The connection broke, or the server ended the session, with its last word where it said one.
    fn receive(&mut self) -> Result<bool, KindError>;

    /// The answer, or what the server said instead, and the next step, begun anew; only once an answer is complete.
    fn heard(&mut self) -> (Result<Answer<'_>, &Refusal>, &mut dyn Encode);

    /// Whether a transaction is open on the server, as of the last complete answer.
    fn in_transaction(&self) -> bool;

    /// Ends the open transaction; the step that was written stays.
    fn send_rollback(&mut self) -> io::Result<()>;
}

/// Where sessions of the load come from; asked by all of its threads.
pub trait Sessions: Sync {
    /// Connects, applies the settings (`name = value`), prepares the statements; from then on nothing waits but what finds no
    /// room at the server, until one of the stops is set.
    ///
    /// # Errors
    /// The server can't be reached or refuses.
    fn open(
        &self,
        settings: &[String],
        statements: &[String],
        stops: &[&Stop],
    ) -> Result<Box<dyn Session>, KindError>;
}

/// A server of some kind, by its address.
pub trait ServerKind: Sessions {
    /// Connects and learns what it is; changes nothing. All that is asked ends early when `stop` is set.
    ///
    /// # Errors
    /// It can't be reached, or is none that can be measured.
    fn connect(&self, settings: &Settings, stop: &Stop) -> Result<Connected, DatabaseError>;

    /// A session for one statement that reads for long.
    ///
    /// # Errors
    /// As of [`Sessions::open`].
    fn scanner(
        &self,
        settings: &[String],
        longest: Duration,
        stops: &[&Stop],
    ) -> Result<Box<dyn Scanner>, KindError>;

    /// The same, as where sessions come from.
    fn sessions(&self) -> &dyn Sessions;
}

/// A session for one statement that reads for long.
pub trait Scanner: Send {
    /// The server's process or thread of this session.
    fn pid(&self) -> u32;

    /// Runs it; whether it answered with a value.
    ///
    /// # Errors
    /// The server refuses or the connection broke.
    fn run(&mut self, statement: &str) -> Result<bool, KindError>;
}

/// A server that was connected to.
pub struct Connected {
    /// Sets up and says how it plans.
    pub server: Box<dyn Server>,
    /// Says what it does.
    pub observer: Box<dyn Observer>,
    /// Its processes, where they are visible from here.
    pub processes: Option<ServerProcesses>,
    /// What it is.
    pub about: About,
}

/// What a server says of itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct About {
    /// Its version, in its words.
    pub version: String,
    /// How the connection is encrypted; `none`.
    pub encryption: String,
    /// How it was built, name by name.
    pub build: BTreeMap<String, String>,
    /// Size of its buffer pool, bytes.
    pub pool_bytes: u64,
    /// Settings that differ from its defaults.
    pub settings: Json,
}

/// How a server runs a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// In its own words.
    pub text: String,
    /// The steps that read a table or an index, in the plan's order.
    pub reads_by: Vec<String>,
    /// Whether an index alone answers.
    pub from_index: bool,
}

/// The side of a server that sets up: tables, plans, what it keeps.
pub trait Server {
    /// From now on what is asked ends early when `stop` is set; `None`: it runs to its end.
    fn heed(&mut self, stop: Option<&Stop>);

    /// Makes a place of our own, after what crashed runs left was removed; the names of that.
    ///
    /// # Errors
    /// The server refuses.
    fn make_place(&mut self) -> Result<Vec<String>, DatabaseError>;

    /// The name of that place, which is another in every run.
    fn place(&self) -> &str;

    /// Bytes of a block.
    ///
    /// # Errors
    /// The server doesn't say.
    fn block_bytes(&mut self) -> Result<u64, DatabaseError>;

    /// Makes a table of so many bytes in our place, filled, with an index on its key.
    ///
    /// # Errors
    /// The server refuses or made another table than was meant; or a stop.
    fn create_table(
        &mut self,
        ctx: &Context<'_>,
        name: &str,
        bytes: u64,
        contents: Contents,
    ) -> Result<Table, DatabaseError>;

    /// What is so of our tables and not of others, for the conditions of what is measured on them.
    fn table_conditions(&self) -> Conditions {
        Conditions::default()
    }

    /// Makes what a task needs besides its tables.
    ///
    /// # Errors
    /// The kind has no such task, or the server refuses.
    fn ready(&mut self, task: &Task, tables: &[Table]) -> Result<(), DatabaseError>;

    /// The statements that one operation is made of.
    ///
    /// # Errors
    /// The kind has no such task.
    fn statements(
        &self,
        task: &Task,
        table: &Table,
        workers: u32,
    ) -> Result<Vec<Planned>, DatabaseError>;

    /// Run-time settings of a task's sessions, `name = value`.
    fn session_settings(&self, task: &Task, variation: &Variation) -> Vec<String>;

    /// Transactions that opening a session with so many settings takes, as the server counts them.
    fn opening_transactions(&self, settings: usize) -> f64;

    /// How it runs a statement under those settings.
    ///
    /// # Errors
    /// The server refuses.
    fn plan(&mut self, settings: &[String], statement: &Planned) -> Result<Plan, DatabaseError>;

    /// The same, and it must run as it is meant to.
    ///
    /// # Errors
    /// It doesn't, or the server refuses.
    fn plan_as_meant(
        &mut self,
        settings: &[String],
        statement: &Planned,
    ) -> Result<Plan, DatabaseError>;

    /// Brings the blocks of keys `1..=rows` into the buffer pool.
    ///
    /// # Errors
    /// The server refuses.
    fn warm(&mut self, table: &Table, rows: u64) -> Result<(), DatabaseError>;

    /// Has everything written out, where the server grants it.
    ///
    /// # Errors
    /// The connection broke.
    fn checkpoint(&mut self) -> Result<(), DatabaseError>;

    /// Removes what changes left in the tables and has everything written out.
    ///
    /// # Errors
    /// The server refuses.
    fn tidy(&mut self, tables: &[Table]) -> Result<(), DatabaseError>;

    /// The files of our tables and their indexes, which the layer may tell out of memory.
    ///
    /// # Errors
    /// They are not known or not on this machine.
    fn table_files(&mut self) -> Result<Vec<PathBuf>, DatabaseError>;

    /// Blocks of our tables and their indexes that it has read into its pool until now; `None` where it doesn't count them apart.
    ///
    /// # Errors
    /// The connection broke.
    fn table_reads(&mut self) -> Result<Option<f64>, DatabaseError> {
        Ok(None)
    }

    /// Whether it reads its files around the operating system's cache.
    fn reads_directly(&self) -> bool {
        false
    }

    /// Before a window: sets what a variation sets for the whole server, and has what this side did so far counted now and not in the
    /// middle of it.
    ///
    /// # Errors
    /// The connection broke.
    fn before_window(&mut self, variation: &Variation) -> Result<(), DatabaseError>;

    /// Removes our place with all in it; a moment is waited where it is `hurried`.
    ///
    /// # Errors
    /// It could not be removed, with what is left.
    fn remove_place(&mut self, hurried: bool) -> Result<(), DatabaseError>;

    /// For what only this kind has.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// One session of the load, or a worker of one, as the server sees it at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// What it waits for.
    pub wait: Wait,
    /// The same as PostgreSQL reports them.
    pub name: String,
    /// Its process or thread, where the server says.
    pub pid: Option<u32>,
    /// Whether it works for another session.
    pub worker: bool,
}

/// Says what a server did, by its own account; whoever loads it asks before, meanwhile and after.
pub trait Observer {
    /// What it has counted until now.
    ///
    /// # Errors
    /// The server refuses or the connection broke.
    fn counters(&mut self) -> Result<Counters, KindError>;

    /// Waits until the load's sessions have ended and are in the counters.
    ///
    /// # Errors
    /// The server refuses or the connection broke.
    fn settle(&mut self) -> Result<(), KindError>;

    /// What the load's sessions do at this moment.
    ///
    /// # Errors
    /// The server refuses or the connection broke.
    fn activity(&mut self) -> Result<Vec<SessionState>, KindError>;
}

/// A server of our own, which may be ended and started with what it holds.
pub trait Provisioner {
    /// Starts it, and waits until it takes sessions.
    ///
    /// # Errors
    /// It doesn't come up, or a stop.
    fn start(&mut self, stop: &Stop) -> Result<(), KindError>;

    /// Ends it, with everything written out where it lets itself be ended so; what it holds stays.
    ///
    /// # Errors
    /// It was not running any more.
    fn stop(&mut self) -> Result<(), KindError>;

    /// Ends it at once and writes nothing any more, as a fault of the server would.
    ///
    /// # Errors
    /// It was not running.
    fn kill(&mut self) -> Result<(), KindError>;
}
