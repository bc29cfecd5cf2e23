//! Reads beside writes, executed on a way without a device: what is set beside what, how much is written, what is refused.

use std::time::Duration;

use narrows_engine::{Context, Silent, Stop};
use narrows_io::Access;
use narrows_layer_block::{
    BlockError, InterferenceGround, InterferencePlan, Region, interference, planned_interference,
    prepare,
};
use narrows_model::{Measurement, metric};
use narrows_observe::Watch;

const MIB: u64 = 1 << 20;

/// On the disk of the build folder: the folder for temporary files is often in memory.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn context(stop: &Stop) -> Context<'_> {
    let window = Duration::from_millis(60);
    Context { stop, progress: &Silent, seed: 42, repeats: 2, quick: true, window }
}

fn plan() -> InterferencePlan {
    InterferencePlan {
        rounds: 1,
        window: Duration::from_millis(60),
        budget_bytes: 64 * MIB,
        access: Access::null(),
        ..InterferencePlan::default()
    }
}

/// 4 MiB of reads, 2 of writes, 2 of log, in one file.
fn ground(dir: &std::path::Path) -> InterferenceGround {
    let stop = Stop::new();
    let file = prepare(&context(&stop), dir, 8 * MIB, 1).unwrap();
    let whole = Region::of(&file);
    InterferenceGround {
        reads: whole.part(0, 4 * MIB).unwrap(),
        writes: whole.part(4 * MIB, 2 * MIB).unwrap(),
        log: whole.part(6 * MIB, 2 * MIB).unwrap(),
    }
}

#[test]
fn every_rate_stands_alone_and_beside_every_stream_within_the_budget() {
    let dir = folder();
    let (stop, plan) = (Stop::new(), plan());
    let ground = ground(dir.path());
    let found = match interference(&context(&stop), &ground, &Watch::none(), &plan) {
        Err(BlockError::Scenario { reason, .. }) if reason.contains("no operation") => {
            eprintln!("SKIPPED: others took the processors");
            return;
        }
        found => found.unwrap(),
    };

    let cells: Vec<&Measurement> = found
        .iter()
        .filter(|m| {
            m.text(narrows_model::condition::COMPANY).is_some() && !m.id.ends_with(".beside")
        })
        .collect();
    assert_eq!(cells.len(), 25);
    let ceiling = found.iter().find(|m| m.id.ends_with("read.8k.ceiling")).unwrap();
    let full_per_s = ceiling.value(metric::THROUGHPUT).unwrap();
    for cell in &cells {
        assert_eq!(cell.repeats, 1, "{}", cell.id);
        let percent: f64 = cell.id.rsplit_once(".p").unwrap().1.parse().unwrap();
        let asked_per_s = cell.value(metric::ASKED_RATE).unwrap();
        assert!((asked_per_s / full_per_s - percent / 100.0).abs() < 1e-9, "{}", cell.id);
        assert_eq!(
            cell.text(narrows_model::condition::BESIDE) == Some("nothing"),
            cell.text(narrows_model::condition::COMPANY) == Some("alone")
        );
    }
    let beside: Vec<&Measurement> = found.iter().filter(|m| m.id.ends_with(".beside")).collect();
    assert_eq!(beside.len(), 20);
    assert_eq!(found.iter().filter(|m| m.id.ends_with(".together")).count(), 20);
    let logs = beside
        .iter()
        .filter(|m| m.text(narrows_model::condition::COMPANY).unwrap().starts_with("log"));
    for log in logs.clone() {
        assert_eq!(
            log.number(narrows_model::condition::SYNC_AFTER),
            Some(1.0),
            "{} is durable",
            log.id
        );
    }
    // A window in which the machine stood still may see no sync, ten of them see some.
    assert!(logs.clone().any(|log| log.metric(metric::SYNC_THROUGHPUT).is_some()));
    let own = found.iter().filter(|m| !m.id.ends_with(".together"));
    let written: f64 = own.filter_map(|m| m.number(narrows_model::condition::WRITTEN_BYTES)).sum();
    assert!(written > 0.0 && written <= plan.budget_bytes as f64, "{written}");
    let mut ids: Vec<&str> = found.iter().map(|m| m.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), found.len(), "ids are unique");
}

#[test]
fn what_is_written_may_not_be_what_is_read() {
    let dir = folder();
    let good = ground(dir.path());
    let stop = Stop::new();
    let overlapping = InterferenceGround { log: good.reads.clone(), ..good.clone() };
    for (ground, plan) in [
        (overlapping, plan()),
        (good.clone(), InterferencePlan { rounds: 0, ..plan() }),
        (good, InterferencePlan { budget_bytes: MIB, ..plan() }),
    ] {
        let refused = interference(&context(&stop), &ground, &Watch::none(), &plan);
        assert!(matches!(refused, Err(BlockError::Scenario { .. })), "{refused:?}");
    }
}

#[test]
fn the_plan_fits_its_time_and_its_bytes() {
    let plan = InterferencePlan::default();
    let steps = planned_interference(&plan, 0);
    let expected_s: f64 = steps.iter().map(|step| step.expected_s).sum();
    assert!((150.0..190.0).contains(&expected_s), "{expected_s}");
    let writes: u64 = steps.iter().map(|step| step.writes_bytes).sum();
    assert_eq!(writes, plan.budget_bytes);
}
