//! A server that was observed, with its verdict's standing, and what a change would allow.

use narrows_model::{
    Activity, ActivityMoment, ActivityState, ActivityWhere, Bottleneck, Cause, CauseShare,
    ClassUse, ConsumerKind, Consumers, FileSystemRoom, Headroom, HorizonHolder, HorizonKind,
    HotProcess, IndexSums, IndexUse, Interval, LiveCost, LiveSetting, LoadChange, MariaDbProcess,
    MariaDbStatement, MariaDbUse, Observation, ObservedCounts, ObservedProcesses, ObservedSessions,
    ObservedSituation, PlanNode, ProcessClass, ProcessorUser, Provenance, QueuedSession, Reserves,
    Role, SampledConsumers, SampledGroup, SequenceUse, StatementFigures, StatementGroup,
    StatementHistory, StatementMoment, StatementPlan, StatementSamples, StatementStatistics,
    StatementUse, TableUse, TimeAccount, TimeShare, TransactionTime, TriedIndex, UnindexedKey,
    Urgency, WaitCheck, WhatIf, WhatIfThen,
};

pub fn observation(interval: Interval) -> Observation {
    Observation {
        consumers: Some(consumers(interval)),
        report: Some(narrows_model::ServerReport {
            kind: "AWR".into(),
            host: Some("db7".into()),
            snapshots: Some(("1".into(), "2".into())),
            commit_waits: Some(1.0),
            commit_wait_ns: Some(1.0),
            log_space_ns: Some(1.0),
            data_write_ns: Some(1.0),
            standby: Some("SYNC Remote Write".into()),
            contradictions: vec!["a sentence".into()],
        }),
        measurement: "database.observed".into(),
        address: "postgres://app@db7/shop".into(),
        version: "17.2".into(),
        interval_ns: 60e9,
        load_change: Some(LoadChange { before_ns: 60e9, rate_before: 9e3, rate_since: 2e3 }),
        windows: 6,
        counted: ObservedCounts {
            commits: Some(6000.0),
            log_bytes: Some(1e9),
            ..Default::default()
        },
        activity: Activity {
            counted: true,
            samples: 900,
            found: vec![ActivityWhere {
                class: ProcessClass::Session,
                state: ActivityState::Log,
                processes: 2.5,
                interval_95: Some(interval),
                windows: vec![2.5; 6],
                events: vec![("IO:WalSync".into(), 2.5)],
            }],
            history: vec![ActivityMoment {
                at_ns: 5e8,
                samples: 15,
                sessions: vec![(ActivityState::Log, 2.5)],
            }],
            checks: vec![WaitCheck {
                state: ActivityState::Log,
                runnable: 1,
                waiting: 300,
                unclear: 20,
            }],
        },
        sessions: ObservedSessions { open: Some(40.0), ..Default::default() },
        processes: Some(ObservedProcesses {
            classes: vec![ClassUse {
                class: ProcessClass::Session,
                cpus: 1.5,
                run_queue: Some(0.1),
            }],
            hot: Some(HotProcess {
                class: ProcessClass::LogWriter,
                cpus: 0.4,
                share_of_windows: 0.5,
            }),
            machine_cpus: 2.0,
            kernel_cpus: Some(0.2),
            other_cpus: Some(0.1),
            unattributed_cpus: Some(0.5),
            client_cpus: None,
            yielding_cpus: Some(0.0),
            other_programs: vec![],
            allowed_cpus: 8.0,
            quota_cpus: Some(4.0),
            throttled_share: Some(0.0),
            drive_read_bytes: Some(1e6),
        }),
        settings: vec![LiveSetting {
            name: "shared_buffers".into(),
            value: "8GB".into(),
            source: "configuration file".into(),
        }],
        build: vec![("CFLAGS".into(), "-O2".into())],
        capacities_from: vec!["block.read.random.8k.knee is of run 7f3a".into()],
        cost: LiveCost { statements: 900, ..LiveCost::default() },
        unknown: Vec::new(),
    }
}

fn consumers(interval: Interval) -> Consumers {
    let took = StatementFigures {
        calls: 9e3,
        exec_ns: 4e9,
        plan_ns: Some(1e8),
        read_ns: Some(1e9),
        temp_ns: Some(1e9),
        jit_ns: Some(1e9),
        ..StatementFigures::default()
    };
    let text = Some("SELECT * FROM orders WHERE customer = $1".to_string());
    Consumers {
        database: "shop".into(),
        statements: Some(StatementStatistics {
            list: vec![StatementUse {
                id: "-42".into(),
                user: "app".into(),
                database: "shop".into(),
                text: text.clone(),
                took,
                before: Some(took),
            }],
            all: took,
            counted: 12,
            evicted: true,
            reset: true,
            planning_counted: true,
        }),
        sampled: Some(SampledConsumers {
            samples: 100,
            executions: 400,
            active: 3.0,
            groups: vec![SampledGroup {
                kind: ConsumerKind::Statement,
                name: "-42".into(),
                active: 2.0,
                interval_95: Some(interval),
                states: vec![(ActivityState::Running, 2.0)],
                events: vec![("IO:DataFileRead".into(), 0.5)],
            }],
            texts: vec![("-42".into(), "SELECT 1".into())],
            by_text: true,
            history: Some(history()),
        }),
        tables: vec![TableUse {
            name: "public.orders".into(),
            blocks: Some(9.0),
            vacuum_age_s: Some(9.0),
            analyze_age_s: Some(9.0),
            autovacuum_off: true,
            ..TableUse::default()
        }],
        unindexed_keys: vec![UnindexedKey {
            name: "orders_customer_fkey".into(),
            ..Default::default()
        }],
        lock_queue: vec![QueuedSession {
            pid: 4711,
            behind: vec![4712],
            state: "active".into(),
            state_age_ns: Some(1e9),
            transaction_age_ns: Some(1e9),
            waits_for: Some("Lock:relation".into()),
            mode: Some("AccessExclusiveLock".into()),
            table: Some("public.orders".into()),
            user: "app".into(),
            application: "shop".into(),
            backend_type: "autovacuum worker".into(),
            text: text.clone(),
        }],
        lock_queue_age_ns: Some(1e9),
        horizon: vec![HorizonHolder {
            kind: HorizonKind::Slot,
            name: "standby1".into(),
            transactions: 1e6,
            age_ns: Some(1e9),
            state: "idle in transaction".into(),
            user: "app".into(),
            application: "shop".into(),
            text,
        }],
        reserves: Some(Reserves {
            oldest_database: Some(("shop".into(), 1e9)),
            unread_slots: vec![("standby1".into(), 1e9)],
            archive_failures: Some(3.0),
            wal_bytes: Some(6.4e8),
            file_systems: vec![FileSystemRoom {
                roles: vec![Role::Data, Role::Wal],
                total_bytes: 1e11,
                available_bytes: 1e9,
                available_files: Some(1e6),
                requests_in_flight: Some(2.0),
            }],
        }),
        ..objects()
    }
}

/// Plans, indexes, sequences, and what only MariaDB counts.
fn objects() -> Consumers {
    Consumers {
        plans: vec![StatementPlan {
            id: "-42".into(),
            cost: 12e3,
            nodes: vec![PlanNode {
                depth: 1,
                kind: "Index Scan".into(),
                table: Some("public.orders".into()),
                index: Some("orders_customer".into()),
                index_condition: Some("(customer = $1)".into()),
                filter: Some("(state = $2)".into()),
                filtered_equal: vec!["state".into()],
                rows: 3.0,
                cost: 12e3,
            }],
            tried: Some(TriedIndex {
                table: "public.orders".into(),
                columns: "customer, state".into(),
                used: true,
                cost: 8.3,
            }),
        }],
        indexes: vec![IndexUse {
            name: "public.orders_customer".into(),
            table: "public.orders".into(),
            columns: "customer".into(),
            needed: true,
            unique: true,
            invalid: true,
            in_progress: true,
            blocks: Some(9.0),
            expected_blocks: Some(3.0),
            statistics_age_s: Some(9.0),
            ..IndexUse::default()
        }],
        all_indexes: Some(IndexSums::default()),
        sequences: vec![SequenceUse {
            name: "public.orders_id_seq".into(),
            table: "public.orders".into(),
            column: "id".into(),
            column_type: "integer".into(),
            of_column: true,
            ..SequenceUse::default()
        }],
        mariadb: Some(MariaDbUse {
            performance_schema: true,
            grown: [("Questions".to_string(), 12e3)].into(),
            level: [("Innodb_history_list_length".to_string(), 500.0)].into(),
            highest: [("Innodb_checkpoint_age".to_string(), 10e6)].into(),
            statements: vec![MariaDbStatement {
                id: "a1".into(),
                calls: 60.0,
                rows_examined: 6e6,
                ..MariaDbStatement::default()
            }],
            metadata_locks_known: true,
            process: Some(MariaDbProcess {
                cpus: 0.98,
                allowed_cpus: 1.0,
                drive_read_bytes: Some(8e6),
            }),
        }),
        ..Consumers::default()
    }
}

pub fn cause() -> Cause {
    Cause {
        id: "index-missing".into(),
        measurement: "database.observed".into(),
        urgency: Urgency::Performance,
        has_reason: false,
        summary: "a sentence".into(),
        evidence: "figures".into(),
        against: "a report that reads everything on purpose".into(),
        action: "an index".into(),
        statement: Some("CREATE INDEX CONCURRENTLY".into()),
        undo: "DROP INDEX CONCURRENTLY".into(),
        verify: "observe again".into(),
        share: Some((CauseShare::Cpu, 0.9)),
        gain_at_most: Some(9.0),
        statement_id: "-42".into(),
        sessions_behind: Some(8.0),
    }
}

pub fn standing(interval: Interval) -> ObservedSituation {
    ObservedSituation {
        gains: Some("a sentence".into()),
        nearest: Some(Headroom {
            resource: Bottleneck::Cpu,
            label: "the server's 8 CPUs".into(),
            utilisation: 0.25,
            factor_at_most: 4.0,
            interval_95: Some(interval),
            provenance: Provenance::Counted,
        }),
        time: Some(TransactionTime {
            summed_ns: 2.0e6,
            account_ns: 2.05e6,
            account: TimeAccount::Server,
            parts: vec![TimeShare {
                name: "flush".into(),
                ns_per_op: 1.2e6,
                interval_95: Some(interval),
                share: 0.6,
            }],
        }),
        sessions_open: Some(40.0),
        sessions_at_work: Some(4.0),
        users: vec![ProcessorUser { who: "sessions".into(), cpus: 1.5 }],
        sentences: vec!["4.0 of 40.0 sessions are at work at a moment.".into()],
        step: None,
    }
}

pub fn what_if(interval: Interval) -> WhatIf {
    WhatIf {
        changes: vec!["storage=2x".into()],
        now_at_most_per_s: 200e3,
        then: Some(WhatIfThen {
            at_most_per_s: 300e3,
            interval_95: Some(interval),
            gain_at_most: 0.5,
            binds: Bottleneck::Cpu,
            label: "the server's 8 CPUs".into(),
            time_at_least_ns: Some(4e5),
            time_at_most_ns: None,
        }),
        refused: Vec::new(),
        assumed: vec!["the log lies on storage too".into()],
    }
}

fn history() -> StatementHistory {
    StatementHistory {
        statements: vec!["-42".into()],
        moments: vec![StatementMoment {
            at_ns: 0.5e9,
            samples: 4,
            found: vec![
                StatementSamples {
                    statement: StatementGroup::Listed(0),
                    state: ActivityState::Running,
                    count: 8,
                },
                StatementSamples {
                    statement: StatementGroup::Others,
                    state: ActivityState::Lock,
                    count: 1,
                },
            ],
        }],
    }
}
