//! `narrows run --observe`: what a transaction takes on somebody's server, by looking at it.
//!
//! Nothing is loaded and nothing is written but the run file, unless `--load-here` says that the server's drives may be measured
//! before the look.

mod capacities;
pub mod drives;
mod planned;

use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_facts::Live;
use narrows_model::{HostRole, Observation};
use narrows_observe::Watch;
use narrows_postgres::Address;
use narrows_postgres::observe::{Around, Look};

use crate::args::RunArgs;
use crate::exit::Exit;
use crate::plan::Resolved;
use crate::progress::Display;
use crate::run::{Interrupted, Session};
use crate::stream;
use crate::{interrupt, layers, output, store};

use capacities::Taken;

/// Runs the command.
pub fn run(args: &RunArgs, url: &str) -> Result<Exit> {
    planned::refuse(args)?;
    let address = Address::parse(url).context("--observe")?;
    if args.output.dry_run {
        let resolved = planned::resolve(args, &address, None)?;
        output::print(&planned::describe(&resolved, args, None))?;
        return Ok(Exit::Done);
    }
    // Before a run is kept: what can't be reached leaves nothing.
    let cannot = || format!("{address} cannot be looked at");
    let look = Look::open(&address).with_context(cannot)?;
    let mut resolved = planned::resolve(args, &address, Some(&look))?;
    let taken = match &args.observing.capacities {
        Some(name) => capacities::take(name, &look, &resolved.platform)?,
        None => Taken::default(),
    };
    if let Some(postmaster) = look.postmaster() {
        // What limits the server limits what it does; our own groups are no concern of its.
        resolved.platform.cgroup = narrows_platform::cgroup_of(&Live, &postmaster.to_string());
    }
    let folder = match &args.output.output {
        Some(folder) => folder.clone(),
        None => store::folder()?,
    };
    store::prepare(&folder)?;
    let stop = Stop::new();
    interrupt::install(&stop, stream::line)?;
    stream::put(&planned::describe(&resolved, args, Some(&look)));
    let display = Display::new(Duration::from_secs_f64(resolved.plan.expected_s()));
    let mut session = Session::begin(&resolved, &stop, &display, folder)?;
    if look.postmaster().is_none() {
        for host in &mut session.run.hosts {
            host.role = HostRole::Client;
        }
    }
    execute(session, look, args, taken).with_context(cannot)
}

/// The layers below first, where that is allowed; then the look.
fn execute(mut session: Session<'_>, look: Look, args: &RunArgs, taken: Taken) -> Result<Exit> {
    let Taken { measurements, mut from } = taken;
    session.add(measurements);
    if args.output.load_here {
        session.sweep();
        if layers::execute(&mut session) == Err(Interrupted) || session.stop.is_set() {
            return session.end(false, &args.output);
        }
        from.push(drives::measured(session.resolved));
    }
    let (stop, display) = (session.stop, session.display);
    let around = around(session.resolved, &look);
    let seed = session.resolved.plan.seed;
    let mut seen = match look.observe(args.observing.length(), seed, around, stop, display) {
        Ok(seen) => seen,
        Err(error) => {
            session.close(false)?;
            return Err(error.into());
        }
    };
    seen.observation.capacities_from = from;
    let commit_bytes = commit_bytes(&seen.observation);
    session.run.observations.push(seen.observation);
    session.add([seen.measurement]);
    let whole = seen.cut_short.is_none() && !stop.is_set();
    if let Some(error) = &seen.cut_short {
        display.say(&format!("the look ended early, what was seen is kept: {error}"));
    }
    if args.output.load_here && whole {
        // Now that it is known how much log a commit writes there.
        if let Err(error) = layers::commit_ladder(&mut session, commit_bytes) {
            let _ = session.absent("log.commit", error);
        }
    }
    let whole = whole && !stop.is_set();
    session.cut_short = seen.cut_short.is_some() && !stop.is_set();
    session.end(whole, &args.output)
}

/// Log bytes of a transaction that writes, at least those of a small row's update.
fn commit_bytes(seen: &Observation) -> u64 {
    let each =
        seen.counted.log_bytes.zip(seen.counted.writers).filter(|(_, writers)| *writers > 0.0);
    each.map_or(0.0, |(bytes, writers)| bytes / writers).max(layers::COMMIT_BYTES as f64) as u64
}

/// The machine around the server, where that is this one.
fn around(resolved: &Resolved, look: &Look) -> Around {
    let Some(postmaster) = look.postmaster() else { return Around::default() };
    let of = drives::of_server(look);
    let process = postmaster.to_string();
    Around {
        watch: Watch::in_groups_of(&process, &of.platform, &of.names()),
        quota_cpus: resolved.platform.cgroup.cpu_quota_cpus,
    }
}
