//! What findings look like: order, wording, effect on the run.

use crate::clean;
use narrows_model::{DeviceKind, MetricValue, Role, Run, Severity, Validity, condition, metric};
use narrows_validity::{Group, check, rules};
use serde_json::json;

const KNEE: &str = "block.read.random.8k.knee";

#[test]
fn a_path_without_counters_is_told_although_another_path_has_them() {
    let mut run = clean::run();
    for m in run.measurements.iter_mut().filter(|m| m.id.starts_with("block.")) {
        m.metrics.retain(|metric| metric.name != narrows_model::metric::DEVICE_WRITE_BYTES);
    }
    let found = check(&run);
    let told = found.iter().find(|f| f.id == "device-writes-unchecked").expect("it is told");
    assert!(told.evidence.contains("in /data"), "{}", told.evidence);
    assert!(!told.evidence.contains("/wal"), "{}", told.evidence);
}

#[test]
fn evidence_quotes_the_figures_the_bound_and_the_repeat() {
    let mut run = clean::run();
    let m = run.measurements.iter_mut().find(|m| m.id == KNEE).expect("the clean run has it");
    let device = m.metrics.iter_mut().find(|m| m.name == metric::DEVICE_READ_BYTES).expect("same");
    device.samples[3] = 41e6;
    let findings = check(&run);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].id, "device-saw-less");
    assert_eq!(findings[0].measurement.as_deref(), Some(KNEE));
    assert_eq!(
        findings[0].evidence,
        "device read bytes 41.0 MB against issued read bytes 8.19 GB in repeat 4 of 6: ratio 0.00500, \
         wanted at least 0.95"
    );
}

#[test]
fn the_heaviest_finding_comes_first_and_decides_the_validity() {
    let mut run = clean::run();
    let m = run.measurements.iter_mut().find(|m| m.id == KNEE).expect("the clean run has it");
    clean::say(m, condition::IO_URING_REFUSED, json!("ENOSYS"));
    clean::set(m, metric::GENERATOR_BUSY, 0.99);
    clean::set(m, metric::ERRORS, 3.0);
    run.findings = check(&run);
    let severities: Vec<Severity> = run.findings.iter().map(|f| f.severity).collect();
    assert_eq!(severities, [Severity::Invalid, Severity::Suspect, Severity::Note]);
    run.apply_findings();
    let m = run.measurement(KNEE).expect("still there");
    assert_eq!(m.validity, Validity::Invalid);
    assert_eq!(m.findings, ["operations-failed", "generator-bound"]);
}

#[test]
fn a_finding_about_the_run_is_made_once_and_quotes_three() {
    let mut run = clean::run();
    for m in &mut run.measurements {
        m.repeats = 2;
    }
    let findings = check(&run);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].measurement, None);
    assert!(findings[0].evidence.starts_with("clock.vdso: repeats 2, wanted at least 3;"));
    assert!(findings[0].evidence.ends_with("; 15 more"), "{}", findings[0].evidence);
}

#[test]
fn a_burst_figure_is_told_against_the_capacity() {
    let mut run = clean::run();
    let id = "block.write.random.8k.knee";
    let m = run.measurements.iter_mut().find(|m| m.id == id).expect("the clean run has it");
    clean::say(m, condition::WRITE_STATE, json!("burst"));
    clean::say(m, condition::WRITTEN_BYTES, json!(49_200_000_000_u64));
    assert_eq!(
        check(&run)[0].evidence,
        "write state is burst; written bytes 49.2 GB; drive capacity 40.0 GB"
    );
}

/// Of one repeat among six, so that medians would be nothing.
#[test]
fn an_outage_in_one_repeat_is_told_with_what_it_took() {
    let mut run = clean::run();
    let m = run.measurements.iter_mut().find(|m| m.id == KNEE).expect("the clean run has it");
    for (name, value) in [
        (metric::RECONNECTS, 1.0),
        (metric::DISCONNECTED, 1_200_000_000.0),
        (metric::LONGEST_STALL, 1_300_000_000.0),
    ] {
        let mut samples = vec![0.0; 6];
        samples[2] = value;
        m.metrics.push(MetricValue::new(name, 0.0, None, samples));
    }
    let findings = check(&run);
    assert_eq!(findings[0].id, "nvme-connected-again");
    let said = &findings[0].evidence;
    assert!(said.contains("disconnected over all repeats 1.20 s"), "{said}");
    assert!(said.contains("longest stall 1.30 s"), "{said}");
}

#[test]
fn a_stored_run_is_judged_again_to_the_same_findings() {
    let mut run = clean::run();
    clean::set(&mut run.measurements[3], metric::ERRORS, 3.0);
    let first = check(&run);
    run.findings = first.clone();
    run.apply_findings();
    assert_eq!(check(&run), first);
}

#[test]
fn every_rule_says_what_to_do_and_why_it_weighs_so_much() {
    for rule in rules() {
        for (field, text) in [
            ("summary", rule.summary),
            ("advice", rule.advice),
            ("reason", rule.reason),
            ("reference", rule.reference),
        ] {
            assert!(text.len() > 5, "{} has no {field}", rule.id);
            assert!(!text.ends_with('.'), "{}: {field} ends with a stop", rule.id);
        }
        assert!(rule.summary.len() <= 100, "{}'s summary doesn't fit a line", rule.id);
        assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.id);
        assert!(!rule.when.to_string().is_empty() && !rule.about.to_string().is_empty());
    }
    for group in Group::ALL {
        assert!(rules().iter().any(|rule| rule.group == group), "{} is empty", group.title());
    }
}

#[test]
fn bounds_have_the_unit_of_what_they_bound() {
    for (id, part) in [
        ("window-too-short", "window below 20 ms in any repeat"),
        ("flush-implausibly-fast", "latency p50 below 10 µs"),
        ("huge-pages-not-obtained", "page bytes below 2 MiB"),
        ("commits-not-written", "wal bytes per op × operations is at least 1 MB"),
        ("observed-too-short", "length of the observation below 10 s"),
        ("observed-idle-in-transaction", "longest idle in transaction above 60 s"),
        ("observed-temporary-files", "above 1 MB/s"),
        ("little-law-broken", "depth × 20 is less than operations"),
    ] {
        let rule = rules().iter().find(|rule| rule.id == id).unwrap();
        let text = format!("{}: {}", rule.about, rule.when);
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn a_window_above_the_rate_that_was_kept_is_meant_to_be_too_much() {
    let judged = |id: &str| {
        let mut run = clean::run();
        let m = run.measurements.iter_mut().find(|m| m.id == "block.read.random.8k.open").unwrap();
        m.id = id.into();
        for name in [metric::OFFERED, metric::BACKLOG_GROWTH, metric::SKIPPED] {
            let metric = m.metrics.iter_mut().find(|metric| metric.name == name).unwrap();
            let value = if name == metric::OFFERED { 150e3 } else { 5e5 };
            metric.value = value;
            metric.samples.fill(value);
        }
        let about: Vec<String> = check(&run)
            .into_iter()
            .filter(|finding| finding.measurement.as_deref() == Some(id))
            .map(|finding| finding.id)
            .collect();
        about
    };
    let kept = judged("block.calibrate.read.8k.confirm.kept");
    for rule in ["overload", "backlog-grows", "operations-skipped"] {
        assert!(kept.iter().any(|id| id == rule), "{rule}: {kept:?}");
    }
    for beyond in ["confirm.beyond.next", "curve.beyond.p106"] {
        assert_eq!(judged(&format!("block.calibrate.read.8k.{beyond}")), [""; 0]);
    }
}

#[test]
fn of_several_places_for_the_log_the_one_that_was_measured_counts() {
    let mut run = clean::run();
    let roles = &mut run.hosts[0].platform.roles;
    let mut memory = roles.iter().find(|path| path.role == Role::Wal).expect("it has one").clone();
    memory.path = "/dev/shm/log".to_string();
    memory.file_system.volatile = true;
    roles.push(memory);
    let ids = |run: &Run| -> Vec<String> {
        check(run).iter().filter(|f| f.id == "not-durable").map(|f| f.summary.clone()).collect()
    };
    assert!(ids(&run).is_empty(), "who says nothing is on the first place");
    let m = run.measurements.iter_mut().find(|m| m.id.starts_with("log."));
    let m = m.expect("the clean run has one");
    m.conditions.insert(condition::FOLDER, json!("/dev/shm/log"));
    assert_eq!(ids(&run).len(), 1);
}

#[test]
fn flushes_that_end_on_the_way_are_found_through_every_slave_with_the_cure() {
    let found = |run: &Run| -> Vec<String> {
        let findings = check(run).into_iter().filter(|f| f.id == "flush-switched-off");
        findings.map(|f| serde_json::to_string(&f).unwrap()).collect()
    };
    let mut run = clean::run();
    let path = run.hosts[0].platform.roles.iter_mut().find(|path| path.role == Role::Wal).unwrap();
    let drive = path.devices[0].clone();
    let layer = |name: &str, kind, beneath: &str, cache: &str| {
        let mut device = drive.clone();
        (device.name, device.kind) = (name.to_string(), kind);
        device.slaves = vec![beneath.to_string()];
        device.queue.as_mut().unwrap().write_cache = Some(cache.to_string());
        device
    };
    // Two layers above the drive, of which the upper one was told that nothing beneath is volatile.
    let volume = layer("dm-1", DeviceKind::Mapper, "dm-0", "write through");
    path.devices =
        vec![volume, layer("dm-0", DeviceKind::Mapper, &drive.name, "write back"), drive];
    let said = found(&run);
    assert!(!said.is_empty());
    for finding in said {
        assert!(finding.contains("dm-1 is treated as"), "{finding}");
        assert!(finding.contains("/sys/block/dm-1/queue/write_cache"), "{finding}");
    }
    let path = run.hosts[0].platform.roles.iter_mut().find(|path| path.role == Role::Wal).unwrap();
    path.devices[0].queue.as_mut().unwrap().write_cache = Some("write back".to_string());
    assert_eq!(found(&run), Vec::<String>::new());
}
