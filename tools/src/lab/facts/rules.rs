//! Which rules about a machine's structure fire, and about which disks; those not named must be silent.

use std::collections::BTreeSet;

use narrows_model::{Drive, Finding, Platform};
use narrows_validity::About;

use super::{Facts, disk, disk_mib, is};
use crate::lab::guest::Fires;

/// What a description says.
pub fn wanted(rules: &[Fires]) -> Facts {
    let about = |fires: &Fires| fires.disks_mib.iter().map(|mib| disk_mib(*mib)).collect();
    rules.iter().map(|fires| (key(fires.rule), about(fires))).map(fact).collect()
}

/// Of a platform.
pub fn found(platform: &Platform) -> Facts {
    let findings = narrows_validity::check_machine(platform);
    findings.iter().map(|finding| (key(&finding.id), disks(platform, finding))).map(fact).collect()
}

/// The rules that a text of `narrows platform` names.
pub fn told(text: &str) -> BTreeSet<&'static str> {
    let machine = narrows_validity::rules().iter().filter(|r| matches!(r.about, About::Machine));
    machine.filter(|rule| text.contains(&format!(" {}:", rule.id))).map(|rule| rule.id).collect()
}

fn key(id: &str) -> String {
    format!("rule {id}")
}

fn fact((key, mut disks): (String, Vec<String>)) -> (String, super::Fact) {
    disks.sort();
    let about = if disks.is_empty() { "no disk".to_string() } else { disks.join(" and ") };
    (key, is(format!("fires about {about}")))
}

/// The disks that a finding names, or whose controller it names.
fn disks(platform: &Platform, finding: &Finding) -> Vec<String> {
    let words: BTreeSet<&str> =
        finding.evidence.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let is_named = |drive: &&Drive| {
        let controller = drive.controller.as_deref();
        words.contains(drive.name.as_str()) || controller.is_some_and(|name| words.contains(name))
    };
    let drives = platform.devices.drives.iter().filter(is_named);
    drives.map(|drive| disk(drive.size_bytes)).collect()
}
