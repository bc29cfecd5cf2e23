//! Dead rows: who keeps them, who doesn't remove them, and what removing them costs.
//!
//! PostgreSQL documentation: Routine Vacuuming.

use narrows_model::{
    HorizonHolder, HorizonKind, ProcessClass, TableUse, Urgency, cancels_in_transaction,
    ends_transaction_between_statements,
};

use crate::figures::share_of;
use crate::rules::locks::{PREPARED, prepared_way_out};
use crate::sql::{TableName, literal};
use crate::statements::StatementLoad;
use crate::words::{age, count, excerpt, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Dead rows of which fewer are no trouble in any table.
const LEAST_DEAD: f64 = 10_000.0;
/// Of the blocks of all tables, the share that a table takes whose dead rows matter.
const MOST_BLOCKS: f64 = 0.3;
/// Vacuumed less than so long ago, and still dead: the next vacuum is due, s.
const JUST_VACUUMED_S: f64 = 60.0;
/// A snapshot held for less long is a statement's, ns.
const HELD_NS: f64 = 10e9;
/// Held for so long it is worth a word beside a vacuum that is due, ns.
const SOME_NS: f64 = 5e9;
/// Transactions since a snapshot that has no age, of which fewer are a moment.
const HELD_TRANSACTIONS: f64 = 10_000.0;
/// Held for so long, it counts where dead rows are a part of a table only, ns.
const HELD_LONG_NS: f64 = 600e9;
const HELD_LONG_TRANSACTIONS: f64 = 1e6;
/// Dead rows over live ones from which on autovacuum would act: its default.
const DUE: f64 = 0.2;
/// Of the server's CPU time, the share of autovacuum from which on others notice.
const AUTOVACUUM_CPU: f64 = 0.2;
/// The same of its workers.
const ALL_WORKERS: f64 = 0.9;

const VACUUM: &str = "PostgreSQL documentation: Routine Vacuuming";

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "horizon-held",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "An old snapshot keeps vacuum from removing dead rows that statements read",
        decides: "a holder of 10 s (slot, standby: 10,000 transactions) or more beside a table with as many dead rows as live ones, 10,000 or more, that takes 30 % of the blocks; or of 10 min (1 million transactions) or more beside a table with a fifth as many, while rows are changed",
        against: "Without dead rows an old snapshot costs nothing; a statement may be wanted and end soon",
        reference: "PostgreSQL documentation: Routine Vacuuming; pg_stat_activity.backend_xmin; transaction_timeout",
        supersedes: &["dead-rows", "autovacuum-busy", "statement-dominates", "statistics-stale"],
        find: horizon_held,
    },
    CauseRule {
        id: "dead-rows",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "A table has more dead rows than live ones, and statements read through them",
        decides: "10,000 dead rows or more, as many as live ones; 30 % of the blocks of all tables or more; not vacuumed for a minute",
        against: "Counts of rows are estimates; a queue of few rows has many dead ones all the time",
        reference: VACUUM,
        supersedes: &["statement-dominates", "shared-buffers-small"],
        find: dead_rows,
    },
    CauseRule {
        id: "autovacuum-busy",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Autovacuum takes CPU time from sessions, or all its workers are busy",
        decides: "autovacuum takes 20 % of the server's CPU time or more while CPUs are full; or all autovacuum_max_workers are busy, 90 % of the time",
        against: "It removes what others leave: less of it comes back as dead rows; to prevent wraparound it must not be stopped",
        reference: "PostgreSQL documentation: Routine Vacuuming, The Autovacuum Daemon; autovacuum_vacuum_cost_delay",
        supersedes: &[],
        find: autovacuum_busy,
    },
    CauseRule {
        id: "autovacuum-off",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "Autovacuum is off, for the server or for a table that changes",
        decides: "`autovacuum` is off; or a table with autovacuum_enabled = false has 10,000 dead rows or more, a fifth of its live ones",
        against: "Somebody may vacuum by hand, at night",
        reference: "PostgreSQL documentation: Routine Vacuuming, The Autovacuum Daemon",
        supersedes: &[],
        find: autovacuum_off,
    },
];

/// Of the blocks of all tables, those of one.
fn block_share(server: &ObservedServer, table: &TableUse) -> Option<f64> {
    let of = |table: &TableUse| table.blocks_hit + table.blocks_read;
    share_of(of(table), server.tables().map(of).sum())
}

/// Whether statements read through dead rows.
fn is_mostly_dead(server: &ObservedServer, table: &TableUse) -> bool {
    let many = table.dead_rows >= LEAST_DEAD && table.dead_rows >= table.live_rows;
    many && block_share(server, table).is_some_and(|share| share >= MOST_BLOCKS)
}

fn holds_for(holder: &HorizonHolder, ns: f64, transactions: f64) -> bool {
    match holder.age_ns {
        Some(age) => age >= ns,
        None => holder.transactions >= transactions,
    }
}

/// What has held the horizon for long enough, the oldest.
fn holder<'a>(
    server: &ObservedServer<'a>,
    ns: f64,
    transactions: f64,
) -> Option<&'a HorizonHolder> {
    let holders = server.consumers.horizon.iter();
    let old = holders.filter(|holder| holds_for(holder, ns, transactions));
    old.max_by(|a, b| a.transactions.total_cmp(&b.transactions))
}

fn holder_words(holder: &HorizonHolder) -> String {
    let age = holder.age_ns.map_or(String::new(), |ns| format!(" of {} ago", age(ns)));
    let names: Vec<&str> = [&holder.user, &holder.application]
        .iter()
        .map(|n| n.as_str())
        .filter(|n| !n.is_empty())
        .collect();
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    match holder.kind {
        HorizonKind::Session => {
            let state = if holder.state.is_empty() {
                String::new()
            } else {
                format!(", {},", holder.state)
            };
            format!("pid {}{names}{state} with a snapshot{age}", holder.name)
        }
        HorizonKind::Prepared => {
            format!("prepared transaction {} with a snapshot{age}", holder.name)
        }
        HorizonKind::Slot => format!("replication slot {} with an old snapshot", holder.name),
        HorizonKind::Standby => {
            format!("standby {} (hot_standby_feedback) with an old snapshot", holder.name)
        }
    }
}

/// What ends it: in words, the statement, and what takes that back.
fn way_out(holder: &HorizonHolder) -> (String, Option<String>, String) {
    let name = literal(&holder.name);
    match holder.kind {
        HorizonKind::Session => {
            let known = holder.name.parse::<u32>().ok().zip(holder.age_ns);
            let idle = holder.state.starts_with("idle in transaction");
            let statement = known.and_then(|(pid, ns)| match holder.state.as_str() {
                _ if idle => Some(ends_transaction_between_statements(pid, ns)),
                "active" => Some(cancels_in_transaction(pid, ns)),
                _ => None,
            });
            let lasting =
                if idle { "idle_in_transaction_session_timeout" } else { "statement_timeout" };
            let lasting =
                format!("lasting: {lasting}, from 17 on transaction_timeout, for its role");
            let what = if idle {
                format!("end the session of pid {}", holder.name)
            } else {
                format!(
                    "decide whether the statement of pid {} is worth it, and cancel it",
                    holder.name
                )
            };
            (
                format!("{what}; {lasting}"),
                statement,
                "none: its transaction is rolled back".to_string(),
            )
        }
        HorizonKind::Prepared => (
            prepared_way_out(name.as_deref()),
            Some(PREPARED.to_string()),
            "none: what is rolled back is lost, and what is committed stays".to_string(),
        ),
        // A slot in use can't be dropped.
        HorizonKind::Slot if holder.state == "inactive" => (
            "bring its consumer back; where that is gone for good, drop the slot".to_string(),
            name.map(|name| format!("SELECT pg_drop_replication_slot({name})")),
            "none: the consumer has to be made anew".to_string(),
        ),
        HorizonKind::Slot => (
            format!(
                "{}: SELECT * FROM pg_stat_replication; it holds rows because it sends the oldest snapshot of the other side (hot_standby_feedback)",
                if holder.state == "active" {
                    "its consumer is connected and slow, or runs a long query"
                } else {
                    "see whether its consumer is connected, slow, or runs a long query"
                }
            ),
            None,
            "nothing to take back".to_string(),
        ),
        HorizonKind::Standby => (
            "end the long query on the standby, or set hot_standby_feedback = off there"
                .to_string(),
            None,
            "hot_standby_feedback = on again; without it queries on the standby may be cancelled"
                .to_string(),
        ),
    }
}

fn horizon_held(server: &ObservedServer) -> Vec<CauseDraft> {
    let worst = |is_one: &dyn Fn(&TableUse) -> bool| {
        let tables = server.tables().filter(|table| is_one(table));
        tables.max_by(|a, b| a.dead_rows.total_cmp(&b.dead_rows))
    };
    let changed = |table: &TableUse| table.updated + table.deleted >= 1.0;
    let a_part = |table: &TableUse| {
        table.dead_rows >= LEAST_DEAD && table.dead_rows >= DUE * table.live_rows && changed(table)
    };
    let mostly = holder(server, HELD_NS, HELD_TRANSACTIONS)
        .zip(worst(&|table| is_mostly_dead(server, table)));
    let long = || holder(server, HELD_LONG_NS, HELD_LONG_TRANSACTIONS).zip(worst(&a_part));
    let Some((holder, table)) = mostly.or_else(long) else { return Vec::new() };
    let statements = reads_of(server, table);
    let (share, gain_at_most) = server.worth_of_part(&statements, dead_part(table));
    let (action, statement, undo) = way_out(holder);
    let mut subjects = vec![draft::table(&table.name)];
    subjects.extend(statements.iter().map(|load| draft::statement(load.id)));
    if holder.kind == HorizonKind::Session {
        subjects.push(draft::session(&holder.name));
    }
    vec![CauseDraft {
        summary: format!(
            "{} keeps {} dead rows of {} ({} live) from being removed",
            holder_words(holder), count(table.dead_rows), table.name, count(table.live_rows)
        ),
        evidence: joined([
            Some(format!("{} transactions since", count(holder.transactions))),
            block_share(server, table).map(|share| format!("{} takes {} of the blocks of all tables", table.name, percent(share))),
            table.vacuum_age_s.map(|s| format!("last vacuum {} ago", age(s * 1e9))),
            holder.text.as_deref().map(|text| format!("its statement: {}", excerpt(text))),
        ]),
        against: "a wanted report may hold it and end soon; VACUUM, or other settings of autovacuum, gain nothing until it does".to_string(),
        action: format!("{action}; then VACUUM {}", table.name),
        statement,
        undo,
        verify: "VACUUM (VERBOSE) of the table: dead but not yet removable: 0; narrows observe URL: blocks per transaction".to_string(),
        share,
        gain_at_most,
        subjects,
        ..CauseDraft::default()
    }]
}

/// Of what a scan of the table reads, the dead part.
fn dead_part(table: &TableUse) -> f64 {
    share_of(table.dead_rows, table.dead_rows + table.live_rows).unwrap_or(0.0)
}

/// Statements that read the table.
fn reads_of<'b, 'a>(
    server: &'b ObservedServer<'a>,
    table: &TableUse,
) -> Vec<&'b StatementLoad<'a>> {
    let name = TableName::parse(&table.name);
    let reads = |load: &&StatementLoad| {
        name.as_ref().is_some_and(|name| load.names(name)) && !load.parsed.begins("insert")
    };
    server.statements.iter().filter(reads).collect()
}

fn dead_rows(server: &ObservedServer) -> Vec<CauseDraft> {
    let held =
        server.consumers.horizon.iter().max_by(|a, b| a.transactions.total_cmp(&b.transactions));
    let held = held.filter(|holder| holds_for(holder, SOME_NS, HELD_TRANSACTIONS));
    let found = server.tables().filter(|table| is_mostly_dead(server, table)).filter_map(|table| {
        if table.vacuum_age_s.is_some_and(|age| age < JUST_VACUUMED_S) {
            return None;
        }
        let statements = reads_of(server, table);
        let (share, gain_at_most) = server.worth_of_part(&statements, dead_part(table));
        let off = table.autovacuum_off || server.setting("autovacuum") == Some("off");
        let last = table.vacuum_age_s.map_or("never".to_string(), |s| format!("{} ago", age(s * 1e9)));
        let name = TableName::parse(&table.name).and_then(|name| name.quoted());
        let mut subjects = vec![draft::table(&table.name)];
        subjects.extend(statements.iter().map(|load| draft::statement(load.id)));
        Some(CauseDraft {
            summary: format!("{} has {} dead rows beside {} live ones", table.name, count(table.dead_rows), count(table.live_rows)),
            evidence: joined([
                block_share(server, table).map(|share| format!("{} of the blocks of all tables", percent(share))),
                Some(format!("last vacuum: {last}")),
                off.then(|| "autovacuum is off for it".to_string()),
                statements.first().map(|load| load.words()),
            ]),
            against: match held {
                Some(holder) => format!("{}: what died since stays until that ends, and a vacuum before gains nothing of it", holder_words(holder)),
                None => "rows are counted by estimates; pages stay in the table and are used again (VACUUM FULL or pg_repack give them back)".to_string(),
            },
            action: joined([
                held.map(|holder| way_out(holder).0),
                Some(format!("vacuum it {}; lasting: a lower autovacuum_vacuum_scale_factor for it", if held.is_some() { "then" } else { "now" })),
                off.then(|| "switch autovacuum on again".to_string()),
            ]),
            // Not while it would remove nothing.
            statement: name.filter(|_| held.is_none()).map(|name| format!("VACUUM (ANALYZE, VERBOSE) {name}")),
            undo: "nothing to take back; settings of the table: ALTER TABLE … RESET (autovacuum_vacuum_scale_factor)".to_string(),
            verify: "VACUUM's own output: dead but not yet removable; narrows observe URL: blocks per transaction".to_string(),
            share,
            gain_at_most,
            statement_id: statements.first().map_or(String::new(), |load| load.id.to_string()),
            subjects,
            ..CauseDraft::default()
        })
    });
    found.collect()
}

fn autovacuum_busy(server: &ObservedServer) -> Vec<CauseDraft> {
    let cpu = server.cpu_share(|class| class == ProcessClass::Autovacuum);
    let cpu = cpu.filter(|share| *share >= AUTOVACUUM_CPU && server.cpus_are_full());
    let workers = server.busy_of(ProcessClass::Autovacuum);
    let most = server.number("autovacuum_max_workers").unwrap_or(3.0).max(1.0);
    let all = server.active().is_some() && workers >= ALL_WORKERS * most;
    let (share, gain_at_most) = match cpu {
        Some(share) => server.worth_of_cpu(share),
        None if all => (None, None),
        None => return Vec::new(),
    };
    vec![CauseDraft {
        summary: match cpu {
            Some(share) => format!("autovacuum takes {} of the server's CPU time", percent(share)),
            None => format!("all {most:.0} autovacuum workers are busy: tables wait for their vacuum"),
        },
        evidence: format!("{workers:.1} of {most:.0} workers busy, mean"),
        against: "it removes what statements leave: less of it comes back as dead rows; one that prevents wraparound must not be stopped".to_string(),
        action: if cpu.is_some() {
            "see which table (pg_stat_progress_vacuum) and why so often; autovacuum_vacuum_cost_limit lower, or autovacuum_vacuum_cost_delay higher, spreads it over time"
        } else {
            "let each worker do more: autovacuum_vacuum_cost_limit higher; more workers share one limit and are no faster. Partitions let tables be vacuumed apart"
        }
        .to_string(),
        undo: match server.number("autovacuum_vacuum_cost_limit") {
            Some(limit) => format!("ALTER SYSTEM SET autovacuum_vacuum_cost_limit = {limit:.0}; SELECT pg_reload_conf(); the delay likewise"),
            None => "the old values of these settings, back; SELECT pg_reload_conf()".to_string(),
        },
        verify: "SELECT * FROM pg_stat_progress_vacuum; narrows observe URL: CPU time of autovacuum".to_string(),
        share,
        gain_at_most,
        ..CauseDraft::default()
    }]
}

fn autovacuum_off(server: &ObservedServer) -> Vec<CauseDraft> {
    if server.setting("autovacuum") == Some("off") {
        return vec![CauseDraft {
            summary: "autovacuum is off for the whole server".to_string(),
            evidence: "autovacuum = off".to_string(),
            against: "somebody may vacuum by hand; against wraparound it starts all the same"
                .to_string(),
            action: "switch it on; where it was too loud, limit its cost instead".to_string(),
            statement: Some(
                "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf()".to_string(),
            ),
            undo: "ALTER SYSTEM SET autovacuum = off; SELECT pg_reload_conf()".to_string(),
            verify: "SELECT relname, last_autovacuum, n_dead_tup FROM pg_stat_user_tables"
                .to_string(),
            ..CauseDraft::default()
        }];
    }
    let off = |table: &&TableUse| {
        table.autovacuum_off
            && table.dead_rows >= LEAST_DEAD
            && table.dead_rows >= DUE * table.live_rows
    };
    let found = server.tables().filter(off).map(|table| {
        let name = TableName::parse(&table.name).and_then(|name| name.quoted());
        CauseDraft {
            summary: format!(
                "autovacuum is off for {}, which has {} dead rows",
                table.name,
                count(table.dead_rows)
            ),
            evidence: format!(
                "{} live rows, {} changed since the last analyze",
                count(table.live_rows),
                count(table.changed_since_analyze)
            ),
            against: "somebody may vacuum it by hand".to_string(),
            action: "switch it on for the table".to_string(),
            statement: name
                .as_ref()
                .map(|name| format!("ALTER TABLE {name} RESET (autovacuum_enabled)")),
            undo: name.map_or("nothing to take back".to_string(), |name| {
                format!("ALTER TABLE {name} SET (autovacuum_enabled = false)")
            }),
            verify: "SELECT relname, last_autovacuum, n_dead_tup FROM pg_stat_user_tables"
                .to_string(),
            subjects: vec![draft::table(&table.name)],
            ..CauseDraft::default()
        }
    });
    found.collect()
}
