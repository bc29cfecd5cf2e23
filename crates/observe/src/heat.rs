//! Heat: processors that slow themselves down, and drives above the temperature from which on they warn.
//!
//! Processors count it (`thermal_throttle`, x86 with Linux). Of a drive only the temperature can be read without its own
//! commands: NVMe drives and, with the module `drivetemp`, SATA drives have a sensor among the kernel's. That a drive did
//! slow down stands in its log page alone, which takes root and a command of its own: not read here.

use narrows_facts::Source;

use crate::counters::Counters;

const CPUS: &str = "/sys/devices/system/cpu";
/// Limits outside of that are none: some drives state 0 K.
const LIMITS_MC: std::ops::Range<f64> = 20_000.0..150_000.0;

/// Open counters and sensors.
#[derive(Debug, Default)]
pub(crate) struct HeatWatch {
    stops: Vec<Counters>,
    drives: Vec<Sensor>,
}

#[derive(Debug)]
struct Sensor {
    now: Counters,
    /// Thousandths of a degree Celsius.
    limit_mc: f64,
}

impl HeatWatch {
    /// `drives` are kernel names; `open` gives the counters at a path of `source`.
    pub(crate) fn open(
        source: &dyn Source,
        drives: &[&String],
        open: impl Fn(&str) -> Option<Counters>,
    ) -> Self {
        let stops = stop_files(source).iter().filter_map(|path| open(path)).collect();
        let drives = drives
            .iter()
            .flat_map(|name| sensors(source, &name.replace('/', "!")))
            .filter_map(|(path, limit_mc)| Some(Sensor { now: open(&path)?, limit_mc }))
            .collect();
        HeatWatch { stops, drives }
    }

    /// Times processors and packages slowed themselves down, since the machine was started.
    pub(crate) fn stops(&self) -> Option<u64> {
        self.stops.iter().filter_map(number).map(|count| count as u64).reduce(|a, b| a + b)
    }

    /// Of the hottest drive: temperature over limit. Asking a sensor may send its drive a command, so this is for the time
    /// behind a window.
    pub(crate) fn drives(&self) -> Option<f64> {
        let share = |sensor: &Sensor| Some(number(&sensor.now)? / sensor.limit_mc);
        self.drives.iter().filter_map(share).reduce(f64::max)
    }
}

fn number(counters: &Counters) -> Option<f64> {
    counters.text()?.trim().parse().ok()
}

/// Counters of every processor, and of the first one of each package for the package, which all of its processors show.
fn stop_files(source: &dyn Source) -> Vec<String> {
    let mut packages = Vec::new();
    let mut files = Vec::new();
    for name in source.list(CPUS).unwrap_or_default() {
        let is_cpu = name.strip_prefix("cpu").is_some_and(|rest| rest.parse::<u32>().is_ok());
        if !is_cpu {
            continue;
        }
        let folder = format!("{CPUS}/{name}");
        let package = source.text(&format!("{folder}/topology/physical_package_id"));
        files.push(format!("{folder}/thermal_throttle/core_throttle_count"));
        if !packages.contains(&package) {
            packages.push(package);
            files.push(format!("{folder}/thermal_throttle/package_throttle_count"));
        }
    }
    files.retain(|file| source.exists(file));
    files
}

/// Where the temperature of a drive is read, with its limit; the place changed with kernels.
fn sensors(source: &dyn Source, name: &str) -> Vec<(String, f64)> {
    let device = format!("/sys/class/block/{name}/device");
    let places = [
        device.clone(),
        format!("{device}/hwmon"),
        format!("{device}/device"),
        format!("{device}/device/hwmon"),
    ];
    let folders = places.iter().flat_map(|place| {
        let names = source.list(place).unwrap_or_default();
        let own = |name: &String| name.strip_prefix("hwmon").is_some_and(|n| !n.is_empty());
        names.into_iter().filter(own).map(move |name| format!("{place}/{name}"))
    });
    folders
        .filter_map(|folder| {
            let limit = |file: &str| {
                source
                    .number::<f64>(&format!("{folder}/{file}"))
                    .filter(|mc| LIMITS_MC.contains(mc))
            };
            let limit_mc = limit("temp1_max").or_else(|| limit("temp1_crit"))?;
            Some((format!("{folder}/temp1_input"), limit_mc))
        })
        .take(1)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use narrows_facts::Tree;

    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let file = root.join(path.trim_start_matches('/'));
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn watch(root: &Path, drives: &[&String]) -> HeatWatch {
        let real = |path: &str| Counters::open(root.join(&path[1..]).to_str().unwrap());
        HeatWatch::open(&Tree::new(root), drives, real)
    }

    #[test]
    fn processors_count_once_and_packages_once() {
        let dir = tempfile::tempdir().unwrap();
        for cpu in 0..4 {
            let folder = format!("{CPUS}/cpu{cpu}");
            let package = cpu / 2;
            put(
                dir.path(),
                &format!("{folder}/topology/physical_package_id"),
                &package.to_string(),
            );
            put(dir.path(), &format!("{folder}/thermal_throttle/core_throttle_count"), "2\n");
            put(dir.path(), &format!("{folder}/thermal_throttle/package_throttle_count"), "10\n");
        }
        put(dir.path(), &format!("{CPUS}/cpufreq/thermal_throttle/core_throttle_count"), "99\n");
        let watch = watch(dir.path(), &[]);
        assert_eq!((watch.stops(), watch.drives()), (Some(4 * 2 + 2 * 10), None));
        put(dir.path(), &format!("{CPUS}/cpu3/thermal_throttle/core_throttle_count"), "5\n");
        assert_eq!(watch.stops(), Some(31));
    }

    #[test]
    fn the_hottest_drive_counts_wherever_the_kernel_has_its_sensor() {
        let dir = tempfile::tempdir().unwrap();
        let nvme = "/sys/class/block/nvme0n1/device/hwmon1";
        put(dir.path(), &format!("{nvme}/temp1_input"), "40850\n");
        put(dir.path(), &format!("{nvme}/temp1_max"), "81700\n");
        let sata = "/sys/class/block/sda/device/hwmon/hwmon3";
        put(dir.path(), &format!("{sata}/temp1_input"), "66000\n");
        // No limit of its own that can be believed, so the next one.
        put(dir.path(), &format!("{sata}/temp1_max"), "-273150\n");
        put(dir.path(), &format!("{sata}/temp1_crit"), "60000\n");
        let (nvme, sata, none) = ("nvme0n1".to_string(), "sda".to_string(), "vda".to_string());
        assert_eq!(watch(dir.path(), &[&nvme]).drives(), Some(0.5));
        assert_eq!(watch(dir.path(), &[&nvme, &sata]).drives(), Some(1.1));
        let none = watch(dir.path(), &[&none]);
        assert_eq!((none.stops(), none.drives()), (None, None));
    }
}
