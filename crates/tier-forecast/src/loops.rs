//! Sessions in a closed loop, the limits over them, and which of them stops the gain.

use narrows_cost::{Basis, ClosedLoop, Expr, Given, LoopQuestion, LoopQueue, Range};
use narrows_units::{OpsPerSecond, Ratio, significant};
use narrows_verdict::threshold::SUM_TOLERANCE;

use crate::answer::GainLimit;
use crate::given::{Limit, Refused};
use crate::lines::{Lines, US, of};

/// Figures of now may contradict each other by so much: they are of one time, and rounded.
const ROUNDED: f64 = 1.05;
/// A rate so near to a limit is at it.
const AT_A_LIMIT: f64 = 0.9;
/// From this share of a limit on, what queues there is worth a doubt.
pub(crate) const HALF_BUSY: f64 = 0.5;

/// What all operations go through now.
pub(crate) struct Loop {
    pub sessions: Expr,
    /// CPU time of one, µs, and CPUs, where both are known.
    pub cpu: Option<(Expr, Expr)>,
    pub rate: Expr,
}

impl Loop {
    /// µs of one operation that are neither CPU time nor a wait for a CPU.
    pub fn elsewhere(&self, lines: &mut Lines) -> Expr {
        let title = match self.cpu {
            Some(_) => "time of one now, without CPU time and waits for CPUs",
            None => "time of one now",
        };
        let expr = self.asked(LoopQuestion::Elsewhere, self.rate.clone());
        lines.computed("now.elsewhere", title, "µs", expr)
    }

    /// Operations per second that spend so long elsewhere, µs.
    pub fn rate(&self, lines: &mut Lines, (key, title): (&str, &str), elsewhere: &Expr) -> Expr {
        lines.computed(key, title, "/s", self.asked(LoopQuestion::Rate, elsewhere.clone()))
    }

    fn asked(&self, asked: LoopQuestion, given: Expr) -> Expr {
        let (sessions, cpu) = (self.sessions.clone(), self.cpu.clone());
        let queue = LoopQueue::Cpus;
        Expr::ClosedLoop(Box::new(ClosedLoop { queue, asked, sessions, cpu, given }))
    }
}

/// Figures of one time agree: sessions in a wait are no more than there are, nor CPUs in use. Measured figures contradict each other
/// only where the low ends of their intervals do: of a few short windows, a rate and a mean wait each have their own doubt.
pub(crate) fn contradiction(
    rate: &Given,
    sessions: &Given,
    wait_us: Option<Range>,
    (cpu_us, cpus): (&Given, &Given),
    unit: &str,
) -> Result<(), Refused> {
    let Some(Range { value: rate, low: rate_low, .. }) = rate.value else { return Ok(()) };
    let hint = "all figures are of one time and of the same operations; Little's law must hold between them";
    if let (Some(wait_us), Some(sessions)) = (wait_us, of(sessions)) {
        let waiting = rate * wait_us.value / US;
        if rate_low * wait_us.low / US > sessions * ROUNDED {
            return Err(Refused::new(
                format!(
                    "{} {unit} that each wait {} µs keep {} sessions waiting, and there are {}",
                    OpsPerSecond(rate),
                    significant(wait_us.value, 3),
                    significant(waiting, 3),
                    significant(sessions, 3)
                ),
                hint,
            ));
        }
    }
    if let (Some(cpu), Some(cpus)) = (cpu_us.value, of(cpus)) {
        let cpu_us = cpu.value;
        let busy = rate * cpu_us / US;
        if rate_low * cpu.low / US > cpus * ROUNDED {
            return Err(Refused::new(
                format!(
                    "{} {unit} of {} µs of CPU time use {} CPUs, and there are {}",
                    OpsPerSecond(rate),
                    significant(cpu_us, 3),
                    significant(busy, 3),
                    significant(cpus, 3)
                ),
                hint,
            ));
        }
    }
    Ok(())
}

/// What the law is good to: its sum is accepted where it reproduces a measured rate within this, and no forecast by it is finer. Where the
/// parts of an operation's time are further off, so is the forecast.
pub(crate) fn law(lines: &mut Lines, off: f64) -> Expr {
    let most = off.max(SUM_TOLERANCE);
    let range = Range { value: 1.0, low: 1.0 - most, high: 1.0 + most };
    let source = match off > SUM_TOLERANCE {
        false => format!("the law's sum may miss a measured rate by {}", Ratio(most)),
        true => format!("the parts of the time now miss the measured rate by {}", Ratio(most)),
    };
    let given = Given::of(Some(range), Basis::Rule, source);
    lines.given("law", "what the law may be off by", "", &given)
}

/// Limits as lines: each with its words, and a line that is no lower than the rate that was measured.
pub(crate) struct Limits(Vec<(String, Expr)>);

impl Limits {
    pub fn of(lines: &mut Lines, all: &Loop, others: &[Limit]) -> Limits {
        let mut limits = Limits(Vec::new());
        if let Some((cpu, cpus)) = &all.cpu {
            let expr = cpus.clone() * US / cpu.clone();
            let line = lines.computed("limit.cpu", "CPUs allow", "/s", expr);
            limits.add(lines, ("CPUs", "limit.cpu"), line, &all.rate);
        }
        for (at, other) in others.iter().enumerate() {
            let key = format!("limit.{}", at + 1);
            let title = format!("{} allows", other.title);
            let line = lines.given(&key, &title, "/s", &other.per_s);
            limits.add(lines, (&other.title, &key), line, &all.rate);
        }
        limits
    }

    /// A limit was exceeded by what was measured, within its doubt: it is that rate then.
    pub fn add(&mut self, lines: &mut Lines, (title, key): (&str, &str), line: Expr, rate: &Expr) {
        let Some(value) = lines.value(&line) else { return };
        let passed = lines.value(rate).is_some_and(|rate| rate > value);
        let line = match passed {
            true => {
                let title = format!("{title}, no less than was measured");
                let expr = line.at_least(rate.clone());
                lines.computed(&format!("{key}.measured"), &title, "/s", expr)
            }
            false => line,
        };
        self.0.push((title.to_string(), line));
    }

    /// The same with another line for the limit of that title.
    pub fn with(&self, title: &str, line: &Expr) -> Limits {
        let other = |(name, old): &(String, Expr)| {
            let line = if name == title { line.clone() } else { old.clone() };
            (name.clone(), line)
        };
        Limits(self.0.iter().map(other).collect())
    }

    /// A rate that none of them is below.
    pub fn under(
        &self,
        lines: &mut Lines,
        (key, title): (&str, &str),
        rate: &Expr,
        law: &Expr,
    ) -> Expr {
        let capped =
            self.0.iter().fold(rate.clone(), |rate, (_, limit)| rate.at_most(limit.clone()));
        lines.computed(key, title, "/s", capped * law.clone())
    }

    /// The lowest one, with its words.
    pub fn lowest(&self, lines: &Lines) -> Option<(&str, f64)> {
        let known = self.0.iter().filter_map(|(title, line)| Some((&**title, lines.value(line)?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Those other than CPUs, whose queue the law knows, that such a rate keeps at least half busy.
    pub fn half_busy(&self, lines: &Lines, rate: f64) -> Vec<&str> {
        let others = self.0.iter().filter(|(title, _)| title != "CPUs");
        let busy = others
            .filter(|(_, line)| lines.value(line).is_some_and(|limit| rate >= limit * HALF_BUSY));
        busy.map(|(title, _)| title.as_str()).collect()
    }

    /// What stops the gain of a rate that was `now` and is `then`.
    pub fn next(&self, lines: &Lines, now: f64, then: f64, unit: &str) -> GainLimit {
        let Some((title, per_s)) = self.lowest(lines) else {
            let sentence = format!(
                "unknown: no limit is given. Until one is reached, the rate is that of the sessions' own time: {unit} wait less for storage, and not less for the rest"
            );
            return GainLimit {
                limit: None,
                per_s: None,
                times_at_most: None,
                reached: false,
                sentence,
            };
        };
        let times = per_s / now;
        let reached = then >= per_s * AT_A_LIMIT;
        let allow =
            format!("{title}: {} at most, × {}", OpsPerSecond(per_s), significant(times, 3));
        let sentence = match reached {
            true => format!("{allow}; the gain stops there, whatever the tier"),
            false => format!(
                "the sessions' own time; then {allow}, of which the forecast uses {}",
                Ratio(then / per_s)
            ),
        };
        GainLimit {
            limit: Some(title.to_string()),
            per_s: Some(per_s),
            times_at_most: Some(times),
            reached,
            sentence,
        }
    }
}
