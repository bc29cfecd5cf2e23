//! The second host's part: keeps the list until the writer falls silent, and says what to do next.

use anyhow::Result;
use narrows_crashtest::{Acknowledged, Collector, CrashTestError, End, Heard, RecordLocation};
use narrows_engine::Stop;

use crate::exit::{Exit, Outcome};
use crate::interrupt;
use crate::paragraph::paragraph;
use crate::request::crashtest::ListenRequest;
use crate::ui::Ui;

/// Listens for one writer.
///
/// # Errors
/// It can't listen, or can't write the list.
pub fn listen(request: &ListenRequest, ui: &dyn Ui) -> Result<Exit> {
    let stop = Stop::new();
    interrupt::install(&stop, ui.speaker())?;
    let collector = Collector::bind(&request.at)?;
    let address = collector.address()?;
    ui.say(&format!("listening on {address}; on the machine whose power will be cut:"));
    ui.say(&format!("  narrows log crashtest write FILE --to THIS-HOST:{}", address.port()));
    let mut told = 0;
    let mut tell = |heard: Heard<'_>| match heard {
        Heard::Began(terms) => {
            let (host, target, test) = (&terms.writer.host, &terms.target, terms.run.short());
            ui.say(&format!("{host} writes to {target} ({}), test {test}", terms.method));
            if let Some(why) = &terms.elsewhere {
                ui.put(&paragraph(&format!("a power cut of {host} alone shows nothing: {why}")));
            }
        }
        // Every second would fill a log; a list that doubled is news.
        Heard::Records(records) if records > 0 && records >= 2 * told => {
            told = records.max(500);
            ui.say(&format!("{records} records acknowledged so far"));
        }
        Heard::Records(_) => {}
        Heard::TurnedAway(from, reason) => ui.say(&format!("turned away {from}: {reason}")),
    };
    match collector.collect(&request.list, None, &stop, &mut tell) {
        Ok(list) => {
            ui.print(&summary(request, &list))?;
            Ok(Outcome::answered(true).stopped_if(stop.is_set()).exit())
        }
        Err(CrashTestError::Nobody(_)) if stop.is_set() => {
            Ok(Outcome::answered(false).stopped_if(true).exit())
        }
        Err(error) => Err(error.into()),
    }
}

fn summary(request: &ListenRequest, list: &Acknowledged) -> String {
    let mut text = format!(
        "{} records acknowledged in {} streams, in {}\n",
        list.total(),
        list.streams.len(),
        request.list.display()
    );
    for (stream, ranges) in list.streams.iter().enumerate() {
        let highest = ranges.highest().unwrap_or(0);
        let gaps = ranges.gaps().count();
        let gaps = if gaps == 0 { String::new() } else { format!(", {gaps} before it never came") };
        text += &format!("  stream {stream}: up to {highest}{gaps}\n");
    }
    let end = match &list.end {
        Some(End::Silence) => {
            "the writer is silent: if its power was cut, start it again, and look for the records there"
        }
        Some(End::Closed) => {
            "the writer's kernel closed the connection: its process ended, and that is not a power cut"
        }
        Some(End::Orderly) => "the writer stopped in order; nothing was cut",
        Some(End::Failed(reason)) => {
            text += &paragraph(&format!("the writer saw a write fail: {reason}"));
            "if the device that it writes to lost its power, look for the records there, with --cut WHAT"
        }
        Some(End::Stopped) => "this list was stopped; the writer ends too",
        None => "this list has no end",
    };
    text += &paragraph(end);
    let elsewhere = list.terms.elsewhere.as_ref().filter(|_| list.end == Some(End::Silence));
    if let Some(why) = elsewhere {
        text +=
            &paragraph(&format!("the check needs --cut WHAT to name what lost its power: {why}"));
    }
    let target = match &list.terms.place {
        RecordLocation::File(_) => quoted(&list.terms.target),
        RecordLocation::Table { .. } => format!("--postgres {}", quoted(&list.terms.target)),
    };
    let path = quoted(&request.list.display().to_string());
    text += &format!("  narrows log crashtest check {target} --acknowledged {path}\n");
    text
}

/// As one word of a POSIX shell: the writer chose the name, and the line is there to be copied.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-:@%+=,".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_word_of_the_shell_whatever_is_in_it() {
        assert_eq!(quoted("/wal/crash-1.list"), "/wal/crash-1.list");
        for name in ["/wal/my file", "$(touch x)", "a;b", "it's", "", "`id`", "a\\b"] {
            let echoed = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", quoted(name))])
                .output()
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&echoed.stdout), name, "{}", quoted(name));
        }
    }
}
