//! A log tier by pencil, and what is said of it.

use narrows_tier_forecast::{Forecast, Limit, LogNow, LogTier, log_tier};

use crate::figures::{between, commits, is, medium, unknown};

fn ask(now: &LogNow, tier: &LogTier) -> Forecast {
    log_tier(now, tier).unwrap_or_else(|error| panic!("{error}"))
}

fn line(found: &Forecast, key: &str) -> f64 {
    found.value(key).unwrap_or_else(|| panic!("{key} is unknown: {:#?}", found.lines))
}

fn close(a: f64, b: f64) -> bool {
    (a / b - 1.0).abs() < 1e-6
}

#[test]
fn the_most_has_the_cpu_time_of_a_test_without_flushes_and_the_forecast_that_of_now() {
    // Two CPUs: 20,000 per second of 100 µs fill them. With 60 they allow 33,333.
    let slow = LogNow { commit_wait_us: is(1_000.0), flush_us: is(500.0), ..commits() };
    let full = LogNow { cpus: is(2.0), sessions: is(40.0), ..slow };
    let found = ask(&full, &medium(20.0));
    let tested = ask(&LogNow { cpu_unflushed_us: Some(is(60.0)), ..full.clone() }, &medium(20.0));
    let [rate, with_test] = [&found, &tested].map(|found| found.rate().unwrap().clone());
    assert_eq!((rate.on, rate.on_low), (with_test.on, with_test.on_low));
    assert!(close(rate.on_high.unwrap(), 20_000.0 * 1.05), "{rate:?}");
    assert!(close(line(&tested, "limit.cpu.spared"), 2e6 / 60.0));
    assert!(close(with_test.on_high.unwrap(), 2e6 / 60.0 * 1.05), "{with_test:?}");
    // A test that took more spares nothing.
    let dearer = ask(&LogNow { cpu_unflushed_us: Some(is(120.0)), ..full }, &medium(20.0));
    assert_eq!(dearer.rate(), found.rate());
}

#[test]
fn parts_that_miss_the_rate_are_a_doubt_of_the_forecast() {
    let found = ask(&LogNow { law_off: 0.2, ..commits() }, &medium(20.0));
    let exact = ask(&commits(), &medium(20.0));
    let high = |found: &Forecast| found.rate().unwrap().on_high.unwrap();
    assert!(close(high(&found) / high(&exact), 1.2 / 1.05), "{:?}", found.rate());
    let law = found.lines.iter().find(|line| line.key == "law").unwrap();
    assert!(law.source.contains("miss the measured rate by 20 %"), "{law:?}");
}

#[test]
fn without_cpus_the_rate_is_sessions_over_what_is_left_of_their_time() {
    let now = LogNow { cpu_us: unknown(), cpus: unknown(), ..commits() };
    let found = ask(&now, &medium(20.0));
    // 800 µs, of which 400 are two flushes: 40 with flushes of 20. At least 20, at most 220.
    for (key, value) in [
        ("now.elsewhere", 800.0),
        ("wait.flushes", 400.0),
        ("wait.rest", 0.0),
        ("then.wait", 40.0),
        ("then.wait.least", 20.0),
        ("then.wait.most", 220.0),
        ("then.elsewhere", 440.0),
        ("rate.sessions", 16.0 / 440e-6),
        ("rate.sessions.least", 16.0 / 620e-6),
        ("rate.sessions.most", 16.0 / 420e-6),
    ] {
        let found = found.lines.iter().find(|line| line.key == key).and_then(|line| line.value);
        assert!(
            found.is_some_and(|found| found == value || close(found, value)),
            "{key}: {found:?}"
        );
    }
    // Nothing is known that could stop it, so that no gain is promised.
    let rate = found.rate().unwrap();
    assert!(close(rate.on_low.unwrap(), 19_000.0), "{rate:?}");
    assert_eq!(rate.condition.as_deref(), Some("if nothing else binds"));
    assert!(found.next.limit.is_none() && found.next.sentence.contains("unknown"));
    assert!(found.unknown.iter().any(|unknown| unknown.hint == "--cpus"), "{:?}", found.unknown);
}

#[test]
fn what_is_waited_for_beyond_two_flushes_stays() {
    let now = LogNow { commit_wait_us: is(500.0), ..commits() };
    let found = ask(&now, &medium(20.0));
    assert_eq!(line(&found, "wait.rest"), 100.0);
    assert!(close(line(&found, "then.wait"), 140.0));
    assert!(close(line(&found, "then.wait.most"), 320.0));
    assert!(found.doubts.iter().any(|doubt| doubt.contains("2.50 flushes")), "{:?}", found.doubts);
    let usual = ask(&commits(), &medium(20.0));
    assert!(!usual.doubts.iter().any(|doubt| doubt.contains("flushes, and")), "{:?}", usual.doubts);
}

#[test]
fn cpus_end_the_gain_and_that_is_said() {
    // 100 µs on 8 CPUs: 80,000 per second, four times of now.
    let now = LogNow { commit_wait_us: is(700.0), flush_us: is(350.0), ..commits() };
    let found = ask(&now, &medium(1.0));
    assert!(close(line(&found, "limit.cpu"), 80_000.0));
    assert!(line(&found, "rate.then") <= 80_000.0);
    assert!(
        found.next.reached && found.next.sentence.contains("the gain stops there"),
        "{:?}",
        found.next
    );
    assert!(close(found.next.times_at_most.unwrap(), 4.0));
    // With 64 of them it is the sessions' own time.
    let more = ask(&LogNow { cpus: is(64.0), ..now }, &medium(1.0));
    assert!(!more.next.reached && line(&more, "rate.then") > line(&found, "rate.then"));
    assert!(more.next.sentence.starts_with("the sessions' own time"), "{:?}", more.next);
}

#[test]
fn another_limit_holds_and_one_that_is_half_used_is_a_doubt() {
    let limit = |per_s: f64| Limit { title: "drives' reads".to_string(), per_s: is(per_s) };
    let at = |per_s: f64| ask(&LogNow { limits: vec![limit(per_s)], ..commits() }, &medium(20.0));
    let found = at(25_000.0);
    assert!(close(line(&found, "rate.then"), 25_000.0));
    assert_eq!(found.next.limit.as_deref(), Some("drives' reads"));
    // What was measured is above it: it is no less than that.
    assert!(close(line(&at(19_000.0), "rate.then"), 20_000.0));
    let doubt =
        |found: &Forecast| found.doubts.iter().any(|doubt| doubt.contains("more than half"));
    assert!(doubt(&at(50_000.0)) && !doubt(&at(500_000.0)));
    assert!(close(line(&at(50_000.0), "rate.then.least"), 20_000.0), "no gain is promised then");
    assert!(line(&at(500_000.0), "rate.then.least") > 22_000.0);
}

#[test]
fn what_the_way_adds_counts_and_a_range_is_carried() {
    let tier = LogTier { added_us: Some(is(21.0)), ..medium(14.0) };
    let found = ask(&commits(), &tier);
    assert_eq!(line(&found, "tier.alone"), 35.0);
    assert!(close(line(&found, "then.wait"), 70.0));
    assert!(!found.doubts.iter().any(|doubt| doubt.contains("--added")), "{:?}", found.doubts);
    let ranged = LogTier { medium_us: between(10.0, 20.0), ..medium(0.0) };
    let wait = ask(&commits(), &ranged).rows.remove(1);
    assert_eq!((wait.on, wait.on_low, wait.on_high), (Some(30.0), Some(10.0), Some(220.0)));
}

#[test]
fn what_is_slow_inside_the_server_stays_there() {
    // Of 200 µs the device takes 50: with one of 10 µs 160 remain.
    let now = LogNow { device_us: Some(is(50.0)), ..commits() };
    let found = ask(&now, &medium(10.0));
    assert_eq!(line(&found, "tier.flush.stays"), 160.0);
    assert!(close(line(&found, "then.wait"), 320.0), "{:#?}", found.lines);
    // Near to the device's own it shrinks with it.
    let now = LogNow { device_us: Some(is(160.0)), ..commits() };
    assert!(close(line(&ask(&now, &medium(16.0)), "then.wait"), 40.0));
}

#[test]
fn locks_that_are_held_through_the_commit_go_with_it() {
    // 200 of 800 µs: what they are held for decides.
    let now = LogNow { locks_us: Some(is(200.0)), ..commits() };
    let open = ask(&now, &medium(20.0));
    let rate = open.rate().unwrap();
    assert!(rate.on.is_none() && rate.on_low.is_some() && rate.on_high.is_some(), "{rate:?}");
    assert!(open.unknown.iter().any(|unknown| unknown.what.contains("locks")));
    // One after the other, each for 50 µs: a commit cannot be in it. 2,000/s hold it for 500 µs.
    let now = LogNow { rate_per_s: is(2_000.0), locks_through_commit: Some(true), ..now };
    let found = ask(&now, &medium(20.0));
    assert!(close(line(&found, "rate.lock"), 1e6 / (500.0 - 400.0 + 40.0)), "{:#?}", found.lines);
    assert!(found.rate().unwrap().on.is_some());
    // A tenth of that is a doubt only.
    let little = ask(&LogNow { locks_us: Some(is(40.0)), ..commits() }, &medium(20.0));
    assert!(little.rate().unwrap().on.is_some());
    assert!(close(line(&little, "rate.then.least"), 20_000.0));
}

#[test]
fn a_slower_medium_gives_less_also_where_waits_were_counted_twice() {
    // 800 µs each, with 100 µs of CPU time and 400 of commits: 800 µs of commits leave 1,200.
    let now = LogNow { cpu_us: unknown(), cpus: unknown(), ..commits() };
    let found = ask(&now, &medium(400.0));
    assert!(close(line(&found, "rate.sessions"), 16.0 / 1200e-6));
    let row = &found.rows[1];
    assert!(row.on_low.unwrap() <= 800.0 && row.on_high.unwrap() >= 800.0, "{row:?}");
    // All CPUs are busy, so that nothing of the time is left for the waits that were seen.
    let full = LogNow { cpu_us: is(400.0), ..commits() };
    let found = ask(&full, &medium(4_000.0));
    assert!(line(&found, "rate.then") < 2_500.0, "{:#?}", found.lines);
    assert!(close(line(&ask(&full, &medium(20.0)), "rate.then"), 20_000.0));
}

#[test]
fn without_sessions_there_is_a_bound_and_no_rate() {
    let found = ask(&LogNow { sessions: unknown(), ..commits() }, &medium(20.0));
    let rate = found.rate().unwrap();
    assert_eq!(rate.on, None);
    assert!(close(rate.on_high.unwrap(), 20_000.0 * 400.0 / 20.0));
    assert!(close(rate.on_low.unwrap(), 20_000.0));
    assert!(close(line(&found, "now.in_commit"), 8.0));
    let slower = ask(&LogNow { sessions: unknown(), ..commits() }, &medium(400.0));
    assert!(close(slower.rate().unwrap().on_low.unwrap(), 10_000.0), "{:?}", slower.rate());
    assert!(!found.answers());
}

#[test]
fn an_unknown_figure_gives_no_figure_that_rests_on_it() {
    for (now, tier, keys) in [
        (
            LogNow { flush_us: unknown(), ..commits() },
            medium(20.0),
            &["then.wait", "rate.then"][..],
        ),
        (
            LogNow { commit_wait_us: unknown(), ..commits() },
            medium(20.0),
            &["then.wait", "rate.then"],
        ),
        (LogNow { rate_per_s: unknown(), ..commits() }, medium(20.0), &["rate.then"]),
        (commits(), LogTier { medium_us: unknown(), ..medium(1.0) }, &["then.wait", "rate.then"]),
        (LogNow { wal_bytes: unknown(), ..commits() }, medium(20.0), &["destage.needs"]),
    ] {
        let found = ask(&now, &tier);
        for key in keys {
            assert_eq!(found.value(key), None, "{key}: {:#?}", found.lines);
        }
        assert!(!found.unknown.is_empty());
    }
}

#[test]
fn figures_that_contradict_each_other_are_refused() {
    let refused = |now: LogNow| log_tier(&now, &medium(20.0)).unwrap_err();
    // 20,000/s of 400 µs are 8 sessions.
    let error = refused(LogNow { sessions: is(4.0), ..commits() });
    assert!(error.what.contains("keep 8.00 sessions waiting, and there are 4.00"), "{error}");
    assert!(error.hint.contains("Little"), "{}", error.hint);
    let error = refused(LogNow { cpus: is(1.0), ..commits() });
    assert!(error.what.contains("use 2.00 CPUs, and there are 1.00"), "{error}");
    assert!(log_tier(&LogNow { sessions: is(8.0), ..commits() }, &medium(20.0)).is_ok());
}

#[test]
fn a_rate_that_clients_ask_for_stays_and_a_server_outside_the_law_has_none() {
    let found = ask(&LogNow { asked: true, ..commits() }, &medium(20.0));
    let rate = found.rate().unwrap();
    assert_eq!((rate.on, rate.on_low), (Some(20_000.0), Some(20_000.0)));
    assert!(rate.on_high.unwrap() > 30_000.0, "{rate:?}");
    // 800 µs, of them 400 of commits: 360 less, at most 20 and at least 220 are left of these.
    let time = &found.rows[3];
    assert!(close(time.off.unwrap(), 800.0) && close(time.on.unwrap(), 440.0), "{time:?}");
    assert!(close(time.on_low.unwrap(), 420.0) && close(time.on_high.unwrap(), 620.0), "{time:?}");
    assert_eq!(ask(&commits(), &medium(20.0)).rows.len(), 3);
    let none =
        ask(&LogNow { no_law: Some("its sum is off".to_string()), ..commits() }, &medium(20.0));
    assert_eq!(none.rate().unwrap().on, None);
    assert!(none.value("then.wait").is_some(), "the wait is known all the same");
    assert!(none.doubts.iter().any(|doubt| doubt.contains("its sum is off")));
}

#[test]
fn what_a_trace_would_have_held_stands_beside_the_size() {
    let told = |held: Option<f64>, size: Option<f64>| {
        let tier = LogTier {
            backing_bytes_per_s: is(500e6),
            size_bytes: size.map_or_else(unknown, is),
            held_bytes: held.map(is),
            ..medium(20.0)
        };
        let found = ask(&commits(), &tier).destaging;
        found.into_iter().find(|line| line.contains("trace's own rate"))
    };
    let told_of = |held, size| told(Some(held), size).unwrap();
    assert!(told_of(2e9, Some(960e6)).contains("2.00 GB at most, more than its 960 MB: commits"));
    assert!(told_of(0.5e9, Some(960e6)).ends_with("500 MB at most, of 960 MB"));
    assert!(told_of(0.5e9, None).ends_with("500 MB at most"));
    assert_eq!(told(None, Some(960e6)), None);
}

#[test]
fn destaging_keeps_up_or_fills_the_tier() {
    let now = LogNow { cpu_us: unknown(), cpus: unknown(), ..commits() };
    let rate = 16.0 / 440e-6;
    let tier = |backing: f64| LogTier {
        growth: Some(is(1.5)),
        backing_bytes_per_s: is(backing),
        size_bytes: is(960e6),
        ..medium(20.0)
    };
    let found = ask(&now, &tier(50e6));
    let needs = rate * 2_000.0 * 1.5 / 1e6;
    assert!(close(line(&found, "destage.needs"), needs));
    assert!(close(line(&found, "destage.full"), 960.0 / (needs - 50.0)));
    assert!(close(line(&found, "destage.rate"), 50e6 / 3_000.0));
    assert!(
        found.destaging[1].contains("the rate is the backing's, 16.7k/s"),
        "{:?}",
        found.destaging
    );
    let keeps = ask(&now, &tier(500e6));
    assert_eq!(keeps.value("destage.full"), None);
    assert!(keeps.destaging[1].contains("keeps up"), "{:?}", keeps.destaging);
    // Enough for what is expected, and not for the most: 109 and 114 MB/s and the law's doubt.
    let near = ask(&now, &tier(112e6));
    assert!(near.destaging[1].contains("not for the most"), "{:?}", near.destaging);
    let unknown = ask(&now, &LogTier { growth: None, ..tier(500e6) });
    assert!(
        unknown.destaging.last().unwrap().contains("growth unknown"),
        "{:?}",
        unknown.destaging
    );
}
