//! Whether the drives lost their power, by their own counters.
//!
//! A reset, a panic, a watchdog and a killed virtual machine look like a cut from outside: the writer falls silent and its machine boots.
//! The drives keep their power through it, write out what their caches hold, and one that lies about its flushes passes. Each drive
//! counts how often it was switched on; that count is read before the first record and after the boot.

use narrows_facts::power::{self, PowerCounts};
use narrows_facts::{Live, Source};
use serde::{Deserialize, Serialize};

/// What a drive counted at some moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrivePower {
    /// The kernel's name then.
    pub name: String,
    /// A digest of its serial number; names change from boot to boot.
    pub drive: String,
    /// Times it was switched on.
    pub cycles: u64,
    /// Times it lost its power unannounced; absent where it doesn't count that.
    #[serde(default)]
    pub unannounced: Option<u64>,
}

/// What the drives' counters say of their power between the first record and now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DrivesPower {
    /// Each lost it, unannounced as far as it counts that; with the figures.
    Lost(String),
    /// One kept it, or was told before it was switched off; with the figures.
    Kept(String),
    /// The counters of one or all are not known; why.
    Unknown(String),
}

/// Counters of these drives, by the kernel's names; of those that say.
pub(crate) fn of_drives<'a>(names: impl Iterator<Item = &'a str>) -> Vec<DrivePower> {
    names.filter_map(|name| of_drive(&Live, name)).collect()
}

fn of_drive(source: &dyn Source, name: &str) -> Option<DrivePower> {
    let drive = narrows_platform::drive_digest(source, name)?;
    let PowerCounts { cycles, unannounced } = power::counts(name).ok()?;
    Some(DrivePower { name: name.to_string(), drive, cycles, unannounced })
}

/// Counters, now, of the drives that the list has.
pub fn drives_now(listed: &[DrivePower]) -> Vec<DrivePower> {
    let source: &dyn Source = &Live;
    if listed.is_empty() {
        return Vec::new();
    }
    let names = source.list("/sys/block").unwrap_or_default();
    let known = |name: &&String| {
        let digest = narrows_platform::drive_digest(source, name);
        digest.is_some_and(|digest| listed.iter().any(|drive| drive.drive == digest))
    };
    names.iter().filter(known).filter_map(|name| of_drive(source, name)).collect()
}

impl DrivesPower {
    /// Nothing was read.
    pub fn unread() -> DrivesPower {
        DrivesPower::Unknown(
            "no drive's count of power cycles was read before the first record".to_string(),
        )
    }

    /// From the counters of all `drives` at the first record to those now.
    pub fn between(before: &[DrivePower], drives: u32, now: &[DrivePower]) -> DrivesPower {
        if before.is_empty() || (before.len() as u64) < u64::from(drives) {
            return DrivesPower::unread();
        }
        let mut said = Vec::new();
        let mut unknown = None;
        for drive in before {
            let Some(after) = now.iter().find(|after| after.drive == drive.drive) else {
                unknown = Some(format!(
                    "{} says nothing of its power cycles now (reading them takes root)",
                    drive.name
                ));
                continue;
            };
            let name = &after.name;
            if after.cycles <= drive.cycles {
                return DrivesPower::Kept(format!(
                    "{name} kept its power: it has counted {} power cycles, before as after",
                    drive.cycles
                ));
            }
            if let (Some(before), Some(after)) = (drive.unannounced, after.unannounced)
                && after <= before
            {
                return DrivesPower::Kept(format!(
                    "{name} was told before its power went, so that it could write out its cache: it counts no unsafe shutdown more"
                ));
            }
            said.push(format!(
                "{name} counts {} power cycles, {} before",
                after.cycles, drive.cycles
            ));
        }
        match unknown {
            Some(why) => DrivesPower::Unknown(why),
            None => DrivesPower::Lost(said.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(drive: &str, cycles: u64, unannounced: Option<u64>) -> DrivePower {
        DrivePower { name: format!("nvme{drive}n1"), drive: drive.to_string(), cycles, unannounced }
    }

    #[test]
    fn a_reset_leaves_the_count_and_a_cut_raises_it() {
        let before = [drive("0", 40, Some(9)), drive("1", 7, None)];
        let between = |now: &[DrivePower]| DrivesPower::between(&before, 2, now);
        let cut = [drive("1", 8, None), drive("0", 41, Some(10))];
        let DrivesPower::Lost(text) = between(&cut) else { panic!("{:?}", between(&cut)) };
        assert!(text.contains("41 power cycles, 40 before"), "{text}");
        let DrivesPower::Kept(text) = between(&before) else { panic!("a reset") };
        assert!(text.contains("kept its power") && text.contains("40"), "{text}");
        // One of two that is on another supply.
        assert!(matches!(between(&[cut[1].clone(), before[1].clone()]), DrivesPower::Kept(_)));
        // Switched off in order.
        let orderly = [drive("0", 41, Some(9)), drive("1", 8, None)];
        assert!(matches!(between(&orderly), DrivesPower::Kept(text) if text.contains("was told")));
    }

    #[test]
    fn what_was_not_read_is_not_known() {
        let one = [drive("0", 40, None)];
        let unknown = |found: DrivesPower| matches!(found, DrivesPower::Unknown(_));
        assert!(unknown(DrivesPower::between(&[], 0, &[])));
        assert!(unknown(DrivesPower::between(&one, 2, &[drive("0", 41, None)])), "one of two");
        assert!(unknown(DrivesPower::between(&one, 1, &[])), "not asked, or not allowed to");
        assert!(unknown(DrivesPower::between(&one, 1, &[drive("2", 41, None)])), "another drive");
        assert_eq!(drives_now(&[]), Vec::new());
    }
}
