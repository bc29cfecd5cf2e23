//! An error as it is told: what was attempted, why it failed, and a `hint:` where one is known.

/// An error of the command itself, with its hint.
#[derive(Debug)]
pub struct Failure {
    what: String,
    hint: Option<String>,
}

impl Failure {
    /// An error with a hint.
    pub fn hinted(what: impl Into<String>, hint: impl Into<String>) -> anyhow::Error {
        Failure { what: what.into(), hint: Some(hint.into()) }.into()
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

/// An error with what it is about before it, unless it names that itself: an address is told once.
pub fn about(subject: &str, fails: &str, error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into();
    match error.chain().any(|cause| cause.to_string().contains(subject)) {
        true => error,
        false => error.context(format!("{subject} {fails}")),
    }
}

/// The text of an error: causes joined by colons, each hint once, on its own line. What it quotes may be of anybody's making
/// and steers no terminal.
pub fn render(error: &anyhow::Error) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut hints: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = cause.to_string();
        let mut lines: Vec<&str> = Vec::new();
        let mut hint: Option<String> = None;
        for line in text.lines() {
            match (line.strip_prefix("hint: "), &mut hint) {
                (Some(start), _) => hint = Some(start.to_string()),
                (None, Some(hint)) => {
                    hint.push(' ');
                    hint.push_str(line.trim());
                }
                (None, None) => lines.push(line),
            }
        }
        let message = lines.join("\n");
        // A transparent error repeats its cause word by word.
        if !said.iter().any(|earlier| earlier.contains(&message)) {
            said.push(message);
        }
        if let Some(hint) = hint.filter(|hint| !hints.contains(hint)) {
            hints.push(hint);
        }
    }
    let mut text = format!("error: {}", said.join(": "));
    for hint in hints {
        text.push_str(&format!("\nhint: {hint}"));
    }
    narrows_units::shown_lines(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn what_is_quoted_from_a_file_steers_no_terminal() {
        let error = Failure::hinted("its schema is `\u{1b}[2J\u{7f}x`", "name another\u{0}");
        assert_eq!(
            render(&error),
            "error: its schema is `\u{fffd}[2J\u{fffd}x`\nhint: name another\u{fffd}"
        );
    }

    #[test]
    fn what_an_error_is_about_is_told_once() {
        let said = |what: &str| {
            render(&about("postgres://u@h/d", "cannot be observed", Failure::hinted(what, "look")))
        };
        let refused = "error: postgres://u@h/d cannot be observed: refused\nhint: look";
        assert_eq!(said("refused"), refused);
        let named = "cannot connect to postgres://u@h/d: refused";
        assert_eq!(said(named), format!("error: {named}\nhint: look"));
    }

    #[test]
    fn hints_come_last_and_once() {
        let inner: Result<(), _> = Err(Failure::hinted("no space on /x", "free some"));
        let error = inner.context("writing the file").unwrap_err();
        assert_eq!(render(&error), "error: writing the file: no space on /x\nhint: free some");
    }
}
