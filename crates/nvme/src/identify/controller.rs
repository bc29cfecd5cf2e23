//! Identify Controller.

use super::{IDENTIFY_BYTES, IdentifyData};
use crate::bytes::{array_at, put, put_text, put_u16, put_u32, text_of, u16_at, u32_at};
use crate::name::NQN_FIELD;
use crate::{InvalidNqn, Nqn};

/// What a controller is and can do; a field that isn't here is zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentifyController {
    /// VID: PCI vendor; 0 for none.
    pub vendor: u16,
    /// SN, 20 characters at most.
    pub serial: String,
    /// MN, 40 characters at most.
    pub model: String,
    /// FR, 8 characters at most.
    pub firmware: String,
    /// CMIC: bit 0 several ports, 1 several controllers, 3 reports ANA.
    pub multipath: u8,
    /// MDTS: most data of a command are 2^this pages of the least size; 0 for no limit.
    pub max_transfer: u8,
    /// CNTLID.
    pub controller: u16,
    /// VER.
    pub version: u32,
    /// OAES: notices that it can give.
    pub events: u32,
    /// CTRATT: bit 0 host identifiers of 16 bytes, 6 any traffic keeps alive.
    pub attributes: u32,
    /// CNTRLTYPE: 1 I/O, 2 discovery.
    pub controller_type: u8,
    /// OACS.
    pub admin_commands: u16,
    /// ACL: Aborts at once, less one.
    pub abort_limit: u8,
    /// AERL: Asynchronous Event Requests at once, less one.
    pub event_limit: u8,
    /// FRMW.
    pub firmware_updates: u8,
    /// LPA: bit 0 SMART by namespace, 1 Commands Supported and Effects, 2 offsets in log pages.
    pub log_attributes: u8,
    /// ELPE: entries of the error log, less one.
    pub error_entries: u8,
    /// KAS: keep-alive timeouts are counted in steps of this x 100 ms; hosts refuse 0.
    pub keep_alive_steps: u16,
    /// ANATT: most time of a change of ANA state, s.
    pub ana_transition_s: u8,
    /// ANACAP: states that it reports.
    pub ana_capabilities: u8,
    /// ANAGRPMAX.
    pub ana_group_max: u32,
    /// NANAGRPID.
    pub ana_groups: u32,
    /// SQES: sizes of submission entries, 66h for 64 bytes.
    pub submission_entry: u8,
    /// CQES: sizes of completion entries, 44h for 16 bytes.
    pub completion_entry: u8,
    /// MAXCMD: commands that a queue serves at once.
    pub max_commands: u16,
    /// NN: the highest namespace.
    pub namespaces: u32,
    /// ONCS: bit 0 Compare, 2 Dataset Management, 3 Write Zeroes, 4 Save in features, 5 reservations.
    pub commands: u16,
    /// VWC: bit 0 a volatile write cache, bits 2:1 11b Flush takes the broadcast namespace.
    pub write_cache: u8,
    /// AWUN: blocks that are written atomically, less one.
    pub atomic_write: u16,
    /// AWUPF: the same over a loss of power.
    pub atomic_write_power_fail: u16,
    /// NWPC: bit 0 write protection of namespaces.
    pub write_protection: u8,
    /// SGLS: bits 1:0 SGLs, 20 offsets in capsules.
    pub sgls: u32,
    /// MNAN: most namespaces.
    pub max_namespaces: u32,
    /// SUBNQN.
    pub subsystem: Nqn,
    /// IOCCSZ: size of a command capsule, in 16 bytes; 4 or more.
    pub command_capsule: u32,
    /// IORCSZ: size of a response capsule, in 16 bytes; 1.
    pub response_capsule: u32,
    /// ICDOFF: where data in a capsule begin, in 16 bytes behind the entry.
    pub capsule_data_offset: u16,
    /// MSDBD: SGL descriptors of a command.
    pub descriptors: u8,
    /// OFCS: bit 0 Disconnect.
    pub fabrics_commands: u16,
}

impl IdentifyController {
    /// Bytes of data that a command capsule of an I/O queue has room for.
    pub fn in_capsule_bytes(&self) -> u32 {
        self.command_capsule.saturating_sub(4).saturating_mul(16)
    }

    /// Most bytes of a command's data, with pages of 4096 bytes at least; `None` for no limit.
    pub fn max_transfer_bytes(&self) -> Option<u64> {
        (1..=40).contains(&self.max_transfer).then(|| 4096 << self.max_transfer)
    }

    /// The structure.
    pub fn to_bytes(&self) -> Box<IdentifyData> {
        let mut data = Box::new([0; IDENTIFY_BYTES]);
        put_u16(&mut *data, 0, self.vendor);
        put_u16(&mut *data, 2, self.vendor);
        put_text(&mut data[4..24], &self.serial, b' ');
        put_text(&mut data[24..64], &self.model, b' ');
        put_text(&mut data[64..72], &self.firmware, b' ');
        data[76] = self.multipath;
        data[77] = self.max_transfer;
        put_u16(&mut *data, 78, self.controller);
        put_u32(&mut *data, 80, self.version);
        put_u32(&mut *data, 92, self.events);
        put_u32(&mut *data, 96, self.attributes);
        data[111] = self.controller_type;
        put_u16(&mut *data, 256, self.admin_commands);
        data[258] = self.abort_limit;
        data[259] = self.event_limit;
        data[260] = self.firmware_updates;
        data[261] = self.log_attributes;
        data[262] = self.error_entries;
        put_u16(&mut *data, 320, self.keep_alive_steps);
        data[342] = self.ana_transition_s;
        data[343] = self.ana_capabilities;
        put_u32(&mut *data, 344, self.ana_group_max);
        put_u32(&mut *data, 348, self.ana_groups);
        self.put_command_set(&mut data);
        put(&mut *data, 768, &self.subsystem.to_field());
        put_u32(&mut *data, 1792, self.command_capsule);
        put_u32(&mut *data, 1796, self.response_capsule);
        put_u16(&mut *data, 1800, self.capsule_data_offset);
        data[1803] = self.descriptors;
        put_u16(&mut *data, 1804, self.fabrics_commands);
        data
    }

    fn put_command_set(&self, data: &mut IdentifyData) {
        data[512] = self.submission_entry;
        data[513] = self.completion_entry;
        put_u16(data, 514, self.max_commands);
        put_u32(data, 516, self.namespaces);
        put_u16(data, 520, self.commands);
        data[525] = self.write_cache;
        put_u16(data, 526, self.atomic_write);
        put_u16(data, 528, self.atomic_write_power_fail);
        data[531] = self.write_protection;
        put_u32(data, 536, self.sgls);
        put_u32(data, 540, self.max_namespaces);
    }

    /// Reads the structure.
    ///
    /// # Errors
    /// Where the subsystem's name is none; all other bytes mean something.
    pub fn from_bytes(data: &IdentifyData) -> Result<IdentifyController, InvalidNqn> {
        let subsystem: [u8; NQN_FIELD] = array_at(data, 768);
        Ok(IdentifyController {
            vendor: u16_at(data, 0),
            serial: text_of(&data[4..24]),
            model: text_of(&data[24..64]),
            firmware: text_of(&data[64..72]),
            multipath: data[76],
            max_transfer: data[77],
            controller: u16_at(data, 78),
            version: u32_at(data, 80),
            events: u32_at(data, 92),
            attributes: u32_at(data, 96),
            controller_type: data[111],
            admin_commands: u16_at(data, 256),
            abort_limit: data[258],
            event_limit: data[259],
            firmware_updates: data[260],
            log_attributes: data[261],
            error_entries: data[262],
            keep_alive_steps: u16_at(data, 320),
            ana_transition_s: data[342],
            ana_capabilities: data[343],
            ana_group_max: u32_at(data, 344),
            ana_groups: u32_at(data, 348),
            submission_entry: data[512],
            completion_entry: data[513],
            max_commands: u16_at(data, 514),
            namespaces: u32_at(data, 516),
            commands: u16_at(data, 520),
            write_cache: data[525],
            atomic_write: u16_at(data, 526),
            atomic_write_power_fail: u16_at(data, 528),
            write_protection: data[531],
            sgls: u32_at(data, 536),
            max_namespaces: u32_at(data, 540),
            subsystem: Nqn::from_field(&subsystem)?,
            command_capsule: u32_at(data, 1792),
            response_capsule: u32_at(data, 1796),
            capsule_data_offset: u16_at(data, 1800),
            descriptors: data[1803],
            fabrics_commands: u16_at(data, 1804),
        })
    }
}
