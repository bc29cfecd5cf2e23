//! Rules as sentences, for the book: what is printed comes from the same data that is executed.

use serde_json::Value;
use std::fmt;

use narrows_units::{Bytes, BytesPerSecond, Nanos, Ratio};

use narrows_model::{Key, Metric, Role, Severity, Unit};

use crate::plateau;
use crate::quantity::{Quantity, words};
use crate::rule::{About, Over, Test, When};
use crate::select::{Need, Select};

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            When::Ratio { of, to, over, test } => {
                let (of, to, test) = (factor(&of), factor(&to), fires(test, None));
                write!(f, "{of} ÷ {to} {test}{}", repeats(over))
            }
            When::Value { of, over, test } => {
                write!(f, "{} {}{}", of.label(), fires(test, of.unit()), repeats(over))
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
                "{} over all repeats is more than {} × {} (Little's law) and one more at each window's end, by more than \
                 three standard deviations of a queue's length",
                left.label(),
                rate.label(),
                latency.label()
            ),
            When::Says { key, any_of } => {
                write!(f, "{} is {}", key.words(), any_of.join(" or "))
            }
            When::Present(key) => write!(f, "{} is recorded", key.words()),
            When::Drift { p_within, p_between, share } => write!(
                f,
                "the headline figure changes by more than {} along its Theil-Sen line, with Mann-Kendall \
                 p < {p_within} within most windows or p < {p_between} from repeat to repeat",
                Ratio(share)
            ),
            When::Step { p, share, level } => write!(
                f,
                "the headline figure falls by more than {} in one step, within a window or over all of them one after \
                 the other, with Pettitt p < {p}, and then stays level within ±{}",
                Ratio(share),
                Ratio(level)
            ),
            When::Gaps { missing } => write!(
                f,
                "the headline figure falls below half of its median slice and comes back, so that more than {} of the work is missing there, in half of the windows or more; not where it does so four times and more in both halves of a window",
                Ratio(missing)
            ),
            When::StoodStill { share } => {
                write!(f, "stood still is above {share}{}", repeats(Over::Third))
            }
            When::WideInParts { half_width } => write!(
                f,
                "of a single window of 2 s or more: the headline figure's range over its five parts is wider than ±{}",
                Ratio(half_width)
            ),
            When::PartOf(severity) => write!(
                f,
                "the measurement of all that ran together, this one among it, is {}",
                severity_word(severity)
            ),
            When::AtVolumeLimit => f.write_str(&at_volume_limit()),
            When::Wide { half_width } => {
                write!(
                    f,
                    "the headline figure's 95 % interval is wider than ±{}",
                    Ratio(half_width)
                )
            }
            When::Path { role, fact } => {
                write!(f, "the {} role is {}", role_name(role), fact.phrase())
            }
            When::OwnPath(fact) => write!(f, "the measurement's path is {}", fact.phrase()),
            When::AnyPath(fact) => write!(f, "a role is {}", fact.phrase()),
            When::Structure(structure) => f.write_str(&structure.phrase()),
            When::Blind { have, lack, .. } => f.write_str(&blind(have, lack)),
            When::Any(conditions) => {
                let parts: Vec<String> = conditions.iter().map(When::to_string).collect();
                f.write_str(&parts.join(", or "))
            }
            When::Where(need, when) => write!(f, "(where {need}) {when}"),
            When::LinkBelowUnderLoad
            | When::LinkCameUp
            | When::FarFromDrive
            | When::SliverRead { .. }
            | When::CachedDevice
            | When::AboveLimit { .. }
            | When::DatabaseBeside => f.write_str(sentence(self)),
        }
    }
}

fn blind(have: &[Metric], lack: &[Metric]) -> String {
    let words =
        |metrics: &[Metric]| metrics.iter().map(|m| words(*m)).collect::<Vec<_>>().join(" or ");
    let lack = words(lack);
    match have {
        [] => format!("no measurement has {lack}"),
        have => format!("measurements have {}, and none of them has {lack}", words(have)),
    }
}

fn at_volume_limit() -> String {
    let limits: Vec<String> =
        plateau::LIMITS_PER_S.iter().map(|(limit, _)| format!("{limit:.0}")).collect();
    format!(
        "throughput is within 0.5 % of one of {} operations per second in each of three or more repeats; one repeat is so near to one of them \
         by chance in {:.1} % of cases",
        limits.join(", "),
        plateau::chance() * 100.0
    )
}

/// Of what has no figures of its own.
fn sentence(when: &When) -> &'static str {
    match when {
        When::LinkBelowUnderLoad => {
            "outside of virtual machines: a PCIe link on the path to the drives, read again at the end of the windows, ran slower or narrower than both of its ends support"
        }
        When::LinkCameUp => {
            "outside of virtual machines: such a link ran slower or narrower before the run than at the end of the \
                 windows, and there at its best"
        }
        When::FarFromDrive => {
            "there are several NUMA nodes, and no CPU that the load could use is on that of a drive of data or WAL"
        }
        When::SliverRead { turning: true } => {
            "outside of virtual machines: all drives turn, and the part that was read is less than 10 % of them"
        }
        When::SliverRead { turning: false } => {
            "the file was written for this run, and is less than 10 % of the drives"
        }
        When::CachedDevice => {
            "a device on the path is a bcache, or a device-mapper device whose stretches or LVM's marks say that it caches another one"
        }
        When::AboveLimit { network: true } => {
            "more was measured than the network's ports carry: above 102 % of the signal rate, or 110 % of what is left after headers"
        }
        When::AboveLimit { network: false } => {
            "more was measured than links or memory channels carry: above 102 % of the signal rate, or 110 % of what is left after headers"
        }
        When::DatabaseBeside => "another database uses the drives of data or WAL",
        _ => "",
    }
}

pub(crate) fn severity_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "noted",
        Severity::Suspect => "suspect",
        Severity::Invalid => "invalid",
    }
}

/// As sentences have it.
fn role_name(role: Role) -> &'static str {
    match role {
        Role::Data => "data",
        Role::Wal => "WAL",
    }
}

fn repeats(over: Over) -> &'static str {
    match over {
        Over::Median => "",
        Over::Third => " in more than a third of the repeats",
        Over::Worst => " in any repeat",
        Over::All => " in all repeats",
        Over::Total => ", all repeats together",
    }
}

/// A bound as short as it is exact, in the unit of what it bounds: `0.95`, `2`, `10 s`, `2 MiB`. Shares stay numbers.
fn bound(value: f64, unit: Option<Unit>) -> String {
    const POWERS_OF_TWO: u64 = 1024;
    let whole = value as u64;
    match unit {
        // Zero needs none.
        _ if value == 0.0 => "0".to_string(),
        Some(Unit::Ns | Unit::NsPerOp) => short(&Nanos(whole).to_string()),
        Some(Unit::Bytes | Unit::BytesPerOp) if whole.is_multiple_of(POWERS_OF_TWO) => {
            Bytes(whole).iec()
        }
        Some(Unit::Bytes | Unit::BytesPerOp) => short(&Bytes(whole).to_string()),
        Some(Unit::BytesPerS) => short(&BytesPerSecond(value).to_string()),
        _ => value.to_string(),
    }
}

/// A number and its unit without zeros that only fill three digits: `10 s` for `10.0 s`.
fn short(text: &str) -> String {
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text.to_string(),
    }
}

/// A product in a quotient needs brackets.
fn factor(quantity: &Quantity) -> String {
    let label = quantity.label();
    if label.contains(" × ") { format!("({label})") } else { label }
}

/// The values that fire, where what is tested has this unit.
fn fires(test: Test, unit: Option<Unit>) -> String {
    let shown = |value| bound(value, unit);
    match test {
        Test::Below(value) => format!("below {}", shown(value)),
        Test::Above(value) => format!("above {}", shown(value)),
        Test::Outside(low, high) => format!("outside {} to {}", shown(low), shown(high)),
        Test::Between(low, high) => format!("above {} and up to {}", shown(low), shown(high)),
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            About::Measurement(select) => write!(f, "{select}"),
            About::Run(select) => write!(f, "{select}; one finding per run"),
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
            Need::Without(key) => write!(f, "{} is not recorded", key.words()),
            Need::AtLeast(quantity, least) => {
                write!(f, "{} is at least {}", quantity.label(), bound(least, quantity.unit()))
            }
            Need::Less(small, large) => {
                write!(f, "{} is less than {}", small.label(), large.label())
            }
            Need::Quick(true) => f.write_str("the run is a quick run"),
            Need::Quick(false) => f.write_str("the run is not a quick run"),
            Need::Planned(least) => write!(f, "{least} repeats or more were planned"),
            Need::Path(fact) => write!(f, "the path is {}", fact.phrase()),
            Need::PathUnder(role, fact) => {
                write!(f, "the {} folder's path is {}", role_name(role), fact.phrase())
            }
            Need::Lacks(metric) => write!(f, "{} is unknown", words(metric)),
            Need::PathNot(fact) => write!(f, "the path is unknown or not {}", fact.phrase()),
        }
    }
}
