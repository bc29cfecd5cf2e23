//! Platforms and measurements for tests of what stands beside a measurement.

use narrows_limits::attach;
use narrows_model::{
    BlockDevice, DeviceKind, FileSystem, Layer, LimitBasis, Measurement, Metric, MetricValue,
    PcieLink, Plan, Platform, Role, RolePath, Run, Unit, condition, metric,
};
use serde_json::json;

pub fn link(address: &str, gts: f64, width: u32) -> PcieLink {
    PcieLink {
        address: address.to_string(),
        current_gts: Some(gts),
        current_width: Some(width),
        max_gts: Some(32.0),
        max_width: Some(width),
        flit_mode: None,
    }
}

pub fn drive(name: &str, pcie: Vec<PcieLink>) -> BlockDevice {
    BlockDevice {
        name: name.to_string(),
        number: format!("259:{}", name.len()),
        kind: DeviceKind::Disk,
        level: None,
        model: None,
        transport: None,
        size_bytes: None,
        slaves: Vec::new(),
        queue: None,
        numa_node: None,
        pcie,
    }
}

pub fn raid(level: &str, drives: &[&str]) -> BlockDevice {
    BlockDevice {
        kind: DeviceKind::Raid,
        level: Some(level.to_string()),
        slaves: drives.iter().map(|name| name.to_string()).collect(),
        ..drive("md0", Vec::new())
    }
}

pub fn platform(devices: Vec<BlockDevice>) -> Platform {
    Platform {
        roles: vec![RolePath {
            role: Role::Data,
            path: "/data".to_string(),
            file_system: FileSystem::default(),
            devices,
        }],
        ..Platform::default()
    }
}

pub fn measurement(id: &str, layer: Layer, metrics: &[(Metric, f64)]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.metrics = metrics
        .iter()
        .map(|(name, value)| MetricValue::new(*name, *value, None, vec![*value]))
        .collect();
    m
}

/// 8 KiB operations at this rate.
pub fn block(direction: &str, per_s: f64) -> Measurement {
    let rates = [(metric::THROUGHPUT, per_s), (metric::BANDWIDTH, per_s * 8192.0)];
    let mut m = measurement(&format!("block.{direction}.random.8k.knee"), Layer::Block, &rates);
    m.workload.insert(condition::BLOCK_BYTES, json!(8192));
    m
}

/// A run of one measurement.
pub fn run(platform: Platform, m: Measurement) -> Run {
    let mut run = Run::blank(Plan::default(), platform);
    run.measurements = vec![m];
    run
}

pub fn limits(platform: Platform, m: Measurement) -> Vec<narrows_model::LimitShare> {
    let mut run = run(platform, m);
    attach(&mut run);
    let once = run.measurements[0].limits.clone();
    attach(&mut run);
    assert_eq!(run.measurements[0].limits, once, "a second time must change nothing");
    once
}

pub fn ceiling(limits: &[narrows_model::LimitShare], basis: LimitBasis, unit: Unit) -> Option<f64> {
    limits.iter().find(|l| l.basis == basis && l.unit == unit).map(|l| l.value)
}
