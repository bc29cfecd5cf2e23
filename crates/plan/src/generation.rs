//! What can't be plugged together: slots, drives' links and modules are at most as new as the processor's own.

use narrows_limits::table::{Class, Detail, Family};

use crate::description::{Attachment, Carrier, Description};
use crate::entry::{Document, Text};
use crate::error::{PlanError, Source};

/// Signal rates of one lane, bits/s, of PCI Express 1.0 and on (PCI Express Base Specifications 1.1 to 6.0).
const SIGNALS_BITS_PER_S: [f64; 6] = [2.5e9, 5e9, 8e9, 16e9, 32e9, 64e9];

/// Refuses what hangs directly at a processor of an older generation of PCI Express.
pub(crate) fn check(
    source: Source<'_>,
    document: &Document,
    platform: &Description,
) -> Result<(), PlanError> {
    for (index, machine) in platform.machines.iter().enumerate() {
        let Some(cpu) = &machine.cpu else { continue };
        let newer = |class: &Class| is_newer(class, cpu.pcie_generation);
        let Some((what, id, class)) = plugged(document, platform, Attachment::Machine(index))
            .into_iter()
            .find(|(_, _, class)| newer(class))
        else {
            continue;
        };
        let own = cpu.pcie_generation;
        let why = format!("the processor of {} has PCI Express {own}.0", machine.name);
        let hint = match older(&class.id, own) {
            Some(name) => format!("a link is as fast as its slower end: write `{name}`"),
            None => "a link is as fast as its slower end: write the processor's".to_string(),
        };
        return Err(source.error(&id.span(), format!("{what} `{}`", class.id), why, hint));
    }
    Ok(())
}

/// What hangs directly at a place: its name, where its class stands, the class.
fn plugged<'a>(
    document: &'a Document,
    platform: &'a Description,
    at: Attachment,
) -> Vec<(String, &'a Text, &'a Class)> {
    let mut all = Vec::new();
    for (entry, drives) in document.drives.iter().zip(&platform.drives) {
        if let (true, Some(id), Some(class)) =
            (drives.at == at, &entry.get_ref().class, &drives.class)
        {
            all.push((format!("drives {}: class", drives.name), id, class));
        }
    }
    for (entry, adapter) in document.adapter.iter().zip(&platform.adapters) {
        if adapter.at == at {
            let what = format!("adapter {}: slot", adapter.name);
            all.push((what, &entry.get_ref().slot, &adapter.slot));
        }
    }
    for (entry, switch) in document.switch.iter().zip(&platform.switches) {
        if let (Some((above, Carrier::Class(class))), Some(id)) =
            (&switch.uplink, &entry.get_ref().class)
            && *above == at
        {
            all.push((format!("switch {}: class", switch.name), id, class.as_ref()));
        }
    }
    all
}

/// Whether a link of PCI Express signals faster than a generation does.
fn is_newer(class: &Class, generation: u32) -> bool {
    let own = (generation as usize).checked_sub(1).and_then(|at| SIGNALS_BITS_PER_S.get(at));
    match (&class.detail, class.family, own) {
        (Detail::Link(link), Family::Pcie | Family::Nvme, Some(own)) => {
            link.signal_bits_per_s > *own
        }
        _ => false,
    }
}

/// The same class of an older generation: `pcie-gen5-x16` → `pcie-gen4-x16`.
fn older(id: &str, generation: u32) -> Option<String> {
    let (before, after) = id.split_once("-gen")?;
    let (_, lanes) = after.split_once('-')?;
    Some(format!("{before}-gen{generation}-{lanes}"))
}

/// What modules are, by the name of their class: `ddr5` for `ddr5-4800`; `None` for classes of other names.
pub(crate) fn modules(class: &str) -> Option<&str> {
    match class.split('-').next()? {
        "mrdimm" => Some("ddr5"),
        kind if kind.starts_with("ddr") => Some(kind),
        _ => None,
    }
}
