//! From the CPUs of each node to the memory of each, and nothing else.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_facts::Live;
use narrows_layer_memory::{Extent, matrix_alone, matrix_planned};
use narrows_model::{Plan, Platform};
use narrows_observe::Watch;

use crate::failure::Failure;
use crate::prepared::{self, Prepared};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::memory::MatrixRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// One window.
const WINDOW: Duration = Duration::from_millis(100);
/// Repeats of each placement; cells have fewer.
const REPEATS: u32 = 6;

/// The cells, and placements side by side.
pub struct Matrix {
    extent: Extent,
    prepared: Prepared,
}

impl Program for Matrix {
    type Request = MatrixRequest;

    fn options(request: &MatrixRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &MatrixRequest, _: &dyn Ui) -> Result<Matrix> {
        let platform = narrows_platform::discover(&Live, &[]);
        let with_memory = platform.nodes.iter().filter(|node| node.memory_bytes > 0).count();
        if with_memory < 2 {
            return Err(Failure::hinted(
                format!("this machine has {with_memory} node with memory: its matrix has one cell"),
                "`narrows memory` measures that one; in a virtual machine the hypervisor may hide nodes, in the firmware sub-NUMA clustering (SNC) or nodes per socket (NPS) may be off",
            ));
        }
        let extent = if request.thorough { Extent::Whole } else { Extent::Classes };
        let mut prepared = Prepared::memory(platform, &request.options, REPEATS);
        let stop = Stop::new();
        let ctx = prepared::ahead(&prepared.plan, &stop, WINDOW);
        prepared.plan.steps = matrix_planned(&ctx, &prepared.platform, extent);
        Ok(Matrix { extent, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let platform = &self.prepared.platform;
        let watch = Watch::new(platform, &[]);
        let ctx = session.context(WINDOW);
        let mut keep = |part| session.add(part);
        let absent = matrix_alone(&ctx, platform, self.extent, &watch, &mut keep)?;
        session.unknown(absent);
        Ok(Ended::Whole)
    }
}
