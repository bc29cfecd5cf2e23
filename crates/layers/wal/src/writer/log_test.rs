//! The log with threads: nobody is told early, flushes follow each other, a failure reaches everybody; in both styles.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::log::{CommitLog, Delay, Flushed, Flusher, Style};

const STYLES: [Style; 2] = [Style::Leader, Style::Writer];

/// Ends the writer's thread also when a check fails.
struct Closing<'a, F: Flusher>(&'a CommitLog<F>);

impl<F: Flusher> Drop for Closing<'_, F> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Works on a log with its writer's thread, where it has one.
fn with_log<F: Flusher + Send>(
    flusher: F,
    style: Style,
    delay: Delay,
    work: impl FnOnce(&CommitLog<F>),
) -> CommitLog<F> {
    let log = CommitLog::new(flusher, style, delay);
    std::thread::scope(|scope| {
        if style == Style::Writer {
            scope.spawn(|| log.write());
        }
        let closing = Closing(&log);
        work(closing.0);
    });
    log
}

/// Takes a fixed time, and publishes what is durable only at the end of it.
struct Fixed<'a> {
    time: Duration,
    durable: &'a AtomicU64,
}

impl Flusher for Fixed<'_> {
    fn flush(&mut self, from: u64, to: u64) -> io::Result<u64> {
        assert_eq!(from, self.durable.load(Ordering::SeqCst), "flushes follow each other");
        assert!(to > from, "a flush is never empty");
        std::thread::sleep(self.time);
        self.durable.store(to, Ordering::SeqCst);
        Ok(to - from)
    }
}

/// Commits by each of so many threads; counts those acknowledged before they were durable.
fn early(
    threads: u64,
    each: u64,
    commit: impl Fn() -> u64 + Sync,
    durable: impl Fn() -> u64 + Sync,
) -> u64 {
    let early = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..each {
                    let position = commit();
                    early.fetch_add(u64::from(durable() < position), Ordering::SeqCst);
                }
            });
        }
    });
    early.into_inner()
}

/// Runs `committers` in a closed loop and checks every acknowledgement; gives the flushes and how long it took.
fn run(committers: u64, each: u64, time: Duration, style: Style) -> (Vec<Flushed>, Duration) {
    let durable = AtomicU64::new(0);
    let began = Instant::now();
    let log = with_log(Fixed { time, durable: &durable }, style, Delay::default(), |log| {
        let commit = || log.commit(100).unwrap();
        assert_eq!(early(committers, each, commit, || durable.load(Ordering::SeqCst)), 0);
    });
    let elapsed = began.elapsed();
    assert_eq!(log.flushed(), committers * each * 100);
    let flushes = log.take_history();
    let commits: u64 = flushes.iter().map(|flush| flush.batch.commits).sum();
    assert_eq!(commits, committers * each, "each commit is in one flush");
    (flushes, elapsed)
}

#[test]
fn one_committer_pays_every_flush() {
    for style in STYLES {
        let (flushes, elapsed) = run(1, 50, Duration::from_micros(500), style);
        assert_eq!(flushes.len(), 50);
        assert!(elapsed >= Duration::from_micros(50 * 500));
    }
}

#[test]
fn many_committers_obey_the_batch_law() {
    let time = Duration::from_millis(2);
    for style in STYLES {
        for committers in [2, 8, 64] {
            let (flushes, elapsed) = run(committers, 30, time, style);
            let per_flush = (committers * 30) as f64 / flushes.len() as f64;
            // The bounds hold however slow the machine is: nobody commits twice in a flush, and flushes don't overlap. How
            // many share one is a question of who queued meanwhile, as below.
            assert!(per_flush <= committers as f64, "{committers}: {per_flush}");
            assert!(elapsed >= time * flushes.len() as u32);
            let apart = flushes.windows(2).all(|two| two[0].durable_ns <= two[1].begun_ns);
            assert!(apart, "flushes never overlap");
        }
    }
}

/// Holds the first flush until it is let go, so that batches are exact.
struct Held<'a>(&'a AtomicBool);

impl Flusher for Held<'_> {
    fn flush(&mut self, from: u64, to: u64) -> io::Result<u64> {
        while !self.0.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(to - from)
    }
}

#[test]
fn followers_who_queued_during_a_flush_share_the_next() {
    for style in STYLES {
        let all_queued = AtomicBool::new(false);
        let log = with_log(Held(&all_queued), style, Delay::default(), |log| {
            std::thread::scope(|scope| {
                scope.spawn(|| early(10, 1, || log.commit(7).unwrap(), || log.flushed()));
                while log.pending() < 10 {
                    std::thread::sleep(Duration::from_millis(1));
                }
                all_queued.store(true, Ordering::SeqCst);
            });
        });
        // The first flush takes those who were there when it began, the second everybody else.
        let sizes: Vec<u64> = log.take_history().iter().map(|flush| flush.bytes).collect();
        assert_eq!(sizes.iter().sum::<u64>(), 70);
        assert!(sizes.len() <= 2, "{sizes:?}");
    }
}

#[test]
fn a_delay_gathers_more_commits_in_a_flush_if_siblings_are_there() {
    for style in STYLES {
        let flushes_with = |siblings: u32| {
            let durable = AtomicU64::new(0);
            let flusher = Fixed { time: Duration::ZERO, durable: &durable };
            let delay = Delay { time: Duration::from_millis(40), siblings };
            let began = Instant::now();
            let log = with_log(flusher, style, delay, |log| {
                early(1, 5, || log.commit(1).unwrap(), || durable.load(Ordering::SeqCst));
            });
            (log.take_history().len(), began.elapsed())
        };
        // A lone committer has no siblings: with one wanted it never waits, with none it always does.
        assert_eq!(flushes_with(1).0, 5);
        let (flushes, took) = flushes_with(0);
        assert_eq!(flushes, 5);
        assert!(took >= Duration::from_millis(5 * 40), "{took:?}");
    }
}

#[test]
fn a_failed_flush_fails_every_commit_it_would_have_covered() {
    struct Failing;
    impl Flusher for Failing {
        fn flush(&mut self, _: u64, _: u64) -> io::Result<u64> {
            std::thread::sleep(Duration::from_millis(10));
            Err(io::Error::other("drive gone"))
        }
    }
    for style in STYLES {
        let acknowledged = AtomicU64::new(0);
        let log = with_log(Failing, style, Delay::default(), |log| {
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        acknowledged.fetch_add(u64::from(log.commit(1).is_ok()), Ordering::SeqCst)
                    });
                }
            });
        });
        assert_eq!(acknowledged.into_inner(), 0);
        assert_eq!(log.flushed(), 0);
        assert!(log.commit(1).unwrap_err().to_string().contains("drive gone"));
    }
}

#[test]
fn the_check_of_acknowledgements_catches_a_log_that_is_early() {
    // A log that gives the position at once and flushes later.
    let position = AtomicU64::new(0);
    let hasty = || position.fetch_add(10, Ordering::SeqCst) + 10;
    assert_eq!(early(4, 10, hasty, || 0), 40);
}
