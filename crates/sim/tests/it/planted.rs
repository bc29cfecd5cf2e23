//! Planted bottlenecks: the narrow place is known by construction, and the verdict must name it.
//!
//! Of the verdicts graded CONFIRMED at least 95 % must be right; none of the eighty runs may be CONFIRMED and wrong in a
//! way that hides behind the average, so every wrong one is printed with its figures.

use crate::common::{cached, client, cpu, line, only, uncached, update};
use narrows_model::{Bottleneck, Grade};
use narrows_sim::{Disk, Law, Scene, Server, Step, simulate};

struct Plant {
    name: &'static str,
    expected: Bottleneck,
    /// Whether the figures suffice for CONFIRMED.
    sure: bool,
    scene: fn(u64) -> Scene,
}

const PLANTS: &[Plant] = &[
    Plant {
        name: "all processors busy",
        expected: Bottleneck::Cpu,
        sure: true,
        scene: |seed| cached(Server::new(4, 24, vec![client(8e3), cpu(50e3)]), seed),
    },
    Plant {
        name: "the only processor busy",
        expected: Bottleneck::Cpu,
        sure: true,
        scene: |seed| cached(Server::new(1, 8, vec![client(8e3), cpu(16e3)]), seed),
    },
    Plant {
        name: "fewer sessions than processors",
        expected: Bottleneck::CpuPerSession,
        sure: true,
        scene: |seed| cached(Server::new(8, 2, vec![client(5e3), cpu(60e3)]), seed),
    },
    Plant {
        name: "quota of half a processor",
        expected: Bottleneck::CpuQuota,
        sure: true,
        scene: |seed| {
            let server = Server::new(2, 8, vec![client(5e3), cpu(30e3)]);
            cached(Server { quota_cpus: Some(0.5), ..server }, seed)
        },
    },
    Plant {
        name: "a hog on one of two processors",
        expected: Bottleneck::CpuTaken,
        sure: true,
        scene: |seed| {
            let server = Server::new(2, 8, vec![client(5e3), cpu(30e3)]);
            cached(Server { taken_cpus: 1.0, ..server }, seed)
        },
    },
    Plant {
        name: "reads that drives with room answer",
        expected: Bottleneck::ReadLatency,
        sure: true,
        scene: |seed| {
            let server = Server::new(4, 8, vec![client(5e3), cpu(12e3), Step::Read, cpu(12e3)]);
            let disk = Disk { channels: 64, ..server.disk };
            uncached(Server { disk, ..server }, seed)
        },
    },
    Plant {
        name: "drives that are full",
        expected: Bottleneck::ReadRate,
        sure: true,
        scene: |seed| {
            let server = Server::new(4, 32, vec![client(5e3), cpu(12e3), Step::Read, cpu(12e3)]);
            let disk = Disk { channels: 4, ..server.disk };
            uncached(Server { disk, ..server }, seed)
        },
    },
    Plant {
        name: "the log's flush",
        expected: Bottleneck::CommitWait,
        sure: true,
        scene: |seed| update(Server::new(4, 8, vec![client(5e3), cpu(20e3), Step::Commit]), seed),
    },
    Plant {
        name: "a lone session that commits",
        expected: Bottleneck::CommitWait,
        sure: true,
        scene: |seed| update(Server::new(4, 1, vec![client(5e3), cpu(20e3), Step::Commit]), seed),
    },
    Plant {
        name: "a flush that is slow inside the server",
        expected: Bottleneck::CommitInsideServer,
        sure: true,
        scene: |seed| {
            let mut server = Server::new(4, 8, vec![client(5e3), cpu(20e3), Step::Commit]);
            server.log.inside_ns = 2e6;
            update(server, seed)
        },
    },
    Plant {
        name: "one lock for all",
        expected: Bottleneck::Lock,
        sure: true,
        scene: |seed| {
            let steps = vec![client(5e3), cpu(20e3), Step::Lock, cpu(60e3), Step::Unlock];
            cached(Server::new(4, 16, steps), seed)
        },
    },
    Plant {
        name: "a client without processor time",
        expected: Bottleneck::Client,
        sure: true,
        scene: |seed| {
            let server = Server::new(4, 16, vec![client(60e3), cpu(30e3)]);
            cached(Server { client_cpus: 1, ..server }, seed)
        },
    },
    Plant {
        name: "a long wire",
        expected: Bottleneck::Client,
        sure: true,
        scene: |seed| {
            let wire = Step::Wire(Law::Constant(1e6));
            cached(Server::new(4, 8, vec![client(5e3), wire, cpu(30e3)]), seed)
        },
    },
    Plant {
        name: "few scan workers",
        expected: Bottleneck::Workers,
        sure: true,
        scene: |seed| {
            let mut server = Server::new(8, 2, vec![Step::Read, cpu(800e3)]);
            server.disk.service = Law::Constant(60e3);
            Scene::scan(server, 50.0, 128.0, seed)
        },
    },
    Plant {
        name: "as many scan workers as processors",
        expected: Bottleneck::Cpu,
        sure: true,
        scene: |seed| {
            let mut server = Server::new(4, 8, vec![Step::Read, cpu(800e3)]);
            server.disk.service = Law::Constant(60e3);
            Scene::scan(server, 50.0, 128.0, seed)
        },
    },
    Plant {
        name: "a scan that fills the drives",
        expected: Bottleneck::ReadBandwidth,
        sure: true,
        scene: |seed| {
            let mut server = Server::new(8, 6, vec![Step::Read, cpu(100e3)]);
            server.disk = Disk { channels: 1, service: Law::Constant(300e3) };
            Scene::scan(server, 50.0, 128.0, seed)
        },
    },
];

const SEEDS: std::ops::Range<u64> = 100..105;

#[test]
fn planted_bottlenecks_get_their_names() {
    let (mut sure, mut right_and_sure, mut wrong) = (0u64, 0u64, Vec::new());
    let mut missed = Vec::new();
    for plant in PLANTS {
        for seed in SEEDS {
            let run = simulate(&(plant.scene)(seed));
            let verdict = only(&run);
            let right = verdict.narrow == plant.expected && verdict.or.is_none();
            let text = || format!("{}, seed {seed}: {}", plant.name, line(verdict));
            if verdict.grade == Grade::Confirmed {
                sure += 1;
                right_and_sure += u64::from(right);
            } else if plant.sure {
                missed.push(text());
            }
            if !right {
                wrong.push(text());
            }
        }
    }
    let interval = narrows_stats::share_interval_95(right_and_sure, sure);
    println!("CONFIRMED: {right_and_sure} of {sure} right, 95 % interval {interval:?}");
    println!("not CONFIRMED although it could be: {}\n{}", missed.len(), missed.join("\n"));
    assert!(sure >= 60, "too few CONFIRMED verdicts to say anything: {sure}");
    assert!(right_and_sure as f64 >= 0.95 * sure as f64, "wrong:\n{}", wrong.join("\n"));
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
    // A judge that is right because it never dares is no use either.
    assert!(missed.len() * 10 <= PLANTS.len() * SEEDS.count(), "{}", missed.join("\n"));
}

#[test]
fn the_slow_flush_gets_its_sentence() {
    let plant =
        PLANTS.iter().find(|p| p.expected == Bottleneck::CommitInsideServer).expect("planted");
    let run = simulate(&(plant.scene)(1));
    // 2 ms on top of about 0.1 ms.
    assert_eq!(
        only(&run).phrase,
        "commit wait inside the server: a flush there takes 21 times as long as outside it"
    );
}

#[test]
fn without_the_test_nothing_is_sure_and_a_sketch_never_is() {
    for plant in PLANTS {
        let scene = (plant.scene)(3);
        let untested = narrows_verdict::judge(&scene.measure());
        assert!(untested[0].grade <= Grade::Likely, "{}: {}", plant.name, line(&untested[0]));
        let sketch = simulate(&Scene { quick: true, ..scene });
        assert!(only(&sketch).grade <= Grade::Likely, "{}: {}", plant.name, line(only(&sketch)));
    }
}

/// A stored run is judged again whenever somebody asks for it: nothing may add up.
#[test]
fn judging_again_changes_nothing() {
    for plant in PLANTS {
        let run = simulate(&(plant.scene)(5));
        let mut again = run.clone();
        narrows_judge::judge(&mut again);
        assert_eq!(again.to_json(), run.to_json(), "{}", plant.name);
    }
}

#[test]
fn a_gain_that_was_tested_does_not_exceed_what_the_law_allows() {
    for plant in PLANTS {
        let run = simulate(&(plant.scene)(11));
        let verdict = only(&run);
        // CPUs that are lent are others than those that come back when nobody takes them.
        let other = verdict.narrow == Bottleneck::CpuTaken;
        let gains = verdict.gain_tested.zip(verdict.gain_at_most).filter(|_| !other);
        if let Some((tested, at_most)) = gains {
            assert!(tested <= at_most * 1.1 + 0.05, "{}: {}", plant.name, line(verdict));
        }
    }
}
