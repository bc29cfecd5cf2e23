//! The streams of a crash test: each writes a record, waits until it is durable, and only then names it to the second
//! host.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use narrows_engine::Stop;

use crate::reporter::Reporter;
use crate::{CrashTestError, Machine, RunId};

/// Where one stream's records go.
pub(crate) trait Sink: Send {
    /// Makes the record of that number durable.
    fn write(&mut self, number: u64) -> Result<(), CrashTestError>;
}

/// What a writer did until it was stopped, or its drive failed.
#[derive(Debug)]
pub struct Written {
    /// The test.
    pub run: RunId,
    /// The host that has the list.
    pub collector: Machine,
    /// Records made durable and reported.
    pub records: u64,
    /// What ended it, if a write did.
    pub failure: Option<String>,
}

/// Runs all streams until `stop`, the end of `length`, or a failure; then says goodbye. `tell` gets the number of
/// records about once a second. `mark` durably notes beside the records that the writer outlived its connection: to the
/// second host that looks like a cut.
///
/// # Errors
/// Where the second host is lost: then nothing is shown.
pub(crate) fn run(
    run: RunId,
    reporter: Reporter,
    sinks: Vec<Box<dyn Sink>>,
    length: Option<Duration>,
    stop: &Stop,
    tell: &mut dyn FnMut(u64),
    mark: &dyn Fn() -> Result<(), CrashTestError>,
) -> Result<Written, CrashTestError> {
    let records = AtomicU64::new(0);
    let failure: Mutex<Option<CrashTestError>> = Mutex::new(None);
    // Ends the streams; the user's own token may be shared with others.
    let end = Stop::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(sinks)
            .map(|(stream, mut sink)| {
                let (reporter, records, failure, end) = (&reporter, &records, &failure, &end);
                scope.spawn(move || {
                    if let Err(error) = one(reporter, stream, sink.as_mut(), records, end) {
                        let mut first = failure.lock().unwrap_or_else(|p| p.into_inner());
                        first.get_or_insert(error);
                        end.set();
                    }
                })
            })
            .collect();
        let began = Instant::now();
        let mut told = began;
        while threads.iter().any(|thread| !thread.is_finished()) {
            if stop.is_set() || length.is_some_and(|length| began.elapsed() >= length) {
                end.set();
            }
            if told.elapsed() >= Duration::from_secs(1) {
                told = Instant::now();
                tell(records.load(Ordering::Relaxed));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let collector = reporter.collector().clone();
    let records = records.into_inner();
    tell(records);
    let failure = match failure.into_inner().unwrap_or_else(|p| p.into_inner()) {
        Some(error @ (CrashTestError::Lost(_) | CrashTestError::Protocol(_))) => {
            return Err(marked(error, mark));
        }
        Some(error) => Some(with_causes(&error)),
        None => None,
    };
    reporter.goodbye(failure.as_deref()).map_err(|error| marked(error, mark))?;
    Ok(Written { run, collector, records, failure })
}

/// Leaves the mark, and adds to the error if that couldn't be done.
fn marked(error: CrashTestError, mark: &dyn Fn() -> Result<(), CrashTestError>) -> CrashTestError {
    match (mark(), error) {
        (Err(failed), CrashTestError::Lost(reason)) => CrashTestError::Lost(format!(
            "{reason}; no mark of that could be left, so don't check this test's records: {}",
            with_causes(&failed)
        )),
        (_, error) => error,
    }
}

fn one(
    reporter: &Reporter,
    stream: u32,
    sink: &mut dyn Sink,
    records: &AtomicU64,
    end: &Stop,
) -> Result<(), CrashTestError> {
    for number in 1.. {
        if !reporter.wait_for_room(stream, number, end)? {
            return Ok(());
        }
        sink.write(number)?;
        reporter.report(stream, number)?;
        records.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

/// The first line of an error and of what is behind it.
fn with_causes(error: &CrashTestError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{}: {said}", text.lines().next().unwrap_or_default());
        }
        cause = inner.source();
    }
    text.lines().next().unwrap_or_default().to_string()
}
