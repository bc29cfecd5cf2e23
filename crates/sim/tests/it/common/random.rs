//! Servers that nobody drew by hand, and what making each of their places wider brings.

use std::ops::Range;

use narrows_engine::Rng;
use narrows_model::{Bottleneck, Verdict};
use narrows_sim::{Account, Disk, Law, Scene, Server, Step, Windows, closed};

use super::{cached, client, cpu, line, uncached, update};

/// A server without a think time, and which of its kinds it is.
pub fn random(seed: u64) -> Scene {
    let mut rng = Rng::new(seed ^ 0x00d1_ce00);
    let mut pick = |choices: &[f64]| choices[rng.below(choices.len() as u64) as usize];
    let cpus = pick(&[1.0, 2.0, 4.0, 8.0]) as u32;
    let sessions = pick(&[1.0, 2.0, 4.0, 8.0, 16.0, 32.0]) as u32;
    let on_cpu = pick(&[10e3, 25e3, 60e3, 150e3]);
    let mut steps = vec![client(pick(&[3e3, 10e3, 40e3])), cpu(on_cpu)];
    // Several kinds of waits at once, or none.
    let [reads, locks, commits] = [pick(&[0.0, 1.0]), pick(&[0.0, 0.0, 1.0]), pick(&[0.0, 1.0])];
    if reads > 0.5 {
        steps.extend([Step::Read, cpu(on_cpu / 2.0)]);
    }
    let held = cpu(on_cpu * pick(&[0.2, 1.0]));
    match (locks > 0.5, commits > 0.5, pick(&[0.0, 1.0]) > 0.5) {
        // As a row's is: until the commit has been flushed.
        (true, true, true) => steps.extend([Step::Lock, held, Step::Commit, Step::Unlock]),
        (true, true, false) => steps.extend([Step::Lock, held, Step::Unlock, Step::Commit]),
        (true, false, _) => steps.extend([Step::Lock, held, Step::Unlock]),
        (false, true, _) => steps.push(Step::Commit),
        (false, false, _) => {}
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
    match (commits > 0.5, reads > 0.5) {
        (true, _) => update(server, seed),
        (false, true) => uncached(server, seed),
        (false, false) => cached(server, seed),
    }
}

pub fn rate(server: &Server, seed: u64) -> f64 {
    let quiet = Server { scatter: 0.0, ..server.clone() };
    let windows = closed(&quiet, Windows { repeats: 4, ..Windows::default() }, seed ^ 0xbeef);
    windows.iter().map(Account::rate_per_s).sum::<f64>() / windows.len() as f64
}

/// Each place made twice as wide, alone.
pub fn widenings(server: &Server) -> Vec<(Bottleneck, Server)> {
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
        (Bottleneck::Cpu, with(&|s| s.cpus *= 2)),
        (Bottleneck::CpuPerSession, with(&|s| faster(s, |step| matches!(step, Step::Cpu(_))))),
        (
            Bottleneck::Client,
            with(&|s| {
                faster(s, |step| matches!(step, Step::Client(_)));
                s.think = s.think.map(|think| think.scaled(0.5));
            }),
        ),
    ];
    if server.quota_cpus.is_some() {
        all.push((Bottleneck::CpuQuota, with(&|s| s.quota_cpus = s.quota_cpus.map(|q| q * 2.0))));
    }
    if server.reads_per_op() > 0 {
        all.push((Bottleneck::ReadRate, with(&|s| s.disk.channels *= 2)));
        all.push((
            Bottleneck::ReadLatency,
            // Half the time on half the channels: a lower latency at the same highest rate.
            with(&|s| {
                s.disk.service = s.disk.service.scaled(0.5);
                s.disk.channels /= 2;
            }),
        ));
    }
    if server.commits() {
        all.push((Bottleneck::CommitWait, with(&|s| s.log.flush = s.log.flush.scaled(0.5))));
        all.push((Bottleneck::CommitInsideServer, with(&|s| s.log.inside_ns = 0.0)));
    }
    if let Some(lock) = server.steps.iter().position(|step| *step == Step::Lock) {
        // Half the time inside the lock, the other half outside of it.
        all.push((
            Bottleneck::Lock,
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
pub fn same(widened: Bottleneck, named: Bottleneck) -> bool {
    let processors =
        [Bottleneck::Cpu, Bottleneck::CpuPerSession, Bottleneck::CpuQuota, Bottleneck::Lock];
    widened == named
        || (widened == Bottleneck::CpuPerSession && processors.contains(&named))
        || (named == Bottleneck::CommitWait && widened == Bottleneck::CommitInsideServer)
}

/// Seeds of the scenes to judge: the test's own, or `FROM..TO` in `NARROWS_SIM_SEEDS` for counts on fresh ones.
pub fn seeds(usual: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var("NARROWS_SIM_SEEDS") else { return usual };
    let ends =
        text.split_once("..").and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let (from, to) = ends.unwrap_or_else(|| panic!("NARROWS_SIM_SEEDS={text}: FROM..TO"));
    from..to
}

/// Names held against what widening each place brings.
#[derive(Default)]
pub struct Score {
    pub right: u64,
    pub wrong: Vec<String>,
}

impl Score {
    /// The name is right if widening its place gains more than 3 % and at least 0.9 of the best other gain.
    pub fn count(&mut self, verdict: &Verdict, server: &Server, seed: u64) {
        let base = rate(server, seed);
        let gains: Vec<(Bottleneck, f64)> = widenings(server)
            .into_iter()
            .map(|(narrow, wider)| (narrow, rate(&wider, seed) / base - 1.0))
            .collect();
        let of = |narrow| gains.iter().find(|(n, _)| *n == narrow).map_or(0.0, |gain| gain.1);
        let own = of(verdict.narrow);
        // Faster processors help everybody who runs; they are no rival of more processors.
        let rivals = gains.iter().filter(|(narrow, _)| !same(*narrow, verdict.narrow));
        let best = rivals.fold(0.0, |best: f64, (_, gain)| best.max(*gain));
        if own >= best * 0.9 && own > 0.03 {
            self.right += 1;
        } else {
            self.wrong.push(format!("seed {seed}: {}; widened {gains:?}", line(verdict)));
        }
    }

    pub fn named(&self) -> u64 {
        self.right + self.wrong.len() as u64
    }

    /// Prints the count, and fails below 95 %.
    pub fn settle(&self, grade: &str, rest: &str) {
        let interval = narrows_stats::share_interval_95(self.right, self.named());
        let wrong = self.wrong.join("\n");
        println!(
            "{grade}: {} of {} right, 95 % interval {interval:?}; {rest}\n{wrong}",
            self.right,
            self.named()
        );
        assert!(self.right as f64 >= 0.95 * self.named() as f64, "wrong:\n{wrong}");
    }
}
