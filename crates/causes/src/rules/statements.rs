//! What statements spend their time on, and who runs them.
//!
//! PostgreSQL documentation: pg_stat_statements; Just-in-Time Compilation; Query Planning.

use narrows_model::{
    ActivityState, Bottleneck, CauseShare, ConsumerKind, ProcessClass, SampledGroup, StatementUse,
    Urgency,
};

use crate::figures::share_of;
use crate::rules::plans;
use crate::sql::identifier;
use crate::statements::StatementLoad;
use crate::words::{age, count, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Of the time of statements, the share in compiling or planning from which on it is worth a word.
const LEAST_SHARE: f64 = 0.1;
/// Planning of less than this for each call is what any short statement has, ns.
const LONG_PLANNING_NS: f64 = 0.5e6;
/// PostgreSQL's default of `jit_above_cost`.
const JIT_ABOVE_COST: f64 = 100_000.0;
/// PostgreSQL's default of `max_worker_processes`, which is shown where it is another.
const WORKER_PROCESSES: f64 = 8.0;
/// One statement has most of what binds.
const DOMINATES: f64 = 0.5;
/// Statements of which fewer are a benchmark, or a server for one purpose: that one of them has all the time is no news.
const LEAST_STATEMENTS: usize = 3;
/// Blocks for each call of which fewer are no trouble: 8 MB, a millisecond from memory.
const MANY_BLOCKS: f64 = 1000.0;
/// Blocks for each row returned, from which on an index or another plan could leave most of them out.
const BLOCKS_PER_ROW: f64 = 10.0;
/// Calls per second from which on a statement is no report.
const OFTEN_PER_S: f64 = 0.2;
/// Share of session time of maintenance from which on it is taken for load.
const MAINTENANCE: f64 = 0.2;
/// Its share where there is hardly anything else: then it is what the server does.
const NOTHING_ELSE: f64 = 0.99;
/// Transactions per second from which on there is something else, however short its time.
const OTHERS_PER_S: f64 = 10.0;
/// Of max_parallel_workers, those running from which on statements get none.
const ALL_WORKERS: f64 = 0.9;
/// CPUs in use, of those that the server may use, from which on more workers have nothing to run on.
const ROOM: f64 = 0.7;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "jit-overhead",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Statements are compiled (jit) for longer than that saves",
        decides: "a tenth or more of the time of all statements in compiling (pg_stat_statements, 15 and later); without that figure: jit on with jit_above_cost below its default, and CPUs that are full",
        against: "Compiling pays on long scans: compare the statement with and without; a jit_above_cost set for one role isn't seen",
        reference: "PostgreSQL documentation: Just-in-Time Compilation; jit_above_cost",
        supersedes: &["statement-dominates"],
        find: jit_overhead,
    },
    CauseRule {
        id: "planning-dominates",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Statements are planned for longer than they run",
        decides: "statements with more time in planning than in execution, and 0.5 ms or more of it per call, have a tenth or more of all statements' time in planning (pg_stat_statements.track_planning)",
        against: "track_planning costs time itself where many sessions run the same statement; short statements are planned for as long as they run",
        reference: "PostgreSQL documentation: pg_stat_statements; PREPARE; plan_cache_mode",
        supersedes: &["statement-dominates"],
        find: planning_dominates,
    },
    CauseRule {
        id: "maintenance",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "A backup, dump or index build takes a part of the server beside the load",
        decides: "sessions of pg_dump, pg_basebackup and the like, or in VACUUM, CREATE INDEX, REINDEX, CLUSTER, ALTER TABLE or REFRESH, are 20 % of session time or more, and not nearly all of it with less than 10 transactions per second",
        against: "It is there on purpose, and ends",
        reference: "PostgreSQL documentation: Progress Reporting; Backup and Restore",
        supersedes: &["statement-dominates", "table-scan-report"],
        find: maintenance,
    },
    CauseRule {
        id: "parallel-workers-missing",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "All parallel workers are in use while CPUs are idle",
        decides: "parallel workers are 90 % of max_parallel_workers or more, mean, and less than 70 % of the CPUs are in use",
        against: "More workers for reports leave fewer CPUs for others",
        reference: "PostgreSQL documentation: Parallel Query; max_parallel_workers, max_worker_processes",
        supersedes: &[],
        find: parallel_workers_missing,
    },
    CauseRule {
        id: "statement-dominates",
        urgency: Urgency::Performance,
        has_reason: false,
        what: "One statement takes most of what binds, and no other rule says why",
        decides: "half or more of the CPU time where CPUs are full, or of the blocks read where reads bind, by one of three statements or more; or half of the time of all statements with a condition, 1000 blocks or more per call, 10 or more of these for each row, and a call every 5 s or more often",
        against: "It may be what the server is for: a benchmark or service of one or two statements is no news",
        reference: "PostgreSQL documentation: pg_stat_statements; Using EXPLAIN",
        supersedes: &[],
        find: statement_dominates,
    },
];

/// Of the time of all statements, planning included where it is counted.
fn all_ns(server: &ObservedServer) -> Option<f64> {
    let all = server.consumers.statements.as_ref().filter(|all| !all.reset)?;
    Some(all.all.exec_ns + all.all.plan_ns.unwrap_or(0.0))
}

fn jit_overhead(server: &ObservedServer) -> Vec<CauseDraft> {
    let books = server.consumers.statements.as_ref().filter(|all| !all.reset);
    let compiled = |used: &StatementUse| used.took.jit_ns.unwrap_or(0.0);
    let Some((books, jit_ns)) = books.and_then(|all| Some((all, all.all.jit_ns?))) else {
        return early_jit(server);
    };
    let compiling = all_ns(server).and_then(|all| share_of(jit_ns, all));
    let Some(compiling) = compiling.filter(|share| *share >= LEAST_SHARE) else {
        return Vec::new();
    };
    let Some(most) = books.list.iter().max_by(|a, b| compiled(a).total_cmp(&compiled(b))) else {
        return Vec::new();
    };
    let load = server.statements.iter().find(|load| load.id == most.id);
    let role = identifier(&most.user);
    let database = identifier(&most.database);
    let (share, gain_at_most) = server.worth_of_computing(compiling);
    vec![CauseDraft {
        summary: format!(
            "jit: statements are compiled for {} of their time, most of it: {}",
            percent(compiling),
            load.map_or(most.id.clone(), StatementLoad::words)
        ),
        evidence: joined([
            Some(format!("{} of compiling in {}", age(jit_ns), age(server.seen.interval_ns))),
            Some(format!("{} of the {} that this statement took", age(compiled(most)), age(most.took.exec_ns))),
            server.setting("jit_above_cost").map(|cost| format!("jit_above_cost = {cost}")),
        ]),
        against: "long scans may gain more than compiling takes: compare the statement with SET jit = off".to_string(),
        action: joined([
            role.as_ref().map(|role| format!("switch jit off for {role}, in sessions that connect after it")),
            database.map(|database| format!("for all of the database: ALTER DATABASE {database} SET jit = off; or raise jit_above_cost")),
        ]),
        statement: role.as_ref().map(|role| format!("ALTER ROLE {role} SET jit = off")),
        undo: role.map_or("RESET jit".to_string(), |role| format!("ALTER ROLE {role} RESET jit; for sessions that connect after it")),
        verify: "EXPLAIN (ANALYZE) of the statement: no JIT in it; narrows observe URL: time of compiling".to_string(),
        share,
        gain_at_most,
        statement_id: most.id.clone(),
        subjects: vec![draft::statement(&most.id)],
        ..CauseDraft::default()
    }]
}

/// Where nobody counts the time of compiling.
fn early_jit(server: &ObservedServer) -> Vec<CauseDraft> {
    let on = server.setting("jit") == Some("on");
    let cost = server.number("jit_above_cost").filter(|cost| (0.0..JIT_ABOVE_COST).contains(cost));
    let Some(cost) = cost.filter(|_| on && server.cpus_are_full()) else { return Vec::new() };
    vec![CauseDraft {
        summary: format!("jit from a cost of {} on, below the default of {}", count(cost), count(JIT_ABOVE_COST)),
        evidence: "the CPUs are full; the time of compiling is not counted here".to_string(),
        against: "how much of the time it takes is unknown: EXPLAIN (ANALYZE) of a frequent statement shows JIT and its timing".to_string(),
        action: "put jit_above_cost back to its default, or switch jit off for roles with short statements".to_string(),
        // A RESET takes back what ALTER SYSTEM set, and not what a configuration file sets.
        statement: Some(format!("ALTER SYSTEM SET jit_above_cost = {JIT_ABOVE_COST:.0}; SELECT pg_reload_conf()")),
        undo: format!("ALTER SYSTEM SET jit_above_cost = {cost}; SELECT pg_reload_conf()"),
        verify: "narrows observe URL: CPU time per transaction".to_string(),
        ..CauseDraft::default()
    }]
}

fn planning_dominates(server: &ObservedServer) -> Vec<CauseDraft> {
    let counted = server.consumers.statements.as_ref().is_some_and(|all| all.planning_counted);
    let Some(all) = all_ns(server).filter(|_| counted) else { return Vec::new() };
    let found = server.statements.iter().filter_map(|load| {
        let took = load.took?;
        let plan_ns = took.plan_ns.filter(|ns| *ns >= took.exec_ns)?;
        let each = load.per_call(|_| plan_ns).filter(|ns| *ns >= LONG_PLANNING_NS)?;
        let share = share_of(plan_ns, all).filter(|share| *share >= LEAST_SHARE)?;
        let (worth, gain_at_most) = server.worth_of_computing(share);
        Some(CauseDraft {
            summary: format!("planning takes {} per call, execution {}: {}", age(each), age(took.exec_ns / took.calls), load.words()),
            evidence: joined([
                Some(format!("{} of all statements' time is its planning", percent(share))),
                Some(format!("{} calls", count(took.calls))),
            ]),
            against: "track_planning costs time itself where many sessions run the same statement".to_string(),
            action: "prepare it in the driver, so that it is planned once (and plan_cache_mode = force_generic_plan for its role where plans stay the same); fewer partitions and joins in it; the partition key in WHERE".to_string(),
            undo: "the change in the application, back".to_string(),
            verify: "pg_stat_statements: total_plan_time and plans against calls".to_string(),
            share: worth,
            gain_at_most,
            statement_id: load.id.to_string(),
            subjects: vec![draft::statement(load.id)],
            ..CauseDraft::default()
        })
    });
    found.collect()
}

/// Programs that copy, check or restore whole databases, by `application_name`.
const PROGRAMS: [&str; 9] = [
    "pg_dump",
    "pg_dumpall",
    "pg_restore",
    "pg_basebackup",
    "pgbackrest",
    "barman",
    "wal-g",
    "pg_repack",
    "pg_amcheck",
];
/// Statements that maintain.
const STATEMENTS: [&str; 9] = [
    "vacuum",
    "create index",
    "create unique index",
    "reindex",
    "cluster",
    "alter table",
    "analyze",
    "refresh materialized",
    "repack",
];

fn maintenance(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(sampled) = &server.consumers.sampled else { return Vec::new() };
    let program = |group: &&SampledGroup| {
        let name = group.name.to_lowercase();
        group.kind == ConsumerKind::Application
            && PROGRAMS
                .iter()
                .any(|program| name.split([' ', '[', ':', '/']).next() == Some(program))
    };
    let programs = sampled.groups.iter().filter(program);
    // Who waits for a lock does no work: that is told by who holds it.
    let works = |group: &SampledGroup| group.active - group.of(ActivityState::Lock);
    let programs = programs.map(|group| (group.name.clone(), String::new(), works(group)));
    let of_kind = |load: &&StatementLoad| STATEMENTS.iter().any(|kind| load.parsed.begins(kind));
    let statements = server.statements.iter().filter(of_kind);
    let statements =
        statements.filter_map(|load| Some((load.words(), load.id.to_string(), works(load.group?))));
    let found = programs.chain(statements).filter_map(|(what, id, active)| {
        let share = share_of(active, sampled.active)?;
        server.active()?;
        let nothing_else = share > NOTHING_ELSE && server.rate().is_none_or(|rate| rate < OTHERS_PER_S);
        if share < MAINTENANCE || nothing_else {
            return None;
        }
        Some(CauseDraft {
            summary: format!("maintenance beside the load: {what}"),
            evidence: format!("{} of session time", percent(share)),
            against: "it is there on purpose, and ends; what is slow because of it is fast again then".to_string(),
            action: "move it to a time with less load, or limit it: pg_basebackup --max-rate, pg_dump from a standby, fewer jobs (-j), vacuum_cost_delay, max_parallel_maintenance_workers".to_string(),
            undo: "nothing to take back".to_string(),
            verify: "narrows observe URL when it has ended".to_string(),
            share: Some((CauseShare::SessionTime, share)),
            subjects: if id.is_empty() { Vec::new() } else { vec![draft::statement(&id)] },
            statement_id: id,
            ..CauseDraft::default()
        })
    });
    found.collect()
}

fn parallel_workers_missing(server: &ObservedServer) -> Vec<CauseDraft> {
    let found =
        server.seen.activity.found.iter().filter(|f| f.class == ProcessClass::ParallelWorker);
    let workers: f64 = found.map(|found| found.processes).sum();
    let most = server.number("max_parallel_workers").filter(|most| *most >= 1.0);
    let room = server.cpus_in_use().filter(|share| *share < ROOM);
    let (Some(most), Some(in_use), Some(_)) = (most, room, server.active()) else {
        return Vec::new();
    };
    if workers < ALL_WORKERS * most {
        return Vec::new();
    }
    // Not more than there are CPUs, nor than the server has places for.
    let places = server.number("max_worker_processes").unwrap_or(WORKER_PROCESSES);
    let cpus = server.cpus().map(f64::floor).filter(|cpus| *cpus > most);
    let workers_then = cpus.map(|cpus| cpus.min(places)).filter(|then| *then > most);
    vec![CauseDraft {
        summary: format!("all {most:.0} parallel workers are in use, and {} of the CPUs", percent(in_use)),
        evidence: format!("{workers:.1} workers, mean; max_parallel_workers = {most:.0}"),
        against: "statements that get no worker run alone and take longer, but no more CPU time; others may need the idle CPUs".to_string(),
        action: match (cpus, workers_then) {
            (_, Some(_)) => "raise max_parallel_workers up to the number of CPUs (max_worker_processes limits it too, and needs a restart)",
            (Some(_), None) => "raise max_worker_processes, which has no more places (a restart), and max_parallel_workers with it, up to the number of CPUs",
            (None, None) => "there are as many workers as CPUs, or nothing tells how many CPUs there are: fewer workers for each statement (max_parallel_workers_per_gather) leave some to others",
        }
        .to_string(),
        statement: workers_then.map(|then| format!("ALTER SYSTEM SET max_parallel_workers = {then:.0}; SELECT pg_reload_conf()")),
        undo: match workers_then {
            Some(_) => format!("ALTER SYSTEM SET max_parallel_workers = {most:.0}; SELECT pg_reload_conf()"),
            None => "the old values of these settings, back".to_string(),
        },
        verify: "EXPLAIN (ANALYZE): Workers Launched against Workers Planned".to_string(),
        ..CauseDraft::default()
    }]
}

fn statement_dominates(server: &ObservedServer) -> Vec<CauseDraft> {
    let several = server.statements.len() >= LEAST_STATEMENTS;
    let reads_bind = server.is_bound_by(&[
        Bottleneck::ReadRate,
        Bottleneck::ReadBandwidth,
        Bottleneck::ReadLatency,
    ]);
    let found = server.statements.iter().filter(|load| {
        let most = |share: Option<f64>| share.is_some_and(|share| share >= DOMINATES);
        let of_cpu = server.cpus_are_full() && most(load.running.or(load.time));
        let of_reads = reads_bind && most(load.reads);
        let blocks = load.per_call(|took| took.blocks_hit + took.blocks_read);
        let rows = load.per_call(|took| took.rows).unwrap_or(0.0).max(1.0);
        let rate = server.seen.per_s(load.took.map(|took| took.calls));
        let wide = blocks.is_some_and(|n| n >= MANY_BLOCKS && n >= BLOCKS_PER_ROW * rows)
            && rate.is_some_and(|rate| rate >= OFTEN_PER_S)
            && (load.text.is_none() || load.parsed.has_a_condition());
        (several && (of_cpu || of_reads)) || (wide && most(load.time))
    });
    let drafts = found.map(|load| {
        let (share, gain_at_most) = server.worth_of(&[load]);
        let of = share.map_or(String::new(), |(of, share)| format!("{} {}", percent(share), of.words()));
        CauseDraft {
            summary: format!("one statement takes {}: {}", if of.is_empty() { "most of it" } else { &of }, load.words()),
            evidence: joined([
                load.used.map(|used| used.user.clone()).filter(|u| !u.is_empty()).map(|user| format!("user {user}")),
                server.seen.per_s(load.took.map(|took| took.calls)).map(|rate| format!("{} calls per second", count(rate))),
                load.per_call(|took| took.exec_ns).map(|ns| format!("{} each", age(ns))),
                load.per_call(|took| took.blocks_hit + took.blocks_read).map(|n| format!("{} blocks each", count(n))),
                load.per_call(|took| took.rows).map(|n| format!("{} rows each", count(n))),
                plans::outline(server, load.id),
            ]),
            against: "it may be what the server is for, and its plan the best there is".to_string(),
            action: "look at its plan with typical values: EXPLAIN (ANALYZE, BUFFERS), in a transaction that is rolled back where it changes rows; ask who calls it so often".to_string(),
            undo: "nothing to take back".to_string(),
            verify: "narrows observe URL: its share, and what a call takes".to_string(),
            share,
            gain_at_most,
            statement_id: load.id.to_string(),
            subjects: vec![draft::statement(load.id)],
            ..CauseDraft::default()
        }
    });
    drafts.collect()
}
