//! Which sessions took part in the look, and for how much of their time each was at work.
//!
//! A session that did nothing from the first time it was seen to the last goes round between no client and the server: in a pool
//! of a hundred of which eight are used, a law of a hundred sessions would have them wait for their clients. A census names, about
//! once a second, all sessions and those of them that did something since the look began; the samples name those in a statement.
//!
//! By its number a session is known. That a number is given out again within a look takes more connections than there are
//! numbers, and would count one session that did nothing as one that did.

use std::collections::BTreeMap;

use narrows_model::{Duty, SessionsOfDuty};

/// A session seen in fewer samples has no duty of its own.
const LEAST_SAMPLES: u64 = 20;

/// A session while it is there.
#[derive(Debug, Clone, Copy)]
struct PresentSession {
    first_ns: u64,
    last_ns: u64,
    /// The samples and the censuses that there had been when it came.
    first_sample: u64,
    first_census: usize,
    at_work_ns: u64,
    took_part: bool,
}

/// What is known of the sessions so far.
#[derive(Debug, Default)]
pub(super) struct Participants {
    present: BTreeMap<u32, PresentSession>,
    /// When each census was taken.
    censuses: Vec<u64>,
    /// Of sessions that went and had done nothing, the first and the last census that found them.
    gone_unused: Vec<(usize, usize)>,
    /// Of sessions that went, by duty: time present, time at work, ns.
    duties: BTreeMap<Duty, (u64, u64)>,
    samples: u64,
    /// The last sample: when, and who was at work.
    last: Option<(u64, Vec<u32>)>,
}

impl Participants {
    /// These were in a statement at that moment.
    pub(super) fn sample(&mut self, at_ns: u64, at_work: Vec<u32>) {
        // Half of the time between two samples belongs to each.
        let half_ns =
            self.last.as_ref().map_or(0, |(then_ns, _)| at_ns.saturating_sub(*then_ns) / 2);
        let before = self.last.take().map(|(_, pids)| pids).unwrap_or_default();
        for pid in before {
            if let Some(session) = self.present.get_mut(&pid) {
                session.at_work_ns += half_ns;
            }
        }
        for pid in &at_work {
            let session = self.seen(*pid, at_ns);
            session.took_part = true;
            session.at_work_ns += half_ns;
        }
        self.samples += 1;
        self.last = Some((at_ns, at_work));
    }

    /// All sessions at that moment, with whether they did something since the look began.
    pub(super) fn census(&mut self, at_ns: u64, all: &[(u32, bool)]) {
        for (pid, took_part) in all {
            self.seen(*pid, at_ns).took_part |= took_part;
        }
        let census = self.censuses.len();
        self.censuses.push(at_ns);
        let all = std::mem::take(&mut self.present).into_iter();
        let (there, gone): (Vec<_>, Vec<_>) = all.partition(|(_, s)| s.last_ns == at_ns);
        self.present = there.into_iter().collect();
        for (_, session) in gone {
            self.went(session, census);
        }
    }

    fn seen(&mut self, pid: u32, at_ns: u64) -> &mut PresentSession {
        let session = self.present.entry(pid).or_insert(PresentSession {
            first_ns: at_ns,
            last_ns: at_ns,
            first_sample: self.samples,
            first_census: self.censuses.len(),
            at_work_ns: 0,
            took_part: false,
        });
        session.last_ns = at_ns;
        session
    }

    /// A session that this census didn't find any more.
    fn went(&mut self, session: PresentSession, census: usize) {
        if !session.took_part && census > session.first_census {
            self.gone_unused.push((session.first_census, census - 1));
        }
        if let Some(duty) = self.duty(&session) {
            let (present_ns, at_work_ns) = self.duties.entry(duty).or_default();
            *present_ns += session.present_ns();
            *at_work_ns += session.at_work_ns.min(session.present_ns());
        }
    }

    fn duty(&self, session: &PresentSession) -> Option<Duty> {
        let samples = self.samples - session.first_sample;
        let enough = session.took_part && samples >= LEAST_SAMPLES && session.present_ns() > 0;
        enough.then(|| Duty::of(session.at_work_ns as f64 / session.present_ns() as f64))
    }

    /// Sessions between two moments that did nothing from beginning to end of the look, mean of the censuses between them, or of
    /// all where none was; `None` without a census.
    pub(super) fn unused(&self, from_ns: u64, to_ns: u64) -> Option<f64> {
        let mut changes = vec![0_i64; self.censuses.len() + 1];
        let still = self.present.values().filter(|session| !session.took_part);
        let still = still.map(|session| (session.first_census, self.censuses.len() - 1));
        for (first, last) in self.gone_unused.iter().copied().chain(still) {
            changes[first] += 1;
            changes[last + 1] -= 1;
        }
        let mut now = 0;
        let counts = self.censuses.iter().zip(&changes).map(|(at_ns, change)| {
            now += change;
            (*at_ns, now as f64)
        });
        let counts: Vec<(u64, f64)> = counts.collect();
        let within = |at: &u64| (from_ns..=to_ns).contains(at);
        let these: Vec<f64> = counts.iter().filter(|(at, _)| within(at)).map(|c| c.1).collect();
        let all: Vec<f64> = counts.iter().map(|c| c.1).collect();
        mean(&these).or_else(|| mean(&all))
    }

    /// Those that took part, by duty, over a look of that length.
    pub(super) fn duties(&self, length_ns: f64) -> Vec<SessionsOfDuty> {
        let mut all = self.duties.clone();
        for session in self.present.values() {
            if let Some(duty) = self.duty(session) {
                let (present_ns, at_work_ns) = all.entry(duty).or_default();
                *present_ns += session.present_ns();
                *at_work_ns += session.at_work_ns.min(session.present_ns());
            }
        }
        let mean = |ns: u64| if length_ns > 0.0 { ns as f64 / length_ns } else { 0.0 };
        let group = |(duty, (present_ns, at_work_ns))| SessionsOfDuty {
            duty,
            sessions: mean(present_ns),
            at_work: mean(at_work_ns),
        };
        all.into_iter().map(group).collect()
    }
}

impl PresentSession {
    fn present_ns(&self) -> u64 {
        self.last_ns - self.first_ns
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

#[cfg(test)]
#[path = "participants_test.rs"]
mod tests;
