//! Figures as OpenMetrics, for the textfile collector of Prometheus' node exporter.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::namespace::Counters;
use crate::target::Target;

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
    ] {
        let value = counter.load(Ordering::Relaxed).to_string();
        family(name, "counter", help, vec![(String::new(), value)]);
    }
    let controllers = target.alive().len().to_string();
    family("controllers", "gauge", "Controllers now.", vec![(String::new(), controllers)]);
    let connections = connections.to_string();
    family("connections", "gauge", "Connections now.", vec![(String::new(), connections)]);
    text.push_str("# EOF\n");
    text
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
