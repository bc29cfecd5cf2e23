//! A machine's files, of which any may hold anything: discovery ends, and what it found can be shown and judged.

use std::path::Path;
use std::sync::OnceLock;

use narrows_facts::Source;
use narrows_model::{Inventory, Platform, Role};
use narrows_report::{HTML, Screen, TEXT};

use super::text;
use crate::property;
use crate::source::Made;

/// A machine with something of each kind that discovery knows, as `source` reads it.
const USUAL: &[u8] = include_bytes!("../../seeds/machine/usual");

/// The input is a whole machine.
pub fn whole(data: &[u8]) {
    discovered(&Made::of(data));
}

/// The input is one file of a machine that is in order otherwise: its first two bytes say which.
pub fn one_file(data: &[u8]) {
    static PATHS: OnceLock<Vec<String>> = OnceLock::new();
    let Some((which, contents)) = data.split_first_chunk::<2>() else { return };
    let mut machine = Made::of(USUAL);
    let paths = PATHS.get_or_init(|| machine.files().map(str::to_string).collect());
    machine.file(&paths[usize::from(u16::from_le_bytes(*which)) % paths.len()], contents);
    discovered(&machine);
}

/// What the command does with a machine that is not the one it runs on.
pub fn discovered(source: &dyn Source) {
    let roles = [(Role::Data, Path::new("/data")), (Role::Wal, Path::new("/wal"))];
    let platform = narrows_platform::discover(source, &roles);
    shown(&platform);
    let _ = narrows_platform::running_databases(source);
    let _ = narrows_facts::io_limits::read(source);
    let _ = narrows_facts::cgroup::cpu_stat_files(source);
}

/// Judged, and in each form.
pub fn shown(platform: &Platform) {
    let findings = narrows_validity::check_machine(platform);
    let document = narrows_report::inventory(&Inventory { platform: platform.clone(), findings });
    let print = |form| narrows_report::render(&document, form, Screen::PLAIN);
    property::harmless(&print(&TEXT));
    let page = print(&HTML);
    assert!(page.contains("</html>"), "the page has no end");
    let _ = text(page.as_bytes());
}
