use std::thread::JoinHandle;
use std::time::Duration;

use narrows_engine::{Announced, Phase, Silent, Stop};
use narrows_model::{ActivityState, metric};

use super::super::testing::OneLook;
use super::*;
use crate::WireError;
use crate::monitor::fake::Reply;
use crate::monitor::fake::server::{FakeServerTraits, MonitorStatement, TRANSACTIONS, serve};

/// Looks at such a server for a moment.
fn look(
    kind: FakeServerTraits,
    instead: impl FnMut(MonitorStatement) -> Option<Reply> + Send + 'static,
) -> Result<Observed, MonitorError> {
    let (address, served) = serve(kind, instead);
    let seen = Monitor::open(&address).and_then(|look| {
        assert_eq!((look.postmaster(), look.data_dir()), (None, None), "it runs in a thread");
        let length = Duration::from_millis(900);
        look.observe(length, 7, Around::default(), &mut OneLook, &Stop::new(), &Silent)
    });
    served.join().unwrap();
    seen
}

fn needs(seen: &Observed, what: &str) -> Option<String> {
    let mut unknown = seen.observation.unknown.iter();
    unknown.find(|u| u.what.contains(what)).map(|u| u.needs.clone())
}

#[test]
fn counts_states_and_sessions_become_an_observation() {
    let seen = look(FakeServerTraits::default(), |_| None).unwrap();
    assert_eq!(seen.cut_short, None);
    let found = &seen.observation;
    // Six windows: seven readings. Ours are taken off: those of a second at 20 per second, and the windows' own.
    let commits = found.counted.commits.unwrap();
    assert!(commits < 6.0 * TRANSACTIONS && commits > 6.0 * TRANSACTIONS - 120.0, "{commits}");
    assert_eq!(found.activity.of(ActivityState::Lock), Some(3.0));
    assert_eq!(found.activity.sessions_at_work(), Some(5.0));
    assert_eq!((found.sessions.open, found.sessions.most_at_work), (Some(9.0), Some(5.0)));
    assert_eq!(found.sessions.allowed, Some(100.0));
    assert_eq!(found.sessions.oldest_transaction_ns, Some(12.5e9));
    assert_eq!(found.sessions.oldest_prepared_ns, Some(7200.5e9));
    assert_eq!(found.sessions.slot_holds, Some(42.0));
    assert_eq!(found.sessions.longest_idle_in_transaction_ns, Some(3.25e9));
    assert_eq!(found.sessions.most_behind_one, Some(3.0));
    let holder = found.sessions.holder.as_ref().unwrap();
    assert_eq!((holder.pid, holder.state.as_str()), (16, "idle in transaction"));
    let holders = found.sessions.holders.unwrap();
    assert!(holders.answers > 0 && holders.for_client == holders.answers, "{holders:?}");
    // Nine are open, of which three did nothing.
    assert_eq!(found.sessions.unused, Some(3.0));
    assert_eq!(seen.measurement.value(metric::UNUSED_SESSIONS), Some(3.0));
    assert_eq!(seen.measurement.value(metric::PARTICIPATING_SESSIONS), Some(6.0));
    assert_eq!(found.sessions.log_senders, Some(0.0));
    assert_eq!(found.build, [("CFLAGS".to_string(), "-O2".to_string())]);
    assert!(found.processes.is_none() && needs(&seen, "CPU time").is_some());
    let m = &seen.measurement;
    // Windows of 150 ms tell nothing of their own.
    assert_eq!((m.repeats, found.windows), (1, 1));
    let rate = m.value(metric::THROUGHPUT).unwrap();
    let all = found.counted.transactions().unwrap();
    assert!((rate - all / found.interval_ns * 1e9).abs() < 1e-6 * rate);
    assert_eq!(m.value(metric::SESSIONS), Some(5.0));
    let lock_ns = m.value(metric::WAIT_LOCK_PER_OP).unwrap();
    assert!((lock_ns - 3.0 / rate * 1e9).abs() < 1e-6 * lock_ns, "by Little's law");
    let active_ns = m.value(metric::ACTIVE_TIME_PER_OP).unwrap();
    assert!((active_ns - 2e6).abs() < 0.1e6, "{active_ns}");
    assert!(m.value(metric::BLOCK_READS_PER_OP).unwrap() >= 3.0);
    assert_eq!(m.value(metric::SERVER_CPU_PER_OP), None, "unknown is not zero");
}

#[test]
fn who_may_not_see_what_others_do_gets_the_counters() {
    let seen = look(FakeServerTraits { monitor: false, ..FakeServerTraits::default() }, |asked| {
        let by_all =
            [MonitorStatement::Once, MonitorStatement::Counters, MonitorStatement::Consumers];
        assert!(by_all.contains(&asked), "{asked:?}");
        None
    })
    .unwrap();
    let found = &seen.observation;
    assert_eq!(found.activity.samples, 0);
    assert_eq!(found.sessions.open, Some(9.0), "connected is counted for everybody");
    assert_eq!((found.sessions.unused, found.sessions.duties.len()), (None, 0));
    assert_eq!(seen.measurement.value(metric::PARTICIPATING_SESSIONS), None, "not who is used");
    assert_eq!(needs(&seen, "what sessions do").as_deref(), Some("GRANT pg_monitor TO bob"));
    assert!(needs(&seen, "built").is_some() && found.build.is_empty());
    let m = &seen.measurement;
    assert!(m.value(metric::THROUGHPUT).unwrap() > 0.0);
    assert_eq!((m.value(metric::SESSIONS), m.value(metric::WAIT_READ_PER_OP)), (None, None));
}

#[test]
fn a_standby_is_looked_at_without_a_log_of_its_own() {
    let seen =
        look(FakeServerTraits { standby: true, ..FakeServerTraits::default() }, |_| None).unwrap();
    let counted = &seen.observation.counted;
    assert!(counted.commits.is_some() && counted.block_reads.is_some());
    assert_eq!((counted.log_bytes, counted.flushes, counted.writers), (None, None, None));
    assert!(needs(&seen, "the WAL that the server writes").unwrap().contains("primary"));
    assert_eq!(seen.measurement.value(metric::WAL_BYTES_PER_OP), None);
}

#[test]
fn counters_that_were_reset_give_no_figure_and_it_is_said() {
    let seen =
        look(FakeServerTraits { reset_at: 4, ..FakeServerTraits::default() }, |_| None).unwrap();
    let counted = &seen.observation.counted;
    assert_eq!((counted.commits, counted.active_ns), (None, None));
    assert_eq!(counted.log_bytes, Some(6e6), "the position is never reset");
    assert!(needs(&seen, "counters that were reset").is_some());
    assert_eq!(seen.measurement.value(metric::THROUGHPUT), None);
    assert!(seen.observation.activity.samples > 0);
}

#[test]
fn a_server_that_goes_in_the_middle_leaves_what_was_seen() {
    for end in [Reply::HangUp, Reply::Refuse("57P01")] {
        let mut edges = 0;
        let seen = look(FakeServerTraits::default(), move |asked| {
            if asked != MonitorStatement::Once && edges == 4 {
                return Some(end.clone());
            }
            edges += u32::from(asked == MonitorStatement::Counters);
            None
        })
        .unwrap();
        assert!(seen.cut_short.is_some());
        let found = &seen.observation;
        let commits = found.counted.commits.unwrap();
        assert!(commits <= 3.0 * TRANSACTIONS && commits > 2.0 * TRANSACTIONS, "{commits}");
        assert!(needs(&seen, "the rest of the observation").is_some());
        let running = found.activity.found.iter().find(|f| f.state == ActivityState::Running);
        assert_eq!(running.unwrap().windows.len(), 3, "and not the window in hand");
    }
}

#[test]
fn a_server_silent_from_the_beginning_is_an_error() {
    let silent = look(FakeServerTraits::default(), |asked| {
        (asked != MonitorStatement::Once).then_some(Reply::Refuse("57014"))
    });
    let said = silent.unwrap_err().to_string();
    assert!(said.contains("three queries in a row") && said.contains("hint:"), "{said}");
}

#[test]
fn questions_that_stay_unanswered_cost_those_questions() {
    let mut asked_for = 0;
    let seen = look(FakeServerTraits::default(), move |asked| {
        asked_for += u32::from(asked == MonitorStatement::States);
        (asked == MonitorStatement::States && asked_for % 3 == 0).then_some(Reply::Refuse("55P03"))
    })
    .unwrap();
    assert_eq!(seen.cut_short, None);
    assert!(seen.observation.cost.unanswered > 0);
    assert_eq!(seen.observation.activity.sessions_at_work(), Some(5.0));
}

#[test]
fn a_look_that_is_stopped_keeps_what_was_seen() {
    let (address, served) = serve(FakeServerTraits::default(), |_| None);
    let stop = Stop::new();
    let later = stop.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(400));
        later.set();
    });
    let seen = Monitor::open(&address)
        .unwrap()
        .observe(Duration::from_secs(600), 7, Around::default(), &mut OneLook, &stop, &Silent)
        .unwrap();
    served.join().unwrap();
    stopper.join().unwrap();
    assert_eq!(seen.cut_short, None);
    assert!(seen.observation.interval_ns < 60e9 && seen.observation.activity.samples > 0);
}

#[test]
fn each_window_is_announced_with_what_was_seen_so_far() {
    let (address, served) = serve(FakeServerTraits::default(), |_| None);
    let (plan, told) = (Plan::of_windows(Duration::from_millis(600), 6, 6), Announced::default());
    let look = Monitor::open(&address).unwrap();
    look.look(plan, Around::default(), None, &mut OneLook, (&Stop::new(), &told)).unwrap();
    served.join().unwrap();
    let told = told.of(Phase::Measure);
    assert_eq!(told.len(), 6);
    assert!(told[0].ends_with("window 1 of 6"), "{told:?}");
    assert!(told[1..].iter().all(|window| window.contains(" tps so far")), "{told:?}");
    assert!(told[5].ends_with(" tps so far, 5.0 sessions active"), "{told:?}");
}

/// Windows that a look of six to twelve takes of a server on which so many transactions end between two readings. Its sessions are
/// not to be seen, so that ours are the readings alone.
fn windows_taken(transactions: f64) -> usize {
    let kind = FakeServerTraits { monitor: false, transactions, ..FakeServerTraits::default() };
    let mut readings = 0;
    let (send, counted) = std::sync::mpsc::channel();
    let (address, served) = serve(kind, move |asked| {
        readings += usize::from(asked == MonitorStatement::Counters);
        send.send(readings).unwrap();
        None
    });
    let plan = Plan::of_windows(Duration::from_millis(600), 12, 6);
    let look = Monitor::open(&address).unwrap();
    let (seen, _) =
        look.look(plan, Around::default(), None, &mut OneLook, (&Stop::new(), &Silent)).unwrap();
    served.join().unwrap();
    assert_eq!(seen.cut_short, None);
    counted.iter().max().unwrap() - 1
}

#[test]
fn a_look_goes_on_by_whole_windows_until_it_has_enough_and_not_where_more_would_not_help() {
    assert_eq!(windows_taken(TRANSACTIONS), 6, "it has them");
    // Less the reading itself and the request that our own counts be told, 14 each: 98 after seven windows, 112 after eight.
    assert_eq!(windows_taken(16.0), 8);
    // Nine each: 108 at the end.
    assert_eq!(windows_taken(11.0), 12);
    // Seven each: 84 at the end, so that the rest would be waited for in vain.
    assert_eq!(windows_taken(9.0), 6);
    assert_eq!(windows_taken(0.0), 6, "a server at rest");
}

/// A server with a tenth of its transactions from the fifth reading on: a look that ends for it, and the next one's monitor. On a
/// loaded machine windows of a tenth of a second may be as long as half of one, so that three alike don't come every time.
fn changed_look<I>(
    instead: impl Fn() -> I,
) -> (Observed, LoadChange, Result<Monitor, MonitorError>, JoinHandle<()>)
where
    I: FnMut(MonitorStatement) -> Option<Reply> + Send + 'static,
{
    let kind = FakeServerTraits { slow_from: 5, transactions: 50e3, ..FakeServerTraits::default() };
    let attempt = |_| {
        let (address, served) = serve(kind, instead());
        let plan = Plan::of_windows(Duration::from_secs(3), 30, 6).of_one_load();
        let look = Monitor::open(&address).unwrap();
        let (first, next) = look
            .look(plan, Around::default(), None, &mut OneLook, (&Stop::new(), &Silent))
            .unwrap();
        let (change, monitor) = next?;
        Some((first, change, monitor, served))
    };
    (0..20).find_map(attempt).expect("another load")
}

#[test]
fn a_second_look_has_its_own_account_and_says_what_came_before() {
    let (first, change, monitor, served) = changed_look(|| |_| None);
    assert!(change.rate_before > change.rate_since, "{change:?}");
    let plan = Plan::of_windows(Duration::from_millis(600), 6, 6);
    let second = monitor.and_then(|m| {
        m.look(plan, Around::default(), Some(change), &mut OneLook, (&Stop::new(), &Silent))
    });
    served.join().unwrap();
    let (second, next) = second.unwrap();
    assert!(next.is_none() && second.observation.load_change == Some(change));
    assert!(second.observation.cost.statements < first.observation.cost.statements * 3 / 2);
    assert_eq!(second.observation.sessions.unused, Some(3.0));
    // Ten calls at each of seven readings, and none of the first look's.
    let took = |seen: &Observed| consumers(seen).statements.as_ref().unwrap().all.calls;
    assert_eq!(took(&second), 70.0);
    let readings = f64::from(first.observation.windows + 1);
    assert!(readings < 7.0 || took(&first) >= 70.0, "{readings}");
    assert!(consumers(&second).sampled.as_ref().unwrap().samples > 0);
    let rate =
        |seen: &Observed| seen.observation.counted.commits.unwrap() / seen.observation.interval_ns;
    assert!(rate(&second) < 0.5 * rate(&first), "it holds none of the load before");
    // The first look is what is left where the second is no whole one, and it says what it lacks.
    let long = Duration::from_secs(60);
    let kept = first.clone().or_second(Ok(second.clone()), long, &Stop::new());
    assert_eq!((kept.cut_short.clone(), kept.observation.load_change), (None, None));
    assert!(needs(&kept, "since its load changed").is_some());
    let whole = first.or_second(Ok(second.clone()), Duration::from_millis(600), &Stop::new());
    assert_eq!(whole, second);
}

#[test]
fn a_server_that_goes_after_the_first_look_leaves_it_cut_short() {
    // The question that begins the second look, or the one for its settings.
    let (first, change, monitor, served) = changed_look(|| {
        let mut anew = false;
        move |asked| {
            anew |= asked == MonitorStatement::Anew;
            anew.then_some(Reply::HangUp)
        }
    });
    let plan = Plan::of_windows(Duration::from_millis(600), 6, 6);
    let second = monitor.and_then(|m| {
        m.look(plan, Around::default(), Some(change), &mut OneLook, (&Stop::new(), &Silent))
    });
    served.join().unwrap();
    let second = second.map(|(second, _)| second);
    let kept = first.clone().or_second(second, Duration::from_secs(60), &Stop::new());
    assert!(kept.cut_short.is_some(), "{:?}", kept.cut_short);
    assert_eq!(kept.observation.interval_ns, first.observation.interval_ns);
    // Who stops it is not told so.
    let stop = Stop::new();
    stop.set();
    let error = Err(MonitorError::silent(WireError::Unexpected("a stop")));
    let kept = first.or_second(error, Duration::from_secs(60), &stop);
    assert!(kept.cut_short.is_none() && kept.observation.is_of_two_loads());
}

#[test]
fn up_to_a_minute_is_looked_at_whole_and_longer_is_a_maximum() {
    let least_s = |s| least(Duration::from_secs(s)).as_secs();
    assert_eq!([3, 60, 90, 600, 3600].map(least_s), [3, 60, 60, 60, 360]);
}

/// Counts what it is told, and has enough after so many times.
struct Told {
    lengths_ns: Vec<f64>,
    enough: usize,
}

impl Observer for Told {
    fn begins_again(&mut self, _: &LoadChange, _: Duration) -> Around {
        panic!("a second look")
    }

    fn so_far(&mut self, seen: Observed) -> bool {
        assert!(seen.observation.activity.samples > 0 && seen.cut_short.is_none());
        self.lengths_ns.push(seen.observation.interval_ns);
        self.lengths_ns.len() == self.enough
    }
}

#[test]
fn who_asked_is_told_after_each_window_and_may_end_the_look() {
    for (enough, windows) in [(2, 2), (usize::MAX, 6)] {
        let (address, served) = serve(FakeServerTraits::default(), |_| None);
        let mut told = Told { lengths_ns: Vec::new(), enough };
        let look = Monitor::open(&address).unwrap();
        let length = Duration::from_millis(900);
        let seen =
            look.observe(length, 7, Around::default(), &mut told, &Stop::new(), &Silent).unwrap();
        served.join().unwrap();
        assert_eq!(told.lengths_ns.len(), windows.min(5), "not after the last one");
        assert!(told.lengths_ns.is_sorted());
        let whole = seen.observation.interval_ns;
        assert!(told.lengths_ns.iter().all(|ns| *ns <= whole), "{:?} {whole}", told.lengths_ns);
        assert_eq!(seen.cut_short, None);
    }
}

fn consumers(seen: &Observed) -> &narrows_model::Consumers {
    seen.observation.consumers.as_ref().expect("it was asked")
}

#[test]
fn who_takes_what_is_found_between_the_first_edge_and_the_last() {
    let seen = look(FakeServerTraits::default(), |_| None).unwrap();
    let found = consumers(&seen);
    assert_eq!(found.database, "shop");
    let statements = found.statements.as_ref().unwrap();
    let [one] = &statements.list[..] else { panic!("{statements:?}") };
    assert_eq!((one.took.calls, one.took.exec_ns, one.user.as_str()), (70.0, 700e6, "app"));
    assert_eq!(one.text.as_deref(), Some("SELECT ?"));
    let [table] = &found.tables[..] else { panic!("{:?}", found.tables) };
    assert_eq!((table.sequential_scans, table.updated, table.blocks), (70.0, 70.0, Some(9.0)));
    assert_eq!(found.unindexed_keys[0].rows_gone, 70.0);
    let queue: Vec<u32> = found.lock_queue.iter().map(|session| session.pid).collect();
    assert_eq!(queue, [16, 11, 12, 13]);
    assert_eq!((found.horizon[0].name.as_str(), found.horizon[0].transactions), ("tx", 500.0));
    assert_eq!(found.reserves.as_ref().unwrap().oldest_database, Some(("shop".into(), 2000.0)));
    // Five at work, and what belongs to nobody in particular.
    let sampled = found.sampled.as_ref().unwrap();
    assert_eq!((sampled.active, sampled.groups.len()), (5.0, 0));
    assert!(sampled.samples > 0 && sampled.samples < seen.observation.activity.samples);
}

#[test]
fn a_look_goes_without_who_takes_what_where_that_is_refused_or_unanswered() {
    for (code, needed) in [
        ("42501", "GRANT pg_monitor TO bob"),
        ("57014", "a server that answers within 5 s"),
        ("XX000", "SQLSTATE XX000"),
    ] {
        let mut refused = 0;
        let seen = look(FakeServerTraits::default(), move |asked| {
            refused += u32::from(asked == MonitorStatement::Consumers);
            // Also where it answers at first.
            let refuse = asked == MonitorStatement::Consumers && (code != "XX000" || refused > 9);
            refuse.then_some(Reply::Refuse(code))
        });
        let seen = seen.unwrap();
        assert_eq!(seen.cut_short, None, "{code}");
        assert_eq!(seen.observation.activity.sessions_at_work(), Some(5.0));
        let found = consumers(&seen);
        assert!(found.statements.is_none() && found.tables.is_empty() && found.horizon.is_empty());
        let said = seen.observation.unknown.iter().any(|unknown| unknown.needs.contains(needed));
        assert!(said, "{code}: {:#?}", seen.observation.unknown);
        assert!(seen.observation.cost.unanswered > 0);
    }
}
