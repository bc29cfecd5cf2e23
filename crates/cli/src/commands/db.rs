//! `narrows db`: one's own load on a database server, one workload at a time.

use std::time::Duration;

use anyhow::Result;
use narrows_model::Layer;
use narrows_runner::orders::{Orders, tidy};
use narrows_runner::request::database::{
    Action, Calls, DatabaseTarget, Homes, Isolation, LoadRequest, OrdersCalls, OrdersRequest, Redo,
    ScanAnswer, ServerRequest, Source, Spread, Task, WorkloadRequest,
};
use narrows_runner::workload::Load;
use narrows_runner::{Ui, execute};

use super::clean;
use super::run::address;
use crate::args::db::orders::{HomeArg, IsolationArg, OrdersArgs, OrdersCallsArg};
use crate::args::db::quantities::KeysArg;
use crate::args::db::{
    AnswerArg, BatchArgs, CallsArg, CommitArgs, DbArgs, DbCommand, FromArg, KeyArgs, KindArg,
    LoadArgs, LookupArgs, PaceArgs, RedoArg, ScanArgs, ServerArgs, UpdateArgs,
};
use crate::terminal::Terminal;
use crate::{Exit, defaults, output};

/// Runs the command.
///
/// # Errors
/// Wrong arguments, a machine or server that may not be loaded, or a run file that can't be written.
pub fn db(args: DbArgs) -> Result<Exit> {
    let (terminal, request) = match args.command {
        DbCommand::Orders(args) => return orders(*args),
        DbCommand::Clean(args) => return clean::run(&args),
        DbCommand::Lookup(args) => (Terminal::of(&args.load.output), lookup(args)?),
        DbCommand::Batch(args) => (Terminal::of(&args.load.output), batch(args)?),
        DbCommand::Update(args) => (Terminal::of(&args.load.output), update(args)?),
        DbCommand::Commit(args) => (Terminal::of(&args.load.output), commit(args)?),
        DbCommand::Scan(args) => (Terminal::of(&args.load.output), scan(args)?),
    };
    execute::<Load>(&request, &terminal)
}

fn lookup(args: LookupArgs) -> Result<WorkloadRequest> {
    let calls = match args.calls {
        _ if args.inside => Calls::Inside,
        CallsArg::Each => Calls::Each,
        CallsArg::Any => Calls::Any,
    };
    let task = Task::new(Action::Lookup { blocks: args.blocks, calls }, args.from.into());
    by_key(args.server, task, args.keys, args.pace, args.load)
}

fn batch(args: BatchArgs) -> Result<WorkloadRequest> {
    let task = Task::new(Action::Batch { blocks: args.blocks }, args.from.into());
    by_key(args.server, task, args.keys, args.pace, args.load)
}

fn update(args: UpdateArgs) -> Result<WorkloadRequest> {
    let redo = match args.redo {
        RedoArg::Light => Redo::Light,
        RedoArg::Heavy => Redo::Heavy,
    };
    let task = Task::new(Action::Update { percent: args.updates, redo }, args.from.into());
    by_key(args.server, task, args.keys, args.pace, args.load)
}

fn commit(args: CommitArgs) -> Result<WorkloadRequest> {
    let task = Task::new(Action::Commit, Source::Pool);
    // Nothing of the table is touched.
    let table = Some(1 << 20);
    let whole = WorkloadRequest { table, ..whole(args.server, task, args.load)? };
    Ok(paced(whole, args.pace))
}

fn scan(args: ScanArgs) -> Result<WorkloadRequest> {
    let answer = match args.answer {
        AnswerArg::Sum => ScanAnswer::Sum,
        AnswerArg::Count => ScanAnswer::Count,
    };
    let task = Task::new(Action::Scan { answer }, args.from.into());
    Ok(WorkloadRequest {
        table: args.table.table,
        entropy_percent: args.table.entropy,
        workers: args.workers,
        ..whole(args.server, task, args.load)?
    })
}

fn by_key(
    server: ServerArgs,
    mut task: Task,
    keys: KeyArgs,
    pace: PaceArgs,
    load: LoadArgs,
) -> Result<WorkloadRequest> {
    task.spread = match keys.keys {
        KeysArg::Uniform => Spread::Uniform,
        KeysArg::Zipf(theta) => Spread::Zipf(theta),
        KeysArg::Hot(calls, keys) => Spread::Hot { calls, keys },
    };
    let request = WorkloadRequest {
        working_set: keys.working_set,
        table: keys.table.table,
        entropy_percent: keys.table.entropy,
        private: keys.private,
        ..whole(server, task, load)?
    };
    Ok(paced(request, pace))
}

/// On all of a table of the usual size, by the usual sessions.
fn whole(server: ServerArgs, task: Task, load: LoadArgs) -> Result<WorkloadRequest> {
    Ok(WorkloadRequest {
        server: server_request(server)?,
        load: load_request(&load),
        task,
        sessions: Vec::new(),
        rate_per_s: None,
        limit_ns: None,
        working_set: None,
        table: None,
        entropy_percent: 100,
        private: false,
        workers: Vec::new(),
    })
}

fn paced(mut request: WorkloadRequest, pace: PaceArgs) -> WorkloadRequest {
    request.task.think = pace.think.map_or(Duration::ZERO, |think| Duration::from_nanos(think.0));
    request.sessions = pace.sessions;
    request.sessions.sort_unstable();
    request.sessions.dedup();
    request.rate_per_s = pace.rate.map(|rate| rate as f64);
    request.limit_ns = pace.p99.map(|limit| limit.0);
    request
}

fn server_request(args: ServerArgs) -> Result<ServerRequest> {
    let database = match &args.url {
        Some(url) => DatabaseTarget::Url(address(url)?),
        None if args.kind == KindArg::Mariadb => DatabaseTarget::MariaDb,
        None => DatabaseTarget::Managed { postgres: args.postgres },
    };
    let layers = args.layers.map(|layers| layers.into_iter().map(Layer::from).collect());
    let wal = defaults::wal(args.wal, args.data.is_some());
    Ok(ServerRequest { database, pool: args.pool, data: defaults::data(args.data), wal, layers })
}

fn load_request(args: &LoadArgs) -> LoadRequest {
    LoadRequest {
        window: args.window,
        quick: args.quick,
        starts: args.starts,
        options: args.output.options(),
    }
}

impl From<FromArg> for Source {
    fn from(arg: FromArg) -> Source {
        match arg {
            FromArg::Pool => Source::Pool,
            FromArg::Drive => Source::Drive,
        }
    }
}

fn orders(args: OrdersArgs) -> Result<Exit> {
    let server = server_request(args.server)?;
    let terminal = Terminal::of(&args.load.output);
    if let (DatabaseTarget::Url(address), true) = (&server.database, args.drop) {
        match args.load.output.dry_run {
            true => output::print(&tidy::would_drop(address)?)?,
            false => terminal.say(&tidy::drop(address)?),
        }
        return Ok(Exit::Done);
    }
    let request = OrdersRequest {
        server,
        warehouses: args.warehouses,
        loaders: args.loaders,
        sessions: args.sessions,
        calls: match args.calls {
            OrdersCallsArg::Functions => OrdersCalls::Functions,
            OrdersCallsArg::Statements => OrdersCalls::Statements,
        },
        isolation: match args.isolation {
            IsolationArg::ReadCommitted => Isolation::ReadCommitted,
            IsolationArg::RepeatableRead => Isolation::RepeatableRead,
            IsolationArg::Serializable => Isolation::Serializable,
        },
        home: args.home.map(|home| match home {
            HomeArg::All => Homes::All,
            HomeArg::One => Homes::Fixed,
        }),
        paced: args.paced,
        rate: args.rate,
        warm_up: args.warm_up.map(|time| Duration::from_nanos(time.0)),
        load_only: args.load_only,
        keep: args.keep,
        crash: args.crash,
        load: load_request(&args.load),
    };
    execute::<Orders>(&request, &terminal)
}
