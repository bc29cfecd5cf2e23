//! Figures as OpenMetrics, for the textfile collector of Prometheus' node exporter.

use std::fmt::Write;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use narrows_files::Access;
use narrows_log_tier::State;

use crate::backing::logged::{LoggedDisk, now_ms};
use crate::backing::{Backing, CacheFigures, CacheIndex, DeviceCache, Shards, WarmUp};
use crate::namespace::{Counters, Namespace};
use crate::target::Target;

/// What the text begins with.
pub(crate) const BEGINNING: &str = "# TYPE narrows_target_";

/// A figure of logs: its name, whether it is a counter or a gauge, what it is, where it is.
type LogFigure = (&'static str, &'static str, &'static str, fn(&LoggedDisk) -> f64);

const OF_LOGS: [LogFigure; 11] = [
    ("log_state", "gauge", "0 healthy, 1 degraded (not all media), 2 failed.", |disk| {
        match disk.status().state {
            State::Healthy => 0.0,
            State::Degraded => 1.0,
            State::Failed => 2.0,
        }
    }),
    ("log_media", "gauge", "Media that take records.", |disk| {
        disk.media().keys().filter(|medium| disk.medium_state(**medium).0).count() as f64
    }),
    ("log_capacity_bytes", "gauge", "Room of the log.", |disk| disk.geometry().capacity as f64),
    ("log_used_bytes", "gauge", "Room of records that were not moved.", |disk| {
        disk.status().used_bytes as f64
    }),
    ("log_records", "gauge", "Records that were not moved.", |disk| disk.status().records as f64),
    ("log_oldest_seconds", "gauge", "Age of the oldest of them.", |disk| {
        let oldest = disk.status().oldest_ms;
        oldest.map_or(0.0, |oldest| now_ms().saturating_sub(oldest) as f64 / 1e3)
    }),
    ("log_appended_bytes", "counter", "Bytes written to each medium.", |disk| {
        disk.counters.appended_bytes.load(Ordering::Relaxed) as f64
    }),
    ("log_moved_bytes", "counter", "Bytes moved to the file or device.", |disk| {
        disk.counters.moved_bytes.load(Ordering::Relaxed) as f64
    }),
    ("log_batches", "counter", "Batches in which they were moved, a flush each.", |disk| {
        disk.counters.batches.load(Ordering::Relaxed) as f64
    }),
    ("log_waits_for_room", "counter", "Writes that found the log full.", |disk| {
        disk.counters.waits_for_room.load(Ordering::Relaxed) as f64
    }),
    ("log_backing_errors", "counter", "Batches that the file or device failed.", |disk| {
        disk.counters.backing_errors.load(Ordering::Relaxed) as f64
    }),
];

/// A figure of caches: its name, kind, what it is, where it is.
type CacheFigure = (&'static str, &'static str, &'static str, fn(&CacheFigures) -> u64);

/// Pages are of 4 KiB.
const OF_CACHES: [CacheFigure; 9] = [
    ("cache_used_pages", "gauge", "Pages in the cache.", |of| of.used_pages),
    ("cache_hit_pages", "counter", "Pages of reads answered from the cache.", |of| of.asked.hits),
    ("cache_miss_pages", "counter", "Pages of reads that asked the storage.", |of| of.asked.misses),
    ("cache_admitted_pages", "counter", "Pages that took room.", |of| of.asked.admissions),
    ("cache_evicted_pages", "counter", "Pages that left for others.", |of| of.asked.evictions),
    ("cache_updated_pages", "counter", "Cached pages that took what was written.", |of| {
        of.asked.updates
    }),
    ("cache_invalidated_pages", "counter", "Pages that left because they were changed.", |of| {
        of.asked.invalidations
    }),
    ("cache_overtaken_pages", "counter", "Pages that were written while they were read.", |of| {
        of.asked.overtaken
    }),
    ("cache_refused_pages", "counter", "Pages that found no room.", |of| of.asked.without_room),
];

/// A figure of caches on a file or device: its name, kind, what it is, where it is.
type CacheDeviceFigure = (&'static str, &'static str, &'static str, fn(&DeviceCache) -> u64);

const OF_CACHE_DEVICES: [CacheDeviceFigure; 9] = [
    (
        "cache_device_off",
        "gauge",
        "1 once the cache is off: its device failed, was wrong or slow.",
        |its| u64::from(its.off().is_some()),
    ),
    ("cache_device_written_bytes", "counter", "Bytes written to the cache's device.", |its| {
        its.counters.written_bytes.load(Ordering::Relaxed)
    }),
    ("cache_device_waiting_pages", "gauge", "Pages on their way to it.", |its| {
        its.waiting_pages() as u64
    }),
    (
        "cache_device_dropped_pages",
        "counter",
        "Pages that stayed out because too many waited.",
        |its| its.counters.dropped_pages.load(Ordering::Relaxed),
    ),
    (
        "cache_device_outdated_pages",
        "counter",
        "Pages that lost their place before they were written.",
        |its| its.counters.outdated_pages.load(Ordering::Relaxed),
    ),
    (
        "cache_device_overtaken_reads",
        "counter",
        "Hits that asked the storage: a page's place was given away.",
        |its| its.counters.overtaken_reads.load(Ordering::Relaxed),
    ),
    (
        "cache_device_scattered_reads",
        "counter",
        "Reads that asked the storage: too many places.",
        |its| its.counters.scattered_reads.load(Ordering::Relaxed),
    ),
    (
        "cache_device_wrong_pages",
        "counter",
        "Pages that were not what was written; the storage was asked.",
        |its| its.counters.wrong_pages.load(Ordering::Relaxed),
    ),
    ("cache_device_errors", "counter", "Reads and writes that the cache's device failed.", |its| {
        its.counters.errors.load(Ordering::Relaxed)
    }),
];

/// A figure of caches with an index: its name, kind, what it is, where it is.
type IndexFigure = (&'static str, &'static str, &'static str, fn(&CacheIndex) -> u64);

const OF_INDEXES: [IndexFigure; 3] = [
    ("cache_index_pages", "gauge", "Pages that the index named at the start.", |index| {
        index.counts().0
    }),
    ("cache_warmed_pages", "counter", "Of these, pages that were read again.", |index| {
        index.counts().1
    }),
    ("cache_warming", "gauge", "1 while they are read again.", |index| {
        u64::from(index.warm_up() == WarmUp::Warming)
    }),
];

/// A counter of namespaces: its name, what it counts, where it is.
type NamespaceCounter = (&'static str, &'static str, fn(&Counters) -> &AtomicU64);

const OF_NAMESPACES: [NamespaceCounter; 6] = [
    ("read_commands", "Reads.", |counters| &counters.reads),
    ("read_bytes", "Bytes read.", |counters| &counters.read_bytes),
    ("write_commands", "Writes and Write Zeroes.", |counters| &counters.writes),
    ("written_bytes", "Bytes written.", |counters| &counters.written_bytes),
    ("flush_commands", "Flushes.", |counters| &counters.flushes),
    ("storage_errors", "Commands that the storage failed.", |counters| &counters.errors),
];

/// Whether metrics may take the place of what is at a path: of nothing, or of metrics.
///
/// # Errors
/// What is there.
pub(crate) fn check_place(path: &Path) -> Result<(), String> {
    let mut begin = [0; BEGINNING.len()];
    let read = match narrows_files::open_existing(path, Access::Read) {
        Ok(file) => file.read_at(&mut begin, 0).map_err(|error| error.to_string())?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let there = folder.is_none_or(Path::is_dir);
            return if there { Ok(()) } else { Err("its folder isn't there".to_string()) };
        }
        Err(error) => return Err(error.to_string()),
    };
    if read == 0 || begin[..read] == *BEGINNING.as_bytes() {
        return Ok(());
    }
    Err("something else is there, which they would take the place of".to_string())
}

/// All figures.
pub(crate) fn text(target: &Target, connections: usize) -> String {
    let mut text = String::new();
    // Writing to a String does not fail.
    let mut family = |name: &str, kind: &str, help: &str, samples: Vec<(String, String)>| {
        let _ = writeln!(text, "# TYPE narrows_target_{name} {kind}");
        let _ = writeln!(text, "# HELP narrows_target_{name} {help}");
        let suffix = if kind == "counter" { "_total" } else { "" };
        for (labels, value) in samples {
            let _ = writeln!(text, "narrows_target_{name}{suffix}{labels} {value}");
        }
    };
    for (name, help, counter) in OF_NAMESPACES {
        let mut samples = Vec::new();
        for subsystem in target.subsystems.values() {
            for namespace in subsystem.namespaces.values() {
                let labels =
                    format!("{{subsystem=\"{}\",nsid=\"{}\"}}", subsystem.nqn, namespace.number);
                let value = counter(&namespace.counters).load(Ordering::Relaxed);
                samples.push((labels, value.to_string()));
            }
        }
        family(name, "counter", help, samples);
    }
    for (name, kind, help, figure) in OF_LOGS {
        let mut samples = Vec::new();
        for subsystem in target.subsystems.values() {
            for namespace in subsystem.namespaces.values() {
                let Backing::Logged(disk) = &namespace.backing else { continue };
                let labels =
                    format!("{{subsystem=\"{}\",nsid=\"{}\"}}", subsystem.nqn, namespace.number);
                samples.push((labels, figure(disk).to_string()));
            }
        }
        if !samples.is_empty() {
            family(name, kind, help, samples);
        }
    }
    let caches = figures_of_caches(target);
    for (name, kind, help, figure) in OF_CACHES.iter().filter(|_| !caches.is_empty()) {
        let sample =
            |(labels, of): &(String, CacheFigures)| (labels.clone(), figure(of).to_string());
        family(name, kind, help, caches.iter().map(sample).collect());
    }
    if !caches.is_empty() {
        let room = |(labels, cache): (String, &Shards)| {
            (format!("{{{labels}}}"), cache.pages().to_string())
        };
        let samples = caches_of(target).into_iter().map(room).collect();
        family("cache_pages", "gauge", "Pages that the cache has room for.", samples);
    }
    for (name, kind, help, figure) in OF_INDEXES {
        let samples = samples_of(target, |its| its.cache_index.as_ref().map(figure));
        if !samples.is_empty() {
            family(name, kind, help, samples);
        }
    }
    for (name, kind, help, figure) in OF_CACHE_DEVICES {
        let samples = samples_of(target, |its| its.device_cache.as_deref().map(figure));
        if !samples.is_empty() {
            family(name, kind, help, samples);
        }
    }
    let curves = curves_of_caches(target);
    if !curves.is_empty() {
        let help = "Pages of reads that a cache so many times as large would miss (LRU; median of samples, and their range).";
        family("cache_lru_miss_ratio", "gauge", help, curves);
    }
    let cpu = target.threads.counters.iter().enumerate().map(|(index, counters)| {
        let seconds = counters.cpu_ns.load(Ordering::Relaxed) as f64 / 1e9;
        (format!("{{thread=\"{index}\"}}"), format!("{seconds:.6}"))
    });
    family("cpu_seconds", "counter", "CPU time of each thread.", cpu.collect());
    for (name, help, counter) in [
        ("authentications", "Queues whose host proved who it is.", &target.authenticated),
        (
            "authentication_failures",
            "Attempts to authenticate that failed.",
            &target.authentication_failures,
        ),
        ("tls_handshakes", "Connections whose host proved its key of TLS.", &target.tls.handshakes),
        ("tls_failures", "Handshakes of TLS that failed.", &target.tls.failures),
    ] {
        let value = counter.load(Ordering::Relaxed).to_string();
        family(name, "counter", help, vec![(String::new(), value)]);
    }
    let controllers = target.alive().len().to_string();
    family("controllers", "gauge", "Controllers now.", vec![(String::new(), controllers)]);
    let connections = connections.to_string();
    family("connections", "gauge", "Connections now.", vec![(String::new(), connections)]);
    let encrypted = target.tls.now.load(Ordering::Relaxed).to_string();
    let help = "Connections now that are encrypted (TLS).";
    family("tls_connections", "gauge", help, vec![(String::new(), encrypted)]);
    text.push_str("# EOF\n");
    text
}

/// Figures of each range of each cache, with its labels.
fn figures_of_caches(target: &Target) -> Vec<(String, CacheFigures)> {
    let figures = |(labels, cache): (String, &Shards)| {
        let labelled = move |of: CacheFigures| (format!("{{{labels},range=\"{}\"}}", of.range), of);
        cache.figures().into_iter().map(labelled).collect::<Vec<_>>()
    };
    caches_of(target).into_iter().flat_map(figures).collect()
}

/// What caches of other sizes would miss, with the labels of range, size and bound.
fn curves_of_caches(target: &Target) -> Vec<(String, String)> {
    let mut curves = Vec::new();
    for (labels, cache) in caches_of(target) {
        for (number, of) in cache.figures().into_iter().enumerate() {
            for times in [0.25, 0.5, 1.0, 2.0, 4.0] {
                let Some(ratio) = cache.would_miss(number, times) else { continue };
                let bounds = [("median", ratio.median), ("low", ratio.low), ("high", ratio.high)];
                for (bound, value) in bounds {
                    let range = &of.range;
                    let more = format!("range=\"{range}\",times=\"{times}\",bound=\"{bound}\"");
                    curves.push((format!("{{{labels},{more}}}"), format!("{value:.6}")));
                }
            }
        }
    }
    curves
}

/// A figure of each namespace that has one, with its labels.
fn samples_of(
    target: &Target,
    figure: impl Fn(&Namespace) -> Option<u64>,
) -> Vec<(String, String)> {
    let mut samples = Vec::new();
    for subsystem in target.subsystems.values() {
        for namespace in subsystem.namespaces.values() {
            if let Some(figure) = figure(namespace) {
                let (nqn, number) = (&subsystem.nqn, namespace.number);
                let labels = format!("{{subsystem=\"{nqn}\",nsid=\"{number}\"}}");
                samples.push((labels, figure.to_string()));
            }
        }
    }
    samples
}

/// Caches with the labels of their namespaces.
fn caches_of(target: &Target) -> Vec<(String, &Shards)> {
    let mut caches = Vec::new();
    for subsystem in target.subsystems.values() {
        for namespace in subsystem.namespaces.values() {
            if let Some(cache) = namespace.cache_shards() {
                let (nqn, number) = (&subsystem.nqn, namespace.number);
                caches.push((format!("subsystem=\"{nqn}\",nsid=\"{number}\""), cache));
            }
        }
    }
    caches
}

/// I/O commands so far.
pub(crate) fn commands(target: &Target) -> u64 {
    let namespaces = target.subsystems.values().flat_map(|subsystem| subsystem.namespaces.values());
    namespaces
        .map(|namespace| {
            let counters = &namespace.counters;
            [&counters.reads, &counters.writes, &counters.flushes]
                .into_iter()
                .map(|counter| counter.load(Ordering::Relaxed))
                .sum::<u64>()
        })
        .sum()
}
