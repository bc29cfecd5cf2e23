//! What a process is doing, from the server's words for it.
//!
//! Names of 13 to 18 (PostgreSQL documentation, "Wait Events"), recased in 17: `WALSync` became `WalSync`.

use narrows_model::{ActivityState, ProcessClass};

/// Where a process was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ProcessState {
    /// In one of the states of the history.
    At(ActivityState),
    /// A session that runs, or could, outside of statements: it takes a request in, sends an answer off, or is connecting.
    Between,
    /// Nothing to do.
    Nowhere,
}

/// Whose process it is, by `backend_type`.
pub(super) fn class(backend_type: &str) -> ProcessClass {
    match backend_type {
        "client backend" => ProcessClass::Session,
        "parallel worker" => ProcessClass::ParallelWorker,
        "autovacuum launcher" | "autovacuum worker" => ProcessClass::Autovacuum,
        "checkpointer" => ProcessClass::Checkpointer,
        "background writer" => ProcessClass::BackgroundWriter,
        "walwriter" => ProcessClass::LogWriter,
        "walsender" => ProcessClass::LogSender,
        "io worker" => ProcessClass::IoWorker,
        _ => ProcessClass::Other,
    }
}

/// From the columns `state`, `wait_event_type` and `wait_event`, empty where they are NULL.
pub(super) fn place(class: ProcessClass, state: &str, kind: &str, event: &str) -> ProcessState {
    match class {
        ProcessClass::Session => match state {
            "active" | "fastpath function call" => ProcessState::At(wait(kind, event)),
            "idle in transaction" | "idle in transaction (aborted)" => {
                ProcessState::At(ActivityState::IdleInTransaction)
            }
            // No state yet: it is being let in.
            "idle" | "starting" | "" if kind.is_empty() => ProcessState::Between,
            _ => ProcessState::Nowhere,
        },
        ProcessClass::ParallelWorker if kind != "Activity" => ProcessState::At(wait(kind, event)),
        // The server's own processes wait for work in `Activity`, senders of the log in `Client` too, and what extensions brought in
        // `Extension`, which doesn't say more.
        _ => match kind {
            "Activity" | "Client" | "Extension" => ProcessState::Nowhere,
            _ => ProcessState::At(wait(kind, event)),
        },
    }
}

/// Whether a session runs, or could, between the statements of a transaction.
pub(super) fn runs_between(class: ProcessClass, state: &str, kind: &str) -> bool {
    class == ProcessClass::Session && kind.is_empty() && state.starts_with("idle in transaction")
}

/// What a process at work waits for. A read of the same page by another is a read, and a wait for room at a table's end one for
/// a write: whoever is ahead writes it.
pub(crate) fn wait(kind: &str, event: &str) -> ActivityState {
    let event = event.to_ascii_lowercase();
    match (kind, event.as_str()) {
        ("", _) => ActivityState::Running,
        ("IO", event) if event.starts_with("wal") => ActivityState::Log,
        ("IO", event)
            if event.contains("read") || event.contains("prefetch") || event.starts_with("aio") =>
        {
            ActivityState::Read
        }
        ("IO", _) | ("Lock", "extend") => ActivityState::Write,
        ("IPC" | "LWLock", "bufferio") => ActivityState::Read,
        // Who waits for `WALInsert` waits for others that copy into the log's buffers: no drive is in it.
        ("LWLock", "walwrite" | "walbufmapping")
        | ("IPC" | "LWLock", "syncrep")
        | ("Timeout", "commitdelay") => ActivityState::Log,
        // Let go of at once, unlike those kept to a transaction's end.
        ("Lock", "page" | "frozenid" | "spectoken") => ActivityState::Latch,
        ("Lock", _) => ActivityState::Lock,
        ("LWLock" | "BufferPin" | "Buffer", _) => ActivityState::Latch,
        ("Client", _) => ActivityState::Client,
        _ => ActivityState::Other,
    }
}

#[cfg(test)]
mod tests {
    use ActivityState::*;

    use super::*;

    #[test]
    fn the_words_of_all_versions_mean_the_same() {
        for (kind, event, meant) in [
            ("", "", Running),
            ("IO", "DataFileRead", Read),
            ("IO", "AioIoCompletion", Read),
            ("IO", "BuffileRead", Read),
            ("IPC", "BufferIO", Read),
            ("LWLock", "BufferIO", Read),
            ("IO", "DataFileExtend", Write),
            ("IO", "BuffileWrite", Write),
            ("Lock", "extend", Write),
            ("IO", "WALSync", Log),
            ("IO", "WalSync", Log),
            ("IO", "WalRead", Log),
            ("LWLock", "WALWrite", Log),
            ("LWLock", "WALBufMapping", Log),
            ("LWLock", "WALInsert", Latch),
            ("IPC", "SyncRep", Log),
            ("Timeout", "CommitDelay", Log),
            ("Lock", "transactionid", Lock),
            ("Lock", "tuple", Lock),
            ("Lock", "advisory", Lock),
            ("LWLock", "LockManager", Latch),
            ("LWLock", "BufferContent", Latch),
            ("BufferPin", "BufferPin", Latch),
            ("Client", "ClientWrite", Client),
            ("IPC", "ExecuteGather", Other),
            ("Timeout", "PgSleep", Other),
        ] {
            let found = place(ProcessClass::Session, "active", kind, event);
            assert_eq!(found, ProcessState::At(meant), "{kind}:{event}");
        }
    }

    #[test]
    fn a_session_without_a_statement_is_nowhere_unless_it_runs() {
        let session = |state, kind| place(ProcessClass::Session, state, kind, "ClientRead");
        assert_eq!(session("idle", "Client"), ProcessState::Nowhere);
        assert_eq!(session("idle", ""), ProcessState::Between);
        assert_eq!(session("", ""), ProcessState::Between);
        assert_eq!(session("disabled", ""), ProcessState::Nowhere, "nobody says what it does");
        assert_eq!(session("idle in transaction", "Client"), ProcessState::At(IdleInTransaction));
        assert!(runs_between(ProcessClass::Session, "idle in transaction", ""));
        assert!(!runs_between(ProcessClass::Session, "active", ""));
    }

    #[test]
    fn the_servers_own_processes_are_found_at_work_alone() {
        let of = |kind: &str, kind_of_wait, event| place(class(kind), "", kind_of_wait, event);
        assert_eq!(of("checkpointer", "Activity", "CheckpointerMain"), ProcessState::Nowhere);
        assert_eq!(of("checkpointer", "Timeout", "CheckpointWriteDelay"), ProcessState::At(Other));
        assert_eq!(of("checkpointer", "IO", "DataFileSync"), ProcessState::At(Write));
        assert_eq!(of("walsender", "Client", "WalSenderWaitForWAL"), ProcessState::Nowhere);
        assert_eq!(of("autovacuum worker", "", ""), ProcessState::At(Running));
        assert_eq!(of("pg_cron launcher", "Extension", "Extension"), ProcessState::Nowhere);
        assert_eq!(of("parallel worker", "IO", "DataFileRead"), ProcessState::At(Read));
    }
}
