//! What a clock read costs, and all of the memory.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_facts::Live;
use narrows_layer_memory::{Extent, study as measure_memory, study_planned};
use narrows_model::{Layer, Plan, Platform};
use narrows_observe::Watch;

use super::touch;
use crate::least_load;
use crate::prepared::{self, Prepared};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::memory::StudyRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// One window; there are many of them, in turns.
const WINDOW: Duration = Duration::from_millis(50);

/// Clocks and memory.
pub struct Study {
    extent: Extent,
    prepared: Prepared,
}

impl Program for Study {
    type Request = StudyRequest;

    fn options(request: &StudyRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &StudyRequest, _: &dyn Ui) -> Result<Study> {
        let platform = narrows_platform::discover(&Live, &[]);
        let extent = if request.thorough { Extent::Whole } else { Extent::Classes };
        let repeats = if request.quick { 3 } else { 6 };
        let mut prepared = Prepared::memory(platform, &request.options, repeats);
        prepared.title = "clocks and memory of this machine".to_string();
        prepared.plan.quick = request.quick;
        prepared.plan.layers = vec![Layer::Clock, Layer::Memory];
        let stop = Stop::new();
        let ctx = prepared::ahead(&prepared.plan, &stop, WINDOW);
        let mut steps = narrows_layer_clock::planned(&ctx);
        steps.push(touch::planned());
        steps.extend(study_planned(&ctx, &least_load::memory_of(&prepared.platform), extent));
        prepared.plan.steps = steps;
        Ok(Study { extent, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let ctx = session.context(WINDOW);
        session.add(narrows_layer_clock::measure(&ctx)?);
        let platform = &self.prepared.platform;
        let watch = Watch::new(platform, &[]);
        let (touched, untouched) = touch::measure(session, platform)?;
        session.add(touched);
        let mut keep = |part| session.add(part);
        let absent =
            measure_memory(&ctx, &least_load::memory_of(platform), self.extent, &watch, &mut keep)?;
        session.unknown(untouched);
        session.unknown(absent);
        Ok(Ended::Whole)
    }
}
