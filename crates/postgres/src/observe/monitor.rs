//! A server that can be monitored, from the first question to what the run keeps of it.

use std::path::Path;
use std::time::Duration;

use narrows_engine::{Progress, Stop};
use narrows_model::{
    Consumers, Layer, LiveSetting, LoadChange, Measurement, Observation, ObservedSessions,
    ProcessClass, QueuedSession, Unknown, condition,
};
use narrows_observe::Watch;

use super::consumers::Scope;
use super::consumers::normalise::SentTexts;
use super::host::{Here, Ledger};
use super::missing::Missing;
use super::sampling::{PollLoop, Sampler};
use super::window::{Window, cut, whole};
use super::{figures, load_change, machine, settings};
use crate::address::Address;
use crate::monitor::catalog::{self, Catalog};
use crate::monitor::counters::Statement;
use crate::monitor::error::MonitorError;
use crate::monitor::poll_loop::Plan;
use crate::monitor::server::{Rights, Server};
use crate::monitor::session::SamplingSession;

/// What is known of the machine around the server, where that is this one.
#[derive(Debug, Default)]
pub struct Around {
    /// The machine's counters and those of the drives under the server's files, in the server's control groups.
    pub watch: Watch,
    /// The processors that these groups grant it.
    pub quota_cpus: Option<f64>,
}

/// How long a look of that length at most takes at least.
pub fn least(length: Duration) -> Duration {
    Plan::at_most(length, 0).least()
}

/// What was seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// What the server did.
    pub observation: Observation,
    /// The demand of a transaction by windows.
    pub measurement: Measurement,
    /// Why the look ended before its time, if it did without being asked to.
    pub cut_short: Option<String>,
}

/// Who asked for a look, and is told while it goes on.
pub trait Observer {
    /// The load has changed, and another look of at least that length begins: the machine around the server as it is now.
    fn begins_again(&mut self, change: &LoadChange, least: Duration) -> Around;

    /// What was seen so far: five seconds after the beginning, then after each window. Whether that is the answer, so that no more needs
    /// to be seen.
    fn so_far(&mut self, seen: Observed) -> bool;
}

/// A server that can be monitored.
pub struct Monitor {
    address: Address,
    session: SamplingSession,
    server: Server,
    /// Whether it is a standby.
    recovering: bool,
    settings: Vec<LiveSetting>,
    build: Vec<(String, String)>,
    here: Here,
    unknown: Vec<Unknown>,
    explains: bool,
    texts: SentTexts,
}

impl Monitor {
    /// Connects, asks what server it is, and looks for it on this machine.
    ///
    /// # Errors
    /// It can't be reached, or is too old.
    pub fn open(address: &Address) -> Result<Monitor, MonitorError> {
        let mut session = SamplingSession::open(address).map_err(MonitorError::connecting)?;
        let server = Server::ask(&mut session)?;
        let recovering =
            session.one("SELECT pg_catalog.pg_is_in_recovery()")?.as_deref() == Some("t");
        let settings = settings::read(&mut session)?;
        let build = settings::build(|sql| session.query(sql))?;
        let mut unknown = Vec::new();
        let here = Here::find(&mut session, &mut unknown)?;
        let address = address.clone();
        Ok(Monitor {
            address,
            session,
            server,
            recovering,
            settings,
            build,
            here,
            unknown,
            explains: true,
            texts: SentTexts::default(),
        })
    }

    /// Without plans of statements (`EXPLAIN`), which are asked for otherwise.
    #[must_use]
    pub fn without_plans(self) -> Monitor {
        Monitor { explains: false, ..self }
    }

    /// Texts of statements that sessions sent are kept with their literals.
    #[must_use]
    pub fn with_literals(self) -> Monitor {
        Monitor { texts: SentTexts::Whole, ..self }
    }

    /// The server's main process, where it runs on this machine and can be seen.
    pub fn postmaster(&self) -> Option<u32> {
        self.here.postmaster()
    }

    /// The server's data directory, where there is a path to it from here.
    pub fn data_dir(&self) -> Option<&Path> {
        self.here.data_dir()
    }

    /// The folder of its log, where there is a path to it from here.
    pub fn wal_dir(&self) -> Option<&Path> {
        self.here.wal_dir()
    }

    /// Its version, in its own words.
    pub fn version(&self) -> &str {
        &self.server.version
    }

    /// What its user may see.
    pub fn rights(&self) -> Rights {
        self.server.rights()
    }

    /// Looks for that long at most: for six windows of it, then for as many more as it takes to see enough transactions and to ask
    /// often enough. Where the load has changed meanwhile and six windows are left, all of that begins once more, and the first time counts
    /// only where the second ends early; `observer` is asked for the machine around the server then. Ends early, with what was seen, when
    /// `stop` is set, the server went away, or left several questions in a row unanswered. `seed` is that of the times between
    /// questions.
    ///
    /// # Errors
    /// It came to that before anything was seen.
    pub fn observe(
        self,
        length: Duration,
        seed: u64,
        around: Around,
        observer: &mut dyn Observer,
        stop: &Stop,
        progress: &dyn Progress,
    ) -> Result<Observed, MonitorError> {
        let plan = Plan::at_most(length, seed).of_one_load().told();
        let (first, next) = self.look(plan, around, None, observer, (stop, progress))?;
        let Some((change, monitor)) = next else { return Ok(first) };
        if stop.is_set() {
            return Ok(first.of_two_loads(None));
        }
        let left = length.saturating_sub(Duration::from_nanos(change.before_ns as u64));
        let plan = Plan::at_most(left, seed).told();
        let second = monitor.and_then(|monitor| {
            let around = observer.begins_again(&change, plan.least());
            monitor.look(plan, around, Some(change), observer, (stop, progress))
        });
        Ok(first.or_second(second.map(|(second, _)| second), plan.least(), stop))
    }

    /// One look, and where another may follow because the load has changed, the monitor for it.
    fn look(
        self,
        plan: Plan,
        around: Around,
        after: Option<LoadChange>,
        observer: &mut dyn Observer,
        (stop, progress): (&Stop, &dyn Progress),
    ) -> Result<(Observed, Option<SecondLook>), MonitorError> {
        let Monitor { mut session, settings, .. } = self;
        let process = self.here.process;
        session.heed(stop);
        if after.is_some() {
            session.query("DEALLOCATE ALL")?;
        }
        let catalog = Catalog::from_rows(&session.query(catalog::SQL)?);
        let on = |name: &str| settings::on(&settings, name);
        let asked = |count| figures::is_asked(count, self.recovering);
        let statement = Statement::new(&catalog, asked, |name| on(name) == Some(true));
        let tracked = on("track_activities") != Some(false);
        let method = settings.iter().find(|s| s.name == "io_method").map(|s| s.value.as_str());
        let ledger = process.map(|found| Ledger::of(&mut session, found, method));
        let sees_states = self.server.sees_others && tracked;
        let scope = Scope::of(&self.server, self.recovering, on("track_io_timing") == Some(true));
        let scope = Scope { explains: self.explains, texts: self.texts, ..scope };
        let watch = around.watch;
        let sampler = Sampler::prepare(&mut session, sees_states, ledger, watch, &plan, scope)?;
        let mut poll = PollLoop::begin(session, statement, sampler, plan)?;
        poll.sampler.begin();
        let of = ObservedServer {
            server: &self.server,
            recovering: self.recovering,
            address: self.address.to_string(),
            settings: &settings,
            build: &self.build,
            unknown: &self.unknown,
            allowed: process.map(|found| machine::allowed(found.postmaster)),
            postmaster: process.map(|found| found.postmaster),
            quota_cpus: around.quota_cpus,
            tracked,
            plan,
            after,
        };
        let told = &mut |poll: &mut PollLoop| {
            poll.sampler.end(None);
            let together = whole(poll);
            observer.so_far(of.observed(
                poll,
                together.clone(),
                vec![together],
                &LookEnd::default(),
            ))
        };
        let cut_short = poll.run(Layer::Database, &of.address, stop, progress, told)?;
        let change = match poll.begins_anew() && cut_short.is_none() {
            true => poll.sampler.load_change(&poll.edges, load_change::SINCE),
            false => None,
        };
        let answers = cut_short.is_none().then_some(&mut poll.session);
        poll.sampler.end(answers);
        let changed_settings = match cut_short {
            Some(_) => Vec::new(),
            None => settings::changed_since(&settings, &mut poll.session),
        };
        let cut_short = cut_short.map(|error| MonitorError::silent(error).to_string());
        let together = whole(&poll);
        let parts = if plan.cuts_counters() { cut(&poll) } else { Vec::new() };
        let parts = figures::usable(parts, &together, sees_states);
        let end = LookEnd { cut_short, changed_settings };
        let seen = of.observed(&poll, together, parts, &end);
        let again = Monitor { session: poll.session, settings: Vec::new(), ..self };
        Ok((seen, change.map(|change| (change, again.anew()))))
    }

    /// For another look at the same server: the settings of now, and an account of its own.
    fn anew(mut self) -> Result<Monitor, MonitorError> {
        self.settings = settings::read(&mut self.session)?;
        self.session.begin_account();
        Ok(self)
    }
}

/// What another look begins with: the change, and the monitor, unless the server went away.
type SecondLook = (LoadChange, Result<Monitor, MonitorError>);

impl Observed {
    /// The second look, unless it ended before its `least` length: then this one, of two loads, which says so.
    fn or_second(
        self,
        second: Result<Observed, MonitorError>,
        least: Duration,
        stop: &Stop,
    ) -> Observed {
        /// Edges of windows are read a moment early or late.
        const NEARLY: f64 = 0.95;
        let cut_short = match second {
            Ok(second) if second.observation.interval_ns >= NEARLY * least.as_nanos() as f64 => {
                return second;
            }
            Ok(second) => second.cut_short,
            Err(error) => Some(error.to_string()),
        };
        self.of_two_loads(cut_short.filter(|_| !stop.is_set()))
    }

    /// What is left where no second look followed a change of the load, or none that is whole.
    fn of_two_loads(mut self, cut_short: Option<String>) -> Observed {
        self.cut_short = cut_short;
        self.observation.unknown.push(Unknown {
            what: Observation::SINCE_ITS_LOAD_CHANGED.to_string(),
            needs: "a second observation: this one is of two loads, and the second ended early"
                .to_string(),
        });
        self
    }
}

/// How a look ended; of one that goes on nothing.
#[derive(Debug, Default)]
struct LookEnd {
    /// Why, if it did before its time.
    cut_short: Option<String>,
    /// Settings that were changed meanwhile.
    changed_settings: Vec<String>,
}

/// What is known of a server before anything is seen.
struct ObservedServer<'a> {
    server: &'a Server,
    recovering: bool,
    address: String,
    settings: &'a [LiveSetting],
    build: &'a [(String, String)],
    unknown: &'a [Unknown],
    /// Its CPUs, and its main process, where it runs on this machine and can be seen.
    allowed: Option<Vec<u32>>,
    postmaster: Option<u32>,
    quota_cpus: Option<f64>,
    tracked: bool,
    plan: Plan,
    after: Option<LoadChange>,
}

impl ObservedServer<'_> {
    /// What was seen of it, together and by windows.
    fn observed(
        &self,
        poll: &PollLoop,
        together: Window,
        parts: Vec<Window>,
        end: &LookEnd,
    ) -> Observed {
        let mut cost = poll.cost(together.ns, together.states.samples);
        cost.processors = machine::our_processors(&together);
        let checks = poll.sampler.wait_checks.counts();
        let activity = poll.sampler.sampled.activity(self.plan.windows_apart(), checks);
        let allowed = self.allowed.as_deref();
        let on = allowed.unwrap_or_default();
        let others = self.postmaster.and_then(|p| poll.sampler.others(p, on, together.ns));
        let processes =
            machine::processes(poll, &together, allowed, self.quota_cpus, others.as_ref());
        let (consumers, of_consumers) = poll.sampler.consumers(self.plan.windows_apart());
        let missing = Missing {
            server: self.server,
            recovering: self.recovering,
            settings: self.settings,
            counted: &together.changed,
            process: self.postmaster.is_some(),
            machine: processes.is_some() || self.postmaster.is_none(),
            build: !self.build.is_empty(),
            tracked: self.tracked,
            workers: together.states.at_work(ProcessClass::ParallelWorker) > 0.0,
            cut_short: end.cut_short.is_some(),
            changed_settings: &end.changed_settings,
            of_consumers,
        };
        let most = self.settings.iter().find(|setting| setting.name == "max_connections");
        let most = most.and_then(|most| most.value.parse().ok());
        let sessions = sessions(poll, &together, most);
        let consumers = Consumers { lock_queue: aged(&consumers, &sessions), ..consumers };
        let observation = Observation {
            consumers: Some(consumers),
            report: None,
            measurement: super::MEASUREMENT.to_string(),
            address: self.address.clone(),
            version: self.server.version.clone(),
            interval_ns: together.ns,
            load_change: self.after,
            windows: parts.len() as u32,
            counted: figures::counted(&together.changed),
            sessions,
            activity,
            processes,
            unknown: self.unknown.iter().cloned().chain(missing.list()).collect(),
            settings: self.settings.to_vec(),
            build: self.build.to_vec(),
            capacities_from: Vec::new(),
            cost,
        };
        let kernel_ns = poll.sampler.kernel.used_ns.unwrap_or(0.0);
        let set = figures::Machine {
            allowed,
            quota_cpus: self.quota_cpus,
            kernel_threads: kernel_ns / together.ns,
            yielding: others.map_or(0.0, |others| others.yielding_ns / together.ns),
        };
        let mut measurement = figures::measurement(&observation, &parts, &together, &set);
        measurement.conditions.insert(condition::ENCRYPTION, poll.session.encryption());
        Observed { observation, measurement, cut_short: end.cut_short.clone() }
    }
}

/// The queue at its longest, with the ages of its head as that was seen last: who holds a lock is asked more often than for whole queues.
fn aged(consumers: &Consumers, sessions: &ObservedSessions) -> Vec<QueuedSession> {
    let mut queue = consumers.lock_queue.clone();
    let Some(holder) = &sessions.holder else { return queue };
    let older = |a: Option<f64>, b: Option<f64>| [a, b].into_iter().flatten().reduce(f64::max);
    for session in queue.iter_mut().filter(|session| session.pid == holder.pid) {
        session.transaction_age_ns = older(session.transaction_age_ns, holder.transaction_age_ns);
        if session.state == holder.state {
            session.state_age_ns = older(session.state_age_ns, holder.state_age_ns);
        }
    }
    queue
}

fn sessions(poll: &PollLoop, together: &Window, allowed: Option<f64>) -> ObservedSessions {
    let probes = poll.sampler.slow_probes.as_ref();
    let found = probes.map(|probes| probes.found.clone()).unwrap_or_default();
    let most = poll.sampler.sampled.most();
    ObservedSessions {
        open: together.open(),
        most_open: most.map(|(open, _)| open),
        most_at_work: most.map(|(_, at_work)| at_work),
        allowed,
        oldest_transaction_ns: found.oldest_transaction_ns,
        oldest_prepared_ns: found.oldest_prepared_ns,
        slot_holds: found.slot_holds,
        longest_idle_in_transaction_ns: found.longest_idle_in_transaction_ns,
        most_behind_one: found.holder.as_ref().map(|holder| holder.behind),
        holder: found.holder,
        holders: found.holders,
        unused: together.unused,
        duties: probes.map_or(Vec::new(), |probes| probes.participants.duties(together.ns)),
        log_senders: found.log_senders,
    }
}

#[cfg(test)]
#[path = "monitor_test.rs"]
mod tests;
