//! After the cut: looks for every acknowledged record and gives the word.

use std::path::Path;

use anyhow::{Context, Result};
use narrows_crashtest::{
    Acknowledged, Cut, DrivesPower, Machine, RecordLocation, TableCheck, check_file, check_table,
    conclude, drives_now,
};
use narrows_model::CrashTest;

use crate::request::crashtest::CheckRequest;

/// What was found, and what it was looked for by.
pub struct Checked {
    /// The word, with its reasons.
    pub test: CrashTest,
    list: Acknowledged,
}

/// Looks for the records.
///
/// # Errors
/// The list or what was written can't be read.
pub fn check(request: &CheckRequest) -> Result<Checked> {
    let list = Acknowledged::read(&request.acknowledged)?;
    let counts = match &request.postgres {
        Some(address) => {
            let how = TableCheck {
                gone: request.gone,
                remounted: request.remounted,
                drop: request.remove,
            };
            check_table(address, &request.acknowledged, &list, how)?
        }
        None => {
            let file = request.file.as_deref().unwrap_or(Path::new(""));
            check_file(file, &request.acknowledged, &list, request.gone)?
        }
    };
    let cut = Cut::of(&list, &Machine::this(), request.cut.as_deref());
    let (listed, drives) = (&list.terms.power, list.terms.drives);
    let power = DrivesPower::between(listed, drives, &drives_now(listed));
    let cut = Cut { remounted: request.remounted, power, ..cut };
    let test = conclude(&list.terms, counts, &cut, request.least);
    Ok(Checked { test, list })
}

/// Removes the file if that was asked for and it is no evidence. A table was dropped already; a device stays as it is.
///
/// # Errors
/// It can't be removed.
pub fn remove(request: &CheckRequest, checked: &Checked) -> Result<()> {
    let Checked { test, list } = checked;
    let (Some(file), RecordLocation::File(_)) = (&request.file, &list.terms.place) else {
        return Ok(());
    };
    if !request.remove || test.missing + test.torn > 0 || !file.is_file() {
        return Ok(());
    }
    narrows_files::remove_file(file).with_context(|| format!("removing {}", file.display()))
}
