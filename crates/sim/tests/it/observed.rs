//! Servers that are looked at and not loaded, with a known narrow place: the verdict names it, or is OPEN. It is never LIKELY
//! and wrong, whatever of the server can't be seen.

use crate::common::random::{Score, random, seeds};
use crate::common::{client, cpu, line, only, update};
use narrows_model::{Bottleneck, Grade, Run};
use narrows_sim::{Disk, Law, Scene, Server, Step, Visibility, observe};
use narrows_verdict::{Workload, judge};

struct Plant {
    name: &'static str,
    expected: Bottleneck,
    server: fn() -> Server,
    look: Visibility,
}

const ALL: Visibility =
    Visibility { capacities: true, processes: true, account: true, io_worker: false };

const PLANTS: &[Plant] = &[
    Plant {
        name: "all processors busy",
        expected: Bottleneck::Cpu,
        server: || Server::new(4, 24, vec![client(8e3), cpu(50e3)]),
        look: ALL,
    },
    Plant {
        name: "quota of half a processor",
        expected: Bottleneck::CpuQuota,
        server: || {
            let server = Server::new(2, 8, vec![client(5e3), cpu(30e3)]);
            Server { quota_cpus: Some(0.5), ..server }
        },
        look: ALL,
    },
    Plant {
        name: "a hog on one of two processors",
        expected: Bottleneck::CpuTaken,
        server: || {
            let server = Server::new(2, 8, vec![client(5e3), cpu(30e3)]);
            Server { taken_cpus: 1.0, ..server }
        },
        look: ALL,
    },
    Plant {
        name: "fewer sessions than processors",
        expected: Bottleneck::CpuPerSession,
        server: || Server::new(8, 2, vec![client(5e3), cpu(60e3)]),
        look: ALL,
    },
    Plant {
        name: "reads that drives with room answer",
        expected: Bottleneck::ReadLatency,
        server: || {
            let server = Server::new(4, 8, vec![client(5e3), cpu(12e3), Step::Read, cpu(12e3)]);
            Server { disk: Disk { channels: 64, ..server.disk }, ..server }
        },
        look: ALL,
    },
    Plant {
        name: "drives that are full",
        expected: Bottleneck::ReadRate,
        server: || {
            let server = Server::new(4, 32, vec![client(5e3), cpu(12e3), Step::Read, cpu(12e3)]);
            Server { disk: Disk { channels: 4, ..server.disk }, ..server }
        },
        look: ALL,
    },
    Plant {
        name: "the log's flush",
        expected: Bottleneck::CommitWait,
        server: || Server::new(4, 8, vec![client(5e3), cpu(20e3), Step::Commit]),
        look: ALL,
    },
    Plant {
        name: "one lock for all",
        expected: Bottleneck::Lock,
        server: || {
            let steps = vec![client(5e3), cpu(20e3), Step::Lock, cpu(60e3), Step::Unlock];
            Server::new(4, 16, steps)
        },
        look: ALL,
    },
    Plant {
        name: "clients that think",
        expected: Bottleneck::Client,
        server: || {
            let server = Server::new(4, 40, vec![client(5e3), cpu(50e3), Step::Commit]);
            Server { think: Some(Law::Exponential(5e6)), ..server }
        },
        look: ALL,
    },
    Plant {
        name: "a long wire",
        expected: Bottleneck::Client,
        server: || {
            let wire = Step::Wire(Law::Constant(1e6));
            Server::new(4, 8, vec![client(5e3), wire, cpu(30e3)])
        },
        look: ALL,
    },
    Plant {
        name: "a server that hardly anybody uses",
        expected: Bottleneck::Client,
        server: || {
            let server = Server::new(4, 4, vec![client(5e3), cpu(200e3), Step::Commit]);
            Server { think: Some(Law::Exponential(100e6)), ..server }
        },
        look: ALL,
    },
    Plant {
        name: "one process that copies for all",
        expected: Bottleneck::HotThread,
        server: || {
            let server = Server::new(8, 16, vec![client(5e3), cpu(12e3), Step::Read, cpu(12e3)]);
            Server { disk: Disk { channels: 1, service: Law::Erlang(4, 30e3) }, ..server }
        },
        look: Visibility { io_worker: true, capacities: false, ..ALL },
    },
];

const SEEDS: std::ops::Range<u64> = 200..205;
const RANDOM: std::ops::Range<u64> = 0..60;

fn looked_at(plant: &Plant, look: Visibility, seed: u64) -> Run {
    let scene = Scene::new(Workload::Observed, (plant.server)(), seed);
    let mut run = observe(&scene, look);
    run.verdicts = judge(&run);
    run
}

#[test]
fn planted_places_get_their_names_when_everything_can_be_seen() {
    let (mut likely, mut wrong, mut open) = (0, Vec::new(), Vec::new());
    for plant in PLANTS {
        for seed in SEEDS {
            let run = looked_at(plant, plant.look, seed);
            let verdict = only(&run);
            let text = || format!("{}, seed {seed}: {}", plant.name, line(verdict));
            assert_ne!(verdict.grade, Grade::Confirmed, "nothing intervened: {}", text());
            match verdict.grade {
                Grade::Likely if verdict.narrow == plant.expected && verdict.or.is_none() => {
                    likely += 1;
                }
                Grade::Likely => wrong.push(text()),
                _ => open.push(text()),
            }
        }
    }
    println!("LIKELY and right {likely}, wrong {}, UNDECIDED {}", wrong.len(), open.len());
    println!("{}", open.join("\n"));
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
    // A judge that never dares is no use.
    assert!(open.len() * 10 <= PLANTS.len() * SEEDS.count(), "{}", open.join("\n"));
}

#[test]
fn what_can_not_be_seen_makes_it_open_and_never_wrong() {
    let blinded = [
        ("no capacities", Visibility { capacities: false, ..ALL }),
        ("not count", Visibility { account: false, ..ALL }),
        ("from afar", Visibility { processes: false, ..ALL }),
        ("from afar, nothing else", Visibility { processes: false, capacities: false, ..ALL }),
        ("from afar, no account", Visibility { processes: false, account: false, ..ALL }),
    ];
    let mut wrong = Vec::new();
    for (name, look) in blinded {
        let (mut likely, mut open) = (0, 0);
        for plant in PLANTS {
            let capacities = look.capacities && plant.look.capacities;
            let look = Visibility { io_worker: plant.look.io_worker, capacities, ..look };
            for seed in SEEDS {
                let run = looked_at(plant, look, seed);
                let verdict = only(&run);
                match verdict.grade {
                    Grade::Undecided => open += 1,
                    _ if verdict.narrow == plant.expected && verdict.or.is_none() => likely += 1,
                    _ => wrong.push(format!(
                        "{name}: {}, seed {seed}: {}",
                        plant.name,
                        line(verdict)
                    )),
                }
            }
        }
        println!("{name}: LIKELY and right {likely}, UNDECIDED {open}");
    }
    assert!(wrong.is_empty(), "wrong:\n{}", wrong.join("\n"));
}

#[test]
fn the_time_of_a_transaction_and_the_nearest_end_are_both_told() {
    let plant =
        PLANTS.iter().find(|plant| plant.expected == Bottleneck::ReadLatency).expect("planted");
    let run = looked_at(plant, plant.look, 7);
    let standing = only(&run).standing.as_ref().expect("an observed server has one");
    let time = standing.time.as_ref().expect("all parts were seen");
    assert!((time.summed_ns / time.account_ns - 1.0).abs() < 0.05, "{time:?}");
    assert_eq!(time.parts[0].name, "read");
    assert!((time.parts.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9);
    let nearest = standing.nearest.as_ref().expect("processors are counted");
    assert_eq!(nearest.resource, Bottleneck::Cpu);
    assert!(nearest.factor_at_most > 1.5, "{nearest:?}");
    let said = standing.sentences.join(" ");
    assert!(said.contains("read") && said.contains("Closest to saturation: CPU"), "{said}");
}

#[test]
fn a_log_measured_apart_bounds_committers_by_its_ladder() {
    let scene = update(Server::new(4, 8, vec![client(5e3), cpu(20e3), Step::Commit]), 3);
    let scene = Scene { workload: Workload::Observed, ..scene };
    let mut run = observe(&scene, ALL);
    run.verdicts = judge(&run);
    let log = only(&run).bounds.iter().find(|bound| bound.label.starts_with("WAL"));
    let log = log.expect("eight committers are on the ladder");
    // Eight sessions that also compute do less than eight that only commit, and not far less.
    let rate = only(&run).throughput_per_s;
    assert!((1.0..2.0).contains(&(log.bound_per_s / rate)), "{log:?} at {rate}");
}

/// Servers that nobody drew, half of them with clients that think; what is LIKELY must be what helps most when it is widened.
#[test]
fn of_random_servers_what_is_likely_is_what_helps_most_when_widened() {
    let seeds = seeds(RANDOM);
    let scenes = seeds.end - seeds.start;
    let (mut score, mut open) = (Score::default(), 0u64);
    for seed in seeds {
        let mut scene = Scene { workload: Workload::Observed, ..random(seed) };
        if seed % 2 == 0 {
            let think_ns = [50e3, 300e3, 2e6][(seed / 2 % 3) as usize];
            scene.server.think = Some(Law::Exponential(think_ns));
        }
        let mut run = observe(&scene, ALL);
        run.verdicts = judge(&run);
        let verdict = only(&run);
        match verdict.grade {
            Grade::Undecided => open += 1,
            _ => score.count(verdict, &scene.server, seed),
        }
    }
    score.settle("LIKELY", &format!("{open} UNDECIDED"));
    assert!(score.named() >= scenes / 3, "only {} of {scenes} are LIKELY", score.named());
}
