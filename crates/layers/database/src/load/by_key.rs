//! The smallest workload: one statement by one key per operation, committed by itself.

use narrows_engine::Rng;

use super::keys::Keys;
use super::program::{AfterAnswer, Operation, Program, Programs};
use crate::session::{Answer, Request, Value};

/// One statement with one `bigint` parameter per operation.
#[derive(Debug, Clone)]
pub struct ByKey {
    /// The statement.
    pub statement: String,
    /// Its parameter.
    pub keys: Keys,
    /// What its answer has to be.
    pub expect: Expect,
}

/// What an answer has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// One row.
    OneRow,
    /// No row, and one that was changed.
    OneChanged,
}

impl ByKey {
    /// A statement that answers with one row, by keys that are drawn uniformly from `1..=keys`.
    pub fn select(statement: impl Into<String>, keys: u64) -> Self {
        let keys = Keys::uniform(1, keys);
        ByKey { statement: statement.into(), keys, expect: Expect::OneRow }
    }

    /// A statement that changes one row, likewise.
    pub fn update(statement: impl Into<String>, keys: u64) -> Self {
        ByKey { expect: Expect::OneChanged, ..ByKey::select(statement, keys) }
    }
}

impl Programs for ByKey {
    fn classes(&self) -> Vec<String> {
        vec!["by key".into()]
    }

    fn statements(&self, _session: u32) -> Vec<String> {
        vec![self.statement.clone()]
    }

    fn program(&self, _session: u32, seed: u64) -> Box<dyn Program + '_> {
        Box::new(Session { work: self, rng: Rng::new(seed) })
    }
}

struct Session<'w> {
    work: &'w ByKey,
    rng: Rng,
}

impl Program for Session<'_> {
    #[inline]
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        request.run(0, &[Value::Int8(self.work.keys.draw(&mut self.rng))]);
        Operation::now(0)
    }

    #[inline]
    fn answered(&mut self, answer: &Answer<'_>, _request: &mut Request<'_>) -> AfterAnswer {
        match self.work.expect {
            Expect::OneRow => {
                AfterAnswer::done_if(answer.rows() == 1, "not the one row that was asked for")
            }
            Expect::OneChanged => AfterAnswer::done_if(
                answer.rows() == 0 && answer.affected() == 1,
                "not the one row changed that was to be",
            ),
        }
    }
}
