//! Rules as sentences, for the book: what is printed comes from the same data that is executed.

use serde_json::Value;
use std::fmt;

use narrows_units::Ratio;

use narrows_model::{Key, Metric};

use crate::quantity::{Quantity, words};
use crate::rule::{About, Over, Test, When};
use crate::select::{Need, Select};

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            When::Ratio { of, to, over, test } => {
                write!(f, "{} ÷ {} {test}{}", factor(&of), factor(&to), repeats(over))
            }
            When::Value { of, over, test } => {
                write!(f, "{} {test}{}", of.label(), repeats(over))
            }
            When::Shortfall { done, due, share, .. } => write!(
                f,
                "{} falls short of {} by more than {} and by more than three standard deviations of a \
                 Poisson count",
                done.label(),
                due.label(),
                Ratio(share)
            ),
            When::Excess { of, most, .. } => write!(
                f,
                "{} is more than {most} by more than three standard deviations of a Poisson count of all that was counted",
                of.label(),
            ),
            When::LeftOver { left, rate, latency } => write!(
                f,
                "{} over all repeats is more than {} × {} (Little's law) and one leave at each window's end, by more than \
                 three standard deviations of a queue's length",
                left.label(),
                rate.label(),
                latency.label()
            ),
            When::LinkBelowUnderLoad => f.write_str(
                "outside of virtual machines: a PCIe link on the path to the drives, read again at the end of the windows, ran slower or narrower than both of its ends support",
            ),
            When::LinkCameUp => f.write_str(
                "outside of virtual machines: such a link ran slower or narrower before the run than at the end of the \
                 windows, and there at its best",
            ),
            When::FarFromDrive => f.write_str(
                "there are several NUMA nodes, and no CPU that the load could use is on that of a drive of data or WAL",
            ),
            When::Says { key, any_of } => {
                write!(f, "{} is {}", key.words(), any_of.join(" or "))
            }
            When::Present(key) => write!(f, "{} is recorded", key.words()),
            When::Drift { p_within, p_between, share } => write!(
                f,
                "the headline figure changes by more than {} along its Theil-Sen line, with Mann-Kendall \
                 p < {p_within} within most windows or p < {p_between} over five or more repeats",
                Ratio(share)
            ),
            When::Step { p, share, level } => write!(
                f,
                "the headline figure falls by more than {} in one step, within a window or over all of them one after \
                 the other, with Pettitt p < {p}, and then stays level within ±{}",
                Ratio(share),
                Ratio(level)
            ),
            When::Wide { half_width } => {
                write!(
                    f,
                    "the headline figure's 95 % interval is wider than ±{}",
                    Ratio(half_width)
                )
            }
            When::Path { role, fact } => {
                write!(f, "the {} role is {}", role.word(), fact.phrase())
            }
            When::AnyPath(fact) => write!(f, "a role is {}", fact.phrase()),
            When::Structure(structure) => f.write_str(&structure.phrase()),
            When::DatabaseBeside => {
                f.write_str("another database uses the drives of data or WAL")
            }
            When::Blind { have, lack, .. } => {
                let words = |metrics: &[Metric]| {
                    metrics.iter().map(|m| words(*m)).collect::<Vec<_>>().join(" or ")
                };
                if have.is_empty() {
                    write!(f, "none of them has {}", words(lack))
                } else {
                    write!(f, "they have {}, and none of them has {}", words(have), words(lack))
                }
            }
            When::Any(conditions) => {
                let parts: Vec<String> = conditions.iter().map(When::to_string).collect();
                f.write_str(&parts.join(", or "))
            }
            When::Where(need, when) => write!(f, "(where {need}) {when}"),
        }
    }
}

fn repeats(over: Over) -> &'static str {
    match over {
        Over::Median => "",
        Over::Worst => " in any repeat",
        Over::Total => ", all repeats together",
    }
}

/// A bound as short as it is exact: `0.95`, `2`, `10000`.
fn number(bound: f64) -> String {
    format!("{bound}")
}

/// A product in a quotient needs brackets.
fn factor(quantity: &Quantity) -> String {
    match quantity {
        Quantity::Product(_) => format!("({})", quantity.label()),
        _ => quantity.label(),
    }
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Test::Below(bound) => write!(f, "below {}", number(bound)),
            Test::Above(bound) => write!(f, "above {}", number(bound)),
            Test::Outside(low, high) => write!(f, "outside {} to {}", number(low), number(high)),
            Test::Between(low, high) => {
                write!(f, "above {} and up to {}", number(low), number(high))
            }
        }
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            About::Measurement(select) => write!(f, "{select}"),
            About::Run(select) => write!(f, "{select}; said once"),
            About::Host => f.write_str("the run"),
            About::Machine => f.write_str("the machine"),
        }
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code =
            |ids: &[&str]| ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ");
        let layers: Vec<&str> = self.layers.iter().map(|layer| layer.word()).collect();
        match (self.ids.is_empty(), layers.is_empty()) {
            (false, _) => f.write_str(&code(self.ids))?,
            (true, false) => f.write_str(&layers.join(", "))?,
            (true, true) => f.write_str("every measurement")?,
        }
        if !self.except.is_empty() {
            write!(f, " but not {}", code(self.except))?;
        }
        let needs: Vec<String> = self.needs.iter().map(Need::to_string).collect();
        if !needs.is_empty() {
            write!(f, ", where {}", needs.join(" and "))?;
        }
        Ok(())
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Need::Says(key, any_of) => {
                write!(f, "{} is {}", key.words(), any_of.join(" or "))
            }
            Need::SaysEither(choices) => {
                let one = |(key, any_of): &(Key<Value>, &[&str])| {
                    format!("{} is {}", key.words(), any_of.join(" or "))
                };
                f.write_str(&choices.iter().map(one).collect::<Vec<_>>().join(" or "))
            }
            Need::SaysNot(key, none_of) => {
                write!(f, "{} is not {}", key.words(), none_of.join(" or "))
            }
            Need::AtLeast(quantity, bound) => {
                write!(f, "{} is at least {}", quantity.label(), number(bound))
            }
            Need::Less(small, large) => {
                write!(f, "{} is less than {}", small.label(), large.label())
            }
            Need::Quick(true) => f.write_str("the run is a sketch"),
            Need::Quick(false) => f.write_str("the run is not a quick one"),
            Need::Planned(least) => write!(f, "{least} repeats or more were planned"),
            Need::Path(fact) => write!(f, "the path is {}", fact.phrase()),
            Need::PathUnder(role, fact) => {
                write!(f, "the {} folder's path is {}", role.word(), fact.phrase())
            }
            Need::PathNot(fact) => write!(f, "the path is not known to be {}", fact.phrase()),
        }
    }
}
