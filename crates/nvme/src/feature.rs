//! Feature identifiers of Get Features and Set Features, and the two values that are more than a number.

/// Arbitration.
pub const ARBITRATION: u8 = 0x01;
/// Power Management.
pub const POWER_MANAGEMENT: u8 = 0x02;
/// Temperature Threshold.
pub const TEMPERATURE_THRESHOLD: u8 = 0x04;
/// Error Recovery.
pub const ERROR_RECOVERY: u8 = 0x05;
/// Volatile Write Cache.
pub const VOLATILE_WRITE_CACHE: u8 = 0x06;
/// Number of Queues.
pub const NUMBER_OF_QUEUES: u8 = 0x07;
/// Write Atomicity Normal.
pub const WRITE_ATOMICITY: u8 = 0x0A;
/// Asynchronous Event Configuration.
pub const ASYNC_EVENT_CONFIGURATION: u8 = 0x0B;
/// Keep Alive Timer.
pub const KEEP_ALIVE_TIMER: u8 = 0x0F;
/// Host Identifier.
pub const HOST_IDENTIFIER: u8 = 0x81;
/// Reservation Notification Mask.
pub const RESERVATION_NOTIFICATION_MASK: u8 = 0x82;
/// Reservation Persistence.
pub const RESERVATION_PERSISTENCE: u8 = 0x83;
/// Namespace Write Protection Config.
pub const WRITE_PROTECTION: u8 = 0x84;
/// Of narrows' own target (in the range for vendors): where set to 1, completions of I/O commands carry
/// [`ServiceTime`] in their result.
pub const SERVICE_TIME: u8 = 0xC0;

/// Numbers of I/O queues, as Number of Queues has them in both directions: one less in each half.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct QueueCounts {
    /// Submission queues, 1 or more.
    pub submission: u32,
    /// Completion queues, 1 or more.
    pub completion: u32,
}

impl QueueCounts {
    /// Reads double word 11 of the command or double word 0 of its completion.
    pub fn from_value(value: u32) -> QueueCounts {
        QueueCounts { submission: (value & 0xFFFF) + 1, completion: (value >> 16) + 1 }
    }

    /// The value; counts above 65,536 or below 1 are brought into that range.
    pub fn to_value(self) -> u32 {
        let half = |count: u32| count.clamp(1, 1 << 16) - 1;
        half(self.submission) | half(self.completion) << 16
    }
}

/// What narrows' own target says of an I/O command when it is asked to ([`SERVICE_TIME`]): how long the command was in
/// the target, and how much of that in the storage behind it. Each saturates at 4.29 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ServiceTime {
    /// From the arrival of the command (of its last byte of data, where data came with it) to its completion, ns.
    pub target_ns: u32,
    /// In the storage, ns; part of `target_ns`.
    pub storage_ns: u32,
}

impl ServiceTime {
    /// The result of the completion.
    pub fn to_result(self) -> u64 {
        u64::from(self.target_ns) | u64::from(self.storage_ns) << 32
    }

    /// Reads the result of a completion.
    pub fn from_result(result: u64) -> ServiceTime {
        ServiceTime { target_ns: result as u32, storage_ns: (result >> 32) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_queues_are_one_less_on_the_wire() {
        let sixteen = QueueCounts { submission: 16, completion: 16 };
        assert_eq!(sixteen.to_value(), 0x000F_000F);
        assert_eq!(QueueCounts::from_value(0x000F_000F), sixteen);
        assert_eq!(QueueCounts { submission: 0, completion: 1 << 20 }.to_value(), 0xFFFF_0000);
    }
}
