//! Which threads are on-line, and which are there and off-line.

use std::collections::BTreeSet;

use narrows_facts::{Source, parse_cpu_list};
use narrows_model::IdSet;

use super::CPUS;
use crate::unknown::Unknowns;

/// On-line threads, ascending, and those that are off-line.
pub(super) fn read(source: &dyn Source, unknown: &mut Unknowns) -> (Vec<u32>, IdSet) {
    let names = source.list(CPUS).unwrap_or_default();
    let folders: BTreeSet<u32> =
        names.iter().filter_map(|name| name.strip_prefix("cpu")?.parse().ok()).collect();
    let list =
        |name: &str| source.text(&format!("{CPUS}/{name}")).map(|text| parse_cpu_list(&text));
    let online = match list("online") {
        Some(said) => with_folder(said, &folders, unknown),
        None => without_a_list(source, &folders),
    };
    let there = list("present").unwrap_or_else(|| folders.into_iter().collect());
    let offline = there.into_iter().filter(|cpu| online.binary_search(cpu).is_err()).collect();
    (online, offline)
}

/// Those of the list that have a folder. A copy may hold a part of them; where it holds none, the list is believed.
fn with_folder(said: Vec<u32>, folders: &BTreeSet<u32>, unknown: &mut Unknowns) -> Vec<u32> {
    let missing = said.iter().filter(|cpu| !folders.contains(cpu)).count();
    if missing == 0 || folders.is_empty() || missing == said.len() {
        return said;
    }
    unknown.add(
        format!("{missing} of the {} processors that are on-line", said.len()),
        format!("{CPUS}, whole: it has no folder for them, and they are left out"),
    );
    said.into_iter().filter(|cpu| folders.contains(cpu)).collect()
}

/// Kernels before 2.6.26 have no list.
fn without_a_list(source: &dyn Source, folders: &BTreeSet<u32>) -> Vec<u32> {
    // The file is absent for a processor that can't be taken off-line.
    let on = |cpu: &u32| source.text(&format!("{CPUS}/cpu{cpu}/online")).as_deref() != Some("0");
    let listed: Vec<u32> = folders.iter().copied().filter(on).collect();
    if !listed.is_empty() {
        return listed;
    }
    let stat = source.text("/proc/stat").unwrap_or_default();
    let lines = stat.lines().filter_map(|line| line.strip_prefix("cpu"));
    let numbers = lines.filter_map(|rest| rest.split(' ').next()?.parse().ok());
    let ids: IdSet = numbers.filter(|id| *id < IdSet::END).collect();
    ids.ids().to_vec()
}
