//! Properties of a controller, which Property Get and Property Set move (NVMe Base Specification, "Controller Properties").

/// Offset of Controller Capabilities, 8 bytes.
pub const CAP: u32 = 0x00;
/// Offset of Version, 4 bytes.
pub const VS: u32 = 0x08;
/// Offset of Controller Configuration, 4 bytes.
pub const CC: u32 = 0x14;
/// Offset of Controller Status, 4 bytes.
pub const CSTS: u32 = 0x1C;
/// Offset of NVM Subsystem Reset, 4 bytes.
pub const NSSR: u32 = 0x20;

/// Version 1.4, in the form of VS and of Identify Controller.
pub const VERSION_1_4: u32 = 0x0001_0400;

/// CAP: what a controller can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Capabilities {
    /// MQES: most entries of a queue, 1 or more (one less on the wire).
    pub queue_entries: u32,
    /// CQR: queues are contiguous; Fabrics demand it.
    pub contiguous: bool,
    /// TO: how long becoming ready may take, in steps of 500 ms.
    pub ready_timeout: u8,
    /// CSS bit 37: the NVM command set.
    pub nvm: bool,
    /// MPSMIN: the smallest page is 2^(12 + this) bytes.
    pub page_min: u8,
    /// MPSMAX: the largest.
    pub page_max: u8,
}

impl Capabilities {
    /// The 64 bits.
    pub fn to_bits(self) -> u64 {
        u64::from((self.queue_entries.clamp(1, 1 << 16) - 1) as u16)
            | u64::from(self.contiguous) << 16
            | u64::from(self.ready_timeout) << 24
            | u64::from(self.nvm) << 37
            | u64::from(self.page_min & 0xF) << 48
            | u64::from(self.page_max & 0xF) << 52
    }

    /// Reads the 64 bits.
    pub fn from_bits(bits: u64) -> Capabilities {
        Capabilities {
            queue_entries: (bits & 0xFFFF) as u32 + 1,
            contiguous: bits >> 16 & 1 != 0,
            ready_timeout: (bits >> 24) as u8,
            nvm: bits >> 37 & 1 != 0,
            page_min: (bits >> 48) as u8 & 0xF,
            page_max: (bits >> 52) as u8 & 0xF,
        }
    }
}

/// CC: what the host wants of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Configuration(pub u32);

impl Configuration {
    /// What Linux sets to enable: EN, SQ entries of 2^6 bytes, CQ entries of 2^4.
    pub const ENABLED: Configuration = Configuration(0x0046_0001);

    /// EN.
    pub fn is_enabled(self) -> bool {
        self.0 & 1 != 0
    }

    /// SHN: whether a shutdown is asked for.
    pub fn is_shutdown(self) -> bool {
        self.0 >> 14 & 0b11 != 0
    }

    /// CSS 000b or 110b (all that are supported), MPS, AMS 0, IOSQES 0 or 6, IOCQES 0 or 4: what a controller for the NVM
    /// command set can be enabled with.
    pub fn is_supported(self) -> bool {
        let command_set = self.0 >> 4 & 0b111;
        let arbitration = self.0 >> 11 & 0b111;
        let (submission, completion) = (self.0 >> 16 & 0xF, self.0 >> 20 & 0xF);
        matches!(command_set, 0 | 0b110) && arbitration == 0 && submission == 6 && completion == 4
    }

    /// Asks for a normal shutdown.
    #[must_use]
    pub fn shutdown(self) -> Configuration {
        Configuration(self.0 & !(0b11 << 14) | 0b01 << 14)
    }
}

/// CSTS: how a controller is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ControllerStatus {
    /// RDY.
    pub ready: bool,
    /// CFS: it failed and only a reset helps.
    pub fatal: bool,
    /// SHST 10b: the shutdown is complete.
    pub shut_down: bool,
}

impl ControllerStatus {
    /// The 32 bits.
    pub fn to_bits(self) -> u32 {
        u32::from(self.ready) | u32::from(self.fatal) << 1 | u32::from(self.shut_down) << 3
    }

    /// Reads the 32 bits.
    pub fn from_bits(bits: u32) -> ControllerStatus {
        ControllerStatus {
            ready: bits & 1 != 0,
            fatal: bits & 2 != 0,
            shut_down: bits >> 2 & 0b11 == 0b10,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_linux_asks_for_is_understood() {
        // From a connection of Linux 6.12: first without, then with EN, and at last with SHN.
        let configuration = Configuration(0x0046_0061);
        assert!(configuration.is_enabled() && configuration.is_supported());
        assert!(!Configuration(0x0046_0060).is_enabled());
        assert_eq!(configuration.shutdown(), Configuration(0x0046_4061));
        assert!(configuration.shutdown().is_shutdown());
    }

    #[test]
    fn the_capabilities_of_linux_s_target_are_read() {
        // 1024 entries, contiguous, 7.5 s, NVM command set.
        let bits = 1023 | 1 << 16 | 15 << 24 | 1 << 37;
        let capabilities = Capabilities::from_bits(bits);
        assert_eq!(capabilities.queue_entries, 1024);
        assert_eq!(capabilities.ready_timeout, 15);
        assert_eq!(capabilities.to_bits(), bits);
    }
}
