//! What a raw device is, and what stands against writing to it. Writes nothing.

use anyhow::Result;
use narrows_facts::Live;
pub use narrows_raw::{Device, Refusal, Wear, would_lose};
use narrows_raw::{inspect, refusals};

/// Looks at a device.
///
/// # Errors
/// It isn't there, or is none.
pub fn look(path: &str) -> Result<(Device, Vec<Refusal>)> {
    if narrows_initiator::Address::is_meant(path) {
        return Err(super::remote::no_address("narrows block device"));
    }
    let device = inspect(&Live, path)?;
    let reasons = refusals(&device);
    Ok((device, reasons))
}
