//! Time that shows as a wait and is none.
//!
//! A wait event is set before the kernel is called, and a page that the page cache has is copied by the caller's own processor under the
//! event of a read. That time is in the processor time already. How much of the waits at most was such, the kernel said of the
//! processes (`RUNNABLE_*_PER_OP`); how much it was, the account that was kept otherwise says (before version 14 how often sessions were found active): the parts have to come to
//! it, and what they are more is taken off these waits, up to what the kernel allows. More than that stays unexplained.

use narrows_model::{Measurement, metric};

use super::Observed;
use crate::demand::TimeDemand;
use crate::estimate::Estimate;

/// Of the waits of a transaction, what at most was none, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Runnable {
    read: f64,
    flush: f64,
    write: f64,
}

impl Runnable {
    /// What the measurement holds; nothing where the processes were out of sight.
    pub(super) fn read(measurement: &Measurement) -> Runnable {
        let ns = |name| measurement.value(name).unwrap_or(0.0).max(0.0);
        Runnable {
            read: ns(metric::RUNNABLE_READ_PER_OP),
            flush: ns(metric::RUNNABLE_FLUSH_PER_OP),
            write: ns(metric::RUNNABLE_WRITE_PER_OP),
        }
    }

    fn sum(self) -> f64 {
        self.read + self.flush + self.write
    }
}

impl Observed<'_> {
    /// Takes off the waits what the parts have more than the account of a transaction's time, as far as it was no wait.
    pub(crate) fn take_off_runnable(&self, time: &mut TimeDemand, rate: &Estimate) {
        let possible = self.runnable.sum();
        let Some((account, _)) = self.account(rate).filter(|_| possible > 0.0) else { return };
        let ns = |part: Option<Estimate>| part.map(|ns| ns.value);
        let all = [
            ns(time.cpu),
            ns(time.run_queue),
            ns(time.read),
            ns(time.flush),
            ns(time.lock),
            ns(time.client),
            ns(time.other),
        ];
        let Some(parts) = all.into_iter().sum::<Option<f64>>() else { return };
        let too_much = parts - self.outside_ns - account.value;
        let share = (too_much / possible).clamp(0.0, 1.0);
        let less = |part: &mut Option<Estimate>, at_most: f64| {
            if let Some(part) = part {
                part.value = (part.value - share * at_most).max(0.0);
            }
        };
        less(&mut time.read, self.runnable.read);
        less(&mut time.flush, self.runnable.flush);
        less(&mut time.other, self.runnable.write);
    }
}
