//! Every command that writes anything, as data: how it is called, about how long it lasts, what it needs and what may stay of it.

/// What a trial has to have ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// PostgreSQL's programs, for a server of narrows' own.
    Programs,
    /// Somebody's server, at URL.
    Server,
    /// A stored run, at RUN.
    Run,
    /// A job file, at JOB.
    Job,
    /// A list on this machine, at LIST.
    List,
    /// A file system in memory, at MEMORY.
    Memory,
    /// A mirror that gives bytes slowly, and no PostgreSQL on the machine.
    Mirror,
}

/// When a strike counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    Start,
    /// The moment at which a program of that name runs in the trial's folder.
    Program(&'static str),
}

/// One of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Struck {
    pub name: &'static str,
    /// Words in capitals are places: DATA, WAL, OUT, URL, RUN, JOB, LIST, MEMORY.
    pub args: &'static str,
    /// Until a trial has shown how long, s.
    pub lasts_s: f64,
    pub needs: &'static [Need],
    pub from: From,
    /// Names that may be there afterwards, because the user asked for them.
    pub stays: &'static [&'static str],
    /// The command that removes what stays by design, as the manual says; it must do so and end with 0.
    pub then: Option<&'static str>,
}

const fn struck(
    name: &'static str,
    args: &'static str,
    lasts_s: f64,
    needs: &'static [Need],
) -> Struck {
    Struck { name, args, lasts_s, needs, from: From::Start, stays: &[], then: None }
}

/// What a report or a capture was asked to be.
const fn written(name: &'static str, args: &'static str, needs: &'static [Need]) -> Struck {
    Struck { stays: &["asked"], ..struck(name, args, 0.2, needs) }
}

const OWN: &[Need] = &[Need::Programs];
const THEIRS: &[Need] = &[Need::Server];
const RUN: &[Need] = &[Need::Run];
const NONE: &[Need] = &[];

pub(super) const COMMANDS: &[Struck] = &[
    struck("run", "run --load-here --data DATA", 60.0, OWN),
    struck("run --wal", "run --quick --load-here --data DATA --wal WAL", 60.0, OWN),
    struck(
        "run --quick",
        "run --quick --load-here --data DATA --layers clock,block,log",
        20.0,
        NONE,
    ),
    struck(
        "run --database URL",
        "run --quick --load-here --data DATA --layers database --workloads lookup_cached,update --database URL",
        20.0,
        THEIRS,
    ),
    struck(
        "db update",
        "db update --quick --window 1s --sessions 2 --table 32m --pool 32m --load-here --data DATA",
        20.0,
        OWN,
    ),
    Struck {
        from: From::Program("initdb"),
        ..struck(
            "db update, in initdb",
            "db update --quick --window 1s --sessions 2 --table 32m --pool 32m --load-here --data DATA",
            1.5,
            OWN,
        )
    },
    struck(
        "db orders",
        "db orders --warehouses 1 --quick --window 1s --warm-up 1s --load-here --data DATA",
        30.0,
        OWN,
    ),
    struck(
        "db update URL",
        "db update --quick --window 1s --sessions 2 --table 4m --load-here --data DATA URL",
        10.0,
        THEIRS,
    ),
    Struck {
        // An unfinished load is gone on with by the next start.
        then: Some("db orders --drop URL"),
        ..struck(
            "db orders URL",
            "db orders --warehouses 1 --quick --window 1s --warm-up 1s --load-here --data DATA URL",
            20.0,
            THEIRS,
        )
    },
    struck("log", "log --load-here --data DATA --wal WAL", 30.0, NONE),
    struck("log commits", "log commits --load-here --wal WAL", 30.0, NONE),
    struck("log streams", "log streams --streams 2 --load-here --wal WAL", 20.0, NONE),
    struck(
        "log compare",
        "log compare --load-here --sessions 2 --window 300ms --wal DATA --wal MEMORY",
        30.0,
        &[Need::Programs, Need::Memory],
    ),
    Struck {
        stays: &["records"],
        ..struck(
            "log crashtest write",
            "log crashtest write DATA/records --to LIST --same-host --load-here --ring 24m --for 5s",
            6.0,
            &[Need::List],
        )
    },
    struck("block", "block --file-size 64m --minutes 1 --load-here --at DATA", 40.0, NONE),
    struck("block run", "block run JOB --load-here --at DATA", 6.0, &[Need::Job]),
    struck(
        "block steady",
        "block steady --file-size 64m --round 1s --budget 512m --load-here --at DATA",
        10.0,
        NONE,
    ),
    struck("block writers", "block writers --load-here --at DATA", 20.0, NONE),
    struck("block interference", "block interference --load-here --at DATA", 30.0, NONE),
    struck(
        "block calibrate",
        "block calibrate --reads 70 --file-size 64m --minutes 1 --load-here --at DATA",
        40.0,
        NONE,
    ),
    struck("memory", "memory --quick --load-here", 15.0, NONE),
    struck("memory baseline", "memory baseline --load-here", 60.0, NONE),
    struck("run --observe", "run --observe URL --for 5s", 7.0, THEIRS),
    written("report text", "report RUN --format text -o OUT/asked", RUN),
    written("report markdown", "report RUN --format markdown -o OUT/asked", RUN),
    written("report json", "report RUN --format json -o OUT/asked", RUN),
    written("report csv", "report RUN --format csv -o OUT/asked", RUN),
    written("report html", "report RUN --format html -o OUT/asked", RUN),
    written("gather", "gather --force -o OUT/asked", NONE),
    struck(
        "run, fetching PostgreSQL",
        "run --quick --load-here --data DATA --layers database",
        8.0,
        &[Need::Mirror],
    ),
];

impl Struck {
    pub(super) fn needs(&self, need: Need) -> bool {
        self.needs.contains(&need)
    }

    /// Its arguments with the places named by `place`.
    pub(super) fn arguments(&self, place: impl Fn(&str) -> Option<String>) -> Vec<String> {
        filled(self.args, place)
    }
}

/// Arguments with the places named by `place`.
pub(super) fn filled(args: &str, place: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let filled = |word: &str| {
        let (name, rest) = word.split_once('/').map_or((word, ""), |(name, rest)| (name, rest));
        let capitals = name.len() > 2 && name.chars().all(|c| c.is_ascii_uppercase());
        match capitals.then(|| place(name)).flatten() {
            Some(path) if rest.is_empty() => path,
            Some(path) => format!("{path}/{rest}"),
            None => word.to_string(),
        }
    };
    args.split(' ').map(filled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_one_that_narrows_knows() {
        for command in COMMANDS {
            let place = |name: &str| match name {
                "URL" => Some("postgres://app@127.0.0.1:5432/shop".to_string()),
                "LIST" => Some("127.0.0.1:7777".to_string()),
                _ => Some("/var/tmp".to_string()),
            };
            let args = command.arguments(place);
            let all = std::iter::once("narrows".to_string()).chain(args.iter().cloned());
            let parsed = narrows::command().try_get_matches_from(all);
            assert!(parsed.is_ok(), "{}: {}", command.name, parsed.unwrap_err());
            assert!(args.iter().all(|arg| !arg.starts_with("DATA")), "{args:?}");
        }
    }

    #[test]
    fn names_are_told_apart() {
        let mut names: Vec<&str> = COMMANDS.iter().map(|command| command.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COMMANDS.len());
    }
}
