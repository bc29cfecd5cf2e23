//! Machines and plan, in full.

use narrows_model::{Finding, Platform};
use narrows_units::Nanos;
use serde_json::{Map, Value};

use super::values::{as_objects, blocks, facts, words};
use crate::chart::boxes;
use crate::document::{At, Block, Column, Depth, Row, Section, Table};
use crate::print::Units;
use crate::report::Report;

/// Every machine of the run.
pub(super) fn machines(report: &Report) -> Option<Section> {
    let mut section = Section::new("machine", "Machine").from(Depth::Page);
    for host in &report.run.hosts {
        let name = host.platform.hostname.as_deref().unwrap_or("host");
        // Findings name no host, so with several of them none is drawn at a box.
        let alone = report.run.hosts.len() == 1;
        if !alone {
            section.blocks.push(Block::Heading(name.into()));
        }
        let findings = if alone { report.run.findings.as_slice() } else { &[] };
        section.blocks.extend(machine(&host.platform, name, findings, report.units));
    }
    Some(section)
}

/// The picture of one machine and all that is known of it.
pub(super) fn machine(
    platform: &Platform,
    name: &str,
    findings: &[Finding],
    units: Units,
) -> Vec<Block> {
    let picture = boxes::picture(platform, name, findings);
    let mut all: Vec<Block> = picture.map(|svg| Block::figure("", "", svg)).into_iter().collect();
    let Ok(Value::Object(platform)) = serde_json::to_value(platform) else { return all };
    let (nested, flat): (Map<_, _>, Map<_, _>) = platform
        .into_iter()
        .filter(|(_, v)| !v.is_null())
        .partition(|(_, v)| v.is_object() || as_objects(v).is_some());
    all.push(facts(&flat, units));
    all.extend(
        nested.iter().map(|(key, value)| Block::Folded(words(key).into(), blocks(value, units))),
    );
    all
}

/// What was asked for, step by step.
pub(super) fn plan(report: &Report) -> Option<Section> {
    let plan = &report.run.plan;
    let mut section = Section::new("plan", "Plan").from(Depth::Page);
    if let Ok(Value::Object(mut map)) = serde_json::to_value(plan) {
        map.remove("steps");
        section.blocks.push(facts(&map, report.units));
    }
    let mut table = Table::new(vec![
        Column::name("layer", 0),
        Column::words("step", At::Left(10)),
        Column::figure("expected", 80),
        Column::figure("writes at most", 98),
    ]);
    let rows = plan.steps.iter().map(|step| {
        let cells = vec![
            step.layer.word().into(),
            step.what.as_str().into(),
            Nanos::from_secs_f64(step.expected_s).to_string().into(),
            report.units.bytes(step.writes_bytes as f64).into(),
        ];
        Row::Cells(cells, Vec::new())
    });
    table.rows = rows.collect();
    if !table.rows.is_empty() {
        section.blocks.push(Block::Table(table));
    }
    Some(section)
}
