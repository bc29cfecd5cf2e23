//! What sessions do between their commits: the processor time and the waits of a database's sessions and of its client, without
//! the database.
//!
//! A session hands over to its client, works, and commits. The client is a thread on processors of its own, as a load's is, so that
//! sleeping, waking and queueing are what they are under the database. Processor time is spent until the thread's own clock says
//! so: a thread that waits for a processor spends none. What handing over costs comes on top, because it depends on the load: on
//! busy processors it is little, and after a sleep much.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use narrows_engine::now_ns;
use narrows_facts::process;

/// Shorter waits can't be slept; they are saved up.
const SHORTEST_NAP_NS: i64 = 500_000;

/// What one commit takes besides the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Processor time of the session besides handing over and committing, ns.
    pub cpu_ns: u64,
    /// Processor time of the client besides taking over and answering, ns.
    pub client_ns: u64,
    /// Other waits, ns.
    pub waits_ns: u64,
}

/// The clients' side: sessions hand over and wait for their answer.
#[derive(Debug)]
pub struct Clients {
    asked: Mutex<PostedSessions>,
    posted: Condvar,
    answers: Vec<(Mutex<bool>, Condvar)>,
    answered: AtomicU64,
    cpu_ns: AtomicU64,
}

#[derive(Debug, Default)]
struct PostedSessions {
    sessions: VecDeque<usize>,
    closed: bool,
}

impl Clients {
    /// For so many sessions.
    pub fn new(sessions: u32) -> Self {
        Clients {
            asked: Mutex::default(),
            posted: Condvar::new(),
            answers: (0..sessions).map(|_| Default::default()).collect(),
            answered: AtomicU64::new(0),
            cpu_ns: AtomicU64::new(0),
        }
    }

    /// Hands over and returns with the answer.
    pub fn ask(&self, session: usize) {
        self.asked.lock().expect("nobody panics with it").sessions.push_back(session);
        self.posted.notify_one();
        let (answered, back) = &self.answers[session];
        let mut answered = answered.lock().expect("nobody panics with it");
        while !*answered {
            answered = back.wait(answered).expect("nobody panics with it");
        }
        *answered = false;
    }

    /// A client's thread: answers each session after so much processor time, until [`Clients::close`].
    pub fn serve(&self, client_ns: u64) {
        let began_ns = process::thread_cpu_ns();
        let mut count = 0;
        while let Some(session) = self.next() {
            burn(client_ns);
            let (answered, back) = &self.answers[session];
            *answered.lock().expect("nobody panics with it") = true;
            back.notify_one();
            count += 1;
        }
        self.cpu_ns.fetch_add(process::thread_cpu_ns() - began_ns, Ordering::Relaxed);
        self.answered.fetch_add(count, Ordering::Relaxed);
    }

    /// Processor time of all clients that have ended, per answer, ns.
    pub fn cpu_per_answer_ns(&self) -> f64 {
        let count = self.answered.load(Ordering::Relaxed);
        self.cpu_ns.load(Ordering::Relaxed) as f64 / count as f64
    }

    fn next(&self) -> Option<usize> {
        let mut asked = self.asked.lock().expect("nobody panics with it");
        loop {
            if let Some(session) = asked.sessions.pop_front() {
                return Some(session);
            }
            if asked.closed {
                return None;
            }
            asked = self.posted.wait(asked).expect("nobody panics with it");
        }
    }

    /// Ends the clients' threads once nobody asks any more.
    pub fn close(&self) {
        self.asked.lock().expect("nobody panics with it").closed = true;
        self.posted.notify_all();
    }
}

/// One session's work.
#[derive(Debug)]
pub struct Worker<'a> {
    work: Work,
    clients: &'a Clients,
    session: usize,
    /// This thread's processor time when the last commit was over.
    mark: u64,
    owed_ns: i64,
}

impl<'a> Worker<'a> {
    /// On the calling thread, which must also be the one that works.
    pub fn new(work: Work, clients: &'a Clients, session: usize) -> Self {
        Worker { work, clients, session, mark: process::thread_cpu_ns(), owed_ns: 0 }
    }

    /// Everything between two commits.
    pub fn work(&mut self) {
        self.clients.ask(self.session);
        self.owed_ns += self.work.waits_ns as i64;
        if self.owed_ns >= SHORTEST_NAP_NS {
            let began_ns = now_ns();
            std::thread::sleep(Duration::from_nanos(self.owed_ns as u64));
            // A timer is late; what it was late by is owed no more.
            self.owed_ns -= (now_ns() - began_ns) as i64;
        }
        burn(self.work.cpu_ns);
    }

    /// After a commit: the processor time since the last one, ns.
    pub fn committed(&mut self) -> u64 {
        let cpu_ns = process::thread_cpu_ns();
        let used_ns = cpu_ns - self.mark;
        self.mark = cpu_ns;
        used_ns
    }
}

/// Spins for so much processor time of this thread.
fn burn(cpu_ns: u64) {
    let end_ns = process::thread_cpu_ns() + cpu_ns;
    while process::thread_cpu_ns() < end_ns {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_commit_has_the_processor_time_of_both_sides() {
        let clients = Clients::new(3);
        let work = Work { cpu_ns: 300_000, client_ns: 200_000, waits_ns: 0 };
        std::thread::scope(|scope| {
            let client = scope.spawn(|| {
                let before = process::thread_cpu_ns();
                clients.serve(work.client_ns);
                process::thread_cpu_ns() - before
            });
            let sessions: Vec<_> = (0..3)
                .map(|session| {
                    let clients = &clients;
                    scope.spawn(move || {
                        let mut worker = Worker::new(work, clients, session);
                        (0..5)
                            .map(|_| {
                                worker.work();
                                worker.committed()
                            })
                            .collect::<Vec<u64>>()
                    })
                })
                .collect();
            for session in sessions {
                let used = session.join().unwrap();
                assert!(used.iter().all(|ns| *ns >= work.cpu_ns), "{used:?}");
            }
            clients.close();
            assert!(client.join().unwrap() >= 15 * work.client_ns);
            assert!(clients.cpu_per_answer_ns() >= work.client_ns as f64);
        });
    }

    #[test]
    fn short_waits_are_slept_together_and_none_is_lost() {
        let clients = Clients::new(1);
        let work = Work { waits_ns: 100_000, ..Work::default() };
        std::thread::scope(|scope| {
            scope.spawn(|| clients.serve(0));
            let mut worker = Worker::new(work, &clients, 0);
            let began_ns = now_ns();
            (0..50).for_each(|_| worker.work());
            let took_ns = (now_ns() - began_ns) as i64;
            assert!(took_ns + worker.owed_ns.max(0) >= 50 * 100_000, "{took_ns}");
            assert!(worker.owed_ns < SHORTEST_NAP_NS, "{}", worker.owed_ns);
            clients.close();
        });
    }
}
