//! The counters of drives around a stage, for fio's `disk_util` (Linux `Documentation/admin-guide/iostats.rst`).

use std::collections::BTreeMap;
use std::time::Instant;

use narrows_fio::json::Device;

/// The counters of named drives at one moment; one without counters is left out.
#[derive(Debug, Clone)]
pub struct Disks {
    at: Instant,
    counts: BTreeMap<String, [u64; 11]>,
}

impl Disks {
    /// Looks at those drives.
    pub fn look(names: &[String]) -> Disks {
        let text = std::fs::read_to_string("/proc/diskstats").unwrap_or_default();
        Disks { at: Instant::now(), counts: parse(&text, names) }
    }

    /// What they did since `before`.
    pub fn since(&self, before: &Disks) -> Vec<Device> {
        let ms = self.at.saturating_duration_since(before.at).as_secs_f64() * 1000.0;
        let seen = self.counts.iter().filter_map(|(name, after)| {
            let before = before.counts.get(name)?;
            let delta: [u64; 11] = std::array::from_fn(|i| after[i].saturating_sub(before[i]));
            Some(device(name, &delta, ms))
        });
        seen.collect()
    }
}

fn device(name: &str, delta: &[u64; 11], ms: f64) -> Device {
    let [
        reads,
        read_merges,
        read_sectors,
        read_ms,
        writes,
        write_merges,
        write_sectors,
        write_ms,
        _,
        busy_ms,
        queue_ms,
    ] = *delta;
    Device {
        name: name.to_string(),
        read_ios: reads,
        write_ios: writes,
        read_sectors,
        write_sectors,
        read_merges,
        write_merges,
        read_ms,
        write_ms,
        in_queue_ms: queue_ms,
        util_percent: if ms > 0.0 { (busy_ms as f64 * 100.0 / ms).min(100.0) } else { 0.0 },
    }
}

/// Devices of several stages as one list: counts add up, and of the busy shares the largest stands.
pub fn add(all: &mut Vec<Device>, more: Vec<Device>) {
    for device in more {
        let Some(sum) = all.iter_mut().find(|other| other.name == device.name) else {
            all.push(device);
            continue;
        };
        for (sum, part) in [
            (&mut sum.read_ios, device.read_ios),
            (&mut sum.write_ios, device.write_ios),
            (&mut sum.read_sectors, device.read_sectors),
            (&mut sum.write_sectors, device.write_sectors),
            (&mut sum.read_merges, device.read_merges),
            (&mut sum.write_merges, device.write_merges),
            (&mut sum.read_ms, device.read_ms),
            (&mut sum.write_ms, device.write_ms),
            (&mut sum.in_queue_ms, device.in_queue_ms),
        ] {
            *sum += part;
        }
        sum.util_percent = sum.util_percent.max(device.util_percent);
    }
}

fn parse(text: &str, names: &[String]) -> BTreeMap<String, [u64; 11]> {
    let line = |line: &str| {
        let mut words = line.split_whitespace().skip(2);
        let name = words.next().filter(|name| names.iter().any(|wanted| wanted == name))?;
        let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
        Some((name.to_string(), numbers.get(..11)?.try_into().ok()?))
    };
    text.lines().filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_window_by_hand() {
        let names = ["vda".to_string(), "vdz".to_string()];
        let look = |text: &str, at| Disks { at, counts: parse(text, &names) };
        let began = Instant::now();
        let before = look(" 254 0 vda 10 1 80 5 20 2 160 6 0 33 40 1 0 8 0 7 3\n", began);
        let after = " 7 0 loop0 1 0 8 0 0 0 0 0 0 4 0\n 254 0 vda 110 3 880 25 30 2 240 9 1 533 99 1 0 8 0 7 3\n";
        let after = look(after, began + Duration::from_secs(1));
        let seen = after.since(&before);
        let [vda] = seen.as_slice() else { panic!("one drive: {seen:?}") };
        assert_eq!((vda.name.as_str(), vda.read_ios, vda.read_sectors), ("vda", 100, 800));
        assert_eq!((vda.read_merges, vda.read_ms, vda.write_ios), (2, 20, 10));
        assert_eq!((vda.write_sectors, vda.write_ms, vda.in_queue_ms), (80, 3, 59));
        assert!((vda.util_percent - 50.0).abs() < 1e-9);
        let mut all = seen.clone();
        add(&mut all, seen);
        assert_eq!((all.len(), all[0].read_ios, all[0].util_percent), (1, 200, 50.0));
    }
}
