//! The statements that an operation is made of, and the plans that they are meant to have.

use narrows_layer_database::{Action, Calls, DatabaseError, Planned, Redo, Task};

/// The row of a table by its key is the primary index itself.
const ROW: Option<&[&str]> = Some(&["const by PRIMARY"]);
const CHANGED_ROW: Option<&[&str]> = Some(&["range by PRIMARY"]);

/// Name of the table that a commit alone writes to, beside the others.
pub(crate) const COMMITS: &str = "commits";

/// The statements.
///
/// # Errors
/// This kind doesn't have the workload.
pub(crate) fn statements(
    task: &Task,
    schema: &str,
    table: &str,
) -> Result<Vec<Planned>, DatabaseError> {
    let by_key = |sql: String, reads_by| Planned { sql, types: "bigint", example: "1", reads_by };
    let select = || by_key(format!("SELECT v FROM {table} WHERE k = ?"), ROW);
    match task.action {
        Action::Lookup { calls: Calls::Each, .. } => Ok(vec![select()]),
        Action::Update { percent, redo } => {
            let change = by_key(
                match redo {
                    Redo::Light => format!("UPDATE {table} SET v = v + 1 WHERE k = ?"),
                    // Turned by one byte, the padding keeps its entropy and no two versions begin and end alike.
                    Redo::Heavy => format!(
                        "UPDATE {table} SET v = v + 1, pad = concat(substr(pad, 2), substr(pad, 1, 1)) WHERE k = ?"
                    ),
                },
                CHANGED_ROW,
            );
            Ok(match percent {
                0 => vec![select()],
                100 => vec![change],
                _ => vec![change, select()],
            })
        }
        // A transaction that has written nothing is not flushed, so it writes the smallest row there is.
        Action::Commit => Ok(vec![Planned {
            sql: format!("INSERT INTO {schema}.{COMMITS} (v) VALUES (0)"),
            types: "",
            example: "",
            reads_by: None,
        }]),
        _ => Err(DatabaseError::NoSuchWork {
            kind: "MariaDB",
            what: lacks(task).unwrap_or_default().to_string(),
            hint: "lookup, update and commit are measured on MariaDB; leave out --kind for the others",
        }),
    }
}

/// What this kind doesn't have of a task; `None` where it has all of it.
pub fn lacks(task: &Task) -> Option<&'static str> {
    match task.action {
        Action::Lookup { calls: Calls::Each, .. } | Action::Update { .. } | Action::Commit => None,
        Action::Lookup { calls: Calls::Any, .. } => Some("lookup by one statement with all keys"),
        Action::Lookup { calls: Calls::Inside, .. } => {
            Some("lookup by a function inside the server")
        }
        _ => Some(task.word()),
    }
}

/// Run-time settings of the load's sessions. What is durable is set for the whole server.
pub(crate) fn settings() -> Vec<String> {
    vec!["autocommit = 1".to_string()]
}

#[cfg(test)]
mod tests {
    use narrows_layer_database::{ScanAnswer, Source};

    use super::*;

    #[test]
    fn what_is_there_is_said_in_its_language_and_what_is_not_is_refused_with_a_way_out() {
        let of = |action| statements(&Task::new(action, Source::Pool), "s", "s.rows");
        let sql = |action| -> Vec<String> {
            of(action).unwrap().into_iter().map(|planned| planned.sql).collect()
        };
        let lookup = |calls| Action::Lookup { blocks: 4, calls };
        assert_eq!(sql(lookup(Calls::Each)), ["SELECT v FROM s.rows WHERE k = ?"]);
        assert_eq!(sql(Action::Update { percent: 30, redo: Redo::Light }).len(), 2);
        assert_eq!(sql(Action::Commit), ["INSERT INTO s.commits (v) VALUES (0)"]);
        for action in [
            lookup(Calls::Any),
            lookup(Calls::Inside),
            Action::Batch { blocks: 4 },
            Action::Scan { answer: ScanAnswer::Sum },
        ] {
            let error = of(action).unwrap_err().to_string();
            assert!(error.contains("MariaDB has no") && error.contains("\nhint: "), "{error}");
        }
    }
}
