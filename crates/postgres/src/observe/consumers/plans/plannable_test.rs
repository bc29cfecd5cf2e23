use super::*;
use crate::monitor::fake::row;

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
