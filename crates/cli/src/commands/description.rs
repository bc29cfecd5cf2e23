//! Descriptions that somebody wrote, as text.

use std::path::Path;

use anyhow::Result;
use narrows_runner::failure::Failure;

/// A file's text, read no further than any description goes; the command is the one whose help names their format.
pub fn text(file: &Path, command: &str) -> Result<String> {
    let failed = |reason: String| {
        let hint = format!(
            "name a TOML file that you may read; `narrows {command} --help` names the page on its format"
        );
        Failure::hinted(format!("{}: {reason}", file.display()), hint)
    };
    narrows_files::read_text(file, narrows_plan::TEXT_BYTES_MAX as u64)
        .map_err(|refused| failed(refused.to_string()))
}
