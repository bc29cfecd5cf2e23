//! Servers that nobody drew by hand, and what making each of their places wider brings.
#![allow(dead_code)] // Each test binary uses its own part.

use narrows_engine::Rng;
use narrows_model::Narrow;
use narrows_sim::{Account, Disk, Law, Scene, Server, Step, Windows, closed};

use super::{cached, client, cpu, uncached, update};

/// A server without a think time, and which of its kinds it is.
pub fn random(seed: u64) -> Scene {
    let mut rng = Rng::new(seed ^ 0x00d1_ce00);
    let mut pick = |choices: &[f64]| choices[rng.below(choices.len() as u64) as usize];
    let cpus = pick(&[1.0, 2.0, 4.0, 8.0]) as u32;
    let sessions = pick(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]) as u32;
    let on_cpu = pick(&[10e3, 25e3, 60e3, 150e3]);
    let kind = pick(&[0.0, 1.0, 2.0, 3.0]) as u32;
    let mut steps = vec![client(pick(&[3e3, 10e3, 40e3])), cpu(on_cpu)];
    match kind {
        1 => steps.extend([Step::Read, cpu(on_cpu / 2.0)]),
        2 => steps.push(Step::Commit),
        3 => steps.extend([Step::Lock, cpu(on_cpu * pick(&[0.2, 1.0])), Step::Unlock]),
        _ => {}
    }
    let mut server = Server::new(cpus, sessions, steps);
    server.client_cpus = pick(&[1.0, 2.0, 4.0]) as u32;
    server.labels_stick = pick(&[0.0, 1.0]) > 0.5;
    let channels = pick(&[2.0, 8.0, 64.0]) as u32;
    server.disk = Disk { channels, service: Law::Erlang(4, pick(&[40e3, 150e3, 600e3])) };
    server.log.flush = Law::Erlang(8, pick(&[40e3, 150e3, 1e6]));
    server.log.inside_ns = pick(&[0.0, 0.0, 3e6]);
    if pick(&[0.0, 0.0, 0.0, 1.0]) > 0.5 {
        server.quota_cpus = Some(f64::from(cpus) * 0.4);
    }
    server.scatter = pick(&[0.005, 0.02]);
    match kind {
        1 => uncached(server, seed),
        2 => update(server, seed),
        _ => cached(server, seed),
    }
}

pub fn rate(server: &Server, seed: u64) -> f64 {
    let quiet = Server { scatter: 0.0, ..server.clone() };
    let windows = closed(&quiet, Windows { repeats: 4, ..Windows::default() }, seed ^ 0xbeef);
    windows.iter().map(Account::rate_per_s).sum::<f64>() / windows.len() as f64
}

/// Each place made twice as wide, alone.
pub fn widenings(server: &Server) -> Vec<(Narrow, Server)> {
    let with = |change: &dyn Fn(&mut Server)| {
        let mut wider = server.clone();
        change(&mut wider);
        wider
    };
    let faster = |server: &mut Server, of: fn(&Step) -> bool| {
        for step in server.steps.iter_mut().filter(|step| of(step)) {
            *step = match *step {
                Step::Cpu(law) => Step::Cpu(law.scaled(0.5)),
                Step::Client(law) => Step::Client(law.scaled(0.5)),
                other => other,
            };
        }
    };
    let mut all = vec![
        (Narrow::Cpu, with(&|s| s.cpus *= 2)),
        (Narrow::CpuPerSession, with(&|s| faster(s, |step| matches!(step, Step::Cpu(_))))),
        (
            Narrow::Client,
            with(&|s| {
                faster(s, |step| matches!(step, Step::Client(_)));
                s.think = s.think.map(|think| think.scaled(0.5));
            }),
        ),
    ];
    if server.quota_cpus.is_some() {
        all.push((Narrow::CpuQuota, with(&|s| s.quota_cpus = s.quota_cpus.map(|q| q * 2.0))));
    }
    if server.reads_per_op() > 0 {
        all.push((Narrow::ReadRate, with(&|s| s.disk.channels *= 2)));
        all.push((
            Narrow::ReadLatency,
            // Half the time on half the channels: a lower latency at the same highest rate.
            with(&|s| {
                s.disk.service = s.disk.service.scaled(0.5);
                s.disk.channels /= 2;
            }),
        ));
    }
    if server.commits() {
        all.push((Narrow::CommitWait, with(&|s| s.log.flush = s.log.flush.scaled(0.5))));
        all.push((Narrow::CommitInsideServer, with(&|s| s.log.inside_ns = 0.0)));
    }
    if let Some(lock) = server.steps.iter().position(|step| *step == Step::Lock) {
        // Half the time inside the lock, the other half outside of it.
        all.push((
            Narrow::Lock,
            with(&|s| {
                if let Step::Cpu(held) = s.steps[lock + 1] {
                    s.steps[lock + 1] = Step::Cpu(held.scaled(0.5));
                    s.steps.push(Step::Cpu(held.scaled(0.5)));
                }
            }),
        ));
    }
    all
}

/// Twice as fast processors widen whatever holds work back by processor time.
pub fn same(widened: Narrow, named: Narrow) -> bool {
    let processors = [Narrow::Cpu, Narrow::CpuPerSession, Narrow::CpuQuota, Narrow::Lock];
    widened == named
        || (widened == Narrow::CpuPerSession && processors.contains(&named))
        || (named == Narrow::CommitWait && widened == Narrow::CommitInsideServer)
}
