//! What writing to a device would destroy and wear, in sentences for the user to read before consenting.

use narrows_units::{Bytes, significant};

use crate::{Device, Wear};

/// What would be lost, and what writing `to_write_bytes` does to the drive's life. The first sentence names the device;
/// what is not known is said.
pub fn would_lose(device: &Device, to_write_bytes: u64) -> Vec<String> {
    let mut sentences = vec![whole(device)];
    sentences.extend(contents(device));
    if !device.partitions.is_empty() {
        sentences.push(format!("It has partitions: {}.", device.partitions.join(", ")));
    }
    sentences.extend(device.uses.iter().map(|used| format!("In use: {used}.")));
    for reader in &device.readers {
        let command = reader.command.as_deref().unwrap_or("a process");
        let (pid, device) = (reader.pid, &reader.device);
        sentences.push(format!("{command} (process {pid}) has {device} open for reading."));
    }
    if !device.other_paths.is_empty() {
        let paths = device.other_paths.join(", ");
        sentences.push(format!("The same drive is also {paths}."));
    }
    sentences.push(wear(device, to_write_bytes));
    sentences.extend(device.blind.iter().map(|what| format!("Not checked: {what}.")));
    sentences
}

fn whole(device: &Device) -> String {
    let size = device.size_bytes.map_or("of unknown size".to_string(), |b| Bytes(b).to_string());
    let model = device.model.as_deref().unwrap_or("no model");
    let part = device.partition_of.as_ref().map(|disk| format!(", a partition of {disk}"));
    format!(
        "Everything on {} is lost: {size}, {model}, {}{}.",
        device.node,
        device.identity,
        part.unwrap_or_default()
    )
}

fn contents(device: &Device) -> Vec<String> {
    let contents = match &device.contents {
        Ok(contents) => contents,
        Err(why) => return vec![format!("What is on it is unknown: {why}.")],
    };
    let mut sentences: Vec<String> = contents
        .signatures
        .iter()
        .map(|found| {
            format!("It carries {} {}: {}.", found.owner.article(), found.owner, found.name)
        })
        .collect();
    if sentences.is_empty() {
        sentences.push("It has no known signature of an owner.".to_string());
    }
    let (samples, nonzero) = (contents.samples, contents.samples_nonzero);
    let head = contents.head_nonzero_share;
    sentences.push(if head == 0.0 && nonzero == 0 {
        format!("Its first megabyte and {samples} blocks spread over it are all zeros.")
    } else {
        format!(
            "{} % of the bytes of its first megabyte are not zero, and {nonzero} of {samples} blocks spread over it hold data: something was written there.",
            significant(head * 100.0, 2)
        )
    });
    sentences
}

fn wear(device: &Device, to_write_bytes: u64) -> String {
    let mut text = format!("{} will be written", Bytes(to_write_bytes));
    if let Some(size) = device.size_bytes.filter(|size| *size > 0) {
        let share = to_write_bytes as f64 / size as f64;
        text += &format!(", {} times its size", significant(share, 2));
    }
    let Some(wear) = device.wear else {
        return text + "; its wear is unknown";
    };
    let written = wear.written_bytes.min(u128::from(u64::MAX)) as u64;
    text += &format!(
        "; it reports {} % of its rated life used, after {} written by hosts",
        wear.life_used_percent,
        Bytes(written)
    );
    if let Some(percent) = life_percent(wear, to_write_bytes) {
        text += &format!(
            ". At the pace so far this would use about {} % more",
            significant(percent, 2)
        );
    }
    if wear.warnings != 0 {
        text += &format!(". It reports a fault (critical warning {:#04x})", wear.warnings);
    }
    text + "."
}

/// Life that a write takes if it wears as all writes did so far. The drive rounds to whole percents, so little used life
/// says nothing.
fn life_percent(wear: Wear, to_write_bytes: u64) -> Option<f64> {
    let told = wear.life_used_percent >= 2 && wear.written_bytes > 0;
    told.then(|| {
        f64::from(wear.life_used_percent) * to_write_bytes as f64 / wear.written_bytes as f64
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn life_from_the_pace_so_far() {
        let wear = Wear {
            life_used_percent: 10,
            spare_percent: 100,
            written_bytes: 1_000_000_000_000,
            warnings: 0,
        };
        assert_eq!(life_percent(wear, 100_000_000_000), Some(1.0));
        assert_eq!(life_percent(Wear { life_used_percent: 1, ..wear }, 1), None);
        assert_eq!(life_percent(Wear { written_bytes: 0, ..wear }, 1), None);
    }
}
