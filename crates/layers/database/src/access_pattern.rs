//! A task as the load's sessions do it: keys drawn, statements run, answers checked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::Rng;

use crate::load::{AfterAnswer, Keys, Operation, Program, Programs};
use crate::repeat_sample::UPDATES;
use crate::session::{Answer, Request, Value};
use crate::task::{Action, Calls, Spread, Task};

/// Rounds in which keys that were drawn twice for one operation are replaced.
const ROUNDS: u32 = 8;
/// Statements by their numbers, where an operation has a choice.
const FIRST: usize = 0;
const SECOND: usize = 1;

/// A task with its statements and its keys.
pub(crate) struct AccessPattern {
    pub(crate) task: Task,
    /// The statements of each table; sessions take the tables in turn.
    pub(crate) statements: Vec<Vec<String>>,
    pub(crate) keys: Keys,
    /// Of the operations that send all their keys at once.
    sent: Sent,
}

/// What sessions sent, put here when each of them ends.
#[derive(Default)]
struct Sent {
    operations: AtomicU64,
    keys: AtomicU64,
}

impl AccessPattern {
    /// By the statements of each table, of which so many rows' keys are drawn.
    pub(crate) fn new(task: &Task, statements: Vec<Vec<String>>, rows: u64) -> AccessPattern {
        let keys = match task.spread {
            Spread::Uniform => Keys::uniform(1, rows),
            Spread::Zipf(theta) => Keys::zipf(1, rows, theta),
            Spread::Hot { calls, keys } => Keys::hot_spot(1, rows, calls, keys),
        };
        AccessPattern { task: *task, statements, keys, sent: Sent::default() }
    }

    /// Blocks of one operation in the mean, as they were sent once the load is over: with skewed keys an operation that
    /// asks for none twice may find fewer than were asked for. `None` for a scan.
    pub(crate) fn blocks_per_operation(&self) -> Option<f64> {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed) as f64;
        match load(&self.sent.operations) {
            0.0 => self.task.blocks().map(f64::from),
            operations => Some(load(&self.sent.keys) / operations),
        }
    }

    fn together(&self, rng: Rng, blocks: u32, inside: bool) -> Together<'_> {
        Together {
            keys: &self.keys,
            rng,
            think: self.task.think,
            blocks,
            inside,
            drawn: Vec::with_capacity(2 * blocks as usize),
            operations: 0,
            keys_sent: 0,
            sent: &self.sent,
        }
    }
}

impl Programs for AccessPattern {
    fn classes(&self) -> Vec<String> {
        match self.task.action {
            Action::Update { percent: 1..=99, .. } => vec![UPDATES.into(), "lookup".into()],
            _ => vec![self.task.word().into()],
        }
    }

    fn statements(&self, session: u32) -> Vec<String> {
        self.statements[session as usize % self.statements.len()].clone()
    }

    fn program(&self, _session: u32, seed: u64) -> Box<dyn Program + '_> {
        let (rng, think) = (Rng::new(seed), self.task.think);
        let keys = &self.keys;
        let blocks = self.task.blocks().unwrap_or(0);
        match self.task.action {
            Action::Update { percent, .. } => Box::new(Mix { keys, rng, think, percent }),
            Action::Commit | Action::Scan { .. } => Box::new(Commit { rng, think }),
            Action::Lookup { calls: Calls::Each, .. } => {
                Box::new(Each { keys, rng, think, blocks, left: 0 })
            }
            Action::Lookup { calls: Calls::Any, .. } | Action::Batch { .. } => {
                Box::new(self.together(rng, blocks, false))
            }
            Action::Lookup { calls: Calls::Inside, .. } => {
                Box::new(self.together(rng, blocks, true))
            }
        }
    }
}

/// An exponential pause with that mean, as of many users who don't wait for each other.
#[inline]
fn pause(mean: Duration, rng: &mut Rng) -> Duration {
    if mean.is_zero() {
        return mean;
    }
    mean.mul_f64(-rng.unit_f64().max(f64::MIN_POSITIVE).ln())
}

/// One block, looked up or changed.
struct Mix<'w> {
    keys: &'w Keys,
    rng: Rng,
    think: Duration,
    percent: u32,
}

impl Mix<'_> {
    /// Whether the operation in hand changes its row, by its class.
    #[inline]
    fn draw(&mut self) -> bool {
        // Each operation by itself: no quota that would crowd the updates together.
        self.percent == 100 || self.rng.below(100) < u64::from(self.percent)
    }
}

impl Program for Mix<'_> {
    #[inline]
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        let changes = self.draw();
        let key = self.keys.draw(&mut self.rng);
        let mixed = self.percent > 0 && self.percent < 100;
        let which = if mixed && !changes { SECOND } else { FIRST };
        request.run(which, &[Value::Int8(key)]);
        Operation { class: which, pause: pause(self.think, &mut self.rng) }
    }

    #[inline]
    fn answered(&mut self, answer: &Answer<'_>, _: &mut Request<'_>) -> AfterAnswer {
        // A lookup selects its one row and an update changes one: the server's own count says either.
        AfterAnswer::done_if(answer.affected() == 1, "not the one row that was asked for")
    }
}

/// Nothing but a commit.
struct Commit {
    rng: Rng,
    think: Duration,
}

impl Program for Commit {
    #[inline]
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        request.run(FIRST, &[]);
        Operation { class: 0, pause: pause(self.think, &mut self.rng) }
    }

    #[inline]
    fn answered(&mut self, answer: &Answer<'_>, _: &mut Request<'_>) -> AfterAnswer {
        // An answer of one row or one changed row: which, is the kind's.
        AfterAnswer::done_if(answer.affected() == 1, "not the one record that was to be written")
    }
}

/// Blocks one after the other, a statement for each.
struct Each<'w> {
    keys: &'w Keys,
    rng: Rng,
    think: Duration,
    blocks: u32,
    left: u32,
}

impl Program for Each<'_> {
    #[inline]
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        self.left = self.blocks;
        request.run(FIRST, &[Value::Int8(self.keys.draw(&mut self.rng))]);
        Operation { class: 0, pause: pause(self.think, &mut self.rng) }
    }

    #[inline]
    fn answered(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> AfterAnswer {
        if answer.rows() != 1 {
            return AfterAnswer::done_if(false, "not the one row that was asked for");
        }
        self.left -= 1;
        if self.left == 0 {
            return AfterAnswer::done_if(true, "");
        }
        request.run(FIRST, &[Value::Int8(self.keys.draw(&mut self.rng))]);
        AfterAnswer::Send
    }
}

/// All keys in one statement.
struct Together<'w> {
    keys: &'w Keys,
    rng: Rng,
    think: Duration,
    blocks: u32,
    /// A function takes every key as often as it comes and answers with their number; the index finds a row once.
    inside: bool,
    drawn: Vec<i64>,
    operations: u64,
    keys_sent: u64,
    sent: &'w Sent,
}

impl Drop for Together<'_> {
    fn drop(&mut self) {
        // At the end and not at each operation: sessions would fight for the counters.
        self.sent.operations.fetch_add(self.operations, Ordering::Relaxed);
        self.sent.keys.fetch_add(self.keys_sent, Ordering::Relaxed);
    }
}

impl Together<'_> {
    fn draw(&mut self) {
        self.draw_keys();
        self.operations += 1;
        self.keys_sent += self.drawn.len() as u64;
    }

    fn draw_keys(&mut self) {
        let wanted = self.blocks as usize;
        self.drawn.clear();
        for _ in 0..ROUNDS {
            while self.drawn.len() < wanted {
                self.drawn.push(self.keys.draw(&mut self.rng));
            }
            if self.inside {
                return;
            }
            self.drawn.sort_unstable();
            self.drawn.dedup();
            if self.drawn.len() == wanted {
                return;
            }
        }
    }
}

impl Program for Together<'_> {
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        self.draw();
        request.run(FIRST, &[Value::Int8s(&self.drawn)]);
        Operation { class: 0, pause: pause(self.think, &mut self.rng) }
    }

    fn answered(&mut self, answer: &Answer<'_>, _: &mut Request<'_>) -> AfterAnswer {
        let found = match self.inside {
            true => answer.row(0).and_then(|row| row.int(0)).unwrap_or(0),
            false => i64::from(answer.rows()),
        };
        AfterAnswer::done_if(
            found == self.drawn.len() as i64,
            "not all the rows that were asked for",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Source;

    fn sent(spread: Spread, calls: Calls) -> f64 {
        let task = Task { spread, ..Task::new(Action::Lookup { blocks: 16, calls }, Source::Pool) };
        let drawn = AccessPattern::new(&task, vec![vec!["by key".to_string()]], 64);
        assert_eq!(drawn.blocks_per_operation(), Some(16.0), "nothing was sent yet");
        for session in 0..2 {
            let mut program = drawn.together(Rng::new(session), 16, calls == Calls::Inside);
            for _ in 0..100 {
                program.draw();
            }
        }
        drawn.blocks_per_operation().unwrap()
    }

    #[test]
    fn blocks_of_an_operation_are_those_that_were_sent() {
        assert_eq!(sent(Spread::Uniform, Calls::Any), 16.0);
        // By the law nearly all draws fall on the first few keys, and an index finds a row once.
        let skewed = sent(Spread::Zipf(4.0), Calls::Any);
        assert!((2.0..12.0).contains(&skewed), "{skewed}");
        // A function takes a key as often as it comes.
        assert_eq!(sent(Spread::Zipf(4.0), Calls::Inside), 16.0);
    }
}
