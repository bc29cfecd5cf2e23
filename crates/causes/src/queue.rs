//! Who waits for whom: the queue for locks as a graph.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::QueuedSession;

/// Sessions that are read: the observation asks about a hundred.
const MOST: usize = 500;

/// Modes of a table's lock that readers or writers wait for. PostgreSQL documentation: Explicit Locking, Conflicting Lock Modes.
const STRONG: [&str; 4] =
    ["AccessExclusiveLock", "ExclusiveLock", "ShareRowExclusiveLock", "ShareLock"];

/// Sessions by number, and who waits for each.
pub(crate) struct LockQueue<'a> {
    sessions: BTreeMap<u32, &'a QueuedSession>,
    waiters: BTreeMap<u32, Vec<&'a QueuedSession>>,
}

impl<'a> LockQueue<'a> {
    pub fn of(queue: &'a [QueuedSession]) -> LockQueue<'a> {
        let mut sessions = BTreeMap::new();
        let mut waiters: BTreeMap<u32, Vec<&QueuedSession>> = BTreeMap::new();
        for session in queue.iter().take(MOST) {
            sessions.entry(session.pid).or_insert(session);
            for ahead in session.behind.iter().take(MOST) {
                waiters.entry(*ahead).or_default().push(session);
            }
        }
        LockQueue { sessions, waiters }
    }

    /// Those that others wait for and that wait for no lock.
    pub fn heads(&self) -> impl Iterator<Item = &'a QueuedSession> {
        let heads = self.sessions.values().filter(|session| session.behind.is_empty());
        heads.filter(|session| self.waiters.contains_key(&session.pid)).copied()
    }

    /// Those that wait behind a session, and behind others that wait for it; whoever stands behind one of `apart` alone, and these
    /// themselves, left out.
    pub fn behind(&self, pid: u32, apart: &BTreeSet<u32>) -> Vec<&'a QueuedSession> {
        let mut met = BTreeSet::from([pid]);
        let (mut next, mut found) = (vec![pid], Vec::new());
        while let Some(ahead) = next.pop() {
            for session in self.waiters.get(&ahead).into_iter().flatten() {
                if !apart.contains(&session.pid) && met.insert(session.pid) {
                    found.push(*session);
                    next.push(session.pid);
                }
            }
        }
        found
    }

    /// Those that wait for a strong lock on a table while others wait behind them.
    pub fn strong_waiters(&self) -> Vec<&'a QueuedSession> {
        let strong = |session: &&&QueuedSession| {
            let table_lock = session.waits_for.as_deref() == Some("Lock:relation");
            let mode = session.mode.as_deref().is_some_and(|mode| STRONG.contains(&mode));
            table_lock
                && mode
                && !session.behind.is_empty()
                && self.waiters.contains_key(&session.pid)
        };
        self.sessions.values().filter(strong).copied().collect()
    }

    /// At whose end a session waits: those ahead of all that it waits for.
    pub fn ahead(&self, session: &QueuedSession) -> Vec<&'a QueuedSession> {
        let mut met = BTreeSet::from([session.pid]);
        let (mut next, mut found) = (session.behind.clone(), Vec::new());
        while let Some(pid) = next.pop() {
            if !met.insert(pid) {
                continue;
            }
            let Some(ahead) = self.sessions.get(&pid) else { continue };
            if ahead.behind.is_empty() {
                found.push(*ahead);
            }
            next.extend(ahead.behind.iter().take(MOST));
        }
        found
    }
}
