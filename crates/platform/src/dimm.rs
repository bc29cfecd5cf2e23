//! Memory modules, from whichever of three places can be read:
//! the udev database (open to all; systemd 248 and later fill it on physical machines), the firmware's SMBIOS tables
//! (root), the kernel's parsed entries of them (root).

use std::collections::BTreeMap;

use narrows_facts::Source;
use narrows_model::Dimm;

use crate::smbios;
use crate::unknown::Unknowns;

const WHAT: &str = "memory modules: slots, type, speed";

pub(crate) fn read(source: &dyn Source, unknown: &mut Unknowns) -> Option<Vec<Dimm>> {
    let found = from_udev(source).or_else(|| from_tables(source)).or_else(|| from_entries(source));
    if found.is_none() {
        if source.exists("/sys/firmware/dmi/tables") || source.exists("/sys/firmware/dmi/entries") {
            unknown.add(WHAT, "root, or systemd 248 or later, which publishes them to all users");
        } else if source.exists("/sys/class/dmi/id") {
            unknown
                .add(WHAT, "systemd 248 or later; this kernel does not show the firmware's tables");
        } else {
            unknown.add(WHAT, "firmware with SMBIOS tables; this machine or container shows none");
        }
    }
    found
}

/// Lines `E:MEMORY_DEVICE_3_SIZE=17179869184`, written by systemd's `dmi_memory_id`.
fn from_udev(source: &dyn Source) -> Option<Vec<Dimm>> {
    let text = source.text("/run/udev/data/+dmi:id")?;
    let mut slots: BTreeMap<u32, BTreeMap<&str, &str>> = BTreeMap::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("E:MEMORY_DEVICE_") else { continue };
        let Some((number, rest)) = rest.split_once('_') else { continue };
        let (Ok(number), Some((key, value))) = (number.parse(), rest.split_once('=')) else {
            continue;
        };
        slots.entry(number).or_default().insert(key, value);
    }
    let dimms = slots.into_values().map(|slot| {
        let text = |key: &str| slot.get(key).copied().filter(|value| !value.is_empty());
        let present = text("PRESENT") != Some("0");
        let known = |key| text(key).filter(|value| present && *value != "Unknown");
        let speed = |key| known(key).and_then(|value| value.parse().ok()).filter(|&mts| mts > 0);
        Dimm {
            locator: text("LOCATOR").map(str::to_string),
            size_bytes: known("SIZE").and_then(|value| value.parse().ok()).filter(|&size| size > 0),
            kind: known("TYPE").map(str::to_string),
            rated_mts: speed("SPEED_MTS"),
            configured_mts: speed("CONFIGURED_SPEED_MTS"),
        }
    });
    let dimms: Vec<Dimm> = dimms.collect();
    (!dimms.is_empty()).then_some(dimms)
}

fn from_tables(source: &dyn Source) -> Option<Vec<Dimm>> {
    let table = source.read("/sys/firmware/dmi/tables/DMI").ok()?;
    let dimms: Vec<Dimm> = smbios::structures(&table).filter_map(smbios::memory_device).collect();
    (!dimms.is_empty()).then_some(dimms)
}

/// One folder per structure, `17-0`, `17-1`: type 17 is a memory device.
fn from_entries(source: &dyn Source) -> Option<Vec<Dimm>> {
    const FOLDER: &str = "/sys/firmware/dmi/entries";
    let mut slots: Vec<u32> = source
        .list(FOLDER)
        .ok()?
        .iter()
        .filter_map(|name| name.strip_prefix("17-")?.parse().ok())
        .collect();
    slots.sort_unstable();
    let dimms: Vec<Dimm> = slots
        .into_iter()
        .filter_map(|slot| {
            let raw = source.read(&format!("{FOLDER}/17-{slot}/raw")).ok()?;
            smbios::structures(&raw).find_map(smbios::memory_device)
        })
        .collect();
    (!dimms.is_empty()).then_some(dimms)
}
