//! The arguments of all workloads in one shape.

use std::time::Duration;

use narrows_layer_database::{Action, Calls, Redo, ScanAnswer, Source, Spread, Task};

use crate::args::LayerArg;
use crate::args::db::quantities::{KeysArg, WorkingSetArg};
use crate::args::db::{
    AnswerArg, BatchArgs, CallsArg, CommitArgs, FromArg, KeyArgs, LoadArgs, LookupArgs, PaceArgs,
    RedoArg, ScanArgs, ServerArgs, UpdateArgs,
};

/// One workload as it was asked for.
pub struct Asked<'a> {
    pub server: &'a ServerArgs,
    pub load: &'a LoadArgs,
    /// `None` for a scan, which runs once and not by sessions.
    pub pace: Option<&'a PaceArgs>,
    pub task: Task,
    pub working_set: Option<WorkingSetArg>,
    /// Size of the table, bytes.
    pub table: Option<u64>,
    pub entropy_percent: u32,
    /// A table for every session.
    pub private: bool,
    /// Numbers of processes that scan.
    pub workers: &'a [u32],
    /// The layers whose ceilings its verdict needs.
    pub layers: Vec<LayerArg>,
}

impl<'a> Asked<'a> {
    pub fn lookup(args: &'a LookupArgs) -> Asked<'a> {
        let calls = match args.calls {
            _ if args.inside => Calls::Inside,
            CallsArg::Each => Calls::Each,
            CallsArg::Any => Calls::Any,
        };
        let action = Action::Lookup { blocks: args.blocks, calls };
        Asked::by_key(&args.server, (action, args.from), &args.keys, &args.pace, &args.load)
    }

    pub fn batch(args: &'a BatchArgs) -> Asked<'a> {
        let action = Action::Batch { blocks: args.blocks };
        Asked::by_key(&args.server, (action, args.from), &args.keys, &args.pace, &args.load)
    }

    pub fn update(args: &'a UpdateArgs) -> Asked<'a> {
        let redo = match args.redo {
            RedoArg::Light => Redo::Light,
            RedoArg::Heavy => Redo::Heavy,
        };
        let action = Action::Update { percent: args.updates, redo };
        Asked::by_key(&args.server, (action, args.from), &args.keys, &args.pace, &args.load)
    }

    pub fn commit(args: &'a CommitArgs) -> Asked<'a> {
        Asked {
            server: &args.server,
            load: &args.load,
            pace: Some(&args.pace),
            task: paced(Task::new(Action::Commit, Source::Pool), &args.pace),
            working_set: None,
            // Nothing of it is touched.
            table: Some(1 << 20),
            entropy_percent: 100,
            private: false,
            workers: &[],
            layers: vec![LayerArg::Log],
        }
    }

    pub fn scan(args: &'a ScanArgs) -> Asked<'a> {
        let answer = match args.answer {
            AnswerArg::Sum => ScanAnswer::Sum,
            AnswerArg::Count => ScanAnswer::Count,
        };
        let task = Task::new(Action::Scan { answer }, source(args.from));
        Asked {
            server: &args.server,
            load: &args.load,
            pace: None,
            layers: layers(&task),
            task,
            working_set: None,
            table: args.table.table,
            entropy_percent: args.table.entropy,
            private: false,
            workers: &args.workers,
        }
    }

    fn by_key(
        server: &'a ServerArgs,
        (action, from): (Action, FromArg),
        keys: &'a KeyArgs,
        pace: &'a PaceArgs,
        load: &'a LoadArgs,
    ) -> Asked<'a> {
        let mut task = paced(Task::new(action, source(from)), pace);
        task.spread = match keys.keys {
            KeysArg::Uniform => Spread::Uniform,
            KeysArg::Zipf(theta) => Spread::Zipf(theta),
            KeysArg::Hot(calls, keys) => Spread::Hot { calls, keys },
        };
        Asked {
            server,
            load,
            pace: Some(pace),
            layers: layers(&task),
            task,
            working_set: keys.working_set,
            table: keys.table.table,
            entropy_percent: keys.table.entropy,
            private: keys.private,
            workers: &[],
        }
    }

    /// The numbers of sessions that were asked for, ascending, each once.
    pub fn sessions(&self) -> Vec<u32> {
        let mut sessions = self.pace.map(|pace| pace.sessions.clone()).unwrap_or_default();
        sessions.sort_unstable();
        sessions.dedup();
        sessions
    }

    /// Operations per second of an open loop.
    pub fn rate_per_s(&self) -> Option<f64> {
        self.pace?.rate.map(|rate| rate as f64)
    }

    /// The limit that 99 % of the operations are to keep, ns.
    pub fn limit_ns(&self) -> Option<u64> {
        self.pace?.p99.map(|limit| limit.0)
    }
}

fn paced(mut task: Task, pace: &PaceArgs) -> Task {
    task.think = pace.think.map_or(Duration::ZERO, |think| Duration::from_nanos(think.0));
    task
}

fn source(from: FromArg) -> Source {
    match from {
        FromArg::Pool => Source::Pool,
        FromArg::Drive => Source::Drive,
    }
}

fn layers(task: &Task) -> Vec<LayerArg> {
    let mut layers = Vec::new();
    if task.source == Source::Drive {
        layers.push(LayerArg::Block);
    }
    if task.commits() > 0.0 {
        layers.push(LayerArg::Log);
    }
    layers
}
