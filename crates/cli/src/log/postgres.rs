//! `narrows log postgres`: what a commit costs on somebody's server, by looking at it.
//!
//! Nothing is loaded and nothing is written there, so that no guard has to be asked: the run file is all that is made.

use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_facts::Live;
use narrows_model::{DatabaseChoice, FlushTest, HostRole, Layer, Plan, PlannedStep};
use narrows_postgres::Address;
use narrows_postgres::live::Look;

use super::flush_test;
use crate::args::live::LogPostgresArgs;
use crate::exit::Exit;
use crate::session::{Ended, Prepared, Session};
use crate::{output, plan};

/// Runs the command.
pub fn postgres(args: &LogPostgresArgs) -> Result<Exit> {
    let tests = args.pg_test_fsync.iter().map(|path| flush_test::read(path));
    let tests = tests.collect::<Result<Vec<FlushTest>>>()?;
    let Some(url) = &args.url else {
        output::print(&output::flush_tests(&tests))?;
        return Ok(Exit::Done);
    };
    let address = Address::parse(url)?;
    let prepared = prepared(args, &address);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    // Before a run is kept: what can't be reached leaves nothing.
    let cannot = || format!("{address} cannot be looked at");
    let look = Look::open(&address).with_context(cannot)?;
    let output = args.output.as_output();
    let mut session = Session::looking(prepared, &output)?;
    session.run.flush_tests = tests;
    if !address.is_local() {
        for host in &mut session.run.hosts {
            host.role = HostRole::Client;
        }
    }
    let length = Duration::from_nanos(args.length.0);
    let outcome = observe(&mut session, look, length).with_context(cannot);
    session.cut_short = matches!(outcome, Ok(Ended::Interrupted)) && !session.stop.is_set();
    session.end(outcome, &output, true)
}

fn observe(session: &mut Session, look: Look, length: Duration) -> Result<Ended> {
    let seed = session.run.plan.seed;
    let seen = look.observe(length, seed, &session.stop, &session.display)?;
    session.run.live_logs.push(seen.log);
    session.add([seen.measurement]);
    if let Some(error) = &seen.cut_short {
        session.display.say(&format!("the look ended early, what was seen is kept: {error}"));
    }
    let whole = seen.cut_short.is_none() && !session.stop.is_set();
    Ok(if whole { Ended::Whole } else { Ended::Interrupted })
}

fn prepared(args: &LogPostgresArgs, address: &Address) -> Prepared {
    let mut platform = narrows_platform::discover(&Live, &[]);
    // Nothing rests on this machine, so that nobody misses what isn't known of it.
    platform.unknown.clear();
    let length_s = args.length.0 as f64 / 1e9;
    let plan = Plan {
        layers: vec![Layer::Log],
        database: DatabaseChoice::Url(address.to_string()),
        repeats: 1,
        seed: plan::fresh_seed(),
        steps: vec![PlannedStep {
            layer: Layer::Log,
            what: "read its counters and ask what its sessions wait for, about 20 times a second"
                .to_string(),
            expected_s: length_s,
            writes_bytes: 0,
        }],
        ..Plan::default()
    };
    Prepared { plan, platform }
}
