//! What keeps a verdict on an observed server from being given, or from being surer.

use narrows_model::{Bottleneck, Observation, TimeAccount};
use narrows_units::{Nanos, OpsPerSecond, Ratio, significant};

use crate::analysis::Analysis;
use crate::bound::{BoundLaw, Candidate};
use crate::choice::{Choice, cpu_from_both_sides};
use crate::observed::Observed;
use crate::observed::time::{summed_ns, time_ns};
use crate::session::{TimeComponent, agrees};
use crate::threshold::{
    FAR, LEAST_ACTIVE, LEAST_TRANSACTIONS, LOCK_QUEUE, LONG_REPORT_NS, MAY_BE_UNUSED,
    NEAR_SATURATION, OTHER_LOAD, QUEUE_EXPLAINED, QUEUE_WORTH_A_DOUBT, SMALLEST_RATIO, STOPS_OFTEN,
    TAKEN,
};

impl Analysis<'_> {
    /// Adds to a choice what nobody knows who only looks.
    pub(crate) fn doubt_what_was_only_looked_at(&self, choice: &mut Choice) {
        let Some(observed) = &self.demand.observed else { return };
        if let Some(few) = self.few_transactions() {
            choice.withheld.push(few);
        }
        choice.doubts.extend(self.observed_again());
        if observed.seen.is_some_and(Observation::is_of_two_loads) {
            choice.withheld.push(
                "the load changed while observed, and the second observation ended early: these are figures of two loads"
                    .to_string(),
            );
        }
        if observed.report().is_some() {
            self.doubt_a_report(choice);
            if matches!(choice.winner.narrow, Bottleneck::Cpu | Bottleneck::CpuPerSession) {
                choice.doubts.extend(self.owner_of_cpus_unknown());
            }
        } else if choice.winner.place == BoundLaw::Session && observed.open.is_none() {
            choice.withheld.push(
                "the number of open sessions is unknown, so whether the server waits for its clients is unknown too"
                    .to_string(),
            );
        }
        if choice.part == Some(TimeComponent::Cpu) && observed.from_afar {
            let why = "the server's processes cannot be seen from here: running and waiting for a CPU look alike";
            self.cannot_tell(choice, Bottleneck::Cpu, why.to_string());
        }
        // A session that has its next request and no processor to take it in with is idle by the server's word.
        if choice.part == Some(TimeComponent::Between) && self.bound(BoundLaw::Cpu).is_none() {
            let why = "how busy the CPUs are is unknown: a session that waits for one to read its next request looks idle";
            self.cannot_tell(choice, Bottleneck::Cpu, why.to_string());
        }
        choice.withheld.extend(self.unexplained(choice));
        if choice.part == Some(TimeComponent::Between) {
            choice.doubts.extend(self.parts_apart());
            choice.doubts.extend(self.unused_unknown());
            self.doubt_that_who_is_idle_matters(choice);
            self.doubt_that_all_go_round_alike(choice);
        }
        self.doubt_the_clients_queue(choice);
        self.doubt_what_is_nearly_full(choice);
        self.doubt_cpus_beside_a_lock_queue(choice);
        choice.withheld.extend(self.run_queue_beside_idle_cpus(choice));
        let weak =
            matches!(observed.account(&self.demand.throughput), Some((_, TimeAccount::Samples)));
        if weak {
            choice.doubts.push(
                "the sum was checked against samples only: the server does not count the time in statements (14 and later do)"
                    .to_string(),
            );
        }
    }

    /// What a report's means hide, and what it does not tell.
    fn doubt_a_report(&self, choice: &mut Choice) {
        let active = self.demand.servers;
        if active < LEAST_ACTIVE {
            choice.withheld.push(format!(
                "{} sessions were active on average: the database was nearly idle",
                significant(active, 2)
            ));
        }
        let seen = self.demand.observed.as_ref().and_then(|observed| observed.seen);
        if let Some(ns) = seen.map(|seen| seen.interval_ns).filter(|ns| *ns > LONG_REPORT_NS) {
            choice.doubts.push(format!(
                "the report's interval has {:.0} min: means over so long hide the times in which users waited",
                ns / 60e9
            ));
        }
    }

    /// The full CPUs may be others'.
    fn owner_of_cpus_unknown(&self) -> Option<String> {
        let processes = self.demand.observed.as_ref().and_then(Observed::processes)?;
        Some(format!(
            "{} of the {} CPUs in use are not these sessions', and the report does not tell whose they are",
            significant(processes.owner_unknown()?, 3),
            significant(processes.machine_cpus, 3)
        ))
    }

    /// Beside long waits for clients the time in statements hardly shows in the sum, and can be wrong by much.
    fn parts_apart(&self) -> Option<String> {
        let (account, _) = self.demand.observed.as_ref()?.account(&self.demand.throughput)?;
        let summed = summed_ns(self)?;
        (!agrees(summed.value, account.value)).then(|| {
            let ns = |ns: f64| Nanos(ns.max(0.0) as u64);
            format!(
                "in the server the parts add up to {} per transaction and the other account to {}: what that time consists of is unknown",
                ns(summed.value),
                ns(account.value)
            )
        })
    }

    /// Idle sessions of a pool are no clients that think: however many there are, who stands in a queue for locks is not helped
    /// by faster clients.
    fn doubt_that_who_is_idle_matters(&self, choice: &mut Choice) {
        let (Ok(parts), Some(all)) = (&self.parts, time_ns(self)) else { return };
        let lock_ns = parts.ns(TimeComponent::Lock);
        let queue = lock_ns * 1e-9 * self.demand.rate();
        if queue >= LOCK_QUEUE && lock_ns * 2.0 > all.value {
            let queue = significant(queue, 2);
            let why = format!(
                "on average {queue} sessions queue for locks, however many others are idle"
            );
            self.cannot_tell(choice, Bottleneck::Lock, why);
        }
    }

    /// Who is always at work doesn't wait for a client, however many others do now and then.
    fn doubt_that_all_go_round_alike(&self, choice: &mut Choice) {
        let kinds = self.demand.observed.as_ref().and_then(|observed| observed.two_populations());
        let (Some(kinds), Some(parts)) = (kinds, &self.unqueued) else { return };
        let in_server =
            parts.by_size().into_iter().find(|(part, _)| *part != TimeComponent::Between);
        let Some((part, _)) = in_server else { return };
        self.cannot_tell(choice, self.narrow_of(part, parts), kinds);
    }

    /// A run from before it was counted doesn't tell sessions that did nothing from clients that think.
    fn unused_unknown(&self) -> Option<String> {
        let observed = self.demand.observed.as_ref().filter(|o| o.participating.is_none())?;
        let (open, at_work) = (observed.open?, observed.at_work?.value);
        (open > at_work * MAY_BE_UNUSED).then(|| {
            format!(
                "how many of the {} sessions that were not active did nothing at all is unknown: unused ones of a pool look like clients that think",
                significant(open - at_work, 3)
            )
        })
    }

    /// What lies between statements may be a queue in front of something of the clients', and shrink by more than its share.
    fn doubt_the_clients_queue(&self, choice: &mut Choice) {
        let (Some(part), Some(parts)) = (choice.part, &self.unqueued) else { return };
        let between_ns = parts.ns(TimeComponent::Between);
        if part != TimeComponent::Between && between_ns * FAR > parts.ns(part) {
            let why = "sessions wait for their clients for almost as long, and what delays the clients cannot be seen from here";
            self.cannot_tell(choice, Bottleneck::Client, why.to_string());
        }
    }

    /// In front of what is nearly full there is a queue already, wherever else the sessions are for longest.
    fn doubt_what_is_nearly_full(&self, choice: &mut Choice) {
        let rate = self.demand.rate();
        if choice.winner.place != BoundLaw::Session {
            return;
        }
        let near = self.capacities.candidates.iter().find(|c| c.is_nearly_saturated(rate));
        let one_resource = |near: &Candidate| {
            (choice.winner.narrow, near.narrow) == (Bottleneck::CpuPerSession, Bottleneck::Cpu)
                && self.sessions_are_mostly_cpu()
        };
        if let Some(cpu) = near.filter(|near| one_resource(near)) {
            let why = cpu_from_both_sides(cpu, rate);
            if !choice.doubts.contains(&why) {
                choice.doubts.push(why);
            }
        } else if let Some(near) = near {
            let busy = near.utilisation(rate) * 100.0;
            let why = format!(
                "{} {busy:.0} % busy: what waits for it is not seen separately",
                near.label
            );
            self.cannot_tell(choice, near.narrow, why);
        }
    }

    /// CPUs that could carry more than the sum is good for are not what stops sessions that stand in a queue for locks, unless a quota
    /// stops the holders.
    fn doubt_cpus_beside_a_lock_queue(&self, choice: &mut Choice) {
        let (Some(parts), rate) = (&self.unqueued, self.demand.rate()) else { return };
        let room = 1.0 / choice.winner.utilisation(rate);
        let (lock_ns, round_ns) = (parts.ns(TimeComponent::Lock), self.demand.servers / rate * 1e9);
        let queue = lock_ns * 1e-9 * rate;
        let stopped = self.demand.cpu.throttled_share.is_some_and(|share| share >= STOPS_OFTEN);
        if choice.winner.place == BoundLaw::Cpu
            && !stopped
            && room > SMALLEST_RATIO
            && queue >= LOCK_QUEUE
            && lock_ns * 2.0 > round_ns
        {
            let why = format!(
                "on average {} sessions queue for locks, and the CPUs are not so full that these have to wait for them",
                significant(queue, 2)
            );
            self.cannot_tell(choice, self.narrow_of(TimeComponent::Lock, parts), why);
        }
    }

    /// A server that is stopped from outside shows no wait of its own: its sessions queue for CPUs that are idle, and seem to wait for
    /// whatever else takes their time. They queue for longer than arrivals of such a load make them (one CPU, M/M/1: `D · U / (1 − U)`),
    /// and than they would if something woke all of them together, as a flush does or a client of one thread: on each of `c` CPUs one
    /// then waits for half of the others there on average (`(N / c − 1) / 2 · D`).
    fn run_queue_beside_idle_cpus(&self, choice: &Choice) -> Option<String> {
        let rate = self.demand.rate();
        let busy = self.bound(BoundLaw::Cpu)?.utilisation(rate);
        let cpu = &self.demand.cpu;
        let taken = cpu.set.zip(cpu.taken).is_some_and(|(set, taken)| taken >= TAKEN * set);
        // A report's run queue is what its other parts leave.
        let by_report = self.demand.observed.as_ref()?.report().is_some();
        let explained =
            taken || by_report || cpu.throttled || self.demand.quota_cpus(self.run).is_some();
        if explained || busy >= NEAR_SATURATION || choice.winner.place != BoundLaw::Session {
            return None;
        }
        let queue_ns = self.parts.as_ref().ok()?.run_queue.value;
        let share = queue_ns / (self.demand.servers / rate * 1e9);
        let cpu_ns = cpu.server_ns?.value;
        let random_ns = cpu_ns * busy / (1.0 - busy);
        let each = self.demand.servers / cpu.available?.value.max(1.0);
        let together_ns = (each - 1.0).max(0.0) / 2.0 * cpu_ns;
        let explained_ns = QUEUE_EXPLAINED * (random_ns + together_ns);
        (share >= QUEUE_WORTH_A_DOUBT && queue_ns > explained_ns).then(|| {
            format!(
                "sessions wait for a CPU for {} of their time while {} of the CPUs are idle, and no counter shows what keeps them from it",
                Ratio(share),
                Ratio(1.0 - busy)
            )
        })
    }

    /// The load changed, and the verdict is on what came after.
    fn observed_again(&self) -> Option<String> {
        let change = self.demand.observed.as_ref()?.seen?.load_change?;
        let (since, now) = (change.rate_since, self.demand.rate());
        let other = since.max(now) > OTHER_LOAD * since.min(now);
        let again = if other { ", and again before it" } else { "" };
        Some(format!(
            "the load changed while observed (transactions: {}, then {}){again}: this verdict is of a second observation, after that",
            OpsPerSecond(change.rate_before),
            OpsPerSecond(since),
        ))
    }

    /// Too little happened.
    fn few_transactions(&self) -> Option<String> {
        let seen = self.demand.observed.as_ref()?.seen?;
        let ended =
            seen.counted.transactions().unwrap_or(self.demand.rate() * seen.interval_ns * 1e-9);
        (ended < LEAST_TRANSACTIONS).then(|| {
            format!("only {ended:.0} transactions ended while observed: the server is nearly idle")
        })
    }
}
