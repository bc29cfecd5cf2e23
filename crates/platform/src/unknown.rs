//! The list of what could not be learned.

use narrows_facts::Trouble;
use narrows_model::Unknown;

/// Troubles that are told one by one; of more, their number.
const TOLD: usize = 5;

/// One entry per subject: the first one said stands, so that twelve drives behind a hypervisor give one line.
#[derive(Debug, Default)]
pub(crate) struct Unknowns(Vec<Unknown>);

impl Unknowns {
    /// `what` is not known; `needs` would show it.
    pub(crate) fn add(&mut self, what: impl Into<String>, needs: impl Into<String>) {
        let what = what.into();
        if self.0.iter().all(|known| known.what != what) {
            self.0.push(Unknown { what, needs: needs.into() });
        }
    }

    /// Files that are there and could not be read.
    pub(crate) fn add_troubles(&mut self, troubles: &[Trouble]) {
        for trouble in troubles.iter().take(TOLD) {
            self.add(&trouble.path, format!("a copy that can be read: {}", trouble.reason));
        }
        if let Some(more) = troubles.len().checked_sub(TOLD + 1) {
            self.add(format!("{} more files like these", more + 1), "a copy that can be read");
        }
    }

    pub(crate) fn into_vec(self) -> Vec<Unknown> {
        self.0
    }
}
