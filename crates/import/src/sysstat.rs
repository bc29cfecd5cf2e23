//! What sysstat's `mpstat` and `sar` print (versions 11 to 12): CPUs (`mpstat`, `sar -u`), run queue (`sar -q`) and devices (`sar -d`).
//!
//! Each table begins with a line of times and names; a row has the time in front, and a line that begins with `Average:` (in the language of
//! the locale) is the tool's own mean, which is left out: means are made again from the rows.

use std::collections::BTreeMap;

use narrows_model::{Layer, Measurement, condition, metric};

use crate::vmstat::add;
use crate::{ImportError, Imported, nothing, slug};

/// Bytes of the kB that sysstat prints.
const KIB: f64 = 1024.0;

/// Whose tables they are.
fn tool(text: &str) -> Option<&'static str> {
    let names: Vec<Vec<&str>> = text.lines().filter_map(heads).collect();
    let has = |name: &str| names.iter().any(|names| names.contains(&name));
    match () {
        () if has("%usr") && has("%idle") => Some("mpstat"),
        () if has("%user") || has("runq-sz") || has("DEV") && has("rkB/s") => Some("sar"),
        () => None,
    }
}

pub(crate) fn is(text: &str) -> bool {
    tool(text).is_some()
}

/// The names of a table's columns behind the time; the number of cells of the time is in front of them.
fn heads(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let first = cells.iter().position(|cell| ["CPU", "DEV", "runq-sz"].contains(cell))?;
    let time = cells[..first].first().is_some_and(|cell| cell.contains(':'));
    (time && first <= 2).then_some(cells)
}

/// The cells of one name over the rows of one subject (`all`, a device), in their order.
type Columns = BTreeMap<(String, String), Vec<f64>>;

/// The tables by their first column, each with its rows; rows of subjects that come and go are left out.
fn columns(text: &str) -> Columns {
    let mut found = Columns::new();
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines() {
        if let Some(heads) = heads(line) {
            names = heads;
            continue;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        let time = cells.first().is_some_and(|cell| {
            cell.contains(':') && cell.starts_with(|c: char| c.is_ascii_digit())
        });
        if cells.is_empty() {
            names.clear();
        }
        if names.is_empty() || !time || cells.len() != names.len() {
            continue;
        }
        let subject_at = names.iter().position(|name| ["CPU", "DEV"].contains(name));
        let subject = subject_at.map_or("all", |at| cells[at]).to_string();
        let from = subject_at.map_or_else(|| names.iter().position(|n| *n == "runq-sz"), |at| Some(at + 1));
        for at in from.unwrap_or(0)..names.len() {
            // Some locales have decimal commas.
            if let Ok(value) = cells[at].replace(',', ".").parse::<f64>() {
                let key = (subject.clone(), names[at].to_string());
                found.entry(key).or_default().push(value);
            }
        }
    }
    found
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let tool = tool(text).unwrap_or("sar");
    let columns = columns(text);
    let of = |subject: &str, name: &str| columns.get(&(subject.to_string(), name.to_string())).cloned();
    let mut measurements = Vec::new();
    let mut host = Measurement::new(format!("database.import.{tool}.host"), Layer::Database);
    let idle = of("all", "%idle").map(|idle| {
        let waiting = of("all", "%iowait").filter(|waiting| waiting.len() == idle.len());
        let waiting = waiting.unwrap_or_else(|| vec![0.0; idle.len()]);
        let busy = idle.iter().zip(waiting).map(|(idle, waiting)| 1.0 - (idle + waiting) / 100.0);
        busy.map(|share| share.max(0.0)).collect()
    });
    add(&mut host, metric::CPU_BUSY, idle);
    let steal = of("all", "%steal").map(|st| st.iter().map(|percent| percent / 100.0).collect());
    add(&mut host, metric::STEAL, steal);
    add(&mut host, metric::READY_PROCESSES, of("all", "runq-sz"));
    if let Some(cpus) = cpus(text) {
        host.workload.insert(condition::CPUS, cpus);
    }
    if !host.metrics.is_empty() {
        measurements.push(host);
    }
    let devices = columns.keys().filter(|(_, name)| name == "rkB/s").map(|(device, _)| device);
    for device in devices {
        for (direction, name) in [("read", "rkB/s"), ("write", "wkB/s")] {
            let id = format!("block.import.{tool}.{}.{direction}", slug(device));
            let mut drive = Measurement::new(id, Layer::Block);
            let bytes = of(device, name).map(|kib| kib.iter().map(|kib| kib * KIB).collect());
            add(&mut drive, metric::BANDWIDTH, bytes);
            drive.workload.insert(condition::DIRECTION, direction);
            measurements.push(drive);
        }
    }
    if measurements.is_empty() {
        return Err(nothing(tool, "no row of all CPUs, of a run queue or of a device in it"));
    }
    for measurement in &mut measurements {
        measurement.repeats =
            measurement.metrics.iter().map(|m| m.samples.len()).max().unwrap_or(0) as u32;
        measurement.workload.insert(condition::OF, "whatever ran on the machine");
    }
    let per_device = columns.keys().any(|(_, name)| name == "await");
    let mut left_out = Vec::new();
    if per_device {
        left_out.push(
            "requests and waits of devices, which sar -d does not tell apart by reads and writes: iostat -x does"
                .to_string(),
        );
    }
    Ok(Imported { tool: tool.to_string(), measurements, left_out, ..Imported::default() })
}

/// `Linux 6.1.0 (db7)  11/27/26  _x86_64_  (2 CPU)`.
fn cpus(text: &str) -> Option<f64> {
    let line = text.lines().find(|line| line.trim_end().ends_with(" CPU)"))?;
    line.rsplit_once('(')?.1.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MPSTAT: &str = "\
Linux 6.1.0 (db7) \t11/27/26 \t_x86_64_\t(2 CPU)

12:00:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:00:02 AM  all   40.00    0.00   10.00    5.00    0.00    0.00    1.00    0.00    0.00   44.00
12:00:02 AM    0   80.00    0.00   20.00    0.00    0.00    0.00    0.00    0.00    0.00    0.00

12:00:02 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle
12:00:03 AM  all   60.00    0.00   20.00    0.00    0.00    0.00    3.00    0.00    0.00   17.00
Average:     all   50.00    0.00   15.00    2.50    0.00    0.00    2.00    0.00    0.00   30.50
";
    const SAR: &str = "\
Linux 6.1.0 (db7) \t27.11.2026 \t_x86_64_\t(4 CPU)

12:00:01        CPU     %user     %nice   %system   %iowait    %steal     %idle
12:00:02        all     20,00      0,00     10,00      0,00      0,00     70,00

12:00:01      runq-sz  plist-sz   ldavg-1   ldavg-5  ldavg-15   blocked
12:00:02            3       200      1,00      1,00      1,00         0
12:00:03            5       200      1,00      1,00      1,00         0

12:00:01          DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
12:00:02          vda    100,00    800,00   1600,00      0,00     24,00      0,10      1,00      9,00
Durchschn.:       vda    100,00    800,00   1600,00      0,00     24,00      0,10      1,00      9,00
";

    #[test]
    fn cpus_of_all_rows_make_the_mean_again() {
        let found = read(MPSTAT).unwrap();
        let [host] = found.measurements.as_slice() else { panic!("{found:?}") };
        assert_eq!(host.id, "database.import.mpstat.host");
        let close = |value: Option<f64>, wanted: f64| (value.unwrap() - wanted).abs() < 1e-9;
        assert!(close(host.value(metric::CPU_BUSY), (0.51 + 0.83) / 2.0));
        assert!(close(host.value(metric::STEAL), 0.02));
        assert_eq!((host.repeats, host.number(condition::CPUS)), (2, Some(2.0)));
    }

    #[test]
    fn sar_of_another_locale_has_run_queue_and_devices() {
        let found = read(SAR).unwrap();
        let of = |id: &str| found.measurements.iter().find(|m| m.id == id).expect(id);
        let host = of("database.import.sar.host");
        assert!((host.value(metric::CPU_BUSY).unwrap() - 0.3).abs() < 1e-9);
        assert_eq!(host.value(metric::READY_PROCESSES), Some(4.0));
        let reads = of("block.import.sar.vda.read");
        assert_eq!(reads.value(metric::BANDWIDTH), Some(800.0 * 1024.0));
        assert_eq!(of("block.import.sar.vda.write").value(metric::BANDWIDTH), Some(1600.0 * 1024.0));
        assert!(found.left_out[0].contains("iostat -x"));
    }

    #[test]
    fn other_text_is_none_of_it() {
        for text in ["", "CPU DEV", "12:00:01 CPU\n", "12:00:01 runq\n"] {
            assert!(!is(text), "{text}");
        }
        let nothing = read("12:00:01        CPU     %user     %idle\n").unwrap_err().to_string();
        assert!(nothing.contains("no row"), "{nothing}");
    }
}
