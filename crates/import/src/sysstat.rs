//! What sysstat's `mpstat` and `sar` print (versions 11 to 12): CPUs (`mpstat`, `sar -u`), run queue (`sar -q`) and devices (`sar -d`).
//!
//! Each table begins with a line of the time and of names; a row has the time in front, and a line that begins with `Average:` (in the
//! language of the locale) is the tool's own mean, which is left out: means are made again from the rows.

use std::collections::BTreeMap;

use narrows_model::{Layer, Measurement, condition, metric};

use crate::host::{SINCE_START, add, busy, counted};
use crate::{ImportError, Imported, nothing, slug};

/// Bytes of the kB that sysstat prints, and of a sector of versions before 11.7.
const KIB: f64 = 1024.0;
const SECTOR: f64 = 512.0;
/// The columns that are read.
const WANTED: [&str; 8] =
    ["%idle", "%iowait", "%steal", "runq-sz", "rkB/s", "wkB/s", "rd_sec/s", "wr_sec/s"];
/// Before the first name of a table stand the time, and morning or afternoon on either side of it.
const MOST_TIME_CELLS: usize = 2;
/// Devices of which more are no machine's.
const MOST_SUBJECTS: usize = 10_000;

/// Whose tables they are: `sar -u ALL` has mpstat's names in another order.
fn tool(text: &str) -> Option<&'static str> {
    let mut found = None;
    for names in text.lines().filter_map(heads) {
        let at = |name: &str| names.iter().position(|known| *known == name);
        let in_sars_order =
            at("%steal").zip(at("%irq")).is_some_and(|(steal, interrupts)| steal < interrupts);
        let of_sar = in_sars_order || at("%user").or(at("runq-sz")).or(at("DEV")).is_some();
        match (of_sar, at("%usr").is_some()) {
            (true, _) => return Some("sar"),
            (false, true) => found = Some("mpstat"),
            (false, false) => {}
        }
    }
    found
}

pub(crate) fn is(text: &str) -> bool {
    tool(text).is_some()
}

/// `12:00:01`, `12.00.01`.
fn is_time(cell: &str) -> bool {
    let digits = cell.chars().filter(char::is_ascii_digit).count();
    digits >= 4
        && cell.chars().all(|c| c.is_ascii_digit() || c == ':' || c == '.')
        && cell.matches([':', '.']).count() == 2
}

/// The cells of a table's heading: the time in front, then names that are known.
fn heads(line: &str) -> Option<Vec<&str>> {
    let cells: Vec<&str> = line.split_whitespace().collect();
    let first = cells.iter().position(|cell| ["CPU", "DEV", "runq-sz"].contains(cell))?;
    let time = cells[..first].iter().any(|cell| is_time(cell));
    (time && first <= MOST_TIME_CELLS && cells.iter().any(|cell| WANTED.contains(cell)))
        .then_some(cells)
}

/// The wanted cells of the rows of one subject (`all`, a device): rows without one of them are left out whole.
type Columns = BTreeMap<(String, &'static str), Vec<f64>>;

fn columns(text: &str) -> Columns {
    let mut found = Columns::new();
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines() {
        if let Some(heads) = heads(line) {
            names = heads;
            continue;
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        if cells.is_empty() {
            names.clear();
        }
        let time = cells.iter().take(MOST_TIME_CELLS).any(|cell| is_time(cell));
        if names.is_empty() || !time || cells.len() != names.len() {
            continue;
        }
        let subject_at = names.iter().position(|name| ["CPU", "DEV"].contains(name));
        let subject = subject_at.map_or("all", |at| cells[at]);
        let of_one_cpu = names.contains(&"CPU") && subject != "all";
        let values: Option<Vec<(&str, f64)>> = WANTED
            .iter()
            .filter_map(|name| Some((*name, names.iter().position(|known| known == name)?)))
            // Some locales have decimal commas.
            .map(|(name, at)| Some((name, counted(&cells[at].replace(',', "."))?)))
            .collect();
        let Some(values) = values.filter(|_| !of_one_cpu) else { continue };
        for (name, value) in values {
            let key = (subject.to_string(), name);
            if found.len() < MOST_SUBJECTS || found.contains_key(&key) {
                found.entry(key).or_default().push(value);
            }
        }
    }
    found
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let tool = tool(text).unwrap_or("sar");
    let columns = columns(text);
    let of = |subject: &str, name: &'static str| columns.get(&(subject.to_string(), name)).cloned();
    let mut measurements = Vec::new();
    let mut host = Measurement::new(format!("database.import.{tool}.host"), Layer::Database);
    let worked =
        of("all", "%idle").and_then(|idle| busy(&idle, of("all", "%iowait"), of("all", "%steal")));
    add(&mut host, metric::CPU_BUSY, worked);
    let steal = of("all", "%steal").map(|st| st.iter().map(|percent| percent / 100.0).collect());
    add(&mut host, metric::STEAL, steal);
    add(&mut host, metric::READY_PROCESSES, of("all", "runq-sz"));
    if !host.metrics.is_empty() {
        measurements.push(host);
    }
    let mut left_out = Vec::new();
    for (kib, sectors, direction) in [("rkB/s", "rd_sec/s", "read"), ("wkB/s", "wr_sec/s", "write")]
    {
        let rates = columns.iter().filter(|((_, name), _)| *name == kib || *name == sectors);
        for ((device, name), values) in rates {
            let unit = if *name == kib { KIB } else { SECTOR };
            let id = format!("block.import.{tool}.{}.{direction}", slug(device));
            let mut drive = Measurement::new(id, Layer::Block);
            let bytes = values.iter().map(|value| value * unit).collect();
            add(&mut drive, metric::BANDWIDTH, Some(bytes));
            drive.workload.insert(condition::DIRECTION, direction);
            measurements.push(drive);
        }
    }
    if measurements.is_empty() {
        return Err(nothing(tool, "no row of all CPUs, of a run queue or of a device in it"));
    }
    if measurements.iter().any(|m| m.layer == Layer::Block) {
        left_out.push(
            "requests and waits of devices, which sar -d does not tell apart by reads and writes: iostat -x does"
                .to_string(),
        );
    }
    for measurement in &mut measurements {
        measurement.repeats =
            measurement.metrics.iter().map(|m| m.samples.len()).max().unwrap_or(0) as u32;
        measurement.workload.insert(condition::OF, "whatever ran on the machine");
    }
    if tool == "mpstat" && measurements[0].repeats == 1 {
        left_out.push(format!("nothing, but {SINCE_START}"));
    }
    Ok(Imported { tool: tool.to_string(), measurements, left_out, ..Imported::default() })
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

    fn of<'f>(found: &'f Imported, id: &str) -> &'f Measurement {
        found.measurements.iter().find(|m| m.id == *id).expect(id)
    }

    #[test]
    fn cpus_of_all_rows_make_the_mean_again() {
        let found = read(MPSTAT).unwrap();
        assert_eq!(found.measurements.len(), 1);
        let host = of(&found, "database.import.mpstat.host");
        let close = |value: Option<f64>, wanted: f64| (value.unwrap() - wanted).abs() < 1e-9;
        assert!(close(host.value(metric::CPU_BUSY), (0.5 + 0.8) / 2.0), "without steal");
        assert!(close(host.value(metric::STEAL), 0.02));
        assert_eq!((host.repeats, found.left_out.len()), (2, 0));
        let one: Vec<&str> = MPSTAT.lines().take(5).collect();
        let found = read(&one.join("\n")).unwrap();
        assert!(found.left_out[0].contains("only report"), "{:?}", found.left_out);
    }

    #[test]
    fn sar_of_another_locale_has_run_queue_and_devices() {
        let found = read(SAR).unwrap();
        let host = of(&found, "database.import.sar.host");
        assert!((host.value(metric::CPU_BUSY).unwrap() - 0.3).abs() < 1e-9);
        assert_eq!(host.value(metric::READY_PROCESSES), Some(4.0));
        let bytes = |id: &str| of(&found, id).value(metric::BANDWIDTH);
        assert_eq!(bytes("block.import.sar.vda.read"), Some(800.0 * 1024.0));
        assert_eq!(bytes("block.import.sar.vda.write"), Some(1600.0 * 1024.0));
        assert!(found.left_out[0].contains("iostat -x"));
        // Times with points, sectors, and all columns of the CPUs.
        let older = SAR
            .replace("12:00:0", "12.00.0")
            .replace("rkB/s", "rd_sec/s")
            .replace("wkB/s", "wr_sec/s");
        let found = read(&older).unwrap();
        let read_bytes = of(&found, "block.import.sar.vda.read").value(metric::BANDWIDTH);
        assert_eq!(read_bytes, Some(800.0 * 512.0));
        let all = "12:00:01 CPU %usr %nice %sys %iowait %steal %irq %soft %guest %gnice %idle\n\
                   12:00:02 all 1 0 1 0 0 0 0 0 0 98\n";
        assert_eq!(read(all).unwrap().measurements[0].id, "database.import.sar.host");
    }

    #[test]
    fn other_text_is_none_of_it() {
        for text in ["", "CPU DEV", "12:00:01 CPU\n", "12:00:01 runq\n", "1:2 CPU %idle\n"] {
            assert!(!is(text), "{text}");
        }
        let nothing = read("12:00:01        CPU     %user     %idle\n").unwrap_err().to_string();
        assert!(nothing.contains("no row"), "{nothing}");
        let odd = "12:00:01 CPU %user %idle\n12:00:02 all 1 nan\n12:00:03 all 1 -5\n";
        assert!(read(odd).is_err());
    }
}
