//! The lowest step: the device's own flush, with nothing of ours to write.
//!
//! `fsync` on the block device, opened for reading: the kernel writes what it holds for the device itself (metadata of mounted file
//! systems, which it would write anyway) and sends a flush, as below every durable write. It changes no byte of
//! anybody. Where the kernel takes the device to have no volatile cache it sends nothing, and the step is the price of the call.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use narrows_engine::now_ns;
use narrows_model::{Conditions, condition};
use serde_json::json;

use super::step::LadderStep;
use crate::LogError;

/// Flushes of one device.
pub struct DeviceFlush {
    node: PathBuf,
    device: File,
}

impl DeviceFlush {
    /// Opens it for reading and flushes it once.
    ///
    /// # Errors
    /// No right to open it, or a device that refuses.
    pub fn open(node: &Path) -> io::Result<DeviceFlush> {
        let device = File::open(node)?;
        device.sync_all()?;
        Ok(DeviceFlush { node: node.to_path_buf(), device })
    }
}

impl LadderStep for DeviceFlush {
    fn name(&self) -> String {
        "flush".to_string()
    }

    fn above(&self) -> Option<String> {
        None
    }

    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        let began_ns = now_ns();
        self.device.sync_all().map_err(|reason| LogError::of("flushing", &self.node, 0, reason))?;
        Ok(Some(now_ns() - began_ns))
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn describe(&self, workload: &mut Conditions) {
        workload.insert(condition::SYNC_METHOD, json!("fsync of the device"));
        workload.insert(condition::DEVICE, json!(self.node));
    }
}
