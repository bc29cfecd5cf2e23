//! Whose process it is, from the title that the server gives it: `postgres: walwriter`, or with a name of the cluster
//! `postgres: main: walwriter` (PostgreSQL documentation, "Standard Unix Tools", `cluster_name`).

use narrows_model::ProcessClass;

/// The class; `None` where the process hasn't got its title yet.
pub(super) fn class(title: &str, cluster: &str) -> Option<ProcessClass> {
    let title = title.strip_prefix("postgres: ")?;
    let named = title.strip_prefix(cluster).and_then(|rest| rest.strip_prefix(": "));
    let title = named.filter(|_| !cluster.is_empty()).unwrap_or(title).trim();
    let begins = |word: &str| {
        title.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ':']))
    };
    let known = [
        ("parallel worker", ProcessClass::ParallelWorker),
        ("autovacuum launcher", ProcessClass::Autovacuum),
        ("autovacuum worker", ProcessClass::Autovacuum),
        ("checkpointer", ProcessClass::Checkpointer),
        ("background writer", ProcessClass::BackgroundWriter),
        ("walwriter", ProcessClass::LogWriter),
        ("walsender", ProcessClass::LogSender),
        ("walreceiver", ProcessClass::Other),
        ("startup", ProcessClass::Other),
        ("archiver", ProcessClass::Other),
        ("logger", ProcessClass::Other),
        ("stats collector", ProcessClass::Other),
        ("logical replication", ProcessClass::Other),
        ("slotsync worker", ProcessClass::Other),
        ("walsummarizer", ProcessClass::Other),
    ];
    let found = known.into_iter().find(|(word, _)| begins(word)).map(|(_, class)| class);
    Some(match found {
        Some(class) => class,
        None if title.starts_with("io worker") => ProcessClass::IoWorker,
        // USER DATABASE HOST STATE; what extensions start has a title of its own form.
        None if title.contains("[local]") || title.contains('(') => ProcessClass::Session,
        None => ProcessClass::Other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_all_versions_are_told_apart() {
        use ProcessClass::*;
        for (title, cluster, meant) in [
            ("postgres: checkpointer ", "", Some(Checkpointer)),
            ("postgres: 15/main: walwriter ", "15/main", Some(LogWriter)),
            ("postgres: parallel worker for PID 4711 ", "", Some(ParallelWorker)),
            ("postgres: autovacuum worker shop", "", Some(Autovacuum)),
            ("postgres: io worker 2", "", Some(IoWorker)),
            ("postgres: bob shop [local] SELECT", "", Some(Session)),
            ("postgres: 15/main: bob shop 10.0.0.9(52811) idle", "15/main", Some(Session)),
            ("postgres: walsender repl 10.0.0.9(52811) streaming 0/3000148", "", Some(LogSender)),
            ("postgres: logical replication launcher ", "", Some(Other)),
            // A user of that name is a session all the same.
            ("postgres: checkpointers shop [local] idle", "", Some(Session)),
            ("/usr/lib/postgresql/15/bin/postgres -D /srv/pg", "", None),
            ("", "", None),
        ] {
            assert_eq!(class(title, cluster), meant, "{title}");
        }
    }
}
