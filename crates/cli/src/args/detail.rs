//! How much of a report is printed.

use clap::Args;
use narrows_report::document::Depth;

use super::Format;

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

    /// What is said where the other formats, which have everything, leave these options without an effect.
    pub fn note(self, format: Format) -> Option<String> {
        let option = match (self.explain, self.brief) {
            (true, _) => "--explain",
            (_, true) => "--brief",
            _ => return None,
        };
        let name = format.0.name;
        let whole = format!("note: {option} is for --format text; {name} has the whole report");
        (name != Format::TEXT.0.name).then_some(whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_that_is_always_whole_is_told() {
        let (screen, brief) = (DetailArgs::default(), DetailArgs { brief: true, explain: false });
        assert_eq!(brief.note(Format::TEXT), None);
        assert_eq!(screen.note(Format::HTML), None);
        let note = brief.note(Format::HTML).unwrap();
        assert_eq!(note, "note: --brief is for --format text; html has the whole report");
        let explain = DetailArgs { brief: false, explain: true };
        assert!(explain.note(Format::HTML).unwrap().contains("--explain"));
    }
}
