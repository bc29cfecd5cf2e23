//! `narrows memory` as users meet it: a sketch of all of it, SLB's line, and wrong input.

use std::process::{Command, Output};

use narrows_model::{Run, Validity, metric};

use crate::common::machine::shared;
use crate::common::{Fixture, LEAST, program};

fn memory(fixture: &Fixture, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).arg("memory").args(arguments);
    command.output().unwrap()
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_dry_run_says_minutes_and_touches_nothing() {
    let fixture = Fixture::new();
    for arguments in [&["--dry-run"][..], &["slb", "1000", "10", "--dry-run"]] {
        let output = memory(&fixture, &[arguments, &["--load-here"]].concat());
        let text = said(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output.stderr));
        assert!(text.contains("total") && text.contains("writes nothing"), "{text}");
    }
    assert!(fixture.runs().is_empty());
}

#[test]
fn wrong_input_is_said_with_a_way_out_before_anything_is_measured() {
    let fixture = Fixture::new();
    for (arguments, parts) in [
        (&["slb", "0", "1"][..], ["a whole number from 1 to 67108864", "PAGES"]),
        (&["slb", "1", "0"], ["a whole number from 1 to", "OPS"]),
        (&["slb", "1000", "1", "--processes", "0"], ["a whole number from 1 to", "--processes"]),
        (
            &["slb", "1000", "1", "--bind", "4095"],
            ["CPU 4095 does not exist", "this process may use"],
        ),
        (&["slb", "1000", "1", "--bind", "x"], ["name CPUs, as 0,2 or 0-3", "--bind"]),
        (&["slb", "1000", "1", "--bind", "0-"], ["name CPUs, as 0,2 or 0-3", "--bind"]),
        (
            &["slb", "67108864", "1", "--processes", "4096"],
            ["half of memory available", "hint: use at most"],
        ),
        (
            &["placement", "--pid", "4194305"],
            ["there is no process 4194305", "hint: `ps -e` lists them"],
        ),
        (&["placement", "all", "--pid", "1"], ["cannot be used with", "--pid"]),
        (&["placement", "--matrix", "nothing-there"], ["no run `nothing-there`", "hint: "]),
        (
            &["placement", "--postgres", "postgres://h/?a=b"],
            ["a parameter `a` that is not known here", "known are host"],
        ),
        (&["--quick", "--thorough"], ["cannot be used with", "--thorough"]),
        (&["slb", "1000", "1", "--kit", "2008"], ["invalid value '2008'", "2007, 2010"]),
    ] {
        let output = memory(&fixture, arguments);
        let text = said(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        for part in parts {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
    }
    assert!(fixture.runs().is_empty());
}

#[test]
fn slbs_line_comes_once_for_each_process_and_its_meaning_after_it() {
    let _machine = shared();
    let fixture = Fixture::new();
    for kit in ["2007", "2010"] {
        let output = memory(
            &fixture,
            &["slb", "3000", "40", "--processes", "2", "--kit", kit, "--load-here"],
        );
        let text = said(&output.stdout);
        assert!(matches!(output.status.code(), Some(0 | 4)), "{text}{}", said(&output.stderr));
        let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("Total ops ")).collect();
        assert_eq!(lines.len(), 2, "{text}");
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!(words[2], "120000");
            let number = |at: usize| words[at].parse::<f64>().unwrap();
            let (ns, us, per_s) = (number(5), number(8), number(11));
            assert!((ns - us * 1000.0 / 120_000.0).abs() < 0.06 + ns * 0.01, "{line}");
            assert!((per_s * ns / 1e9 - 1.0).abs() < 0.05, "{line}");
        }
        for part in ["not a latency", "verified before and after", "A loop touches one line"] {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
    }
    let run = fixture.runs().pop().expect("it is saved");
    let run = Run::from_json(&std::fs::read_to_string(run).unwrap()).unwrap();
    let hammered = run.measurements.iter().find(|m| m.id.starts_with("memory.slb.20")).unwrap();
    assert_eq!(hammered.value(metric::OPERATIONS), Some(240_000.0));
    assert_eq!(hammered.value(metric::ERRORS), Some(0.0));
}

fn only_run(fixture: &Fixture) -> Run {
    let path = fixture.runs().pop().expect("it is saved");
    Run::from_json(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_matrix_of_one_node_is_refused_and_of_several_planned() {
    let fixture = Fixture::new();
    let output = memory(&fixture, &["matrix", "--dry-run"]);
    let platform = narrows_platform::discover(&narrows_facts::Live, &[]);
    let nodes = platform.nodes.iter().filter(|node| node.memory_bytes > 0).count();
    if nodes < 2 {
        assert_eq!(output.status.code(), Some(2));
        assert!(said(&output.stderr).contains("its matrix has one cell"), "{output:?}");
    } else {
        assert!(said(&output.stdout).contains("cells of the matrix of nodes"), "{output:?}");
    }
}

#[test]
fn a_pool_that_this_process_maps_is_found_with_its_pages() {
    const BYTES: usize = 24 << 20;
    // SAFETY: anonymous shared memory of our own; the result is checked before it is used.
    let pool = unsafe {
        libc::mmap(
            std::ptr::null_mut(),
            BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    assert_ne!(pool, libc::MAP_FAILED);
    for at in (0..BYTES / 2).step_by(4096) {
        // SAFETY: inside the mapping.
        unsafe { pool.cast::<u8>().add(at).write_volatile(1) };
    }
    let fixture = Fixture::new();
    let own = std::process::id().to_string();
    let output = memory(&fixture, &["placement", "--pid", &own, "--every-page"]);
    // SAFETY: this very mapping.
    unsafe { libc::munmap(pool, BYTES) };
    let text = said(&output.stdout);
    if said(&output.stderr).contains("cannot be read") {
        return eprintln!("SKIPPED: no process may be looked into here");
    }
    assert!(matches!(output.status.code(), Some(0 | 4)), "{text}{}", said(&output.stderr));
    assert!(text.contains("MEMORY PLACEMENT"), "{text}");
    let run = only_run(&fixture);
    let of = |m: &&narrows_model::Measurement| {
        m.number(narrows_model::condition::BYTES) == Some(BYTES as f64)
    };
    let found = run.measurements.iter().find(of).expect("the pool is among them");
    if found.number(narrows_model::condition::PROCESSES_ASKED) == Some(0.0) {
        return eprintln!("SKIPPED: pages may not be asked for here");
    }
    let half = (BYTES / 2 / 4096) as f64;
    assert_eq!(
        found.number(narrows_model::condition::PAGES_IN_NO_TABLE),
        Some(half),
        "the half that nobody touched"
    );
    assert_eq!(found.number(narrows_model::condition::PAGES_ASKED), Some(2.0 * half));
}

#[test]
fn a_baseline_is_kept_and_another_machines_is_not_compared_with() {
    let fixture = Fixture::new();
    let kept = fixture.home().join("narrows/baseline/memory.narrows.json");
    std::fs::create_dir_all(kept.parent().unwrap()).unwrap();
    std::fs::write(&kept, "{}").unwrap();
    let broken = memory(&fixture, &["baseline", "--dry-run"]);
    let text = said(&broken.stderr);
    assert_eq!(broken.status.code(), Some(2), "{text}");
    assert!(text.contains("the baseline cannot be read") && text.contains("--renew"), "{text}");
    // A whole one, of a machine of another name.
    let output = memory(&fixture, &["placement", "--format", "json"]);
    let mut run = Run::from_json(&said(&output.stdout)).unwrap();
    run.hosts[0].platform.hostname = Some("elsewhere".to_string());
    std::fs::write(&kept, run.to_json()).unwrap();
    let other = memory(&fixture, &["baseline", "--dry-run"]);
    let text = said(&other.stderr);
    assert!(text.contains("of another machine (elsewhere)") && text.contains("--renew"), "{text}");
    let renewed = memory(&fixture, &["baseline", "--renew", "--dry-run", "--load-here"]);
    assert_eq!(renewed.status.code(), Some(0), "{}", said(&renewed.stderr));
    assert!(std::fs::read_to_string(&kept).unwrap().contains("elsewhere"), "nothing was measured");
}

#[test]
fn processes_that_share_a_cpu_are_said_to() {
    let _machine = shared();
    let fixture = Fixture::new();
    let cpu = narrows_facts::affinity::current()[0].to_string();
    let output =
        memory(&fixture, &["slb", "500", "20", "--processes", "2", "--bind", &cpu, "--load-here"]);
    let text = said(&output.stdout);
    assert!(text.contains("warning: 2 processes share 1 CPU"), "{text}{}", said(&output.stderr));
}

#[test]
fn a_sketch_of_everything_is_one_run_and_one_screen() {
    let _machine = shared();
    let fixture = Fixture::new();
    let mut command = Command::new(program());
    command.args(["memory", "--quick", "--load-here"]).env("XDG_DATA_HOME", fixture.home());
    let output = command.env(LEAST.0, LEAST.1).output().unwrap();
    let text = said(&output.stdout);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{text}{}", said(&output.stderr));
    for part in [
        "LATENCY OF DEPENDENT LOADS",
        "BANDWIDTH",
        "copy",
        "SHAPED LIKE A DATABASE",
        "read the time",
    ] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains("not judged"), "there is no server to judge:\n{text}");
    let path = fixture.runs().pop().expect("it is saved");
    let run = Run::from_json(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(run.completed);
    for m in &run.measurements {
        assert_eq!(m.value(metric::ERRORS).unwrap_or(0.0), 0.0, "{}", m.id);
        // Nothing here can be wrong on a machine that others load too; it can be suspect, and in windows as short as these there may be
        // nothing at all.
        let own =
            || run.findings.iter().filter(|f| f.measurement.as_deref() == Some(m.id.as_str()));
        let starved = own().any(|finding| finding.id == "nothing-moved");
        let allowed = starved || m.id.starts_with("clock");
        assert!(
            m.validity != Validity::Invalid || allowed,
            "{}: {:#?}",
            m.id,
            own().collect::<Vec<_>>()
        );
    }
}
