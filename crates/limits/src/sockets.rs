//! Links between sockets, where the drives are in one and the load in the other.

use narrows_model::{GroupLevel, LimitBasis, LimitShare, Measurement, Platform, RolePath, Unit};

use crate::table::Table;
use crate::{direction, reference_values, share};

/// With as many links as processors of that generation have at most, so that it is never too low. None for more than two sockets:
/// their links don't all lead to the same one.
pub(crate) fn links(m: &Measurement, platform: &Platform, path: &RolePath) -> Option<LimitShare> {
    let direction = direction(m)?;
    if platform.cpu.groups_at(GroupLevel::Package).count() != 2 {
        return None;
    }
    let load: Vec<u32> = match m.get(narrows_model::condition::CPUS.any()) {
        Some(cpus) => {
            let cpus = cpus.as_array()?.iter();
            cpus.map(|cpu| u32::try_from(cpu.as_u64()?).ok()).collect::<Option<_>>()?
        }
        None => platform.cpu.allowed.clone(),
    };
    let mut drives = path.drives().peekable();
    drives.peek()?;
    let homes: Option<Vec<usize>> =
        drives.map(|drive| reference_values::socket(platform, drive.numa_node?)).collect();
    let home = homes.and_then(|homes| {
        let first = *homes.first()?;
        homes.iter().all(|home| *home == first).then_some(first)
    })?;
    let package = platform.cpu.groups_at(GroupLevel::Package).nth(home)?;
    if load.is_empty() || load.iter().any(|cpu| package.cpus.contains(*cpu)) {
        return None;
    }
    let table = Table::builtin();
    let cpu = table.class(&reference_values::processor(platform)?)?.cpu()?;
    let class = table.class(cpu.socket_link.as_ref()?)?;
    let (_, most) = cpu.socket_links?;
    let way = class.way(direction);
    let figure = way.ceiling()?;
    let basis = if way.protocol.is_some() { LimitBasis::Protocol } else { LimitBasis::Raw };
    let source = format!(
        "{most} × {} at most, between the drives' socket and the load's: {}",
        class.title, figure.source
    );
    let value = figure.high * f64::from(most);
    share(m, format!("sockets:{}", class.id), basis, Unit::BytesPerS, value, source)
}
