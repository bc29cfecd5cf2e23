use narrows_model::StatementGroup;

use super::*;
use crate::monitor::fake::row;

const S: u64 = 1_000_000_000;

/// A row of sessions of `web` in database 5 of user 10.
fn sessions(
    state: &'static str,
    wait: [&'static str; 2],
    pids: &'static str,
    of: [&'static str; 2],
    began: &'static str,
) -> Row {
    let count = ["0", "1", "2", "3"][pids.split(' ').count()];
    let found = ["client backend", state, wait[0], wait[1], count, pids];
    row([&found[..], &of, &["5", "10", "web", "10.0.0.7", "", began]].concat())
}

fn group<'a>(found: &'a SampledConsumers, kind: ConsumerKind, name: &str) -> &'a SampledGroup {
    let mut groups = found.groups.iter();
    groups.find(|group| group.kind == kind && group.name == name).expect(name)
}

#[test]
fn sessions_are_counted_by_what_they_belong_to() {
    let mut sampled = SampledGroups::default();
    for window in 0..6 {
        sampled.next_window(window * S);
        for half in 0..2 {
            let mut rows = vec![
                sessions("active", ["", ""], "11 12", ["-7", ""], "100 200"),
                sessions(
                    "active",
                    ["Lock", "tuple"],
                    "13",
                    ["8", ""],
                    ["300", "400"][half as usize],
                ),
                sessions("idle in transaction", ["Client", "ClientRead"], "14", ["8", ""], ""),
                row(["checkpointer", "", "IO", "DataFileWrite", "1"]),
                row(["client backend", "idle", "Client", "ClientRead", "90"]),
            ];
            // Two workers of the first one's, which tell nothing of their client themselves.
            let worker = ["parallel worker", "active", "IO", "DataFileRead", "2", "21 22"];
            rows.push(row(
                [&worker[..], &["", "", "5", "10", "", "local", "11", "100 100"]].concat()
            ));
            sampled.take(window * S + half * S / 2 + S / 4, &rows, 1000);
        }
        sampled.end_window((window + 1) * S);
    }
    assert_eq!(sampled.names_question().as_deref(), Some("EXECUTE narrows_names ('{5,10}')"));
    assert_eq!(sampled.names_question(), None, "it is asked once");
    sampled.take_names(&[row(["5", "shop"]), row(["99", "other"])]);
    assert_eq!(sampled.texts_question().as_deref(), Some("EXECUTE narrows_texts ('{-7,8}')"));
    sampled.take_texts(&[row(["-7", "SELECT 'secret'"]), row(["9", "SELECT 9"])]);
    for _ in 1..TRIES {
        assert_eq!(sampled.texts_question().as_deref(), Some("EXECUTE narrows_texts ('{8}')"));
    }
    assert_eq!((sampled.texts_question(), sampled.without_text()), (None, BTreeSet::from([8])));
    let found = sampled.found(true).unwrap();
    assert_eq!((found.samples, found.executions, found.by_text), (12, 4, false));
    assert_eq!(found.active, 5.0);
    let statement = group(&found, ConsumerKind::Statement, "-7");
    assert_eq!(statement.active, 4.0);
    let interval = statement.interval_95.unwrap();
    assert_eq!((interval.low, interval.high), (4.0, 4.0));
    assert_eq!(
        (statement.of(ActivityState::Running), statement.of(ActivityState::Read)),
        (2.0, 2.0)
    );
    assert_eq!(statement.events, [("IO:DataFileRead".to_string(), 2.0)]);
    let other = group(&found, ConsumerKind::Statement, "8");
    assert_eq!((other.active, other.of(ActivityState::IdleInTransaction)), (1.0, 1.0));
    assert_eq!(other.states.len(), 2);
    assert_eq!(group(&found, ConsumerKind::Database, "shop").active, 5.0);
    assert_eq!(group(&found, ConsumerKind::User, "10").active, 5.0, "one without a name");
    assert_eq!(group(&found, ConsumerKind::Application, "web").active, 5.0);
    assert_eq!(group(&found, ConsumerKind::Client, "10.0.0.7").active, 5.0);
    assert_eq!(found.groups.len(), 6);
    let history = found.history.as_ref().unwrap();
    assert_eq!(
        (history.statements.as_slice(), history.moments.len()),
        (&["-7".to_string(), "8".to_string()][..], 6)
    );
    let mean = |statement, state| {
        history.moments[5].mean(|f| f.statement == statement && f.state == state)
    };
    assert_eq!(mean(StatementGroup::Listed(0), ActivityState::Read), 2.0, "of the workers");
    assert_eq!(mean(StatementGroup::Listed(1), ActivityState::IdleInTransaction), 1.0);
    assert_eq!(mean(StatementGroup::Listed(1), ActivityState::Lock), 1.0);
    assert_eq!(history.times(|f| f.statement == StatementGroup::Listed(0)), 12 * 4);
    assert_eq!(
        history.times(|f| matches!(f.statement, StatementGroup::Others | StatementGroup::Unknown)),
        0
    );
    assert_eq!(found.texts, [("-7".to_string(), "SELECT ?".to_string())]);
}

#[test]
fn statements_without_ids_are_told_apart_by_their_shapes() {
    let mut sampled = SampledGroups::default();
    sampled.next_window(0);
    let rows = [
        sessions("active", ["", ""], "11", ["", "SELECT 1 FROM t"], "1"),
        sessions("active", ["", ""], "12", ["", "SELECT 2 FROM t"], "1"),
        sessions("active", ["", ""], "13", ["", "SELECT 2 FROM u"], "1"),
    ];
    sampled.take(S / 2, &rows, 1000);
    sampled.end_window(S);
    let found = sampled.found(false).unwrap();
    assert!(found.by_text && found.groups[0].interval_95.is_none());
    let name = digest("SELECT ? FROM t");
    assert_eq!(group(&found, ConsumerKind::Statement, &name).active, 2.0);
    assert!(found.texts.contains(&(name, "SELECT ? FROM t".to_string())));
    assert_eq!((found.texts.len(), sampled.texts_question()), (2, None));
}

#[test]
fn groups_are_bounded_and_the_sum_has_all() {
    let mut sampled = SampledGroups::default();
    sampled.next_window(0);
    let mut rows = Vec::new();
    for n in 0..2 * MOST_GROUPS {
        let mut one = sessions("active", ["", ""], "11", ["5", ""], "1");
        one[column::ID] = Some(n.to_string());
        one[column::APPLICATION] = Some(format!("worker {n}"));
        rows.push(one);
    }
    sampled.take(S / 2, &rows, 1000);
    sampled.end_window(S);
    assert_eq!(sampled.groups.len(), 2 * MOST_GROUPS + 3);
    let found = sampled.found(false).unwrap();
    assert_eq!(found.active, 2.0 * MOST_GROUPS as f64);
    assert_eq!(found.groups.len(), 2 * Consumers::KEPT + 3);
    assert_eq!(found.executions, 1);
    let history = found.history.unwrap();
    let times = |statement| history.times(|f| f.statement == statement);
    assert_eq!((history.statements.len(), times(StatementGroup::Unknown)), (5, 0));
    assert_eq!(history.times(|_| true), 2 * MOST_GROUPS as u64);
    assert_eq!(SampledGroups::default().found(true), None);
}

#[test]
fn it_is_asked_for_ids_where_there_are_some() {
    assert!(prepare(true).contains("THEN nullif(query_id, 0) END AS id"));
    assert!(prepare(false).contains("THEN NULL::pg_catalog.int8 END AS id"));
}

#[test]
fn a_statement_that_was_found_before_it_had_an_id_is_the_same_one_over_time() {
    assert_eq!(
        without_numbers("SELECT $1 || $12 FROM a$b$ WHERE c = ?"),
        "SELECT ? || ? FROM a$b$ WHERE c = ?"
    );
    let mut sampled = SampledGroups::default();
    sampled.next_window(0);
    let rows = [
        sessions("active", ["", ""], "11 12", ["5", ""], "1 1"),
        sessions("active", ["", ""], "13", ["", "SELECT 7 FROM t"], "1"),
        sessions("active", ["", ""], "14", ["", "SELECT 7 FROM u"], "1"),
    ];
    sampled.take(S / 2, &rows, 1000);
    sampled.end_window(S);
    sampled.know_text(5, "SELECT $1 FROM t".to_string());
    let history = sampled.found(false).unwrap().history.unwrap();
    assert_eq!(history.statements, ["5".to_string(), digest("SELECT ? FROM u")]);
    assert_eq!(history.times(|found| found.statement == StatementGroup::Listed(0)), 3);
    assert_eq!(history.times(|_| true), 4);
}
