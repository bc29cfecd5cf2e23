//! What a forecast of a tier takes from stored runs: the server that would have it, the medium, the way to it.

use anyhow::Result;
use narrows_cost::Given;
use narrows_model::Run;
use narrows_tier_forecast::{
    LogNow, ReadNow, Refused, device_flush, fabric_added, log_now, read_now,
};

use crate::failure::Failure;
use crate::store;

/// A refusal as the command tells it.
pub fn refused(refused: Refused) -> anyhow::Error {
    Failure::hinted(refused.what, refused.hint)
}

/// A server that commits, and the run it is known by.
///
/// # Errors
/// There is no such run, or none of its workloads commits.
pub fn commits(name: &str, workload: Option<&str>) -> Result<(Run, LogNow)> {
    let run = store::load(&store::find(name)?)?;
    let now = log_now(&run, workload).map_err(refused)?;
    Ok((run, now))
}

/// A server that reads.
///
/// # Errors
/// There is no such run, or none of its workloads reads storage.
pub fn reads(name: &str, workload: Option<&str>) -> Result<ReadNow> {
    let run = store::load(&store::find(name)?)?;
    read_now(&run, workload).map_err(refused)
}

/// The flush of a medium that a run measured, and the server with its own device's flush of the same kind.
///
/// # Errors
/// There is no such run, or it measured no flush.
pub fn medium(
    name: &str,
    like: Option<&Run>,
    workload: Option<&str>,
    mut now: LogNow,
) -> Result<(Given, LogNow)> {
    let run = store::load(&store::find(name)?)?;
    let (medium, own) = device_flush(&run, like, workload).map_err(refused)?;
    now.doubts.extend(medium.suspect.clone());
    match own {
        Some(own) => {
            now.doubts.extend(own.suspect.clone());
            now = now.compared_by(own.flush_us);
        }
        None if like.is_some() => now.doubts.push(format!(
            "the medium's flush is {}, and that of the server's device is of another kind",
            medium.measurement
        )),
        None => {}
    }
    Ok((medium.flush_us, now))
}

/// What the way to a medium adds to a durable write, by a run that divided one.
///
/// # Errors
/// There is no such run, or it divided none.
pub fn way(name: &str) -> Result<Given> {
    fabric_added(&store::load(&store::find(name)?)?).map_err(refused)
}
