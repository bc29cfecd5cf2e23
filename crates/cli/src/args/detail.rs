//! How much of a report is printed.

use clap::Args;
use narrows_report::document::Depth;

/// How much of a report is printed; without either, one screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Args)]
pub struct DetailArgs {
    /// Show how each answer is known: its sum, its test, the next limits
    #[arg(long)]
    pub explain: bool,
    /// Ten lines: the answers, the rates, what to do
    #[arg(long, conflicts_with = "explain")]
    pub brief: bool,
}

impl DetailArgs {
    /// What of a document is shown.
    pub fn depth(self) -> Depth {
        match (self.explain, self.brief) {
            (true, _) => Depth::Explained,
            (_, true) => Depth::Brief,
            _ => Depth::Screen,
        }
    }
}
