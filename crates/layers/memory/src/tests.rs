//! The whole layer on a small footprint: what must hold on any machine, however fast.

use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_facts::affinity;
use narrows_model::{NumaNode, Platform, condition};
use narrows_observe::Watch;

use super::*;

/// A machine with so little memory that the footprint is 64 MiB.
fn small() -> Platform {
    let mut platform = Platform::default();
    platform.memory.total_bytes = 256 << 20;
    platform.memory.available_bytes = Some(128 << 20);
    platform
}

fn context(stop: &Stop) -> Context<'_> {
    Context {
        stop,
        progress: &Silent,
        seed: 7,
        repeats: 2,
        quick: true,
        // What counts are whole batches: the longest of them has to end in a window of a machine that others use.
        window: Duration::from_millis(100),
    }
}

#[test]
fn every_measurement_is_there_or_has_a_reason() {
    let stop = Stop::new();
    let measured = measure(&context(&stop), &small(), &[], &Watch::none()).unwrap();
    for id in [
        "memory.latency.4k",
        "memory.latency.2m",
        "memory.bandwidth.read.node0",
        "memory.bandwidth.read.core",
    ] {
        let there = measured.measurements.iter().any(|m| m.id == id);
        let absent = measured.absent.iter().any(|unknown| unknown.what.starts_with(id));
        assert!(there != absent, "{id}: measured {there}, absent {absent}");
    }
    for measurement in &measured.measurements {
        assert_eq!(measurement.value(metric::ERRORS), Some(0.0), "{}", measurement.id);
        assert_eq!(measurement.repeats, 2);
        let conditions = &measurement.conditions;
        assert_eq!(conditions[condition::FOOTPRINT_LIMITED_BY], "memory available");
        let value = measurement.value(metric::COST).or(measurement.value(metric::BANDWIDTH));
        assert!(value.unwrap() > 0.1, "{}", measurement.id);
    }
}

#[test]
fn the_page_size_in_the_conditions_is_the_one_in_the_id() {
    let stop = Stop::new();
    let measured = measure(&context(&stop), &small(), &[], &Watch::none()).unwrap();
    for (id, bytes) in [("memory.latency.4k", 4096.0), ("memory.latency.2m", 2097152.0)] {
        match measured.measurements.iter().find(|m| m.id == id) {
            Some(measurement) => {
                assert_eq!(measurement.number(condition::PAGE_BYTES), Some(bytes));
                let share = measurement.number(condition::HUGE_PAGE_SHARE).unwrap();
                if bytes > 4096.0 { assert!(share >= 0.99) } else { assert_eq!(share, 0.0) }
            }
            None => eprintln!("SKIPPED: {:?}", measured.absent),
        }
    }
}

#[test]
fn a_stop_ends_it_soon_with_an_error() {
    let stop = Stop::new();
    let stopper = stop.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stopper.set();
    });
    let mut ctx = context(&stop);
    ctx.repeats = 1000;
    let result = measure(&ctx, &small(), &[], &Watch::none());
    thread.join().unwrap();
    assert!(matches!(result, Err(MemoryError::Stopped(_))), "{result:?}");
}

#[test]
fn too_little_memory_is_said_with_the_limit() {
    let stop = Stop::new();
    let mut platform = small();
    platform.cgroup.memory_limit_bytes = Some(16 << 20);
    let error = measure(&context(&stop), &platform, &[], &Watch::none()).unwrap_err().to_string();
    assert!(error.contains("the control group's memory limit leaves 8 MiB"), "{error}");
    assert!(error.contains("hint:"), "{error}");
}

#[test]
fn a_node_that_is_only_described_is_absent_not_renamed() {
    // Two nodes on paper: on a machine with one, the second can't be bound; on others it can.
    let stop = Stop::new();
    let mut platform = small();
    let cpus = affinity::current();
    let node = |id, cpus: &[u32], distances: &[u32]| NumaNode {
        id,
        cpus: cpus.to_vec(),
        memory_bytes: 256 << 20,
        free_bytes: Some(128 << 20),
        distances: distances.to_vec(),
        ..NumaNode::default()
    };
    platform.nodes = vec![node(0, &cpus, &[10, 20]), node(900, &[], &[20, 10])];
    let measured = match measure(&context(&stop), &platform, &[], &Watch::none()) {
        Ok(measured) => measured,
        Err(error) => panic!("{error}"),
    };
    assert!(!measured.measurements.iter().any(|m| m.id.starts_with("memory.latency.far")));
    let far: Vec<_> =
        measured.absent.iter().filter(|a| a.what.starts_with("memory.latency.far")).collect();
    assert_eq!(far.len(), 2, "{:?}", measured.absent);
    assert!(far[0].what.contains("node 900"), "{}", far[0].what);
}

#[test]
fn the_plan_names_both_parts_and_writes_nothing() {
    let stop = Stop::new();
    let steps = planned(&context(&stop), &small(), &[]);
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|step| step.expected_s > 0.0 && step.writes_bytes == 0));
    assert!(steps[0].what.contains("64 MiB"), "{}", steps[0].what);
}

#[test]
fn the_yield_of_a_core_is_measured_planned_or_absent_with_a_reason() {
    let stop = Stop::new();
    let allowed = affinity::current();
    let Some(pair) = allowed.get(..2) else { return eprintln!("SKIPPED: one CPU only") };
    // Two CPUs that are one core's on paper; what is tested is that they are found, not what they yield.
    let mut platform = small();
    platform.cpu.allowed = allowed.clone();
    platform.cpu.smt_active = Some(true);
    platform.cpu.cores_threads = vec![pair.to_vec()];
    let seen = |server_cpus: &[u32]| {
        let measured = measure(&context(&stop), &platform, server_cpus, &Watch::none()).unwrap();
        let there = measured.measurements.iter().any(|m| m.id == smt::ID);
        let absent = measured.absent.iter().any(|unknown| unknown.what.starts_with(smt::ID));
        (there, absent, planned(&context(&stop), &platform, server_cpus).len())
    };
    assert_eq!(seen(pair), (true, false, 3));
    assert_eq!(seen(&pair[..1]), (false, true, 2));
}

/// All of the study on a small machine, once for all that is asked of it.
#[test]
fn the_study_measures_what_it_plans_and_everything_it_read_and_wrote_is_right() {
    let stop = Stop::new();
    let mut platform = small();
    platform.caches = vec![narrows_model::Cache {
        level: 1,
        kind: "Data".to_string(),
        size_bytes: 32 << 10,
        instances: 1,
        ..Default::default()
    }];
    let mut found = Vec::new();
    let absent = study(&context(&stop), &platform, Extent::Classes, &Watch::none(), &mut |part| {
        found.extend(part)
    });
    let absent = absent.unwrap();
    let several = affinity::current().len() > 1;
    let mut ids = vec![
        "memory.latency.4k",
        "memory.curve.4k",
        "memory.curve.2m",
        "memory.bandwidth.read.node0",
        "memory.bandwidth.copy.core",
        "memory.bandwidth.triad.node0",
        "memory.bandwidth.write.core",
        "memory.loaded.read.node0",
    ];
    if cfg!(target_arch = "x86_64") {
        ids.push("memory.bandwidth.stream_copy.node0");
    }
    for id in ids {
        let there = found.iter().any(|m| m.id == id);
        let reason = absent.iter().any(|unknown| unknown.what.starts_with(id));
        assert!(there != reason, "{id}: measured {there}, absent {reason}");
        if id.starts_with("memory.loaded") {
            assert_eq!(there, several);
        }
    }
    for m in &found {
        assert_eq!(m.value(metric::ERRORS), Some(0.0), "{}", m.id);
    }
    let curve = found.iter().find(|m| m.id == "memory.curve.4k").unwrap();
    assert_eq!(curve.series.len(), 2, "one for each repeat");
    assert_eq!(
        curve.conditions[condition::CACHES][metric::COST_L1.name]["read_at_bytes"],
        16 << 10
    );
    let first = curve.value(metric::COST_L1).unwrap();
    let latency = found.iter().find(|m| m.id == "memory.latency.4k").unwrap();
    assert!(first < latency.value(metric::COST).unwrap(), "{first} ns in the first cache");
    if let Some(loaded) = found.iter().find(|m| m.id.starts_with("memory.loaded")) {
        assert!(loaded.number(condition::KNEE_SHARE).unwrap() > 0.0);
        assert!(loaded.value(metric::LOADED_COST).unwrap() > 0.0);
        assert_eq!(loaded.series.len(), 4, "latency and bandwidth for each repeat");
    }
    let steps = study_planned(&context(&stop), &platform, Extent::Classes);
    assert!(steps.len() >= 3 && steps.iter().all(|step| step.expected_s > 0.0));
}

#[test]
fn a_stop_ends_the_study_soon_wherever_it_is() {
    for after_ms in [50, 400, 900] {
        let stop = Stop::new();
        let stopper = stop.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(after_ms));
            stopper.set();
        });
        let mut ctx = context(&stop);
        ctx.repeats = 200;
        let result = study(&ctx, &small(), Extent::Classes, &Watch::none(), &mut |_| ());
        thread.join().unwrap();
        assert!(matches!(result, Err(MemoryError::Stopped(_))), "{after_ms}: {result:?}");
    }
}
