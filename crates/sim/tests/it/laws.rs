//! The simulator against closed forms: what tests verdicts must itself be right.

use narrows_sim::{Account, Disk, Law, Server, State, Step, Windows, closed, open};

const SEED: u64 = 0x5eed;

fn mean_rate(windows: &[Account]) -> f64 {
    windows.iter().map(Account::rate_per_s).sum::<f64>() / windows.len() as f64
}

/// Long windows without scatter: the closed forms know neither warm-up nor noise.
fn long() -> Windows {
    Windows { warm_up: 5_000, repeats: 8, operations: 20_000, samples: 4_000 }
}

fn quiet(server: Server) -> Server {
    Server { scatter: 0.0, ..server }
}

fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let off = (found / expected - 1.0).abs();
    assert!(
        off < tolerance,
        "{what}: simulated {found:.4}, closed form {expected:.4}, seed {SEED:#x}"
    );
}

#[test]
fn an_open_mm1_queue_has_its_mean_response_time() {
    // R = S / (1 - rho), with so many sessions that none is ever short.
    let service_ns = 100_000.0;
    for rho in [0.3, 0.6, 0.8] {
        let server = Server {
            slice_ns: f64::INFINITY,
            ..quiet(Server::new(1, 500, vec![Step::Cpu(Law::Exponential(service_ns))]))
        };
        let seen = open(&server, rho / service_ns * 1e9, 200_000, SEED);
        let mean_ns = seen.latencies_ns.iter().sum::<f64>() / seen.latencies_ns.len() as f64;
        close(&format!("M/M/1 at {rho}"), mean_ns, service_ns / (1.0 - rho), 0.06);
    }
}

#[test]
fn an_open_mmn_queue_waits_as_erlang_c_says() {
    let service_ns = 100_000.0;
    for (servers, rho) in [(2u32, 0.7), (4, 0.8), (8, 0.85)] {
        let offered = f64::from(servers) * rho;
        let server = Server {
            slice_ns: f64::INFINITY,
            ..quiet(Server::new(servers, 1000, vec![Step::Cpu(Law::Exponential(service_ns))]))
        };
        let seen = open(&server, offered / service_ns * 1e9, 300_000, SEED);
        let mean_ns = seen.latencies_ns.iter().sum::<f64>() / seen.latencies_ns.len() as f64;
        let waiting = erlang_c(servers, offered);
        let expected = service_ns * (1.0 + waiting / (f64::from(servers) * (1.0 - rho)));
        close(&format!("M/M/{servers} at {rho}"), mean_ns, expected, 0.06);
    }
}

/// Probability of waiting (Erlang 1917), by the recursion for Erlang B.
fn erlang_c(servers: u32, offered: f64) -> f64 {
    let blocked = (1..=servers).fold(1.0, |b, n| offered * b / (f64::from(n) + offered * b));
    let rho = offered / f64::from(servers);
    blocked / (1.0 - rho * (1.0 - blocked))
}

#[test]
fn processor_time_does_not_depend_on_the_slice_and_neither_does_the_rate() {
    // M/M/1 in time slices is processor sharing in the limit, whose mean response is the same.
    let server = |slice_ns| Server {
        slice_ns,
        ..quiet(Server::new(
            2,
            12,
            vec![Step::Wire(Law::Exponential(200_000.0)), Step::Cpu(Law::Exponential(100_000.0))],
        ))
    };
    let coarse = closed(&server(f64::INFINITY), long(), SEED);
    let fine = closed(&server(10_000.0), long(), SEED);
    close("rate in slices", mean_rate(&fine), mean_rate(&coarse), 0.02);
    let cpu = |windows: &[Account]| {
        windows.iter().map(|w| w.cpu_ns).sum::<f64>()
            / windows.iter().map(|w| w.operations as f64).sum::<f64>()
    };
    close("CPU time", cpu(&fine), 100_000.0, 0.02);
}

#[test]
fn the_machine_repairman_has_its_throughput() {
    // N machines, one repairman (Kleinrock, Queueing Systems I, 3.8): exact utilisation by the birth-death chain.
    let (think_ns, service_ns) = (900_000.0, 100_000.0);
    for machines in [2u32, 6, 10, 20] {
        let server = Server {
            think: Some(Law::Exponential(think_ns)),
            slice_ns: f64::INFINITY,
            ..quiet(Server::new(1, machines, vec![Step::Cpu(Law::Exponential(service_ns))]))
        };
        let ratio = service_ns / think_ns;
        let mut weights = vec![1.0];
        for k in 0..machines {
            let last = *weights.last().expect("one weight");
            weights.push(last * f64::from(machines - k) * ratio);
        }
        let busy = 1.0 - weights[0] / weights.iter().sum::<f64>();
        let rate = mean_rate(&closed(&server, long(), SEED));
        close(&format!("{machines} machines"), rate, busy / service_ns * 1e9, 0.02);
        // And it respects the asymptotic bounds (Denning and Buzen 1978).
        let bound = (1e9 / service_ns).min(f64::from(machines) / (think_ns + service_ns) * 1e9);
        assert!(rate <= bound * 1.02, "{rate} over the bound {bound}");
    }
}

#[test]
fn drives_saturate_at_servers_over_service_time() {
    let disk = Disk { channels: 6, service: Law::Constant(120_000.0) };
    for depth in [1u32, 3, 6, 24] {
        let server = Server { disk, ..quiet(Server::new(1, depth, vec![Step::Read])) };
        let rate = mean_rate(&closed(&server, long(), SEED));
        let expected = f64::from(depth.min(6)) / 120_000.0 * 1e9;
        close(&format!("drives at QD{depth}"), rate, expected, 0.005);
    }
}

#[test]
fn a_batch_log_flushes_all_who_wait_at_once() {
    // N committers that do nothing else, a constant flush s: those who commit during a flush all go into the
    // next, so with N > 1 each commit waits for one flush, and every flush takes all N.
    let flush_ns = 200_000.0;
    for committers in [1u32, 2, 8, 32] {
        let mut server = quiet(Server::new(1, committers, vec![Step::Commit]));
        server.log.flush = Law::Constant(flush_ns);
        server.log.per_commit_ns = 0.0;
        let windows = closed(&server, long(), SEED);
        close(
            &format!("{committers} committers"),
            mean_rate(&windows),
            // The leader of a flush is the first to return: it starts the next one with itself alone, so the
            // others go in the one after. Two flushes serve all N once (N - 1 of them together) for N > 1.
            if committers == 1 { 1.0 } else { f64::from(committers) / 2.0 } / flush_ns * 1e9,
            0.01,
        );
    }
}

#[test]
fn a_quota_gives_exactly_its_processor_time() {
    let server = Server {
        quota_cpus: Some(0.5),
        ..quiet(Server::new(4, 16, vec![Step::Cpu(Law::Exponential(50_000.0))]))
    };
    let windows = closed(&server, long(), SEED);
    let used = windows.iter().map(|w| w.cpu_ns).sum::<f64>()
        / windows.iter().map(|w| w.window_ns).sum::<f64>();
    close("quota", used, 0.5, 0.01);
}

#[test]
fn the_time_of_every_session_is_accounted_for() {
    // Σ of all states over all sessions is N per second; the scheduler's figures and the samples agree.
    let steps = vec![
        Step::Client(Law::Exponential(20_000.0)),
        Step::Cpu(Law::Erlang(4, 60_000.0)),
        Step::Read,
        Step::Lock,
        Step::Cpu(Law::Erlang(4, 10_000.0)),
        Step::Commit,
        Step::Unlock,
        Step::Pause(Law::Exponential(15_000.0)),
    ];
    let server = quiet(Server::new(2, 12, steps));
    let windows = closed(&server, long(), SEED);
    for account in &windows {
        let sessions_ns = account.window_ns * 12.0;
        let on_cpu = (account.cpu_ns + account.run_queue_ns) / sessions_ns;
        let sampled = account.share(State::Running) + account.share(State::RunQueue);
        assert!((on_cpu - sampled).abs() < 0.01, "scheduler {on_cpu:.3}, samples {sampled:.3}");
    }
}
