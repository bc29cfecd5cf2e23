//! From how many years on, and from which throughput on, the dearer of two descriptions pays.
//!
//! By years: what is paid once and what is paid each year are lines of both, so that two straight lines cross where the second saves as
//! much as it costs more. By throughput: as many of the cheaper one as cost no more than the dearer one do so much, if throughput adds up.

use serde::Serialize;

use crate::answer::CostAnswer;
use crate::sheet::number;

/// Copies of the cheaper one beyond which nobody buys that many.
const COPIES_MOST: f64 = 1000.0;

/// When the dearer of two pays.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BreakEven {
    /// By years; absent where both cost as much at first, or a price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub years: Option<YearsEven>,
    /// By throughput; absent without a throughput of both in one unit, or where a price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<RateEven>,
}

/// One costs more at first; does it save that each year?
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct YearsEven {
    /// The one that costs more at first.
    pub dearer: String,
    /// The other one.
    pub cheaper: String,
    /// How much more at first.
    pub more_once: f64,
    /// How much less in a year; negative where it costs more then too.
    pub less_each_year: f64,
    /// Years after which both have cost as much; absent where it saves nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub years: Option<f64>,
    /// What the ranges of both make of that; absent without ranges, and where an end of one saves nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    /// Within the ranges it may never pay.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unbounded: bool,
    /// In a sentence, with the sum.
    pub sentence: String,
}

/// One costs more over the years; from which throughput on is it worth that?
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateEven {
    /// The one that costs more.
    pub dearer: String,
    /// The other one.
    pub cheaper: String,
    /// As many of the cheaper one cost no more than the dearer one.
    pub copies: f64,
    /// What these do, in the unit.
    pub they_do: f64,
    /// The throughput above which one of the dearer costs less; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// What throughput counts.
    pub unit: String,
    /// In a sentence, with the sum.
    pub sentence: String,
}

/// Of two answers; `None` where neither can be told.
pub fn break_even(first: &CostAnswer, second: &CostAnswer) -> Option<BreakEven> {
    if first.currency != second.currency {
        return None;
    }
    let (years, throughput) = (by_years(first, second), by_throughput(first, second));
    (years.is_some() || throughput.is_some()).then_some(BreakEven { years, throughput })
}

/// A line's value with its ends; the value itself where it has no range.
fn ranged(answer: &CostAnswer, key: &str) -> Option<[f64; 3]> {
    let line = answer.line(key)?;
    let value = line.value?;
    let [low, high] = line.interval.unwrap_or([value, value]);
    Some([value, low, high])
}

fn by_years(first: &CostAnswer, second: &CostAnswer) -> Option<YearsEven> {
    let of = |answer| Some([ranged(answer, "total.once")?, ranged(answer, "total.each_year")?]);
    let (a, b) = (of(first)?, of(second)?);
    let ((dearer, cheaper), [once, yearly], [other_once, other_yearly]) = match a[0][0] > b[0][0] {
        true => ((first, second), a, b),
        false => ((second, first), b, a),
    };
    let (more, less) = (once[0] - other_once[0], other_yearly[0] - yearly[0]);
    if more <= 0.0 {
        return None;
    }
    let years = (less > 0.0).then(|| more / less);
    let four = [once, yearly, other_once, other_yearly];
    let (interval, unbounded) = match years {
        Some(years) => ends(years, four),
        None => (None, false),
    };
    let currency = &dearer.currency;
    let names = (&dearer.name, &cheaper.name);
    let sentence = match years {
        Some(years) => format!(
            "{} costs {} {currency} more at first and {} less each year than {}: it pays after {} years ({} / {}){}",
            names.0,
            number(more),
            number(less),
            names.1,
            number(years),
            number(more),
            number(less),
            doubt(interval, unbounded)
        ),
        None => format!(
            "{} costs {} {currency} more at first than {} and {} each year: by costs alone it never pays",
            names.0,
            number(more),
            names.1,
            if less < 0.0 { format!("{} more", number(-less)) } else { "as much".to_string() }
        ),
    };
    Some(YearsEven {
        dearer: names.0.clone(),
        cheaper: names.1.clone(),
        more_once: more,
        less_each_year: less,
        years,
        interval,
        unbounded,
        sentence,
    })
}

/// What the ranges of the four figures make of the years, one at a time, in quadrature; whether at an end nothing is saved.
fn ends(years: f64, figures: [[f64; 3]; 4]) -> (Option<[f64; 2]>, bool) {
    let at = |values: [f64; 4]| {
        let [once, yearly, other_once, other_yearly] = values;
        let less = other_yearly - yearly;
        (less > 0.0).then(|| ((once - other_once) / less).max(0.0))
    };
    let (mut down, mut up) = (0.0f64, 0.0f64);
    for moved in 0..figures.len() {
        for end in [1, 2] {
            let mut values = figures.map(|figure| figure[0]);
            values[moved] = figures[moved][end];
            match at(values) {
                Some(there) if there < years => down = down.hypot(years - there),
                Some(there) => up = up.hypot(there - years),
                None => return (None, true),
            }
        }
    }
    ((down > 0.0 || up > 0.0).then(|| [(years - down).max(0.0), years + up]), false)
}

fn doubt(interval: Option<[f64; 2]>, unbounded: bool) -> String {
    match interval {
        Some([low, high]) => {
            format!("; within the ranges {} to {}", number(low), number(high))
        }
        None if unbounded => "; within the ranges it may never pay".to_string(),
        None => String::new(),
    }
}

fn by_throughput(first: &CostAnswer, second: &CostAnswer) -> Option<RateEven> {
    let of = |answer: &CostAnswer| {
        let line = answer.line("work.rate").or_else(|| answer.line("scaling.rate"))?;
        Some((line.value?, line.unit.clone(), answer.value("total")?))
    };
    let (a, b) = (of(first)?, of(second)?);
    if a.1 != b.1 || a.2 == b.2 {
        return None;
    }
    let ((cheaper, (rate, unit, cost)), (dearer, (most, _, price))) = match a.2 < b.2 {
        true => ((first, a), (second, b)),
        false => ((second, b), (first, a)),
    };
    if cost <= 0.0 || price / cost > COPIES_MOST {
        return None;
    }
    let copies = (price / cost + 1e-9).floor();
    let they_do = copies * rate;
    let above = (they_do < most).then_some(they_do);
    let (cheap, dear) = (&cheaper.name, &dearer.name);
    let several = match copies {
        1.0 => format!("{cheap} costs {} and does", number(cost)),
        _ => format!("{} of {cheap} cost {} and do", number(copies), number(copies * cost)),
    };
    let sentence = match above {
        Some(above) => format!(
            "{dear} pays above {} {unit}: {several} that, {} of them cost more than the {} of {dear}, which does {} (throughput of several is taken to add up)",
            number(above),
            number(copies + 1.0),
            number(price),
            number(most)
        ),
        None => format!(
            "{dear} never pays by throughput: {several} {} {unit}, {dear} costs {} and does {} (throughput of several is taken to add up)",
            number(they_do),
            number(price),
            number(most)
        ),
    };
    Some(RateEven {
        dearer: dear.clone(),
        cheaper: cheap.clone(),
        copies,
        they_do,
        above,
        unit,
        sentence,
    })
}
