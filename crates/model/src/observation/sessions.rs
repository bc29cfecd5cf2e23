//! Who was connected.

use narrows_units::Nanos;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LockKept;

/// What the session at the head of the longest lock queue was found doing, whenever that was asked (about once a second).
///
/// A transaction keeps its locks until its commit is durable, so that a queue for locks can be one for the flush of their holder.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct LockHolders {
    /// Answers in which there was such a session.
    pub answers: u32,
    /// Of these, those in which it waited for its WAL to be flushed, or for a standby.
    pub in_flush: u32,
    /// Those in which it ran or waited for a CPU.
    pub on_cpu: u32,
    /// Those in which it waited for its client inside a transaction.
    pub for_client: u32,
}

/// Sessions of clients, without narrows' own; means over the samples unless it says otherwise.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ObservedSessions {
    /// Connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<f64>,
    /// Most connected at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_open: Option<f64>,
    /// Most active at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_at_work: Option<f64>,
    /// `max_connections`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<f64>,
    /// Age of the oldest open transaction at the end, ns; it keeps vacuum from removing dead rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_transaction_ns: Option<f64>,
    /// The longest that a session was found idle in its transaction, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_idle_in_transaction_ns: Option<f64>,
    /// Age of the oldest prepared transaction (two-phase commit) at the beginning, ns; it holds locks and keeps vacuum back
    /// without a session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_prepared_ns: Option<f64>,
    /// Transactions begun since the oldest snapshot that a replication slot holds; vacuum removes nothing that died after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot_holds: Option<f64>,
    /// Most sessions found waiting behind one holder of locks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_behind_one: Option<f64>,
    /// Who that was, as last seen with as many behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holder: Option<LockHolder>,
    /// What those who held locks that others waited for were found doing; absent where nobody waited when it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holders: Option<LockHolders>,
    /// Of `open`, those that did nothing while observed: no statement and no transaction began or ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unused: Option<f64>,
    /// The others, by the share of their time in which they were active.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub duties: Vec<SessionsOfDuty>,
    /// Most processes found that send WAL: to standbys, copies being made, subscribers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_senders: Option<f64>,
}

/// Share of its time in which a session is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Duty {
    /// More than nine tenths.
    Busy,
    /// Between a tenth and nine.
    Mixed,
    /// Less than a tenth.
    Seldom,
}

impl Duty {
    /// By the share of the time.
    pub fn of(at_work: f64) -> Duty {
        match at_work {
            share if share > 0.9 => Duty::Busy,
            share if share < 0.1 => Duty::Seldom,
            _ => Duty::Mixed,
        }
    }
}

/// Sessions that are active for a similar share of their time. One that was there for too few samples is in none.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SessionsOfDuty {
    /// How much of it.
    pub duty: Duty,
    /// How many, mean.
    pub sessions: f64,
    /// Of these, active, mean.
    pub at_work: f64,
}

impl SessionsOfDuty {
    /// The share of their time.
    pub fn share(&self) -> f64 {
        if self.sessions > 0.0 { self.at_work / self.sessions } else { 0.0 }
    }
}

/// A session, or what is left of one, that others wait behind for locks. No text of its statement.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct LockHolder {
    /// Its process by the server's number; 0: a prepared transaction, which has none.
    pub pid: u32,
    /// What it does, in the server's words (`idle in transaction`); empty where that is unknown.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub state: String,
    /// For how long it has done that, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_age_ns: Option<f64>,
    /// Age of its transaction, ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction_age_ns: Option<f64>,
    /// What it waits for itself, in the server's words; absent where it waits for nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waits_for: Option<String>,
    /// Sessions that waited behind it then, those behind others that wait for it too; of [`LockHolder::ASKED`] that were asked
    /// about at most.
    pub behind: f64,
}

impl LockHolder {
    /// Sessions that wait and are asked whom they wait for, at most.
    pub const ASKED: f64 = 100.0;

    /// Whether it keeps its locks, and doesn't just use them.
    pub fn keeps(&self) -> bool {
        self.kept().is_some()
    }

    /// Whether it waits for its client to go on.
    pub fn is_idle_in_transaction(&self) -> bool {
        self.state.starts_with("idle in transaction")
    }

    /// `pid 4711, idle in transaction for 26.0 s`
    pub fn words(&self) -> String {
        if self.pid == 0 {
            return "a prepared transaction (pg_prepared_xacts names it)".to_string();
        }
        let age = |ns: Option<f64>| ns.map(|ns| Nanos(ns.max(0.0) as u64));
        let mut text = format!("pid {}", self.pid);
        if !self.state.is_empty() {
            text += &format!(", {}", self.state);
            text += &age(self.state_age_ns).map_or(String::new(), |age| format!(" for {age}"));
            text += &self.waits_for.as_ref().map_or(String::new(), |event| format!(" in {event}"));
        }
        // A transaction of many short statements is older than what it does now.
        let state_ns = self.state_age_ns.unwrap_or(0.0);
        let older = self.transaction_age_ns.filter(|ns| *ns > 2.0 * state_ns);
        text +=
            &age(older).map_or(String::new(), |age| format!(", its transaction open for {age}"));
        text
    }

    /// What to do so that it lets its locks go.
    pub fn way_out(&self) -> String {
        if self.pid == 0 {
            return "COMMIT PREPARED or ROLLBACK PREPARED it".to_string();
        }
        let what = match self.kept() {
            Some(LockKept::Session) => "pg_advisory_unlock in its session, or end that".to_string(),
            _ if self.is_idle_in_transaction() => {
                "end that transaction: its client, or end its session".to_string()
            }
            _ => format!("check what pid {} does, and stop its statement", self.pid),
        };
        self.end().map_or(what.clone(), |statement| format!("{what}: {statement}"))
    }

    /// How many wait behind it, in words.
    pub fn queue(&self) -> String {
        if self.behind < Self::ASKED {
            format!("{:.0}", self.behind)
        } else {
            format!("{:.0} or more", self.behind)
        }
    }
}
