//! Transactions of several steps on a real server, where the machine has one: what clients counted is what the database has.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use narrows_engine::{Rng, Stop};

use crate::address::{Address, Endpoint};
use crate::server::{self, Cluster, Options, ServerUser};
use crate::wire::Connection;
use narrows_layer_database::load::{
    AfterAnswer, LoadPlan, LoadResult, Operation, Program, Programs, Recovery, Verdict, run,
};
use narrows_layer_database::{Answer, Refusal, Request, Value};

const ACCOUNTS: i64 = 3;
const BEGIN: usize = 0;
const READ: usize = 1;
const TAKE: usize = 2;
const GIVE: usize = 3;
const COMMIT: usize = 4;
const LOOK: usize = 5;

/// Transfers between few accounts, by all sessions at once, and looks at the sum, one of three operations each.
struct Transfers;

impl Programs for Transfers {
    fn classes(&self) -> Vec<String> {
        ["transfer", "undone", "look"].map(String::from).into()
    }

    fn statements(&self, _session: u32) -> Vec<String> {
        [
            "BEGIN ISOLATION LEVEL REPEATABLE READ",
            "SELECT balance FROM public.account WHERE id = $1::int",
            "UPDATE public.account SET balance = $2, moves = moves + 1 WHERE id = $1::int",
            "UPDATE public.account SET balance = balance + $2::numeric WHERE id = $1::int",
            "COMMIT",
            "SELECT sum(balance)::bigint, count(*) FROM public.account WHERE id = ANY ($1::bigint[])",
        ]
        .map(String::from)
        .into()
    }

    fn program(&self, _session: u32, seed: u64) -> Box<dyn Program + '_> {
        Box::new(Session { rng: Rng::new(seed), class: 0, step: 0, from: 0 })
    }
}

struct Session {
    rng: Rng,
    class: usize,
    step: u32,
    from: i32,
}

impl Session {
    fn start(&mut self, request: &mut Request<'_>) {
        self.step = 0;
        match self.class {
            2 => request.run(LOOK, &[Value::Int8s(&[1, 2, 3, 99])]),
            _ => {
                request.run(BEGIN, &[]);
                request.run(READ, &[Value::Int4(self.from)]);
            }
        }
    }
}

impl Program for Session {
    fn begin(&mut self, request: &mut Request<'_>) -> Operation {
        self.class = self.rng.below(3) as usize;
        self.from = 1 + self.rng.below(ACCOUNTS as u64) as i32;
        self.start(request);
        let pause = Duration::from_micros(self.rng.below(3) * 50);
        Operation { class: self.class, pause }
    }

    fn answered(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> AfterAnswer {
        self.step += 1;
        match (self.class, self.step) {
            (2, _) => {
                let row = answer.row(0);
                let right = row.is_some_and(|row| (row.int(0), row.int(1)) == (Some(300), Some(3)));
                AfterAnswer::done_if(right, "the accounts don't sum up")
            }
            (_, 1) => {
                let Some(balance) = answer.statement(1).and_then(|read| read.row(0)?.int(0)) else {
                    return AfterAnswer::Done(Verdict::Wrong("no balance was read".into()));
                };
                let to = Value::Int4(self.from % ACCOUNTS as i32 + 1);
                request.run(TAKE, &[Value::Int4(self.from), Value::Int8(balance - 1)]);
                request.run(GIVE, &[to, Value::Written("1.00")]);
                AfterAnswer::Send
            }
            (_, 2)
                if answer.statement(0).map(|a| a.affected()) != Some(1)
                    || answer.affected() != 1 =>
            {
                AfterAnswer::Done(Verdict::Wrong("an account was not changed".into()))
            }
            (0, 2) => {
                request.run(COMMIT, &[]);
                AfterAnswer::Send
            }
            // The engine takes it back.
            (_, 2) => AfterAnswer::Done(Verdict::RolledBack),
            _ => AfterAnswer::Done(Verdict::Right),
        }
    }

    fn refused(&mut self, refusal: &Refusal, request: &mut Request<'_>) -> Recovery {
        if refusal.is_conflict() {
            self.start(request);
            return Recovery::Again;
        }
        Recovery::GiveUp
    }
}

fn transfers(address: &Address, seed: u64) -> LoadResult {
    let stop = Stop::new();
    let plan = LoadPlan {
        server: address,
        settings: &["deadlock_timeout = '5ms'".to_string()],
        programs: &Transfers,
        sessions: 6,
        cpus: &[],
        open_rate_per_s: None,
        warm_up: Duration::from_millis(20),
        window: Duration::from_millis(200),
        seed,
    };
    run(&plan, &stop, |window, _| Ok(window.wait_end(&stop)?)).unwrap().0
}

#[test]
fn what_clients_counted_is_what_the_database_has_whatever_conflicts_there_were() {
    let user = ServerUser::choose().unwrap();
    let found = match server::find(None, &user, None, &Stop::new()) {
        Ok(found) => found,
        Err(error) => return eprintln!("SKIPPED: {error}"),
    };
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
    let stop = Stop::new();
    let mut cluster = Cluster::create(&found, &user, &Options::new(&data, &wal), &stop).unwrap();
    cluster.start(&stop).unwrap();
    let folder = cluster.socket_dir().display();
    let address = format!(
        "postgres:///{}?host={folder}&port={}&user={}",
        Cluster::DATABASE,
        cluster.port(),
        Cluster::USER
    );
    let address = Address::parse(&address).unwrap();
    assert!(matches!(address.endpoint, Endpoint::Unix { .. }));
    let mut control = Connection::open(&address, &[]).unwrap();
    control
        .execute(
            "CREATE TABLE public.account (id int PRIMARY KEY, balance bigint, moves bigint DEFAULT 0); \
             INSERT INTO public.account SELECT id, 100 FROM generate_series(1, 3) id",
        )
        .unwrap();
    let (mut moved, mut retries) = (0, 0);
    // Six sessions on three accounts are in each other's way nearly at once; a machine that is busy gets more time.
    for seed in 0..20 {
        let seen = transfers(&address, seed);
        let [transfer, undone, look] = &seen.classes[..] else { panic!("three classes") };
        assert_eq!((seen.errors, seen.wrong), (0, 0), "{:?}", seen.first_error);
        for class in [transfer, undone] {
            let conflicts = class.serialization_failures + class.deadlocks;
            assert_eq!(conflicts, class.retries + class.conflicts, "{class:?}");
        }
        assert_eq!((undone.span_operations, look.rolled_back), (undone.rolled_back, 0));
        assert_eq!(transfer.rolled_back, 0);
        moved += transfer.span_operations;
        retries += transfer.retries;
        if retries > 0 && undone.rolled_back > 0 && look.span_operations > 0 {
            break;
        }
    }
    assert!(retries > 0, "nobody was in anybody's way");
    let counted =
        control.one("SELECT sum(moves) || ' ' || sum(balance) FROM public.account").unwrap();
    assert_eq!(counted, Some(format!("{moved} 300")));
    drop(control);
    cluster.stop().unwrap();
}
