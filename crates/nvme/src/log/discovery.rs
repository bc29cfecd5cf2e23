//! The discovery log: where which subsystem is to be had.

use crate::bytes::{array_at, put, put_text, put_u16, put_u64, text_of, u16_at, u64_at};
use crate::name::NQN_FIELD;
use crate::{InvalidNqn, Nqn};

/// Size of the header and of each entry, bytes.
pub const DISCOVERY_RECORD: usize = 1024;

/// TRTYPE, as far as entries are understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Transport {
    /// 03h.
    Tcp,
    /// Another: 01h RDMA, 02h Fibre Channel, FEh loop.
    Other(u8),
}

/// A subsystem at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscoveryEntry {
    /// TRTYPE.
    pub transport: Transport,
    /// ADRFAM: 1 IPv4, 2 IPv6.
    pub address_family: u8,
    /// SUBTYPE: 1 a referral, 2 a subsystem with namespaces, 3 the discovery subsystem itself.
    pub subsystem_type: u8,
    /// TREQ: 0 it isn't said whether a secure channel is wanted, 1 it is, 2 it isn't.
    pub secure_channel: u8,
    /// PORTID.
    pub port: u16,
    /// CNTLID; FFFFh for made when asked.
    pub controller: u16,
    /// ASQSZ: most entries of the admin queue.
    pub admin_queue: u16,
    /// TRSVCID: the TCP port, as text.
    pub service: String,
    /// SUBNQN.
    pub subsystem: Nqn,
    /// TRADDR: the address, as text.
    pub address: String,
    /// SECTYPE of TSAS: 0 none, 2 TLS 1.3.
    pub security: u8,
}

/// The log page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiscoveryLog {
    /// GENCTR: changes so far; who reads in pieces compares it.
    pub generation: u64,
    /// Entries.
    pub entries: Vec<DiscoveryEntry>,
}

impl DiscoveryLog {
    /// The log page.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut data = vec![0; DISCOVERY_RECORD * (self.entries.len() + 1)];
        put_u64(&mut data, 0, self.generation);
        put_u64(&mut data, 8, self.entries.len() as u64);
        let records = data.chunks_exact_mut(DISCOVERY_RECORD).skip(1);
        for (record, entry) in records.zip(&self.entries) {
            entry.write(record);
        }
        data
    }

    /// The header: generation and number of entries.
    pub fn header_of(data: &[u8; DISCOVERY_RECORD]) -> (u64, u64) {
        (u64_at(data, 0), u64_at(data, 8))
    }

    /// Reads a log page, as many entries as `data` has whole.
    ///
    /// # Errors
    /// A name that is none.
    pub fn from_bytes(data: &[u8]) -> Result<DiscoveryLog, InvalidNqn> {
        let mut records = data.chunks_exact(DISCOVERY_RECORD);
        let Some(header) = records.next() else {
            return Ok(DiscoveryLog::default());
        };
        let (generation, count) = DiscoveryLog::header_of(&array_at(header, 0));
        let entries = records
            .take(usize::try_from(count).unwrap_or(usize::MAX))
            .map(DiscoveryEntry::read)
            .collect::<Result<_, _>>()?;
        Ok(DiscoveryLog { generation, entries })
    }
}

impl DiscoveryEntry {
    fn write(&self, record: &mut [u8]) {
        record[0] = match self.transport {
            Transport::Tcp => 3,
            Transport::Other(number) => number,
        };
        record[1] = self.address_family;
        record[2] = self.subsystem_type;
        record[3] = self.secure_channel;
        put_u16(record, 4, self.port);
        put_u16(record, 6, self.controller);
        put_u16(record, 8, self.admin_queue);
        put_text(&mut record[32..64], &self.service, b' ');
        put(record, 256, &self.subsystem.to_field());
        put_text(&mut record[512..768], &self.address, b' ');
        record[768] = self.security;
    }

    fn read(record: &[u8]) -> Result<DiscoveryEntry, InvalidNqn> {
        let subsystem: [u8; NQN_FIELD] = array_at(record, 256);
        Ok(DiscoveryEntry {
            transport: match record[0] {
                3 => Transport::Tcp,
                number => Transport::Other(number),
            },
            address_family: record[1],
            subsystem_type: record[2],
            secure_channel: record[3],
            port: u16_at(record, 4),
            controller: u16_at(record, 6),
            admin_queue: u16_at(record, 8),
            service: text_of(&record[32..64]),
            subsystem: Nqn::from_field(&subsystem)?,
            address: text_of(&record[512..768]),
            security: record[768],
        })
    }
}
