//! What the kernel says of a device's queue.

/// Whether the first of these queue folders that is there has no poll queues. Where none is (network file systems,
/// pools of several devices) nothing is known against polling.
pub(super) fn cannot_poll(folders: &[String]) -> Option<String> {
    let setting = folders
        .iter()
        .find_map(|folder| std::fs::read_to_string(format!("{folder}/io_poll")).ok())?;
    (setting.trim() == "0")
        .then(|| "the device has no poll queues (queue/io_poll is 0)".to_string())
}
