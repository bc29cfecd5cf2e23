//! Whatever the figures are: no panic, shares that are shares, gains that are bounds, and the same answer twice.

use narrows_causes::causes;
use narrows_model::{
    ActivityState, Bottleneck, CauseShare, ConsumerKind, HorizonHolder, HorizonKind, IndexUse,
    PlanNode, ProcessClass, QueuedSession, Run, SequenceUse, StatementFigures, StatementPlan,
    TableUse, TriedIndex, UnindexedKey,
};
use proptest::prelude::*;

use crate::built::*;

const EVENTS: [&str; 12] = [
    "Lock:tuple",
    "Lock:transactionid",
    "Lock:relation",
    "Lock:advisory",
    "LWLock:WALWrite",
    "IO:WalSync",
    "IPC:SyncRep",
    "LWLock:BufferMapping",
    "LWLock:SubtransSLRU",
    "Client:ClientWrite",
    "IO:BufFileRead",
    "ü",
];
const TEXTS: [&str; 8] = [
    "SELECT * FROM orders WHERE customer = $1",
    "UPDATE public.orders o SET a = $1 WHERE o.b = $2 AND c > $3",
    "DELETE FROM orders",
    "CREATE INDEX ON orders (a)",
    "COPY orders FROM STDIN",
    "select \"",
    "((((",
    "SELECT sum(a) FROM orders, customers WHERE . = =",
];

/// Figures of sane servers, of insane ones, and none.
fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => 0.0..1e6_f64,
        2 => 0.0..1e15_f64,
        1 => any::<f64>(),
        1 => prop::sample::select(vec![0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX]),
    ]
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![Just("public.orders".to_string()), Just("app".to_string()), ".{0,12}"]
}

fn some<T: std::fmt::Debug + Clone>(
    of: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    prop::option::weighted(0.8, of)
}

fn figures() -> impl Strategy<Value = StatementFigures> {
    prop::collection::vec(figure(), 11).prop_map(|f| StatementFigures {
        calls: f[0],
        exec_ns: f[1],
        plan_ns: Some(f[2]),
        rows: f[3],
        blocks_hit: f[4],
        blocks_read: f[5],
        blocks_dirtied: f[6],
        temp_blocks: f[7],
        read_ns: Some(f[8]),
        temp_ns: Some(f[9]),
        wal_bytes: f[10],
        jit_ns: Some(f[10]),
    })
}

fn tables() -> impl Strategy<Value = TableUse> {
    (name(), prop::collection::vec(figure(), 13), any::<bool>()).prop_map(|(name, f, off)| {
        TableUse {
            name,
            blocks: Some(f[0]),
            live_rows: f[1],
            dead_rows: f[2],
            changed_since_analyze: f[3],
            sequential_scans: f[4],
            sequential_rows: f[5],
            index_scans: f[6],
            index_rows: f[7],
            updated: f[8],
            deleted: f[9],
            blocks_hit: f[10],
            blocks_read: f[11],
            vacuum_age_s: off.then_some(f[12]),
            analyze_age_s: (!off).then_some(f[12]),
            autovacuum_off: off,
            ..TableUse::default()
        }
    })
}

fn queues() -> impl Strategy<Value = QueuedSession> {
    let states = vec!["active", "idle in transaction", "", "ü"];
    (
        0..9_u32,
        prop::collection::vec(0..9_u32, 0..4),
        prop::sample::select(states),
        some(figure()),
        some(figure()),
        0..EVENTS.len(),
        name(),
    )
        .prop_map(|(pid, behind, state, state_age_ns, transaction_age_ns, event, name)| {
            QueuedSession {
                pid,
                behind,
                state: state.into(),
                state_age_ns,
                transaction_age_ns,
                waits_for: Some(EVENTS[event].into()),
                mode: Some("AccessExclusiveLock".into()),
                table: Some(name.clone()),
                user: name.clone(),
                text: Some(name),
                ..QueuedSession::default()
            }
        })
}

fn holders() -> impl Strategy<Value = HorizonHolder> {
    let kinds =
        [HorizonKind::Session, HorizonKind::Prepared, HorizonKind::Slot, HorizonKind::Standby];
    (prop::sample::select(kinds.to_vec()), name(), figure(), some(figure()))
        .prop_map(|(kind, name, transactions, age)| holder(kind, &name, age, transactions))
}

/// An index, a sequence, and a plan that reads the one for statement 1.
fn objects() -> impl Strategy<Value = (IndexUse, SequenceUse, StatementPlan)> {
    (name(), name(), name(), prop::collection::vec(figure(), 12), any::<[bool; 4]>()).prop_map(
        |(table, index, columns, f, yes)| {
            let used = IndexUse {
                name: format!("public.{index}"),
                table: table.clone(),
                columns: columns.clone(),
                needed: yes[0],
                invalid: yes[1],
                blocks: Some(f[0]),
                expected_blocks: Some(f[1]),
                scans: f[2],
                entries_read: f[3],
                scans_ever: f[4],
                statistics_age_s: Some(f[5]),
                ..IndexUse::default()
            };
            let sequence = SequenceUse {
                name: index.clone(),
                table: table.clone(),
                column: columns.clone(),
                last: f[6],
                largest: f[7],
                of_column: yes[2],
                given: f[8],
                ..SequenceUse::default()
            };
            let node = PlanNode {
                kind: "Seq Scan".into(),
                table: Some(table.clone()),
                index: yes[3].then_some(index),
                filter: Some("(a = $1)".into()),
                filtered_equal: vec![columns.clone()],
                rows: f[9],
                ..PlanNode::default()
            };
            let tried = TriedIndex { table, columns, used: yes[0], cost: f[10] };
            let plan = StatementPlan {
                id: "1".into(),
                cost: f[11],
                nodes: vec![node],
                tried: Some(tried),
            };
            (used, sequence, plan)
        },
    )
}

fn waits() -> impl Strategy<Value = Vec<(ProcessClass, ActivityState, f64, usize)>> {
    let class = prop::sample::select(ProcessClass::ALL.to_vec());
    let state = prop::sample::select(ActivityState::ALL.to_vec());
    prop::collection::vec((class, state, figure(), 0..EVENTS.len()), 0..8)
}

prop_compose! {
    fn servers()(
        waits in waits(),
        statements in prop::collection::vec((0..4_u32, name(), 0..TEXTS.len(), figures()), 0..6),
        groups in prop::collection::vec((prop::sample::select(ConsumerKind::ALL.to_vec()), 0..4_u32, figure(), 0..EVENTS.len()), 0..6),
        tables in prop::collection::vec(tables(), 0..4),
        queue in prop::collection::vec(queues(), 0..8),
        horizon in prop::collection::vec(holders(), 0..3),
        counts in prop::collection::vec(figure(), 16),
        cpus in prop::collection::vec(figure(), 6),
        key in (name(), name(), name(), figure()),
        (index, sequence, plan) in objects(),
        before in figures(),
        narrow in prop::sample::select(Bottleneck::NAMED.to_vec()),
        interval_ns in figure(),
        settings in prop::collection::vec("[0-9]{0,20}(us|ms|s|min|kB|MB|TB|)", 6),
    ) -> Run {
        let mut run = healthy();
        bound_by(&mut run, narrow);
        run.verdicts[0].throughput_per_s = counts[0];
        for (class, state, n, event) in waits {
            of_class(&mut run, class, state, n, EVENTS[event]);
        }
        for (id, user, text, took) in statements {
            statement(&mut run, &id.to_string(), TEXTS[text], took);
            books(&mut run).list.last_mut().expect("just added").user = user;
            books(&mut run).planning_counted = true;
        }
        for (kind, name, n, event) in groups {
            group(&mut run, kind, &name.to_string(), ActivityState::Running, n, EVENTS[event]);
        }
        let (name, table, columns, rows_gone) = key;
        let taken = consumers(&mut run);
        taken.unindexed_keys.push(UnindexedKey { name, table, columns, refers_to: "public.orders".into(), rows_gone });
        taken.tables = tables;
        taken.indexes.push(index);
        taken.sequences.push(sequence);
        taken.plans.push(plan);
        if let Some(first) = taken.statements.as_mut().and_then(|all| all.list.first_mut()) {
            first.before = Some(before);
        }
        taken.lock_queue = queue;
        taken.horizon = horizon;
        reserves(&mut run).oldest_database = Some(("shop".into(), counts[1]));
        reserves(&mut run).archive_failures = Some(counts[2]);
        reserves(&mut run).unread_slots = vec![("slot".into(), counts[3])];
        let counted = counted(&mut run);
        for (figure, value) in [
            &mut counted.commits, &mut counted.rollbacks, &mut counted.writers, &mut counted.block_hits, &mut counted.block_reads,
            &mut counted.read_ns, &mut counted.temp_bytes, &mut counted.deadlocks, &mut counted.connections, &mut counted.log_bytes,
            &mut counted.full_pages, &mut counted.flushes, &mut counted.flush_ns, &mut counted.checkpoints_timed,
            &mut counted.checkpoints_requested,
        ].into_iter().zip(&counts) {
            *figure = Some(*value);
        }
        let processes = processes(&mut run);
        processes.classes[0].cpus = cpus[0];
        processes.classes[0].run_queue = Some(cpus[1]);
        processes.classes[1].cpus = cpus[2];
        processes.machine_cpus = cpus[3];
        processes.allowed_cpus = cpus[4];
        processes.quota_cpus = Some(cpus[5]);
        seen(&mut run).interval_ns = interval_ns;
        let names = ["work_mem", "shared_buffers", "max_wal_size", "checkpoint_timeout", "commit_delay", "max_parallel_workers"];
        for (name, value) in names.into_iter().zip(settings) {
            set(&mut run, name, &value);
        }
        run
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shares_are_shares_and_gains_are_bounds(run in servers()) {
        let found = causes(&run);
        prop_assert_eq!(&found, &causes(&run));
        for cause in &found {
            if let Some((_, share)) = cause.share {
                prop_assert!((0.0..=1.0).contains(&share), "{:?}", cause);
            }
            if let Some(gain) = cause.gain_at_most {
                prop_assert!(gain.is_finite() && gain >= 0.0, "{:?}", cause);
                prop_assert!(cause.share.is_some_and(|(of, _)| of != CauseShare::Wal), "{:?}", cause);
            }
        }
        prop_assert!(found.is_sorted_by_key(|cause| cause.urgency));
    }
}

#[test]
fn arbitrary_servers_fire_most_rules() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let mut fired = std::collections::BTreeSet::new();
    for _ in 0..2000 {
        let run = servers().new_tree(&mut runner).expect("a server").current();
        fired.extend(causes(&run).into_iter().map(|cause| cause.id));
    }
    assert!(fired.len() > 30, "the property says little: {fired:?}");
}
