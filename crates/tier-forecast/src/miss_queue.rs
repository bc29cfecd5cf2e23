//! Reads that a cache misses, in the queue that is left to them.
//!
//! Storage that does one thing at a time is asked by fewer sessions at once where a cache serves most of them. How much of a read's time is such a
//! queue follows from two times of now: a read of all sessions, and a read of one alone. The rest of one alone is a delay that nobody shares.
//! Mean value analysis has both, as for CPUs: a session finds in the queue those that are there without it.

use narrows_cost::{ClosedLoop, Expr, LoopQuestion, LoopQueue, StorageQueue};

use crate::lines::{Lines, US};

/// A queue of so much of a read alone is all of it.
const WHOLLY: f64 = 1.0 - 1e-6;

/// What is known of reads now.
pub(crate) struct ReadsNow<'a> {
    pub sessions: &'a Expr,
    pub rate: &'a Expr,
    pub read: &'a Expr,
    /// One session's alone.
    pub alone: &'a Expr,
}

/// With the tier.
pub(crate) struct ReadsThen<'a> {
    /// The share that it misses.
    pub missed: &'a Expr,
    /// A read that it serves.
    pub hit: &'a Expr,
    /// What a miss takes longer besides.
    pub added: Option<&'a Expr>,
}

/// The mean read then.
pub(crate) fn mean_read(lines: &mut Lines, now: &ReadsNow<'_>, then: &ReadsThen<'_>) -> Expr {
    let round = now.sessions.clone() * US / now.rate.clone();
    let besides = (round - now.read.clone()).at_least(0.0);
    let besides = lines.computed("now.besides_read", "time now besides the read", "µs", besides);
    let queue = Expr::StorageQueue(Box::new(StorageQueue {
        sessions: now.sessions.clone(),
        alone: now.alone.clone(),
        besides: besides.clone(),
        rate: now.rate.clone(),
    }));
    let title = "of a read alone, what the others wait for";
    let queue = lines.computed("now.queue", title, "µs", queue);
    let one_queue = |lines: &Lines, demand: Expr, asked, given| {
        // Without a queue all time is elsewhere.
        let queues = lines.value(&demand).is_none_or(|us| us > 0.0);
        Expr::ClosedLoop(Box::new(ClosedLoop {
            queue: LoopQueue::Storage,
            asked,
            sessions: now.sessions.clone(),
            cpu: queues.then_some((demand, Expr::Number(1.0))),
            given,
        }))
    };
    let unqueued = match lines.value(&queue).zip(lines.value(now.alone)) {
        // The rest of a read alone. From the rate it would be found too, but where the queue is full the rate says nothing of the rest.
        Some((queue_us, alone_us)) if queue_us > 0.0 && queue_us < alone_us * WHOLLY => {
            now.alone.clone() - queue.clone()
        }
        // Less than a read alone, where sessions do more together than the same of one; more, where not even a queue explains so few.
        _ => {
            let all = one_queue(lines, queue.clone(), LoopQuestion::Elsewhere, now.rate.clone());
            (all - besides.clone()).at_least(0.0)
        }
    };
    let title = "of a read, what nobody else waits for";
    let unqueued = lines.computed("now.unqueued", title, "µs", unqueued);
    let missed = then.missed.clone();
    let demand = missed.clone() * queue;
    let demand = lines.computed("then.queue", "the queue's part of a mean read then", "µs", demand);
    let miss = match then.added {
        Some(added) => unqueued + added.clone(),
        None => unqueued,
    };
    let served = Expr::Number(1.0) - missed.clone();
    let elsewhere = besides.clone() + served * then.hit.clone() + missed * miss;
    let title = "the rest of it, and the time besides";
    let elsewhere = lines.computed("then.unqueued", title, "µs", elsewhere);
    let rate = one_queue(lines, demand, LoopQuestion::Rate, elsewhere);
    let title = "reads that pass this queue then";
    let rate = lines.computed("rate.queue", title, "/s", rate);
    let read = now.sessions.clone() * US / rate - besides;
    lines.computed("then.read", "a single-block read then, mean", "µs", read)
}
