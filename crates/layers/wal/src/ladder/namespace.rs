//! The ladder on a namespace of a storage target: Flush, then what a log's write is in commands.
//!
//! `fdatasync` is a Write and a Flush behind it, `O_DSYNC` a Write with FUA, as Linux' block layer maps both on a device with a volatile
//! write cache; where the controller reports none, both are a Write alone. What is a matter of files (extending, allocating, a page
//! cache) has no meaning here and is absent.

use narrows_engine::now_ns;
use narrows_model::{Conditions, condition};
use serde_json::json;

use super::step::LadderStep;
use super::write_variant::{Layout, Method, WriteVariant};
use super::{Absent, Steps};
use crate::LogError;
use crate::medium::{BY_FLUSH, BY_FUA, BY_NOTHING, LogMedium, NamespacePart};
use crate::page::Pages;

/// Flushes, with nothing of ours to make durable.
struct NamespaceFlush<'a>(&'a NamespacePart);

impl LadderStep for NamespaceFlush<'_> {
    fn name(&self) -> String {
        "flush".to_string()
    }

    fn above(&self) -> Option<String> {
        None
    }

    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        let began_ns = now_ns();
        self.0.flush().map_err(|reason| LogError::of("flushing", self.0.path(), 0, reason))?;
        Ok(Some(now_ns() - began_ns))
    }

    fn bytes(&self) -> u64 {
        0
    }

    fn durable_by(&self) -> Option<&'static str> {
        Some(if self.0.is_volatile() { BY_FLUSH } else { BY_NOTHING })
    }

    fn describe(&self, workload: &mut Conditions) {
        workload.insert(condition::SYNC_METHOD, json!("Flush"));
        workload.insert(condition::DEVICE, json!(self.0.path()));
    }
}

/// One durable write after another.
struct NamespaceWrites<'a> {
    cell: WriteVariant,
    part: &'a NamespacePart,
    pages: &'a Pages,
    above: Option<String>,
    buffer: Vec<u8>,
    position: u64,
    began: u64,
    /// Time in which bytes were made up, ns.
    making_ns: u64,
}

impl NamespaceWrites<'_> {
    /// Bytes of a lap: whole writes alone.
    fn lap(&self) -> u64 {
        self.part.bytes() / self.cell.bytes * self.cell.bytes
    }

    fn failed(&self, what: &'static str, reason: std::io::Error) -> LogError {
        LogError::of(what, self.part.path(), self.part.bytes(), reason)
    }
}

impl LadderStep for NamespaceWrites<'_> {
    fn name(&self) -> String {
        self.cell.name()
    }

    fn above(&self) -> Option<String> {
        self.above.clone()
    }

    fn prepare(&mut self) -> Result<(), LogError> {
        self.began = self.position;
        Ok(())
    }

    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        let offset = self.position % self.lap();
        let making_ns = now_ns();
        self.pages.fill_sectors(self.position, &mut self.buffer);
        let began_ns = now_ns();
        self.making_ns += began_ns - making_ns;
        let written = match self.cell.method {
            Method::Fdatasync => {
                let written = self.part.write_at(offset, &self.buffer);
                written.and_then(|()| self.part.make_durable())
            }
            _ => self.part.write_durable(offset, &self.buffer),
        };
        written.map_err(|reason| self.failed("writing", reason))?;
        self.position += self.cell.bytes;
        Ok(Some(now_ns() - began_ns))
    }

    fn making_ns(&mut self) -> u64 {
        std::mem::take(&mut self.making_ns)
    }

    fn bytes(&self) -> u64 {
        self.cell.bytes
    }

    /// Reads back what the window wrote last, from the target.
    fn verify(&mut self) -> Result<(u64, u64), LogError> {
        let (mut read, mut wrong) = (0, 0);
        let (mut found, mut expected) = (self.buffer.clone(), self.buffer.clone());
        let mut at = self.position;
        let most = crate::READ_BACK.min(self.lap() / self.cell.bytes);
        while read < most && at > self.began {
            at -= self.cell.bytes;
            let back = self.part.read_at(at % self.lap(), &mut found);
            back.map_err(|reason| self.failed("reading back", reason))?;
            self.pages.fill_sectors(at, &mut expected);
            read += 1;
            wrong += u64::from(found != expected);
        }
        Ok((read, wrong))
    }

    fn durable_by(&self) -> Option<&'static str> {
        Some(match self.cell.method {
            _ if !self.part.is_volatile() => BY_NOTHING,
            Method::Fdatasync => BY_FLUSH,
            _ => BY_FUA,
        })
    }

    fn describe(&self, workload: &mut Conditions) {
        workload.insert(condition::SYNC_METHOD, json!(self.cell.method.word()));
        workload.insert(condition::LAYOUT, json!(self.cell.layout.word()));
        workload.insert(condition::BLOCK_BYTES, json!(self.cell.bytes));
        workload.insert(condition::SEGMENT_BYTES, json!(self.part.bytes()));
    }
}

/// The steps that a namespace has, and what it has not.
pub(super) fn own_steps<'a>(
    part: &'a NamespacePart,
    block_bytes: u32,
    pages: &'a Pages,
    cells: &[WriteVariant],
) -> (Steps<'a>, Vec<Absent>) {
    let mut steps: Steps<'a> = Vec::new();
    let mut absent = Vec::new();
    let flush = NamespaceFlush(part);
    let lowest = Some(flush.name());
    steps.push(Box::new(flush));
    let mut all = vec![WriteVariant::POSTGRES];
    all.extend(cells.iter().filter(|cell| **cell != WriteVariant::POSTGRES));
    for cell in all {
        match refusal(cell, part, block_bytes) {
            Some(reason) => absent.push(Absent { what: cell.name(), reason }),
            None => steps.push(Box::new(NamespaceWrites {
                cell,
                part,
                pages,
                above: lowest.clone(),
                buffer: vec![0; cell.bytes as usize],
                position: 0,
                began: 0,
                making_ns: 0,
            })),
        }
    }
    (steps, absent)
}

/// Why a namespace has no such step.
fn refusal(cell: WriteVariant, part: &NamespacePart, block_bytes: u32) -> Option<String> {
    let said = match (cell.layout, cell.method) {
        (Layout::Extend | Layout::Fallocated, _) => {
            "a namespace has no files: nothing is extended or allocated".to_string()
        }
        (_, Method::Fdatasync | Method::Dsync)
            if !cell.bytes.is_multiple_of(u64::from(block_bytes)) =>
        {
            format!("the namespace's blocks are of {block_bytes} bytes")
        }
        (_, Method::Fdatasync | Method::Dsync) if cell.bytes > part.most() as u64 => {
            format!("the target takes {} bytes per command", part.most())
        }
        (_, Method::Fdatasync | Method::Dsync) => return None,
        (_, Method::Fsync) => {
            "on a namespace fsync is what fdatasync is: there is no file whose size or times it would make durable".to_string()
        }
        (_, Method::DsyncDirect | Method::RwfDsync) => {
            "on a namespace it is what dsync is: a Write with FUA, past every cache of this machine".to_string()
        }
        (_, Method::Uring) => {
            "NVMe links no Flush to a Write: the host has to wait for one before it sends the other".to_string()
        }
    };
    Some(said)
}
