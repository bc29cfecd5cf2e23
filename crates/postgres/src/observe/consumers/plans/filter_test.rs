use super::super::super::normalise::normalised;
use super::*;

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
