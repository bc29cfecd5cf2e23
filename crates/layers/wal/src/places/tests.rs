//! Two places, one of them in memory where there is such, with sessions that work.

use std::time::Duration;

use narrows_engine::{Silent, Stop};
use narrows_facts::affinity;
use narrows_model::metric;

use super::*;

fn place(name: &str, folder: &std::path::Path) -> LogMediumSpec {
    LogMediumSpec {
        name: name.to_string(),
        folder: folder.to_path_buf(),
        asked: format!("/asked/{name}"),
        device: None,
        watch: Watch::none(),
    }
}

#[test]
fn places_take_turns_and_sessions_do_their_work() {
    let Some(dir) = crate::tests::folder() else { return };
    let memory = tempfile::tempdir_in("/dev/shm").ok();
    let second = memory.as_ref().unwrap_or(&dir);
    let inner = second.path().join("second");
    std::fs::create_dir(&inner).unwrap();
    let places = [place("wal_1", dir.path()), place("wal_2", &inner)];
    let cpus = affinity::current();
    let plan = PlacesPlan {
        sessions: 3,
        bytes_per_commit: 200,
        cpus: cpus.clone(),
        client_cpus: cpus[cpus.len() - 1..].to_vec(),
    };
    let stop = Stop::new();
    let ctx = Context {
        stop: &stop,
        progress: &Silent,
        seed: 5,
        repeats: 1,
        quick: false,
        window: Duration::from_millis(200),
    };
    let work = Work { cpu_ns: 400_000, client_ns: 100_000, waits_ns: 0 };
    let placed = on_places::<LogError>(&ctx, &places, &plan, |all| {
        let free = all.free(&ctx, work)?;
        assert!(free.rate_per_s > 0.0 && free.session_cpu_ns >= work.cpu_ns as f64, "{free:?}");
        assert!(free.client_cpu_ns >= work.client_ns as f64, "{free:?}");
        for at in [0, 1, 1, 0] {
            let worked = all.working(&ctx, at, work)?;
            // Where the drive stands still for all of a window nothing is done in it.
            let nothing = worked.rate_per_s == 0.0;
            assert!(nothing || worked.session_cpu_ns >= work.cpu_ns as f64, "{worked:?}");
            // Processors allow no more than that.
            let most = cpus.len() as f64 * 1e9 / work.cpu_ns as f64;
            assert!(worked.rate_per_s <= most * 1.05, "{worked:?}");
        }
        all.steps(&ctx, 0)?;
        all.steps(&ctx, 1)
    })
    .unwrap();
    let ids: Vec<&str> = placed.measurements.iter().map(|m| m.id.as_str()).collect();
    let steps = ["write.fdatasync.overwrite.8k", "leader"];
    let expected: Vec<String> = ["wal_1", "wal_2"]
        .iter()
        .flat_map(|name| {
            let steps = steps.iter().map(move |step| format!("log.rung.{name}.{step}"));
            steps.chain([format!("log.working.{name}")])
        })
        .collect();
    assert_eq!(ids, expected);
    for name in ["wal_1", "wal_2"] {
        let id = format!("log.working.{name}");
        let m = placed.measurements.iter().find(|m| m.id == id).unwrap();
        assert_eq!(m.repeats, 2);
        assert_eq!(m.text(narrows_model::condition::FOLDER), Some(&*format!("/asked/{name}")));
        assert_eq!(m.value(metric::ERRORS), Some(0.0), "what was read back is what was written");
        // The whole operation is timed, not its commit alone.
        let both = m.value(metric::LATENCY_MEAN).zip(m.value(metric::LOG_FILE_SYNC_MEAN));
        let timed = both.is_none_or(|(all, commit)| all >= commit + work.cpu_ns as f64);
        assert!(timed, "{both:?}");
        // The law of sessions without work says nothing here.
        assert!(m.metric(metric::MODEL_LATENCY_MEAN).is_none());
    }
    assert_eq!(std::fs::read_dir(&inner).unwrap().count(), 0);
}

#[test]
fn a_failure_while_measuring_leaves_nothing() {
    let Some(dir) = crate::tests::folder() else { return };
    let places = [place("wal_1", dir.path())];
    let cpus = affinity::current();
    let plan =
        PlacesPlan { sessions: 1, bytes_per_commit: 200, cpus: cpus.clone(), client_cpus: cpus };
    let stop = Stop::new();
    let ctx = Context {
        stop: &stop,
        progress: &Silent,
        seed: 5,
        repeats: 1,
        quick: false,
        window: Duration::from_millis(20),
    };
    let failed = on_places::<LogError>(&ctx, &places, &plan, |all| {
        stop.set();
        all.working(&ctx, 0, Work::default()).map(drop)
    });
    assert!(matches!(failed, Err(LogError::Stopped(_))), "{failed:?}");
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}
