//! Why a change can't be asked about.

use std::fmt;

/// What was asked and why it is no question, with what to say instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WhatIfError {
    /// What is wrong with which words.
    pub what: String,
    /// What to type instead.
    pub hint: String,
}

impl WhatIfError {
    pub(crate) fn new(what: impl Into<String>, hint: impl Into<String>) -> WhatIfError {
        WhatIfError { what: what.into(), hint: hint.into() }
    }
}

impl fmt::Display for WhatIfError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for WhatIfError {}
