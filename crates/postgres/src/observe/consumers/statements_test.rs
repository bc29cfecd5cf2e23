use super::*;
use crate::monitor::fake::row;

/// The extension of a version, as its script has it.
fn of_version(major: u32) -> Extension {
    let text = match major {
        13 => include_str!("columns/13.txt"),
        15 => include_str!("columns/15.txt"),
        17 => include_str!("columns/17.txt"),
        _ => include_str!("columns/18.txt"),
    };
    let arguments = text.lines().find(|line| !line.starts_with('#')).unwrap();
    let mut rows = vec![row(["\"My schema\"", "pg_stat_statements", arguments, "t"])];
    if major >= 14 {
        rows.push(row(["\"My schema\"", "pg_stat_statements_info", "dealloc stats_reset", "t"]));
    }
    match Extension::find(&rows) {
        Search::Here(extension) => extension,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_version_is_asked_for_the_columns_that_it_has() {
    const ALL: &str = "calls, total_exec_time, total_plan_time, rows, shared_blks_hit, shared_blks_read, \
                       shared_blks_dirtied, temp_blks_read + temp_blks_written";
    const JIT: &str =
        "jit_generation_time + jit_inlining_time + jit_optimization_time + jit_emission_time";
    const TEMP: &str = "temp_blk_read_time + temp_blk_write_time";
    const SINCE: &str = "extract(epoch FROM stats_since)";
    for (major, since, rest, only) in [
        (13, "NULL", "blk_read_time, NULL, wal_bytes, NULL".to_string(), ""),
        (15, "NULL", format!("blk_read_time, {TEMP}, wal_bytes, {JIT}"), " AND toplevel"),
        (17, SINCE, format!("shared_blk_read_time, {TEMP}, wal_bytes, {JIT}"), " AND toplevel"),
        (18, SINCE, format!("shared_blk_read_time, {TEMP}, wal_bytes, {JIT}"), " AND toplevel"),
    ] {
        let extension = of_version(major);
        assert_eq!(
            extension.prepare(),
            format!(
                "PREPARE narrows_statements AS SELECT userid, dbid, queryid, {since}, {ALL}, {rest} \
                 FROM \"My schema\".pg_stat_statements(false) WHERE queryid IS NOT NULL{only} LIMIT 50001"
            ),
            "of {major}"
        );
        assert_eq!((extension.told, extension.knows_outermost()), (major > 13, major > 13));
    }
    // Left behind by an upgrade of the server.
    let mut old = of_version(13);
    old.columns = ["calls", "total_time"].map(String::from).into();
    assert!(old.prepare().contains("NULL, calls, total_time, NULL, NULL,"), "{}", old.prepare());
}

#[test]
fn an_extension_that_is_not_there_or_not_for_us_is_not_asked() {
    assert_eq!(Extension::find(&[]), Search::NotHere);
    let info = row(["public", "pg_stat_statements_info", "dealloc stats_reset", "t"]);
    assert_eq!(Extension::find(std::slice::from_ref(&info)), Search::NotHere);
    let denied = row(["private", "pg_stat_statements", "showtext userid", "f"]);
    assert_eq!(Extension::find(&[info, denied]), Search::NotAllowed);
}

/// An entry of user 10 in database 5.
fn entry(id: &'static str, since: &'static str, calls: &'static str, exec_ms: &'static str) -> Row {
    let rest = ["1.5", "20", "30", "40", "5", "6", "", "", "700", ""];
    row([&["10", "5", id, since, calls, exec_ms][..], &rest].concat())
}

fn reading(rows: &[Row], info: [&'static str; 2]) -> Reading {
    Reading::of(rows, &[row(info)]).unwrap()
}

fn counted(then: &Reading, now: &Reading) -> StatementStatistics {
    now.since(then).with_texts(&[], Switches::default()).0
}

#[test]
fn two_readings_are_subtracted_by_entry() {
    let then = reading(&[entry("1", "", "10", "100"), entry("2", "", "5", "50")], ["3", "90.5"]);
    let now = reading(
        &[entry("1", "", "15", "400.5"), entry("2", "", "5", "50"), entry("-3", "", "2", "9")],
        ["3", "90.5"],
    );
    let found = counted(&then, &now);
    assert_eq!((found.counted, found.evicted, found.reset), (2, false, false));
    let [first, second] = &found.list[..] else { panic!("{found:?}") };
    assert_eq!((first.id.as_str(), first.took.calls), ("1", 5.0));
    assert_eq!((first.took.exec_ns, first.took.wal_bytes), (300.5e6, 0.0));
    assert_eq!((second.id.as_str(), second.took.calls), ("-3", 2.0));
    assert_eq!((second.took.blocks_hit, second.took.blocks_read), (30.0, 40.0));
    assert_eq!((second.took.temp_blocks, second.took.wal_bytes), (6.0, 700.0));
    assert_eq!((found.all.calls, found.all.exec_ns), (7.0, 309.5e6));
    // Planning was counted for it, whatever the setting of our session.
    assert!(found.planning_counted && second.took.plan_ns == Some(1.5e6));
    assert_eq!((second.took.read_ns, second.took.jit_ns), (None, None));
}

#[test]
fn an_entry_made_anew_counts_from_zero_and_it_is_said() {
    let then = [entry("1", "7", "10", "100"), entry("2", "7", "50", "50")];
    for (now, calls) in [
        // It fell, or is counted since another moment.
        ([entry("1", "7", "4", "30"), entry("2", "7", "50", "50")], 4.0),
        ([entry("1", "8", "12", "130"), entry("2", "7", "50", "50")], 12.0),
        ([entry("1", "7", "11", "20"), entry("2", "7", "50", "50")], 11.0),
    ] {
        let found = counted(&reading(&then, ["3", "9"]), &reading(&now, ["3", "9"]));
        assert_eq!((found.evicted, found.reset, found.all.calls), (true, false, calls), "{now:?}");
    }
    let same = reading(&then, ["3", "9"]);
    let quiet = counted(&same, &same);
    assert_eq!((quiet.evicted, quiet.reset, quiet.counted), (false, false, 0));
    assert!(counted(&same, &reading(&then, ["4", "9"])).evicted, "one of others");
    assert!(counted(&same, &reading(&then[..1], ["3", "9"])).evicted, "one went");
}

#[test]
fn statistics_that_were_reset_say_nothing() {
    let then = [entry("1", "", "10", "100"), entry("2", "", "50", "50")];
    let now = [entry("1", "", "40", "400")];
    let found = counted(&reading(&then, ["3", "9"]), &reading(&now, ["0", "10"]));
    assert!(found.reset && found.list.is_empty() && found.all == StatementFigures::default());
    // Before 14 nobody tells: not one entry went on.
    let of_13 = |rows: &[Row]| Reading::of(rows, &[]).unwrap();
    let fell = [entry("1", "", "4", "30"), entry("9", "", "4", "30")];
    assert!(counted(&of_13(&then), &of_13(&fell)).reset);
    assert!(!counted(&of_13(&then), &of_13(&now)).reset);
    assert!(!counted(&of_13(&[]), &of_13(&now)).reset);
}

#[test]
fn more_entries_than_are_read_are_not_half_of_them() {
    let many = vec![entry("1", "", "10", "100"); MOST_ENTRIES + 1];
    assert_eq!(Reading::of(&many, &[]), None);
}

#[test]
fn statements_are_kept_for_their_time_and_for_what_else_they_take_most_of() {
    let mut found = Counted::default();
    let key = |id: i64| Key { user: 10, database: 5, id };
    for id in 0..100_i64 {
        let mut sums: Sums = [Some(0.0); SUMS];
        (sums[0], sums[1]) = (Some(1.0), Some(1000.0 + id as f64));
        // The first five take most of something else each.
        for (place, at) in [10, 5, 7, 11, 4].into_iter().enumerate() {
            sums[at] = Some(if id == place as i64 { 9.0 } else { 0.0 });
        }
        found.entries.insert(key(id), sums);
    }
    let kept = found.kept(0);
    assert!(kept.len() == Consumers::KEPT + 5 && (0..5).all(|id| kept.contains(&key(id))));
    assert!(kept.is_subset(&found.kept(OWN)));
    let sql = found.texts(&of_version(15), &BTreeSet::from([-7]), Some((10, 5)));
    assert!(sql.contains("userid = 10 AND dbid = 5 ") && sql.contains("'{-7}'"), "{sql}");
    // Our own go, and others take their place.
    let own = |id: &'static str| row(["10", "5", id, "t", "app", "shop", ""]);
    let text = row(["10", "5", "97", "f", "app", "shop", "ALTER ROLE bob PASSWORD 'planted'"]);
    let hidden = row(["10", "5", "96", "f", "app", "shop", HIDDEN]);
    let other = row(["11", "5", "-7", "f", "bob", "shop", "SELECT 7"]);
    let rows = [own("99"), own("98"), text, hidden, other];
    let (statistics, texts) = found.with_texts(&rows, Switches::default());
    let first = &statistics.list[0];
    assert_eq!(
        (first.id.as_str(), first.user.as_str(), first.database.as_str()),
        ("97", "app", "shop")
    );
    assert_eq!(first.text.as_deref(), Some("ALTER ROLE bob PASSWORD ?"));
    assert_eq!((&statistics.list[1].id[..], &statistics.list[1].text), ("96", &None));
    assert_eq!((statistics.counted, statistics.list.len()), (98, Consumers::KEPT + 5));
    assert_eq!(texts.get(&-7).map(String::as_str), Some("SELECT ?"));
}
