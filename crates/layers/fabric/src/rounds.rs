//! Rounds of windows: each operation in each mode of the host, and the echo, in a new random order in each round.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use narrows_engine::{Context, Phase, Rng, repeat_of};
use narrows_initiator::{Association, stamps};
use narrows_model::{Layer, Metric, metric};
use narrows_nvme::log::TargetActivity;
use narrows_observe::Watch;

use crate::FabricError;
use crate::echo::{EchoShape, EchoTimes, echo_window};
use crate::operation::SplitOperation;
use crate::plan::SplitPlan;
use crate::window::{HostMode, OperationWindow, window};

/// A window to be run.
#[derive(Debug, Clone, Copy)]
enum WindowTask {
    Operation(SplitOperation, HostMode),
    Echo(EchoShape, bool),
}

/// What a round gave.
#[derive(Debug, Default)]
pub(crate) struct SplitRound {
    /// By operation, then whether the host polled, then whether the kernel stamped.
    windows: BTreeMap<(SplitOperation, bool, bool), OperationWindow>,
    /// By shape, then whether the echo polled.
    echoes: BTreeMap<(EchoShape, bool), EchoTimes>,
    /// What the target said of its threads before and after.
    pub(crate) target: Option<[TargetActivity; 2]>,
    /// Share of CPU time that the hypervisor gave to others, and CPUs that other programs of this machine used.
    pub(crate) host: Vec<(Metric, f64)>,
}

impl SplitRound {
    pub(crate) fn window(&self, of: SplitOperation, mode: HostMode) -> Option<&OperationWindow> {
        self.windows.get(&(of, mode.polled, mode.stamped))
    }

    /// All windows of an operation.
    pub(crate) fn of(&self, operation: SplitOperation) -> impl Iterator<Item = &OperationWindow> {
        HostMode::ALL.into_iter().filter_map(move |mode| self.window(operation, mode))
    }

    pub(crate) fn echo(&self, shape: EchoShape, polled: bool) -> Option<&EchoTimes> {
        self.echoes.get(&(shape, polled))
    }

    #[cfg(test)]
    pub(crate) fn planted(
        windows: BTreeMap<(SplitOperation, bool, bool), OperationWindow>,
        echoes: BTreeMap<(EchoShape, bool), EchoTimes>,
    ) -> SplitRound {
        SplitRound { windows, echoes, ..SplitRound::default() }
    }
}

/// All rounds that ended, and what ended the one after them.
pub(crate) fn rounds(
    ctx: &Context<'_>,
    association: &Arc<Association>,
    plan: &SplitPlan,
    watch: &Watch,
) -> (Vec<SplitRound>, Option<FabricError>) {
    let _stamping = plan.stamps.then(stamps::begin);
    let mut rng = Rng::new(ctx.seed);
    let tasks = tasks(association, plan);
    let mut rounds = Vec::new();
    for repeat in 0..ctx.repeats {
        let detail = repeat_of("one operation in flight", repeat, ctx.repeats, None);
        ctx.progress.phase(Layer::Fabric, Phase::Measure, &detail);
        match round(ctx, association, plan, watch, (tasks.clone(), &mut rng)) {
            Ok(round) => rounds.push(round),
            Err(error) => return (rounds, Some(error)),
        }
    }
    (rounds, None)
}

/// One round of these windows, in a random order.
fn round(
    ctx: &Context<'_>,
    association: &Arc<Association>,
    plan: &SplitPlan,
    watch: &Watch,
    (mut left, rng): (Vec<WindowTask>, &mut Rng),
) -> Result<SplitRound, FabricError> {
    let mut round = SplitRound::default();
    let (target, host) = (association.target_activity(), watch.snapshot());
    while !left.is_empty() {
        let task = left.swap_remove(rng.below(left.len() as u64) as usize);
        match task {
            WindowTask::Operation(operation, mode) => {
                let seen = window(ctx, association, operation, mode, plan.region_bytes, rng)?;
                round.windows.insert((operation, mode.polled, mode.stamped), seen);
            }
            WindowTask::Echo(shape, polled) => {
                let Some(address) = &plan.echo else { continue };
                // It answered before the first round; without it a round divides less.
                match echo_window(ctx, address, shape, polled) {
                    Ok(seen) => {
                        round.echoes.extend(seen.map(|seen| ((shape, polled), seen)));
                    }
                    Err(FabricError::Echo { .. }) => {}
                    Err(error) => return Err(error),
                }
            }
        }
    }
    round.host = watch.snapshot().since(&host).metrics();
    // On one machine the target is among the others.
    round.host.retain(|(metric, _)| {
        *metric == metric::STEAL || *metric == metric::OTHER_CPUS && !plan.same_machine
    });
    round.target = target.zip(association.target_activity()).map(<[TargetActivity; 2]>::from);
    Ok(round)
}

fn tasks(association: &Association, plan: &SplitPlan) -> Vec<WindowTask> {
    let reached = association.reached();
    let in_capsule = reached.controller.in_capsule_bytes();
    let mut tasks = Vec::new();
    let mut shapes = BTreeSet::new();
    for operation in &plan.operations {
        let modes = HostMode::ALL.into_iter().filter(|mode| plan.stamps || !mode.stamped);
        tasks.extend(modes.map(|mode| WindowTask::Operation(*operation, mode)));
        if plan.echo.is_some() && plan.stamps && operation.goes_with_command(in_capsule) {
            shapes.insert(EchoShape::of(*operation, reached.digests));
        }
    }
    for shape in shapes {
        tasks.extend([true, false].map(|polled| WindowTask::Echo(shape, polled)));
    }
    tasks
}
