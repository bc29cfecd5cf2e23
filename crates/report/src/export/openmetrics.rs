//! Runs for a collector: gauges in base units.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use narrows_model::{MetricValue, Run, Unit, Validity};
use narrows_units::shown_screen;

use super::host;

/// The runs as OpenMetrics, which a collector of text files (`node_exporter`) reads too: gauges in base units, with the measurement and the
/// run as labels. Of several runs of one host the newest should be named alone: a collector takes each label set once.
///
/// Source of the format: OpenMetrics 1.0, text format.
pub fn openmetrics(runs: &[Run]) -> String {
    let mut families: BTreeMap<String, Family> = BTreeMap::new();
    for run in runs {
        let of_run = labels(&[("host", host(run)), ("run", &run.id)]);
        for m in &run.measurements {
            let of = labels(&[
                ("host", host(run)),
                ("layer", m.layer.word()),
                ("measurement", &m.id),
                ("run", &run.id),
            ]);
            for value in &m.metrics {
                let (unit, factor) = base(value.unit);
                let name = match unit {
                    "" => format!("narrows_{}", word(&value.name)),
                    unit => format!("narrows_{}_{unit}", word(&value.name)),
                };
                let family = families.entry(name).or_insert_with(|| Family::of(value, unit));
                family.samples.push((of.clone(), value.value * factor));
            }
            let family = families.entry("narrows_valid".to_string()).or_insert_with(|| Family {
                help: "1 where the measurement is valid; 0 where it is suspect or invalid"
                    .to_string(),
                unit: "",
                samples: Vec::new(),
            });
            family.samples.push((of, f64::from(u8::from(m.validity == Validity::Valid))));
        }
        for verdict in &run.verdicts {
            let grade = format!("{:?}", verdict.grade).to_uppercase();
            let bottleneck = verdict.narrow.words();
            let of = labels(&[
                ("bottleneck", bottleneck),
                ("confidence", &grade),
                ("host", host(run)),
                ("run", &run.id),
                ("workload", &verdict.workload),
            ]);
            let family =
                families.entry("narrows_bottleneck".to_string()).or_insert_with(|| Family {
                    help: "The bottleneck of a workload and how sure it is, as labels; always 1"
                        .to_string(),
                    unit: "",
                    samples: Vec::new(),
                });
            family.samples.push((of, 1.0));
        }
        let family = families.entry("narrows_complete".to_string()).or_insert_with(|| Family {
            help: "1 where the run went to its end".to_string(),
            unit: "",
            samples: Vec::new(),
        });
        family.samples.push((of_run, f64::from(u8::from(run.completed))));
    }
    let mut text = String::new();
    for (name, family) in &families {
        family.write(name, &mut text);
    }
    text + "# EOF\n"
}

/// Samples of one name.
struct Family {
    help: String,
    unit: &'static str,
    samples: Vec<(String, f64)>,
}

impl Family {
    fn of(value: &MetricValue, unit: &'static str) -> Family {
        let known = narrows_model::Metric::named(&value.name);
        // Rustdoc's marks are none of a plain text's.
        let help =
            known.map_or(String::new(), |metric| metric.about.trim().replace(['`', '[', ']'], ""));
        Family { help, unit, samples: Vec::new() }
    }

    fn write(&self, name: &str, text: &mut String) {
        let _ = writeln!(text, "# TYPE {name} gauge");
        if !self.unit.is_empty() {
            let _ = writeln!(text, "# UNIT {name} {}", self.unit);
        }
        if !self.help.is_empty() {
            let _ = writeln!(
                text,
                "# HELP {name} {}",
                self.help.replace('\\', "\\\\").replace('\n', " ")
            );
        }
        for (labels, value) in &self.samples {
            let _ = writeln!(text, "{name}{{{labels}}} {value}");
        }
    }
}

/// The base unit's word and what a stored value is multiplied with.
fn base(unit: Unit) -> (&'static str, f64) {
    match unit {
        Unit::Ns => ("seconds", 1e-9),
        Unit::NsPerOp => ("seconds_per_operation", 1e-9),
        Unit::OpsPerS => ("operations_per_second", 1.0),
        Unit::Bytes => ("bytes", 1.0),
        Unit::BytesPerS => ("bytes_per_second", 1.0),
        Unit::BytesPerOp => ("bytes_per_operation", 1.0),
        Unit::Count => ("", 1.0),
        Unit::CountPerOp => ("per_operation", 1.0),
        Unit::Ratio => ("ratio", 1.0),
        Unit::Cpus => ("cpus", 1.0),
    }
}

/// A part of a metric's name.
fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn labels(of: &[(&str, &str)]) -> String {
    let one = |(name, value): &(&str, &str)| {
        let value =
            shown_screen(value, &[]).replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ");
        format!("{name}=\"{value}\"")
    };
    of.iter().map(one).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    #[test]
    fn metrics_are_gauges_in_base_units_with_escaped_labels() {
        let text = openmetrics(&[run()]);
        let sample =
            text.lines().find(|line| line.starts_with("narrows_latency_p99_seconds{")).unwrap();
        assert!(sample.ends_with(" 0.0025"), "{sample}");
        assert!(sample.contains("measurement=\"block.a\\\"b\\\\c"), "{sample}");
        assert!(text.contains("# TYPE narrows_throughput_operations_per_second gauge\n"), "{text}");
        assert!(text.ends_with("# EOF\n"));
        let names: Vec<&str> = text.lines().filter(|line| line.starts_with("# TYPE")).collect();
        let mut once = names.clone();
        once.dedup();
        assert_eq!(names, once, "a family stands in one piece");
        assert!(text.lines().all(|line| line.starts_with('#') || line.contains("} ")), "{text}");
    }
}
