use super::*;
use crate::monitor::fake::row;

fn used(id: &str, text: &str, exec_ns: f64, blocks: f64) -> StatementUse {
    StatementUse {
        id: id.into(),
        user: "app".into(),
        database: "shop".into(),
        text: Some(text.into()),
        took: narrows_model::StatementFigures {
            calls: 10.0,
            exec_ns,
            blocks_hit: blocks,
            ..Default::default()
        },
        before: None,
    }
}

#[test]
fn statements_with_most_time_that_read_more_than_a_few_blocks_are_planned() {
    let mut statistics = StatementStatistics {
        list: vec![
            used("1", "SELECT a", 10.0, 1e4),
            used("2", "UPDATE a", 50.0, 340.0),
            used("3", "SELECT few", 20.0, 330.0),
            used("4", "SELECT short", 9.0, 1e4),
            used("5", "VACUUM a", 11.0, 1e4),
            used("6", "WITH a", 12.0, 1e4),
            used("7", "(delete", 13.0, 1e4),
            used("8", "SELECT elsewhere", 13.0, 1e4),
        ],
        ..StatementStatistics::default()
    };
    statistics.list[7].database = "other".into();
    statistics.all.exec_ns = 100.0;
    let text = |id: &'static str, database: &'static str, text: &'static str| {
        row(["10", "5", id, "f", "app", database, text])
    };
    let texts = [
        text("1", "shop", "SELECT\na"),
        text("2", "other", "UPDATE of another"),
        text("2", "shop", "UPDATE\na"),
        text("5", "shop", "VACUUM a"),
        text("6", "shop", "WITH\na"),
        text("7", "shop", "DELETE\na"),
    ];
    let found = candidates("shop", &statistics, &texts);
    let found: Vec<&str> = found.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(found, ["UPDATE\na", "DELETE\na", "WITH\na"]);
}
