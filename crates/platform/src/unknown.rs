//! The list of what could not be learned.

use narrows_model::Unknown;

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

    pub(crate) fn into_vec(self) -> Vec<Unknown> {
        self.0
    }
}
