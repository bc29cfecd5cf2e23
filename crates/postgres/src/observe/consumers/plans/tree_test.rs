use super::super::names::literal;
use super::*;

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
