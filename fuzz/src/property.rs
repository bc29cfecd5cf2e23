//! What must hold of every answer.

/// A message to a person: it says something and names the thing. The command takes out of it what would steer the terminal.
#[track_caller]
pub fn told(message: &str, names: &str) {
    assert!(!message.trim().is_empty(), "an error without a word");
    assert!(message.contains(names), "`{names}` is not named in: {message}");
    assert!(message.len() < 64 << 10, "{} bytes of message", message.len());
}

/// Nothing that steers a terminal but the line's end and the tab.
#[track_caller]
pub fn harmless(text: &str) {
    let bad = text.chars().find(|c| narrows_units::steers(*c) && !matches!(c, '\n' | '\t'));
    assert!(bad.is_none(), "{bad:?} would reach the terminal in: {text:?}");
}
