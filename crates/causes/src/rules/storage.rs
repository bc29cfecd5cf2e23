//! Storage that doesn't answer, and storage that is full.
//!
//! PostgreSQL documentation: Disk Full Failure; WAL Configuration. Linux: `fsfreeze(8)`, `proc_pid_stat(5)` (state D).

use narrows_model::{FileSystemRoom, Role, Urgency};

use crate::words::{age, bytes, count, joined, percent, sessions_that};
use crate::{CauseDraft, CauseRule, ObservedServer};

/// Of the sessions at work, the share that waits for storage where it doesn't answer: hardly any does something else.
const ALL_WAIT: f64 = 0.9;
/// Of the sessions at work, the share that waits for WAL where no flush ends: readers go on.
const MANY_WAIT: f64 = 0.3;
/// Fewer waiting sessions, mean, are one statement's business.
const LEAST_WAITERS: f64 = 0.9;
/// For so long nothing ended, ns: drives and paths to them that come back do so within a second or two.
const SILENT_NS: f64 = 4e9;
/// `wal_segment_size` where it isn't known, bytes.
const SEGMENT: f64 = 16.0 * 1024.0 * 1024.0;
/// So many segments have to fit at least: one is written, the next is made ready.
const SEGMENTS: f64 = 2.0;
/// `max_wal_size` where it isn't known, bytes.
const USUAL_WAL: f64 = 1024.0 * 1024.0 * 1024.0;
/// Files that can still be made, of which fewer are used up by one new table with its indexes and their forks.
const LEAST_FILES: f64 = 100.0;

const FLUSH: &[&str] = &["IO:WalSync", "IO:WalWrite", "LWLock:WALWrite"];
const READ: &[&str] = &["IO:DataFileRead", "IO:DataFilePrefetch", "IO:AioIoCompletion"];

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "file-system-full",
        urgency: Urgency::Now,
        has_reason: true,
        what: "The file system of the data or of the WAL is full",
        decides: "less room than two WAL segments, or fewer than 100 files that can still be made",
        against: "Quotas of users and projects, thin pools and quotas of network storage do not show here: those may be full before",
        reference: "PostgreSQL documentation: Disk Full Failure",
        supersedes: &["file-system-nearly-full", "storage-silent"],
        find: full,
    },
    CauseRule {
        id: "storage-silent",
        urgency: Urgency::Now,
        has_reason: true,
        what: "The storage does not answer: sessions wait for it, and nothing ends",
        decides: "for 4 s or more no WAL flush ended while 30 % of the active sessions or more, one at least, waited for one; or no transaction ended and nothing was read from drives while 90 % waited for reads",
        against: "On a drive with a long queue a single flush can take seconds: observe again. Where flushes are not counted (fsync off, wal_sync_method open_sync or open_datasync, before version 14) only reads are judged",
        reference: "Linux: fsfreeze(8), /sys/block/DEV/inflight, state D in ps(1); PostgreSQL documentation: wait events of type IO",
        supersedes: &["flushes", "lock-queue", "hot-row", "statement-dominates", "too-many-active"],
        find: silent,
    },
    CauseRule {
        id: "file-system-nearly-full",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "The file system of the data or of the WAL has little room left",
        decides: "less room than max_wal_size (1 GB where that is unknown)",
        against: "pg_wal may already be as large as max_wal_size: its files are used again",
        reference: "PostgreSQL documentation: Disk Full Failure; WAL Configuration, max_wal_size",
        supersedes: &[],
        find: nearly_full,
    },
];

/// `data and WAL`.
fn holds(room: &FileSystemRoom) -> &'static str {
    match (room.roles.contains(&Role::Data), room.roles.contains(&Role::Wal)) {
        (true, true) => "data and WAL",
        (false, true) => "WAL",
        _ => "data",
    }
}

fn is_full(server: &ObservedServer, room: &FileSystemRoom) -> bool {
    let segment = server.bytes("wal_segment_size").unwrap_or(SEGMENT);
    room.available_bytes < SEGMENTS * segment
        || room.available_files.is_some_and(|files| files < LEAST_FILES)
}

fn rooms<'a>(server: &'a ObservedServer) -> impl Iterator<Item = &'a FileSystemRoom> {
    let rooms = server.consumers.reserves.iter().flat_map(|reserves| &reserves.file_systems);
    rooms.take(2).filter(|room| room.total_bytes > 0.0 && room.available_bytes >= 0.0)
}

fn left(room: &FileSystemRoom) -> String {
    let files = room.available_files.filter(|files| *files < LEAST_FILES);
    let files = files.map(|files| format!("room for {} more files", count(files)));
    let used = percent((1.0 - room.available_bytes / room.total_bytes).clamp(0.0, 1.0));
    joined([
        Some(format!("{} of {} available", bytes(room.available_bytes), bytes(room.total_bytes))),
        Some(format!("{used} used")),
        files,
    ])
}

/// What takes room that nobody needs, in the order in which it is seen fastest.
const MAKE_ROOM: &str = "make room, or make the file system larger: old files beside the server's (dumps, logs, core files), WAL that a replication slot or a failing archive_command keeps, temporary files of a statement that can be cancelled. Never delete files in pg_wal by hand";

/// WAL that is less of a file system is not what fills it.
const LITTLE_WAL: f64 = 0.2;

/// Bytes of WAL on that file system.
fn wal_in(server: &ObservedServer, room: &FileSystemRoom) -> Option<f64> {
    let wal = server.consumers.reserves.as_ref()?.wal_bytes;
    wal.filter(|_| room.roles.contains(&Role::Wal))
}

/// How much of it is WAL.
fn wal_has(server: &ObservedServer, room: &FileSystemRoom) -> Option<String> {
    let wal = wal_in(server, room)?;
    let elsewhere = match wal < LITTLE_WAL * room.total_bytes {
        true => {
            ", which is not what fills it: du -xh --max-depth=2 of its mount point shows what does"
        }
        false => "",
    };
    Some(format!("pg_wal has {} of it{elsewhere}", bytes(wal)))
}

/// Who keeps WAL, unless it is known that WAL is not what takes the room.
fn kept_wal(server: &ObservedServer, room: &FileSystemRoom) -> Option<String> {
    let little = wal_in(server, room).is_some_and(|wal| wal < LITTLE_WAL * room.total_bytes);
    (!little).then(|| KEPT_WAL.to_string())
}

const KEPT_WAL: &str = "SELECT slot_name, active, pg_size_pretty(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) FROM pg_replication_slots ORDER BY restart_lsn";

/// What `max_wal_size` says of a file system that it does not fit into.
fn wal_does_not_fit(server: &ObservedServer, room: &FileSystemRoom) -> Option<String> {
    let most = server.bytes("max_wal_size").filter(|most| *most > room.total_bytes)?;
    let holds_wal = room.roles.contains(&Role::Wal);
    holds_wal.then(|| {
        format!(
            "once there is room, lower max_wal_size: its {} are more than the whole file system",
            bytes(most)
        )
    })
}

fn full(server: &ObservedServer) -> Vec<CauseDraft> {
    let full = rooms(server).filter(|room| is_full(server, room));
    let drafts = full.map(|room| CauseDraft {
        summary: format!("the file system of the {} is full: {}", holds(room), left(room)),
        evidence: match room.roles.contains(&Role::Wal) {
            true => "the server stops where it can't write WAL".to_string(),
            false => "statements that need a new block fail: could not extend file".to_string(),
        },
        against: "what is seen is the end of the look".to_string(),
        action: joined([
            wal_has(server, room),
            Some(MAKE_ROOM.to_string()),
            wal_does_not_fit(server, room),
        ]),
        statement: kept_wal(server, room),
        undo: "nothing to take back".to_string(),
        verify: "df -h and df -i on that file system; statements that write succeed".to_string(),
        ..CauseDraft::default()
    });
    drafts.collect()
}

fn nearly_full(server: &ObservedServer) -> Vec<CauseDraft> {
    let least = server.bytes("max_wal_size").unwrap_or(USUAL_WAL);
    let few = rooms(server).filter(|room| room.available_bytes < least && !is_full(server, room));
    let drafts = few.map(|room| CauseDraft {
        summary: format!(
            "the file system of the {} has {} left",
            holds(room),
            bytes(room.available_bytes)
        ),
        evidence: format!("{}; max_wal_size is {}", left(room), bytes(least)),
        against: match room.roles.contains(&Role::Wal) {
            true => "pg_wal may have grown to max_wal_size already".to_string(),
            false => "WAL lies elsewhere: what grows here are tables, indexes and temporary files"
                .to_string(),
        },
        action: MAKE_ROOM.to_string(),
        undo: "nothing to take back".to_string(),
        verify: "df -h on that file system".to_string(),
        ..CauseDraft::default()
    });
    drafts.collect()
}

fn silent(server: &ObservedServer) -> Vec<CauseDraft> {
    if server.seen.interval_ns < SILENT_NS {
        return Vec::new();
    }
    let (waits, what, storage, role) = match (no_flush_ends(server), no_read_ends(server)) {
        (Some(sessions), _) => (sessions, "a WAL flush", "pg_wal", Role::Wal),
        (None, Some(sessions)) => (sessions, "a read", "the data", Role::Data),
        (None, None) => return Vec::new(),
    };
    let look = age(server.seen.interval_ns);
    vec![CauseDraft {
        summary: format!(
            "{} for {what}, and none ended in {look}: {storage} stands still",
            sessions_that(waits, "waits", "wait")
        ),
        evidence: joined([
            server.seen.counted.flushes.map(|n| format!("{} WAL flushes", count(n))),
            server.seen.counted.transactions().map(|n| format!("{} transactions ended", count(n))),
            server
                .seen
                .processes
                .as_ref()
                .and_then(|p| p.drive_read_bytes)
                .map(|n| format!("{} read from drives", bytes(n))),
        ]),
        against: "a single flush of much data can take seconds on a slow drive: observe again"
            .to_string(),
        action: silent_part(server, storage, role),
        undo: match in_flight(server, role) {
            Some(0.0) => "none: a snapshot or an LVM operation that is cut short may be spoilt",
            _ => "nothing to take back",
        }
        .to_string(),
        verify: "narrows observe URL: flushes per second".to_string(),
        behind: waits,
        ..CauseDraft::default()
    }]
}

/// Requests that are on the way to what holds that.
fn in_flight(server: &ObservedServer, role: Role) -> Option<f64> {
    rooms(server).find(|room| room.roles.contains(&role))?.requests_in_flight
}

/// Where to look, by the requests that are in flight.
fn silent_part(server: &ObservedServer, storage: &str, role: Role) -> String {
    match in_flight(server, role) {
        Some(0.0) => format!(
            "no request is on its way to the drive of {storage}: something above it holds them back. ps -eo pid,stat,wchan:32,args tells what the server's processes wait in: a frozen file system (a snapshot or a backup that has not ended: have its owner end it; fsfreeze --unfreeze with the mount point only if nobody needs it any more), a suspended device (dmsetup info shows SUSPENDED: an LVM operation that has not ended), a journal that hangs (dmesg), or the I/O limit of a control group (io.max)"
        ),
        Some(n) => format!(
            "{} on the way to the drive of {storage}, and none ends: it is the drive or the path to it. dmesg: resets and timeouts; multipath -ll; nvme list-subsys; the state of the hypervisor or of the storage array",
            requests(n)
        ),
        None => format!(
            "find out what {storage} lies on: network storage that is gone (nfsstat -m, dmesg), a drive that ends no request (/sys/block/DEV/inflight, dmesg), or a file system that a snapshot froze (ps -eo pid,stat,wchan:32,args names what the processes wait in)"
        ),
    }
}

/// `3 requests are`
fn requests(n: f64) -> String {
    if n == 1.0 { "1 request is".to_string() } else { format!("{} requests are", count(n)) }
}

/// Sessions that wait for a flush, where none ended.
fn no_flush_ends(server: &ObservedServer) -> Option<f64> {
    // With these methods a write is a flush, and flushes are not counted; without fsync there are none.
    let method = server.setting("wal_sync_method");
    let uncounted = method.is_some_and(|method| method.starts_with("open"));
    if uncounted || server.setting("fsync") == Some("off") {
        return None;
    }
    let ended = server.seen.counted.flushes?;
    let waits = server.at_events_that_never_end(FLUSH).filter(|_| ended == 0.0)?;
    (waits.share >= MANY_WAIT && waits.sessions >= LEAST_WAITERS).then_some(waits.sessions)
}

/// Sessions that wait for a read, where nothing was read from a drive and no transaction ended.
fn no_read_ends(server: &ObservedServer) -> Option<f64> {
    let read = server.seen.processes.as_ref()?.drive_read_bytes?;
    let ended = server.seen.counted.transactions()?;
    let waits = server.at_events_that_never_end(READ).filter(|_| read == 0.0 && ended == 0.0)?;
    (waits.share >= ALL_WAIT && waits.sessions >= LEAST_WAITERS).then_some(waits.sessions)
}
