//! Devices whose memory is a node: persistent or CXL memory that is used as memory (`/sys/bus/dax/devices`,
//! `target_node`), and accelerators' own (`/proc/driver/nvidia/gpus`). It is slower, or not meant for everybody.

use narrows_facts::Source;

const DAX: &str = "/sys/bus/dax/devices";
const GPUS: &str = "/proc/driver/nvidia/gpus";

/// A device with memory that the kernel shows as a node.
pub(super) struct Device {
    pub(super) node: u32,
    pub(super) name: String,
    /// Where it is on PCI, if it is there.
    pub(super) address: Option<String>,
}

/// All of them.
pub(super) fn read(source: &dyn Source) -> Vec<Device> {
    let dax = source.list(DAX).unwrap_or_default().into_iter().filter_map(|name| {
        let node = source.number(&format!("{DAX}/{name}/target_node"))?;
        Some(Device { node, name, address: None })
    });
    let gpus = source.list(GPUS).unwrap_or_default().into_iter().filter_map(|address| {
        let text = source.text(&format!("{GPUS}/{address}/numa_status"))?;
        let node = online_node(&text)?;
        Some(Device { node, name: format!("gpu {address}"), address: Some(address) })
    });
    dax.chain(gpus).collect()
}

/// The node that a driver's status names, if its memory is on-line.
fn online_node(status: &str) -> Option<u32> {
    let value = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim())
    };
    (value("Status:")? == "online").then(|| value("Node:")?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_off_line_is_no_node() {
        assert_eq!(online_node("Node:      250\nStatus:    online\n"), Some(250));
        assert_eq!(online_node("Node:      250\nStatus:    offline\n"), None);
        assert_eq!(online_node("Status:    online\n"), None);
    }
}
