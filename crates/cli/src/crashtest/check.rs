//! After the cut: looks for every acknowledged record and gives the word.

use std::path::Path;

use anyhow::{Context, Result};
use narrows_crashtest::{
    Acknowledged, Cut, Machine, Place, TableCheck, check_file, check_table, conclude,
};
use narrows_model::{CrashTest, CrashTestOutcome};
use narrows_postgres::Address;

use crate::args::PlatformFormat;
use crate::args::crashtest::CheckArgs;
use crate::exit::{Exit, Outcome};
use crate::output;
use narrows_runner::paragraph::wrapped;

/// Lost records on the screen; JSON has more.
const MOST_SHOWN: usize = 20;

/// Checks and tells.
pub fn check(args: &CheckArgs) -> Result<Exit> {
    let list = Acknowledged::read(&args.acknowledged)?;
    let counts = match &args.postgres {
        Some(url) => {
            let address = Address::parse(url)?;
            let how = TableCheck { gone: args.gone, remounted: args.remounted, drop: args.remove };
            check_table(&address, &args.acknowledged, &list, how)?
        }
        None => {
            let file = args.file.as_deref().unwrap_or(Path::new(""));
            check_file(file, &args.acknowledged, &list, args.gone)?
        }
    };
    let cut = Cut::of(&list, &Machine::this(), args.cut.as_deref());
    let cut = Cut { remounted: args.remounted, ..cut };
    let test = conclude(&list.terms, counts, &cut, args.least);
    match args.format {
        PlatformFormat::Text => output::print(&text(&test))?,
        PlatformFormat::Json => {
            output::print(&output::json(&test)?)?;
        }
    }
    remove(args, &list, &test)?;
    Ok(Outcome::crash_test(test.outcome).exit())
}

fn text(test: &CrashTest) -> String {
    let word = match test.outcome {
        CrashTestOutcome::Shown => "shown",
        CrashTestOutcome::Refuted => "refuted",
        CrashTestOutcome::Inconclusive => "inconclusive",
    };
    let id: String = test.id.chars().take(12).collect();
    let mut lines = vec![format!("durability {word}  {}", test.target)];
    lines.push(format!("test {id}, {}", test.method));
    lines.extend(test.sentences.iter().flat_map(|sentence| wrapped(sentence, 2)));
    for lost in test.lost.iter().take(MOST_SHOWN) {
        let (stream, number) = (lost.stream, lost.number);
        lines.extend(wrapped(&format!("stream {stream} record {number}: {}", lost.found), 2));
    }
    let lost = (test.missing + test.torn) as usize;
    if lost > MOST_SHOWN {
        let named = test.lost.len();
        lines.push(format!("  and {} more; --format json names {named}", lost - MOST_SHOWN));
    }
    lines.join("\n") + "\n"
}

/// Removes the file if that was asked for and it is no evidence. A table was dropped already; a device stays as it is.
fn remove(args: &CheckArgs, list: &Acknowledged, test: &CrashTest) -> Result<()> {
    let (Some(file), Place::File(_)) = (&args.file, &list.terms.place) else { return Ok(()) };
    if !args.remove || test.missing + test.torn > 0 || !file.is_file() {
        return Ok(());
    }
    narrows_files::remove_file(file).with_context(|| format!("removing {}", file.display()))
}
