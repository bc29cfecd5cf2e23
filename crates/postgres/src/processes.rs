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
    let reads = Reads { name: title, ..PROCESSES };
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

fn name_in(title: &str) -> Option<String> {
    if let Some(name) = TWO_WORDS.iter().find(|name| title.starts_with(*name)) {
        return Some((*name).to_string());
    }
    Some(match title.split_whitespace().next()? {
        // A session's title holds user, database and address, which are nobody's business in a report.
        _ if title.contains("[local]") || title.contains('(') => "a session".to_string(),
        _ if title.starts_with("parallel worker") => "a parallel worker".to_string(),
        first => first.trim_end_matches(':').to_string(),
    })
}

#[cfg(test)]
mod tests {
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
        ] {
            assert_eq!(name_in(title).as_deref(), Some(name), "{title}");
        }
        assert_eq!(name_in(" "), None);
    }

    #[test]
    fn this_test_is_no_server() {
        assert!(of_backend(std::process::id()).is_none());
    }
}
