use super::super::catalog::testing::of_version;
use super::*;

fn statement(major: u32) -> Statement {
    Statement::new(&of_version(major), |_| true, |_| true)
}

fn has(major: u32, count: Count) -> bool {
    statement(major).counts.iter().any(|(known, _)| *known == count)
}

#[test]
fn every_version_says_what_it_has_where_it_has_it() {
    for major in 13..=18 {
        for count in [
            Count::Commits,
            Count::Rollbacks,
            Count::Writers,
            Count::BlockReads,
            Count::ReadMs,
            Count::TempBytes,
            Count::LogBytes,
            Count::SessionWrites,
            Count::CheckpointWrites,
            Count::BackgroundWrites,
            Count::CheckpointsTimed,
            Count::CheckpointsRequested,
        ] {
            assert!(has(major, count), "{count:?} of {major}");
        }
        for count in [
            Count::ActiveMs,
            Count::Connections,
            Count::LogRecords,
            Count::FullPages,
            Count::LogWrites,
            Count::LogWriteMs,
            Count::Flushes,
            Count::FlushMs,
        ] {
            assert_eq!(has(major, count), major >= 14, "{count:?} of {major}");
        }
        for count in [Count::LogWrittenBytes, Count::SessionFlushes, Count::CheckpointsDone] {
            assert_eq!(has(major, count), major >= 18, "{count:?} of {major}");
        }
    }
    let sql = |major| statement(major).sql;
    assert!(sql(15).contains("sum(buffers_backend)") && !sql(15).contains("pg_stat_io"));
    assert!(sql(16).contains("sum(writes) FILTER") && !sql(16).contains("buffers_backend"));
    assert!(sql(16).contains("checkpoints_timed") && sql(17).contains("num_timed"));
    assert!(sql(17).contains("sum(wal_sync)") && sql(18).contains("sum(fsyncs)"));
    assert!(sql(18).contains("sum(write_bytes)") && !sql(18).contains("wal_sync"));
    assert!(!sql(13).contains("pg_stat_wal") && !sql(13).contains("active_time"));
}

#[test]
fn only_what_is_asked_for_is_read() {
    for major in 13..=18 {
        let standby = Statement::new(&of_version(major), |count| !count.is_of_the_log(), |_| true);
        assert!(!standby.sql.contains("pg_current_wal"), "{}", standby.sql);
        assert!(standby.counts.iter().all(|(count, _)| !count.is_of_the_log()));
        assert!(standby.counts.iter().any(|(count, _)| *count == Count::Commits));
    }
}

#[test]
fn times_that_nobody_takes_are_absent_and_not_zero() {
    let untimed = Statement::new(&of_version(15), |_| true, |_| false);
    let counts: Vec<Count> = untimed.counts.iter().map(|(count, _)| *count).collect();
    assert!(!counts.contains(&Count::ReadMs) && !counts.contains(&Count::FlushMs));
    assert!(counts.contains(&Count::ActiveMs), "the server always takes that one");
}

/// A row as the server would send it: of each view its counters, then its reset.
fn row(statement: &Statement, values: &[(Count, &str)], reset: &[(&str, &str)]) -> Row {
    let value = |count: &Count| {
        values.iter().find(|(known, _)| known == count).map(|(_, text)| (*text).to_string())
    };
    let mut row: Row = Vec::new();
    for view in &statement.views {
        let own = statement.counts.iter().filter(|(_, of)| of == &Some(*view));
        row.extend(own.map(|(count, _)| value(count)));
        let reset = reset.iter().find(|(of, _)| of == view).map_or("monday", |(_, at)| at);
        row.push(Some(reset.to_string()));
    }
    let own = statement.counts.iter().filter(|(_, of)| of.is_none());
    row.extend(own.map(|(count, _)| value(count)));
    row.push(Some("9".to_string()));
    row
}

#[test]
fn what_changed_is_a_difference_and_a_reset_view_gives_none() {
    for major in 13..=18 {
        let statement = statement(major);
        let before = [
            (Count::Commits, "1000"),
            (Count::CheckpointsTimed, "4"),
            (Count::LogBytes, "500"),
            (Count::ReadMs, "2.5"),
        ];
        let after = [
            (Count::Commits, "1500"),
            (Count::CheckpointsTimed, "5"),
            (Count::LogBytes, "900"),
            (Count::ReadMs, "27.5"),
        ];
        let first = statement.read(&row(&statement, &before, &[]));
        assert_eq!(first.connected, Some(9.0));
        let changed = statement.read(&row(&statement, &after, &[])).since(&first);
        assert_eq!(changed.get(Count::Commits), Some(500.0), "{major}");
        let log_bytes = changed.get(Count::LogBytes);
        assert_eq!((log_bytes, changed.ns(Count::ReadMs)), (Some(400.0), Some(25e6)));
        let rollbacks = changed.get(Count::Rollbacks);
        assert_eq!((rollbacks, changed.reset), (None, false), "NULL is not zero");

        let reset = row(&statement, &after, &[("pg_stat_database", "tuesday")]);
        let changed = statement.read(&reset).since(&first);
        assert_eq!((changed.get(Count::Commits), changed.reset), (None, true));
        assert_eq!(changed.get(Count::LogBytes), Some(400.0), "the position is never reset");
        assert_eq!(changed.get(Count::CheckpointsTimed), Some(1.0), "of another view");

        let back = [(Count::Commits, "3")];
        let changed = statement.read(&row(&statement, &back, &[])).since(&first);
        assert_eq!((changed.get(Count::Commits), changed.reset), (None, true));
    }
}

#[test]
fn what_we_did_is_taken_off_and_never_below_nothing() {
    let statement = statement(15);
    let at = |commits| statement.read(&row(&statement, &[(Count::Commits, commits)], &[]));
    let mut changed = at("30").since(&at("10"));
    changed.less(Count::Commits, 15.0);
    assert_eq!(changed.get(Count::Commits), Some(5.0));
    changed.less(Count::Commits, 15.0);
    assert_eq!(changed.get(Count::Commits), Some(0.0));
}
