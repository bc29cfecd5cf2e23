//! Who waits for whom: row locks by `INNODB_LOCK_WAITS`, metadata locks by the sessions' stages.
//!
//! The server says who waits for a metadata lock, and who holds one only where the plugin `METADATA_LOCK_INFO` is installed. Without it
//! those can hold it whose transaction, or whose statement, is older than the wait; where a statement names the table, they
//! come first. Behind a waiting DDL statement stand those who began to wait after it.

use std::collections::BTreeMap;

use narrows_model::{LockHolder, QueuedSession};

use super::normalise::normalised;
use super::sessions::Session;
use super::text;
use crate::connection::{Connection, Row};
use crate::error::MariaError;

pub(super) const ROW_WAITS: &str = "SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id, l.lock_mode, l.lock_type, l.lock_table \
     FROM information_schema.INNODB_LOCK_WAITS w JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id \
     JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id \
     JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id LIMIT 2000";
pub(super) const HOLDERS: &str = "SELECT THREAD_ID, TABLE_SCHEMA, TABLE_NAME FROM information_schema.METADATA_LOCK_INFO \
     WHERE LOCK_TYPE = 'Table metadata lock' LIMIT 2000";
/// Sessions of a queue that are kept.
const MOST: usize = LockHolder::ASKED as usize;
/// Those who can hold a metadata lock, where nobody says who does.
const MOST_HOLDERS: usize = 3;

/// What is asked of locks.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Locks {
    /// Whether `INNODB_LOCK_WAITS` may be read.
    pub(super) rows: bool,
    /// Whether `METADATA_LOCK_INFO` is installed.
    pub(super) metadata: bool,
}

/// The queue of this moment; empty where nobody waits for a lock.
pub(super) fn read(
    session: &mut Connection,
    sessions: &[Session],
    locks: Locks,
) -> Result<Vec<QueuedSession>, MariaError> {
    let rows = match locks.rows && sessions.iter().any(Session::waits_for_row) {
        true => session.query(ROW_WAITS)?,
        false => Vec::new(),
    };
    let metadata = sessions.iter().any(Session::waits_for_metadata);
    let holders = match locks.metadata && metadata {
        true => Some(session.query(HOLDERS)?),
        false => None,
    };
    Ok(queue(sessions, &rows, holders.as_deref()))
}

/// What a session waits for, and behind whom.
#[derive(Debug, Default)]
struct Wait {
    behind: Vec<u32>,
    mode: String,
    table: Option<String>,
}

fn queue(sessions: &[Session], rows: &[Row], holders: Option<&[Row]>) -> Vec<QueuedSession> {
    let by_id: BTreeMap<u32, &Session> = sessions.iter().map(|s| (s.id, s)).collect();
    let mut waits: BTreeMap<u32, Wait> = BTreeMap::new();
    for row in rows {
        let id = |column| text(row, column).and_then(|id| id.parse::<u32>().ok());
        let (Some(waits_for), Some(holder)) = (id(0), id(1)) else { continue };
        // The lists are of two moments: who is past the wait, or not in it yet, is listed with what it does.
        if !by_id.get(&waits_for).is_some_and(|session| session.waits_for_row()) {
            continue;
        }
        let wait = waits.entry(waits_for).or_default();
        if waits_for != holder && !wait.behind.contains(&holder) && wait.behind.len() < MOST {
            wait.behind.push(holder);
        }
        let mode = text(row, 2).unwrap_or("?").split(',').next().unwrap_or_default();
        wait.mode = match text(row, 3) {
            Some("TABLE") => format!("a table lock ({mode})"),
            _ => format!("a row lock ({mode})"),
        };
        wait.table = text(row, 4).map(plain_name);
    }
    metadata(sessions, holders, &mut waits);
    let named: Vec<u32> = waits
        .iter()
        .flat_map(|(id, wait)| std::iter::once(*id).chain(wait.behind.clone()))
        .collect();
    let mut all: Vec<QueuedSession> = Vec::new();
    for session in by_id.values().filter(|session| named.contains(&session.id)) {
        all.push(queued(session, waits.get(&session.id)));
    }
    // Those without whom nobody would wait come first, where not all have a place.
    all.sort_by_key(|session| !session.behind.is_empty());
    all.truncate(MOST);
    all
}

/// Sessions that wait for a metadata lock.
fn metadata(sessions: &[Session], holders: Option<&[Row]>, waits: &mut BTreeMap<u32, Wait>) {
    let waiting: Vec<&Session> =
        sessions.iter().filter(|session| session.waits_for_metadata()).collect();
    let ddl = |session: &Session| session.text.as_deref().and_then(changed_table);
    for session in &waiting {
        let own = ddl(session).map(|table| of_schema(table, &session.database));
        let waits_s = session.for_s;
        // Who has waited for longer for a lock that lets nobody pass.
        let ahead = waiting.iter().find(|other| {
            other.id != session.id
                && own.is_none()
                && other.for_s >= waits_s
                && ddl(other).is_some()
        });
        let running = sessions
            .iter()
            .find(|other| !other.sleeps && !other.waits_for_metadata() && ddl(other).is_some());
        let behind = match (ahead, running) {
            (Some(ahead), _) => vec![ahead.id],
            (None, Some(running)) => vec![running.id],
            (None, None) => match holders {
                Some(holders) => said(holders, session, own.as_deref()),
                None => concluded(sessions, session, own.as_deref()),
            },
        };
        // A name without a schema is one of the session that runs the statement.
        let whose = ahead.copied().or(running);
        let theirs = || Some(whose?).and_then(|of| Some(of_schema(ddl(of)?, &of.database)));
        let table = own.or_else(theirs);
        waits.insert(session.id, Wait { behind, mode: "a metadata lock".to_string(), table });
    }
}

/// With the schema that a session is in, where its statement names none.
fn of_schema(table: String, schema: &str) -> String {
    if schema.is_empty() || table.contains('.') {
        return table;
    }
    let bare = table.trim_matches('`');
    let plain = bare.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c));
    format!("{schema}.{}", if plain { bare } else { &table })
}

/// Those that the plugin names for the table.
fn said(holders: &[Row], session: &Session, table: Option<&str>) -> Vec<u32> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).replace('`', "");
    let wanted = table.map(last);
    let mut found: Vec<u32> = Vec::new();
    for row in holders {
        let (Some(id), Some(name)) = (text(row, 0), text(row, 2)) else { continue };
        let Ok(id) = id.parse() else { continue };
        let is_of = wanted.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(name));
        if id != session.id && is_of && !found.contains(&id) && found.len() < MOST {
            found.push(id);
        }
    }
    found
}

/// Those that can hold it by their age.
fn concluded(sessions: &[Session], session: &Session, table: Option<&str>) -> Vec<u32> {
    let older = |other: &&Session| {
        let since = match other.transaction {
            Some(of) => of.age_s,
            None if other.sleeps => return false,
            None => other.for_s,
        };
        other.id != session.id && !other.waits_for_metadata() && since >= session.for_s
    };
    let name = table.map(|table| table.rsplit('.').next().unwrap_or(table).replace('`', ""));
    let names = |other: &Session| {
        let text = other.text.as_deref().map(normalised).unwrap_or_default().to_lowercase();
        let name = name.as_deref().unwrap_or_default().to_lowercase();
        !name.is_empty()
            && text
                .split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))
                .any(|word| word == name)
    };
    let mut found: Vec<&Session> = sessions.iter().filter(older).collect();
    if found.iter().any(|other| names(other)) {
        found.retain(|other| names(other));
    }
    let since = |of: &Session| of.transaction.map_or(of.for_s, |of| of.age_s);
    found.sort_by(|a, b| since(b).total_cmp(&since(a)));
    found.into_iter().take(MOST_HOLDERS).map(|session| session.id).collect()
}

/// The table that a statement changes the definition of, or locks; `None` where it is no such statement.
fn changed_table(sql: &str) -> Option<String> {
    let shape = normalised(sql);
    let words: Vec<&str> = shape.split_whitespace().collect();
    let is = |at: usize, wanted: &[&str]| {
        words.get(at).is_some_and(|word| wanted.iter().any(|w| word.eq_ignore_ascii_case(w)))
    };
    let behind = |wanted: &[&str]| (1..words.len()).find(|at| is(*at, wanted)).map(|at| at + 1);
    let changes = ["ALTER", "DROP", "TRUNCATE", "RENAME", "OPTIMIZE", "REPAIR", "LOCK", "CREATE"];
    if !is(0, &changes) {
        return None;
    }
    let is_of_index = behind(&["INDEX"]).is_some() && is(0, &["CREATE", "DROP"]);
    let mut at = match is_of_index {
        true => behind(&["ON"])?,
        false if is(0, &["CREATE"]) => return None,
        false => behind(&["TABLE", "TABLES"]).or_else(|| is(0, &["TRUNCATE"]).then_some(1))?,
    };
    while is(at, &["IF", "EXISTS", "NOT"]) {
        at += 1;
    }
    let name = words.get(at)?.split(['(', ',']).next()?;
    (!name.is_empty()).then(|| name.to_string())
}

/// `` `shop`.`orders` `` without quotes where it needs none.
fn plain_name(name: &str) -> String {
    let shown = narrows_units::shown(name).into_owned();
    let bare = shown.replace('`', "");
    let plain = bare.chars().all(|c| c.is_ascii_alphanumeric() || "_$.".contains(c));
    let parts = shown.matches('.').count();
    // A partition's name stands behind its table's, in a comment.
    if plain && parts == 1 { bare } else { shown.split(" /*").next().unwrap_or(&shown).to_string() }
}

fn queued(session: &Session, wait: Option<&Wait>) -> QueuedSession {
    let waits_s = session.transaction.and_then(|of| of.waits_s).filter(|_| wait.is_some());
    let age_s = waits_s.unwrap_or(session.for_s);
    let state = match (session.sleeps, session.stage.as_str()) {
        (true, _) => "idle in transaction",
        (false, "") => "active",
        (false, stage) => stage,
    };
    QueuedSession {
        pid: session.id,
        behind: wait.map(|wait| wait.behind.clone()).unwrap_or_default(),
        state: state.to_string(),
        state_age_ns: Some(age_s * 1e9),
        transaction_age_ns: session.transaction.map(|of| of.age_s * 1e9),
        waits_for: wait.map(|_| session.event()),
        mode: wait.map(|wait| wait.mode.clone()),
        table: wait.and_then(|wait| wait.table.clone()),
        user: session.user.clone(),
        application: session.client.clone(),
        backend_type: String::new(),
        text: session.text.as_deref().map(normalised).filter(|text| !text.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sessions::Transaction;
    use crate::observe::sessions::tests::row;

    fn session(id: u32, stage: &str, for_s: f64, sql: &str) -> Session {
        Session {
            id,
            user: "app".into(),
            sleeps: sql.is_empty(),
            for_s,
            stage: stage.into(),
            text: Some(sql.to_string()).filter(|sql| !sql.is_empty()),
            ..Session::default()
        }
    }

    fn in_transaction(session: Session, age_s: f64, waits_s: Option<f64>) -> Session {
        let of = Transaction { age_s, waits_s, rows_locked: 1.0, rows_modified: 1.0 };
        Session { transaction: Some(of), ..session }
    }

    const METADATA: &str = "Waiting for table metadata lock";

    #[test]
    fn row_locks_are_waited_for_behind_their_holders() {
        let sessions = [
            in_transaction(session(5, "", 30.0, ""), 31.0, None),
            in_transaction(session(7, "Updating", 4.0, "UPDATE t SET a = 'x'"), 4.0, Some(3.0)),
            session(8, "Sending data", 1.0, "SELECT 1"),
        ];
        let rows =
            [row(&["7", "5", "X,GAP", "RECORD", "`shop`.`orders`"]), vec![], row(&["x", "5"])];
        let queue = queue(&sessions, &rows, None);
        assert_eq!(queue.len(), 2);
        assert_eq!((queue[0].pid, queue[0].state.as_str()), (5, "idle in transaction"));
        assert_eq!((queue[1].pid, &queue[1].behind[..]), (7, &[5][..]));
        assert_eq!(queue[1].mode.as_deref(), Some("a row lock (X)"));
        assert_eq!(queue[1].table.as_deref(), Some("shop.orders"));
        assert_eq!(queue[1].state_age_ns, Some(3e9));
        assert_eq!(queue[1].text.as_deref(), Some("UPDATE t SET a = ?"));
    }

    #[test]
    fn who_began_to_wait_after_sessions_were_listed_is_not_in_the_queue_yet() {
        let sessions = [
            in_transaction(session(5, "Commit", 0.0, "COMMIT"), 1.0, None),
            in_transaction(session(7, "User sleep", 0.0, "DO SLEEP(1)"), 1.0, Some(0.0)),
        ];
        let rows = [row(&["7", "5", "X", "RECORD", "`shop`.`orders`"])];
        assert_eq!(queue(&sessions, &rows, None), []);
    }

    #[test]
    fn a_table_without_its_schema_is_one_of_the_sessions() {
        let of = |table: &str, schema: &str| of_schema(table.to_string(), schema);
        assert_eq!(of("orders", "shop"), "shop.orders");
        assert_eq!(of("`orders`", "shop"), "shop.orders");
        assert_eq!((of("a.b", "shop").as_str(), of("b", "").as_str()), ("a.b", "b"));
    }

    #[test]
    fn a_ddl_statement_stands_behind_older_ones_and_later_ones_behind_it() {
        let sessions = [
            in_transaction(session(5, "", 30.0, ""), 40.0, None),
            // Younger than the wait.
            in_transaction(session(6, "", 1.0, ""), 3.0, None),
            session(8, METADATA, 20.0, "ALTER TABLE orders ADD note text"),
            session(9, METADATA, 10.0, "SELECT * FROM orders"),
        ];
        let of = |holders: Option<&[Row]>| {
            let queue = queue(&sessions, &[], holders);
            let behind = |pid| queue.iter().find(|s| s.pid == pid).map(|s| s.behind.clone());
            (queue.len(), behind(8), behind(9))
        };
        assert_eq!(of(None), (3, Some(vec![5]), Some(vec![8])));
        let holders = [row(&["6", "shop", "orders"]), row(&["5", "shop", "lines"]), vec![]];
        assert_eq!(of(Some(&holders)), (3, Some(vec![6]), Some(vec![8])), "as the plugin says");
    }

    #[test]
    fn who_reads_the_table_holds_it_rather_than_who_does_not() {
        let sessions = [
            in_transaction(session(4, "Sending data", 90.0, "SELECT a FROM lines"), 90.0, None),
            session(5, "Sending data", 60.0, "SELECT sum(a) FROM orders"),
            session(8, METADATA, 20.0, "DROP TABLE IF EXISTS `orders`"),
        ];
        let queue = queue(&sessions, &[], None);
        let ddl = queue.iter().find(|session| session.pid == 8).unwrap();
        assert_eq!((&ddl.behind[..], ddl.table.as_deref()), (&[5][..], Some("`orders`")));
    }

    #[test]
    fn statements_that_change_a_table_are_known_with_its_name() {
        for (sql, table) in [
            ("ALTER TABLE orders ADD x int", Some("orders")),
            ("alter online ignore table shop.orders drop x", Some("shop.orders")),
            ("DROP TABLE IF EXISTS a, b", Some("a")),
            ("TRUNCATE orders", Some("orders")),
            ("CREATE INDEX i ON orders(a)", Some("orders")),
            ("DROP INDEX i ON orders", Some("orders")),
            ("RENAME TABLE a TO b", Some("a")),
            ("CREATE TABLE a (b int)", None),
            ("SELECT * FROM orders", None),
            ("", None),
        ] {
            assert_eq!(changed_table(sql).as_deref(), table, "{sql}");
        }
    }
}
