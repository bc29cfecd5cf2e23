//! What ends the growth of the closed loop: the nearest of what is known.
//!
//! A place is named where its use at the ceiling is above nine tenths, in the order of how surely it is the reason: a
//! configured limit, the processors, the generator, the depth that was allowed. Where none is, it is the device (or
//! what lies between), and the figure is how many operations it works on at a time, by Little's law.

use super::ramp::Ramp;

/// A place used that much is the narrow one.
const FULL: f64 = 0.9;
/// A generator that could do no more than so many times the ceiling takes part in it.
const GENERATOR: f64 = 2.0;

/// In words with its figures; `None` where nothing is known.
pub(super) fn bound(ramp: &Ramp, generator_per_s: Option<f64>) -> Option<String> {
    if let Some(share) = ramp.limit_share.filter(|share| *share > FULL) {
        return Some(format!(
            "the control group's I/O limit: {:.0} % of it is used at the ceiling",
            share * 100.0
        ));
    }
    let (busy, others, online) = ramp.cpus_busy;
    if online > 0 && busy > FULL * online as f64 {
        return Some(format!(
            "the CPUs: {busy:.1} of {online} are busy at the ceiling, {others:.1} with other programs; an operation takes {:.1} µs",
            ramp.cpu_per_op_ns / 1e3
        ));
    }
    if ramp.busiest > FULL || generator_per_s.is_some_and(|g| g < GENERATOR * ramp.ceiling_per_s) {
        let reaches = generator_per_s
            .map(|per_s| format!("; without a device it reaches {per_s:.0} per second"));
        return Some(format!(
            "the load generator: its busiest thread, or the CPU under it, is busy {:.0} % of the time at the ceiling{}",
            ramp.busiest * 100.0,
            reaches.unwrap_or_default()
        ));
    }
    if ramp.still_grew {
        return Some(format!(
            "queue depth, as far as was tried: at QD{} the rate still grew",
            ramp.depth
        ));
    }
    let alone_ns = ramp.alone_ns?;
    let at_a_time = ramp.ceiling_per_s * alone_ns / 1e9;
    Some(format!(
        "the device or its path: about {at_a_time:.1} I/Os in parallel, {:.0} µs each",
        alone_ns / 1e3
    ))
}

#[cfg(test)]
mod tests {
    use super::super::disturbance::Helpers;
    use super::super::windows::CalibrationWindows;
    use super::*;

    fn ramp() -> Ramp {
        Ramp {
            points: Vec::new(),
            alone_ns: Some(100_000.0),
            ceiling_per_s: 40_000.0,
            ceiling_least_per_s: 0.0,
            depth: 8,
            still_grew: false,
            cpu_per_op_ns: 5_000.0,
            busiest: 0.2,
            cpus_busy: (0.3, 0.0, 2),
            limit_share: None,
            helpers: Helpers::default(),
            alone: CalibrationWindows::default(),
            ceiling: CalibrationWindows::default(),
        }
    }

    #[test]
    fn the_surest_place_is_named() {
        let says = |ramp: &Ramp, generator, begin: &str| {
            let said = bound(ramp, generator).unwrap();
            assert!(said.starts_with(begin), "{said}");
            said
        };
        let said = says(&ramp(), Some(1e6), "the device");
        assert!(said.contains("about 4.0 I/Os in parallel, 100 µs each"), "{said}");
        let deep = Ramp { still_grew: true, ..ramp() };
        let said = says(&deep, Some(1e6), "queue depth");
        assert!(said.contains("at QD8 the rate still grew"), "{said}");
        says(&Ramp { busiest: 0.95, ..deep }, Some(1e6), "the load generator");
        says(&ramp(), Some(70_000.0), "the load generator");
        says(&Ramp { cpus_busy: (1.9, 0.1, 2), ..ramp() }, None, "the CPUs");
        let limited = Ramp { limit_share: Some(0.97), cpus_busy: (1.9, 0.1, 2), ..ramp() };
        says(&limited, None, "the control group's");
        assert_eq!(bound(&Ramp { alone_ns: None, ..ramp() }, None), None);
    }
}
