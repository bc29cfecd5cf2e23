//! Claims in write-ups: what two figures give, what the text says of them, and whether the one follows from the other.
//!
//! A claim is a share of something. Which of the two figures it is a share of, and whether per cent or points were meant, is where texts go
//! wrong, so a claim that does not follow is tried the other way round and in points before it is called one that does not.

use serde::Serialize;

/// A claim as it was published.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What it is about.
    pub what: String,
    /// The figure that is compared with.
    pub before: f64,
    /// The other.
    pub after: f64,
    /// Unit of both; `%` for shares, whose difference is in points.
    pub unit: String,
    /// What the text says: `19 % lower`, `2.4 times faster`, `9 points`.
    pub says: String,
}

/// What a text says, as a number.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimedChange {
    /// A growth, as a share; below zero where it says less.
    Growth(f64),
    /// A factor of one figure over the other, whichever is larger.
    Factor(f64),
    /// A difference of two shares, as a share.
    Points(f64),
}

/// Whether a claim follows from its figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Follows {
    /// Within what its last digit leaves open.
    Yes,
    /// Of the other figure.
    OtherWayRound,
    /// Of the difference of both, which is in points.
    InPoints,
    /// Neither.
    No,
}

/// A claim beside what its figures give.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedClaim {
    /// What it is about.
    pub what: String,
    /// The figures.
    pub before: f64,
    /// See there.
    pub after: f64,
    /// Their unit.
    pub unit: String,
    /// What the text says.
    pub says: String,
    /// Growth that the figures give, as a share.
    pub growth: f64,
    /// The same of the other figure: before over after, less one.
    pub other_way_round: f64,
    /// Difference of two shares, as a share; only where the figures are shares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<f64>,
    /// Whether it follows.
    pub follows: Follows,
}

/// Words that say that the second figure is the smaller one.
const LESS: [&str; 11] = [
    "lower",
    "less",
    "fewer",
    "smaller",
    "cheaper",
    "shorter",
    "reduction",
    "decrease",
    "drop",
    "fell",
    "saved",
];
/// Words that say that it is the larger one. Faster, slower and better say neither: of a time they mean the smaller one.
const MORE: [&str; 7] = ["higher", "more", "larger", "greater", "longer", "increase", "growth"];
/// Roundings of the figures themselves: what is printed as 16.9 is 16.85 to 16.95.
const FIGURES: f64 = 0.002;

/// Checks a claim.
///
/// # Errors
/// The text says no number, or a figure is not above zero; in a sentence.
pub fn check(claim: &Claim) -> Result<CheckedClaim, String> {
    if !(claim.before > 0.0 && claim.after > 0.0 && (claim.before + claim.after).is_finite()) {
        return Err(format!("{}: both figures have to be above zero", claim.what));
    }
    let (said, open) = claimed_change(&claim.says).ok_or_else(|| {
        format!(
            "{}: `{}` says no change; write it as 19 % lower, 2.4 times, or 9 points",
            claim.what, claim.says
        )
    })?;
    let growth = claim.after / claim.before - 1.0;
    let other_way_round = claim.before / claim.after - 1.0;
    let points = (claim.unit.trim() == "%").then(|| (claim.after - claim.before) / 100.0);
    let near = |a: f64, b: f64| (a - b).abs() <= open + FIGURES * (1.0 + b.abs());
    // A text that says how much, and not in which direction, is right in either.
    let is = |said: f64, given: f64| match directed(&claim.says) {
        true => near(said, given),
        false => near(said.abs(), given.abs()),
    };
    let follows = match said {
        ClaimedChange::Growth(said) if is(said, growth) => Follows::Yes,
        ClaimedChange::Growth(said) if near(said.abs(), other_way_round.abs()) => {
            Follows::OtherWayRound
        }
        ClaimedChange::Growth(said)
            if points.is_some_and(|points| near(said.abs(), points.abs())) =>
        {
            Follows::InPoints
        }
        ClaimedChange::Factor(said) => {
            let factor = (1.0 + growth).max(1.0 + other_way_round);
            if near(said, factor) { Follows::Yes } else { Follows::No }
        }
        ClaimedChange::Points(said)
            if points.is_some_and(|points| near(said.abs(), points.abs())) =>
        {
            Follows::Yes
        }
        ClaimedChange::Growth(_) | ClaimedChange::Points(_) => Follows::No,
    };
    Ok(CheckedClaim {
        what: claim.what.clone(),
        before: claim.before,
        after: claim.after,
        unit: claim.unit.clone(),
        says: claim.says.clone(),
        growth,
        other_way_round,
        points,
        follows,
    })
}

/// Whether it is one of the words, and not a part of one.
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic()).any(|of_text| of_text == word)
}

fn directed(says: &str) -> bool {
    let says = says.to_lowercase();
    let signed = says.trim_start().starts_with(['-', '−', '+']);
    signed || LESS.iter().chain(&MORE).any(|word| has_word(&says, word))
}

/// The number of a text and what its last digit leaves open, both as shares.
fn claimed_change(says: &str) -> Option<(ClaimedChange, f64)> {
    let text = says.to_lowercase();
    let begins = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[begins..];
    let ends = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let number = rest[..ends].trim_end_matches('.');
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let value: f64 = number.parse().ok()?;
    let open = 0.5 * 10f64.powi(-(decimals as i32));
    let after = rest[ends..].trim_start();
    let negative = text[..begins].trim_end().ends_with(['-', '−'])
        || LESS.iter().any(|word| has_word(&text, word));
    let sign = if negative { -1.0 } else { 1.0 };
    if after.contains("point") {
        Some((ClaimedChange::Points(sign * value / 100.0), open / 100.0))
    } else if after.starts_with('%')
        || after.starts_with("per cent")
        || after.starts_with("percent")
    {
        Some((ClaimedChange::Growth(sign * value / 100.0), open / 100.0))
    } else if after.starts_with("times")
        || after.starts_with('x')
        || after.starts_with('×')
        || text.contains('×')
    {
        Some((ClaimedChange::Factor(value), open))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(before: f64, after: f64, unit: &str, says: &str) -> CheckedClaim {
        check(&Claim {
            what: "x".to_string(),
            before,
            after,
            unit: unit.to_string(),
            says: says.to_string(),
        })
        .unwrap()
    }

    #[test]
    fn what_follows_what_does_not_and_what_was_meant_otherwise() {
        for (before, after, unit, says, follows) in [
            // Two audited results: the one is 19.3 % higher, the other 16.2 % lower.
            (30_092.0, 25_231.0, "tpmC per core", "19 % lower", Follows::OtherWayRound),
            (30_092.0, 25_231.0, "tpmC per core", "16 % lower", Follows::Yes),
            // Cycles in kernel mode: 28.9 % less, 9.1 points.
            (31.5, 22.4, "%", "28 % less", Follows::No),
            (31.5, 22.4, "%", "29 % less", Follows::Yes),
            (31.5, 22.4, "%", "9.1 % less", Follows::InPoints),
            (31.5, 22.4, "%", "9.1 points less", Follows::Yes),
            (156.0, 97.0, "ns", "fell 38 %", Follows::Yes),
            (185_747.0, 266_852.0, "$", "44 % more", Follows::Yes),
            (32_264.0, 22_169.0, "orders/min", "31 % less", Follows::Yes),
            (32_264.0, 11_084.0, "orders/min", "67 % less", Follows::No),
            (55_529.0, 59_369.0, "tpmC per licence", "7 % more", Follows::Yes),
            (324.0, 221.0, "cycles", "32 % fewer", Follows::Yes),
            (104.0, 552.0, "drives", "5.3 times", Follows::Yes),
            (104.0, 552.0, "drives", "5.3x", Follows::Yes),
            (104.0, 552.0, "drives", "5 times", Follows::Yes),
            (104.0, 552.0, "drives", "6 times", Follows::No),
            (156.0, 97.0, "ns", "38 % faster", Follows::Yes),
            (100.0, 120.0, "ms", "20 % slower", Follows::Yes),
            (100.0, 120.0, "", "20 % lower", Follows::No),
            (100.0, 120.0, "", "by 20 %", Follows::Yes),
            (100.0, 120.0, "", "-20 %", Follows::No),
            (100.0, 120.0, "", "+20 %", Follows::Yes),
        ] {
            let found = checked(before, after, unit, says);
            assert_eq!(found.follows, follows, "{before} {after} {says}: {found:?}");
        }
    }

    #[test]
    fn what_says_no_change_is_an_error() {
        let claim = |before, says: &str| Claim {
            what: "rate".to_string(),
            before,
            after: 2.0,
            unit: String::new(),
            says: says.to_string(),
        };
        for says in ["faster", "", "20", "many times"] {
            let error = check(&claim(1.0, says)).unwrap_err();
            assert!(error.contains("rate: `") && error.contains("19 % lower"), "{error}");
        }
        assert!(check(&claim(0.0, "20 %")).unwrap_err().contains("above zero"));
        assert!(check(&claim(f64::INFINITY, "20 %")).is_err());
    }
}
