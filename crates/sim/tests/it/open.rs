//! Where the judge cannot know, it must say so: UNDECIDED, with a reason.

use crate::common::{cached, client, cpu, line, only, uncached, update};
use narrows_model::{
    Bottleneck, Finding, Grade, Measurement, Metric, MetricValue, Run, Severity, Validity, Verdict,
    metric,
};
use narrows_sim::{Disk, Law, Scene, Server, Step, simulate};
use narrows_verdict::{judge, propose};

fn reads(seed: u64) -> Scene {
    let server = Server::new(4, 8, vec![client(5e3), cpu(12e3), Step::Read, cpu(12e3)]);
    let disk = Disk { channels: 64, ..server.disk };
    uncached(Server { disk, ..server }, seed)
}

fn busy(seed: u64) -> Scene {
    cached(Server::new(4, 24, vec![client(8e3), cpu(50e3)]), seed)
}

/// Judges the run again after somebody meddled with it.
fn judged(mut run: Run, id: &str, meddle: impl FnOnce(&mut Measurement)) -> Verdict {
    let m = run.measurements.iter_mut().find(|m| m.id == id).expect("it is in the run");
    meddle(m);
    judge(&run).remove(0)
}

fn without(names: &'static [Metric]) -> impl FnOnce(&mut Measurement) {
    move |m| m.metrics.retain(|metric| !names.iter().any(|name| metric.name == *name))
}

fn times(name: Metric, factor: f64) -> impl FnOnce(&mut Measurement) {
    move |m| {
        let metric: &mut MetricValue =
            m.metrics.iter_mut().find(|metric| metric.name == name).expect("it was measured");
        metric.value *= factor;
        metric.samples.iter_mut().for_each(|sample| *sample *= factor);
        if let Some(interval) = &mut metric.interval_95 {
            interval.low *= factor;
            interval.high *= factor;
        }
    }
}

fn says(verdict: &Verdict, words: &str) {
    assert!(verdict.reasons.iter().any(|reason| reason.contains(words)), "{}", line(verdict));
}

#[test]
fn two_equal_bounds_are_not_separable() {
    // 8 sessions of 40 µs CPU and 40 µs read on 4 processors: both bounds lie at 100k/s.
    for seed in 0..5 {
        let server = Server::new(4, 8, vec![Step::Read, cpu(40e3)]);
        let disk = Disk { channels: 64, service: Law::Erlang(4, 40e3) };
        let run = simulate(&uncached(Server { disk, ..server }, seed));
        let verdict = only(&run);
        assert!(verdict.or.is_some(), "{}", line(verdict));
        assert!(verdict.grade < Grade::Confirmed, "{}", line(verdict));
        says(verdict, "too close");
        assert!(verdict.phrase.contains(", too close to tell"), "{}", verdict.phrase);
        let named = [Some(verdict.narrow), verdict.or];
        assert!(verdict.next.iter().all(|next| !named.contains(&Some(next.resource))));
    }
}

#[test]
fn a_read_that_takes_as_long_as_the_commit_is_not_told_from_it() {
    let mut server = Server::new(8, 2, vec![cpu(10e3), Step::Read, Step::Commit]);
    server.disk = Disk { channels: 64, service: Law::Erlang(4, 122e3) };
    server.log.flush = Law::Erlang(4, 100e3);
    server.log.per_commit_ns = 0.0;
    let run = simulate(&update(server, 4));
    let verdict = only(&run);
    // Two committers take turns: each waits about one and a half flushes.
    assert!(verdict.or.is_some(), "{}", line(verdict));
    assert_eq!(verdict.grade, Grade::Undecided, "{}", line(verdict));
}

#[test]
fn missing_parts_leave_it_open() {
    let id = "database.lookup_uncached";
    for names in [
        &[metric::BACKEND_CPU_PER_OP][..],
        &[metric::RUN_QUEUE_PER_OP],
        &[metric::WAIT_READ_PER_OP],
        &[metric::WAIT_CLIENT_PER_OP, metric::WAIT_OTHER_PER_OP],
    ] {
        let verdict = judged(simulate(&reads(1)), id, without(names));
        assert_eq!(verdict.grade, Grade::Undecided, "without {names:?}: {}", line(&verdict));
        says(&verdict, "not measured");
    }
    let verdict = judged(simulate(&reads(1)), id, without(&[metric::THROUGHPUT]));
    assert_eq!(verdict.grade, Grade::Undecided);
    says(&verdict, "no throughput");
    let verdict = judged(simulate(&reads(1)), id, without(&[metric::SESSIONS]));
    assert_eq!(verdict.grade, Grade::Undecided);
    says(&verdict, "sessions is unknown");
}

#[test]
fn an_unknown_set_of_processors_is_not_taken_for_an_endless_one() {
    let id = "database.lookup_cached";
    let verdict = judged(simulate(&busy(1)), id, without(&[metric::SERVER_CPUS_AVAILABLE]));
    assert_eq!(verdict.grade, Grade::Undecided, "{}", line(&verdict));
    says(&verdict, "available to the server is unknown");
    let cpu = verdict.utilisation.iter().find(|u| u.resource == Bottleneck::Cpu).expect("listed");
    assert_eq!(cpu.value, None);
}

#[test]
fn an_understated_capacity_is_withheld_and_not_clipped() {
    let verdict = judged(
        simulate(&busy(2)),
        "database.lookup_cached",
        times(metric::SERVER_CPUS_AVAILABLE, 0.8),
    );
    assert_eq!(verdict.grade, Grade::Undecided, "{}", line(&verdict));
    says(&verdict, "understated");
    let cpu = verdict.utilisation.iter().find(|u| u.resource == Bottleneck::Cpu).expect("listed");
    assert!(cpu.value.expect("known") > 1.2, "the figure itself stays");
}

#[test]
fn a_sum_that_does_not_add_up_leaves_it_open() {
    for (name, factor) in [
        (metric::WAIT_READ_PER_OP, 0.8),
        (metric::WAIT_READ_PER_OP, 1.2),
        // Twice 24 µs of 110: more than twice the tolerance, so that no name is given however clear it is.
        (metric::BACKEND_CPU_PER_OP, 2.0),
    ] {
        let id = "database.lookup_uncached";
        let run = simulate(&reads(3));
        assert_eq!(only(&run).grade, Grade::Confirmed, "before: {}", line(only(&run)));
        let verdict = judged(run.clone(), id, times(name, factor));
        assert_eq!(verdict.grade, Grade::Undecided, "{name} × {factor}: {}", line(&verdict));
        says(&verdict, "must agree within 5 %");
        assert!(!verdict.sum.expect("a sum").agrees);
        let mut meddled = run;
        let m = meddled.measurements.iter_mut().find(|m| m.id == id).expect("there");
        times(name, factor)(m);
        assert_eq!(propose(&meddled, id), None, "no test can mend a sum");
    }
}

#[test]
fn a_test_that_contradicts_takes_the_verdict_back() {
    let mut run = simulate(&reads(5));
    let test = run.measurements.iter_mut().find(|m| m.id.contains(".test.")).expect("tested");
    // Twice the sessions changed nothing: then they were not waiting for the reads' latency.
    times(metric::THROUGHPUT, 0.56)(test);
    let verdict = judge(&run).remove(0);
    assert_eq!(verdict.grade, Grade::Undecided, "{}", line(&verdict));
    says(&verdict, "contradicts");
    assert_eq!(verdict.gain_tested, None);
}

#[test]
fn a_test_too_noisy_to_tell_confirms_nothing() {
    let mut run = simulate(&reads(6));
    let test = run.measurements.iter_mut().find(|m| m.id.contains(".test.")).expect("tested");
    let rate = test.metrics.iter_mut().find(|m| m.name == metric::THROUGHPUT).expect("a rate");
    for (i, sample) in rate.samples.iter_mut().enumerate() {
        *sample *= if i % 2 == 0 { 0.5 } else { 1.5 };
    }
    let verdict = judge(&run).remove(0);
    assert_eq!(verdict.grade, Grade::Likely, "{}", line(&verdict));
    assert!(!verdict.test.expect("kept").confirms);
}

#[test]
fn suspect_measurements_give_open_verdicts_and_invalid_ones_none() {
    let run = simulate(&busy(7));
    let with = |id: &str, severity| {
        let mut run = run.clone();
        run.findings.push(Finding {
            id: "planted".into(),
            severity,
            measurement: Some(id.into()),
            summary: String::new(),
            evidence: String::new(),
            advice: String::new(),
            places: Vec::new(),
        });
        run.apply_findings();
        judge(&run)
    };
    let id = "database.lookup_cached";
    assert_eq!(with(id, Severity::Note)[0].grade, Grade::Confirmed);
    let suspect = with(id, Severity::Suspect);
    assert_eq!(suspect[0].grade, Grade::Undecided);
    says(&suspect[0], "suspect: planted");
    assert!(with(id, Severity::Invalid).is_empty());
    // A test that is not valid is no test.
    let test =
        run.measurements.iter().find(|m| m.id.contains(".test.")).expect("tested").id.clone();
    assert_eq!(with(&test, Severity::Suspect)[0].grade, Grade::Likely);
}

#[test]
fn a_suspect_capacity_does_not_enter_a_verdict() {
    let mut run = simulate(&reads(8));
    for m in &mut run.measurements {
        if m.id.starts_with("block.") {
            m.validity = Validity::Suspect;
        }
    }
    let verdict = judge(&run).remove(0);
    assert!(
        verdict.bounds.iter().all(|b| b.resource != Bottleneck::ReadRate),
        "{}",
        line(&verdict)
    );
    assert_eq!(verdict.or, Some(Bottleneck::ReadRate), "latency or rate? {}", line(&verdict));
    assert!(verdict.grade < Grade::Confirmed);
    says(&verdict, "no valid capacity of the drives");
}

#[test]
fn a_hidden_quota_is_not_called_by_a_visible_name() {
    // The quota sits on a group that the platform does not see; its processors look available.
    let server = Server::new(4, 8, vec![client(5e3), cpu(30e3)]);
    let scene = cached(Server { quota_cpus: Some(1.0), ..server }, 9);
    let mut run = scene.measure();
    run.hosts[0].platform.cgroup.cpu_quota_cpus = None;
    let hide = |m: &mut Measurement| {
        m.metrics.retain(|metric| metric.name != metric::THROTTLED);
        times(metric::SERVER_CPUS_AVAILABLE, 4.0)(m);
    };
    let verdict = judged(run, "database.lookup_cached", hide);
    assert_eq!(verdict.grade, Grade::Undecided, "{}", line(&verdict));
    assert_eq!(verdict.narrow, Bottleneck::Unknown);
    says(&verdict, "no counter shows");
}

#[test]
fn a_run_file_alone_is_enough() {
    let run = simulate(&reads(10));
    let again = Run::from_json(&run.to_json()).expect("it reads its own file");
    assert_eq!(judge(&again), run.verdicts);
    let nothing = Run { measurements: Vec::new(), ..run };
    assert!(judge(&nothing).is_empty());
}
