//! Ctrl-C, termination and a closed terminal: the stop token is set, the work in hand ends within a moment, what
//! was made is removed, and the partial run is kept. A file that grows over its limit (`ulimit -f`) would end the
//! process on the spot; it becomes the error of the write instead.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use narrows_engine::Stop;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

/// Makes the signals set `stop`. A second Ctrl-C changes nothing: cleaning up is what it waits for.
pub fn install(stop: &Stop) -> anyhow::Result<()> {
    let flag: Arc<AtomicBool> = stop.flag();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, flag.clone())?;
    }
    // Handled rather than ignored: a server that we start gets the system's default back.
    signal_hook::flag::register(SIGXFSZ, Arc::default())?;
    Ok(())
}
