//! Memory that is too small for what is done in it: `work_mem`, `shared_buffers`.
//!
//! PostgreSQL documentation: Resource Consumption, Memory.

use narrows_model::{ActivityState, ConsumerKind, StatementUse, TableUse, Urgency};

use crate::figures::share_of;
use crate::rules::commits::power_of_two_mb;
use crate::rules::plans;
use crate::sql::identifier;
use crate::statement_text::StatementText;
use crate::words::{age, bytes, count, excerpt, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Temporary files of less than this per second are lost in any page cache, bytes.
const SPILLED_PER_S: f64 = 10e6;
/// Share of what binds, from which on a statement that spills is worth a word.
const LEAST_SHARE: f64 = 0.05;
/// Of all temporary blocks, a statement's from which on it is one to look at.
const LEAST_OF_SPILLS: f64 = 0.1;
/// The largest `work_mem` proposed: it is for each sort and hash of each session, MB.
const LARGEST_MB: u64 = 512;
/// A mean read that is faster came from the page cache, ns: a drive's flash alone takes 50 µs.
const FROM_A_DRIVE_NS: f64 = 100e3;
/// Share of blocks found from which on shared_buffers are no trouble.
const HITS: f64 = 0.95;
/// Share of session time in reads, or at the table of buffers, from which on they matter.
const READS: f64 = 0.2;
const MAPPING: f64 = 0.1;
/// Waits for reads that were none by the kernel's account, from which on the page cache serves them.
const NO_WAITS: f64 = 0.5;
/// Of the blocks read, those that were read from drives: below, the page cache has them.
const FROM_DRIVES: f64 = 0.5;
/// The largest shared_buffers proposed over those of now: a step, not a leap.
const LARGEST_STEP: f64 = 8.0;
/// And of the memory that the server may use. PostgreSQL documentation: shared_buffers, "a reasonable starting value".
const OF_MEMORY: f64 = 0.25;
const MB: f64 = 1024.0 * 1024.0;
/// From this size on shared_buffers are not small, whatever the tables are, bytes.
const NOT_SMALL: f64 = 8.0 * 1024.0 * 1024.0 * 1024.0;

const MEMORY: &str = "PostgreSQL documentation: Resource Consumption, Memory";

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "sort-spills",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Sorts and hashes write temporary files because `work_mem` is too small for them",
        decides: "10 MB/s or more of temporary files, read and written; a statement that has a tenth of them or more and takes 5 % or more of what binds. The size is that of a call's temporary blocks, to the next power of two, 512 MB at most",
        against: "CREATE INDEX uses maintenance_work_mem and is left out; hash joins may use hash_mem_multiplier times as much",
        reference: "PostgreSQL documentation: Resource Consumption, work_mem, hash_mem_multiplier",
        supersedes: &["statement-dominates"],
        find: sort_spills,
    },
    CauseRule {
        id: "shared-buffers-small",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "The tables in use do not fit into shared_buffers, and reading them again costs time",
        decides: "less than 95 % buffer hits; shared_buffers below 8 GB and smaller than the tables that were read; waits for reads that reach a drive (100 µs or more on average, or half of the bytes from drives) are 20 % of session time or more, or `BufferMapping` and `BufferIO` a tenth. Proposed is what holds these tables, 8 times the size of now at most, and a quarter of the machine's memory or of its control group's limit at most; nothing where that is unknown",
        against: "Scans that an index would save come first; the page cache may serve the reads for next to nothing, and is then left alone",
        reference: MEMORY,
        supersedes: &[],
        find: shared_buffers_small,
    },
];

fn sort_spills(server: &ObservedServer) -> Vec<CauseDraft> {
    let statements = server.consumers.statements.as_ref().filter(|all| !all.reset);
    let Some(all) = statements else { return spills_of_nobody(server) };
    let rate = server.seen.per_s(Some(all.all.temp_blocks * server.block_bytes()));
    if rate.is_none_or(|rate| rate < SPILLED_PER_S) {
        return Vec::new();
    }
    let least = (LEAST_OF_SPILLS * all.all.temp_blocks).max(1.0);
    let spills = |used: &&StatementUse| used.took.temp_blocks >= least && used.took.calls >= 1.0;
    let found =
        all.list.iter().filter(spills).filter_map(|used| spills_of(server, used, all.all.exec_ns));
    found.collect()
}

/// What one user's statement spills.
fn spills_of(server: &ObservedServer, used: &StatementUse, all_ns: f64) -> Option<CauseDraft> {
    let text = used.text.as_deref().unwrap_or_default();
    if StatementText::of(text).builds_an_index() {
        return None;
    }
    // All that the statement takes: sorting in memory takes less CPU time too.
    let share = share_of(used.took.exec_ns, all_ns)?;
    let (worth, gain_at_most) = server.worth_of_computing(share);
    worth.filter(|(_, share)| *share >= LEAST_SHARE)?;
    let each = used.took.temp_blocks * server.block_bytes() / used.took.calls;
    let now = server.bytes("work_mem");
    let wanted = power_of_two_mb(each.max(2.0 * now.unwrap_or(0.0)));
    let role = identifier(&used.user);
    let fits = wanted <= LARGEST_MB;
    let sessions = user_sessions(server, &used.user).map_or(1.0, |n| n.ceil().max(1.0));
    Some(CauseDraft {
        summary: format!(
            "sorts or hashes of user {} spill {} per call to temporary files: {}",
            used.user, bytes(each), excerpt(if text.is_empty() { &used.id } else { text })
        ),
        evidence: joined([
            Some(format!("{} temporary blocks in {} calls", count(used.took.temp_blocks), count(used.took.calls))),
            server.setting("work_mem").map(|size| format!("work_mem = {size}")),
            used.took.temp_ns.map(|ns| format!("{} in temporary files", age(ns))),
            plans::outline(server, &used.id),
        ]),
        against: joined([
            Some("a role or session may have a work_mem of its own".to_string()),
            used.took.temp_ns.is_none().then(|| "how much of the statement's time the files take isn't counted (track_io_timing)".to_string()),
        ]),
        action: if fits {
            format!(
                "work_mem = {wanted} MB for that role alone, in sessions that connect after it: up to {} for each sort or hash of its statements at once, with {sessions:.0} active sessions, and workers have as much each",
                bytes(wanted as f64 * 1024.0 * 1024.0 * sessions)
            )
        } else {
            format!("more than {LARGEST_MB} MB for a call: sort fewer rows (a condition, LIMIT, an index in that order) before work_mem is raised")
        },
        statement: role.as_ref().filter(|_| fits).map(|role| format!("ALTER ROLE {role} SET work_mem = '{wanted}MB'")),
        undo: role.map_or("nothing to take back".to_string(), |role| format!("ALTER ROLE {role} RESET work_mem; for sessions that connect after it")),
        verify: "EXPLAIN (ANALYZE) of the statement: Sort Method: quicksort, Batches: 1; narrows observe URL: temporary files".to_string(),
        share: worth,
        gain_at_most,
        statement_id: used.id.clone(),
        subjects: vec![draft::statement(&used.id)],
        ..CauseDraft::default()
    })
}

fn user_sessions(server: &ObservedServer, user: &str) -> Option<f64> {
    let groups = server.consumers.sampled.iter().flat_map(|sampled| &sampled.groups);
    let of = groups.filter(|group| group.kind == ConsumerKind::User && group.name == user);
    of.map(|group| group.active).next()
}

/// By the server's count of files alone.
fn spills_of_nobody(server: &ObservedServer) -> Vec<CauseDraft> {
    let counted = &server.seen.counted;
    let rate = server.seen.per_s(counted.temp_bytes).filter(|rate| *rate >= SPILLED_PER_S);
    let builds = server.statements.iter().any(|load| load.parsed.builds_an_index());
    let Some(rate) = rate.filter(|_| !builds) else { return Vec::new() };
    let waits = server.at_events_of("IO:BufFile");
    let share = waits.filter(|waits| waits.sessions > 0.0).map(|waits| waits.share);
    let (share, gain_at_most) =
        share.map_or((None, None), |share| server.worth_of_wait(share, &[]));
    vec![CauseDraft {
        summary: format!("sorts or hashes write {}/s to temporary files", bytes(rate)),
        evidence: joined([
            counted.temp_files.map(|files| format!("{} files", count(files))),
            server.setting("work_mem").map(|size| format!("work_mem = {size}")),
            share.map(|(_, share)| format!("waits for them are {} of session time", percent(share))),
        ]),
        against: "which statement and user it is was not counted: pg_stat_statements shows it, log_temp_files lists them".to_string(),
        action: "find the statement, and raise work_mem for its role alone: ALTER ROLE … SET work_mem".to_string(),
        undo: "ALTER ROLE … RESET work_mem".to_string(),
        verify: "narrows observe URL: temporary files".to_string(),
        share,
        gain_at_most,
        ..CauseDraft::default()
    }]
}

/// Whether reads of blocks reach a drive; `None` where nothing tells.
fn reads_reach_drives(server: &ObservedServer) -> Option<bool> {
    let checks = server.seen.activity.checks.iter();
    let check =
        checks.filter(|check| check.state == ActivityState::Read).find_map(|c| c.no_waits());
    if check.is_some_and(|(none, clear)| none as f64 >= NO_WAITS * clear as f64) {
        return Some(false);
    }
    if let Some(ns) = server.read_ns() {
        return Some(ns >= FROM_A_DRIVE_NS);
    }
    let drives = server.seen.processes.as_ref()?.drive_read_bytes?;
    let asked = server.seen.counted.block_reads? * server.block_bytes();
    Some(share_of(drives, asked)? >= FROM_DRIVES)
}

/// What to do about shared_buffers of `size` for tables of `hot` bytes, and the statement; none where the machine's memory is unknown.
fn larger_pool(server: &ObservedServer, size: f64, hot: f64) -> (String, Option<String>) {
    let wanted = power_of_two_mb(hot.min(size * LARGEST_STEP).min(NOT_SMALL)) as f64;
    let Some(memory) = server.memory_bytes else {
        return (
            format!(
                "{wanted:.0} MB would hold them or be a step towards that; raise shared_buffers to that or to a quarter of the server's memory, which was not seen from here, whichever is less; a restart"
            ),
            None,
        );
    };
    let mb = wanted.min((memory * OF_MEMORY / MB).floor());
    if mb * MB <= size {
        return (
            format!(
                "shared_buffers are a quarter of the {} of memory already: fewer blocks read (indexes, fewer rows asked for), or more memory",
                bytes(memory)
            ),
            None,
        );
    }
    (
        format!(
            "shared_buffers = {mb:.0} MB, a quarter at most of the {} of memory seen here; less where the server has a limit of its own or other programs need it; a restart",
            bytes(memory)
        ),
        Some(format!("ALTER SYSTEM SET shared_buffers = '{mb:.0}MB'")),
    )
}

fn shared_buffers_small(server: &ObservedServer) -> Vec<CauseDraft> {
    let size = server.bytes("shared_buffers").filter(|size| *size > 0.0 && *size < NOT_SMALL);
    let (Some(size), Some(hits)) = (size, server.hits().filter(|hits| *hits < HITS)) else {
        return Vec::new();
    };
    let read = |table: &TableUse| table.blocks.filter(|_| table.blocks_read >= 1.0);
    let hot = server.tables().filter_map(read).sum::<f64>() * server.block_bytes();
    let reads = server.in_state(ActivityState::Read).filter(|w| w.reaches(READS));
    let reads = reads.filter(|_| reads_reach_drives(server) == Some(true));
    let mapping = server.at_events(&["LWLock:BufferMapping", "IPC:BufferIO", "LWLock:BufferIO"]);
    let mapping = mapping.filter(|waits| waits.reaches(MAPPING));
    let Some(waits) = reads.or(mapping).filter(|_| hot > size && hot.is_finite()) else {
        return Vec::new();
    };
    let (action, statement) = larger_pool(server, size, hot);
    let (share, gain_at_most) = server.worth_of_wait(
        waits.share,
        &[narrows_model::Bottleneck::ReadLatency, narrows_model::Bottleneck::Lock],
    );
    vec![CauseDraft {
        summary: format!(
            "shared_buffers of {} for tables of {} that are read: {} buffer hits",
            server.setting("shared_buffers").unwrap_or_default(), bytes(hot), percent(hits)
        ),
        evidence: joined([
            reads.map(|w| format!("reads of data files are {} of session time", percent(w.share))),
            mapping.map(|w| format!("BufferMapping and BufferIO are {} of session time", percent(w.share))),
            server.read_ns().map(|ns| format!("a read takes {}", age(ns))),
        ]),
        against: "one large scan may be what pushes the rest out: look for it first; more for shared_buffers is less for the page cache".to_string(),
        action,
        undo: match statement {
            Some(_) => format!("ALTER SYSTEM SET shared_buffers = '{}' and a restart", server.setting("shared_buffers").unwrap_or_default()),
            None => "shared_buffers of before, and a restart".to_string(),
        },
        statement,
        verify: "narrows observe URL: buffer hits, reads per transaction".to_string(),
        share,
        gain_at_most,
        ..CauseDraft::default()
    }]
}
