//! Who takes what, without names: a statement's text names tables and columns, so that none of it stays.

use narrows_model::{
    ConsumerKind, Consumers, HorizonHolder, HorizonKind, IndexUse, PlanNode, QueuedSession,
    Reserves, SampledConsumers, SampledGroup, SequenceUse, StatementPlan, StatementStatistics,
    StatementUse, TableUse, TriedIndex, UnindexedKey,
};

use super::names::{Names, Of};

/// Kinds of processes that every server has; extensions name their own.
const OF_THE_SERVER: [&str; 4] =
    ["client backend", "autovacuum worker", "parallel worker", "walsender"];

pub(super) fn rename(names: &mut Names, consumers: &mut Consumers) {
    let Consumers {
        database,
        statements,
        sampled,
        tables,
        unindexed_keys,
        plans,
        indexes,
        all_indexes: _,
        sequences,
        lock_queue,
        lock_queue_age_ns: _,
        horizon,
        reserves,
        // Numbers, by names of counters and digests.
        mariadb: _,
    } = consumers;
    names.rename(Of::Database, database);
    if let Some(StatementStatistics { list, .. }) = statements {
        for StatementUse { id: _, user, database, text, took: _, before: _ } in list {
            names.rename(Of::User, user);
            names.rename(Of::Database, database);
            *text = None;
        }
    }
    // A history has statements by their ids, or digests.
    if let Some(SampledConsumers { groups, texts, .. }) = sampled {
        groups.iter_mut().for_each(|group| of_group(names, group));
        texts.clear();
    }
    for TableUse { name, .. } in tables {
        names.rename(Of::Table, name);
    }
    for UnindexedKey { name, table, columns, refers_to, rows_gone: _ } in unindexed_keys {
        [name, table, columns, refers_to]
            .into_iter()
            .for_each(|name| names.rename(Of::Table, name));
    }
    plans.iter_mut().for_each(|plan| of_plan(names, plan));
    for IndexUse { name, table, columns, .. } in indexes {
        [name, table, columns].into_iter().for_each(|name| names.rename(Of::Table, name));
    }
    for SequenceUse { name, table, column, .. } in sequences {
        [name, table, column].into_iter().for_each(|name| names.rename(Of::Table, name));
    }
    for session in lock_queue {
        let QueuedSession { table, user, application, backend_type, text, .. } = session;
        names.rename_any(Of::Table, table);
        if !OF_THE_SERVER.contains(&backend_type.as_str()) {
            names.rename(Of::Program, backend_type);
        }
        names.rename(Of::User, user);
        names.rename(Of::Application, application);
        *text = None;
    }
    for holder in horizon {
        let HorizonHolder { kind, name, user, application, text, .. } = holder;
        match kind {
            // A number.
            HorizonKind::Session => {}
            HorizonKind::Standby => names.rename(Of::Standby, name),
            HorizonKind::Prepared | HorizonKind::Slot => names.rename(Of::Slot, name),
        }
        names.rename(Of::User, user);
        names.rename(Of::Application, application);
        *text = None;
    }
    if let Some(Reserves {
        oldest_database,
        unread_slots,
        archive_failures: _,
        wal_bytes: _,
        file_systems: _,
    }) = reserves
    {
        oldest_database.iter_mut().for_each(|(name, _)| names.rename(Of::Database, name));
        unread_slots.iter_mut().for_each(|(name, _)| names.rename(Of::Slot, name));
    }
}

fn of_plan(names: &mut Names, plan: &mut StatementPlan) {
    let StatementPlan { id: _, cost: _, nodes, tried } = plan;
    for node in nodes {
        let PlanNode { table, index, index_condition, filter, filtered_equal, .. } = node;
        for name in [table, index] {
            names.rename_any(Of::Table, name);
        }
        // They name columns.
        (*index_condition, *filter) = (None, None);
        filtered_equal.iter_mut().for_each(|column| names.rename(Of::Table, column));
    }
    if let Some(TriedIndex { table, columns, used: _, cost: _ }) = tried {
        [table, columns].into_iter().for_each(|name| names.rename(Of::Table, name));
    }
}

fn of_group(names: &mut Names, group: &mut SampledGroup) {
    let of = match group.kind {
        // An id; where there is none, a digest.
        ConsumerKind::Statement => return,
        ConsumerKind::Database => Of::Database,
        ConsumerKind::User => Of::User,
        ConsumerKind::Application => Of::Application,
        ConsumerKind::Client => Of::Host,
    };
    names.rename(of, &mut group.name);
}
