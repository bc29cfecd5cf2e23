//! What one session takes for reads of both sides: of what the tier serves, back to back and between reads of the storage without it, and of
//! that storage. All of it could be measured before the tier stands in front of the storage: no read here misses the tier.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::{Context, Phase};
use narrows_layer_block::{
    AccessPattern, Distribution, ReadPlace, Record, Region, Stream, TwoPlaces, read_two_places,
};
use narrows_model::{Layer, Measurement};
use narrows_observe::Watch;
use narrows_tier_forecast::{READS_ALONE, READS_BETWEEN, READS_HIT};

use super::reads::{HIT_BLOCKS, ReadProofRequest, Side};
use crate::block::target::BlockTarget;

/// A window of these.
pub(super) const WINDOW: Duration = Duration::from_millis(500);
/// The same before it, which also makes the few blocks hits.
pub(super) const BEFORE: Duration = Duration::from_millis(250);

/// The windows of one session.
pub(super) struct OneSession {
    hit: Side,
    /// The storage without the tier; absent where the load has one session anyway.
    alone: Option<Side>,
    between: Record,
    /// The storage without the tier, for the reads between which it reads a hit.
    slow: Stream,
}

impl OneSession {
    /// Steps of a plan: how many windows for each repeat.
    pub(super) fn windows(request: &ReadProofRequest) -> f64 {
        if request.sessions > 1 { 3.0 } else { 2.0 }
    }

    /// On the region of each side that the load reads.
    pub(super) fn of(
        request: &ReadProofRequest,
        (off, on): ((&BlockTarget, &Region), (&BlockTarget, &Region)),
        seed: u64,
    ) -> Result<OneSession> {
        let one = |name, (target, region): (&BlockTarget, &Region)| {
            let mut side = Side::of(name, region.clone(), target, request, (1, seed));
            side.stream.place = AccessPattern::Random(Distribution::Uniform);
            side
        };
        let few = on.1.part(0, HIT_BLOCKS * u64::from(request.block_bytes))?;
        let alone = one(READS_ALONE, off);
        let slow = alone.stream.clone();
        Ok(OneSession {
            hit: one(READS_HIT, (on.0, &few)),
            alone: (request.sessions > 1).then_some(alone),
            between: Record::new(),
            slow,
        })
    }

    /// One more of each.
    pub(super) fn window(
        &mut self,
        ctx: &Context<'_>,
        request: &ReadProofRequest,
        watch: &Watch,
        number: u64,
    ) -> Result<()> {
        let phase = |what: &str| ctx.progress.phase(Layer::Block, Phase::Measure, what);
        phase("reads that the tier serves");
        self.hit.window(ctx, (BEFORE, WINDOW), watch, number)?;
        phase("the same between reads without the tier");
        let places = TwoPlaces {
            fast: place(&self.hit.stream),
            slow: place(&self.slow),
            fast_share: request.hits().value,
            block_bytes: request.block_bytes,
        };
        let seed = ctx.seed ^ (number << 20) ^ 1;
        let between = read_two_places(ctx, &places, (BEFORE, WINDOW), seed)?;
        self.between.add_reads(&between.fast, between.window_ns);
        if let Some(alone) = &mut self.alone {
            phase("one session's reads without the tier");
            alone.window(ctx, (BEFORE, WINDOW), watch, number)?;
        }
        Ok(())
    }

    /// A measurement of each.
    pub(super) fn into_measurements(
        self,
        request: &ReadProofRequest,
        same_machine: bool,
    ) -> Vec<Measurement> {
        let stream = self.hit.stream.clone();
        let between = Side { name: READS_BETWEEN, stream, record: self.between };
        [Some(self.hit), Some(between), self.alone]
            .into_iter()
            .flatten()
            .map(|side| side.into_measurement(request, same_machine))
            .collect()
    }
}

fn place(stream: &Stream) -> ReadPlace<'_> {
    ReadPlace { region: &stream.region, access: &stream.access }
}
