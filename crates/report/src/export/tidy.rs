//! Runs as one table: a row for each figure and one for each of its repeats.

use narrows_model::{Better, Measurement, MetricValue, Run, Unit, Validity};
use narrows_units::shown_cell;
use serde::Serialize;

use super::host;

/// Columns, in their order.
pub(super) const COLUMNS: [&str; 14] = [
    "run",
    "started_at",
    "host",
    "layer",
    "measurement",
    "validity",
    "metric",
    "unit",
    "better",
    "repeat",
    "value",
    "low_95",
    "high_95",
    "workload",
];

/// A figure, or one of its repeats.
pub(super) struct TidyRow<'a> {
    pub run: &'a Run,
    pub measurement: &'a Measurement,
    pub figure: &'a MetricValue,
    /// From 1; `None` for the figure itself.
    pub repeat: Option<u32>,
    /// In the run file's unit.
    pub value: f64,
    /// 95 % interval of the figure itself.
    pub interval_95: Option<(f64, f64)>,
}

impl TidyRow<'_> {
    /// The cells that are texts, by their columns.
    pub(super) fn text(&self, column: &str) -> String {
        let m = self.measurement;
        match column {
            "run" => self.run.id.clone(),
            "started_at" => self.run.started_at.clone(),
            "host" => host(self.run).to_string(),
            "layer" => m.layer.word().to_string(),
            "measurement" => m.id.to_string(),
            "validity" => word::<Validity>(&m.validity),
            "metric" => self.figure.name.clone(),
            "unit" => word::<Unit>(&self.figure.unit),
            "better" => word::<Better>(&self.figure.better),
            _ => {
                let each = m.workload.iter().map(|(key, value)| format!("{key}={value}"));
                each.collect::<Vec<_>>().join("; ")
            }
        }
    }
}

fn word<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default().trim_matches('"').to_string()
}

/// All rows, in the order of runs, measurements and metrics; the figure itself before its repeats.
pub(super) fn rows(runs: &[Run]) -> impl Iterator<Item = TidyRow<'_>> {
    runs.iter().flat_map(|run| {
        run.measurements.iter().flat_map(move |measurement| {
            measurement.metrics.iter().flat_map(move |figure| {
                let row = move |repeat, value, interval_95| TidyRow {
                    run,
                    measurement,
                    figure,
                    repeat,
                    value,
                    interval_95,
                };
                let ends =
                    figure.interval_95.as_ref().map(|interval| (interval.low, interval.high));
                let repeats = (1..).zip(&figure.samples);
                std::iter::once(row(None, figure.value, ends))
                    .chain(repeats.map(move |(at, value)| row(Some(at), *value, None)))
            })
        })
    })
}

/// The table as CSV (RFC 4180): the figure itself has no repeat. Values are in the run file's units.
pub fn tidy(runs: &[Run]) -> String {
    let mut text = COLUMNS.join(",") + "\r\n";
    for row in rows(runs) {
        let end = |end: Option<f64>| end.map_or(String::new(), |end| end.to_string());
        let cells = COLUMNS.map(|column| match column {
            "repeat" => row.repeat.map_or(String::new(), |repeat| repeat.to_string()),
            "value" => row.value.to_string(),
            "low_95" => end(row.interval_95.map(|(low, _)| low)),
            "high_95" => end(row.interval_95.map(|(_, high)| high)),
            column => row.text(column),
        });
        text += &(cells.map(|cell| shown_cell(&cell).to_string()).join(",") + "\r\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn a_figure_and_each_of_its_repeats_have_a_row() {
        let text = tidy(&[run()]);
        let rows: Vec<&str> = text.split("\r\n").filter(|row| !row.is_empty()).collect();
        // The head, two figures, three repeats.
        assert_eq!(rows.len(), 6, "{text}");
        assert_eq!(rows[0].split(',').count(), COLUMNS.len());
        assert!(text.contains(",latency_p99,ns,less,2,3000000,"), "{text}");
    }
}
