//! A tier's forecast and its proof: the same load on storage without the tier and on storage with it, in turns of one run.
//!
//! A [log tier](log) has a database that commits, a [read cache](reads) sessions that read, or a [database that looks up](lookups). What follows is drawn from the run alone, so that a
//! stored one gives it again.

mod log;
mod lookup_server;
mod lookups;
mod one_session;
mod reads;

use anyhow::Result;
use narrows_judge::judge;
use narrows_model::Run;
use narrows_tier_forecast::{Proof, has_lookup_proof, has_read_proof, lookup_proof, read_proof};

use crate::session::{EndReport, Session};
use crate::store;
use crate::tiers::refused;

pub use log::LogTierProof;
pub use lookups::{LookupProofRequest, LookupTierProof};
pub use reads::{ReadProofRequest, ReadTierProof};

/// The forecast and its proof, of a run that has both.
///
/// # Errors
/// The run has nothing with the tier and without it, or one side of it has no figures.
pub fn of_run(run: &Run) -> Result<Proof> {
    if has_read_proof(run) {
        read_proof(run).map_err(refused)
    } else if has_lookup_proof(run) {
        lookup_proof(run).map_err(refused)
    } else {
        log::of_run(run)
    }
}

/// A proof was measured to its end, unless it was stopped: whether it is shown in place of the run, and what it leaves open.
fn is_told(session: &mut Session<'_>) -> bool {
    if session.stop.is_set() {
        return false;
    }
    session.told = EndReport::Place;
    session.open |= leaves_open(&session.run);
    true
}

/// Whether a run that is not judged yet leaves open what it was made for: no effect would agree with the forecast too, or there is none.
/// Why there is none is told when the proof is shown.
fn leaves_open(run: &Run) -> bool {
    let mut run = run.clone();
    judge(&mut run);
    of_run(&run).is_ok_and(|proof| !proof.answers())
}

/// The same of a stored run.
///
/// # Errors
/// There is no such run, and as [`of_run`].
pub fn stored(name: &str) -> Result<Proof> {
    of_run(&store::load(&store::find(name)?)?)
}
