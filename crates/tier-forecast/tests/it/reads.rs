//! A read cache by pencil, and what is said of it.

use narrows_cost::{Given, Range};
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

/// Sessions at storage with one queue, by pencil: their rate, and what one of their reads takes.
fn at_one_queue(sessions: u32, queue_us: f64, rest_us: f64) -> (f64, f64) {
    let (mut waiting, mut rate, mut there) = (0.0, 0.0, 0.0);
    for n in 1..=sessions {
        there = queue_us * (1.0 + waiting);
        rate = f64::from(n) / (there + rest_us);
        waiting = rate * there;
    }
    (rate * 1e6, there + rest_us)
}

#[test]
fn misses_wait_in_the_queue_that_they_are_themselves() {
    // Storage that does one read in 290 µs; 60 more that nobody waits for.
    let (rate, read) = at_one_queue(4, 290.0, 60.0);
    let now = ReadNow {
        rate_per_s: is(rate),
        sessions: is(4.0),
        read_us: is(read),
        alone_us: Some(is(350.0)),
        ..no_cpu()
    };
    for (missed, added, gains) in
        [(0.5, None, 1.01), (0.2, None, 1.03), (0.02, None, 1.3), (0.02, Some(15.0), 1.3)]
    {
        let tier = ReadTier { miss_added_us: added.map(is), ..cache(16.0, Some(is(1.0 - missed))) };
        let rest = (1.0 - missed) * 16.0 + missed * (60.0 + added.unwrap_or(0.0));
        let (truth, _) = at_one_queue(4, missed * 290.0, rest);
        let found = ask(&now, &tier);
        assert!(
            close(line(&found, "now.queue"), 290.0) && close(line(&found, "now.unqueued"), 60.0)
        );
        assert!(close(line(&found, "rate.sessions"), truth), "{missed}: {truth}");
        assert!(close(line(&found, "then.read"), 4.0 / truth * 1e6), "{missed}");
        // A miss that keeps all of the queue of now is too slow, the more the fewer there are.
        let kept = ask(&ReadNow { alone_us: None, ..now.clone() }, &tier);
        let short = truth / line(&kept, "rate.sessions");
        assert!(short > gains, "{missed}: {short}");
    }
}

#[test]
fn cpu_time_inside_a_read_is_counted_once() {
    // One session that does nothing but read: 350 µs each, 13 of them its own CPU time.
    let now = ReadNow {
        rate_per_s: is(1e6 / 350.0),
        sessions: is(1.0),
        read_us: is(350.0),
        cpu_us: is(13.0),
        cpus: is(2.0),
        ..reads()
    };
    let found = ask(&now, &cache(16.0, Some(is(0.8))));
    assert!(close(line(&found, "now.inside"), 13.0) && close(line(&found, "then.read"), 82.8));
    assert!(close(line(&found, "rate.sessions"), 1e6 / 82.8), "{}", line(&found, "rate.sessions"));
    assert!(close(line(&found, "rate.sessions.most"), 1e6 / 16.0));
    // What is no part of the read stays beside it: 400 µs each, 50 of them CPU time.
    let beside = ReadNow { rate_per_s: is(2_500.0), cpu_us: is(50.0), ..now };
    let found = ask(&beside, &cache(16.0, Some(is(0.8))));
    assert!(found.value("now.inside").is_none());
    assert!(close(line(&found, "rate.sessions"), 1e6 / 132.8));
}

#[test]
fn a_read_may_have_the_longer_wait_for_a_cpu_at_its_end() {
    // Four sessions on one CPU, 30 µs of it for each read of 300.
    let (rate, round) = at_one_queue(4, 30.0, 300.0);
    let now = ReadNow {
        rate_per_s: is(rate),
        sessions: is(4.0),
        read_us: is(300.0),
        cpu_us: is(30.0),
        cpus: is(1.0),
        ..reads()
    };
    let found = ask(&now, &cache(20.0, Some(is(0.8))));
    let (_, round_then) = at_one_queue(4, 30.0, 76.0);
    let longer = (round_then - 76.0) - (round - 300.0);
    assert!(longer > 10.0, "{longer}");
    assert!(close(line(&found, "now.cpu_wait"), round - 330.0));
    assert!(close(line(&found, "then.read"), 76.0));
    assert!(close(line(&found, "then.read.most"), 76.0 + longer));
    let read = &found.rows[1];
    assert!(close(read.on.unwrap(), 76.0) && close(read.on_high.unwrap(), 76.0 + longer));
    // A full CPU: what reads get shorter, waits get longer, and no more than that.
    let (full, _) = at_one_queue(4, 300.0, 20.0);
    let full =
        ReadNow { rate_per_s: is(full), read_us: is(20.0), cpu_us: is(300.0), ..now.clone() };
    let found = ask(&full, &cache(5.0, Some(is(0.8))));
    let most = line(&found, "then.read.most");
    assert!(most > line(&found, "then.read") + 10.0 && most < 20.0 + 1e-6, "{most}");
    // Nobody knows of a wait without CPUs, and clients that choose their rate make no other.
    for now in [ReadNow { cpu_us: unknown(), ..now.clone() }, ReadNow { asked: true, ..now }] {
        let found = ask(&now, &cache(20.0, Some(is(0.8))));
        assert!(found.value("then.read.most").is_none());
        assert!(close(found.rows[1].on_high.unwrap(), 76.0));
    }
}

#[test]
fn reads_that_do_not_queue_are_as_long_with_the_tier() {
    let at = |alone: Option<f64>| {
        let found =
            ask(&ReadNow { alone_us: alone.map(is), ..no_cpu() }, &cache(20.0, Some(is(0.8))));
        line(&found, "then.read")
    };
    // Alone as long as among the others: 80 % of 20 and the rest of 300.
    assert!(close(at(Some(300.0)), 76.0) && close(at(None), 76.0), "{}", at(Some(300.0)));
    assert!(at(Some(100.0)) < 75.0, "{}", at(Some(100.0)));
    // Clients that choose their rate are in no such loop.
    let asked = ReadNow { alone_us: Some(is(100.0)), asked: true, ..no_cpu() };
    assert!(close(line(&ask(&asked, &cache(20.0, Some(is(0.8)))), "then.read"), 76.0));
}

#[test]
fn a_range_of_hits_is_carried_and_cpus_end_the_gain() {
    let found = ask(&no_cpu(), &cache(20.0, Some(between(0.7, 0.9))));
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

/// A rate and a mean wait of a few short windows may miss Little's law together, each within its own doubt: that is no contradiction.
/// Beyond the doubt of both it is.
#[test]
fn measured_figures_contradict_each_other_only_beyond_their_doubt() {
    let sessions = is(reads().rate_per_s.value.unwrap().value * 300.0 / 1e6 / 1.1);
    let of = |doubt: f64| {
        let with = |given: Given| {
            let value =
                given.value.map(|range| Range { low: range.value * (1.0 - doubt), ..range });
            Given { value, ..given }
        };
        let now = reads();
        let now = ReadNow {
            sessions: sessions.clone(),
            rate_per_s: with(now.rate_per_s),
            read_us: with(now.read_us),
            ..now
        };
        read_tier(&now, &cache(20.0, Some(is(0.8))))
    };
    assert!(of(0.05).is_ok());
    assert!(of(0.01).unwrap_err().what.contains("sessions waiting"));
}
