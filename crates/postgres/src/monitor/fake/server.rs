//! A server of version 15 that answers what a monitor asks, or doesn't. Its counters grow with each reading.

use std::thread::JoinHandle;

use super::{Reply, row};
use crate::address::Address;
use crate::monitor::{catalog, samples};
use crate::wire::Row;

/// Transactions that end between two readings.
pub(crate) const TRANSACTIONS: f64 = 6000.0;

/// Statements that a monitor repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MonitorStatement {
    Counters,
    States,
    Census,
    Holders,
    /// What a second look begins with.
    Anew,
    /// Of who takes what; a look goes without its answer.
    Consumers,
    /// Everything that is asked once.
    Once,
}

/// What kind of server it is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FakeServerTraits {
    pub(crate) monitor: bool,
    pub(crate) standby: bool,
    /// Transactions that end between two readings.
    pub(crate) transactions: f64,
    /// From this reading on a tenth of them do.
    pub(crate) slow_from: u32,
    /// From this reading on its statistics have been reset.
    pub(crate) reset_at: u32,
    /// What its processes are found doing.
    pub(crate) states: &'static [[&'static str; 5]],
}

/// Two sessions run, three wait for one lock, and four have nothing to do.
const BEHIND_A_LOCK: &[[&str; 5]] = &[
    ["client backend", "active", "", "", "2"],
    ["client backend", "active", "Lock", "tuple", "3"],
    ["client backend", "idle", "Client", "ClientRead", "4"],
];
/// Two sessions wait for another that writes the log.
pub(crate) const BEHIND_THE_LOG: &[[&str; 5]] =
    &[["client backend", "active", "LWLock", "WALWrite", "2"]];

impl Default for FakeServerTraits {
    fn default() -> FakeServerTraits {
        FakeServerTraits {
            monitor: true,
            standby: false,
            transactions: TRANSACTIONS,
            slow_from: u32::MAX,
            reset_at: u32::MAX,
            states: BEHIND_A_LOCK,
        }
    }
}

/// Serves one connection. `instead` may answer a statement in its stead.
pub(crate) fn serve(
    kind: FakeServerTraits,
    mut instead: impl FnMut(MonitorStatement) -> Option<Reply> + Send + 'static,
) -> (Address, JoinHandle<()>) {
    let mut readings = 0;
    super::serve(move |sql| {
        let asked = asked(sql);
        readings += u32::from(asked == MonitorStatement::Counters);
        instead(asked).unwrap_or_else(|| Reply::Rows(answer(kind, asked, sql, readings)))
    })
}

fn asked(sql: &str) -> MonitorStatement {
    match sql {
        samples::SQL | "EXECUTE narrows_consumers" => MonitorStatement::States,
        "EXECUTE narrows_census" => MonitorStatement::Census,
        "EXECUTE narrows_holders" => MonitorStatement::Holders,
        "DEALLOCATE ALL" => MonitorStatement::Anew,
        sql if sql.starts_with("SELECT *") => MonitorStatement::Counters,
        sql if OF_CONSUMERS.iter().any(|part| sql.contains(part)) => MonitorStatement::Consumers,
        _ => MonitorStatement::Once,
    }
}

/// In what is asked about who takes what.
const OF_CONSUMERS: [&str; 20] = [
    "narrows_consumers",
    "narrows_names",
    "narrows_texts",
    "narrows_queue",
    "narrows_tables",
    "narrows_statements",
    "narrows_indexes",
    "narrows_sequences",
    "pg_catalog.pg_sequence",
    "i.indexrelid",
    "current_database(), d.oid",
    "pg_catalog.pg_extension",
    "pg_stat_statements",
    "backend_xmin",
    "SELECT gid",
    "SELECT slot_name",
    "datfrozenxid",
    "pg_stat_archiver",
    "pg_catalog.pg_constraint",
    "c.relpages",
];

fn answer(kind: FakeServerTraits, asked: MonitorStatement, sql: &str, readings: u32) -> Vec<Row> {
    match asked {
        MonitorStatement::States => kind.states.iter().map(|cells| row(*cells)).collect(),
        MonitorStatement::Census => vec![
            row(["client backend", "t", "11 12 13 14 15 16", "12.5", "3.25"]),
            row(["client backend", "f", "21 22 23", "", ""]),
        ],
        MonitorStatement::Holders => ["11", "12", "13"]
            .map(|pid| row([pid, "16", "idle in transaction", "3.25", "12.5", "Client:ClientRead"]))
            .to_vec(),
        MonitorStatement::Counters => vec![counters(sql, kind, readings)],
        MonitorStatement::Consumers => consumers(sql, readings),
        MonitorStatement::Once | MonitorStatement::Anew => once(kind, sql),
    }
}

/// One statement and one table, of which more is done with each reading of the counters; the queue for one lock.
fn consumers(sql: &str, readings: u32) -> Vec<Row> {
    let times = |n: u32| (n * readings).to_string();
    let (ten, hundred) = (times(10), times(100));
    let one = |cells: &[&str]| vec![row(cells.iter().copied())];
    match sql {
        sql if sql.starts_with("PREPARE") => Vec::new(),
        sql if sql.contains("current_database(), d.oid") => {
            one(&["shop", "5", "10", "off", "top", "t"])
        }
        sql if sql.contains("pg_catalog.pg_extension") => {
            let arguments = include_str!("../../observe/consumers/columns/15.txt");
            let arguments = arguments.lines().last().unwrap_or_default();
            vec![
                row(["public", "pg_stat_statements", arguments, "t"]),
                row(["public", "pg_stat_statements_info", "dealloc stats_reset", "t"]),
            ]
        }
        "EXECUTE narrows_statements" => one(&["10", "5", "-7", "", &ten, &hundred]),
        sql if sql.starts_with("SELECT dealloc") => one(&["0", "90.5"]),
        sql if sql.starts_with("SELECT s.userid") => {
            one(&["10", "5", "-7", "f", "app", "shop", "SELECT 'planted'"])
        }
        "EXECUTE narrows_tables" => {
            one(&["16", "1", &ten, &hundred, "", "0", "0", &ten, "0", "0", "0", "0", "7"])
        }
        sql if sql.contains("pg_catalog.pg_constraint") => {
            one(&["16", "17", "fkey", "public.b", "a", "public.a"])
        }
        sql if sql.contains("c.relpages") => one(&["16", "public.a", "9", "5", "7", "1", "60"]),
        "EXECUTE narrows_queue" => {
            let waiter = |pid| row([pid, "16", "active", "1", "1", "Lock:tuple"]);
            let head = row(["16", "", "idle in transaction", "3.25", "12.5"]);
            ["11", "12", "13"].into_iter().map(waiter).chain([head]).collect()
        }
        sql if sql.starts_with("SELECT gid") => one(&["tx", "500", "7200.5", "", "bob"]),
        sql if sql.contains("datfrozenxid") => one(&["shop", "2000"]),
        _ => Vec::new(),
    }
}

fn once(kind: FakeServerTraits, sql: &str) -> Vec<Row> {
    let yes = |yes: bool| vec![row([if yes { "t" } else { "f" }])];
    if sql.contains("server_version_num") {
        return vec![row(["150018", "15.18", "bob", if kind.monitor { "t" } else { "f" }])];
    }
    if sql.ends_with("FROM pg_catalog.clock_timestamp())") {
        return vec![row(["1700000000.5"])];
    }
    if sql.contains("pg_is_in_recovery") {
        return yes(kind.standby);
    }
    if sql == catalog::SQL {
        return columns();
    }
    if sql == "EXECUTE narrows_can_report" {
        return yes(true);
    }
    if sql.contains("pg_prepared_xacts") {
        return vec![row(["7200.5", "42"])];
    }
    if sql.contains("pg_settings WHERE name IN") {
        return vec![
            row(["block_size", "8192", "default"]),
            row(["max_connections", "100", "configuration file"]),
            row(["track_io_timing", "on", "configuration file"]),
        ];
    }
    if sql.contains("has_table_privilege") {
        return yes(kind.monitor);
    }
    if sql.contains("pg_config") {
        return vec![row(["CFLAGS", "-O2"])];
    }
    if sql.contains("backend_start") {
        // Long before this machine was built: no process here is as old.
        return vec![row(["86400.0", "86000.0"])];
    }
    Vec::new()
}

fn columns() -> Vec<Row> {
    let text = include_str!("../columns/15.txt");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .flat_map(|line| {
            let mut words = line.split_whitespace();
            let view = words.next().unwrap_or_default();
            words.map(|column| row([view, column])).collect::<Vec<_>>()
        })
        .collect()
}

/// A cell for each column that was asked for, as the statement has them: of each view its counters and its reset.
fn counters(sql: &str, kind: FakeServerTraits, readings: u32) -> Row {
    let reset = if readings >= kind.reset_at { "tuesday" } else { "monday" };
    let number = |n: f64| Some(format!("{}", n * f64::from(readings)));
    let (head, views) = sql.split_once(" FROM (").expect("views");
    let mut cells: Row = Vec::new();
    for view in views.split("(SELECT ") {
        let columns = view.split(", max(stats_reset)").next().unwrap_or_default();
        for column in columns.trim_start_matches("SELECT ").split(", ") {
            cells.push(match column {
                "sum(xact_commit)" => {
                    let slow = f64::from(readings.saturating_sub(kind.slow_from - 1));
                    Some(format!("{}", kind.transactions * (f64::from(readings) - 0.9 * slow)))
                }
                "sum(xact_rollback)" => number(0.0),
                // ms: of each transaction 2 ms in statements.
                "sum(active_time)" => number(2.0 * TRANSACTIONS),
                "sum(blks_read)" => number(3.0 * TRANSACTIONS),
                "sum(blk_read_time)" => number(0.5 * TRANSACTIONS),
                _ => number(10.0),
            });
        }
        cells.push(Some(reset.to_string()));
    }
    for function in head.split(", ").skip(1) {
        match function {
            function if function.contains("pg_snapshot_xmax") => cells.push(number(1000.0)),
            function if function.contains("pg_wal_lsn_diff") => cells.push(number(1e6)),
            _ => {}
        }
    }
    // Connected, ours among them.
    cells.push(Some("10".to_string()));
    cells
}
