//! Ceilings of the drives under a server that was only looked at, held against what they moved meanwhile.

use narrows_model::{
    DeviceKind, Layer, LimitBasis, LimitShare, Measurement, Metric, MetricValue, Platform,
    RolePath, condition, metric,
};

use crate::storage;

/// What stacked devices write more than they were asked is in the drives' own counts, and so is what went to other drives.
fn counts_are_of_one_drive(platform: &Platform) -> bool {
    let drives = |path: &RolePath| path.devices.iter().map(|d| d.name.clone()).collect::<Vec<_>>();
    let plain = |path: &RolePath| {
        let stacked = |kind| matches!(kind, DeviceKind::Raid | DeviceKind::Mapper);
        !path.devices.iter().any(|device| stacked(device.kind))
    };
    let mut roles = platform.roles.iter();
    let Some(first) = roles.next() else { return false };
    plain(first) && roles.all(|path| drives(path) == drives(first))
}

/// The same as for a load of the drives, once for reads and once for writes; ids end in `:read` or `:write`. What is
/// configured for our own control group is none of the server's.
pub(crate) fn drives(m: &Measurement, platform: &Platform) -> Vec<LimitShare> {
    let directions = [("read", metric::DEVICE_READ_BYTES), ("write", metric::DEVICE_WRITE_BYTES)];
    directions
        .into_iter()
        .filter(|(direction, _)| *direction == "read" || counts_are_of_one_drive(platform))
        .filter_map(|(direction, bytes)| Some((direction, as_load(m, direction, bytes)?)))
        .flat_map(|(direction, load)| {
            let ceilings = storage(&load, platform).into_iter();
            ceilings
                .filter(|limit| limit.basis != LimitBasis::Configured)
                .map(move |limit| LimitShare { id: format!("{}:{direction}", limit.id), ..limit })
        })
        .collect()
}

/// What the drives moved in one direction, as a measurement of them.
fn as_load(m: &Measurement, direction: &str, bytes: Metric) -> Option<Measurement> {
    let window_s = m.value(metric::WINDOW).filter(|ns| *ns > 0.0)? / 1e9;
    let mut load = Measurement::new("block.observed", Layer::Block);
    load.conditions.insert(condition::DIRECTION, direction);
    let per_s = m.value(bytes)? / window_s;
    load.metrics.push(MetricValue::new(metric::BANDWIDTH, per_s, None, Vec::new()));
    Some(load)
}
