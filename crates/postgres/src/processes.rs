//! The processes of a PostgreSQL server on this machine: which they are, and what they call themselves.

use narrows_facts::process;
use narrows_layer_database::processes::{PROCESSES, Reads, ServerProcesses};

/// The server of a local session, if that process is visible here and is what it should be: the session may
/// run in another process namespace or on another machine.
pub(crate) fn of_backend(backend: u32) -> Option<ServerProcesses> {
    let name = process::name(backend)?;
    let postmaster = process::parent(backend)?;
    let parent_name = process::name(postmaster)?;
    let is_server = |name: &str| name.starts_with("postgres") || name.starts_with("postmaster");
    let reads = Reads { name: title, is_worker, ..PROCESSES };
    (is_server(&name) && is_server(&parent_name)).then(|| ServerProcesses::new(postmaster, reads))
}

/// What a server process calls itself: its title without the server's name, for example `walwriter`.
fn title(pid: u32) -> String {
    let text = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).replace('\0', " ");
    let title = text.trim().strip_prefix("postgres: ").unwrap_or(text.trim());
    name_in(title).unwrap_or_else(|| format!("process {pid}"))
}

/// Names of two words; what follows them may be a database's name.
const TWO_WORDS: [&str; 5] = [
    "autovacuum launcher",
    "autovacuum worker",
    "background writer",
    "io worker",
    "logical replication",
];

const WORKER: &str = "a parallel worker";

/// Works on a session's statement. An I/O worker (18) reads for all of them.
fn is_worker(name: &str) -> bool {
    name == WORKER
}

fn name_in(title: &str) -> Option<String> {
    if let Some(name) = TWO_WORDS.iter().find(|name| title.starts_with(*name)) {
        return Some((*name).to_string());
    }
    Some(match title.split_whitespace().next()? {
        // A session's title holds user, database and address, which are nobody's business in a report.
        _ if title.contains("[local]") || title.contains('(') => "a session".to_string(),
        _ if title.starts_with("parallel worker") => WORKER.to_string(),
        first => first.trim_end_matches(':').to_string(),
    })
}

#[cfg(test)]
mod tests {
    use narrows_layer_database::processes::Used;

    use super::*;

    #[test]
    fn processes_are_named_without_what_is_nobodys_business() {
        for (title, name) in [
            ("walwriter", "walwriter"),
            ("background writer", "background writer"),
            ("autovacuum worker shop", "autovacuum worker"),
            ("parallel worker for PID 7", "a parallel worker"),
            ("bob shop [local] idle", "a session"),
            ("walsender bob 10.0.0.7(5433) streaming", "a session"),
            ("checkpointer: performing checkpoint", "checkpointer"),
            ("io worker 2", "io worker"),
        ] {
            assert_eq!(name_in(title).as_deref(), Some(name), "{title}");
        }
        assert_eq!(name_in(" "), None);
    }

    /// Titles as `ps` had them beside a scan by three, with CPU time in ms: the leader's session, its workers, and the server's own.
    const OF_16: &[(&str, u64)] = &[
        ("narrows narrows_load [local] SELECT", 350),
        ("parallel worker for PID 4711", 340),
        ("parallel worker for PID 4711", 330),
        ("checkpointer", 2),
        ("background writer", 1),
        ("walwriter", 1),
    ];
    const OF_18: &[(&str, u64)] = &[
        ("io worker 0", 410),
        ("io worker 1", 260),
        ("io worker 2", 120),
        ("checkpointer", 2),
        ("background writer", 1),
        ("walwriter", 1),
        ("narrows narrows_load [local] SELECT", 180),
        ("parallel worker for PID 4711", 170),
        ("parallel worker for PID 4711", 160),
    ];

    #[test]
    fn a_scans_cpu_time_is_that_of_leader_and_workers_in_all_versions() {
        for (titles, scan_ms) in [(OF_16, 350 + 340 + 330), (OF_18, 180 + 170 + 160)] {
            let session = |title: &str| title.contains("[local]");
            let of = |title: &&(&str, u64)| !session(title.0);
            let own = titles.iter().filter(of).map(|(title, ms)| (name_in(title).unwrap(), *ms));
            let used = Used {
                total_cpu_ns: titles.iter().map(|(_, ms)| ms).sum(),
                backend_cpu_ns: titles.iter().filter(|t| session(t.0)).map(|(_, ms)| ms).sum(),
                own: own.collect(),
                ..Used::default()
            };
            let scan = used.together(is_worker);
            assert_eq!(scan.backend_cpu_ns, scan_ms, "{titles:?}");
            let reads = scan.own.iter().any(|(name, _)| name == "io worker");
            assert_eq!(reads, titles.len() == OF_18.len(), "a party of its own");
        }
    }

    #[test]
    fn this_test_is_no_server() {
        assert!(of_backend(std::process::id()).is_none());
    }
}
