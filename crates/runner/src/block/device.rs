//! What a raw device or a namespace over NVMe/TCP is, and what stands against writing to it. Writes nothing.

use anyhow::Result;
use narrows_facts::Live;
pub use narrows_raw::{Device, Refusal, Wear, would_lose};
use narrows_raw::{inspect, refusals};

use super::remote::RemoteNamespace;

/// Looks at a device.
///
/// # Errors
/// It isn't there, or is none.
pub fn look(path: &str) -> Result<(Device, Vec<Refusal>)> {
    let device = inspect(&Live, path)?;
    let reasons = refusals(&device);
    Ok((device, reasons))
}

/// What the target says of a namespace, and what is on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceFacts {
    /// Its address, with all that was left out.
    pub address: String,
    /// Size, bytes.
    pub size_bytes: u64,
    /// Size of a block, bytes.
    pub block_bytes: u32,
    /// Model of the subsystem.
    pub model: String,
    /// Serial number of the subsystem: what consent names.
    pub serial: String,
    /// Writes are refused.
    pub write_protected: bool,
    /// The controller reports a volatile write cache.
    pub volatile_cache: bool,
    /// I/O queues that it grants, of those that are asked for.
    pub queues: u32,
    /// Most data of a command, bytes.
    pub most_bytes: u32,
    /// Most data that go with a command, bytes.
    pub in_capsule_bytes: u32,
    /// What answers reads at the target, where it tells.
    pub storage: Option<&'static str>,
    /// What is known to be on it.
    pub contents: String,
}

/// Looks at a namespace; `None` where the text is no address of one.
///
/// # Errors
/// It can't be reached.
pub fn look_at_namespace(text: &str) -> Result<Option<NamespaceFacts>> {
    if !narrows_initiator::Address::is_meant(text) {
        return Ok(None);
    }
    let namespace = RemoteNamespace::connect(text)?;
    let association = namespace.association();
    let reached = association.reached();
    let controller = &reached.controller;
    let told = association.target_activity();
    Ok(Some(NamespaceFacts {
        address: namespace.name(),
        size_bytes: namespace.bytes(),
        block_bytes: reached.block_bytes,
        model: controller.model.clone(),
        serial: controller.serial.clone(),
        write_protected: reached.namespace.write_protected,
        volatile_cache: controller.write_cache & 1 != 0,
        queues: reached.queues,
        most_bytes: reached.max_data,
        in_capsule_bytes: controller.in_capsule_bytes(),
        storage: told.and_then(|told| told.storage).map(|storage| storage.word()),
        contents: namespace.contents(),
    }))
}
