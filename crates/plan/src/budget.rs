//! Lanes as a budget: what is plugged into a processor needs no more of them than there are.

use narrows_limits::table::{Class, Detail, Family, LaneUse, lanes_left};

use crate::description::{Attachment, Carrier, Description};
use crate::entry::Document;
use crate::error::{PlanError, Source};

pub(crate) fn check(
    source: Source<'_>,
    document: &Document,
    platform: &Description,
) -> Result<(), PlanError> {
    for (index, machine) in platform.machines.iter().enumerate() {
        let Some(lanes) = machine.lanes else { continue };
        if let Err(overdrawn) = lanes_left(lanes, &plugged(platform, Attachment::Machine(index))) {
            let at = document.machine[index].get_ref().name.span();
            let hint = "put drives behind a PCIe [[switch]], use fewer or narrower devices, or a CPU (or a second one) with more lanes";
            let what = format!("machine {}: lanes", machine.name);
            return Err(source.error(&at, what, overdrawn.to_string(), hint));
        }
    }
    Ok(())
}

/// What hangs directly at a place.
fn plugged(platform: &Description, at: Attachment) -> Vec<LaneUse> {
    let drives = platform.drives.iter().filter(|drives| drives.at == at);
    let drives = drives.filter_map(|drives| {
        Some(LaneUse { count: drives.count, lanes: lanes(drives.class.as_ref()?)? })
    });
    let adapters = platform.adapters.iter().filter(|adapter| adapter.at == at);
    let adapters =
        adapters.filter_map(|adapter| Some(LaneUse { count: 1, lanes: lanes(&adapter.slot)? }));
    let switches = platform.switches.iter().filter_map(|switch| match &switch.uplink {
        Some((above, Carrier::Class(class))) if *above == at => {
            Some(LaneUse { count: 1, lanes: lanes(class)? })
        }
        _ => None,
    });
    let mut uses: Vec<LaneUse> = Vec::new();
    for one in drives.chain(adapters).chain(switches) {
        match uses.iter_mut().find(|known| known.lanes == one.lanes) {
            Some(known) => known.count = known.count.saturating_add(one.count),
            None => uses.push(one),
        }
    }
    uses
}

/// Lanes of PCI Express that a class takes; other links take none of a processor's.
fn lanes(class: &Class) -> Option<u32> {
    match (&class.detail, class.family) {
        (Detail::Link(link), Family::Pcie | Family::Nvme) => Some(link.lanes),
        _ => None,
    }
}
