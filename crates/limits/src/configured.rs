//! Limits an administrator set: a control group's I/O limits and processor quota.

use narrows_model::{
    BlockDevice, LimitBasis, LimitShare, Measurement, Platform, RolePath, Unit, condition, metric,
};

use crate::pcie::Direction;
use crate::{direction, share};

/// Operations larger than this may be split by the kernel before the limit counts them, bytes.
const UNSPLIT_BYTES: f64 = 65_536.0;

/// The control group's limits on the devices that all of the path's traffic passes.
pub(crate) fn io(m: &Measurement, platform: &Platform, path: &RolePath) -> Vec<LimitShare> {
    let Some(direction) = direction(m) else { return Vec::new() };
    let one_drive = path.drives().count() == 1;
    let passed: Vec<&BlockDevice> =
        path.devices.iter().take(if one_drive { usize::MAX } else { 1 }).collect();
    let mut limits = Vec::new();
    for limit in &platform.cgroup.io_limits {
        let unit = match (limit.kind.as_str(), direction) {
            ("rbps", Direction::Read) | ("wbps", Direction::Write) => Unit::BytesPerS,
            ("riops", Direction::Read) | ("wiops", Direction::Write) => Unit::OpsPerS,
            _ => continue,
        };
        let split = m.number(condition::BLOCK_BYTES).is_none_or(|bytes| bytes > UNSPLIT_BYTES);
        if unit == Unit::OpsPerS && split {
            continue;
        }
        let Some(device) = passed.iter().find(|d| d.number == limit.device) else { continue };
        let id = format!("cgroup:{}:{}", limit.kind, device.name);
        let source = format!("control group, {} of {}", limit.kind, limit.device);
        let value = limit.value as f64;
        limits.extend(share(m, id, LimitBasis::Configured, unit, value, source));
    }
    limits
}

/// The rate at which the processor quota is used up at the measured processor time per operation.
pub(crate) fn quota(m: &Measurement, platform: &Platform) -> Vec<LimitShare> {
    let quota = platform.cgroup.cpu_quota_cpus;
    let cpu_per_op_ns = m.value(metric::CPU_PER_OP).filter(|ns| *ns > 0.0);
    let (Some(quota), Some(cpu_per_op_ns)) = (quota, cpu_per_op_ns) else { return Vec::new() };
    let value = quota * 1e9 / cpu_per_op_ns;
    let source =
        format!("control group, quota of {quota} CPUs over the measured time per operation");
    let id = "cgroup:cpu".to_string();
    share(m, id, LimitBasis::Configured, Unit::OpsPerS, value, source).into_iter().collect()
}
