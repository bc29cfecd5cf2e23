//! SMART / Health Information.

use crate::bytes::{put_u16, put_u128, u16_at, u128_at};

/// Size, bytes.
pub const SMART_BYTES: usize = 512;

/// What a controller says of its health and work. Temperature and wear are a drive's; who has none says 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SmartLog {
    /// Critical Warning.
    pub critical_warning: u8,
    /// Composite Temperature, K; 0 for none.
    pub temperature_k: u16,
    /// Available Spare, %.
    pub spare_percent: u8,
    /// Available Spare Threshold, %.
    pub spare_threshold_percent: u8,
    /// Percentage Used, %; may exceed 100.
    pub used_percent: u8,
    /// Data Units Read, in thousands of 512 bytes, rounded up.
    pub units_read: u128,
    /// Data Units Written, the same.
    pub units_written: u128,
    /// Host Read Commands.
    pub reads: u128,
    /// Host Write Commands.
    pub writes: u128,
    /// Controller Busy Time, minutes.
    pub busy_minutes: u128,
    /// Power Cycles.
    pub power_cycles: u128,
    /// Power On Hours.
    pub power_on_hours: u128,
    /// Unsafe Shutdowns.
    pub unsafe_shutdowns: u128,
    /// Media and Data Integrity Errors.
    pub media_errors: u128,
    /// Number of Error Information Log Entries.
    pub error_entries: u128,
}

impl SmartLog {
    /// Data units of so many bytes: thousands of 512, rounded up.
    pub fn units(bytes: u64) -> u128 {
        u128::from(bytes.div_ceil(512_000))
    }

    /// The log page.
    pub fn to_bytes(&self) -> [u8; SMART_BYTES] {
        let mut data = [0; SMART_BYTES];
        data[0] = self.critical_warning;
        put_u16(&mut data, 1, self.temperature_k);
        data[3] = self.spare_percent;
        data[4] = self.spare_threshold_percent;
        data[5] = self.used_percent;
        let counters = [
            self.units_read,
            self.units_written,
            self.reads,
            self.writes,
            self.busy_minutes,
            self.power_cycles,
            self.power_on_hours,
            self.unsafe_shutdowns,
            self.media_errors,
            self.error_entries,
        ];
        for (index, counter) in counters.into_iter().enumerate() {
            put_u128(&mut data, 32 + index * 16, counter);
        }
        data
    }

    /// Reads a log page; any bytes are one.
    pub fn from_bytes(data: &[u8; SMART_BYTES]) -> SmartLog {
        let counter = |index: usize| u128_at(data, 32 + index * 16);
        SmartLog {
            critical_warning: data[0],
            temperature_k: u16_at(data, 1),
            spare_percent: data[3],
            spare_threshold_percent: data[4],
            used_percent: data[5],
            units_read: counter(0),
            units_written: counter(1),
            reads: counter(2),
            writes: counter(3),
            busy_minutes: counter(4),
            power_cycles: counter(5),
            power_on_hours: counter(6),
            unsafe_shutdowns: counter(7),
            media_errors: counter(8),
            error_entries: counter(9),
        }
    }
}
