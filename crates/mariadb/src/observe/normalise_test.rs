use narrows_engine::Rng;

use super::*;

#[test]
fn literals_and_comments_go_and_the_rest_stays_on_one_line() {
    for (sql, shape) in [
        (
            "SELECT  *\n\tFROM t WHERE a = 'x''y' AND b=12.5e-3",
            "SELECT * FROM t WHERE a = ? AND b=?",
        ),
        ("SELECT \"it's\", \"a\"\"b\" FROM `My ``T` # pin 4711\n", "SELECT ?, ? FROM `My ``T`"),
        ("SELECT 1 -- pin 4711\n, 2 /* a /* b */ + x2", "SELECT ? , ? + x2"),
        ("SELECT 5--3, a --b", "SELECT ?- -?, a - -b"),
        ("SELECT x'ff', B'01', N'n', _utf8mb4'a', 0x1F, .5", "SELECT ?, ?, ?, _utf8mb4?, ?, ?"),
        ("SET PASSWORD FOR bob = PASSWORD('hunter2')", "SET PASSWORD FOR bob = PASSWORD(?)"),
        ("CREATE USER a@'10.0.0.1' IDENTIFIED BY \"s3cret\"", "CREATE USER a@? IDENTIFIED BY ?"),
        ("SELECT 'C:\\\\', b", "SELECT ?, b"),
        ("SELECT /*!40001 SQL_NO_CACHE */ a", "SELECT a"),
        ("select größe from 1a where @v = 2;\n;", "select größe from ? where @v = ?"),
        (
            "SELECT a FROM t WHERE b IN (1, -2, 'x') AND c IN(d, 1)",
            "SELECT a FROM t WHERE b IN (...) AND c IN(d, ?)",
        ),
        ("INSERT INTO t VALUES (1,'a',NULL),(2,'b',-3)", "INSERT INTO t VALUES (...)"),
        ("SELECT f(1, 2), (3)", "SELECT f(?, ?), (?)"),
        ("", ""),
        (" -- nothing", ""),
    ] {
        assert_eq!(normalised(sql), shape, "{sql}");
    }
}

#[test]
fn what_is_cut_or_read_in_two_ways_is_dropped_to_the_end() {
    for (sql, shape) in [
        ("SELECT a FROM t WHERE b = 'secr", "SELECT a FROM t WHERE b = ?"),
        ("SELECT \"secr", "SELECT ?"),
        ("SELECT a FROM `secr", "SELECT a FROM"),
        ("SELECT 1 /* secret", "SELECT ?"),
        // With NO_BACKSLASH_ESCAPES the literal ends at the quote behind the backslash.
        (r"SELECT 'a\' secret', 'b'", "SELECT ?"),
        (r#"SELECT "a\" secret", 'b'"#, "SELECT ?"),
        (r"SELECT 'a\'' secret", "SELECT ?"),
        // A server of an older version takes it for a comment.
        ("SELECT 1 /*!999999 don't */, 'secret'", "SELECT ?"),
        ("SELECT 1 /*M!100100 # */ , 'a\nsecret'", "SELECT ?"),
        ("SELECT 1 /*!50000 /* x */ secret */", "SELECT ?"),
    ] {
        assert_eq!(normalised(sql), shape, "{sql}");
        assert!(!normalised(sql).contains("secr"), "{sql}");
    }
}

#[test]
fn a_digests_text_and_a_sessions_have_one_key() {
    let of = key;
    assert_eq!(
        of("SELECT c FROM sbtest1 WHERE id=501"),
        of("SELECT `c` FROM `sbtest1` WHERE `id` = ?")
    );
    assert_eq!(
        of("select a from t where b in (1,2)"),
        of("SELECT `a` FROM `t` WHERE `b` IN (...)")
    );
    assert_eq!(of("INSERT INTO t VALUES (1,2),(3,4)"), of("INSERT INTO `t` VALUES (...) , ... "));
    assert_ne!(of("SELECT a FROM t"), of("SELECT b FROM t"));
    // However long it is: the two are cut at different places.
    let columns = vec!["column_of_a_wide_table"; 60];
    let (bare, quoted) = (columns.join(","), columns.join("` , `"));
    let sql = format!("SELECT {bare} FROM t WHERE a = 'x'");
    assert_eq!(of(&sql), of(&format!("SELECT `{quoted}` FROM `t` WHERE `a` = ?")));
    assert_ne!(digest(&of("SELECT a")), digest(&of("SELECT b")));
}

#[test]
fn a_hostile_text_neither_grows_nor_stops_and_its_shape_is_its_own_shape() {
    let parts = [
        "'", "\"", "`", "\\", "/*", "*/", "/*!", "#", "-- ", "--", "\n", " ", "(", ")", ",", "in",
        "values", "secret", "1e+", ".5", "x'", ";", "é", "\u{202e}", "\0", "?", "(...)", "null",
    ];
    let mut rng = Rng::new(23);
    for round in 0..4000 {
        let length = rng.below(40);
        let sql: String =
            (0..length).map(|_| parts[rng.below(parts.len() as u64) as usize]).collect();
        let shape = normalised(&sql);
        assert!(shape.chars().count() <= Consumers::TEXT, "{round}: {sql}");
        assert!(!shape.chars().any(char::is_control), "{round}: {sql}");
        // A name in backticks may have quotes in it.
        let quotes = shape.contains(['\'', '"']);
        assert!(!quotes || shape.contains('`'), "{round}: {sql}: {shape}");
        assert_eq!(normalised(&shape), shape, "{round}: {sql}");
    }
    let long = format!("SELECT {}", "a, ".repeat(10_000));
    let shape = normalised(&long);
    assert!(shape.ends_with('…') && shape.chars().count() == Consumers::TEXT, "{shape}");
    assert_eq!(normalised(&shape), shape);
}

/// Whatever stands before it, what stands in quotes never stays: of each prefix that the server itself reads to its end.
#[test]
fn no_literal_stays_behind_any_beginning() {
    let beginnings = [
        "SELECT a, ",
        "SELECT 'x', ",
        "SELECT \"y\", ",
        "SELECT `n`, ",
        "/* c */ SELECT ",
        "# c'\nSELECT ",
        "-- c\"\nSELECT ",
    ];
    for beginning in beginnings {
        for literal in ["'secret'", "\"secret\"", "'a''secret'", "x'secret'", "'\\\\secret'"] {
            for end in ["", ", 'b'", " FROM t", " -- z", " /* secret */"] {
                let shape = normalised(&format!("{beginning}{literal}{end}"));
                assert!(!shape.contains("secret"), "{beginning}{literal}{end}: {shape}");
            }
        }
    }
}
