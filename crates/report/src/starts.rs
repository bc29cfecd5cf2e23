//! A workload over several starts of the server, and what a start does to its rate.

use narrows_model::{Run, Starts, StartsSpread, Unit, Validity, condition, metric};

use crate::document::{AnnotatedTable, Row, Table};
use crate::print::{Units, change, half_width, percent, plus_minus};
use crate::words;

/// From which chance on a difference is no more than windows explain.
const BY_CHANCE: f64 = 0.05;

/// All of a run.
pub(crate) fn starts(run: &Run, units: Units) -> impl Iterator<Item = AnnotatedTable> {
    run.starts.iter().map(move |starts| view(run, starts, units))
}

fn view(run: &Run, starts: &Starts, units: Units) -> AnnotatedTable {
    let rate = |value: f64| units.quantity(value, starts.unit);
    let mean = starts.spread.as_ref().map(|spread| spread.rate_per_s.value);
    let dash = || "-".to_string();
    let rows = starts.starts.iter().enumerate().map(|(index, start)| {
        let m = run.measurement(&start.measurement);
        let name =
            if starts.unit == Unit::BytesPerS { metric::BANDWIDTH } else { metric::THROUGHPUT };
        let interval = m.and_then(|m| m.metric(name)?.interval_95.as_ref());
        let off = mean.map(|mean| change(start.rate_per_s / mean - 1.0));
        let suspect = m.is_some_and(|m| m.validity == Validity::Suspect);
        Row::figures(
            number(&start.measurement)
                .map_or_else(|| format!("start {}", index + 1), |number| format!("start {number}")),
            [
                rate(start.rate_per_s),
                half_width(interval).map_or_else(dash, plus_minus),
                off.unwrap_or_else(dash),
            ],
            if suspect { "? suspect".to_string() } else { String::new() },
        )
    });
    let first = starts.starts.first().and_then(|start| run.measurement(&start.measurement));
    let workers = first.and_then(|m| m.number(condition::WORKERS)).map(|n| n as u32);
    let table = Table::figures(
        format!("BY STARTS  {}", words::workload(&starts.workload, workers)),
        ["rate", "±95%", "off mean"],
        rows,
    );
    let sentences = match (&starts.spread, &starts.no_spread) {
        (Some(spread), _) => in_words(spread, rate),
        (None, Some(why)) => vec![format!("No statement about further starts: {why}.")],
        (None, None) => Vec::new(),
    };
    AnnotatedTable { table, sentences }
}

/// Which start a measurement is of, where its id says it.
fn number(id: &str) -> Option<u32> {
    id.rsplit_once(".start_")?.1.parse().ok()
}

fn in_words(spread: &StartsSpread, rate: impl Fn(f64) -> String) -> Vec<String> {
    let (low, high) = spread.rate_per_s.interval_95;
    let (from, to) = spread.next_95;
    let mean = format!(
        "Over {} starts {} (95 %: {} to {}); one more start lies between {} and {} in 95 of 100 cases.",
        spread.starts,
        rate(spread.rate_per_s.value),
        rate(low),
        rate(high),
        rate(from),
        rate(to)
    );
    let within = percent(spread.within);
    let differ = if spread.p_value < BY_CHANCE {
        format!(
            "Starts differ by {} more than windows of one start do, {within} (standard deviations): one start is not enough.",
            percent(spread.between)
        )
    } else {
        format!(
            "Whether starts differ cannot be told from the spread of windows within one start, {within} (standard deviation)."
        )
    };
    vec![mean, differ]
}

#[cfg(test)]
mod tests {
    use narrows_model::{OneStart, Plan, Platform, Ranged};

    use super::*;

    fn said(spread: Option<StartsSpread>, no_spread: Option<&str>, unit: Unit) -> (Table, String) {
        let start = |id: &str, rate_per_s| OneStart { rate_per_s, measurement: id.into() };
        let starts = Starts {
            workload: "update".into(),
            unit,
            starts: vec![
                start("database.update", 900.0),
                start("database.update.start_2", 1000.0),
                start("database.update.start_4", 1100.0),
            ],
            spread,
            no_spread: no_spread.map(String::from),
        };
        let run = Run { starts: vec![starts], ..Run::blank(Plan::default(), Platform::default()) };
        let view = super::starts(&run, Units::Si).next().unwrap();
        (view.table, view.sentences.join(" "))
    }

    fn spread(p_value: f64) -> StartsSpread {
        StartsSpread {
            starts: 3,
            rate_per_s: Ranged { value: 1000.0, interval_95: (750.0, 1250.0) },
            next_95: (500.0, 1500.0),
            between: 0.1,
            within: 0.02,
            p_value,
        }
    }

    #[test]
    fn each_start_has_its_row_by_its_own_number() {
        let (table, text) = said(Some(spread(0.001)), None, Unit::OpsPerS);
        let names = [0, 1, 2].map(|row| table.texts(row)[0].clone());
        assert_eq!(names, ["start 1", "start 2", "start 4"]);
        assert_eq!(table.texts(0)[1..], ["900/s", "-", "-10 %"]);
        assert!(text.starts_with("Over 3 starts 1.00k/s (95 %: 750/s to 1.25k/s)"), "{text}");
        assert!(text.contains("differ by 10 % more than windows"), "{text}");
    }

    #[test]
    fn what_chance_explains_is_no_difference() {
        let (_, text) = said(Some(spread(0.3)), None, Unit::OpsPerS);
        assert!(text.contains("cannot be told"), "{text}");
    }

    #[test]
    fn without_figures_it_says_why_and_scans_are_bytes() {
        let (table, text) = said(None, Some("it takes 3 starts"), Unit::BytesPerS);
        assert_eq!(text, "No statement about further starts: it takes 3 starts.");
        assert_eq!(table.texts(1)[1..], ["1.00 kB/s", "-", "-"]);
    }
}
