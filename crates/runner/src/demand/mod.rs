//! What a run measured, or what was seen of somebody's log, set on described platforms.

mod measured;
mod observed;

pub(crate) use measured::threads_per_core;

use anyhow::Result;
use narrows_model::{Layer, Run};
use narrows_plan::{Demand, Description, Fit, FitError, FlowError, Migration};
use narrows_verdict::Estimate;

use crate::failure::Failure;
use crate::store;

/// What no run of ours counts.
pub(crate) const CLIENT_NETWORK: &str =
    "bytes between clients and server were not counted, so the client network limits nothing";

/// Demands of a run, and why some of its measurements gave none.
#[derive(Default)]
pub(crate) struct MeasuredDemands {
    pub demands: Vec<Demand>,
    pub refused: Vec<String>,
}

/// Demands of what a run measured, and of what it observed.
pub(crate) fn of_run(run: &Run) -> MeasuredDemands {
    let mut taken = measured::demands(run);
    let observed = observed::demands(run);
    taken.demands.extend(observed.demands);
    taken.refused.extend(observed.refused);
    taken
}

/// Sets what a stored run took on each of the platforms.
///
/// # Errors
/// There is no such run, it gives no demand, or a platform has no way for it.
pub fn migration(
    name: &str,
    platforms: &[Description],
    core_ratio: Option<f64>,
) -> Result<Migration> {
    let run = store::load(&store::find(name)?)?;
    let taken = of_run(&run);
    if taken.demands.is_empty() {
        return Err(nothing(name, &run, &taken.refused));
    }
    let mut fits: Vec<Fit> = Vec::new();
    for platform in platforms {
        for demand in &taken.demands {
            let fit = narrows_plan::fit(platform, demand, core_ratio);
            fits.push(fit.map_err(|error| refused(platform, name, error))?);
        }
    }
    Ok(Migration {
        from: from(&run),
        refused: taken.refused,
        remarks: remarks(&run),
        demands: taken.demands,
        fits,
    })
}

/// A platform that has no way between its parts.
pub fn no_way(platform: &Description, error: &FlowError) -> anyhow::Error {
    Failure::hinted(
        format!("{}: {error}", platform.file),
        "join the drives' machine and the database's with [[link]]s, over a [[switch]] without `at` if need be",
    )
}

/// A run from which no demand can be taken.
pub(crate) fn nothing(name: &str, run: &Run, refused: &[String]) -> anyhow::Error {
    let what = format!("--demand {name}: run {}", run.id);
    if !refused.is_empty() {
        return Failure::hinted(
            format!("{what} has no usable demand: {}", refused.join("; ")),
            format!("`narrows report {name}` shows the reasons; measure again"),
        );
    }
    if !run.completed {
        return Failure::hinted(
            format!("{what} was stopped before it had measured a database workload"),
            "let it finish, or name another run",
        );
    }
    let layers: Vec<&str> = run.plan.layers.iter().map(|layer| layer.word()).collect();
    let hint = match run.plan.layers.contains(&Layer::Log) && run.live_logs.is_empty() {
        true => {
            "`narrows run` measures database workloads; `narrows log postgres URL` observes a server's WAL"
        }
        false => {
            "measure some with `narrows run`, or observe a server with `narrows log postgres URL`"
        }
    };
    let of = if layers.is_empty() { "nothing".to_string() } else { layers.join(", ") };
    Failure::hinted(format!("{what} has no database workload in it, only: {of}"), hint)
}

fn refused(platform: &Description, name: &str, error: FitError) -> anyhow::Error {
    match error {
        FitError::Flow(error) => no_way(platform, &error),
        FitError::NoDatabase => Failure::hinted(
            format!("{}: {error}", platform.file),
            "add a [[database]] with at = \"MACHINE\" and data = \"DRIVES\"",
        ),
        FitError::NoRate { .. } => Failure::hinted(
            format!("--demand {name}: {error}, and a headroom over that means nothing"),
            "name a run in which the workload ran",
        ),
    }
}

/// Where demands come from, in one line.
pub(crate) fn from(run: &Run) -> String {
    let mut words = vec![format!("run {}", run.id)];
    words.extend(run.started_at.get(..10).map(|day| format!("of {day}")));
    let known = |platform: &&narrows_model::Platform| platform.cpu.threads > 0;
    if let Some(platform) = run.platform().filter(known).filter(|_| run.live_logs.is_empty()) {
        let cpu = &platform.cpu;
        let model = cpu.model.as_deref().unwrap_or("CPU unknown");
        words.push(format!("on {model}, {} cores, {} CPUs", cpu.cores, cpu.threads));
        let server = run.plan.server_cpus.len();
        if server > 0 && server < cpu.threads as usize {
            words.push(format!("of which the server had {server}"));
        }
        words.extend(platform.hypervisor.as_ref().map(|name| format!("under {name}")));
    }
    for log in &run.live_logs {
        words.push(format!("observed {}, PostgreSQL {}", log.address, log.version));
    }
    words.join(" ")
}

/// What bears on all demands of a run.
pub(crate) fn remarks(run: &Run) -> Vec<String> {
    let mut all = Vec::new();
    if !run.completed {
        all.push(
            "the run was stopped before its end: what it had not measured is missing".to_string(),
        );
    }
    if run.plan.quick {
        all.push("the run is a quick one: its repeats are too few for intervals".to_string());
    }
    if run.live_logs.is_empty() && run.platform().is_some_and(|p| p.cpu.threads == 0) {
        all.push(
            "nothing is known of the server's cores: one of a platform is taken to do the work of one CPU there, which is a thread where cores have \
             several; --core-ratio says otherwise"
                .to_string(),
        );
    }
    if run.live_logs.is_empty() && run.platform().is_some_and(|p| p.hypervisor.is_some()) {
        all.push(
            "measured in a virtual machine: whether its CPUs are cores or threads is not visible, so each counts as a core"
                .to_string(),
        );
    }
    if !run.live_logs.is_empty() {
        all.push(
            "of an observed server, rate and active sessions are what clients asked for, not what it could do; CPUs and data drives are not part of this observation, so only WAL is judged"
                .to_string(),
        );
    }
    all.push(CLIENT_NETWORK.to_string());
    all
}

pub(crate) fn amount(estimate: Estimate) -> narrows_plan::Amount {
    narrows_plan::Amount { value: estimate.value, half: estimate.half }
}
