//! What a search for a rate should find: the share of operations that take longer than a limit, in closed form, and the
//! highest rate at which it is as large as allowed.
//!
//! M/M/k: Erlang's delay formula with the hypoexponential sum of wait and service. M/D/k: the distribution of waits
//! from the numbers in the system (Crommelin 1932; in the form of Franx, *Operations Research Letters* 29, 2001),
//! which are iterated numerically. Laws that have no closed form are left to [`crate::longrun`].

use narrows_engine::rate_search::Goal;

/// Largest number in the system that is followed.
const STATES: usize = 1_500;

/// The share of operations over `limit_ns` in M/M/k with that mean service time; 1 when it is not stable.
pub fn mmk_over(channels: u32, service_ns: f64, rate_per_s: f64, limit_ns: f64) -> f64 {
    let load = rate_per_s * service_ns / 1e9;
    let k = f64::from(channels);
    if load >= k {
        return 1.0;
    }
    // Erlang B by its recursion, from it the chance to wait.
    let blocked = (1..=channels).fold(1.0, |b, i| load * b / (f64::from(i) + load * b));
    let waits = blocked / (1.0 - load / k * (1.0 - blocked));
    let (serve, drain) = (1.0 / service_ns, (k - load) / service_ns);
    let alone = (-serve * limit_ns).exp();
    let both = if (drain - serve).abs() < 1e-9 * serve {
        (1.0 + serve * limit_ns) * alone
    } else {
        (drain * alone - serve * (-drain * limit_ns).exp()) / (drain - serve)
    };
    (1.0 - waits) * alone + waits * both
}

/// The share of operations over `limit_ns` in M/D/k with that service time; 1 when it is not stable.
pub fn mdk_over(channels: u32, service_ns: f64, rate_per_s: f64, limit_ns: f64) -> f64 {
    let load = rate_per_s * service_ns / 1e9;
    let k = channels as usize;
    if load >= f64::from(channels) {
        return 1.0;
    }
    if limit_ns < service_ns {
        return 1.0;
    }
    let wait_ns = limit_ns - service_ns;
    let queue = queue_at_most(k, load);
    // (m − 1)·D ≤ wait < m·D.
    let m = (wait_ns / service_ns).floor() + 1.0;
    let mean = load * (m - wait_ns / service_ns);
    let mut term = (-mean).exp();
    let mut within = 0.0;
    let last = m as usize * k - 1;
    for j in 0..=last {
        within += queue[(last - j).min(queue.len() - 1)] * term;
        term *= mean / (j + 1) as f64;
    }
    (1.0 - within).clamp(0.0, 1.0)
}

/// P(at most q wait), for q = 0, 1, …: a service time later everybody in service has left, and as many as arrived
/// have come.
fn queue_at_most(k: usize, load: f64) -> Vec<f64> {
    let mut arrivals = vec![(-load).exp()];
    while arrivals.len() < 20 || arrivals.last().is_some_and(|p| *p > 1e-16) {
        let n = arrivals.len() as f64;
        arrivals.push(arrivals[arrivals.len() - 1] * load / n);
    }
    let mut now = vec![0.0; STATES];
    now[0] = 1.0;
    for _ in 0..20_000 {
        let mut next = vec![0.0; STATES];
        for (in_system, p) in now.iter().enumerate().filter(|(_, p)| **p > 1e-17) {
            let left = in_system.saturating_sub(k);
            for (came, chance) in arrivals.iter().enumerate() {
                next[(left + came).min(STATES - 1)] += p * chance;
            }
        }
        let moved: f64 = now.iter().zip(&next).map(|(a, b)| (a - b).abs()).sum();
        now = next;
        if moved < 1e-12 {
            break;
        }
    }
    let mut sum: f64 = now[..k].iter().sum();
    now[k..]
        .iter()
        .map(|p| {
            sum += p;
            sum
        })
        .collect()
}

/// The highest rate below `ceiling_per_s` at which a share that grows with the rate is within the goal, to 1 in 10,000.
/// `None` when even a thousandth of the ceiling is not.
pub fn highest_rate(goal: &Goal, ceiling_per_s: f64, over: impl Fn(f64) -> f64) -> Option<f64> {
    let (mut low, mut high) = (ceiling_per_s / 1000.0, ceiling_per_s);
    if over(low) > goal.allowed_over() {
        return None;
    }
    while high / low > 1.0001 {
        let middle = (low * high).sqrt();
        if over(middle) <= goal.allowed_over() {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_exponential_server_is_the_textbook_one() {
        // Response time of M/M/1 is exponential with rate µ − λ.
        for load in [0.1, 0.5, 0.9] {
            let over = mmk_over(1, 1e6, load * 1e3, 3e6);
            assert!((over - (-(1.0 - load) * 3.0f64).exp()).abs() < 1e-12, "load {load}");
        }
        assert_eq!(mmk_over(4, 1e6, 4_000.0, 1e9), 1.0);
    }

    #[test]
    fn one_constant_server_is_the_textbook_one() {
        // M/D/1: P(W ≤ x) = (1 − ρ)·e^(λx) for x < D, and with one more term for x < 2D.
        let load = 0.6f64;
        for x in [0.0, 0.4, 0.9] {
            let over = mdk_over(1, 1e6, load * 1e3, (1.0 + x) * 1e6);
            assert!((1.0 - over - (1.0 - load) * (load * x).exp()).abs() < 1e-9, "x {x}");
        }
        let x = 1.5f64;
        let within =
            (1.0 - load) * ((load * x).exp() - load * (x - 1.0) * (load * (x - 1.0)).exp());
        assert!((1.0 - mdk_over(1, 1e6, load * 1e3, 2.5e6) - within).abs() < 1e-9);
    }

    #[test]
    fn the_share_grows_with_the_rate_and_is_inverted() {
        let goal = Goal { quantile: 0.99, limit_ns: 600_000 };
        let over = |rate| mmk_over(8, 100_000.0, rate, 600_000.0);
        let found = highest_rate(&goal, 80_000.0, over).expect("reachable");
        assert!((over(found) / 0.01 - 1.0).abs() < 0.01 && over(found * 1.02) > 0.01);
        assert_eq!(highest_rate(&goal, 80_000.0, |_| 0.5), None);
    }
}
