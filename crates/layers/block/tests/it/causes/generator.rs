//! The generator is the narrow place, or waits where it should not.

use narrows_engine::Arrivals;
use narrows_io::{Access, Entropy, Method, Options};
use narrows_layer_block::{Load, Region, Route, Stream};
use narrows_model::{Measurement, Metric, Severity, metric};

use crate::causes::bench::{ENOUGH, bench, caught, counted, reads, silent};

#[test]
fn a_generator_without_time_left_is_suspect() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    // A device that answers at once leaves nothing to wait for.
    let stream = Stream { access: Access::null(), threads: 1, ..reads(Region::of(&file)) };
    // Others may take the processor from the generator, which is then not busy but kept waiting.
    for _ in 0..10 {
        let measurement = bench.windows(&stream, 1);
        if measurement.value(metric::GENERATOR_BUSY).is_some_and(|busy| busy > 0.9) {
            caught(&bench.judged(measurement), "generator-bound", Severity::Suspect);
            return;
        }
    }
    eprintln!("SKIPPED: others took the processors in each of ten tries");
}

fn aio(region: Region, route: Route) -> Option<Stream> {
    let access = Access::named(Method::Aio, Options::default());
    if access.method() != Method::Aio {
        eprintln!("SKIPPED: no Linux AIO: {:?}", access.refusals());
        return None;
    }
    Some(Stream { access, threads: 1, load: Load::Closed { depth: 8 }, route, ..reads(region) })
}

#[test]
fn linux_aio_through_the_page_cache_is_invalid_and_seen_to_block() {
    let Some(mut bench) = bench() else { return };
    // Of so many blocks a drive that answers in 16 µs leaves none unread in such a window.
    bench.length = std::time::Duration::from_millis(100);
    let Some(file) = bench.file(48, Entropy::default()) else { return };
    let Some(stream) = aio(Region::of(&file), Route::Buffered) else { return };
    let evict = || narrows_facts::file::evict(file.buffered_file()).unwrap();
    evict();
    let some = counted(stream.clone(), ENOUGH);
    let found = bench.judged(bench.windows(&some, 1));
    caught(&found, "asynchronous-in-name", Severity::Invalid);
    // A drive that is as fast as memory, or a host that has the file in its own, leaves nothing to sleep for.
    let sleeps = |m: &Measurement| {
        let value = |name: Metric| m.value(name).unwrap_or(0.0);
        let submitting = value(metric::SUBMIT_PER_OP) * value(metric::THROUGHPUT) / 1e9;
        submitting > 0.5 && submitting > 1.5 * value(metric::GENERATOR_BUSY)
    };
    let slept =
        bench.window_where(&stream, evict, "blocked the load generator: queue depth", sleeps);
    let Some(slept) = slept else { return };
    caught(&bench.judged(slept), "submission-blocks", Severity::Suspect);
}

#[test]
fn linux_aio_on_a_file_open_for_direct_io_is_what_it_says() {
    let Some(bench) = bench() else { return };
    let Some(file) = bench.file(16, Entropy::default()) else { return };
    let Some(stream) = aio(Region::of(&file), Route::Direct) else { return };
    silent(&bench.judged(bench.windows(&counted(stream, ENOUGH), 1)), "asynchronous-in-name");
}

#[test]
fn a_rate_that_was_not_offered_is_invalid() {
    let Some(mut bench) = bench() else { return };
    // Room in flight is taken from what the machine has for everybody (fs.aio-max-nr), so a short window.
    bench.length = std::time::Duration::from_millis(100);
    let Some(file) = bench.file(48, Entropy::default()) else { return };
    let Some(stream) = aio(Region::of(&file), Route::Buffered) else { return };
    // A generator that sleeps while it submits can't send in time, though it may have more in flight than are due before
    // the window ends.
    let load =
        Load::Open { rate_per_s: 100e3, arrivals: Arrivals::Constant, most_in_flight: 13_000 };
    // A drive that stands still for half a second makes more due than may be in flight: then what waits is the drive's doing.
    let evict = || narrows_facts::file::evict(file.buffered_file()).unwrap();
    // One that comes to run late hands over all that is due at once, and has sent it.
    let free = |m: &Measurement| {
        let sent_less =
            m.value(metric::SENT_RATE) < m.value(metric::ASKED_RATE).map(|per_s| 0.9 * per_s);
        m.value(metric::HELD) == Some(0.0) && sent_less
    };
    let stream = Stream { load, ..stream };
    let measured =
        bench.window_where(&stream, evict, "had room in flight and a generator that slept", free);
    let Some(measured) = measured else { return };
    caught(&bench.judged(measured), "rate-not-offered", Severity::Invalid);
}
