//! Runs of the commit log alone: the ladder and the sessions on the screen.

mod common;

use common::builders::m;
use common::{finding, without_database};
use narrows_model::{Layer, Measurement, Run, Severity, Unit, condition, metric};
use narrows_report::{Report, Units, text};
use serde_json::json;

const REPEATS: usize = 6;

fn rung(name: &str, state: &str, p50_us: f64, added_us: Option<f64>, above: &str) -> Measurement {
    let mut metrics = vec![
        (metric::LATENCY_P50, Unit::Ns, p50_us * 1e3, 0.02),
        (metric::LATENCY_P99, Unit::Ns, p50_us * 3e3, 0.05),
        (metric::LATENCY_P999_ALL, Unit::Ns, p50_us * 8e3, 0.0),
    ];
    metrics.extend(added_us.map(|us| (metric::ADDED_P50, Unit::Ns, us * 1e3, 0.05)));
    let id = format!("log.ladder.{name}.{state}");
    let mut rung = m(&id, Layer::Log, REPEATS, &metrics);
    if added_us.is_some() {
        let stands_on = format!("log.ladder.{above}.{state}");
        rung.conditions.insert("stands_on".into(), json!(stands_on));
    }
    rung
}

fn write(method: &str, state: &str, p50_us: f64, durable_by: &str) -> Measurement {
    let name = format!("write.{method}.overwrite.8k");
    let mut write = rung(&name, state, p50_us, Some(p50_us - 11.0), "flush");
    write.workload.insert(condition::SYNC_METHOD.into(), json!(method));
    write.workload.insert(condition::BLOCK_BYTES.into(), json!(8192));
    write.workload.insert("layout".into(), json!("overwrite"));
    write.conditions.insert("durable_by".into(), json!(durable_by));
    write
}

fn sessions(n: u32, rate: f64, sync_us: f64) -> Measurement {
    let metrics = [
        (metric::THROUGHPUT, Unit::OpsPerS, rate, 0.02),
        (metric::COMMITS_PER_FLUSH, Unit::Count, f64::from(n) / 2.0, 0.01),
        (metric::LOG_FILE_SYNC_MEAN, Unit::Ns, sync_us * 1e3, 0.02),
        (metric::LATENCY_P99, Unit::Ns, sync_us * 3e3, 0.02),
        (metric::PARALLEL_WRITE_MEAN, Unit::Ns, 33e3, 0.02),
        (metric::WAKE_UP_SHARE, Unit::Ratio, 0.12, 0.02),
        (metric::MODEL_LATENCY_MEAN, Unit::Ns, 49.5e3, 0.02),
    ];
    let id = format!("log.calibrate.commits.200b.sessions.{n}");
    let mut sessions = m(&id, Layer::Log, 3, &metrics);
    sessions.workload.insert(condition::SESSIONS.into(), json!(n));
    sessions
}

/// From the device's flush to the commit; figures are invented.
fn log() -> Run {
    let mut run = without_database();
    run.plan.layers = vec![Layer::Log];
    run.findings.clear();
    run.measurements.clear();
    for (state, slower) in [("alone", 1.0), ("beside", 4.0)] {
        let base = "write.fdatasync.overwrite.8k";
        run.measurements.extend([
            rung("flush", state, 11.0 * slower, None, ""),
            write("fdatasync", state, 28.0 * slower, "flush"),
            write("dsync_direct", state, 15.0 * slower, "fua"),
            rung("leader", state, 31.0 * slower, Some(3.0), base),
            rung("commit_async", state, 40.0, None, ""),
            rung("commit", state, 78.0 * slower, Some(47.0), "leader"),
        ]);
    }
    run.measurements.extend([sessions(8, 60_000.0, 75.0), sessions(1, 30_000.0, 33.0)]);
    run.apply_findings();
    run
}

fn screen(run: &Run) -> String {
    text(&Report::new(run, Units::Si), 100, false)
}

#[test]
fn the_ladder_stands_in_its_order_and_fits_the_screen() {
    let screen = screen(&log());
    insta::assert_snapshot!("log_ladder", screen);
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("no `{text}`"));
    let order =
        ["the device's flush", "8 KiB fdatasync", "one session leads", "the database's commit"];
    assert!(order.windows(2).all(|two| at(two[0]) < at(two[1])));
    assert!(at("its commit without a flush") > at("the database's commit"));
    assert!(screen.lines().all(|line| line.chars().count() <= 100));
    assert!(!screen.contains("not judged"), "no server was to be judged");
}

#[test]
fn what_is_invalid_is_printed_nowhere() {
    let mut run = log();
    let id = "log.ladder.write.dsync_direct.overwrite.8k.alone";
    run.findings.push(finding(Severity::Invalid, "planted", Some(id), "planted"));
    let id = "log.calibrate.commits.200b.sessions.8";
    run.findings.push(finding(Severity::Invalid, "planted", Some(id), "planted"));
    run.apply_findings();
    let screen = screen(&run);
    assert!(!screen.contains("15.0 µs") && !screen.contains("60.0 k/s"), "{screen}");
    let row =
        |text: &str| screen.lines().find(|line| line.contains(text)).expect("its row is there");
    assert!(row("8 KiB dsync direct").contains("invalid"), "{screen}");
    assert!(
        screen.lines().any(|line| line.trim_start().starts_with("8 ") && line.contains("invalid"))
    );
}
