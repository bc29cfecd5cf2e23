//! The database client beside pgbench and sysbench on the same server: statements by key, open loops, a server that stops;
//! and alone against a server that does nothing. Beside it the floor: the same bytes on the same kind of socket, from a
//! partner that answers at the pace of the server, heard in turn or as a client of several sessions has to hear it.

mod bench;
mod open;
mod peer;
mod stopped;

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Context;
use narrows_postgres::{Hears, Pace, floor};

use self::bench::{Bench, Statement};
use self::peer::{Pgbench, Sysbench};
use super::ROUNDS;
use super::contender::{Contender, figure, table};
use super::target::{self, Goal};

pub(super) const TITLE: &str = "## The database client";

/// How much more than the floor an operation may cost the client, ns.
const ABOVE_FLOOR_NS: f64 = 1000.0;
const SHORT: Duration = Duration::from_millis(500);
const NO_SYSBENCH: &str =
    "**sysbench is not installed here** (`apt install sysbench`): not compared.\n\n";

/// What each round adds to.
struct Tables {
    selects: [Contender; 4],
    /// What share of its processor the server used in the selects.
    busy: Vec<f64>,
    points: [Contender; 2],
    updates: [Contender; 3],
    alone: [Contender; 2],
    null_cpu_ns: Vec<f64>,
    open: open::Open,
}

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let bench = match Bench::start(ctx, folder)? {
        Ok(bench) => bench,
        Err(reason) => return Ok(format!("Not measured: {reason}\n\n")),
    };
    let pgbench = Pgbench::prepare(&bench, folder)?;
    let sysbench = Sysbench::prepare(&bench)?;
    bench.settle()?;
    let mut tables = Tables {
        selects: [
            "narrows",
            "pgbench -M prepared -S",
            "floor: the bytes alone, at this pace",
            "the same, hearing whichever was answered",
        ]
        .map(Contender::new),
        busy: Vec::new(),
        points: ["narrows", "sysbench oltp_point_select, uniform"].map(Contender::new),
        updates: [
            "narrows",
            "pgbench -M prepared, the same statement",
            "pgbench -M prepared -N, each of its five statements",
        ]
        .map(Contender::new),
        alone: ["narrows, server that does nothing", "floor: the bytes alone"].map(Contender::new),
        null_cpu_ns: Vec::new(),
        open: open::Open::default(),
    };
    for round in 0..ROUNDS {
        for turn in super::order(round, 5) {
            tables.turn(turn, round, &bench, &pgbench, sysbench.as_ref())?;
        }
    }
    let stopped = stopped::server_for_a_second(&bench)?;
    let text = tables.told(&bench, sysbench.is_some());
    bench.end()?;
    Ok(text + &stopped)
}

/// Rate and processor time per operation, ns, of the bytes of an operation of ours.
fn bytes_alone(bench: &Bench<'_>, pace: Pace, hears: Hears) -> Result<(f64, f64)> {
    let floor = floor(bench::SESSIONS, &bench.client, &bench.server, pace, hears, SHORT)?;
    Ok((floor.rate_per_s, floor.cpu_per_op_ns))
}

impl Tables {
    fn turn(
        &mut self,
        turn: usize,
        round: u32,
        bench: &Bench<'_>,
        pgbench: &Pgbench,
        sysbench: Option<&Sysbench>,
    ) -> Result<()> {
        match turn {
            0 => {
                // Who comes first takes turns too.
                let pgbench_first = round % 2 == 1;
                if pgbench_first {
                    self.selects[1].add_pair(pgbench.select(bench)?);
                }
                let (cost, pace) = bench.closed_with_pace(Statement::Select, round)?;
                self.selects[0].add_pair(cost);
                self.busy.push(pace.busy_share);
                self.selects[2].add_pair(bytes_alone(bench, pace, Hears::InTurn)?);
                self.selects[3].add_pair(bytes_alone(bench, pace, Hears::AsAnswered)?);
                if !pgbench_first {
                    self.selects[1].add_pair(pgbench.select(bench)?);
                }
            }
            1 => {
                if let Some(sysbench) = sysbench {
                    self.points[0].add_pair(bench.closed(Statement::Point, round)?);
                    self.points[1].add_pair(sysbench.point_select(bench)?);
                }
            }
            2 => {
                self.updates[0].add_pair(bench.closed(Statement::Update, round)?);
                self.updates[1].add_pair(pgbench.update(bench)?);
                let (per_s, cpu_ns) = pgbench.simple_update(bench)?;
                self.updates[2].add(per_s * peer::STATEMENTS, cpu_ns / peer::STATEMENTS);
            }
            3 => {
                let (seen, null_cpu_ns) = bench.against_null(None, 2 * SHORT, round)?;
                self.alone[0].add_pair(bench::per_op(&seen, 2 * SHORT));
                self.null_cpu_ns.push(null_cpu_ns);
                self.alone[1].add_pair(bytes_alone(bench, Pace::default(), Hears::InTurn)?);
            }
            _ => self.open.round(bench, round)?,
        }
        Ok(())
    }

    fn told(&self, bench: &Bench<'_>, sysbench: bool) -> String {
        let mut text = bench.told();
        text += &table("One row by its key:", "selects", &self.selects);
        text += &format!(
            "PostgreSQL's processes used {} of their processor in these selects.\n\n",
            figure(&self.busy, |share| format!("{:.0} %", share * 100.0))
        );
        text += &if sysbench {
            table("The same in sysbench's table:", "selects", &self.points)
        } else {
            NO_SYSBENCH.to_string()
        };
        text += &table("One row changed by its key, one commit each:", "statements", &self.updates);
        text += &table("The client alone:", "operations", &self.alone);
        text += &format!(
            "The server that does nothing used {} of its processor per operation.\n\n",
            figure(&self.null_cpu_ns, |ns| format!("{:.2} µs", ns / 1e3))
        );
        text += &self.goals();
        text + &self.open.told()
    }

    fn goals(&self) -> String {
        let [alone, floor] = &self.alone;
        let [real, _, paced, as_answered] = &self.selects;
        let mut text = String::new();
        for (words, cpu_ns, floor) in [
            (
                "CPU per operation against a server that does nothing to floor + 1.0 µs",
                alone,
                floor,
            ),
            ("CPU per select on PostgreSQL to the floor at its pace + 1.0 µs", real, paced),
            (
                "CPU per select on PostgreSQL to the floor that hears whichever was answered + 1.0 µs",
                real,
                as_answered,
            ),
        ] {
            let above = |ns: &f64| ns + ABOVE_FLOOR_NS;
            let allowed: Vec<f64> = floor.cpu_per_op_ns.iter().map(above).collect();
            text += &target::line(words, Goal::AtMost(1.0), &cpu_ns.cpu_per_op_ns, &allowed);
        }
        for (ours, theirs, name) in [
            (real, &self.selects[1], "pgbench -S"),
            (&self.points[0], &self.points[1], "sysbench"),
            (&self.updates[0], &self.updates[1], "pgbench's update"),
        ] {
            let cpu = format!("CPU per operation to that of {name}");
            text +=
                &target::line(&cpu, Goal::AtMost(1.0), &ours.cpu_per_op_ns, &theirs.cpu_per_op_ns);
            let rate = format!("Throughput to that of {name}");
            text += &target::line(&rate, Goal::AtLeast(1.0), &ours.rate_per_s, &theirs.rate_per_s);
        }
        text + "\n"
    }
}
