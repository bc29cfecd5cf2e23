//! `narrows run`: the layers of a machine, or a look at a server that others load.

use anyhow::{Context as _, Result};
use narrows_model::Layer;
use narrows_runner::failure::Failure;
use narrows_runner::machine::Machine;
use narrows_runner::observe::Observe;
use narrows_runner::observe::mariadb::{self, ObserveMariaDb, ObserveMariaDbRequest};
use narrows_runner::request::database::{DatabaseTarget, Workload};
use narrows_runner::request::machine::{BelowRequest, MachineRequest, ObserveRequest};
use narrows_runner::request::{Address, AddressError, RunOptions};
use narrows_runner::secrets;
use narrows_runner::{Program, Ui as _, execute};

use crate::args::observe::ObserveCommand;
use crate::args::{LayerArg, RunArgs, WorkloadArg};
use crate::terminal::Terminal;
use crate::{Exit, defaults};

/// The server of one's own, as `--database` has it.
const MANAGED: &str = "managed";

/// Runs the command.
pub fn run(args: RunArgs) -> Result<Exit> {
    let terminal = Terminal::of(&args.output);
    if let Some(url) = &args.observing.observe {
        refuse(&args)?;
        let address = observed(url).context("--observe")?;
        return execute::<Observe>(&look(args, address), &terminal);
    }
    let how = &args.observing.how;
    for (option, given) in
        [("--for", how.length.is_some()), ("--capacities", how.capacities.is_some())]
    {
        if given {
            return Err(Failure::hinted(
                format!("{option} says how to observe a server, and none is named"),
                "name it: narrows observe ADDRESS, or narrows run --observe URL",
            ));
        }
    }
    execute::<Machine>(&layers(args)?, &terminal)
}

/// Looks at a server, once or until Ctrl-C.
pub fn observe(args: ObserveCommand) -> Result<Exit> {
    let mut output = args.output.as_output();
    if args.watch {
        output.detail.brief = !output.detail.explain;
    }
    let terminal = Terminal::of(&output);
    let typed = defaults::database(args.address);
    if let Some(text) = typed.as_deref().filter(|text| mariadb::is_meant(text)) {
        if args.how.capacities.is_some() || args.facts.is_some() {
            return Err(Failure::hinted(
                "--capacities and --facts are of the machine, which is not observed around a MariaDB",
                "leave them out",
            ));
        }
        if args.how.no_explain || args.how.show_queries {
            return Err(Failure::hinted(
                "--no-explain and --show-queries are of PostgreSQL: of a MariaDB no plans are asked for, and texts are kept without literals",
                "leave them out",
            ));
        }
        let request = ObserveMariaDbRequest {
            address: mariadb::address(text)?,
            length: if args.watch { args.how.length_of_each() } else { args.how.length() },
            options: RunOptions { anonymous: args.names.anonymous, ..output.options() },
        };
        return again_and_again::<ObserveMariaDb>(&request, terminal, args.watch);
    }
    let request = ObserveRequest {
        address: server(typed.as_deref())?,
        word: typed.filter(|text| is_name(text)),
        length: if args.watch { args.how.length_of_each() } else { args.how.length() },
        capacities: args.how.capacities,
        explains: !args.how.no_explain,
        literals: args.how.show_queries,
        facts: args.facts,
        below: None,
        options: RunOptions { anonymous: args.names.anonymous, ..output.options() },
    };
    again_and_again::<Observe>(&request, terminal, args.watch)
}

/// Once, or until Ctrl-C.
fn again_and_again<P: Program>(
    request: &P::Request,
    mut terminal: Terminal,
    watch: bool,
) -> Result<Exit> {
    loop {
        let exit = execute::<P>(request, &terminal)?;
        if !watch || exit == Exit::Interrupted {
            return Ok(exit);
        }
        // Between two of them, where the next begins.
        terminal.print("\n")?;
        terminal = terminal.again();
    }
}

/// Whether a text is a bare word, which is taken for a database's name.
fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') && !text.is_empty()
}

/// The server that is to be looked at: an address, a database's name, or what psql would take without any.
fn server(text: Option<&str>) -> Result<Address> {
    match text {
        None => Ok(Address::parse("postgres://")?),
        Some(name) if is_name(name) => Ok(Address::parse(&format!("postgres:///{name}"))?),
        Some(text) => observed(text),
    }
}

/// The address of a server that is to be looked at.
///
/// # Errors
/// It is none, or another kind of server's.
pub fn observed(text: &str) -> Result<Address> {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    if matches!(scheme, Some("mysql" | "mariadb")) {
        return Err(Failure::hinted(
            "a MariaDB cannot be observed here",
            "narrows observe mariadb://USER@/?socket=PATH observes one; narrows db lookup --kind mariadb measures a private instance (guide, \"MariaDB\")",
        ));
    }
    Ok(Address::parse(text)?)
}

fn layers(args: RunArgs) -> Result<MachineRequest> {
    let database = match args.database.as_str() {
        MANAGED => DatabaseTarget::Managed { postgres: args.postgres.clone() },
        "none" => DatabaseTarget::None,
        text => DatabaseTarget::Url(address(text)?),
    };
    if args.postgres.is_some() && !matches!(database, DatabaseTarget::Managed { .. }) {
        return Err(Failure::hinted(
            "--postgres names the server to start, and --database says that none is started",
            "leave one of the two out",
        ));
    }
    let layers: Vec<Layer> = match args.layers {
        // The database is somebody else's.
        None if args.with.is_some() => vec![Layer::Memory, Layer::Block, Layer::Log],
        None => MachineRequest::LAYERS.into(),
        Some(layers) => layers.into_iter().map(Layer::from).collect(),
    };
    let database_runs = layers.contains(&Layer::Database) && database != DatabaseTarget::None;
    if args.workloads.is_some() && !database_runs {
        return Err(Failure::hinted(
            "--workloads names workloads of the database, which is not measured here",
            "add database to --layers, or leave out --workloads",
        ));
    }
    let asked = |workload: &Workload| {
        args.workloads.as_ref().is_none_or(|asked| asked.contains(&WorkloadArg(*workload)))
    };
    let workloads = Workload::usual().filter(asked).collect();
    Ok(MachineRequest {
        quick: args.quick,
        facts: args.facts,
        layers,
        wal: defaults::wal(args.wal, args.data.is_some()),
        data: defaults::data(args.data),
        database,
        workloads,
        sessions: args.sessions,
        write_budget: args.write_budget,
        max_depth: args.max_depth,
        with: args.with,
        same_machine: args.same_machine,
        options: RunOptions { anonymous: args.names.anonymous, ..args.output.options() },
    })
}

/// The address of a server to load.
///
/// # Errors
/// It is none.
pub fn address(text: &str) -> Result<Address> {
    let option = || format!("--database {}", secrets::without_password(text));
    match Address::parse(text) {
        Err(error @ AddressError::Scheme) => {
            let what = error.to_string();
            let what = what.lines().next().unwrap_or_default();
            let hint = "use managed, none, or postgres://USER@HOST:PORT/DATABASE";
            Err(Failure::hinted(format!("{}: {what}", option()), hint))
        }
        parsed => parsed.with_context(option),
    }
}

fn look(args: RunArgs, address: Address) -> ObserveRequest {
    let (quick, wal) = (args.quick, args.wal);
    let below = args.data.filter(|_| args.output.load_here);
    ObserveRequest {
        address,
        word: None,
        length: args.observing.how.length(),
        capacities: args.observing.how.capacities,
        explains: !args.observing.how.no_explain,
        literals: args.observing.how.show_queries,
        facts: args.facts,
        below: below.map(|data| BelowRequest { quick, data, wal }),
        options: RunOptions { anonymous: args.names.anonymous, ..args.output.options() },
    }
}

/// Options that say how to measure, where nothing is measured.
fn refuse(args: &RunArgs) -> Result<()> {
    let refused = |what: &str, hint: &str| {
        Err(Failure::hinted(format!("{what} cannot be combined with --observe"), hint))
    };
    if args.database != MANAGED {
        return Err(Failure::hinted(
            "--database names a server to load, and --observe one to observe",
            "leave one of the two out",
        ));
    }
    let measuring = [
        ("--quick without --load-here", args.quick && !args.output.load_here),
        ("--layers", args.layers.is_some()),
        ("--workloads", args.workloads.is_some()),
        ("--sessions", args.sessions.is_some()),
        ("--write-budget", args.write_budget.is_some()),
        ("--max-depth", args.max_depth.is_some()),
        ("--postgres", args.postgres.is_some()),
    ];
    if let Some((option, _)) = measuring.into_iter().find(|(_, given)| *given) {
        return refused(option, "observing loads nothing; leave it out, or leave out --observe");
    }
    let folders = args.data.is_some() || args.wal.is_some();
    if args.output.load_here && args.observing.how.capacities.is_some() {
        return Err(Failure::hinted(
            "--load-here and --capacities both say where capacities come from",
            "leave one of the two out",
        ));
    }
    if folders && !args.output.load_here {
        return refused(
            "--data or --wal without --load-here",
            "the server says where its files are; with --load-here its drives are measured first, in these folders",
        );
    }
    if args.output.load_here && args.data.is_none() {
        return Err(Failure::hinted(
            "--load-here with --observe needs a folder of yours on the server's drives",
            "name one with --data DIR, and with --wal DIR one on the WAL drives if they are others; never the server's own folder",
        ));
    }
    Ok(())
}

impl From<LayerArg> for Layer {
    fn from(arg: LayerArg) -> Layer {
        match arg {
            LayerArg::Clock => Layer::Clock,
            LayerArg::Memory => Layer::Memory,
            LayerArg::Block => Layer::Block,
            LayerArg::Log => Layer::Log,
            LayerArg::Database => Layer::Database,
        }
    }
}
