//! The statements that an operation is made of, and the settings under which the server plans them as they are meant.

use narrows_layer_database::{Action, Calls, Planned, Redo, ScanAnswer as Answer, Task, Variation};

/// The statements that one operation is made of.
pub(crate) fn statements(task: &Task, table: &str, workers: u32) -> Vec<Planned> {
    const INDEX: Option<&[&str]> = Some(&["Index Scan"]);
    let one = |sql: String| Planned { sql, types: "bigint", example: "1", reads_by: INDEX };
    let select = || one(format!("SELECT v FROM {table} WHERE k = $1"));
    let many = |reads_by| Planned {
        sql: format!("SELECT v FROM {table} WHERE k = ANY ($1)"),
        types: "bigint[]",
        example: "'{1,2,3}'",
        reads_by,
    };
    let whole = |sql: String, reads_by| Planned { sql, types: "", example: "", reads_by };
    match task.action {
        Action::Lookup { calls: Calls::Each, .. } => vec![select()],
        Action::Lookup { calls: Calls::Any, .. } => vec![many(INDEX)],
        // What runs inside is explained too: it is where the blocks are read.
        Action::Lookup { calls: Calls::Inside, .. } => vec![inside(table), select()],
        Action::Batch { .. } => vec![many(Some(&["Bitmap Heap Scan", "Bitmap Index Scan"]))],
        Action::Update { percent, redo } => {
            let change = one(match redo {
                Redo::Light => format!("UPDATE {table} SET v = v + 1 WHERE k = $1"),
                // Turned by one byte, the padding keeps its entropy and no two versions begin and end alike, unless it is all zeros.
                Redo::Heavy => format!(
                    "UPDATE {table} SET v = v + 1, pad = substr(pad, 2) || substr(pad, 1, 1) WHERE k = $1"
                ),
            });
            match percent {
                0 => vec![select()],
                100 => vec![change],
                _ => vec![change, select()],
            }
        }
        // A transaction that has written no log is not flushed, so it writes the smallest record there is.
        Action::Commit => vec![Planned {
            sql: "SELECT pg_logical_emit_message(true, 'narrows', '')".to_string(),
            types: "",
            example: "",
            reads_by: Some(&[]),
        }],
        // The sum has to read every row; a bare count could be answered from less.
        Action::Scan { answer: Answer::Sum } if workers > 1 => {
            vec![whole(format!("SELECT sum(v) FROM {table}"), Some(&["Parallel Seq Scan"]))]
        }
        Action::Scan { answer: Answer::Sum } => {
            vec![whole(format!("SELECT sum(v) FROM {table}"), Some(&["Seq Scan"]))]
        }
        Action::Scan { answer: Answer::Count } => {
            vec![whole(format!("SELECT count(*) FROM {table}"), None)]
        }
    }
}

/// Run-time settings of its sessions.
pub(crate) fn settings(task: &Task, variation: &Variation) -> Vec<String> {
    let mut settings =
        vec!["jit = off".to_string(), "plan_cache_mode = force_generic_plan".to_string()];
    let batch = matches!(task.action, Action::Batch { .. });
    settings.push(format!("enable_bitmapscan = {}", if batch { "on" } else { "off" }));
    if batch {
        settings.push("enable_indexscan = off".to_string());
    }
    match task.action {
        Action::Scan { answer } => {
            // The leader scans too. With pages at their usual price all plans of a one-row-per-block table cost
            // the same to within the planner's tolerance of 1 %, and the serial one wins.
            let helpers = variation.workers - 1;
            settings.push(format!("max_parallel_workers_per_gather = {helpers}"));
            settings.push("parallel_setup_cost = 0".to_string());
            settings.push("parallel_tuple_cost = 0".to_string());
            if answer == Answer::Sum {
                settings.push("seq_page_cost = 0".to_string());
                settings.push("enable_indexscan = off".to_string());
                settings.push("enable_indexonlyscan = off".to_string());
            }
        }
        _ => {
            settings.push("max_parallel_workers_per_gather = 0".to_string());
            // An array's length is not known to a generic plan, and the whole table is a few pages to a small one.
            settings.push("enable_seqscan = off".to_string());
        }
    }
    if task.commits() > 0.0 {
        let on = if variation.synchronous_commit { "on" } else { "off" };
        settings.push(format!("synchronous_commit = {on}"));
    }
    settings
}

/// Name of the function that looks up inside the server, beside the table.
pub(crate) fn inside_name(table: &str) -> String {
    format!("{table}_inside")
}

/// Creates it. It counts the rows it found, so that the client sees whether it found them all.
pub(crate) fn inside_function(table: &str) -> String {
    let name = inside_name(table);
    format!(
        "CREATE OR REPLACE FUNCTION {name}(keys bigint[]) RETURNS bigint LANGUAGE plpgsql AS $$ \
         DECLARE key bigint; value bigint; found_rows bigint := 0; BEGIN \
         FOREACH key IN ARRAY keys LOOP \
         SELECT v INTO value FROM {table} WHERE k = key; \
         IF FOUND THEN found_rows := found_rows + 1; END IF; END LOOP; RETURN found_rows; END $$"
    )
}

fn inside(table: &str) -> Planned {
    Planned {
        sql: format!("SELECT {}($1)", inside_name(table)),
        types: "bigint[]",
        example: "'{1,2,3}'",
        reads_by: Some(&[]),
    }
}

#[cfg(test)]
#[path = "task_test.rs"]
mod on_a_server;

#[cfg(test)]
mod tests {
    use narrows_layer_database::Source;

    use super::*;

    fn statements(action: Action) -> Vec<String> {
        let task = Task::new(action, Source::Pool);
        super::statements(&task, "s.rows", 1).into_iter().map(|statement| statement.sql).collect()
    }

    #[test]
    fn a_mix_has_both_statements_and_its_ends_only_one() {
        let of = |percent| statements(Action::Update { percent, redo: Redo::Light });
        assert_eq!(of(0), ["SELECT v FROM s.rows WHERE k = $1"]);
        assert_eq!(of(100), ["UPDATE s.rows SET v = v + 1 WHERE k = $1"]);
        assert_eq!(of(30).len(), 2);
    }

    #[test]
    fn only_what_commits_durably_sets_the_commit() {
        let has = |action| {
            let settings = super::settings(
                &Task::new(action, Source::Pool),
                &Variation::closed("database.x", 1),
            );
            settings.iter().any(|setting| setting == "synchronous_commit = on")
        };
        assert!(has(Action::Commit) && has(Action::Update { percent: 10, redo: Redo::Heavy }));
        assert!(!has(Action::Update { percent: 0, redo: Redo::Heavy }));
        assert!(!has(Action::Lookup { blocks: 1, calls: Calls::Each }));
    }
}
