//! Sessions in a lock queue in words, of whatever server they are.

use std::collections::BTreeMap;

use narrows_model::{LockHolder, QueuedSession};

use crate::words::{age, excerpt, whole_sessions};

/// `pid 4711 (app, pgbench), idle in transaction for 26.0 s`, after what the server calls a session and behind it those `names` that
/// are not empty.
pub(crate) fn who(called: &str, names: &[&str], session: &QueuedSession) -> String {
    let mut text = format!("{called} {}", session.pid);
    let names: Vec<&str> = names.iter().copied().filter(|name| !name.is_empty()).collect();
    if !names.is_empty() {
        text += &format!(" ({})", names.join(", "));
    }
    if !session.state.is_empty() {
        text += &format!(", {}", session.state);
        text += &session.state_age_ns.map_or(String::new(), |ns| format!(" for {}", since(ns)));
    }
    text
}

/// An age, by a clock that may have whole seconds.
fn since(ns: f64) -> String {
    if ns == 0.0 { "less than 1 s".to_string() } else { age(ns) }
}

/// `connection 5 has ended`, `connections 5, 7 have ended`: by what one and several are called; `None` where nobody with a number is there.
pub(crate) fn has_ended((one, several): (&str, &str), heads: &[&QueuedSession]) -> Option<String> {
    let numbered = heads.iter().filter(|head| head.pid != 0);
    let pids: Vec<String> = numbered.map(|head| head.pid.to_string()).collect();
    match &pids[..] {
        [] => None,
        [only] => Some(format!("{one} {only} has ended")),
        all => Some(format!("{several} {} have ended", all.join(", "))),
    }
}

/// How many wait; of so many at most was asked.
pub(crate) fn queue(behind: usize) -> String {
    let waiters = whole_sessions(behind);
    if behind as f64 >= LockHolder::ASKED { format!("{waiters} or more") } else { waiters }
}

/// `1 session waits`, `12 sessions wait`
pub(crate) fn waits(behind: usize) -> String {
    format!("{} {}", queue(behind), if behind == 1 { "waits" } else { "wait" })
}

/// The table that most of these wait for.
pub(crate) fn table<'a>(waiters: &[&'a QueuedSession]) -> Option<&'a str> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in waiters.iter().filter_map(|waiter| waiter.table.as_deref()) {
        *times.entry(name).or_default() += 1;
    }
    times.into_iter().max_by_key(|(_, times)| *times).map(|(name, _)| name)
}

/// ` on public.orders`
pub(crate) fn on(table: Option<&str>) -> String {
    table.map_or(String::new(), |table| format!(" on {table}"))
}

/// What it runs, or ran last.
pub(crate) fn last_statement(session: &QueuedSession) -> Option<String> {
    let text = session.text.as_deref().filter(|text| !text.is_empty())?;
    Some(format!("its statement: {}", excerpt(text)))
}

/// For how long its transaction has been open.
pub(crate) fn transaction_age(session: &QueuedSession) -> Option<String> {
    session.transaction_age_ns.map(|ns| format!("its transaction is {} old", since(ns)))
}
