//! What holds for every server and every tier.

use narrows_tier_forecast::{Forecast, Limit, LogNow, LogTier, ReadNow, log_tier, read_tier};
use proptest::prelude::*;

use crate::figures::{cache, commits, is, medium, reads};

/// Sessions, CPU time and other time in µs, commits of one, a flush in µs, how many of them a commit waits, CPUs, another limit's room.
fn server() -> impl Strategy<Value = LogNow> {
    (
        1u32..200,
        1.0..500.0f64,
        0.0..2000.0f64,
        1u32..4,
        5.0..2000.0f64,
        1.0..4.0f64,
        1u32..128,
        1.0..20.0f64,
    )
        .prop_map(|(sessions, cpu, other, commits_each, flush, flushes, cpus, room)| {
            let wait = flush * flushes;
            let round = cpu + other + wait * f64::from(commits_each);
            let most = f64::from(cpus) / cpu * 1e6;
            let rate = (f64::from(sessions) / round * 1e6).min(most * 0.98);
            LogNow {
                rate_per_s: is(rate),
                sessions: is(f64::from(sessions)),
                commits: is(f64::from(commits_each)),
                commit_wait_us: is(wait),
                flush_us: is(flush),
                cpu_us: is(cpu),
                cpus: is(f64::from(cpus)),
                limits: vec![Limit { title: "reads".to_string(), per_s: is(rate * room) }],
                ..commits()
            }
        })
}

fn ask(now: &LogNow, tier: &LogTier) -> Forecast {
    log_tier(now, tier).unwrap_or_else(|error| panic!("{error}"))
}

/// The forecast rate, without what the law may be off by, with its least and most.
fn rates(found: &Forecast) -> [f64; 3] {
    let of = |key| found.value(key).unwrap_or_else(|| panic!("{key}: {:#?}", found.lines));
    [of("rate.then.least"), of("rate.then"), of("rate.then.most")]
}

const SLACK: f64 = 1.0 + 1e-6;

proptest! {
    #[test]
    fn a_faster_medium_never_forecasts_less(now in server(), a in 0.05..1.0f64, b in 0.05..1.0f64) {
        let flush = now.flush_us.value.unwrap().value;
        let (fast, slow) = (flush * a.min(b), flush * a.max(b));
        let [fast, slow] = [fast, slow].map(|us| ask(&now, &medium(us)));
        for (fast, slow) in rates(&fast).into_iter().zip(rates(&slow)).skip(1) {
            prop_assert!(fast * SLACK >= slow, "{fast} {slow}");
        }
        for at in 1..3 {
            prop_assert!(fast.rows[at].on.unwrap() <= slow.rows[at].on.unwrap() * SLACK);
        }
    }

    #[test]
    fn no_forecast_is_below_the_rate_of_now_nor_beyond_a_limit(now in server(), a in 0.01..1.0f64) {
        let found = ask(&now, &medium(now.flush_us.value.unwrap().value * a));
        let [least, is, most] = rates(&found);
        let rate = now.rate_per_s.value.unwrap().value;
        prop_assert!(least * SLACK >= rate && is * SLACK >= least && most * SLACK >= is, "{least} {is} {most}");
        let limit = |limit: &Limit| limit.per_s.value.unwrap().value;
        let lowest = now.limits.iter().map(limit).fold(f64::INFINITY, f64::min);
        let cpus = now.cpus.value.unwrap().value / now.cpu_us.value.unwrap().value * 1e6;
        prop_assert!(most <= lowest.min(cpus).max(rate) * SLACK, "{most} {lowest} {cpus} {rate}");
        prop_assert!(is <= found.next.per_s.unwrap() * SLACK);
    }

    #[test]
    fn the_medium_of_now_changes_nothing(now in server()) {
        let found = ask(&now, &medium(now.flush_us.value.unwrap().value));
        let rate = now.rate_per_s.value.unwrap().value;
        let [least, is, _] = rates(&found);
        prop_assert!((is / rate - 1.0).abs() < 1e-3 && (least / rate - 1.0).abs() < 1e-3, "{least} {is} {rate}");
        prop_assert!((found.rows[1].times().unwrap() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_wait_is_between_its_ends_and_its_own_flush(now in server(), a in 0.01..1.0f64) {
        let flush = now.flush_us.value.unwrap().value * a;
        let row = ask(&now, &medium(flush)).rows.remove(1);
        let (low, is, high) = (row.on_low.unwrap(), row.on.unwrap(), row.on_high.unwrap());
        prop_assert!(low <= is * SLACK && is <= high * SLACK && high <= row.off.unwrap() * SLACK, "{row:?}");
        prop_assert!(low * SLACK >= flush, "{row:?}");
    }

    #[test]
    fn more_hits_and_faster_ones_never_forecast_less(
        sessions in 1u32..200, other in 0.0..500.0f64, read in 20.0..5000.0f64, cpu in 1.0..200.0f64,
        cpus in 1u32..64, a in 0.0..1.0f64, b in 0.0..1.0f64, hit in 0.01..1.0f64, alone in prop::option::of(0.01..1.0f64),
    ) {
        let most = f64::from(cpus) / cpu * 1e6;
        let rate = (f64::from(sessions) / (read + other + cpu) * 1e6).min(most * 0.98);
        let now = ReadNow {
            rate_per_s: is(rate),
            sessions: is(f64::from(sessions)),
            read_us: is(read),
            // No hit is slower than it.
            alone_us: alone.map(|share| is(read * (hit + (1.0 - hit) * share))),
            cpu_us: is(cpu),
            cpus: is(f64::from(cpus)),
            ..reads()
        };
        let of = |hits: f64, hit: f64| {
            read_tier(&now, &cache(read * hit, Some(is(hits)))).unwrap().value("rate.then").unwrap()
        };
        prop_assert!(of(a.max(b), hit) * SLACK >= of(a.min(b), hit));
        prop_assert!(of(a, hit * 0.5) * SLACK >= of(a, hit));
        prop_assert!(of(a, hit) * SLACK >= rate && of(a, hit) <= most * SLACK);
    }
}
