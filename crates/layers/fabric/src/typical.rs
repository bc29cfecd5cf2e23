//! The typical operation: the mean over the middle half.

/// Times of one operation, ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct OperationTimes {
    /// From its submission to its end.
    pub(crate) whole_ns: u64,
    /// From its submission until what is sent first was handed to the driver; not every driver stamps that.
    pub(crate) sent_ns: Option<u64>,
    /// From its submission until the last packet of the answer came from the driver.
    pub(crate) received_ns: Option<u64>,
    /// In the target and, as a part of that, in the storage; zeros where it doesn't say.
    pub(crate) target_ns: u64,
    pub(crate) storage_ns: u64,
}

/// Means over the operations of the middle half by latency, ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct TypicalTimes {
    /// Operations in all.
    pub(crate) count: usize,
    pub(crate) whole_ns: f64,
    /// By the kernel's stamps.
    pub(crate) sections: Option<Sections>,
    /// In the target without the storage, and in the storage; `None` where it doesn't say.
    pub(crate) target_ns: Option<f64>,
    pub(crate) storage_ns: Option<f64>,
}

impl TypicalTimes {
    /// In the target and its storage, ns; 0 where it doesn't say.
    pub(crate) fn in_target(&self) -> f64 {
        self.target_ns.unwrap_or(0.0) + self.storage_ns.unwrap_or(0.0)
    }

    /// The rest, ns; all of it where the target doesn't say.
    pub(crate) fn outside_target(&self) -> f64 {
        self.whole_ns - self.in_target()
    }
}

/// An operation cut where packets pass between kernel and driver, ns.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Sections {
    /// Until what is sent first was handed to the driver; `None` where the driver stamps nothing, and it is a part of the next.
    pub(crate) send_ns: Option<f64>,
    /// From there to the last packet of the answer.
    pub(crate) between_ns: f64,
    /// From there to the end.
    pub(crate) receive_ns: f64,
}

/// The typical operation; `None` without four.
pub(crate) fn typical(mut times: Vec<OperationTimes>) -> Option<TypicalTimes> {
    let count = times.len();
    // A packet now and then has no stamp; what most have none of is not known.
    let stamps: [fn(&OperationTimes) -> bool; 2] =
        [|operation| operation.received_ns.is_some(), |operation| operation.sent_ns.is_some()];
    for is_stamped in stamps {
        if times.iter().filter(|operation| is_stamped(operation)).count() * 100 >= times.len() * 99
        {
            times.retain(is_stamped);
        }
    }
    let kept = times.len();
    if kept < 4 {
        return None;
    }
    times.sort_unstable_by_key(|operation| operation.whole_ns);
    let middle = &times[kept / 4..kept - kept / 4];
    let mean = |of: fn(&OperationTimes) -> u64| {
        middle.iter().map(|operation| of(operation) as f64).sum::<f64>() / middle.len() as f64
    };
    // Of all or of none: means of different operations don't add up.
    let of_all = |of: fn(&OperationTimes) -> Option<u64>| {
        let all: Option<Vec<u64>> = middle.iter().map(of).collect();
        all.map(|all| all.iter().map(|ns| *ns as f64).sum::<f64>() / all.len() as f64)
    };
    let whole_ns = mean(|operation| operation.whole_ns);
    let send_ns = of_all(|operation| operation.sent_ns);
    let sections = of_all(|operation| operation.received_ns).map(|received_ns| Sections {
        send_ns,
        between_ns: received_ns - send_ns.unwrap_or(0.0),
        receive_ns: whole_ns - received_ns,
    });
    let told = middle.iter().all(|operation| operation.target_ns > 0);
    let storage_ns = mean(|operation| operation.storage_ns);
    let in_target_ns = mean(|operation| operation.target_ns);
    Some(TypicalTimes {
        count,
        whole_ns,
        sections,
        target_ns: told.then_some(in_target_ns - storage_ns),
        storage_ns: told.then_some(storage_ns),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(whole_ns: u64) -> OperationTimes {
        OperationTimes {
            whole_ns,
            sent_ns: Some(whole_ns / 10),
            received_ns: Some(whole_ns * 6 / 10),
            target_ns: whole_ns * 3 / 10,
            storage_ns: whole_ns / 10,
        }
    }

    #[test]
    fn sections_are_of_the_same_operations_and_add_up() {
        // One that was held up for a second decides nothing.
        let times = [1000, 1_000_000_000, 1200, 800, 1000, 10, 1000, 1000].map(operation).to_vec();
        let found = typical(times).unwrap();
        assert_eq!((found.count, found.whole_ns), (8, 1000.0));
        let sections = Sections { send_ns: Some(100.0), between_ns: 500.0, receive_ns: 400.0 };
        assert_eq!(found.sections, Some(sections));
        assert_eq!((found.target_ns, found.storage_ns), (Some(200.0), Some(100.0)));
    }

    #[test]
    fn what_one_operation_does_not_tell_is_unknown() {
        let mut times = vec![operation(1000); 4];
        times[1].sent_ns = None;
        times[2].target_ns = 0;
        let found = typical(times.clone()).unwrap();
        let sections = Sections { send_ns: None, between_ns: 600.0, receive_ns: 400.0 };
        assert_eq!(found.sections, Some(sections));
        times[2].received_ns = None;
        assert_eq!(typical(times.clone()).unwrap().sections, None);
        times.extend(vec![operation(1000); 96]);
        assert!(typical(times).unwrap().sections.is_some());
        assert_eq!((found.target_ns, found.storage_ns), (None, None));
        assert_eq!(typical(vec![operation(1); 3]), None);
    }
}
