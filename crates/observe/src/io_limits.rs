//! The control group's I/O limits on the watched drives, before and after a window.
//!
//! A limit that is changed inside a window and changed back before its end is not seen here; it shows as a step in the
//! series of the measurement, if at all.

use narrows_facts::io_limits::{self, IoLimitFile, IoLimits};
use narrows_facts::{Live, Source};
use narrows_model::Platform;

use crate::counters::Counters;
use crate::drive::DriveSeen;

/// Open limit files, and the devices that matter.
#[derive(Debug, Default)]
pub(crate) struct LimitWatch {
    files: Vec<(IoLimitFile, Counters)>,
    /// `major:minor` of the drives and of what stands on them.
    devices: Vec<String>,
    /// Whether all traffic passes each of these devices.
    one_drive: bool,
}

impl LimitWatch {
    /// Watches the limits that the groups of `process` have on `drives` and on the devices of roles that stand on them.
    pub(crate) fn open(process: &str, platform: &Platform, drives: &[&String]) -> Self {
        let mut devices: Vec<String> = drives
            .iter()
            .filter_map(|drive| {
                let name = drive.replace('/', "!");
                (&Live as &dyn Source).text(&format!("/sys/class/block/{name}/dev"))
            })
            .map(|number| number.trim().to_string())
            .collect();
        let over = platform
            .roles
            .iter()
            .filter(|role| role.devices.iter().any(|d| drives.iter().any(|name| **name == d.name)))
            .flat_map(|role| &role.devices);
        devices.extend(over.map(|device| device.number.clone()));
        devices.sort_unstable();
        devices.dedup();
        // Files may be there and empty: no limit now, one in the middle.
        let files = io_limits::files_of(&Live, process)
            .into_iter()
            .filter_map(|file| Some((Counters::open_empty(&file.path)?, file)))
            .map(|(counters, file)| (file, counters))
            .collect();
        LimitWatch { files, devices, one_drive: drives.len() == 1 }
    }

    /// The limits now; absent where there are no limit files or no drives.
    pub(crate) fn read(&self) -> Option<IoLimits> {
        if self.files.is_empty() || self.devices.is_empty() {
            return None;
        }
        let mut limits = IoLimits::new();
        for (file, counters) in &self.files {
            file.take(&counters.text()?, &mut limits);
        }
        limits.retain(|(device, _), _| self.devices.contains(device));
        Some(limits)
    }

    /// Whether every limit is about all of the traffic.
    pub(crate) fn one_drive(&self) -> bool {
        self.one_drive
    }
}

/// What the drives did over the limit that was nearest; absent without limits.
pub(crate) fn share(limits: &IoLimits, drives: &DriveSeen, seconds: f64) -> Option<f64> {
    if seconds <= 0.0 {
        return None;
    }
    let shares = limits.iter().filter_map(|((_, kind), limit)| {
        let done = match kind.as_str() {
            "rbps" => drives.read_bytes,
            "wbps" => drives.write_bytes,
            "riops" => drives.reads,
            "wiops" => drives.writes,
            _ => return None,
        };
        Some(done as f64 / seconds / *limit as f64)
    });
    shares.reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_limit_counts() {
        let limit = |kind: &str, value| ((String::from("8:0"), kind.to_string()), value);
        let drives = DriveSeen { read_bytes: 8_000_000, reads: 1000, ..DriveSeen::default() };
        let limits = IoLimits::from([limit("rbps", 8_000_000), limit("riops", 2000)]);
        assert_eq!(share(&limits, &drives, 2.0), Some(0.5));
        assert_eq!(share(&IoLimits::from([limit("wiops", 1)]), &drives, 2.0), Some(0.0));
        assert_eq!(share(&IoLimits::new(), &drives, 2.0), None);
        assert_eq!(share(&limits, &drives, 0.0), None);
    }

    #[test]
    fn nothing_is_watched_where_no_drive_is_named() {
        assert_eq!(LimitWatch::open("self", &Platform::default(), &[]).read(), None);
        assert_eq!(LimitWatch::default().read(), None);
    }
}
