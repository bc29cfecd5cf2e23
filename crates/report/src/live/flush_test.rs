//! What `pg_test_fsync` measured, in our words and beside what we have of the same.

use narrows_model::{FlushTest, FlushTestKind, FlushTestRow, Run, metric};

use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{rate, size, time};

/// Beside a run: its ladder, or a live server's flush.
pub(crate) fn views(run: &Run) -> Vec<AnnotatedTable> {
    let here = |row: &FlushTestRow| ladder(run, row).or_else(|| live(run, row));
    run.flush_tests.iter().map(|test| view(test, &here)).collect()
}

/// Without a run.
pub(crate) fn alone(tests: &[FlushTest]) -> Vec<AnnotatedTable> {
    tests.iter().map(|test| view(test, &|_| None)).collect()
}

/// Mean time, and what it is of.
type Here = (f64, &'static str);

fn view(test: &FlushTest, here: &dyn Fn(&FlushTestRow) -> Option<Here>) -> AnnotatedTable {
    let length = test.seconds_per_test.map_or(String::new(), |s| format!(", {s} s each"));
    let row = |row: &FlushTestRow| {
        let beside = here(row);
        let mean = |ns: Option<f64>| ns.map_or_else(|| "-".to_string(), time);
        Row::figures(
            name(row),
            [
                row.ops_per_s.map_or_else(|| "-".to_string(), rate),
                mean(row.mean_ns),
                mean(beside.map(|(ns, _)| ns)),
            ],
            match (row.ops_per_s, beside) {
                (None, _) => "not possible there".to_string(),
                (_, Some((_, of))) => of.to_string(),
                _ => String::new(),
            },
        )
    };
    let title = format!("PG_TEST_FSYNC  {}{length}", test.source);
    let table = Table::figures(title, ["rate", "mean", "here, mean"], test.rows.iter().map(row));
    AnnotatedTable { table, sentences: Vec::new() }
}

/// `2 × 8 KiB fdatasync`, `8 KiB dsync direct (open_datasync)`.
fn name(row: &FlushTestRow) -> String {
    let bytes = size(row.write_bytes as f64);
    let bytes = if row.writes > 1 { format!("{} × {bytes}", row.writes) } else { bytes };
    match row.kind {
        FlushTestKind::Sizes => format!("{bytes} open_sync"),
        FlushTestKind::OtherDescriptor => format!("{bytes} {}", row.name),
        FlushTestKind::Plain => format!("{bytes} write, not made durable"),
        FlushTestKind::Durable => match &row.method {
            Some(method) if *method != row.name => {
                format!("{bytes} {} ({})", method.replace('_', " "), row.name)
            }
            _ => format!("{bytes} {}", row.name),
        },
    }
}

/// Our step of the same write; a test of one write is one of a step.
fn ladder(run: &Run, row: &FlushTestRow) -> Option<Here> {
    let method = row.method.as_ref().filter(|_| row.writes == 1)?;
    let size = format!("{}k", row.write_bytes >> 10);
    let id = format!("log.ladder.write.{method}.overwrite.{size}.alone");
    let step = run.measurement(&id).filter(|m| m.usable())?;
    Some((step.value(metric::LATENCY_MEAN)?, "the ladder's"))
}

/// The server's own flush, if it uses that method.
fn live(run: &Run, row: &FlushTestRow) -> Option<Here> {
    if row.kind != FlushTestKind::Durable || row.writes != 1 {
        return None;
    }
    let log = run.live_logs.iter().find(|log| log.sync_method() == row.name)?;
    let model = log.verdict.as_ref()?.model.as_ref()?;
    Some((model.flush_ns, "the server's own flush"))
}
