//! A place with slow flushes beside another: what `narrows log placement` predicts and proves of it. What came out is checked for
//! what was planted, never for speed.

use std::path::{Path, PathBuf};
use std::process::Command;

use narrows_model::{Comparison, Run, Validity, metric};

use crate::common::machine::{alone, quiet};
use crate::common::{Fixture, postgres_folder};
use crate::placement::{assert_empty, command, memory, text};

/// What a planted flush takes longer, µs: more than any drive that tests run on.
const DELAY_US: u32 = 20_000;

/// The shim that makes flushes below a folder slow, and a PostgreSQL that has it too.
fn planted(f: &Fixture, real: &Path, under: &Path) -> (PathBuf, PathBuf) {
    let folder = f.public("wrappers");
    let library = crate::common::slow_flush(&folder);
    let plant = format!(
        "LD_PRELOAD={} SLOW_FLUSH_US={DELAY_US} SLOW_FLUSH_UNDER={} ",
        library.display(),
        under.display()
    );
    for (name, environment) in [("postgres", plant.as_str()), ("initdb", "")] {
        let script = format!("#!/bin/sh\nexec env {environment}{}/{name} \"$@\"\n", real.display());
        crate::common::write_program(&folder.join(name), &script);
    }
    (library, folder)
}

fn compared(mut command: Command) -> (Run, Comparison) {
    let output = command.args(["--load-here", "--format", "json"]).output().unwrap();
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{:?}:\n{said}", output.status);
    let run = Run::from_json(&text(&output.stdout))
        .unwrap_or_else(|error| panic!("{error}; it said:\n{said}"));
    let comparison = run.comparison.clone().expect("it compares");
    (run, comparison)
}

#[test]
fn a_slow_place_is_predicted_proved_and_never_recommended() {
    if !quiet("a slow place") {
        return;
    }
    let (Some(real), Some(memory)) = (postgres_folder(), memory()) else {
        eprintln!("SKIPPED: this needs the distribution's PostgreSQL and a file system in memory");
        return;
    };
    let _machine = alone();
    let f = Fixture::new();
    let (library, wrappers) = planted(&f, &real, memory.path());
    let mut command = command(&f, &[&f.data(), memory.path()]);
    command.args(["--prove", "--sessions", "2", "--repeats", "1", "--window", "400ms"]);
    command.arg("--postgres").arg(&wrappers);
    command.env("LD_PRELOAD", &library).env("SLOW_FLUSH_US", DELAY_US.to_string());
    command.env("SLOW_FLUSH_UNDER", memory.path());
    let (run, comparison) = compared(command);
    assert!(run.completed);
    f.assert_nothing_left();
    assert_empty(memory.path());
    // Neither server made a checkpoint of its own, and both got their segments again before the first repeat.
    assert!(run.findings.iter().all(|f| f.id != "checkpoint-in-window"), "{:?}", run.findings);
    for id in ["database.update.wal_1", "database.update.wal_2"] {
        let m = run.measurement(id).unwrap();
        assert!(
            m.number(narrows_model::condition::LOG_RECYCLED_TIMES) >= Some(2.0),
            "{id}: {:?}",
            m.conditions
        );
        for name in [metric::CHECKPOINTS, metric::CHECKPOINT_PAGES, metric::CHECKPOINTING] {
            assert_eq!(m.value(name), Some(0.0), "{id} {name}");
        }
        let timed = m.value(metric::SERVER_FLUSH_TIME).zip(m.value(metric::PARALLEL_WRITE_MEAN));
        assert!(timed.is_none_or(|(flush, both)| both > flush), "{id}: {timed:?}");
    }
    let [first, slow] = comparison.placements.as_slice() else { panic!("{comparison:?}") };
    assert!(!first.in_memory && slow.in_memory);
    assert!(slow.durability_sentence.contains("not durable by construction"), "{slow:?}");
    assert!(slow.validity >= Validity::Suspect, "a log in memory is no log");
    // Each flush takes the delay, and serves two sessions at most.
    let delay_ns = f64::from(DELAY_US) * 1e3;
    let most = 2.0 * 1e9 / delay_ns;
    let (predicted, measured) =
        (slow.predicted.unwrap().rate_per_s, slow.measured.as_ref().unwrap().commits.rate_per_s);
    let emulated = slow.emulated.as_ref().unwrap();
    assert!(emulated.commits.rate_per_s <= most && emulated.parallel_write_ns.unwrap() >= delay_ns);
    assert!(measured > 0.0 && measured <= most, "{measured}");
    // Both are made of that delay: half and double are as far apart as sharing a flush or not.
    let over = slow.measured_over_predicted.unwrap();
    assert!((measured / predicted / over - 1.0).abs() < 1e-9);
    assert!((0.3..=3.0).contains(&over), "{measured} of {predicted}");
    let flush = slow.measured.as_ref().unwrap().flush_ns;
    assert!(flush.is_none_or(|ns| ns >= delay_ns), "{flush:?}");
    // The plant is nowhere else.
    let write = |place: &narrows_model::Placement| {
        let step = place.ladder.iter().find(|step| step.step.starts_with("write."));
        step.and_then(|step| step.p50_ns)
    };
    assert!(write(first).is_none_or(|ns| ns < delay_ns), "{first:?}");
    assert_eq!(first.measured_over_predicted.is_some(), first.predicted.is_some());
    let said = comparison.sentences.join(" ");
    assert!(said.contains("is in memory") && !said.contains("Move WAL to"), "{said}");
}
