//! The order-entry mix: new orders per minute, each class of transactions, and the recovery check.

use narrows_model::{Key, Measurement, Metric, Run, Validity, condition, metric, orders as names};
use narrows_units::significant;

use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{Units, count, percent, rate, time};
use crate::words::counted;

/// The mix as it was run, closed and open loop, and the recovery check.
pub(crate) fn views(run: &Run) -> Vec<AnnotatedTable> {
    let open = format!("{}.open", names::ID);
    let recovery = format!("{}.recovery", names::ID);
    let of = |id: &str| run.measurement(id);
    let mixes = [of(names::ID), of(&open)].into_iter().flatten().map(mix);
    mixes.chain(of(&recovery).map(crash)).collect()
}

fn mix(m: &Measurement) -> AnnotatedTable {
    let columns = ["rate", "median", "p90", "p99", "p90 allowed"];
    let table =
        Table::figures(title(m), columns, (0..names::CLASSES.len()).map(|class| row(m, class)));
    let mut sentences = vec![how(m)];
    sentences.extend(conflicts(m));
    sentences.extend(derived(m));
    AnnotatedTable { table, sentences }
}

fn text(m: &Measurement, key: Key<str>) -> Option<&str> {
    m.workload.get(key)
}

/// What the figures must not be taken for.
fn derived(m: &Measurement) -> Option<String> {
    text(m, condition::DERIVED).map(str::to_string)
}

fn title(m: &Measurement) -> String {
    let mut title = match m.value(names::NEW_ORDERS_PER_MIN) {
        Some(rate) => format!("ORDERS  {} new orders/min", significant(rate, 4)),
        None => "ORDERS".to_string(),
    };
    title += invalid(m);
    if let Some(n) = m.number(condition::WAREHOUSES) {
        title += &format!(", {}", counted(n as usize, "warehouse"));
    }
    if let Some(n) = m.value(metric::SESSIONS) {
        title += &format!(", {}", counted(n as usize, "session"));
    }
    title + if text(m, condition::LOOP) == Some("open") { ", open loop" } else { ", closed loop" }
}

/// `functions of the server; read committed; all warehouses alike; saturating, no pauses; 10 touched; 1.2 GB of tables`.
fn how(m: &Measurement) -> String {
    let mut said: Vec<String> =
        [condition::CALLED_BY, condition::ISOLATION, condition::HOMES, condition::PACING]
            .into_iter()
            .filter_map(|key| text(m, key).map(str::to_string))
            .collect();
    if let Some(touched) = m.value(names::WAREHOUSES_TOUCHED) {
        said.push(format!("{} touched", counted(touched as usize, "warehouse")));
    }
    if let Some(bytes) = m.number(condition::WORKING_SET_BYTES) {
        let share = |key: Key<f64>, of: &str| {
            m.number(key).map(|share| format!(" ({} of {of})", percent(share))).unwrap_or_default()
        };
        said.push(format!(
            "{} of tables{}{}",
            Units::Si.bytes(bytes),
            share(condition::WORKING_SET_OF_POOL, "the pool"),
            share(condition::WORKING_SET_OF_MEMORY, "the memory")
        ));
    }
    said.join("; ")
}

fn invalid(m: &Measurement) -> &'static str {
    match m.validity {
        Validity::Valid => "",
        Validity::Suspect => " ?",
        Validity::Invalid => " INVALID",
    }
}

fn row(m: &Measurement, class: usize) -> Row {
    let timed = |name: Metric| m.value(name).map_or_else(|| "-".to_string(), time);
    Row::figures(
        names::CLASSES[class].replace('_', " "),
        [
            m.value(names::RATES[class]).map_or_else(|| "-".to_string(), rate),
            timed(names::P50[class]),
            timed(names::P90[class]),
            timed(names::P99[class]),
            time(names::LIMIT_P90_NS[class]),
        ],
        match class {
            0 => rolled_back(m),
            _ => String::new(),
        },
    )
}

fn rolled_back(m: &Measurement) -> String {
    m.value(names::ROLLED_BACK)
        .map_or_else(String::new, |share| format!("{} rolled back, as intended", percent(share)))
}

/// What conflicts did, where there were some.
fn conflicts(m: &Measurement) -> Option<String> {
    let number = |name: Metric| m.value(name).unwrap_or(0.0);
    let (failures, deadlocks) = (number(names::SERIALIZATION_FAILURES), number(names::DEADLOCKS));
    (failures + deadlocks > 0.0).then(|| {
        let retries = count(number(names::RETRIES));
        format!(
            "{} serialization failures and {} deadlocks in a window, {retries} retries",
            count(failures),
            count(deadlocks)
        )
    })
}

fn crash(m: &Measurement) -> AnnotatedTable {
    let number = |name: Metric| m.value(name).map_or_else(|| "-".to_string(), count);
    let columns = ["acknowledged", "lost", "conditions violated", "up again after"];
    let table = Table::figures(
        format!("RECOVERY{}  the server was killed under the mix and started again", invalid(m)),
        columns,
        [Row::figures(
            "orders",
            [
                number(names::ACKNOWLEDGED),
                number(names::LOST),
                number(names::VIOLATED),
                m.value(names::RECOVERY_TIME).map_or_else(|| "-".to_string(), time),
            ],
            "",
        )],
    );
    let sentences = [text(m, condition::SAYS).map(str::to_string), derived(m)];
    AnnotatedTable { table, sentences: sentences.into_iter().flatten().collect() }
}

#[cfg(test)]
mod tests {
    use narrows_model::{Layer, MetricValue, Plan, Platform};

    use super::*;
    use crate::{Report, csv};

    fn run() -> Run {
        let mut m = Measurement::new(names::ID, Layer::Database);
        let mut set = |name: Metric, value: f64| {
            m.metrics.push(MetricValue::new(name, value, None, vec![value]));
        };
        set(names::NEW_ORDERS_PER_MIN, 12_341.0);
        set(metric::SESSIONS, 8.0);
        for class in 0..5 {
            set(names::RATES[class], 100.0 + class as f64);
            set(names::P90[class], 3e6);
        }
        set(names::ROLLED_BACK, 0.01);
        set(names::SERIALIZATION_FAILURES, 7.0);
        m.workload.insert(condition::WAREHOUSES, 10);
        m.workload.insert(condition::CALLED_BY, "functions of the server");
        m.workload.insert(condition::ISOLATION, "repeatable read");
        m.workload.insert(condition::DERIVED, names::DERIVED);
        let mut run = Run::blank(Plan::default(), Platform::default());
        run.measurements.push(m);
        run
    }

    #[test]
    fn the_mix_is_told_with_where_it_comes_from() {
        let view = &views(&run())[0];
        let table = &view.table;
        assert!(
            table.title.starts_with("ORDERS  12340 new orders/min, 10 warehouses, 8 sessions"),
            "{}",
            table.title
        );
        assert_eq!(table.rows.len(), 5);
        assert!(view.sentences[1].contains("7 serialization failures"), "{:?}", view.sentences);
        let report = Report::new(&run(), Units::Si);
        let notice = "compare with no published ones";
        assert!(view.sentences.iter().any(|said| said.contains(notice)), "{:?}", view.sentences);
        assert!(csv(&report).contains(notice));
    }
}
