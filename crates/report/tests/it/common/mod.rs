//! Hand-built runs: the invented machine of the design's one screen, and what is left of it when things are
//! missing. The figures are invented; they are consistent with each other so that sums add up.

pub mod builders;
pub mod live;
pub mod log;
mod machine;
pub mod memory;
pub mod observed;
pub mod storage;
mod verdicts;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use narrows_model::*;
use narrows_report::document::Depth;
use narrows_report::{Report, Screen, TEXT, Units, printed};
use ring::digest::SHA256;
use serde_json::json;

pub use builders::finding;

/// A screen that says how each answer is known.
pub fn explained(run: &Run) -> String {
    let screen = Screen { depth: Depth::Explained, ..Screen::PLAIN };
    printed(&Report::new(run, Units::Si), &TEXT, screen)
}

/// Ten lines at most.
pub fn brief(run: &Run, width: usize) -> String {
    let screen = Screen { width, depth: Depth::Brief, ..Screen::PLAIN };
    printed(&Report::new(run, Units::Si), &TEXT, screen)
}

/// Everything measured, everything judged.
pub fn rich() -> Run {
    let mut run = Run {
        id: "7f3a".into(),
        tool: Tool { name: "narrows".into(), version: "1.0.0".into() },
        command: ["narrows", "run", "--data", "/data", "--sessions", "128"]
            .map(String::from)
            .into(),
        started_at: "2026-11-20T14:02:11Z".into(),
        finished_at: Some("2026-11-20T14:16:05Z".into()),
        measurements: builders::measurements(6),
        findings: findings(),
        verdicts: verdicts::verdicts(),
        ..Run::blank(plan(), machine::platform())
    };
    run.apply_findings();
    run
}

/// No database layer, one repeat of everything else missing.
pub fn without_database() -> Run {
    let mut run = rich();
    run.plan.layers = vec![Layer::Clock, Layer::Memory, Layer::Block, Layer::Log];
    run.plan.database = DatabaseChoice::None;
    run.measurements.retain(|m| m.layer != Layer::Database);
    run.findings.retain(|f| !f.measurement.as_deref().unwrap_or("").starts_with("database."));
    run.verdicts.clear();
    run
}

/// Three repeats, no intervals, no grade above LIKELY.
pub fn quick() -> Run {
    let mut run = rich();
    run.plan.quick = true;
    run.plan.repeats = 3;
    for m in &mut run.measurements {
        m.repeats = 3;
        for metric in &mut m.metrics {
            metric.samples.truncate(3);
            metric.interval_95 = None;
        }
    }
    for v in &mut run.verdicts {
        v.throughput_interval_95 = None;
        v.test = None;
        v.gain_tested = None;
        v.grade = v.grade.min(Grade::Likely);
        v.reasons = vec!["a sketch is not tested".into()];
    }
    run.findings.push(finding(
        Severity::Note,
        "absent-lookup_uncached",
        None,
        "no way to keep the server's pages out of the system's cache here",
    ));
    run.verdicts.retain(|v| v.workload != "lookup_uncached");
    run.measurements.retain(|m| !m.id.starts_with("database.lookup_uncached"));
    run
}

/// Stopped in the middle of the block layer.
pub fn interrupted() -> Run {
    let mut run = rich();
    run.completed = false;
    run.finished_at = None;
    run.measurements.retain(|m| matches!(m.layer, Layer::Clock | Layer::Memory));
    run.measurements.push(builders::block_read(2));
    run.findings.clear();
    run.verdicts.clear();
    run.apply_findings();
    run
}

/// One suspect, two invalid, among them a database workload that therefore has no verdict.
pub fn doubtful() -> Run {
    let mut run = rich();
    run.findings.push(finding(
        Severity::Invalid,
        "device-saw-less",
        Some("block.read.random.8k.knee"),
        "the drives saw 3 % of the bytes: a cache answered",
    ));
    run.findings.push(finding(
        Severity::Invalid,
        "little-broken",
        Some("database.update"),
        "rate × latency gives 310 sessions, 128 were open",
    ));
    run.findings.push(finding(
        Severity::Suspect,
        "steal",
        Some("database.lookup_cached"),
        "the hypervisor took 7 % of the CPUs",
    ));
    run.findings.push(finding(
        Severity::Suspect,
        "clock-not-tsc",
        None,
        "the clock source is hpet: a time stamp costs 1.2 µs",
    ));
    run.verdicts.retain(|v| v.workload != "update");
    run.apply_findings();
    run
}

/// Areas that a picture has: closed paths that are no rectangles.
pub fn areas(svg: &str) -> usize {
    let closed = |data: &str| data.contains('l') && data.ends_with('z');
    svg.split(" d=\"M").skip(1).filter(|rest| rest.split('"').next().is_some_and(closed)).count()
}

/// A page without the script that sorts its tables, which has to be there once, at its end, as its policy names it.
pub fn without_own_script(page: &str) -> String {
    let own =
        concat!("\n<script>", include_str!("../../../src/render/page.js"), "</script></body>");
    assert_eq!(page.matches(own).count(), 1, "our script is there once");
    let digest = ring::digest::digest(&SHA256, include_bytes!("../../../src/render/page.js"));
    let digest = STANDARD.encode(digest);
    assert!(page.contains(&format!("script-src 'sha256-{digest}'")), "the policy names {digest}");
    page.replace(own, "</body>")
}

/// Names that try to break out of every format.
pub fn hostile() -> Run {
    let mut run = doubtful();
    let evil = "<script>alert(1)</script>\u{1b}[2J\u{202e}|`*\",\n\u{2028}<!--";
    run.hosts[0].platform.hostname = Some(evil.into());
    run.hosts[0].platform.cpu.model = Some(evil.into());
    run.hosts[0].platform.roles[0].path = format!("/{evil}/{}", "x".repeat(300));
    run.hosts[0].platform.unknown.push(Unknown { what: evil.repeat(9), needs: evil.into() });
    run.command.push(evil.into());
    run.plan.data_dir = evil.into();
    for f in &mut run.findings {
        f.summary = format!("{evil} {}", f.summary);
        f.evidence = evil.into();
    }
    for v in &mut run.verdicts {
        v.phrase = format!("{evil} {}", v.phrase);
        v.reasons = vec![evil.into()];
    }
    let foreign = serde_json::from_value(json!({ evil: { evil: [evil, 1, null] } }));
    run.measurements[0].conditions.extend(foreign.expect("an object"));
    run.measurements[0].id = format!("{evil},\"quoted\"").into();
    run
}

fn plan() -> Plan {
    let step = |layer, what: &str, expected_s, writes_bytes| PlannedStep {
        layer,
        what: what.into(),
        expected_s,
        writes_bytes,
    };
    Plan {
        quick: false,
        layers: vec![Layer::Clock, Layer::Memory, Layer::Block, Layer::Log, Layer::Database],
        data_dir: "/data".into(),
        wal_dir: "/data".into(),
        database: DatabaseChoice::Managed,
        workloads: Vec::new(),
        sessions: 128,
        repeats: 6,
        seed: 42,
        file_bytes: 64_000_000_000,
        table_bytes: 64_000_000_000,
        shared_buffers_bytes: 16 << 30,
        server_cpus: (0..96).collect(),
        client_cpus: (96..128).collect(),
        steps: vec![
            step(Layer::Clock, "cost of reading the time", 2.0, 0),
            step(Layer::Memory, "latency and bandwidth of both nodes", 60.0, 0),
            step(Layer::Block, "reads and writes of 8 KiB and 1 MiB", 240.0, 120_000_000_000),
            step(Layer::Log, "durable appends, alone and beside writes", 80.0, 9_000_000_000),
            step(Layer::Database, "four workloads and their tests", 420.0, 90_000_000_000),
        ],
    }
}

fn findings() -> Vec<Finding> {
    vec![
        finding(
            Severity::Note,
            "dimm-slots-empty",
            Some("memory.bandwidth.read.node1"),
            "slots K1, L1 empty",
        ),
        finding(
            Severity::Suspect,
            "burst-only",
            Some("block.write.random.8k.knee"),
            "wrote 41 GB, 0.5 % of capacity",
        ),
        finding(
            Severity::Note,
            "durability-untested",
            Some("log.append.fdatasync.idle"),
            "durable: drives say so, untested",
        ),
    ]
}
