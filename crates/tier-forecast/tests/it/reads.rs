//! A read cache by pencil, and what is said of it.

use narrows_tier_forecast::{Curve, Forecast, ReadNow, ReadTier, read_tier};

use crate::figures::{between, cache, is, reads, unknown};

fn ask(now: &ReadNow, tier: &ReadTier) -> Forecast {
    read_tier(now, tier).unwrap_or_else(|error| panic!("{error}"))
}

fn line(found: &Forecast, key: &str) -> f64 {
    found.value(key).unwrap_or_else(|| panic!("{key} is unknown: {:#?}", found.lines))
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

fn no_cpu() -> ReadNow {
    ReadNow { cpu_us: unknown(), cpus: unknown(), ..reads() }
}

#[test]
fn a_read_is_the_mean_of_what_is_served_and_what_is_missed() {
    // 80 % at 20 µs, the rest at 300: 76. Of 400 µs 100 are no read.
    let found = ask(&no_cpu(), &cache(20.0, Some(is(0.8))));
    assert!(close(line(&found, "then.read"), 76.0));
    assert!(close(line(&found, "rate.sessions"), 16.0 / 176e-6));
    assert!(close(line(&found, "rate.sessions.most"), 16.0 / 120e-6));
    let [rate, read, bytes] = &found.rows[..] else { panic!("{:?}", found.rows) };
    // Without a limit no gain is promised, and the law may be off by 5 %.
    assert!(close(rate.on.unwrap(), 16.0 / 176e-6) && close(rate.on_low.unwrap(), 38_000.0));
    assert!(close(read.times().unwrap(), 300.0 / 76.0));
    assert!(close(bytes.on.unwrap(), rate.on.unwrap() * 8192.0));
    let dearer = ReadTier { miss_added_us: Some(is(10.0)), ..cache(20.0, Some(is(0.8))) };
    assert!(close(line(&ask(&no_cpu(), &dearer), "then.read"), 78.0));
}

#[test]
fn a_range_of_hits_is_carried_and_cpus_end_the_gain() {
    let found = ask(&reads(), &cache(20.0, Some(between(0.7, 0.9))));
    let read = &found.rows[1];
    assert!(close(read.on_low.unwrap(), 48.0) && close(read.on_high.unwrap(), 104.0), "{read:?}");
    let found = ask(&reads(), &cache(1.0, Some(is(1.0))));
    assert!(close(line(&found, "limit.cpu"), 160_000.0) && line(&found, "rate.then") <= 160_000.0);
}

#[test]
fn a_curve_gives_the_share_and_both_points_its_ends() {
    let curve = Curve::parse("curve.csv", "1GB,0.9\n2GB,0.5\n4GB,0.1\n").unwrap();
    let tier = |size: f64| ReadTier {
        size_bytes: is(size),
        curve: Some(curve.clone()),
        ..cache(20.0, None)
    };
    let found = ask(&no_cpu(), &tier(3e9));
    assert!(close(line(&found, "tier.missed"), 0.3));
    assert!(close(line(&found, "then.read"), 0.7 * 20.0 + 0.3 * 300.0));
    let read = &found.rows[1];
    assert!(close(read.on_low.unwrap(), 48.0) && close(read.on_high.unwrap(), 160.0), "{read:?}");
    let error = read_tier(&no_cpu(), &tier(5e8)).unwrap_err();
    assert!(error.what.contains("its smallest cache is"), "{error}");
    assert!(error.hint.contains("--hits"), "{}", error.hint);
}

#[test]
fn counters_alone_give_a_bound_of_grade_b() {
    let tier = ReadTier { counted: Some([900.0, 100.0]), ..cache(20.0, None) };
    let found = ask(&no_cpu(), &tier);
    let rate = found.rate().unwrap();
    assert!(rate.on.is_none() && close(rate.on_low.unwrap(), 40_000.0), "{rate:?}");
    assert!(close(rate.on_high.unwrap(), 16.0 / 120e-6 * 1.05), "{rate:?}");
    assert!(close(line(&found, "counted.share"), 0.1));
    assert!(
        found.doubts.iter().any(|doubt| doubt.starts_with("grade B") && doubt.contains("10 %"))
    );
    let with = ask(&no_cpu(), &cache(20.0, Some(is(0.8))));
    assert!(!with.doubts.iter().any(|doubt| doubt.contains("grade B")));
}

#[test]
fn locks_and_flushes_that_queue_promise_no_gain() {
    let least = |now: &ReadNow| {
        let found = ask(now, &cache(20.0, Some(is(0.8))));
        let rate = found.rate().unwrap().clone();
        (rate.on, rate.on_low.unwrap(), found)
    };
    // 400 µs for each read.
    let with = |locks: f64, flushes: f64| ReadNow {
        locks_us: Some(is(locks)),
        flushes_us: Some(is(flushes)),
        ..reads()
    };
    let (on, low, _) = least(&with(0.0, 0.0));
    assert!(on.is_some() && low > 60_000.0, "{low}");
    let (on, low, found) = least(&with(10.0, 0.0));
    assert!(on.is_some() && close(low, 38_000.0), "{low}");
    assert!(
        found.doubts.iter().any(|doubt| doubt.contains("2.5 % of the time is waiting for locks"))
    );
    let (on, _, found) = least(&with(50.0, 0.0));
    assert!(on.is_none() && found.unknown.iter().any(|unknown| unknown.what.contains("locks")));
    // Of 180 µs then, the half and a little less.
    assert!(close(least(&with(0.0, 100.0)).1, 38_000.0) && least(&with(0.0, 80.0)).1 > 60_000.0);
    assert!(close(least(&with(5.0, 0.0)).1, 38_000.0) && least(&with(3.0, 0.0)).1 > 60_000.0);
}

#[test]
fn without_queues_a_run_may_give_more() {
    // 100 µs besides, of which 30 are queues: 20 and 70.
    let now = ReadNow { besides_us: Some(is(70.0)), ..no_cpu() };
    let found = ask(&now, &cache(20.0, Some(is(0.8))));
    assert!(close(line(&found, "rate.sessions.most"), 16.0 / 90e-6));
    assert!(close(found.rate().unwrap().on_high.unwrap(), 16.0 / 90e-6 * 1.05));
}

#[test]
fn it_says_nothing_of_commits() {
    let found = ask(&reads(), &cache(20.0, Some(is(0.8))));
    assert!(found.doubts.iter().any(|doubt| doubt.contains("nothing of commits")));
    let words = |text: &str| text.contains("commit") || text.contains("log file");
    assert!(!found.rows.iter().any(|row| words(&row.name)) && found.destaging.is_empty());
    assert!(!found.lines.iter().any(|line| words(&line.title)), "{:#?}", found.lines);
}

#[test]
fn without_sessions_there_is_a_bound_and_contradictions_are_refused() {
    let found = ask(&ReadNow { sessions: unknown(), ..reads() }, &cache(20.0, Some(is(0.8))));
    let rate = found.rate().unwrap();
    assert!(rate.on.is_none() && close(rate.on_high.unwrap(), 40_000.0 * 300.0 / 76.0));
    assert!(close(line(&found, "now.in_flight"), 12.0));
    let error =
        read_tier(&ReadNow { sessions: is(8.0), ..reads() }, &cache(20.0, None)).unwrap_err();
    assert!(error.what.contains("12.0 sessions waiting, and there are 8.00"), "{error}");
}
