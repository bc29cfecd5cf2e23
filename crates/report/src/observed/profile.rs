//! Two questions about a server that is only looked at: what makes a transaction take as long as it does, and what would bind first if
//! more came. The first always has an answer; an open answer to the second doesn't silence it.

use narrows_model::{Bottleneck, Grade, Run, Verdict};

use crate::print::{percent, time};

/// Parts of a transaction's time that are named.
const PARTS: usize = 3;
/// A part of less is not worth a word.
const LEAST_SHARE: f64 = 0.05;

/// `A transaction takes 6.10 ms in the server: flush 42 %, lock 29 %, CPU 18 %.`; `None` for a server's own report and where a part is
/// unknown.
pub(crate) fn profile(run: &Run, verdict: &Verdict) -> Option<String> {
    let seen = run.observations.iter().find(|seen| seen.measurement == verdict.measurement)?;
    let of = verdict.standing.as_ref()?.time.as_ref().filter(|_| seen.report.is_none())?;
    let named = of.parts.iter().filter(|part| part.share >= LEAST_SHARE).take(PARTS);
    let named: Vec<String> =
        named.map(|part| format!("{} {}", part.name, percent(part.share))).collect();
    (!named.is_empty()).then(|| {
        format!("A transaction takes {} in the server: {}.", time(of.summed_ns), named.join(", "))
    })
}

/// Whether a resource is full by what was counted of it: what binds is then the first answer, and elsewhere what a transaction's time
/// consists of.
pub(crate) fn is_saturated(verdict: &Verdict) -> bool {
    use Bottleneck::*;
    let full = [Cpu, CpuQuota, CpuTaken, ReadRate, ReadBandwidth, IoLimit, WriteRate, HotThread];
    verdict.grade > Grade::Undecided && full.contains(&verdict.narrow)
}
