//! Servers whose CPU time grows under load, by siblings on a core, by sharing, or by both: the verdict must take the one
//! out and find the other.

use crate::common::{cached, client, cpu, line, only};
use narrows_model::{Bottleneck, Grade, Sharing};
use narrows_sim::{Server, simulate};

const SEEDS: std::ops::Range<u64> = 40..45;

/// A full server with these two laws, and what the verdict made of it.
fn found(smt_yield: Option<f64>, sharing: f64, seed: u64) -> Sharing {
    let server = Server::new(8, 64, vec![client(5e3), cpu(60e3)]);
    let run = simulate(&cached(Server { smt_yield, sharing, ..server }, seed));
    let verdict = only(&run);
    assert_eq!(verdict.narrow, Bottleneck::Cpu, "{}", line(verdict));
    assert!(verdict.grade >= Grade::Likely, "{}", line(verdict));
    verdict.sharing.clone().unwrap_or_else(|| panic!("{}", line(verdict)))
}

fn close(found: Option<f64>, expected: f64, what: &str) {
    let found = found.unwrap_or_else(|| panic!("{what} is not known"));
    assert!((found / expected - 1.0).abs() < 0.03, "{what}: found {found:.3}, is {expected:.3}");
}

#[test]
fn sharing_is_found_behind_smt() {
    for seed in SEEDS {
        let sharing = found(Some(1.21), 1.32, seed);
        close(sharing.smt_factor, 2.0 / 1.21, "SMT factor");
        close(sharing.ratio, 1.32, "sharing factor");
        close(Some(sharing.loaded_ns_per_op / sharing.alone_ns_per_op), 2.182, "growth of both");
        assert!(sharing.limits_scaling);
    }
}

#[test]
fn what_the_cores_explain_is_not_called_sharing() {
    for (smt_yield, seed) in [1.0, 1.21, 1.5, 1.9].into_iter().zip(SEEDS) {
        let sharing = found(Some(smt_yield), 1.0, seed);
        close(sharing.smt_factor, 2.0 / smt_yield, "SMT factor");
        close(sharing.ratio, 1.0, "sharing factor");
        assert!(!sharing.limits_scaling);
    }
}

#[test]
fn without_smt_all_of_the_growth_is_sharing() {
    for (factor, seed) in [1.0, 1.1, 1.32, 2.0].into_iter().zip(SEEDS) {
        let sharing = found(None, factor, seed);
        assert_eq!(sharing.smt_factor, Some(1.0));
        close(sharing.ratio, factor, "sharing factor");
        assert_eq!(sharing.limits_scaling, factor > 1.15);
    }
}

#[test]
fn with_idle_cpus_the_two_cannot_be_told_apart() {
    // Four sessions on eight CPUs: each could have a core of its own, or not.
    let server =
        Server { smt_yield: Some(1.21), ..Server::new(8, 4, vec![client(5e3), cpu(60e3)]) };
    let run = simulate(&cached(server, 7));
    let sharing = only(&run).sharing.as_ref().expect("a lone session was measured");
    assert_eq!((sharing.smt_factor, sharing.ratio, sharing.limits_scaling), (None, None, false));
}
