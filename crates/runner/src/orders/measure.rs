//! The mix on a server that is there: loaded, run in its variations, judged, and what was made removed.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Context;
use narrows_layer_database::{Database, Provisioner, Variation};
use narrows_model::{Measurement, Workload, metric, orders as names};
use narrows_postgres::orders::{
    self, CrashLoad, Loaded, OrdersDatabase as _, OrdersError, OrdersPlan,
};
use narrows_verdict::MOST_TESTS;

use super::plan;
use super::tidy::{self, Before};
use crate::database::parts::PlannedTest;
use crate::database::{
    OPEN_SHARE, SHORT, TEST, drives_after, flush_after, intervention, keep_going, ladder, on_start,
};
use crate::layers;
use crate::request::database::OrdersRequest;
use crate::resolved::PlannedSession;

/// How long the mix runs before the server is killed under it.
const UNTIL_CRASH: Duration = Duration::from_secs(10);

/// Loads, runs everything that was asked for, and removes what need not stay.
///
/// # Errors
/// What the database layer gave.
pub fn all(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    ours: Option<&mut dyn Provisioner>,
    request: &OrdersRequest,
) -> Result<()> {
    let before = Before::look(database);
    let ctx = session.resolved.context(session);
    let loaders = plan::loaders(request, session.resolved);
    let loaded = database.load_orders(request.warehouses, loaders, &ctx);
    let refused = loaded.as_ref().is_err_and(tidy::refused);
    let outcome = match loaded {
        Ok(loaded) => {
            session.ui.say(&load_summary(&loaded));
            if request.load_only {
                Ok(())
            } else {
                windows(session, database, request, &loaded).and_then(|()| match ours {
                    Some(server) => on_ours(session, database, server, request, &loaded),
                    None => Ok(()),
                })
            }
        }
        Err(error) => Err(error.into()),
    };
    if refused {
        return outcome;
    }
    tidy::tidy(session, database, request, before, outcome)
}

/// Everything that was asked for, on what is loaded.
fn windows(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    request: &OrdersRequest,
    loaded: &Loaded,
) -> Result<()> {
    let resolved = session.resolved;
    let ctx = resolved.context(session);
    let mix = plan::mix(request, loaded.setup);
    let sessions = resolved.plan.sessions;
    let asked = asked(request, sessions);
    let long = Context { window: resolved.update_window, ..ctx };
    let takes_s = |window| plan::windows_s(request, resolved, window);
    let begin = |session: &PlannedSession<'_, '_>, s| session.ui.begin_part(Workload::Orders, s);
    begin(session, takes_s(long.window) + plan::checks_s(request));
    let measured = take(session, database, &long, &mix, std::slice::from_ref(&asked))?;
    if !plan::flushes_again(request) {
        return Ok(());
    }
    if let Some(measured) = measured.first() {
        flush_after(session, measured, sessions);
        drives_after(session, measured);
    }
    let test_s = 2.0 * takes_s(TEST);
    let mut test = PlannedTest::new(session, Workload::Orders, &asked, test_s);
    let short = Context { window: SHORT, ..ctx };
    begin(session, takes_s(short.window));
    let alone = Variation::closed(format!("{}.alone", names::ID), 1);
    // The next windows are checked, and what these break stays broken.
    let unchecked = OrdersPlan { check: false, ..mix.clone() };
    take(session, database, &short, &unchecked, &[alone])?;
    if let Some(measured) = measured.first() {
        begin(session, layers::planned_ladder_s(resolved));
        ladder(session, measured);
        test.foresee(session);
    }
    let rate = measured.first().and_then(|m| m.value(metric::THROUGHPUT));
    if let Some(rate) = rate.filter(|rate| *rate > 0.0) {
        let mut open = Variation::closed(open_id(), sessions);
        open.open_rate_per_s = Some(rate * OPEN_SHARE);
        let medium = Context { window: resolved.database_window, ..ctx };
        begin(session, takes_s(medium.window) + plan::checks_s(request));
        take(session, database, &medium, &mix, &[open])?;
    }
    test.foresee(session);
    let tests = Context { window: TEST, ..ctx };
    prove(session, database, &tests, (&unchecked, test_s), &asked)
}

/// What is asked for: the closed loop, or the open one at its rate.
fn asked(request: &OrdersRequest, sessions: u32) -> Variation {
    match request.rate {
        None => Variation::closed(names::ID, sessions),
        Some(rate) => {
            let open_rate_per_s = Some(rate as f64);
            Variation { open_rate_per_s, ..Variation::closed(open_id(), sessions) }
        }
    }
}

/// What takes a server that may be ended: further starts, and the recovery check.
fn on_ours(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    server: &mut dyn Provisioner,
    request: &OrdersRequest,
    loaded: &Loaded,
) -> Result<()> {
    let outcome = on_further_starts(session, database, server, request, loaded);
    // What the first start gave stands.
    keep_going(session, "further starts", outcome)?;
    if !request.crash {
        return Ok(());
    }
    let outcome = crash(session, database, server, request, loaded);
    keep_going(session, "the recovery check", outcome)
}

/// The same once more on further starts of the server.
fn on_further_starts(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    server: &mut dyn Provisioner,
    request: &OrdersRequest,
    loaded: &Loaded,
) -> Result<()> {
    let resolved = session.resolved;
    let mix = plan::mix(request, loaded.setup);
    let asked = asked(request, resolved.plan.sessions);
    let mut once = |session: &mut PlannedSession<'_, '_>, database: &mut Database, start| {
        let ctx = resolved.context(session);
        let long = Context { window: resolved.update_window, ..ctx };
        let takes_s = plan::windows_s(request, resolved, long.window) + plan::checks_s(request);
        session.ui.begin_part(Workload::Orders, takes_s);
        take(session, database, &long, &mix, &[on_start(&asked, start)])?;
        Ok(())
    };
    let starts = (Workload::Orders, request.load.starts);
    crate::database::on_further_starts(session, database, server, starts, &mut once)
}

fn open_id() -> String {
    format!("{}.open", names::ID)
}

fn load_summary(loaded: &Loaded) -> String {
    if loaded.warehouses == 0 {
        return format!("loaded already: {}", plan::warehouses(loaded.setup.warehouses));
    }
    let megabytes = loaded.sent_bytes as f64 / 1e6;
    format!(
        "loaded {}: {megabytes:.0} MB in {:.1} s ({:.0} MB/s), keys and freezing {:.1} s, {:.0} MB of WAL",
        plan::warehouses(loaded.warehouses),
        loaded.copy_s,
        megabytes / loaded.copy_s.max(1e-9),
        loaded.finish_s,
        loaded.log_bytes as f64 / 1e6
    )
}

fn take(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    ctx: &Context<'_>,
    mix: &OrdersPlan,
    variations: &[Variation],
) -> Result<Vec<Measurement>, OrdersError> {
    let measured = database.measure_orders(ctx, mix, variations)?;
    for m in &measured {
        let wrong =
            m.value(names::VIOLATED).unwrap_or(0.0) + m.value(names::MISCOUNTED).unwrap_or(0.0);
        if wrong > 0.0 {
            let texts = m
                .conditions
                .get(narrows_model::condition::CONDITIONS_VIOLATED.any())
                .map(ToString::to_string);
            let texts = texts.unwrap_or_else(|| "orders were lost or counted twice".into());
            session.ui.say(&format!("INVALID: {}: {texts}", m.id));
        }
        if let Some(why) = m.conditions.get(names::NOT_CHECKED) {
            session.ui.say(&format!(
                "warning: {}: the consistency conditions are not checked: {why}",
                m.id
            ));
        }
    }
    session.add(measured.clone());
    Ok(measured)
}

/// Tests the verdict by the interventions it proposes, each in turns with its own baseline, which takes so many seconds.
fn prove(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    ctx: &Context<'_>,
    (mix, test_s): (&OrdersPlan, f64),
    base: &Variation,
) -> Result<()> {
    for _ in 0..MOST_TESTS {
        let Some(pair) = intervention(session, base) else { break };
        session.ui.begin_part(Workload::Orders, test_s);
        take(session, database, ctx, mix, &pair)?;
    }
    Ok(())
}

/// The recovery check.
fn crash(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    server: &mut dyn Provisioner,
    request: &OrdersRequest,
    loaded: &Loaded,
) -> Result<()> {
    session.ui.begin_part(Workload::Orders, UNTIL_CRASH.as_secs_f64());
    let resolved = session.resolved;
    let ctx = resolved.context(session);
    let mix = plan::mix(request, loaded.setup);
    let settings = mix.settings(true);
    let address = database.orders_address()?;
    let load = CrashLoad {
        address: &address,
        settings: &settings,
        sessions: resolved.plan.sessions,
        cpus: &session.split.client.clone(),
        length: UNTIL_CRASH,
    };
    let work = mix.orders(ctx.seed ^ 0xdead, true);
    let recovery = orders::crash(server, &load, &work, &ctx)?;
    session.ui.say(&recovery.to_string());
    session.add([recovery.to_measurement()]);
    Ok(())
}
