//! `KEY=VALUE`: a figure to be taken instead of a given one.

use crate::answer::CostAnswer;
use crate::figures::what_if_value;
use crate::sheet::WhatIf;

/// Reads `item.server.price=12000` or `years="3 to 5"`.
///
/// # Errors
/// A sentence that says what is wrong with it.
pub fn what_if(text: &str) -> Result<WhatIf, String> {
    let Some((key, value)) = text.split_once('=') else {
        return Err("is no KEY=VALUE, like power.price=0.30".to_string());
    };
    let (key, value) = (key.trim(), value.trim());
    if key.is_empty() {
        return Err("has no key; the answer lists the keys of its figures".to_string());
    }
    match what_if_value(value) {
        Some(value) => Ok(WhatIf { key: key.to_string(), value }),
        None => Err(format!(
            "`{value}` is no number that is not negative, and no range like \"12 to 15\""
        )),
    }
}

/// A figure that is given twice.
pub fn twice(asked: &[WhatIf]) -> Option<&str> {
    let again = |at: usize| asked[..at].iter().any(|before| before.key == asked[at].key);
    (0..asked.len()).find(|at| again(*at)).map(|at| asked[at].key.as_str())
}

/// The first of these that none of the answers has a given figure for, and the nearest key that one has.
pub fn unused<'a>(
    asked: &'a [WhatIf],
    answers: &'a [CostAnswer],
) -> Option<(&'a str, Option<&'a str>)> {
    let given = || {
        let lines = answers.iter().flat_map(|answer| &answer.lines);
        lines.filter(|line| line.formula.is_empty()).map(|line| line.key.as_str())
    };
    let unknown = asked.iter().find(|what_if| !given().any(|key| key == what_if.key))?;
    Some((&unknown.key, narrows_limits::table::nearest(&unknown.key, given())))
}
