//! Who held a thread up that was about to send: the device, or the machine.
//!
//! A call that hands operations over should return at once. Where the kernel has no free request (`blk_mq_get_tag`), or the file
//! system waits for a lock, the thread sleeps in it, and what falls due meanwhile starts late: that is the device's doing, as much as a
//! long latency is. It looks like a machine that stood still, from inside. Only the scheduler's own account tells them apart: time in
//! which the thread was ready to run and did not (run delay, `/proc/thread-self/schedstat`), and a second thread that was to wake up
//! meanwhile and was late as well. What neither of them shows is the device's.

/// A stretch of time, ns of [`narrows_engine::now_ns`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// First moment.
    pub from_ns: u64,
    /// The moment after the last.
    pub to_ns: u64,
}

impl Span {
    /// Its length, ns.
    pub(crate) fn length_ns(self) -> u64 {
        self.to_ns.saturating_sub(self.from_ns)
    }

    fn common_ns(self, other: Span) -> u64 {
        self.to_ns.min(other.to_ns).saturating_sub(self.from_ns.max(other.from_ns))
    }
}

/// A call that returned late.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LateCall {
    /// From when it should have returned to when it did.
    pub span: Span,
    /// Of that, the thread was ready to run and did not, at most, ns; `None` where the kernel doesn't say.
    pub run_delay_ns: Option<u64>,
}

/// Time in which sending was held up inside calls, by whom.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeldUp {
    /// By the device or what is before it: nothing shows that the machine stood still, ns.
    pub device_ns: u64,
    /// By the machine: the thread was ready to run, or another one was late at the same time, ns.
    pub machine_ns: u64,
}

impl HeldUp {
    /// Whether more of it was the device's.
    pub fn by_device(self) -> bool {
        self.device_ns > self.machine_ns
    }

    /// Judges calls of a window by the stretches `still` in which the second thread was late.
    pub(crate) fn of(calls: &[LateCall], still: &[Span]) -> HeldUp {
        let mut all = HeldUp::default();
        for call in calls {
            let length_ns = call.span.length_ns();
            let also_late: u64 = still.iter().map(|other| call.span.common_ns(*other)).sum();
            let shown_ns = also_late.max(call.run_delay_ns.unwrap_or(0));
            // What shows is at most the whole of it; half of it is no coincidence.
            if 2 * shown_ns >= length_ns {
                all.machine_ns += length_ns;
            } else {
                all.device_ns += length_ns;
            }
        }
        all
    }

    pub(crate) fn add(&mut self, other: HeldUp) {
        self.device_ns += other.device_ns;
        self.machine_ns += other.machine_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn span(from_ms: u64, to_ms: u64) -> Span {
        Span { from_ns: from_ms * MS, to_ns: to_ms * MS }
    }

    fn call(from_ms: u64, to_ms: u64, run_delay_ms: Option<u64>) -> LateCall {
        LateCall { span: span(from_ms, to_ms), run_delay_ns: run_delay_ms.map(|ms| ms * MS) }
    }

    #[test]
    fn only_what_the_scheduler_or_a_second_thread_shows_is_the_machines() {
        let held = |call, still: &[Span]| HeldUp::of(&[call], still);
        let device = HeldUp { device_ns: 20 * MS, machine_ns: 0 };
        let machine = HeldUp { device_ns: 0, machine_ns: 20 * MS };
        // The thread slept in the kernel, and the second one woke up in time.
        assert_eq!(held(call(100, 120, Some(0)), &[]), device);
        assert_eq!(held(call(100, 120, None), &[]), device);
        assert_eq!(held(call(100, 120, Some(9)), &[span(121, 200)]), device);
        // It waited for a processor; or both stopped, as frozen, paused and stopped processes do.
        assert_eq!(held(call(100, 120, Some(12)), &[]), machine);
        assert_eq!(held(call(100, 120, Some(0)), &[span(101, 121)]), machine);
        assert_eq!(held(call(100, 120, None), &[span(98, 105), span(114, 119)]), machine);
    }

    #[test]
    fn the_larger_part_decides_a_window() {
        let calls = [call(0, 20, Some(0)), call(100, 104, Some(4))];
        let held = HeldUp::of(&calls, &[]);
        assert_eq!((held.device_ns, held.machine_ns), (20 * MS, 4 * MS));
        assert!(held.by_device() && !HeldUp::default().by_device());
    }
}
