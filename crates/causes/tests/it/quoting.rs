//! Statements to paste hold the names of others, and nothing that a name could make of them.

use narrows_causes::causes;
use narrows_model::{ActivityState::*, HorizonKind, Run, StatementFigures, TableUse, UnindexedKey};

use crate::built::*;
use crate::pairs::PAIRS;

const HOSTILE: &str = "a\"; DROP TABLE x; --";
const QUOTED: &str = "\"a\"\"; DROP TABLE x; --\"";
const TEXT: &str = "a'; DROP TABLE x; --\\";
const LITERAL: &str = "E'a''; DROP TABLE x; --\\\\'";

/// What is left of a statement without what is in quotes; `None` where quotes don't end.
fn bare(statement: &str) -> Option<String> {
    let (mut bare, mut chars) = (String::new(), statement.chars().peekable());
    while let Some(c) = chars.next() {
        if c != '"' && c != '\'' {
            bare.push(c);
            continue;
        }
        let escapes = c == '\'' && bare.ends_with('E');
        loop {
            let next = chars.next()?;
            if next == c && chars.next_if_eq(&c).is_none() {
                break;
            }
            if next == '\\' && escapes {
                chars.next()?;
            }
        }
    }
    Some(bare)
}

/// Each statement is one, or one of ours and a reload.
fn pasted(run: &Run) -> Vec<String> {
    let found = causes(run).into_iter().filter_map(|cause| cause.statement);
    let statements: Vec<String> = found.collect();
    for statement in &statements {
        let bare = bare(statement).unwrap_or_else(|| panic!("quotes don't end: {statement}"));
        let bare = bare.replace("; SELECT pg_reload_conf()", "");
        assert!(
            !bare.contains([';', '\n']) && !bare.contains("--") && !bare.contains("DROP TABLE"),
            "{statement}"
        );
    }
    statements
}

#[test]
fn roles_are_quoted() {
    let mut run = healthy();
    statement(
        &mut run,
        "1",
        "SELECT * FROM orders ORDER BY total",
        StatementFigures { temp_blocks: 300e3, jit_ns: Some(5e9), ..calls(100.0, 1e8) },
    );
    books(&mut run).list[0].user = HOSTILE.into();
    let found = pasted(&run);
    assert!(found.contains(&format!("ALTER ROLE {QUOTED} SET work_mem = '32MB'")), "{found:?}");
    assert!(found.contains(&format!("ALTER ROLE {QUOTED} SET jit = off")), "{found:?}");
}

#[test]
fn roles_in_words_to_type_are_quoted_too() {
    let mut run = healthy();
    let mut head = session(7, &[], "idle in transaction", 30.0);
    head.user = HOSTILE.into();
    queued(&mut run, head);
    queued(&mut run, waiter(8, 7));
    let cause = &causes(&run)[0];
    let text = format!("ALTER ROLE {QUOTED} SET idle_in_transaction_session_timeout");
    assert!(cause.action.contains(&text), "{}", cause.action);
    assert!(cause.undo.contains(&format!("ALTER ROLE {QUOTED} RESET")), "{}", cause.undo);
}

#[test]
fn tables_and_columns_are_quoted_and_what_is_no_name_gets_no_statement() {
    let scan = |name: &str, text: &str, with_key: bool| {
        let mut run = healthy();
        table(
            &mut run,
            TableUse {
                name: name.into(),
                sequential_scans: 100.0,
                sequential_rows: 100e5,
                dead_rows: 300e3,
                live_rows: 100e3,
                changed_since_analyze: 90e3,
                autovacuum_off: true,
                ..orders()
            },
        );
        let took = StatementFigures { blocks_hit: 2000.0 * 100.0, ..calls(100.0, 20e6) };
        statement(&mut run, "1", text, took);
        if with_key {
            consumers(&mut run).unindexed_keys.push(UnindexedKey {
                name: "key".into(),
                table: name.into(),
                columns: format!("id, {QUOTED}"),
                refers_to: "public.customers".into(),
                rows_gone: 100.0,
            });
        }
        pasted(&run)
    };
    let text = format!("SELECT * FROM {QUOTED} WHERE {QUOTED} = $1");
    let found = scan(&format!("public.{QUOTED}"), &text, false);
    let index = format!("CREATE INDEX CONCURRENTLY ON public.{QUOTED} ({QUOTED})");
    let vacuum = format!("VACUUM (ANALYZE, VERBOSE) public.{QUOTED}");
    for statement in [index, vacuum] {
        assert!(found.contains(&statement), "{statement}: {found:?}");
    }
    let found = scan(&format!("public.{QUOTED}"), &text, true);
    let of_key = format!("CREATE INDEX CONCURRENTLY ON public.{QUOTED} (id, {QUOTED})");
    assert!(found.contains(&of_key), "{of_key}: {found:?}");
    // Not as PostgreSQL quotes names.
    let text = format!("SELECT * FROM {HOSTILE} WHERE a = $1");
    assert_eq!(scan(HOSTILE, &text, true), Vec::<String>::new());
}

#[test]
fn indexes_sequences_and_columns_of_plans_are_quoted_and_what_is_no_name_gets_no_statement() {
    let objects = |name: &str, columns: &str| {
        let mut run = healthy();
        let used = index(&mut run, 100.0, 5000.0);
        used.name = format!("public.{name}");
        used.columns = columns.into();
        used.invalid = true;
        sequence(&mut run, 2e9, 2_147_483_647.0, false);
        consumers(&mut run).sequences[0].name = name.into();
        table(&mut run, orders());
        plan(&mut run, "Index Scan", Some(name), "(a = $1)", &[columns]);
        let took = StatementFigures { blocks_hit: 2000.0 * 100.0, ..calls(100.0, 20e6) };
        statement(&mut run, "1", "SELECT * FROM orders WHERE a = $1", took);
        pasted(&run)
    };
    let found = objects(QUOTED, QUOTED);
    for statement in [
        format!("CREATE INDEX CONCURRENTLY ON public.orders ({QUOTED}, {QUOTED})"),
        format!("DROP INDEX CONCURRENTLY public.{QUOTED}"),
        format!("ALTER SEQUENCE {QUOTED} AS bigint"),
    ] {
        assert!(found.contains(&statement), "{statement}: {found:?}");
    }
    assert_eq!(objects(HOSTILE, HOSTILE), Vec::<String>::new());
}

#[test]
fn names_that_are_texts_are_literals() {
    let mut run = healthy();
    reserves(&mut run).unread_slots.push((TEXT.into(), 2e9));
    assert_eq!(pasted(&run), [format!("SELECT pg_drop_replication_slot({LITERAL})")]);
    let mut run = healthy();
    queued(&mut run, session(0, &[], "", 0.0));
    queued(&mut run, waiter(8, 0));
    consumers(&mut run).horizon.push(holder(HorizonKind::Prepared, TEXT, Some(9e9), 1.0));
    let named = |run: &Run| causes(run)[0].action.contains(&format!("ROLLBACK PREPARED {LITERAL}"));
    assert!(named(&run), "{:?}", causes(&run));
    // Of two, it isn't known which one it is.
    consumers(&mut run).horizon.push(holder(HorizonKind::Prepared, "b", Some(9e9), 1.0));
    assert!(!named(&run), "{:?}", causes(&run));
    let mut run = healthy();
    at(&mut run, Log, 8.0, "IPC:SyncRep");
    seen(&mut run).sessions.log_senders = Some(0.0);
    set(&mut run, "synchronous_standby_names", TEXT);
    assert!(
        causes(&run)[0]
            .undo
            .starts_with(&format!("ALTER SYSTEM SET synchronous_standby_names = {LITERAL};"))
    );
}

#[test]
fn a_holder_that_is_no_number_of_a_process_gets_no_statement() {
    let mut run = healthy();
    table(&mut run, TableUse { live_rows: 4e3, dead_rows: 300e3, ..orders() });
    consumers(&mut run).horizon.push(holder(
        HorizonKind::Session,
        "1); DROP TABLE x; --",
        Some(90e9),
        5.0,
    ));
    assert_eq!(causes(&run)[0].id, "horizon-held");
    assert_eq!(pasted(&run), Vec::<String>::new());
}

#[test]
fn all_statements_of_all_rules_are_one_each() {
    let mut all = 0;
    for pair in PAIRS {
        let mut run = healthy();
        (pair.fires)(&mut run);
        all += pasted(&run).len();
    }
    assert!(all > 20, "{all}");
}

#[test]
fn quotes_that_do_not_end_are_found() {
    assert_eq!(bare("a \"b\"\"; c\" 'd''e' E'f\\'g'"), Some("a    E".replace("    ", "   ")));
    assert_eq!(bare("a 'b"), None);
}
