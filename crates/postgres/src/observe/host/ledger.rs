//! Processor time and run queue of the server's processes by class, from the scheduler's own account (`/proc/PID/schedstat`, ns;
//! kernel documentation, "Scheduler statistics").
//!
//! Sessions and workers come and go. Each look sees who is there; what a process used after the last look at it, and what one
//! used that no look saw, appears in what its parent reaped. That is given to the class of those that were seen to end, in
//! proportion, and to sessions where none was: what lives shorter than the time between two looks is mostly a connection.

use std::collections::{BTreeMap, BTreeSet};

use narrows_facts::process;
use narrows_model::ProcessClass;

use super::find::Server;
use super::title;
use crate::monitor::session::SamplingSession;

/// What a class used, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Used {
    pub(crate) cpu_ns: f64,
    pub(crate) run_queue_ns: f64,
    /// Times that a processor was given up to wait for something.
    pub(crate) waits: f64,
    /// Times that a processor was taken away.
    pub(crate) preempted: f64,
}

impl Used {
    /// What was used in sum, or since.
    pub(crate) fn plus(self, other: Used, sign: f64) -> Used {
        Used {
            cpu_ns: self.cpu_ns + sign * other.cpu_ns,
            run_queue_ns: self.run_queue_ns + sign * other.run_queue_ns,
            waits: self.waits + sign * other.waits,
            preempted: self.preempted + sign * other.preempted,
        }
    }

    /// Of the run queue, what came of being put off a processor and not of being woken: by how often each happened.
    pub(crate) fn put_off_ns(&self) -> f64 {
        let all = self.waits + self.preempted;
        if all > 0.0 { self.run_queue_ns * self.preempted / all } else { 0.0 }
    }

    /// On a processor, or put off one.
    pub(crate) fn ready_ns(&self) -> f64 {
        self.cpu_ns + self.put_off_ns()
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Known {
    class: Option<ProcessClass>,
    /// When the look began, or zero for what began later.
    first_ns: u64,
    window_ns: u64,
    cpu_ns: u64,
    delay_ns: u64,
    switches: (u64, u64),
    /// By which the server knows it.
    number: u32,
}

/// One look at a process.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProcessReading {
    pub(super) pid: u32,
    pub(super) cpu_ns: u64,
    pub(super) delay_ns: u64,
    pub(super) switches: (u64, u64),
}

/// The account so far.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    server: Server,
    cluster: String,
    /// Processes with threads of the kernel's for them, whose time has to be looked up thread by thread.
    threads: bool,
    processes: BTreeMap<u32, Known>,
    used: BTreeMap<ProcessClass, Used>,
    own_ns: u64,
    reaped_ns: u64,
    /// Reaped time of processes that ended, and what of it is in the account already; a tick is 10 ms, so that it is kept in sum.
    ended_ns: u64,
    begun: bool,
}

impl Ledger {
    pub(crate) fn new(server: Server, cluster: &str, threads: bool) -> Ledger {
        Ledger {
            server,
            cluster: cluster.to_string(),
            threads,
            processes: BTreeMap::new(),
            used: BTreeMap::new(),
            own_ns: 0,
            reaped_ns: 0,
            ended_ns: 0,
            begun: false,
        }
    }

    /// Of the server at the other end of a session.
    pub(crate) fn of(
        session: &mut SamplingSession,
        server: Server,
        io_method: Option<&str>,
    ) -> Ledger {
        let cluster = session.one("SELECT current_setting('cluster_name')").ok().flatten();
        Ledger::new(server, cluster.as_deref().unwrap_or(""), io_method == Some("io_uring"))
    }

    /// Looks at all processes; the first look begins the account.
    pub(crate) fn look(&mut self) {
        let read = |pid: u32| {
            let (cpu_ns, delay_ns) = match self.threads {
                false => process::main_thread_ns(pid)?,
                true => (process::cpu_ns(pid)?, process::run_delay_ns(pid).unwrap_or(0)),
            };
            let switches = self.switches(pid, cpu_ns, process::switches);
            Some(ProcessReading { pid, cpu_ns, delay_ns, switches })
        };
        let reaped = process::reaped_children_cpu_ns(self.server.postmaster);
        let mut pids = process::children(self.server.postmaster);
        pids.push(self.server.postmaster);
        let seen: Vec<ProcessReading> = pids.into_iter().filter_map(read).collect();
        self.take(&seen, reaped, process::title);
    }

    /// Of a process that did not run since the last look those are as they were: the file that has them is the dearest to read,
    /// and of thousands of sessions most are idle.
    fn switches(
        &self,
        pid: u32,
        cpu_ns: u64,
        read: impl Fn(u32) -> Option<(u64, u64)>,
    ) -> (u64, u64) {
        let before = self.processes.get(&pid).filter(|known| known.cpu_ns == cpu_ns);
        before.map_or_else(|| read(pid).unwrap_or_default(), |known| known.switches)
    }

    fn take(
        &mut self,
        seen: &[ProcessReading],
        reaped_ns: Option<u64>,
        title: impl Fn(u32) -> Option<String>,
    ) {
        let begins = !self.begun;
        self.begun = true;
        let there: BTreeSet<u32> = seen.iter().map(|one| one.pid).collect();
        let known = self.processes.keys().copied();
        let ended: Vec<u32> = known.filter(|pid| !there.contains(pid)).collect();
        for one in seen {
            self.note(one, begins, &title);
        }
        let reaped_ns = reaped_ns.unwrap_or(self.reaped_ns);
        if begins {
            self.reaped_ns = reaped_ns;
        }
        self.close(&ended, reaped_ns);
    }

    fn note(&mut self, one: &ProcessReading, begins: bool, title: &impl Fn(u32) -> Option<String>) {
        let first_ns = if begins { one.cpu_ns } else { 0 };
        let first_delay_ns = if begins { one.delay_ns } else { 0 };
        let first_switches = if begins { one.switches } else { (0, 0) };
        let before = self.processes.get(&one.pid).copied();
        // A number that was given to another process starts again.
        let before = before.filter(|known| known.cpu_ns <= one.cpu_ns).unwrap_or_else(|| Known {
            class: None,
            first_ns,
            window_ns: first_ns,
            cpu_ns: first_ns,
            delay_ns: first_delay_ns,
            switches: first_switches,
            number: if self.server.in_container { last_number(one.pid) } else { one.pid },
        });
        let class = before.class.or_else(|| self.class_of(one.pid, title));
        let ProcessReading { cpu_ns, delay_ns, switches, .. } = *one;
        let known = Known { class, cpu_ns, delay_ns, switches, ..before };
        self.processes.insert(one.pid, known);
        let cpu_ns = one.cpu_ns - before.cpu_ns;
        if one.pid == self.server.backend {
            self.own_ns += cpu_ns;
            return;
        }
        let used = self.used.entry(class.unwrap_or(ProcessClass::Session)).or_default();
        let more = Used {
            cpu_ns: cpu_ns as f64,
            run_queue_ns: one.delay_ns.saturating_sub(before.delay_ns) as f64,
            waits: one.switches.0.saturating_sub(before.switches.0) as f64,
            preempted: one.switches.1.saturating_sub(before.switches.1) as f64,
        };
        *used = used.plus(more, 1.0);
    }

    fn class_of(&self, pid: u32, title: &impl Fn(u32) -> Option<String>) -> Option<ProcessClass> {
        if pid == self.server.postmaster {
            return Some(ProcessClass::Other);
        }
        title::class(&title(pid)?, &self.cluster)
    }

    /// What was reaped, less what is in the account, goes to those that ended.
    fn close(&mut self, ended: &[u32], reaped_ns: u64) {
        let mut classes: Vec<ProcessClass> = Vec::new();
        for pid in ended {
            let Some(known) = self.processes.remove(pid) else { continue };
            self.ended_ns += known.cpu_ns;
            classes.push(known.class.unwrap_or(ProcessClass::Session));
        }
        if classes.is_empty() {
            classes.push(ProcessClass::Session);
        }
        let rest_ns = reaped_ns.saturating_sub(self.reaped_ns).saturating_sub(self.ended_ns);
        self.ended_ns += rest_ns;
        let share_ns = rest_ns as f64 / classes.len() as f64;
        for class in classes.iter().filter(|_| rest_ns > 0) {
            let used = self.used.entry(*class).or_default();
            // How long and how often it waited ends with it; it waited in the same queue as its like.
            let like = if used.cpu_ns > 0.0 { share_ns / used.cpu_ns } else { 0.0 };
            let more = if like > 0.0 {
                Used::default().plus(*used, like)
            } else {
                Used { cpu_ns: share_ns, ..Used::default() }
            };
            *used = used.plus(more, 1.0);
        }
    }

    /// What each class used since the beginning.
    pub(crate) fn used(&self) -> BTreeMap<ProcessClass, Used> {
        self.used.clone()
    }

    /// Processor time of the process that serves us since the beginning, ns.
    pub(crate) fn own_ns(&self) -> u64 {
        self.own_ns
    }

    /// Ends a window: its busiest process with its class and processor time in it, ns.
    pub(crate) fn end_window(&mut self) -> Option<(u32, ProcessClass, u64)> {
        let backend = self.server.backend;
        let others = self.processes.iter().filter(|(pid, _)| **pid != backend);
        let used = others.map(|(pid, known)| {
            (*pid, known.class.unwrap_or(ProcessClass::Session), known.cpu_ns - known.window_ns)
        });
        let busiest = used.max_by_key(|(_, _, ns)| *ns);
        for known in self.processes.values_mut() {
            known.window_ns = known.cpu_ns;
        }
        busiest
    }

    /// The sessions' processes of the last look, without the one that serves us.
    pub(crate) fn sessions(&self) -> Vec<u32> {
        let these = self.processes.iter().filter(|(pid, known)| {
            known.class == Some(ProcessClass::Session) && **pid != self.server.backend
        });
        these.map(|(pid, _)| *pid).collect()
    }

    /// Processor time of a process that is still there since the beginning, ns.
    pub(crate) fn since_beginning_ns(&self, pid: u32) -> Option<u64> {
        self.processes.get(&pid).map(|known| known.cpu_ns - known.first_ns)
    }

    /// The number here of the process that the server knows by that one; `None` where no look found it.
    pub(crate) fn here(&self, number: u32) -> Option<u32> {
        if !self.server.in_container {
            return self.processes.contains_key(&number).then_some(number);
        }
        let mut known = self.processes.iter();
        known.find(|(_, known)| known.number == number).map(|(pid, _)| *pid)
    }

    /// The process that serves us.
    pub(crate) fn backend(&self) -> u32 {
        self.server.backend
    }

    /// Bytes that the processes of the last look had read from drives so far, those of ended ones among the main process's;
    /// `None` where that may not be seen.
    pub(crate) fn drive_read_bytes(&self) -> Option<u64> {
        process::drive_bytes(self.server.postmaster)?;
        let each = self.processes.keys().filter_map(|pid| process::drive_bytes(*pid));
        Some(each.map(|(read, _)| read).sum())
    }
}

/// The number of a process in the innermost container that it is in.
fn last_number(pid: u32) -> u32 {
    process::numbers(pid).last().copied().unwrap_or(pid)
}

#[cfg(test)]
#[path = "ledger_test.rs"]
mod tests;
