//! Sessions as they were found again and again: by state, and by statement, database, user and client.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{
    Activity, ActivityMoment, ActivityState, ActivityWhere, ConsumerKind, Consumers, Interval,
    IntervalMethod, ProcessClass, SampledConsumers, SampledGroup,
};

use super::normalise::{digest, key, normalised};
use super::sessions::Session;

/// Groups of each kind that are told apart.
const MOST_GROUPS: usize = 1000;
/// Names of stages that are kept of a state.
const NAMES: usize = 5;
/// Windows of which fewer give no interval.
const LEAST_WINDOWS: usize = 3;

/// By what sessions are counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    At(ActivityState),
    Group(ConsumerKind, String, ActivityState),
}

/// One window.
#[derive(Debug, Clone, Default)]
struct Window {
    samples: u64,
    found: BTreeMap<Key, u64>,
}

/// All samples.
#[derive(Debug, Clone, Default)]
pub(super) struct Sampled {
    windows: Vec<Window>,
    /// Names of stages by what they were found under.
    names: BTreeMap<Key, BTreeMap<String, u64>>,
    groups: BTreeMap<ConsumerKind, BTreeSet<String>>,
    /// Shapes of statements by their ids, and their keys.
    texts: BTreeMap<String, String>,
    keys: BTreeMap<String, String>,
    executions: BTreeSet<(u32, String)>,
    open: u64,
    most_open: u64,
    most_at_work: u64,
    longest_idle_s: f64,
    slices: Vec<(f64, u64, BTreeMap<ActivityState, u64>)>,
}

impl Sampled {
    /// What follows belongs to the next window.
    pub(super) fn next_window(&mut self) {
        self.windows.push(Window::default());
    }

    /// One sample, that long after the beginning.
    pub(super) fn take(&mut self, at_ns: f64, sessions: &[Session]) {
        if self.windows.is_empty() {
            self.next_window();
        }
        let mut at_work = 0;
        let mut states: BTreeMap<ActivityState, u64> = BTreeMap::new();
        for session in sessions {
            let Some(state) = session.state() else { continue };
            *states.entry(state).or_default() += 1;
            at_work += u64::from(state.is_at_work());
            if state == ActivityState::IdleInTransaction {
                self.longest_idle_s = self.longest_idle_s.max(session.for_s);
            }
            self.add(Key::At(state), session.event());
            let statement = session.text.as_deref().map(|text| (key(text), normalised(text)));
            if let Some((key, shape)) = statement.filter(|(key, _)| !key.is_empty()) {
                let id = digest(&key);
                if self.keys.len() < MOST_GROUPS {
                    self.keys.entry(id.clone()).or_insert(key);
                }
                if self.executions.len() < 1 << 18 {
                    self.executions.insert((session.id, id.clone()));
                }
                if self.is_known(ConsumerKind::Statement, &id) {
                    self.texts.entry(id.clone()).or_insert(shape);
                    self.add(Key::Group(ConsumerKind::Statement, id, state), session.event());
                }
            }
            for (kind, name) in [
                (ConsumerKind::Database, &session.database),
                (ConsumerKind::User, &session.user),
                (ConsumerKind::Client, &session.client),
            ] {
                if self.is_known(kind, name) {
                    self.add(Key::Group(kind, name.clone(), state), session.event());
                }
            }
        }
        if let Some(window) = self.windows.last_mut() {
            window.samples += 1;
        }
        self.open += sessions.len() as u64;
        self.most_open = self.most_open.max(sessions.len() as u64);
        self.most_at_work = self.most_at_work.max(at_work);
        self.slice(at_ns, &states);
    }

    /// The history, in slices of a second; of a long one neighbours become one.
    fn slice(&mut self, at_ns: f64, states: &BTreeMap<ActivityState, u64>) {
        const MOST: usize = 120;
        let begins = self.slices.last().is_none_or(|(began, ..)| at_ns - began >= 1e9);
        if begins && self.slices.len() < MOST {
            self.slices.push((at_ns, 0, BTreeMap::new()));
        }
        if let Some((_, samples, sums)) = self.slices.last_mut() {
            *samples += 1;
            for (state, n) in states {
                *sums.entry(*state).or_default() += n;
            }
        }
    }

    fn is_known(&mut self, kind: ConsumerKind, name: &str) -> bool {
        let of_kind = self.groups.entry(kind).or_default();
        of_kind.contains(name) || (of_kind.len() < MOST_GROUPS && of_kind.insert(name.to_string()))
    }

    fn add(&mut self, key: Key, name: String) {
        let Some(window) = self.windows.last_mut() else { return };
        *window.found.entry(key.clone()).or_default() += 1;
        let names = self.names.entry(key).or_default();
        if !name.is_empty() && (names.len() < 50 || names.contains_key(&name)) {
            *names.entry(name).or_default() += 1;
        }
    }

    /// Samples of all windows.
    pub(super) fn samples(&self) -> u64 {
        self.windows.iter().map(|window| window.samples).sum()
    }

    fn mean(&self, is_one: impl Fn(&Key) -> bool) -> (f64, Vec<f64>) {
        let of = |window: &Window| {
            window.found.iter().filter(|(key, _)| is_one(key)).map(|(_, n)| n).sum::<u64>() as f64
        };
        let all: f64 = self.windows.iter().map(of).sum();
        let windows = self.windows.iter().filter(|window| window.samples > 0);
        let means = windows.map(|window| of(window) / window.samples as f64).collect();
        (all / self.samples().max(1) as f64, means)
    }

    fn names(&self, is_one: impl Fn(&Key) -> bool) -> Vec<(String, f64)> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for (name, n) in self.names.iter().filter(|(key, _)| is_one(key)).flat_map(|(_, n)| n) {
            *sums.entry(name).or_default() += n;
        }
        let samples = self.samples().max(1) as f64;
        let mut means: Vec<(String, f64)> =
            sums.into_iter().map(|(name, n)| (name.to_string(), n as f64 / samples)).collect();
        means.sort_by(|a, b| b.1.total_cmp(&a.1));
        means.truncate(NAMES);
        means
    }

    /// Mean number of sessions in a statement, all and by windows.
    pub(super) fn at_work(&self) -> (f64, Vec<f64>) {
        self.mean(|key| matches!(key, Key::At(state) if state.is_at_work()))
    }

    /// Mean number of sessions open; the most at once; the most in a statement.
    pub(super) fn open(&self) -> Option<(f64, f64, f64)> {
        let samples = Some(self.samples()).filter(|n| *n > 0)? as f64;
        Some((self.open as f64 / samples, self.most_open as f64, self.most_at_work as f64))
    }

    /// The longest that a session was found idle in its transaction, ns.
    pub(super) fn longest_idle_ns(&self) -> Option<f64> {
        (self.longest_idle_s > 0.0).then_some(self.longest_idle_s * 1e9)
    }

    /// What sessions were found doing.
    pub(super) fn activity(&self) -> Activity {
        let found = ActivityState::ALL.into_iter().filter_map(|state| {
            let is_one = |key: &Key| *key == Key::At(state);
            let (processes, windows) = self.mean(is_one);
            (processes > 0.0).then(|| ActivityWhere {
                class: ProcessClass::Session,
                state,
                processes,
                interval_95: interval(&windows),
                windows,
                events: self.names(is_one),
            })
        });
        let history = self.slices.iter().map(|(at_ns, samples, sums)| ActivityMoment {
            at_ns: at_ns + 0.5e9,
            samples: *samples,
            sessions: sums.iter().map(|(s, n)| (*s, *n as f64 / *samples as f64)).collect(),
        });
        Activity {
            samples: self.samples(),
            counted: false,
            found: found.collect(),
            history: history.collect(),
            checks: Vec::new(),
        }
    }

    /// Whose they were. `digests` are the server's ids of statements by the keys of their texts.
    pub(super) fn consumers(&self, digests: &BTreeMap<String, String>) -> SampledConsumers {
        let id = |name: &str| {
            let key = self.keys.get(name);
            key.and_then(|key| digests.get(key)).cloned().unwrap_or(name.to_string())
        };
        let mut groups = Vec::new();
        for (kind, names) in &self.groups {
            let mut of_kind: Vec<SampledGroup> = names
                .iter()
                .map(|name| self.group(*kind, name))
                .filter(|group| !group.states.is_empty())
                .collect();
            of_kind.sort_by(|a, b| b.active.total_cmp(&a.active));
            of_kind.truncate(Consumers::KEPT);
            groups.extend(of_kind);
        }
        let mut texts = Vec::new();
        for group in groups.iter_mut().filter(|group| group.kind == ConsumerKind::Statement) {
            let text = self.texts.get(&group.name).cloned();
            group.name = id(&group.name);
            texts.extend(text.map(|text| (group.name.clone(), text)));
        }
        SampledConsumers {
            samples: self.samples(),
            executions: self.executions.len() as u64,
            active: self.at_work().0,
            groups,
            texts,
            by_text: digests.is_empty(),
            // Not kept over time.
            history: None,
        }
    }

    fn group(&self, kind: ConsumerKind, name: &str) -> SampledGroup {
        let of = |key: &Key| match key {
            Key::Group(of_kind, of_name, state) if *of_kind == kind && of_name == name => {
                Some(*state)
            }
            _ => None,
        };
        let at_work = |key: &Key| of(key).is_some_and(|state| state.is_at_work());
        let (active, windows) = self.mean(at_work);
        let mut states: Vec<(ActivityState, f64)> = ActivityState::ALL
            .into_iter()
            .map(|state| (state, self.mean(|key| of(key) == Some(state)).0))
            .filter(|(_, n)| *n > 0.0)
            .collect();
        states.sort_by(|a, b| b.1.total_cmp(&a.1));
        SampledGroup {
            kind,
            name: name.to_string(),
            active,
            interval_95: interval(&windows),
            states,
            events: self.names(at_work),
        }
    }
}

fn interval(means: &[f64]) -> Option<Interval> {
    let enough = means.len() >= LEAST_WINDOWS;
    let (low, high) = narrows_stats::mean_interval_95(means).filter(|_| enough)?;
    Some(Interval { low: low.max(0.0), high, method: IntervalMethod::MeanT })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::sessions::Transaction;

    fn session(id: u32, stage: &str, text: Option<&str>) -> Session {
        Session {
            id,
            user: "app".into(),
            client: "local".into(),
            database: "shop".into(),
            stage: stage.into(),
            sleeps: text.is_none(),
            text: text.map(str::to_string),
            ..Session::default()
        }
    }

    #[test]
    fn means_are_over_all_samples_and_statements_have_the_servers_ids_where_it_has_any() {
        let mut sampled = Sampled::default();
        for window in 0..3 {
            sampled.next_window();
            for sample in 0..2 {
                let mut sessions = vec![
                    session(1, "Sending data", Some("SELECT a FROM t WHERE b = 5")),
                    session(2, "Sending data", Some("SELECT a FROM t WHERE b = 'x'")),
                    session(3, "", None),
                ];
                sessions[2].transaction =
                    Some(Transaction { age_s: 7.0, ..Transaction::default() });
                sessions[2].for_s = 7.0;
                if sample == 0 {
                    sessions.push(session(
                        4,
                        "Waiting for table metadata lock",
                        Some("ALTER TABLE t"),
                    ));
                }
                sampled.take(f64::from(window * 2 + sample) * 1e9, &sessions);
            }
        }
        let activity = sampled.activity();
        assert_eq!((activity.samples, activity.history.len()), (6, 6));
        assert_eq!(activity.of(ActivityState::Running), Some(2.0));
        assert_eq!(activity.of(ActivityState::Lock), Some(0.5));
        assert_eq!(activity.of(ActivityState::IdleInTransaction), Some(1.0));
        assert_eq!((sampled.at_work().0, sampled.longest_idle_ns()), (2.5, Some(7e9)));
        assert_eq!(sampled.open(), Some((3.5, 4.0, 3.0)));
        let digests = BTreeMap::from([("selectafromtwhereb=?".to_string(), "d1".to_string())]);
        let consumers = sampled.consumers(&digests);
        let first = &consumers.groups[0];
        assert_eq!((first.name.as_str(), first.active), ("d1", 2.0));
        assert!(first.interval_95.is_some());
        assert_eq!(
            consumers.texts[0],
            ("d1".to_string(), "SELECT a FROM t WHERE b = ?".to_string())
        );
        assert!(sampled.consumers(&BTreeMap::new()).groups[0].name.starts_with("text-"));
    }
}
