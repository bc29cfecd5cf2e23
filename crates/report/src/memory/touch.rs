//! Touching a pool of shared memory: what a server's start waits for, carried on to a terabyte.

use narrows_model::{Run, Unit, condition, metric};

use super::{marked, significant_ns, usable};
use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{Units, half_width, plus_minus, size};

const WAYS: [(&str, &str); 3] =
    [("4k", "4 KiB pages"), ("2m", "2 MiB pages"), ("2m_transparent", "2 MiB, transparent")];
const TERABYTE: f64 = 1e12;

/// The table; `None` where no pool was touched.
pub(super) fn view(run: &Run, units: Units) -> Option<AnnotatedTable> {
    let mut rows = Vec::new();
    let mut bytes = None;
    let mut best: Option<(f64, String)> = None;
    let mut worst: Option<(f64, String)> = None;
    for (kind, name) in WAYS {
        for by in ["one", "all"] {
            let Some(m) = usable(run, &format!("memory.touch.{kind}.{by}")) else { continue };
            let Some(bandwidth) = m.metric(metric::BANDWIDTH) else { continue };
            bytes = bytes.or(m.number(condition::BYTES));
            let processes = m.number(condition::PROCESSES).unwrap_or(1.0) as usize;
            let processes = match processes {
                1 => "1 process".to_string(),
                n => format!("{n} processes"),
            };
            let name = format!("{name}, {processes}");
            let seconds = TERABYTE / bandwidth.value;
            if best.as_ref().is_none_or(|(least, _)| seconds < *least) {
                best = Some((seconds, name.clone()));
            }
            if worst.as_ref().is_none_or(|(most, _)| seconds > *most) {
                worst = Some((seconds, name.clone()));
            }
            let cost = m.value(metric::COST).map_or("-".to_string(), significant_ns);
            let page = m.number(condition::PAGE_BYTES).map_or(String::new(), size);
            rows.push(Row::figures(
                name,
                [
                    marked(units.quantity(bandwidth.value, Unit::BytesPerS), [m]),
                    half_width(bandwidth.interval_95.as_ref()).map_or("-".to_string(), plus_minus),
                    cost,
                    long(seconds),
                ],
                format!("a page fault brings {page}"),
            ));
        }
    }
    let over = bytes.map_or(String::new(), |bytes| format!("  {} touched", size(bytes)));
    let mut sentences = Vec::new();
    if let (Some((best, how)), Some((worst, slow))) = (best, worst)
        && rows.len() > 1
    {
        sentences.push(format!(
            "A pool of 1 TB is touched in {} ({how}) to {} ({slow}), as long as free pages are found as easily as now; the first to touch a page waits for it, so a pool that is not touched at start makes its sessions wait.",
            long(best),
            long(worst)
        ));
    }
    (!rows.is_empty()).then(|| AnnotatedTable {
        table: Table::figures(
            format!("TOUCHING A POOL{over}"),
            ["rate", "±95%", "a page", "1 TB takes"],
            rows,
        ),
        sentences,
    })
}

/// `95 s`, `12 min`, `2.3 h`
fn long(seconds: f64) -> String {
    let three = |value: f64| narrows_units::significant(value, 2);
    match seconds {
        s if s < 120.0 => format!("{} s", three(s)),
        s if s < 7200.0 => format!("{} min", three(s / 60.0)),
        s => format!("{} h", three(s / 3600.0)),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn long_times_have_their_own_units() {
        assert_eq!(super::long(95.2), "95 s");
        assert_eq!(super::long(700.0), "12 min");
        assert_eq!(super::long(8280.0), "2.3 h");
    }
}
