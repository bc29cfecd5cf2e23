//! What reading the time costs by each way, and what that adds to a database that times itself.

use narrows_model::{Layer, Run, metric};
use narrows_units::significant;

use super::{significant_ns, usable};
use crate::document::{AnnotatedTable, Row, Table};

const WAYS: [(&str, &str); 3] = [
    ("clock.vdso", "C library (vDSO)"),
    ("clock.syscall", "system call"),
    ("clock.tsc", "the CPU's counter"),
];
/// Rows through one node of a plan.
const ROWS: f64 = 10e6;
/// Clock sources that user space can't read.
const SLOW: [&str; 5] = ["xen", "hpet", "acpi_pm", "jiffies", "pit"];

/// The table; `None` where clocks were not what was asked for.
pub(super) fn view(run: &Run) -> Option<AnnotatedTable> {
    if run.plan.layers != [Layer::Clock, Layer::Memory] {
        return None;
    }
    let rows = WAYS.iter().filter_map(|(id, name)| {
        let m = usable(run, id)?;
        let step = match (
            m.number(narrows_model::condition::SMALLEST_STEP_NS),
            m.number(narrows_model::condition::SMALLEST_STEP_TICKS),
        ) {
            (Some(ns), _) => significant_ns(ns),
            (None, Some(ticks)) => match m.number(narrows_model::condition::TICKS_HZ) {
                Some(hz) => significant_ns(ticks * 1e9 / hz),
                None => format!("{ticks} ticks"),
            },
            _ => "-".to_string(),
        };
        let errors = m.metric(metric::ERRORS).map(|errors| errors.samples.iter().sum::<f64>());
        let compared = m.number(narrows_model::condition::CPUS_COMPARED).unwrap_or(0.0);
        Some(Row::figures(
            *name,
            [
                m.value(metric::COST).map_or("-".to_string(), significant_ns),
                step,
                errors.map_or("-".to_string(), |errors| format!("{errors:.0}")),
            ],
            match compared {
                0.0 => "one CPU, nothing to compare with".to_string(),
                n => format!("{n:.0} CPUs compared"),
            },
        ))
    });
    let table = Table::figures("READING THE TIME", ["costs", "least step", "went back"], rows);
    let sentences = [source(run), adds(run)].into_iter().flatten().collect();
    (!table.rows.is_empty()).then_some(AnnotatedTable { table, sentences })
}

/// The kernel's clock source, and what its choice means.
fn source(run: &Run) -> Option<String> {
    let m = usable(run, "clock.vdso")?;
    let source = m.text(narrows_model::condition::CLOCK_SOURCE)?;
    let all = m.text(narrows_model::condition::CLOCK_SOURCES_AVAILABLE).unwrap_or(source);
    let others: Vec<&str> = all.split_whitespace().filter(|other| *other != source).collect();
    let of = match others[..] {
        [] => String::new(),
        _ => format!(" (there are also {})", others.join(", ")),
    };
    let why = if SLOW.contains(&source) {
        "programs cannot read it, so each reading is a system call and an access to a chip or the hypervisor; `dmesg | grep -i clocksource` says why the CPU's counter was not used"
    } else if source == "tsc" {
        "the CPU's counter, which the kernel found stable; programs read it without a system call"
    } else if others.contains(&"tsc") {
        "programs read it without a system call; the CPU's counter is there, and the kernel prefers the hypervisor's clock, which continues when the machine is migrated"
    } else {
        "programs read it without a system call where the vDSO supports it"
    };
    Some(format!("Clock source {source}{of}: {why}."))
}

/// EXPLAIN ANALYZE reads the clock twice for each row of each node of the plan.
fn adds(run: &Run) -> Option<String> {
    let ns = usable(run, "clock.vdso")?.value(metric::COST)?;
    let slow = usable(run, "clock.syscall")?.value(metric::COST)?;
    let adds = |ns: f64| format!("{} s", significant(2.0 * ROWS * ns / 1e9, 2));
    Some(format!(
        "EXPLAIN ANALYZE reads it twice per row of each plan node: ten million rows through one node take {} longer here ({} if each reading were a system call); TIMING OFF avoids it. track_io_timing and timed waits pay two readings each, {}.",
        adds(ns),
        adds(slow),
        significant_ns(2.0 * ns)
    ))
}
