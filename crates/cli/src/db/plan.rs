//! From what was asked for to what will be done, by the means of `narrows run`.

use anyhow::Result;

use super::asked::Asked;
use crate::args::observe::ObserveArgs;
use crate::args::{LayerArg, RunArgs, WorkloadArg};
use crate::plan::{self, Resolved};

/// Decides everything.
///
/// # Errors
/// A folder that isn't one, or an address that can't be read.
pub fn resolve(asked: &Asked<'_>) -> Result<Resolved> {
    let server = asked.server;
    plan::resolve(&RunArgs {
        observing: ObserveArgs::default(),
        quick: asked.load.quick,
        facts: None,
        layers: Some(layers(asked)),
        data: server.data.clone(),
        wal: server.wal.clone(),
        database: server.url.clone().unwrap_or_else(|| "managed".to_string()),
        postgres: server.postgres.clone(),
        workloads: Some(vec![word(asked)]),
        sessions: asked.load.sessions,
        output: asked.load.output.clone(),
    })
}

/// On somebody's server nobody knows where its drives are, unless it is said.
fn layers(asked: &Asked<'_>) -> Vec<LayerArg> {
    let server = asked.server;
    let known = server.url.is_none() || server.data.is_some();
    let usual = if known { asked.layers.to_vec() } else { Vec::new() };
    let mut layers = server.layers.clone().unwrap_or(usual);
    layers.push(LayerArg::Database);
    layers
}

fn word(asked: &Asked<'_>) -> WorkloadArg {
    use narrows_layer_database::Workload;
    match asked.workload {
        Workload::LookupCached => WorkloadArg::LookupCached,
        Workload::LookupUncached => WorkloadArg::LookupUncached,
        Workload::Update => WorkloadArg::Update,
        Workload::Scan => WorkloadArg::Scan,
    }
}
