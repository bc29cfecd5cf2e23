//! How often so many sessions get through: some time on the processors, with a queue before them, the rest elsewhere.
//!
//! Exact mean value analysis (M. Reiser and S. S. Lavenberg, "Mean-value analysis of closed multichain queuing networks",
//! Journal of the ACM 27(2), 1980) of one queue and a delay. Several processors are one queue that is as many times
//! faster and a delay for the rest (A. Seidmann, P. J. Schweitzer and S. Shalev-Oren, "Computerized closed queueing
//! network models of flexible manufacturing systems", Large Scale Systems 12, 1987): exact for one processor and for
//! one session, a few per cent low between.

/// Sessions beyond which rates are those of so many: by then the processors are full.
const SESSIONS_MAX: f64 = 100_000.0;

/// The processors that all sessions share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Processors {
    /// Processor time of one operation, s.
    pub demand_s: f64,
    /// How many there are.
    pub count: f64,
}

/// Operations per second of `sessions`, each of which waits `delay_s` in every operation; zero where nothing takes time.
pub fn rate(sessions: f64, processors: Option<Processors>, delay_s: f64) -> f64 {
    let used = processors.filter(|p| p.demand_s > 0.0 && p.count > 0.0);
    let Some(Processors { demand_s, count }) = used else {
        return if delay_s > 0.0 { sessions / delay_s } else { 0.0 };
    };
    let queue_s = demand_s / count;
    // A part of one processor is a slower one.
    let delay_s = delay_s + demand_s * (1.0 - 1.0 / count.max(1.0));
    let sessions = sessions.min(SESSIONS_MAX);
    let (mut waiting, mut rate, mut before) = (0.0, 0.0, 0.0);
    for n in 1..=sessions.ceil() as u32 {
        before = rate;
        let residence_s = queue_s * (1.0 + waiting);
        rate = f64::from(n) / (residence_s + delay_s);
        waiting = rate * residence_s;
    }
    // A mean number of sessions lies between two whole ones.
    let beyond = sessions.ceil() - sessions;
    rate + (before - rate) * beyond
}

/// Halvings of the time elsewhere: more than a double has digits.
const HALVINGS: u32 = 60;

/// The time that an operation spends elsewhere, s, if [`rate`] gives `rate_per_s`; zero where not even without such a time so many are done.
///
/// `None` where nothing is done at all.
pub fn elsewhere(sessions: f64, processors: Option<Processors>, rate_per_s: f64) -> Option<f64> {
    let all_s = sessions / rate_per_s;
    if !(all_s.is_finite() && all_s > 0.0) {
        return None;
    }
    if processors.is_none_or(|p| p.demand_s <= 0.0 || p.count <= 0.0) {
        return Some(all_s);
    }
    let (mut low_s, mut high_s) = (0.0, all_s);
    for _ in 0..HALVINGS {
        let middle_s = (low_s + high_s) / 2.0;
        match rate(sessions, processors, middle_s) > rate_per_s {
            true => low_s = middle_s,
            false => high_s = middle_s,
        }
    }
    Some((low_s + high_s) / 2.0)
}

/// Of `alone_s`, which an operation takes at a place that nobody else is at, the part at one queue, s, if as many sessions get through
/// `rate_per_s` with `besides_s` elsewhere; the rest is a delay that sessions don't share. All of it where not even that makes the rate so low.
///
/// `None` where nothing is done at all.
pub fn queued(sessions: f64, alone_s: f64, besides_s: f64, rate_per_s: f64) -> Option<f64> {
    let all_s = sessions / rate_per_s;
    if !(all_s.is_finite() && all_s > 0.0 && alone_s >= 0.0) {
        return None;
    }
    let (mut low_s, mut high_s) = (0.0, alone_s);
    for _ in 0..HALVINGS {
        let middle_s = (low_s + high_s) / 2.0;
        let queue = Some(Processors { demand_s: middle_s, count: 1.0 });
        match rate(sessions, queue, besides_s + alone_s - middle_s) > rate_per_s {
            true => low_s = middle_s,
            false => high_s = middle_s,
        }
    }
    Some((low_s + high_s) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_what_gives_the_rate_of_many_from_the_time_of_one() {
        for (queue_s, rest_s, besides_s) in
            [(290e-6, 60e-6, 0.0), (50e-6, 300e-6, 20e-6), (1e-3, 0.0, 1e-3)]
        {
            for sessions in [2.0, 4.0, 32.0] {
                let of_many = rate(sessions, one(queue_s, 1.0), rest_s + besides_s);
                let found = queued(sessions, queue_s + rest_s, besides_s, of_many).unwrap();
                assert!((found / queue_s - 1.0).abs() < 1e-6, "{sessions}, {queue_s}: {found}");
            }
        }
        // Four sessions do four times as much as one: no queue. A twentieth of what one does: more than any queue explains.
        assert!(queued(4.0, 1e-3, 0.0, 4_000.0).unwrap() < 1e-9);
        assert!((queued(4.0, 1e-3, 0.0, 50.0).unwrap() - 1e-3).abs() < 1e-9);
        assert_eq!(queued(4.0, 1e-3, 0.0, 0.0), None);
    }

    #[test]
    fn the_time_elsewhere_is_what_gives_the_rate() {
        for (sessions, count, delay_s) in
            [(1.0, 1.0, 0.003), (16.0, 4.0, 300e-6), (7.5, 2.0, 90e-6)]
        {
            let processors = one(50e-6, count);
            let found = elsewhere(sessions, processors, rate(sessions, processors, delay_s));
            assert!((found.unwrap() / delay_s - 1.0).abs() < 1e-6, "{sessions}: {found:?}");
        }
        assert_eq!(elsewhere(8.0, None, 2000.0), Some(0.004));
        // 20,000 per second are the CPU's most, and 8 sessions do somewhat less.
        assert!(elsewhere(8.0, one(50e-6, 1.0), 30_000.0).unwrap() < 1e-9);
        assert_eq!(elsewhere(8.0, None, 0.0), None);
    }

    fn one(demand_s: f64, count: f64) -> Option<Processors> {
        Some(Processors { demand_s, count })
    }

    #[test]
    fn one_session_waits_for_nobody() {
        assert!((rate(1.0, one(0.002, 1.0), 0.003) - 200.0).abs() < 1e-9);
        assert!((rate(1.0, one(0.002, 4.0), 0.003) - 200.0).abs() < 1e-9);
        assert_eq!(rate(8.0, None, 0.004), 2000.0);
        assert_eq!(rate(8.0, None, 0.0), 0.0);
    }

    #[test]
    fn a_part_of_a_processor_is_a_slower_one() {
        assert!((rate(1.0, one(0.002, 0.5), 0.004) - 125.0).abs() < 1e-9);
        assert!((rate(64.0, one(0.002, 0.5), 0.004) - 250.0).abs() < 1.0);
    }

    #[test]
    fn two_sessions_by_pencil() {
        // Alone: 1 / (1 + 1) s, half of the time at the queue. The second one finds half a session there: 1.5 s.
        assert!((rate(2.0, one(1.0, 1.0), 1.0) - 2.0 / 2.5).abs() < 1e-12);
        assert!((rate(1.5, one(1.0, 1.0), 1.0) - (0.5 + 0.8) / 2.0).abs() < 1e-12);
    }

    #[test]
    fn no_rate_passes_the_processors_or_the_sessions() {
        for sessions in [1.0, 3.0, 8.0, 64.0, 1000.0] {
            for count in [1.0, 2.0, 16.0] {
                let found = rate(sessions, one(50e-6, count), 250e-6);
                let bound = (count / 50e-6f64).min(sessions / 300e-6);
                assert!(found <= bound * (1.0 + 1e-9), "{sessions} {count}: {found} {bound}");
                assert!(found >= 0.5 * bound, "{sessions} {count}: {found} {bound}");
            }
        }
        let many = rate(1e9, one(50e-6, 16.0), 250e-6);
        assert!((many / (16.0 / 50e-6) - 1.0).abs() < 1e-3, "{many}");
    }
}
