//! What a session that waits for an Oracle event is doing.
//!
//! By the event's name, because the tables that count all waits don't print its class. Names and classes: Oracle Database Reference,
//! Oracle Wait Events. Reports in text cut names at 26 to 30 characters, so that a name is known by how it begins.

use narrows_model::ActivityState;

/// Beginnings of names, and what is waited for; of several that fit the longest counts.
const BEGINNINGS: &[(&str, ActivityState)] = &[
    // User I/O, System I/O.
    ("db file s", ActivityState::Read),
    ("db file parallel read", ActivityState::Read),
    ("db file parallel write", ActivityState::Write),
    ("db file single write", ActivityState::Write),
    ("db file async I/O submit", ActivityState::Write),
    ("db flash cache", ActivityState::Read),
    ("direct path read", ActivityState::Read),
    ("direct path write", ActivityState::Write),
    ("direct path sync", ActivityState::Write),
    ("local write wait", ActivityState::Write),
    ("read by other session", ActivityState::Read),
    ("cell ", ActivityState::Read),
    ("cell flash cache write", ActivityState::Write),
    ("control file parallel write", ActivityState::Write),
    ("control file single write", ActivityState::Write),
    ("control file s", ActivityState::Read),
    ("Disk file operations I/O", ActivityState::Read),
    ("Disk file Mirror", ActivityState::Read),
    ("Datapump dump file I/O", ActivityState::Write),
    ("external table read", ActivityState::Read),
    ("external table write", ActivityState::Write),
    ("securefile direct-read", ActivityState::Read),
    ("securefile direct-write", ActivityState::Write),
    ("utl_file I/O", ActivityState::Write),
    ("BFILE read", ActivityState::Read),
    ("write complete waits", ActivityState::Write),
    ("free buffer waits", ActivityState::Write),
    ("checkpoint completed", ActivityState::Write),
    ("flashback buf", ActivityState::Write),
    ("flashback log file", ActivityState::Write),
    // Commit, and the redo log's buffers and files.
    ("log file", ActivityState::Log),
    // Of the archiver and others that read logs, and of who writes a log's header: no commit's.
    ("log file sequential read", ActivityState::Read),
    ("log file single write", ActivityState::Write),
    ("log buffer space", ActivityState::Log),
    ("LGWR", ActivityState::Log),
    ("LNS wait", ActivityState::Log),
    ("LNS ASYNC", ActivityState::Log),
    ("SYNC Remote Write", ActivityState::Log),
    ("Redo Transport", ActivityState::Log),
    ("nologging", ActivityState::Log),
    ("remote log force", ActivityState::Log),
    // Application, Concurrency.
    ("enq:", ActivityState::Lock),
    ("enq: CR - block range reuse", ActivityState::Write),
    ("enq: KO - fast object checkpoint", ActivityState::Write),
    ("enq: RO - fast object reuse", ActivityState::Write),
    ("enq: WF", ActivityState::Other),
    ("latch", ActivityState::Latch),
    ("buffer busy", ActivityState::Latch),
    ("library cache", ActivityState::Latch),
    ("cursor:", ActivityState::Latch),
    ("row cache", ActivityState::Latch),
    ("wait list latch free", ActivityState::Latch),
    ("undo segment", ActivityState::Latch),
    ("gc buffer busy", ActivityState::Latch),
    ("gc cr block busy", ActivityState::Latch),
    ("gc current block busy", ActivityState::Latch),
    // Ready to run, and held back by the resource manager.
    ("resmgr:", ActivityState::Running),
    // Network.
    ("SQL*Net", ActivityState::Client),
    ("TCP Socket", ActivityState::Client),
    ("SQL*Net message from dblink", ActivityState::Other),
    ("SQL*Net more data from dblink", ActivityState::Other),
    ("SQL*Net vector data from dblink", ActivityState::Other),
    ("SQL*Net message to dblink", ActivityState::Other),
    ("SQL*Net more data to dblink", ActivityState::Other),
];

/// What a session does in that event; what is in no list is *something else*.
pub(super) fn state(event: &str) -> ActivityState {
    let fits = BEGINNINGS.iter().filter(|(begins, _)| begins_alike(event, begins));
    fits.max_by_key(|(begins, _)| begins.len()).map_or(ActivityState::Other, |(_, state)| *state)
}

/// Waits of sessions for writes of data files: their own, or of blocks that have to be written before they can go on.
pub(super) const DATA_WRITES: [&str; 4] =
    ["free buffer waits", "write complete waits", "direct path write", "local write wait"];
/// Waits for room in the log: the log writer, or the next file, can't keep up.
pub(super) const LOG_SPACE: [&str; 2] = ["log buffer space", "log file switch"];
/// Waits that show that commits wait for a standby's answer.
pub(super) const STANDBY: [&str; 4] =
    ["SYNC Remote Write", "LNS wait on SENDREQ", "LGWR-LNS wait on channel", "Redo Transport"];

/// Characters of a name in the narrowest table of a report in text.
const CUT: usize = 22;

/// Whether a name begins so, or is the beginning of such a name, cut.
pub(super) fn begins_alike(event: &str, begins: &str) -> bool {
    event.starts_with(begins) || (event.len() >= CUT && begins.starts_with(event))
}

/// Whether it is that event, cut or not.
pub(super) fn is(event: &str, name: &str) -> bool {
    event == name || (event.len() >= CUT && name.starts_with(event))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_known_by_how_they_begin() {
        for (event, expected) in [
            ("db file sequential read", ActivityState::Read),
            ("db file scattered read", ActivityState::Read),
            ("db file single write", ActivityState::Write),
            ("control file sequential re", ActivityState::Read),
            ("control file parallel writ", ActivityState::Write),
            ("direct path read temp", ActivityState::Read),
            ("cell single block physical read", ActivityState::Read),
            ("log file sync", ActivityState::Log),
            ("log file switch (checkpoin", ActivityState::Log),
            ("log buffer space", ActivityState::Log),
            ("enq: TX - row lock content", ActivityState::Lock),
            ("enq: KO - fast object checkp", ActivityState::Write),
            ("latch: cache buffers chain", ActivityState::Latch),
            ("gc cr block busy", ActivityState::Latch),
            ("gc cr block 2-way", ActivityState::Other),
            ("resmgr:cpu quantum", ActivityState::Running),
            ("log file sequential read", ActivityState::Read),
            ("log file switch completion", ActivityState::Log),
            ("SQL*Net more data to client", ActivityState::Client),
            ("SQL*Net message from dblin", ActivityState::Other),
            ("a new event of tomorrow", ActivityState::Other),
        ] {
            assert_eq!(state(event), expected, "{event}");
        }
        assert!(is("SQL*Net message from clien", "SQL*Net message from client"));
        assert!(!is("SQL*Net", "SQL*Net message from client"));
    }
}
