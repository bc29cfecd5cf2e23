//! A server that answers what a look at the log asks, or doesn't.

use std::thread::JoinHandle;

use super::waits;
use crate::address::Address;
use crate::look::fake::{self, Reply, row};

/// What it does with a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Answer,
    /// With this SQLSTATE.
    Refuse(&'static str),
    HangUp,
}

/// Statements that a look repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Counters,
    States,
    /// Everything that is asked once.
    Once,
}

/// Serves one connection; `mood` decides of each statement. Its address, and its end.
pub(super) fn serve(
    mut mood: impl FnMut(Asked) -> Mood + Send + 'static,
) -> (Address, JoinHandle<()>) {
    let mut ids = 0;
    fake::serve(move |sql| {
        ids += 1000;
        match mood(asked(sql)) {
            Mood::Answer => Reply::Rows(answer(sql, ids)),
            Mood::Refuse(code) => Reply::Refuse(code),
            Mood::HangUp => Reply::HangUp,
        }
    })
}

fn asked(sql: &str) -> Asked {
    if sql == waits::SQL {
        Asked::States
    } else if sql.contains("pg_snapshot_xmax") {
        Asked::Counters
    } else {
        Asked::Once
    }
}

/// Ids given out grow with each statement.
fn answer(sql: &str, ids: u32) -> Vec<crate::wire::Row> {
    let ids = ids.to_string();
    match asked(sql) {
        Asked::States => vec![row(["client backend", "LWLock", "WALWrite", "2"])],
        Asked::Counters => vec![row([ids.as_str(), &ids, ""])],
        Asked::Once if sql.contains("server_version_num") => {
            vec![row(["170002", "17.2", "bob", "t"])]
        }
        Asked::Once if sql.contains("pg_is_in_recovery") => vec![row(["f"])],
        Asked::Once => Vec::new(),
    }
}
