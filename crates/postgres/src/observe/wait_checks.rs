//! Whether those that show a wait do wait: what the kernel says of them right before the server is asked, and right after.
//!
//! The server sets a wait event before it calls the kernel. A page that the page cache has is then copied by the caller's own
//! processor under `DataFileRead`, and a write into the page cache under the event of a write; so a scan of a table that the page cache
//! holds looks as if it waited for its drive half of its time, and that half is in its processor time too.
//!
//! The kernel counts how often a process gave its processor up to wait (`voluntary_ctxt_switches` in `/proc/PID/status`, which everybody
//! may read). Where that number is the same before and after the answer, and the process could run before, it did not wait at the
//! moment of the answer. Where it waited before and after, it waited all along. Anything else is not clear: reads that take
//! less than a question does are mostly that. Being ready to run after a wait counts as able to run, so that the share is one of at most.

use std::collections::BTreeMap;

use narrows_facts::process::{self, RunState};
use narrows_model::{ActivityState, WaitCheck};

use super::process_state::{ProcessState, class, place};
use crate::monitor::samples::{self, Processes};
use crate::wire::Row;

/// Looked up before each question, by a read of a file of the kernel's each; their time counts as time spent on looking.
const MOST_LOOKED_UP: usize = 4;
/// Answers in a row without anybody in such a wait, after which nobody is looked up until somebody is.
const CALM: u32 = 20;

/// Looks so far.
#[derive(Debug, Clone)]
pub(super) struct WaitChecks {
    /// Sessions in a statement and workers at the last answer, by the server's numbers.
    at_work: Vec<u32>,
    /// Whose turn it is among them.
    turn: usize,
    /// Answers since somebody was found in such a wait.
    calm: u32,
    counts: BTreeMap<ActivityState, WaitCheck>,
}

/// What was looked up before a question, by the server's numbers: with the number here and the state.
pub(super) type Before = BTreeMap<u32, (u32, RunState)>;

impl WaitChecks {
    pub(super) fn new() -> WaitChecks {
        WaitChecks { at_work: Vec::new(), turn: 0, calm: CALM, counts: BTreeMap::new() }
    }

    /// Looks up some of those that were at work at the last answer, in turn. `here` gives a process's number on this machine.
    pub(super) fn before(&mut self, here: impl Fn(u32) -> Option<u32>) -> Before {
        self.before_with(here, process::run_state)
    }

    fn before_with(
        &mut self,
        here: impl Fn(u32) -> Option<u32>,
        state: impl Fn(u32) -> Option<RunState>,
    ) -> Before {
        let processes = self.at_work.len();
        if self.calm >= CALM || processes == 0 {
            return Before::new();
        }
        let from = self.turn;
        self.turn = (from + MOST_LOOKED_UP) % processes;
        let these =
            (0..processes.min(MOST_LOOKED_UP)).map(|n| self.at_work[(from + n) % processes]);
        these
            .filter_map(|pid| here(pid).and_then(|here| Some((pid, (here, state(here)?)))))
            .collect()
    }

    /// Looks those up again that the answer found in such a wait.
    pub(super) fn after(&mut self, before: &Before, rows: &[Row]) {
        self.after_with(before, rows, process::run_state);
    }

    fn after_with(
        &mut self,
        before: &Before,
        rows: &[Row],
        state: impl Fn(u32) -> Option<RunState>,
    ) {
        self.at_work.clear();
        self.calm = self.calm.saturating_add(1);
        for row in rows {
            let waits = wait(Processes::from(row));
            for pid in samples::pids(row) {
                self.at_work.push(pid);
                let Some(at) = waits else { continue };
                self.calm = 0;
                let Some((here, first)) = before.get(&pid) else { continue };
                let nothing = WaitCheck { state: at, runnable: 0, waiting: 0, unclear: 0 };
                let counts = self.counts.entry(at).or_insert(nothing);
                *match state(*here).map(|second| began_to_wait(*first, second)) {
                    Some(Between::Ran) => &mut counts.runnable,
                    Some(Between::Waited) => &mut counts.waiting,
                    Some(Between::Both) | None => &mut counts.unclear,
                } += 1;
            }
        }
        // The order of an answer is the server's; turns are taken by number.
        self.at_work.sort_unstable();
    }

    /// All of them.
    pub(super) fn counts(&self) -> Vec<WaitCheck> {
        self.counts.values().copied().collect()
    }
}

/// At most this share of those found in a state did not wait (upper end of Clopper and Pearson's 95 % interval); none where too few
/// answers were clear.
pub(super) fn runnable_share(checks: &[WaitCheck], state: ActivityState) -> f64 {
    let check = checks.iter().find(|check| check.state == state);
    let no_waits = check.and_then(WaitCheck::no_waits);
    no_waits.map_or(0.0, |(times, of)| narrows_stats::share_interval_95(times, of).1)
}

/// The state of sessions and workers that call the kernel in it, and may be on a processor while they do.
fn wait(found: Processes) -> Option<ActivityState> {
    let class = class(found.backend_type);
    let ProcessState::At(at) = place(class, found.state, found.kind, found.event) else {
        return None;
    };
    let calls = matches!(at, ActivityState::Read | ActivityState::Write | ActivityState::Log);
    (calls && class.serves_transactions()).then_some(at)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Ran,
    Waited,
    Both,
}

/// What a process did between two looks.
fn began_to_wait(first: RunState, second: RunState) -> Between {
    match (first.runnable, second.runnable, first.waits == second.waits) {
        (true, _, true) => Between::Ran,
        (false, false, true) => Between::Waited,
        _ => Between::Both,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::monitor::fake::row;

    fn at(runnable: bool, waits: u64) -> RunState {
        RunState { runnable, uninterruptible: false, waits }
    }

    #[test]
    fn only_who_did_not_change_in_between_is_clear() {
        assert_eq!(began_to_wait(at(true, 5), at(true, 5)), Between::Ran);
        assert_eq!(began_to_wait(at(false, 5), at(false, 5)), Between::Waited);
        assert_eq!(began_to_wait(at(false, 5), at(true, 5)), Between::Both, "woken in between");
        assert_eq!(began_to_wait(at(true, 5), at(false, 6)), Between::Both);
        assert_eq!(began_to_wait(at(true, 5), at(true, 6)), Between::Both);
        assert_eq!(began_to_wait(at(false, 5), at(false, 6)), Between::Both, "woken, and again");
    }

    fn reading(pids: &str) -> Vec<Row> {
        vec![
            row(["client backend", "active", "IO", "DataFileRead", "2", pids]),
            row(["client backend", "active", "", "", "1", "30"]),
            row(["client backend", "idle", "Client", "ClientRead", "9", ""]),
            row(["checkpointer", "", "IO", "DataFileWrite", "1", ""]),
        ]
    }

    #[test]
    fn who_is_found_in_a_read_is_looked_up_before_and_after() {
        let mut checks = WaitChecks::new();
        let looked = RefCell::new(Vec::new());
        // 10 copies from the page cache, 20 waits for its drive; by numbers of a container.
        let state = |pid: u32| {
            looked.borrow_mut().push(pid);
            Some(at(pid == 1010, 7))
        };
        let here = |pid: u32| Some(pid + 1000);
        for _ in 0..3 {
            let before = checks.before_with(here, state);
            checks.after_with(&before, &reading("20 10"), state);
        }
        let check = WaitCheck { state: ActivityState::Read, runnable: 2, waiting: 2, unclear: 0 };
        assert_eq!(checks.counts(), [check], "nobody was known at the first question");
        assert_eq!(
            looked.borrow()[..],
            [1010, 1020, 1030, 1020, 1010, 1020, 1030, 1010, 1020, 1010]
        );
        // Nobody waits any more: after a while nobody is looked up.
        for _ in 0..=CALM {
            checks.after_with(&Before::new(), &[reading("")[1].clone()], state);
        }
        assert!(checks.before_with(here, state).is_empty());
        assert_eq!(checks.counts(), [check]);
    }

    #[test]
    fn many_sessions_take_turns() {
        let mut checks = WaitChecks::new();
        let state = |_| Some(at(true, 1));
        checks.after_with(&Before::new(), &reading("1 2 3 4 5 6 7 8 9"), state);
        let turn = |checks: &mut WaitChecks| -> Vec<u32> {
            checks.before_with(Some, state).into_keys().collect()
        };
        assert_eq!(turn(&mut checks), [1, 2, 3, 4]);
        assert_eq!(turn(&mut checks), [5, 6, 7, 8]);
        assert_eq!(turn(&mut checks), [1, 2, 9, 30]);
    }

    #[test]
    fn a_share_is_at_most_and_needs_clear_answers() {
        let of = |runnable, waiting, unclear| {
            let state = ActivityState::Read;
            let checks = [WaitCheck { state, runnable, waiting, unclear }];
            (runnable_share(&checks, state), runnable_share(&checks, ActivityState::Write))
        };
        assert_eq!(of(200, 0, 0), (1.0, 0.0));
        let (share, _) = of(50, 50, 900);
        assert!((0.59..0.61).contains(&share), "{share}");
        assert_eq!(of(5, 4, 900), (0.0, 0.0), "too few are clear");
        assert_eq!(of(0, 20, 0).0, 0.0, "nobody was seen to run");
    }
}
