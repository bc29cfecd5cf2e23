//! The log writer with one session: what the machinery of group commit adds to the write below it.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use narrows_engine::now_ns;
use narrows_model::{Conditions, condition};
use serde_json::json;

use super::step::LadderStep;
use crate::LogError;
use crate::page::PAGE;
use crate::writer::{CommitLog, Flusher, Style};

/// Commits of one session. In the leader's way it writes itself; in the writer's way it posts a thread, whose loop
/// ([`CommitLog::write`]) the caller runs.
pub struct OneCommit<'a, F> {
    log: &'a CommitLog<F>,
    bytes: u64,
    path: PathBuf,
    above: Option<String>,
    durable_by: Option<&'static str>,
    /// Where the log's flusher tells how long pages were made up.
    all_making_ns: Option<&'a AtomicU64>,
    /// Of that, since it was asked for.
    making_ns: u64,
}

impl<'a, F: Flusher> OneCommit<'a, F> {
    /// Commits of `bytes` to that log, whose file is `path`.
    pub fn new(log: &'a CommitLog<F>, bytes: u64, path: PathBuf, above: Option<String>) -> Self {
        OneCommit { log, bytes, path, above, durable_by: None, all_making_ns: None, making_ns: 0 }
    }

    /// The same on a log whose flusher adds to `making_ns` what pages take that it makes up: that is no part of a commit.
    #[must_use]
    pub fn without_making(self, making_ns: &'a AtomicU64) -> Self {
        OneCommit { all_making_ns: Some(making_ns), ..self }
    }

    /// The same where it is known by what a commit is durable.
    #[must_use]
    pub fn durable_by(self, durable_by: Option<&'static str>) -> Self {
        OneCommit { durable_by, ..self }
    }
}

impl<F: Flusher> LadderStep for OneCommit<'_, F> {
    fn name(&self) -> String {
        match self.log.style() {
            Style::Leader => "leader".to_string(),
            Style::Writer => "post_wait".to_string(),
        }
    }

    fn above(&self) -> Option<String> {
        self.above.clone()
    }

    fn prepare(&mut self) -> Result<(), LogError> {
        self.log.take_history();
        Ok(())
    }

    fn operation(&mut self) -> Result<Option<u64>, LogError> {
        let made_ns = || self.all_making_ns.map_or(0, |all| all.load(Ordering::Relaxed));
        let before_ns = made_ns();
        let began_ns = now_ns();
        self.log
            .commit(self.bytes)
            .map_err(|reason| LogError::of("flushing", &self.path, 0, reason))?;
        let took_ns = now_ns() - began_ns;
        let making_ns = made_ns() - before_ns;
        self.making_ns += making_ns;
        Ok(Some(took_ns.saturating_sub(making_ns)))
    }

    fn making_ns(&mut self) -> u64 {
        std::mem::take(&mut self.making_ns)
    }

    /// A page in most flushes; one more where the record goes into the next.
    fn bytes(&self) -> u64 {
        PAGE as u64
    }

    fn durable_by(&self) -> Option<&'static str> {
        self.durable_by
    }

    fn describe(&self, workload: &mut Conditions) {
        workload.insert(condition::SYNC_METHOD, json!("fdatasync"));
        workload.insert(condition::SESSIONS, json!(1));
        // So many commits in turn write the same page again.
        workload
            .insert(condition::COMMITS_PER_PAGE, json!((PAGE as u64 / self.bytes.max(1)).max(1)));
        workload.insert(condition::BYTES_PER_COMMIT, json!(self.bytes));
        workload.insert(condition::STYLE, json!(self.log.style().word()));
    }
}
