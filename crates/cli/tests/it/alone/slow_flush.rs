//! A flush made slow, on the step of the ladder where it was planted. What came out is checked for what was planted, never
//! for speed.

use narrows_model::{Layer, Metric, Run, metric};

use crate::common::machine::{alone, quiet};
use crate::common::{Fixture, postgres_folder};
use crate::log::{command, run};

/// What a planted flush takes longer, µs: more than any drive that tests run on.
const DELAY_US: u32 = 20_000;

fn value(run: &Run, id: &str, name: Metric) -> f64 {
    let measurement = run.measurement(id).unwrap_or_else(|| panic!("no {id}"));
    measurement.value(name).unwrap_or_else(|| panic!("no {name} in {id}"))
}

#[test]
fn a_slow_flush_is_on_the_step_that_flushes_and_not_above_it() {
    let _machine = alone();
    let f = Fixture::new();
    let library = crate::common::slow_flush(&f.public("plant"));
    let args = ["ladder", "--no-database", "--alone", "--repeats", "1", "--methods", "dsync"];
    let mut planted = command(&f, &args);
    planted.env("LD_PRELOAD", &library).env("SLOW_FLUSH_US", DELAY_US.to_string());
    let run = run(&f, planted);
    assert_eq!(run.plan.layers, [Layer::Log]);
    let mean = |step: &str| value(&run, &format!("log.ladder.{step}.alone"), metric::LATENCY_MEAN);
    let planted_ns = f64::from(DELAY_US) * 1e3;
    let write = mean("write.fdatasync.overwrite.8k");
    assert!(write >= planted_ns, "{write}");
    assert!(mean("leader") >= planted_ns);
    if !quiet("that the plant is nowhere else") {
        return;
    }
    // A write that needs no call to flush doesn't meet the plant.
    assert!(mean("write.dsync.overwrite.8k") < write);
    // What stands on the write adds no second flush to it.
    assert!(mean("leader") < write + 0.8 * planted_ns);
    assert!(mean("post_wait") < write + 0.8 * planted_ns);
}

#[test]
fn a_slow_flush_inside_the_server_is_on_the_databases_step() {
    let Some(real) = postgres_folder() else {
        eprintln!("SKIPPED: no PostgreSQL in the distribution's folder");
        return;
    };
    let _machine = alone();
    let f = Fixture::new();
    let folder = f.public("wrappers");
    let library = crate::common::slow_flush(&folder);
    for (name, environment) in [
        ("postgres", format!("LD_PRELOAD={} SLOW_FLUSH_US={DELAY_US} ", library.display())),
        ("initdb", String::new()),
    ] {
        let script = format!("#!/bin/sh\nexec env {environment}{}/{name} \"$@\"\n", real.display());
        crate::common::write_program(&folder.join(name), &script);
    }
    let wrappers = folder.display().to_string();
    let args = ["ladder", "--alone", "--repeats", "1", "--methods", "fdatasync"];
    let mut planted = command(&f, &args);
    planted.args(["--postgres", &wrappers]);
    let run = run(&f, planted);
    let mean = |step: &str| value(&run, &format!("log.ladder.{step}.alone"), metric::LATENCY_MEAN);
    let planted_ns = f64::from(DELAY_US) * 1e3;
    assert!(mean("commit") >= planted_ns, "{}", mean("commit"));
    if quiet("that the plant is on no other step") {
        assert!(mean("leader") < mean("commit"));
        assert!(mean("commit_async") < mean("commit"), "without a flush there is nothing planted");
    }
    // The size of a commit was counted, not assumed.
    let bytes = run
        .measurement("log.ladder.leader.alone")
        .unwrap()
        .number(narrows_model::condition::BYTES_PER_COMMIT);
    assert!(bytes.unwrap() > 50.0 && bytes.unwrap() < 20_000.0, "{bytes:?}");
}
