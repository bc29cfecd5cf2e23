use super::*;
use crate::monitor::fake::row;

#[test]
fn a_filter_that_compares_parameters_alone_tells_its_columns() {
    let columns = |filter: &str| equal_columns(&normalised(filter)).map(|all| all.join("|"));
    for (filter, found) in [
        ("(orders.customer = $1)", "customer"),
        ("((orders.state)::text = $2)", "state"),
        ("((orders.customer = $1) AND ((orders.state)::text = 'open'::text))", "customer|state"),
        (
            "((o.\"Customer\" = $1) AND (o.b = ANY ($2)) AND (o.c = ANY ($3::integer[])))",
            "Customer|b|c",
        ),
        ("(\"a) AND (b\" = $1)", "a) AND (b"),
        ("(o.a = 7)", "a"),
    ] {
        assert_eq!(columns(filter).as_deref(), Some(found), "{filter}");
    }
    for filter in [
        "(orders.customer > $1)",
        "(lower(orders.customer) = $1)",
        "((orders.customer)::numeric = $1)",
        "((orders.customer = $1) OR (orders.state = $2))",
        "((orders.customer = $1) AND (orders.total > $2))",
        "(orders.customer = orders.billed)",
        "(orders.customer = ($1 + 1))",
        "(NOT orders.paid)",
        "orders.paid",
        "(orders.customer IS NULL)",
        "",
        "((",
        "(a = $1) AND",
        "(a = f($1))",
    ] {
        assert_eq!(columns(filter), None, "{filter}");
    }
    let long = format!("({} = $1)", "x".repeat(500));
    assert_eq!(columns(&long), None, "it was cut");
}

#[test]
fn a_text_is_prepared_only_where_it_is_one_statement_without_literals() {
    assert_eq!(
        prepared("SELECT * FROM a WHERE b = $2 AND c = $11 ; \n"),
        Ok(("SELECT * FROM a WHERE b = $2 AND c = $11", 11))
    );
    assert_eq!(prepared("SELECT 1"), Ok(("SELECT 1", 0)));
    for refused in [
        "SELECT 1; DROP TABLE a",
        "SELECT 'x'",
        "SELECT $$x$$",
        "SELECT $x$y$x$",
        "SELECT U&\"\\0065vil\"()",
        "SELECT a$b FROM c",
        "SELECT $5000",
        "SELECT $99999999999999999999999",
    ] {
        assert!(prepared(refused).is_err(), "{refused}");
    }
    assert!(prepared(&"x ".repeat(LONGEST_TEXT)).is_err());
}

#[test]
fn functions_that_planning_may_call_keep_a_text_from_it_however_they_are_written() {
    let hazards = Hazards::of(&[
        row(["evil", ""]),
        row(["E vil", ""]),
        row(["quo\"ted", ""]),
        row(["öl", ""]),
    ]);
    for text in [
        "SELECT * FROM a WHERE b = evil()",
        "SELECT * FROM a WHERE b = public.EVIL ()",
        "SELECT * FROM a WHERE b = \"evil\"()",
        "SELECT /* \" */ evil() /* \" */",
        "SELECT \"E vil\"()",
        "SELECT \"quo\"\"ted\"()",
        "SELECT ÖL()",
    ] {
        let refusal = hazards.refusal(text);
        assert!(refusal.is_some_and(|why| why.starts_with("a statement without ")), "{text}");
    }
    assert_eq!(hazards.refusal("SELECT devil(), evils, evil_ FROM a WHERE b = $1"), None);
    let everywhere = Hazards::of(&[row(["f", "public.f"]), row(["g", ""])]);
    let refusal = everywhere.refusal("SELECT 1").unwrap();
    assert!(refusal.contains("uses public.f"), "{refusal}");
    let many: Vec<Row> = (0..=MOST_HAZARDS).map(|_| row(["f", ""])).collect();
    assert!(Hazards::of(&many).refusal("SELECT 1").is_some());
}

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

const PLAN: &str = r#"[{"Plan": {"Node Type": "Sort", "Total Cost": 120.5, "Plan Rows": 3, "Plans": [
    {"Node Type": "Bitmap Heap Scan", "Schema": "public", "Relation Name": "Orders", "Alias": "o", "Total Cost": 110.25, "Plan Rows": 3,
     "Recheck Cond": "(o.customer = $1)", "Filter": "((o.state)::text = 's3cr3t'::text)", "Plans": [
       {"Node Type": "Bitmap Index Scan", "Index Name": "orders_customer", "Index Cond": "(o.customer = $1)", "Total Cost": 4.5, "Plan Rows": 30}]}]}}]"#;

#[test]
fn a_plan_is_kept_in_a_small_form_without_literals() {
    let explained = serde_json::from_str(PLAN).unwrap();
    let plan = plan_of("7", &explained).unwrap();
    assert_eq!((plan.id.as_str(), plan.cost, plan.nodes.len()), ("7", 120.5, 3));
    let [sort, heap, bitmap] = &plan.nodes[..] else { panic!() };
    assert_eq!((sort.depth, heap.depth, bitmap.depth), (0, 1, 2));
    assert_eq!((sort.table.clone(), sort.rows), (None, 3.0));
    assert_eq!(heap.table.as_deref(), Some("public.\"Orders\""));
    assert_eq!(heap.index.as_deref(), Some("orders_customer"));
    assert_eq!(heap.index_condition.as_deref(), Some("(o.customer = $1)"));
    assert_eq!(heap.filter.as_deref(), Some("((o.state)::text = ?::text)"));
    assert_eq!(heap.filtered_equal, ["state"]);
    assert!(!serde_json::to_string(&plan).unwrap().contains("s3cr3t"));
    for none in ["[]", "{}", "[{}]", "7", r#"[{"Plan": 7}]"#] {
        let plan = plan_of("7", &serde_json::from_str(none).unwrap());
        assert!(plan.is_none_or(|plan| plan.cost == 0.0 && plan.nodes.len() == 1), "{none}");
    }
    // One below the other, as many as serde takes.
    let mut deep = String::from("{}");
    for _ in 0..60 {
        deep = format!(r#"{{"Node Type": "Limit", "Total Cost": 1, "Plans": [{deep}]}}"#);
    }
    let deep = serde_json::from_str(&format!(r#"[{{"Plan": {deep}}}]"#)).unwrap();
    assert_eq!(plan_of("7", &deep).unwrap().nodes.len(), StatementPlan::NODES);
}

#[test]
fn the_index_that_is_tried_begins_with_the_columns_of_the_one_that_is_read() {
    let index = |name: &str, columns: &str| IndexUse {
        name: name.into(),
        columns: columns.into(),
        ..IndexUse::default()
    };
    let explained = serde_json::from_str(PLAN).unwrap();
    let there = [index("other.orders_customer", "x"), index("public.orders_customer", "customer")];
    let found = suggested(&explained, &there).unwrap();
    assert_eq!(
        found.statement(),
        "CREATE INDEX ON \"public\".\"Orders\" (\"customer\", \"state\")"
    );
    assert_eq!(found.table_shown(), "public.\"Orders\"");
    assert_eq!(suggested(&explained, &there[..1]), None, "its columns are unknown");
    assert_eq!(suggested(&explained, &[index("public.orders_customer", "")]), None);
    assert_eq!(suggested(&explained, &[index("public.orders_customer", "a, b, c")]), None);
    let hostile = PLAN.replace("Orders", "a\\\"; DROP TABLE x; --'");
    let hostile = suggested(&serde_json::from_str(&hostile).unwrap(), &there).unwrap();
    assert_eq!(
        literal(&hostile.statement()).unwrap(),
        "'CREATE INDEX ON \"public\".\"a\"\"; DROP TABLE x; --''\" (\"customer\", \"state\")'"
    );
    assert_eq!(literal("a\\b"), None);
}
