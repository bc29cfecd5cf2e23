//! Reports made up here, in the layout of Oracle's: HTML as of 12.2, text as of 11.2.

use narrows_model::{ActivityState, Measurement, condition, metric};

use crate::import;

/// Ten minutes of four sessions at work: a quarter CPU, most of the rest reads and commits.
struct Made {
    months: [&'static str; 2],
    decimal_comma: bool,
    /// DB time in the head, minutes.
    head_min: &'static str,
    busy_time: &'static str,
    db_cpu: &'static str,
}

impl Default for Made {
    fn default() -> Made {
        Made {
            months: ["Mar", "Mar"],
            decimal_comma: false,
            head_min: "40.00 (mins)",
            busy_time: "100,000",
            db_cpu: "600.00",
        }
    }
}

type Rows = Vec<Vec<String>>;
type MadeTable = (&'static str, Vec<&'static str>, Rows);

impl Made {
    /// Heading, columns, rows of each table.
    fn tables(&self, in_ms: bool) -> Vec<MadeTable> {
        [self.heads(), self.totals(), self.waits(in_ms), self.counts()].concat()
    }

    fn rows(&self, rows: &[&[&str]]) -> Rows {
        rows.iter().map(|row| row.iter().map(|cell| self.number(cell)).collect()).collect()
    }

    fn heads(&self) -> Vec<MadeTable> {
        let rows = |rows: &[&[&str]]| self.rows(rows);
        let time = |at: usize, clock: &str| format!("10-{}-24 {clock}", self.months[at]);
        let snapshot = |label: &str, id: &str, at: usize, clock: &str| {
            vec![label.to_string(), id.to_string(), time(at, clock), "150".to_string()]
        };
        let length = |label: &str, min: &str| {
            vec![label.to_string(), String::new(), self.number(min), String::new()]
        };
        vec![
            (
                "Database",
                vec!["DB Name", "DB Id", "Instance", "Inst Num", "Startup Time", "Release", "RAC"],
                rows(&[&["SHOP", "17", "shop1", "1", "01-Jan-24 00:00", "12.2.0.1.0", "NO"]]),
            ),
            (
                "Host",
                vec!["Host Name", "Platform", "CPUs", "Cores", "Sockets"],
                rows(&[&["db7.example.com", "Linux x86 64-bit", "16", "8", "1"]]),
            ),
            (
                "Snapshots",
                vec!["", "Snap Id", "Snap Time", "Sessions"],
                vec![
                    snapshot("Begin Snap:", "100", 0, "09:00:00"),
                    snapshot("End Snap:", "101", 1, "09:10:00"),
                    length("Elapsed:", "10.00 (mins)"),
                    length("DB Time:", self.head_min),
                ],
            ),
        ]
    }

    fn totals(&self) -> Vec<MadeTable> {
        let rows = |rows: &[&[&str]]| self.rows(rows);
        vec![
            (
                "Load Profile",
                vec!["", "Per Second", "Per Transaction"],
                rows(&[
                    &["DB Time(s):", "4.0", "0.0"],
                    &["Redo size (bytes):", "1,048,576.0", "5,242.9"],
                    &["Physical read (blocks):", "1,666.7", "8.3"],
                    &["Transactions:", "200.0", ""],
                ]),
            ),
            (
                "Time Model",
                vec!["Statistic Name", "Time (s)", "% of DB Time"],
                rows(&[
                    &["DB CPU", self.db_cpu, "25.00"],
                    &["DB time", "2,400.00", ""],
                    &["background cpu time", "60.00", ""],
                ]),
            ),
            (
                "Operating System Statistics",
                vec!["Statistic", "Value", "End Value"],
                rows(&[
                    &["BUSY_TIME", self.busy_time, ""],
                    &["IDLE_TIME", "860,000", ""],
                    &["NUM_CPUS", "16", ""],
                ]),
            ),
        ]
    }

    fn waits(&self, in_ms: bool) -> Vec<MadeTable> {
        let rows = |rows: &[&[&str]]| self.rows(rows);
        let mean = if in_ms { "Avg wait (ms)" } else { "Avg wait" };
        let events = |share: &'static str| {
            vec!["Event", "Waits", "%Time -outs", "Total Wait Time (s)", mean, "Waits /txn", share]
        };
        // In versions before 12 a mean has whole milliseconds.
        let ms = |exact: &'static str, whole: &'static str| if in_ms { whole } else { exact };
        vec![
            (
                "Foreground Wait Events",
                events("% DB time"),
                rows(&[
                    &[
                        "db file sequential read",
                        "1,000,000",
                        "0",
                        "900",
                        ms("900.00us", "1"),
                        "8.3",
                        "37.5",
                    ],
                    &["log file sync", "120,000", "0", "600", ms("5.00ms", "5"), "1.0", "25.0"],
                    &[
                        "latch: cache buffers chains",
                        "50,000",
                        "0",
                        "100",
                        ms("2.00ms", "2"),
                        "0.4",
                        "4.2",
                    ],
                    &[
                        "enq: TX - row lock contention",
                        "1,000",
                        "0",
                        "100",
                        ms("100.00ms", "100"),
                        "0.0",
                        "4.2",
                    ],
                    &[
                        "SQL*Net more data to client",
                        "400,000",
                        "0",
                        "40",
                        ms("100.00us", "0"),
                        "3.3",
                        "1.7",
                    ],
                    &["resmgr:cpu quantum", "600", "0", "60", ms("100.00ms", "100"), "0.0", "2.5"],
                    &[
                        "SQL*Net message from client",
                        "900,000",
                        "0",
                        "57,600",
                        ms("64.00ms", "64"),
                        "7.5",
                        "",
                    ],
                ]),
            ),
            (
                "Background Wait Events",
                events("% bg time"),
                rows(&[
                    &[
                        "log file parallel write",
                        "60,000",
                        "0",
                        "120",
                        ms("2.00ms", "2"),
                        "0.5",
                        "60.0",
                    ],
                    &[
                        "rdbms ipc message",
                        "9,000",
                        "90",
                        "9,000",
                        ms("1000.00ms", "1000"),
                        "0.1",
                        "",
                    ],
                ]),
            ),
        ]
    }

    fn counts(&self) -> Vec<MadeTable> {
        let rows = |rows: &[&[&str]]| self.rows(rows);
        vec![
            (
                "Wait Event Histogram",
                vec![
                    "Event",
                    "Total Waits",
                    "<1ms",
                    "<2ms",
                    "<4ms",
                    "<8ms",
                    "<16ms",
                    "<=1s",
                    ">1s",
                ],
                rows(&[
                    &["db file sequential read", "1000K", "90.0", "9.5", ".4", ".1", "", "", ""],
                    &["log file sync", "120K", "", "10.0", "40.0", "40.0", "9.5", ".5", ""],
                ]),
            ),
            (
                "Instance Activity",
                vec!["Statistic", "Total", "per Second", "per Trans"],
                rows(&[
                    &["physical read total IO requests", "1,000,000", "1,666.7", "8.3"],
                    &["physical read total bytes", "8,192,000,000", "13,653,333.3", "68,266.7"],
                    &["physical reads", "1,000,000", "1,666.7", "8.3"],
                    &["physical reads cache", "1,000,000", "1,666.7", "8.3"],
                    &["physical write total IO requests", "300,000", "500.0", "2.5"],
                    &["redo size", "629,145,600", "1,048,576.0", "5,242.9"],
                    &["session logical reads", "20,000,000", "33,333.3", "166.7"],
                    &["user commits", "120,000", "200.0", "1.0"],
                    &["user rollbacks", "0", "0.0", "0.0"],
                ]),
            ),
            (
                "init.ora Parameters",
                vec!["Parameter Name", "Begin value", "End value"],
                rows(&[&["db_block_size", "8192", ""], &["db_domain", "example.com", ""]]),
            ),
        ]
    }

    /// A cell with the session's decimal mark.
    fn number(&self, cell: &str) -> String {
        let is_number = cell.starts_with(|c: char| c.is_ascii_digit() || c == '.')
            && cell.contains(['.', ','])
            && cell.matches('.').count() < 2;
        if !self.decimal_comma || !is_number {
            return cell.to_string();
        }
        let swap = |c| match c {
            '.' => ',',
            ',' => '.',
            c => c,
        };
        cell.chars().map(swap).collect()
    }

    fn html(&self) -> String {
        let mut html = String::from(
            "<html><head><title>AWR Report</title></head><body class=\"awr\">\n<h1 class=\"awr\">\nWORKLOAD REPOSITORY report for\n</h1>",
        );
        for (title, header, rows) in self.tables(false) {
            html += &format!(
                "<h3>{title}</h3><table border=\"1\" summary=\"This table displays {title}\">\n<tr>"
            );
            if title == "Wait Event Histogram" {
                html +=
                    "<td>&nbsp;</td><td>&nbsp;</td><th colspan=\"7\">% of Waits</th></tr>\n<tr>";
            }
            header
                .iter()
                .for_each(|head| html += &format!("<th class=\"awrbg\" scope=\"col\">{head}</th>"));
            html += "</tr>\n";
            for row in rows {
                html += "<tr>";
                row.iter().for_each(|cell| {
                    html += &format!("<td align=\"right\" class='awrnc'>{cell}</td>")
                });
                html += "</tr>\n";
            }
            html += "</table><p />\n";
        }
        html + "</body></html>"
    }

    fn text(&self) -> String {
        let mut text = String::from("\nWORKLOAD REPOSITORY report for\n\n");
        for (title, header, rows) in self.tables(true) {
            let width = |column: usize| {
                let cells =
                    rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
                // Names are cut as in the widest tables of a report.
                let most = if column == 0 { 32 } else { usize::MAX };
                cells.chain([header[column].len(), 4]).max().unwrap_or(4).min(most)
            };
            let widths: Vec<usize> = (0..header.len()).map(width).collect();
            let line = |cells: &[&str]| -> String {
                let padded: Vec<String> = cells
                    .iter()
                    .zip(&widths)
                    .enumerate()
                    .map(|(at, (cell, width))| {
                        let cut: String = cell.chars().take(*width).collect();
                        if at == 0 { format!("{cut:<width$}") } else { format!("{cut:>width$}") }
                    })
                    .collect();
                padded.join(" ").trim_end().to_string() + "\n"
            };
            let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
            text += &format!("{title}      DB/Inst: SHOP/shop1  Snaps: 100-101\n-> ordered\n\n");
            text += &line(&header);
            text += &line(&dashes.iter().map(String::as_str).collect::<Vec<_>>());
            for row in &rows {
                text += &line(&row.iter().map(String::as_str).collect::<Vec<_>>());
            }
            text += "          -------------------------------------------------------------\n\n";
        }
        text
    }
}

fn near(measurement: &Measurement, of: narrows_model::Metric, expected: f64) {
    let value = measurement.value(of).unwrap_or_else(|| panic!("{of} is missing"));
    assert!(
        (value - expected).abs() <= expected.abs() * 1e-9 + 1e-9,
        "{of}: {value}, not {expected}"
    );
}

#[test]
fn html_and_text_give_the_same_transaction() {
    let made = Made::default();
    for (format, text) in [("html", made.html()), ("text", made.text())] {
        let found = import(&text).unwrap_or_else(|error| panic!("{format}: {error}"));
        assert_eq!(found.tool, "AWR 12.2.0.1.0", "{format}");
        assert_eq!(found.at_unix_s, Some(1_710_061_800), "{format}");
        let m = &found.measurements[0];
        assert_eq!(m.id, "database.observed");
        for (metric, value) in [
            (metric::THROUGHPUT, 200.0),
            (metric::SESSIONS, 4.0),
            (metric::ACTIVE_TIME_PER_OP, 20e6),
            (metric::BACKEND_CPU_PER_OP, 5e6),
            (metric::RUN_QUEUE_PER_OP, 0.5e6),
            (metric::WAIT_READ_PER_OP, 7.5e6),
            (metric::WAIT_FLUSH_PER_OP, 5e6),
            (metric::WAIT_LOCK_PER_OP, 200.0 / 120e3 * 1e9),
            (metric::WAIT_CLIENT_PER_OP, 40.0 / 120e3 * 1e9),
            (metric::WAIT_OTHER_PER_OP, 0.0),
            (metric::SERVER_CPU_PER_OP, 5.5e6),
            (metric::SERVER_CPUS, 16.0),
            (metric::SERVER_CPUS_TAKEN, 340.0 / 600.0),
            (metric::SERVER_FLUSH_TIME, 2e6),
            (metric::WAL_BYTES_PER_OP, 5242.88),
            (metric::DEVICE_READS, 1e6),
        ] {
            near(m, metric, value);
        }
        assert_eq!(m.number(condition::INTERVAL_S), Some(600.0));
        let seen = found.observation.as_ref().unwrap();
        assert_eq!(seen.version, "Oracle Database 12.2.0.1.0");
        assert_eq!(seen.address, "shop1 on db7.example.com");
        assert_eq!(seen.setting("db_block_size").map(|set| set.value.as_str()), Some("8192"));
        assert!(seen.setting("db_domain").is_none(), "it bears on no figure");
        assert_eq!(seen.activity.of(ActivityState::Read), Some(1.5));
        let report = seen.report.as_ref().unwrap();
        assert_eq!((report.commit_waits, report.commit_wait_ns), (Some(120e3), Some(600e9)));
        assert_eq!(report.contradictions, Vec::<String>::new(), "{format}");
    }
}

#[test]
fn events_are_measurements_of_drives_and_log() {
    let found = import(&Made::default().html()).unwrap();
    let of = |id: &str| found.measurements.iter().find(|m| m.id == id).unwrap();
    let read = of("block.import.awr.db_file_sequential_read");
    near(read, metric::LATENCY_MEAN, 0.9e6);
    near(read, metric::LATENCY_P50, 1e6);
    near(read, metric::LATENCY_P99, 2e6);
    near(read, metric::LATENCY_P999, 4e6);
    let sync = of("log.import.awr.log_file_sync");
    near(sync, metric::THROUGHPUT, 200.0);
    near(sync, metric::LATENCY_P99, 16e6);
    near(of("log.import.awr.log_file_parallel_write"), metric::LATENCY_MEAN, 2e6);
    assert!(
        !found.measurements.iter().any(|m| m.id.as_str().contains("scattered")),
        "nothing is made up"
    );
}

#[test]
fn reports_in_other_languages_are_read() {
    for (months, decimal_comma) in [
        (["Mär", "Mär"], true),
        (["mars", "mars"], true),
        (["3月 ", "3月 "], false),
        (["МАР", "МАР"], true),
    ] {
        let made = Made { months, decimal_comma, ..Made::default() };
        for text in [made.html(), made.text()] {
            let found = import(&text).unwrap();
            let m = &found.measurements[0];
            near(m, metric::THROUGHPUT, 200.0);
            near(m, metric::WAIT_READ_PER_OP, 7.5e6);
            assert_eq!(m.number(condition::INTERVAL_S), Some(600.0), "{months:?}");
        }
    }
    // A month that nobody knows leaves the length that is printed.
    let unknown = Made { months: ["Qqq", "Qqq"], ..Made::default() };
    let found = import(&unknown.html()).unwrap();
    assert_eq!(
        (found.at_unix_s, found.measurements[0].number(condition::INTERVAL_S)),
        (None, Some(600.0))
    );
}

/// The head of 21c's text: names, the instance with who asked, the containers. Two words in a cell, and names that are cut.
const HEAD_OF_21C: &str = "\
WORKLOAD REPOSITORY report for

DB Name         DB Id    Unique Name DB Role          Edition Release    RAC CDB
------------ ----------- ----------- ---------------- ------- ---------- --- ---
SHOP                  17 SHOP_fra2ab PHYSICAL STANDBY EE      21.0.0.0.0 NO  YES

Instance     Inst Num Startup Time    User Name    System Data Visible
------------ -------- --------------- ------------ --------------------
shop1               1 01-Jan-24 00:00 SYS          YES

Container DB Id  Container Name       Open Time
--------------- --------------- ---------------
             18 CDB$ROOT        01-Jan-24 00:01
             19 SHOPPDB         01-Jan-24 00:02

";

#[test]
fn the_head_of_21c_is_read() {
    let made = Made::default().text();
    let rest = made.find("Host      DB/Inst").expect("the host follows the database");
    let found = import(&format!("{HEAD_OF_21C}{}", &made[rest..])).unwrap();
    let before = import(&made).unwrap();
    let metrics = |found: &crate::Imported| -> Vec<_> {
        found.measurements.iter().map(|m| m.metrics.clone()).collect()
    };
    assert_eq!(metrics(&found), metrics(&before));
    let server = |found: &crate::Imported| {
        found.observation.as_ref().expect("a report is of a server").version.clone()
    };
    assert!(server(&found).contains("21.0.0.0.0"), "{}", server(&found));
    assert!(server(&before).contains("12.2.0.1.0"), "{}", server(&before));
}

#[test]
fn what_contradicts_itself_is_named() {
    let said = |made: Made| {
        let found = import(&made.html()).unwrap();
        found.observation.unwrap().report.unwrap().contradictions.join("\n")
    };
    assert_eq!(said(Made::default()), "");
    let head = said(Made { head_min: "80.00 (mins)", ..Made::default() });
    assert!(
        head.contains("2.400 k s in the time model") || head.contains("2400 s in the time model"),
        "{head}"
    );
    let busy = said(Made { busy_time: "30,000", ..Made::default() });
    assert!(busy.contains("the host's CPUs were busy for 300"), "{busy}");
    let beyond = said(Made { db_cpu: "1,200.00", ..Made::default() });
    assert!(beyond.contains("CPU and waits of sessions are"), "{beyond}");
}

#[test]
fn time_that_is_neither_cpu_nor_wait_is_the_run_queue_on_a_full_host_only() {
    let queue = |busy_time| {
        let made = Made { busy_time, db_cpu: "300.00", ..Made::default() };
        import(&made.html()).unwrap().measurements[0].value(metric::RUN_QUEUE_PER_OP)
    };
    // Half a millisecond of it is the resource manager's.
    assert_eq!(queue("100,000"), Some(0.5e6), "10 % busy");
    assert_eq!(queue("940,000"), Some(3e6), "300 s of 120,000 transactions");
}

#[test]
fn cpus_that_may_be_the_instances_or_others_are_nobodys() {
    let made = Made { busy_time: "940,000", db_cpu: "300.00", ..Made::default() };
    let linux = import(&made.html()).unwrap();
    let aix =
        import(&made.html().replace("Linux x86 64-bit", "AIX-Based Systems (64-bit)")).unwrap();
    let pdb = made.html().replace("REPOSITORY report for", "REPOSITORY PDB report for");
    let processes = |found: &crate::Imported| found.observation.clone().unwrap().processes.unwrap();
    let of_linux = processes(&linux);
    let rest = 9_400.0 / 600.0 - 0.6;
    assert!((of_linux.other_cpus.unwrap() - rest).abs() < 1e-9, "{of_linux:?}");
    assert_eq!(of_linux.unattributed_cpus, None);
    near(&linux.measurements[0], metric::SERVER_CPU_PER_OP, 360e9 / 120e3);
    for found in [aix, import(&pdb).unwrap()] {
        let of = processes(&found);
        assert_eq!(of.other_cpus, None);
        assert!((of.unattributed_cpus.unwrap() - rest).abs() < 1e-9, "{of:?}");
        assert!((of.cpus() - 0.6).abs() < 1e-9, "not the instance's: {of:?}");
        // The nearer end is that in which all of it grows with the rate.
        near(&found.measurements[0], metric::SERVER_CPU_PER_OP, 9_400e9 / 120e3);
        near(&found.measurements[0], metric::SERVER_CPUS_TAKEN, 0.0);
    }
}

#[test]
fn other_reports_are_refused_by_name() {
    for (text, why) in [
        ("STATSPACK report for\n", "Statspack"),
        ("WORKLOAD REPOSITORY COMPARE PERIOD REPORT\n", "compares two periods"),
        ("WORKLOAD REPOSITORY REPORT (RAC)\n", "one of each instance"),
        ("WORKLOAD REPOSITORY report for\n", "Elapsed are missing"),
    ] {
        let error = import(text).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    let html = Made::default().html();
    let without_time = html.replace("DB CPU", "DB XXX");
    assert!(import(&without_time).unwrap_err().to_string().contains("no DB CPU"));
}

#[test]
fn a_report_that_is_cut_anywhere_ends_in_an_answer() {
    for text in [Made::default().html(), Made::default().text()] {
        let cuts = (0..text.len()).step_by(97).filter(|at| text.is_char_boundary(*at));
        let readable = cuts.filter(|at| import(&text[..*at]).is_ok()).count();
        assert!(readable > 0, "what comes last is not needed");
    }
}
