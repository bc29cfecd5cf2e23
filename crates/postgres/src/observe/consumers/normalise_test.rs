use proptest::prelude::*;

use super::*;

#[test]
fn literals_and_comments_go_and_the_rest_stays_on_one_line() {
    for (sql, shape) in [
        (
            "SELECT  *\n\tFROM t WHERE a = 'x''y' AND b=12.5e-3",
            "SELECT * FROM t WHERE a = ? AND b=?",
        ),
        ("SELECT 1 -- pin 4711\n, 2 /* a /* b */ c */ + x2", "SELECT ? , ? + x2"),
        (
            r"SELECT E'it\'s \\', B'01', x'ff', N'n', U&'\0041' UESCAPE '!'",
            "SELECT ?, ?, ?, ?, ? UESCAPE ?",
        ),
        ("SELECT $1, $23 + $$it's$$ || $a_1$ $$ $a$ $a_1$", "SELECT $1, $23 + ? || ?"),
        (
            "SELECT a$b$c FROM \"My \"\"Table\" WHERE \"5\" = 0x1F",
            "SELECT a$b$c FROM \"My \"\"Table\" WHERE \"5\" = ?",
        ),
        ("UPDATE t SET a=-.5 WHERE b[1:2] <> 1_000", "UPDATE t SET a=-? WHERE b[?:?] <> ?"),
        ("ALTER ROLE bob PASSWORD 'hunter2'", "ALTER ROLE bob PASSWORD ?"),
        ("SELECT '1'::int, DATE '2024-01-01', 'a'\n'b'", "SELECT ?::int, DATE ?, ? ?"),
        ("select ünïcode FROM größe WHERE 1a = 2", "select ünïcode FROM größe WHERE ? = ?"),
        ("SELECT a; -- b\n ;", "SELECT a"),
        ("SELECT 1; SELECT 2;", "SELECT ?; SELECT ?"),
        ("SELECT data ? 'key', data->>'k'", "SELECT data ? ?, data->>?"),
        ("", ""),
        ("  -- nothing", ""),
    ] {
        assert_eq!(normalised(sql), shape, "{sql}");
    }
}

#[test]
fn a_list_of_placeholders_has_no_length() {
    for sql in ["a IN (1)", "a IN (1, -2,'x', $4)", "a in( 5 ,6 )", "a IN (?, ?)"] {
        let shape = normalised(sql);
        assert!(shape.ends_with("(...)"), "{sql}: {shape}");
    }
    assert_eq!(normalised("a IN (b, 1)"), "a IN (b, ?)");
    assert_eq!(normalised("f(1, 2)"), "f(?, ?)");
    assert_eq!(normalised("a IN (1, 2) AND b IN (SELECT 3)"), "a IN (...) AND b IN (SELECT ?)");
    assert_eq!(normalised("a IN (1,"), "a IN (?,");
    assert_eq!(normalised("\"in\" (1)"), "\"in\" (?)");
}

#[test]
fn what_is_cut_or_read_in_two_ways_is_dropped_to_the_end() {
    for (sql, shape) in [
        ("SELECT a FROM t WHERE b = 'secr", "SELECT a FROM t WHERE b = ?"),
        (r"SELECT E'a\'", "SELECT ?"),
        ("DO $body$ BEGIN secret", "DO ?"),
        ("SELECT 1 /* secret", "SELECT ?"),
        ("SELECT 1 FROM \"secr", "SELECT ? FROM"),
        // Where backslashes escape, the literal goes on.
        (r"SELECT 'a\' secret', 1", "SELECT ?"),
        (r"SELECT 'a\'' secret'", "SELECT ?"),
        (r"SELECT 'C:\\', b", "SELECT ?, b"),
    ] {
        assert_eq!(normalised(sql), shape, "{sql}");
    }
}

#[test]
fn a_long_text_ends_after_a_whole_token_and_nothing_in_it_steers() {
    let long = "SELECT ".to_string() + &"column_of_the_table, ".repeat(100);
    let shape = normalised(&long);
    assert!(shape.ends_with("column_of_the_table,…"), "{shape}");
    assert!(shape.chars().count() <= Consumers::TEXT && shape.chars().count() > 370, "{shape}");
    let exact = "x".repeat(Consumers::TEXT);
    assert_eq!(normalised(&exact), exact);
    assert_eq!(normalised(&format!("{exact}x")), MORE);
    let shape = normalised("SELECT a\u{1b}[2J\u{202e}b");
    assert!(!shape.contains(['\u{1b}', '\u{202e}']), "{shape:?}");
}

#[test]
fn a_digest_is_of_the_shape_and_never_a_number() {
    let of = |sql: &str| digest(&normalised(sql));
    assert_eq!(of("SELECT 1 FROM t"), of("SELECT  2 FROM t"));
    assert_ne!(of("SELECT 1 FROM t"), of("SELECT 1 FROM u"));
    assert_eq!(digest(""), "text-cbf29ce484222325", "FNV-1a of nothing is its offset");
    assert!(of("SELECT 1").parse::<i64>().is_err());
}

/// A piece of a statement, and what of it is secret.
fn piece() -> impl Strategy<Value = String> {
    let secret = "[ЖЩ]{1,3}";
    let number = "[0-9]{1,4}(\\.[0-9]{0,2})?(e[-+]?[0-9])?".prop_map(|n| format!(" {n} "));
    prop_oneof![
        secret.prop_map(|s| format!("'{s}'")),
        secret.prop_map(|s| format!("'{s}''{s}'")),
        secret.prop_map(|s| format!("E'{s}\\'{s}\\\\'")),
        secret.prop_map(|s| format!("$${s}'$a${s}$$")),
        secret.prop_map(|s| format!("\u{1}$a$-{s}$a$")),
        secret.prop_map(|s| format!("$tag${s}'$$'{s}$tag$ ")),
        secret.prop_map(|s| format!("--{s}\n")),
        secret.prop_map(|s| format!("/*{s}/*{s}*/'{s}*/")),
        number,
        Just("SELECT ".to_string()),
        Just(" IN (".to_string()),
        Just(", ".to_string()),
        Just(")".to_string()),
        Just("\"a name\"".to_string()),
        Just(" e ".to_string()),
        Just(" $1 ".to_string()),
    ]
}

proptest! {
    #[test]
    fn no_letter_of_a_literal_survives(pieces in prop::collection::vec(piece(), 0..12), cut in any::<prop::sample::Index>()) {
        // Dollars of two literals in a row would be read as other ones.
        let sql = pieces.join(" ");
        let ends: Vec<usize> = sql.char_indices().map(|(at, _)| at).chain([sql.len()]).collect();
        for text in [&sql[..], &sql[..ends[cut.index(ends.len())]]] {
            let shape = normalised(text);
            let digit = |(at, c): (usize, char)| c.is_ascii_digit() && !shape[..at].ends_with('$');
            prop_assert!(!shape.contains(['Ж', 'Щ']), "{text:?}: {shape:?}");
            prop_assert!(!shape.char_indices().any(digit), "{text:?}: {shape:?}");
        }
    }

    #[test]
    fn the_shape_of_a_shape_is_itself(text in "[-a-eA-E0-9$'\"\\\\/*(),.? \n\r\tIiNnUuXx&…Ж\u{1b}]{0,80}") {
        let shape = normalised(&text);
        prop_assert_eq!(normalised(&shape), shape);
    }

    #[test]
    fn any_text_has_a_shape_of_one_line(text in "\\PC{0,600}|(?s).{0,80}") {
        let shape = normalised(&text);
        prop_assert!(shape.chars().count() <= Consumers::TEXT);
        prop_assert!(!shape.contains(['\n', '\r']));
        prop_assert_eq!(normalised(&shape), shape.clone());
    }
}

#[test]
fn literals_are_kept_only_where_they_were_asked_for_and_steer_nothing() {
    let sql = "DELETE FROM t\n WHERE name = 'x\u{1b}[2J' AND id = 7";
    let kept = SentTexts::Whole.kept(sql).unwrap();
    assert!(kept.contains("'x") && kept.ends_with("AND id = 7"), "{kept}");
    assert!(!kept.chars().any(char::is_control), "{kept:?}");
    let shape = SentTexts::default().kept(sql).unwrap();
    assert_eq!(shape, "DELETE FROM t WHERE name = ? AND id = ?");
    let long = SentTexts::Whole.kept(&"x".repeat(100_000)).unwrap();
    assert_eq!(long.len(), Consumers::TEXT);
    assert_eq!(SentTexts::Whole.kept(" \n "), None);
}
