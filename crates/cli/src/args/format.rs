//! Forms of a document as values of `--format`: whatever forms there are.

use std::sync::LazyLock;

use clap::ValueEnum;
use clap::builder::PossibleValue;
use narrows_report::{FORMS, Form};

/// A format of standard output.
#[derive(Debug, Clone, Copy)]
pub struct Format(pub &'static Form);

impl Format {
    /// For people.
    pub const TEXT: Format = Format(&narrows_report::TEXT);
    /// The page.
    pub const HTML: Format = Format(&narrows_report::HTML);
}

impl ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Self] {
        static ALL: LazyLock<Vec<Format>> = LazyLock::new(|| FORMS.map(Format).to_vec());
        &ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.name).help(self.0.about))
    }
}
