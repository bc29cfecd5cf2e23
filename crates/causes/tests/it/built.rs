//! Servers as they are observed: a healthy one, and what changes it.

use narrows_model::{
    Activity, ActivityState, ActivityWhere, Bottleneck, ClassUse, ConsumerKind, Consumers,
    FileSystemRoom, Grade, HorizonHolder, HorizonKind, IndexUse, Layer, LiveSetting, Measurement,
    MetricValue, Observation, ObservedCounts, ObservedProcesses, ObservedSessions, OperatingPoint,
    Plan, PlanNode, Platform, ProcessClass, QueuedSession, Reserves, Role, Run, SampledConsumers,
    SampledGroup, SequenceUse, StatementFigures, StatementPlan, StatementStatistics, StatementUse,
    TableUse, TriedIndex, Verdict, metric,
};

pub const ID: &str = "database.observed";
pub const MINUTE_NS: f64 = 60e9;

/// A minute of a server of 8 CPUs with 2000 transactions per second and room everywhere.
pub fn healthy() -> Run {
    let mut m = Measurement::new(ID, Layer::Database);
    m.metrics.push(MetricValue::new(metric::THROUGHPUT, 2000.0, None, Vec::new()));
    let mut run = Run::blank(Plan::default(), Platform::default());
    run.measurements.push(m);
    run.observations.push(observation());
    run.verdicts.push(verdict());
    run
}

fn observation() -> Observation {
    Observation {
        measurement: ID.into(),
        address: "postgres://app@db7:5432/shop".into(),
        version: "17.2".into(),
        interval_ns: MINUTE_NS,
        load_change: None,
        windows: 6,
        counted: ObservedCounts {
            commits: Some(120e3),
            rollbacks: Some(100.0),
            writers: Some(60e3),
            block_hits: Some(990e3),
            block_reads: Some(10e3),
            read_ns: Some(10e3 * 20e3),
            temp_files: Some(0.0),
            temp_bytes: Some(0.0),
            deadlocks: Some(0.0),
            connections: Some(10.0),
            log_bytes: Some(60e6),
            full_pages: Some(100.0),
            flushes: Some(30e3),
            flush_ns: Some(30e3 * 1e6),
            checkpoints_timed: Some(1.0),
            checkpoints_requested: Some(0.0),
            ..ObservedCounts::default()
        },
        activity: Activity { samples: 1000, ..Activity::default() },
        sessions: ObservedSessions {
            open: Some(40.0),
            most_open: Some(44.0),
            allowed: Some(100.0),
            log_senders: Some(1.0),
            ..ObservedSessions::default()
        },
        consumers: Some(Consumers { database: "shop".into(), ..Consumers::default() }),
        processes: Some(ObservedProcesses {
            classes: vec![
                ClassUse { class: ProcessClass::Session, cpus: 2.0, run_queue: Some(0.1) },
                ClassUse { class: ProcessClass::Autovacuum, cpus: 0.05, run_queue: Some(0.0) },
            ],
            hot: None,
            machine_cpus: 2.5,
            kernel_cpus: Some(0.2),
            other_cpus: Some(0.1),
            unattributed_cpus: None,
            client_cpus: None,
            yielding_cpus: None,
            other_programs: Vec::new(),
            allowed_cpus: 8.0,
            quota_cpus: None,
            throttled_share: None,
            drive_read_bytes: None,
        }),
        settings: Vec::new(),
        build: Vec::new(),
        capacities_from: Vec::new(),
        report: None,
        cost: Default::default(),
        unknown: Vec::new(),
    }
}

/// It waits for its clients.
fn verdict() -> Verdict {
    Verdict {
        workload: "observed".into(),
        measurement: ID.into(),
        operating_point: OperatingPoint { sessions: 40, think_ns: 0.0, workers: None },
        throughput_per_s: 2000.0,
        throughput_interval_95: None,
        latency_p99_open_ns: None,
        narrow: Bottleneck::Client,
        or: None,
        phrase: String::new(),
        grade: Grade::Likely,
        reasons: Vec::new(),
        utilisation: Vec::new(),
        bounds: Vec::new(),
        sum: None,
        sharing: None,
        test: None,
        next: Vec::new(),
        gain_at_most: None,
        gain_tested: None,
        standing: None,
        what_if: Vec::new(),
    }
}

pub fn seen(run: &mut Run) -> &mut Observation {
    &mut run.observations[0]
}

pub fn counted(run: &mut Run) -> &mut ObservedCounts {
    &mut seen(run).counted
}

pub fn consumers(run: &mut Run) -> &mut Consumers {
    seen(run).consumers.get_or_insert_default()
}

pub fn processes(run: &mut Run) -> &mut ObservedProcesses {
    seen(run).processes.as_mut().expect("a server that can be seen")
}

pub fn set(run: &mut Run, name: &str, value: &str) {
    let settings = &mut seen(run).settings;
    settings.retain(|setting| setting.name != name);
    let source = "configuration file".into();
    settings.push(LiveSetting { name: name.into(), value: value.into(), source });
}

pub fn bound_by(run: &mut Run, narrow: Bottleneck) {
    run.verdicts[0].narrow = narrow;
}

/// All CPUs busy, by sessions.
pub fn full_cpus(run: &mut Run) {
    let processes = processes(run);
    processes.classes[0].cpus = 7.4;
    processes.machine_cpus = 7.9;
    bound_by(run, Bottleneck::Cpu);
}

/// So many sessions in a state, at one event.
pub fn at(run: &mut Run, state: ActivityState, sessions: f64, event: &str) {
    of_class(run, ProcessClass::Session, state, sessions, event);
}

pub fn of_class(run: &mut Run, class: ProcessClass, state: ActivityState, n: f64, event: &str) {
    let found = &mut seen(run).activity.found;
    let events = if event.is_empty() { Vec::new() } else { vec![(event.to_string(), n)] };
    match found.iter_mut().find(|found| found.class == class && found.state == state) {
        Some(found) => {
            found.processes += n;
            found.events.extend(events);
        }
        None => found.push(ActivityWhere {
            class,
            state,
            processes: n,
            interval_95: None,
            windows: Vec::new(),
            events,
        }),
    }
}

pub fn running(run: &mut Run, sessions: f64) {
    at(run, ActivityState::Running, sessions, "");
}

/// A statement of `app` in `shop` that `pg_stat_statements` counted.
pub fn statement(run: &mut Run, id: &str, text: &str, took: StatementFigures) {
    let books = consumers(run).statements.get_or_insert_default();
    books.counted += 1;
    books.all = sum(&books.all, &took);
    books.list.push(StatementUse {
        id: id.into(),
        user: "app".into(),
        database: "shop".into(),
        text: Some(text.into()),
        took,
        before: None,
    });
}

fn sum(a: &StatementFigures, b: &StatementFigures) -> StatementFigures {
    let both = |a: Option<f64>, b: Option<f64>| a.map_or(b, |a| Some(a + b.unwrap_or(0.0)));
    StatementFigures {
        calls: a.calls + b.calls,
        exec_ns: a.exec_ns + b.exec_ns,
        plan_ns: both(a.plan_ns, b.plan_ns),
        rows: a.rows + b.rows,
        blocks_hit: a.blocks_hit + b.blocks_hit,
        blocks_read: a.blocks_read + b.blocks_read,
        temp_blocks: a.temp_blocks + b.temp_blocks,
        temp_ns: both(a.temp_ns, b.temp_ns),
        jit_ns: both(a.jit_ns, b.jit_ns),
        ..*a
    }
}

/// Calls of so many ns each, one row and four blocks from memory each.
pub fn calls(calls: f64, each_ns: f64) -> StatementFigures {
    StatementFigures {
        calls,
        exec_ns: calls * each_ns,
        rows: calls,
        blocks_hit: 4.0 * calls,
        ..StatementFigures::default()
    }
}

pub fn books(run: &mut Run) -> &mut StatementStatistics {
    consumers(run).statements.get_or_insert_default()
}

/// A group of sampled sessions, in a state and at an event.
pub fn group(
    run: &mut Run,
    kind: ConsumerKind,
    name: &str,
    state: ActivityState,
    n: f64,
    event: &str,
) {
    let sampled = consumers(run).sampled.get_or_insert(SampledConsumers {
        samples: 1000,
        executions: 1000,
        ..SampledConsumers::default()
    });
    if kind == ConsumerKind::Statement && state.is_at_work() {
        sampled.active += n;
    }
    let events = if event.is_empty() { Vec::new() } else { vec![(event.to_string(), n)] };
    sampled.groups.push(SampledGroup {
        kind,
        name: name.into(),
        active: n,
        interval_95: None,
        states: vec![(state, n)],
        events,
    });
}

pub fn table(run: &mut Run, table: TableUse) {
    consumers(run).tables.push(table);
}

/// A table of 100,000 rows that lookups by its index read.
pub fn orders() -> TableUse {
    TableUse {
        name: "public.orders".into(),
        blocks: Some(2000.0),
        live_rows: 100e3,
        dead_rows: 2000.0,
        changed_since_analyze: 3000.0,
        index_scans: 100e3,
        index_rows: 100e3,
        updated: 20e3,
        hot_updated: 18e3,
        blocks_hit: 400e3,
        blocks_read: 1000.0,
        vacuum_age_s: Some(600.0),
        analyze_age_s: Some(600.0),
        ..TableUse::default()
    }
}

/// A plan of statement `1` that reads orders by one node.
pub fn plan(run: &mut Run, kind: &str, index: Option<&str>, filter: &str, equal: &[&str]) {
    let scan = PlanNode {
        depth: 1,
        kind: kind.into(),
        table: Some("public.orders".into()),
        index: index.map(str::to_string),
        index_condition: index.map(|_| "(orders.customer = $1)".into()),
        filter: (!filter.is_empty()).then(|| filter.into()),
        filtered_equal: equal.iter().map(|column| column.to_string()).collect(),
        rows: 1.0,
        cost: 12_100.0,
    };
    let gather = PlanNode { kind: "Gather".into(), cost: 12_100.0, ..PlanNode::default() };
    consumers(run).plans.push(StatementPlan {
        id: "1".into(),
        cost: 12_100.0,
        nodes: vec![gather, scan],
        tried: None,
    });
}

/// HypoPG tried an index for that plan.
pub fn tried(run: &mut Run, columns: &str, used: bool, cost: f64) {
    let plan = consumers(run).plans.last_mut().expect("a plan");
    let table = "public.orders".into();
    plan.tried = Some(TriedIndex { table, columns: columns.into(), used, cost });
}

/// An index of orders with so many scans of so many entries.
pub fn index(run: &mut Run, scans: f64, entries: f64) -> &mut IndexUse {
    let indexes = &mut consumers(run).indexes;
    indexes.push(IndexUse {
        name: "public.orders_customer".into(),
        table: "public.orders".into(),
        columns: "customer".into(),
        blocks: Some(2000.0),
        expected_blocks: Some(1900.0),
        scans,
        entries_read: scans * entries,
        rows_fetched: scans * entries,
        scans_ever: 1e6,
        statistics_age_s: Some(30.0 * 86_400.0),
        ..IndexUse::default()
    });
    indexes.last_mut().expect("just pushed")
}

/// The sequence of a column, that has given so many of its numbers.
pub fn sequence(run: &mut Run, last: f64, largest: f64, of_column: bool) {
    consumers(run).sequences.push(SequenceUse {
        name: "public.orders_id_seq".into(),
        table: "public.orders".into(),
        column: "id".into(),
        column_type: if of_column { "integer" } else { "bigint" }.into(),
        last,
        largest,
        of_column,
        given: 6000.0,
    });
}

pub fn queued(run: &mut Run, session: QueuedSession) {
    let consumers = consumers(run);
    consumers.lock_queue.push(session);
    consumers.lock_queue_age_ns.get_or_insert(1e9);
}

/// A session of `app` in a queue.
pub fn session(pid: u32, behind: &[u32], state: &str, age_s: f64) -> QueuedSession {
    QueuedSession {
        pid,
        behind: behind.to_vec(),
        state: state.into(),
        state_age_ns: Some(age_s * 1e9),
        transaction_age_ns: Some(age_s * 1e9),
        user: "app".into(),
        application: "pgbench".into(),
        text: Some("UPDATE accounts SET balance = balance + $1 WHERE id = $2".into()),
        ..QueuedSession::default()
    }
}

/// One that waits for a row, behind another.
pub fn waiter(pid: u32, behind: u32) -> QueuedSession {
    QueuedSession {
        waits_for: Some("Lock:transactionid".into()),
        mode: Some("ShareLock".into()),
        table: Some("public.accounts".into()),
        ..session(pid, &[behind], "active", 4.0)
    }
}

/// An ALTER TABLE behind a session, with a reader behind it.
pub fn ddl(run: &mut Run, behind: u32, age_s: f64) {
    queued(
        run,
        QueuedSession {
            waits_for: Some("Lock:relation".into()),
            mode: Some("AccessExclusiveLock".into()),
            table: Some("public.orders".into()),
            text: Some("ALTER TABLE orders ADD note text".into()),
            ..session(50, &[behind], "active", age_s)
        },
    );
    for pid in [51, 52] {
        queued(
            run,
            QueuedSession {
                waits_for: Some("Lock:relation".into()),
                mode: Some("AccessShareLock".into()),
                table: Some("public.orders".into()),
                ..session(pid, &[50], "active", 1.0)
            },
        );
    }
}

pub fn holder(
    kind: HorizonKind,
    name: &str,
    age_ns: Option<f64>,
    transactions: f64,
) -> HorizonHolder {
    HorizonHolder {
        kind,
        name: name.into(),
        transactions,
        age_ns,
        state: if kind == HorizonKind::Session {
            "idle in transaction".into()
        } else {
            String::new()
        },
        ..HorizonHolder::default()
    }
}

pub fn reserves(run: &mut Run) -> &mut Reserves {
    consumers(run).reserves.get_or_insert_default()
}

pub fn file_systems(run: &mut Run) -> &mut Vec<FileSystemRoom> {
    &mut reserves(run).file_systems
}

/// One file system of 100 GB for all, with so much left.
pub fn room(run: &mut Run, available_bytes: f64) {
    let roles = vec![Role::Data, Role::Wal];
    let room =
        FileSystemRoom { roles, total_bytes: 1e11, available_bytes, ..FileSystemRoom::default() };
    file_systems(run).push(room);
}

/// No transaction ends.
pub fn nothing_ends(run: &mut Run) {
    (counted(run).commits, counted(run).rollbacks) = (Some(0.0), Some(0.0));
}
