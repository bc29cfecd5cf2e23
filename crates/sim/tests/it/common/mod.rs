//! Scenes with a known narrow place.

pub mod random;

use narrows_model::{Run, Verdict};
use narrows_sim::{Law, Scene, Server, Step};
use narrows_verdict::Workload;

pub fn cpu(ns: f64) -> Step {
    Step::Cpu(Law::Erlang(4, ns))
}

pub fn client(ns: f64) -> Step {
    Step::Client(Law::Erlang(4, ns))
}

pub fn cached(server: Server, seed: u64) -> Scene {
    Scene::new(Workload::LookupCached, server, seed)
}

pub fn uncached(server: Server, seed: u64) -> Scene {
    Scene::new(Workload::LookupUncached, server, seed)
}

pub fn update(server: Server, seed: u64) -> Scene {
    Scene::new(Workload::Update, server, seed)
}

pub fn only(run: &Run) -> &Verdict {
    assert_eq!(run.verdicts.len(), 1, "one workload, one verdict");
    &run.verdicts[0]
}

/// One line for the log of a failing test.
pub fn line(verdict: &Verdict) -> String {
    let test = verdict.test.as_ref().map(|t| {
        format!(
            "{} {:+.1} % in {:+.1}..{:+.1}",
            t.intervention,
            t.effect * 100.0,
            t.expected_low * 100.0,
            t.expected_high * 100.0
        )
    });
    let bounds: Vec<_> =
        verdict.bounds.iter().map(|b| format!("{} {:.0}", b.label, b.bound_per_s)).collect();
    format!(
        "{:?} or {:?} {:?} `{}` X {:.0}, test {:?}, bounds {:?}, reasons {:?}",
        verdict.narrow,
        verdict.or,
        verdict.grade,
        verdict.phrase,
        verdict.throughput_per_s,
        test,
        bounds,
        verdict.reasons
    )
}
