//! Settings of a request queue (Linux `Documentation/ABI/stable/sysfs-block`, `Documentation/block/queue-sysfs.rst`).

use narrows_facts::Source;
use narrows_model::Queue;

use crate::memory::chosen;

/// `None` where the device has no queue folder.
pub(crate) fn read(source: &dyn Source, folder: &str) -> Option<Queue> {
    if !source.exists(folder) {
        return None;
    }
    let at = |file: &str| format!("{folder}/{file}");
    let switch = |file: &str| source.number::<u32>(&at(file)).map(|value| value != 0);
    Some(Queue {
        // One scheduler and no choice is written without brackets.
        scheduler: source.text(&at("scheduler")).map(|text| chosen(&text).unwrap_or(text)),
        nr_requests: source.number(&at("nr_requests")),
        hardware_queues: hardware_queues(source, folder),
        logical_block_bytes: source.number(&at("logical_block_size")),
        physical_block_bytes: source.number(&at("physical_block_size")),
        rotational: switch("rotational"),
        write_cache: source.text(&at("write_cache")),
        drive_cache: None,
        thin: None,
        fua: switch("fua"),
        max_sectors_kib: source.number(&at("max_sectors_kb")),
        read_ahead_kib: source.number(&at("read_ahead_kb")),
        wbt_lat_us: source.number(&at("wbt_lat_usec")),
        nomerges: source.number(&at("nomerges")),
        iostats: switch("iostats"),
    })
}

/// Folders of hardware queues stand beside the queue's own; `None` where the driver has none.
pub(crate) fn hardware_queues(source: &dyn Source, folder: &str) -> Option<u32> {
    let queues = source.list(&format!("{}mq", folder.strip_suffix("queue")?)).ok()?;
    let count = queues.iter().filter(|name| name.bytes().all(|b| b.is_ascii_digit())).count();
    u32::try_from(count).ok().filter(|count| *count > 0)
}
