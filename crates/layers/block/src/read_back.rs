//! Was what a window wrote really there afterwards? A sample of its writes is read back, past the page cache where that can be had.
//!
//! Not looked at: what may rightly be another's by now (several streams without a pattern of their own), trimmed, or the copy of
//! another block.

use narrows_io::Tag;

use crate::scenario::Scenario;
use crate::worker::Tally;

/// Of one stream: sampled writes that were read back, and of these, those that were not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct ReadBack {
    pub looked_at: u64,
    pub lost: u64,
}

/// By stream; `tallies` are in the order of streams and their threads. What can't be read is left out.
pub(crate) fn read_back(scenario: &Scenario, tallies: &[Tally]) -> Vec<ReadBack> {
    let mut rest = tallies;
    let several = scenario.streams.len() > 1;
    let trims = scenario.streams.iter().any(|stream| stream.mix.trim > 0);
    // Any thread may have written a place last, so that the window's first generation decides.
    let first = tallies.iter().filter_map(|tally| Some(tally.wrote.carried?.1)).min().unwrap_or(0);
    let mut all = Vec::new();
    for stream in &scenario.streams {
        let (own, others) = rest.split_at((stream.threads as usize).min(rest.len()));
        rest = others;
        let mut found = ReadBack::default();
        let target = stream.region.target();
        let told_apart = stream.region.pattern().is_some() || !several;
        for tally in own.iter().filter(|_| told_apart && !trims) {
            let Some((pattern, _)) = tally.wrote.carried else { continue };
            if pattern.entropy().dedupe_percent() > 0 {
                continue;
            }
            for place in &tally.wrote.places {
                let Some(tag) = target.tag_at(pattern, *place) else { continue };
                found.looked_at += 1;
                let there = matches!(tag, Tag::Ours { generation } if generation >= first);
                found.lost += u64::from(!there);
            }
        }
        all.push(found);
    }
    all
}
