//! One scan of the whole table by one session and its parallel workers, from the drive.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use narrows_engine::{Stop, Window, now_ns};

use crate::kind::ServerKind;
use crate::load::{LoadError, LoadResult};

/// Runs `statement`, which takes no longer than `longest`, once on a fresh session while `during` watches; the window is the scan itself. `during` is given
/// the session's server process and a way to see that the scan has ended.
pub(crate) fn run<T>(
    kind: &dyn ServerKind,
    settings: &[String],
    (statement, longest): (&str, Duration),
    stop: &Stop,
    during: impl FnOnce(u32, &dyn Fn() -> bool) -> Result<T, LoadError>,
) -> Result<(LoadResult, Window, T), LoadError> {
    // Ends the scan where it can't be waited for.
    let halt = Stop::new();
    let mut scanner = kind.scanner(settings, longest, &[stop, &halt])?;
    let pid = scanner.pid();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ended = &ended;
        let start_ns = now_ns();
        let scanner = scope.spawn(move || {
            let cpu_start = narrows_facts::process::thread_cpu_ns();
            let answered = scanner.run(statement);
            let end_ns = now_ns();
            let cpu_ns = narrows_facts::process::thread_cpu_ns() - cpu_start;
            ended.store(true, Ordering::Release);
            (answered, end_ns, cpu_ns)
        });
        let seen = during(pid, &|| ended.load(Ordering::Acquire));
        if seen.is_err() {
            halt.set();
        }
        let (answered, end_ns, cpu_ns) = scanner.join().expect("the scanning thread panicked");
        let seen = seen?;
        let mut result = LoadResult {
            operations: 1,
            span_operations: 1,
            cpu_ns,
            busiest_cpu_ns: cpu_ns,
            threads: 1,
            wrong: u64::from(!answered?),
            ..LoadResult::default()
        };
        result.latency.record(end_ns - start_ns);
        Ok((result, Window { start_ns, end_ns }, seen))
    })
}
