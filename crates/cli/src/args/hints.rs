//! What people type for what is called otherwise here: commands of other tools, options of psql, pgbench and fio, words that are none.
//! Each is told what does the same.

use clap::Command;
use narrows_runner::block::jobs::is_option_of_fio;

const BENCHMARK: &str =
    "`narrows run` measures this machine, `narrows db` one benchmark workload on PostgreSQL";
const MACHINE: &str = "`narrows platform` shows this machine, `narrows run --quick` measures it";
const SERVER: &str =
    "`narrows observe ADDRESS` observes a running server, `narrows list` shows the saved runs";
const POSTGRESQL: &str =
    "`narrows observe ADDRESS` observes a running PostgreSQL, `narrows db` loads one";
const STORAGE: &str = "`narrows block` measures IOPS within a latency limit";
const PAGE: &str = "`narrows report RUN --html` writes a page";
const ORACLE: &str = "`narrows import FILE` judges an AWR report, `narrows run --database none` measures the machine below";
const OTHER_SERVER: &str = "`narrows run --database none` measures the machine below that server";

/// Commands of other tools and other words for ours, and what does the same here.
const OTHER_COMMANDS: [(&str, &str); 78] = [
    ("analyze", "`narrows report RUN --explain` shows how each answer is known"),
    ("awr", ORACLE),
    ("bandwidth", "`narrows memory` measures memory, `narrows block` drives"),
    ("bench", BENCHMARK),
    ("benchmark", BENCHMARK),
    ("cat", "`narrows show RUN` prints a saved run"),
    ("check", "`narrows run --dry-run` shows what a run would do, `narrows platform` this machine"),
    ("completion", "`narrows completions bash` prints them"),
    ("cpu", "`narrows platform` shows the CPUs, `narrows memory` measures memory and clocks"),
    ("del", "`narrows rm RUN` removes a saved run"),
    ("delete", "`narrows rm RUN` removes a saved run"),
    ("device", "`narrows block device DEV` shows a raw device"),
    ("disk", STORAGE),
    ("disks", STORAGE),
    (
        "doctor",
        "`narrows platform` shows this machine, `narrows run --dry-run` what a run would do",
    ),
    ("drive", STORAGE),
    ("drives", STORAGE),
    ("fio", "`narrows block run FILE.fio` runs fio's job files"),
    ("flush", "`narrows log` measures flushes of the WAL"),
    ("fsync", "`narrows log` measures flushes of the WAL"),
    ("hammerdb", "`narrows db orders` runs an order-entry mix"),
    (
        "hardware",
        "`narrows platform` shows this machine, `narrows limits` what its components can carry",
    ),
    ("history", "`narrows list` shows the saved runs, `narrows trend` their changes of level"),
    ("html", PAGE),
    ("hw", MACHINE),
    ("info", MACHINE),
    ("init", "nothing has to be set up: `narrows run --quick` measures this machine"),
    ("io", STORAGE),
    ("iops", STORAGE),
    ("iostat", SERVER),
    ("json", "`narrows report RUN --format json` prints a run file"),
    ("latency", "`narrows block` measures drives within a latency limit, `narrows log` commits"),
    ("ls", "`narrows list` shows the saved runs"),
    ("man", "`narrows help COMMAND` shows the same"),
    ("mariadb", "`narrows db update --kind mariadb` loads a private MariaDB instance"),
    ("measure", BENCHMARK),
    ("monitor", SERVER),
    ("mssql", OTHER_SERVER),
    ("mysql", "`narrows db update --kind mariadb` loads a private MariaDB instance"),
    ("numa", "`narrows memory matrix` measures each node's memory from each node's CPUs"),
    ("open", PAGE),
    ("oracle", ORACLE),
    ("pdf", "print the HTML page to PDF from a browser: `narrows report RUN --html`"),
    ("perf", BENCHMARK),
    ("pg", POSTGRESQL),
    ("pgbench", "`narrows db` runs one benchmark workload on PostgreSQL"),
    ("postgres", POSTGRESQL),
    ("postgresql", POSTGRESQL),
    ("print", "`narrows show RUN` prints a saved run"),
    ("psql", POSTGRESQL),
    ("ram", "`narrows memory` measures memory"),
    ("remove", "`narrows rm RUN` removes a saved run"),
    ("result", "`narrows list` shows the saved runs, `narrows show` the newest"),
    ("results", "`narrows list` shows the saved runs, `narrows show` the newest"),
    ("rn", "did you mean `narrows run`?"),
    ("rnu", "did you mean `narrows run`?"),
    ("runs", "`narrows list` shows the saved runs"),
    (
        "save",
        "`narrows gather -o FILE` saves this machine's hardware; runs are saved by themselves",
    ),
    ("settings", "`narrows config` shows the settings in force"),
    ("setup", "nothing has to be set up: `narrows run --quick` measures this machine"),
    ("start", "`narrows run` measures this machine"),
    ("stat", SERVER),
    ("stats", SERVER),
    ("status", SERVER),
    ("storage", STORAGE),
    ("stream", "`narrows memory` measures memory"),
    (
        "sysbench",
        "`narrows db` runs one benchmark workload on PostgreSQL, `narrows import` reads sysbench's results",
    ),
    (
        "test",
        "`narrows run --quick` measures this machine, `narrows log crashtest` whether commits survive a power cut",
    ),
    ("top", SERVER),
    ("tpcc", "`narrows db orders` runs an order-entry mix"),
    (
        "upgrade",
        "`narrows plan` finds the best upgrade of a design, `narrows report RUN --what-if CHANGE` of what was measured",
    ),
    ("view", "`narrows show RUN` prints a saved run"),
    ("vmstat", SERVER),
    ("watch", SERVER),
    ("what-if", "`narrows report RUN --what-if CHANGE` estimates what a change would allow"),
    ("whatif", "`narrows report RUN --what-if CHANGE` estimates what a change would allow"),
    ("why", "`narrows explain WORD` explains a word of a report"),
    ("write", "`narrows log` measures durable writes, `narrows block` drives"),
];

/// How psql is told which server, where one address says it here.
const OPTIONS_OF_PSQL: [&str; 14] = [
    "U", "W", "d", "database", "db", "dbname", "host", "hostname", "p", "password", "port", "user",
    "username", "w",
];

/// Options of load generators, and what says the same of a load here.
const OPTIONS_OF_LOADS: [(&str, &str); 10] = [
    ("T", "window"),
    ("c", "sessions"),
    ("client", "sessions"),
    ("clients", "sessions"),
    ("connections", "sessions"),
    ("duration", "window"),
    ("runtime", "window"),
    ("scale", "table"),
    ("threads", "sessions"),
    ("time", "window"),
];

/// Formats that are typed as options.
const FORMATS: [(&str, &str); 6] = [
    ("csv", "csv"),
    ("html", "html"),
    ("json", "json"),
    ("markdown", "markdown"),
    ("md", "markdown"),
    ("text", "text"),
];

/// What is meant by a command that is none.
pub fn instead_of_command(word: &str) -> Option<&'static str> {
    if word.contains("://") || word.starts_with("host=") || word.starts_with("service=") {
        return Some("`narrows observe ADDRESS` observes a running server");
    }
    let files = [
        (".fio", "`narrows block run FILE.fio` runs fio's job files"),
        (".json", "`narrows show FILE` prints a saved run"),
        (".toml", "`narrows plan FILE` models a described design"),
        (".capture", "`narrows platform FILE` shows a saved machine"),
    ];
    let file = files.iter().find(|(end, _)| word.ends_with(end));
    let known = OTHER_COMMANDS.iter().find(|(other, _)| *other == word.to_ascii_lowercase());
    file.or(known).map(|(_, here)| *here)
}

/// What is meant by an option that `command`, which is typed as `path`, does not have.
pub fn instead_of_option(command: &Command, path: &[&str], name: &str) -> Option<String> {
    let has = |long: &str| command.get_arguments().any(|arg| arg.get_long() == Some(long));
    let typed = path.join(" ");
    let group = path.get(1).copied().unwrap_or_default();
    if OPTIONS_OF_PSQL.contains(&name) {
        let address = "'host=db7 user=me dbname=shop'";
        let hint = match path {
            [_, "observe"] | [_, "log", "postgres"] | [_, "db", _] => {
                format!("the address is one argument: {typed} {address}")
            }
            [_, "run"] if name.starts_with('d') => {
                "did you mean --database? it is managed, none or postgres://USER@HOST:PORT/DATABASE"
                    .to_string()
            }
            [_, "run"] => {
                format!("the server is one value: {typed} --database {address} --load-here")
            }
            _ => String::new(),
        };
        if !hint.is_empty() {
            return Some(hint);
        }
    }
    if ["block", ""].contains(&group) {
        if name == "output-format" {
            return Some(
                "--fio-json FILE writes fio's JSON: narrows block run FILE.fio --fio-json OUT"
                    .to_string(),
            );
        }
        if is_option_of_fio(name) {
            let here = "fio's options belong in a job file here: narrows block run FILE.fio";
            return Some(here.to_string());
        }
    }
    let format = FORMATS.iter().find(|(typed, _)| *typed == name && has("format"));
    if let Some((_, format)) = format {
        return Some(format!("write --format {format}"));
    }
    let load = OPTIONS_OF_LOADS.iter().find(|(typed, here)| *typed == name && has(here));
    if let Some((_, here)) = load {
        return Some(format!("did you mean --{here}? `{typed} --help` describes it"));
    }
    match name {
        "duration" | "time" | "runtime" | "seconds" | "T" if has("for") => {
            Some(format!("write --for TIME: {typed} --for 60s"))
        }
        "verbose" | "v" if has("explain") => {
            Some("--explain shows how each answer is known".to_string())
        }
        "verbose" | "v" => {
            Some("how the program was built: narrows --version --verbose".to_string())
        }
        "quiet" | "q" | "silent" => {
            Some("progress is written to standard error: 2>/dev/null hides it".to_string())
        }
        _ => None,
    }
}

/// What is meant by a word where `command`, which is typed as `path`, takes none.
pub fn instead_of_word(
    root: &Command,
    command: &Command,
    path: &[&str],
    word: &str,
) -> Option<String> {
    let typed = path.join(" ");
    if path.get(1) == Some(&"config") {
        let file = narrows_runner::configuration::path().map(|path| path.display().to_string());
        let file = file.unwrap_or_else(|| "$XDG_CONFIG_HOME/narrows/config.toml".to_string());
        return Some(format!(
            "settings are changed in an editor: edit {file}; `narrows config --help` shows its keys"
        ));
    }
    if path.get(1) == Some(&"run") && word == "observe" {
        return Some("observing is a command of its own: narrows observe ADDRESS".to_string());
    }
    let layers = command.get_arguments().find(|arg| arg.get_long() == Some("layers"));
    let layer = layers.map(clap::Arg::get_possible_values).unwrap_or_default();
    if layer.iter().any(|layer| layer.matches(word, false)) {
        return Some(format!("did you mean {typed} --layers {word}?"));
    }
    let is_option = command.get_arguments().any(|arg| arg.get_long() == Some(word));
    if is_option {
        return Some(format!("did you mean {typed} --{word}?"));
    }
    let other = root.find_subcommand(word).map(Command::get_name);
    other.map(|name| format!("`narrows {name}` is a command of its own"))
}

/// The command below another one that is called so: `narrows db lookup` for `lookup`.
pub fn below(root: &Command, word: &str) -> Option<String> {
    root.get_subcommands().find_map(|group| {
        let found = group.find_subcommand(word).filter(|below| !below.is_hide_set())?;
        Some(format!("did you mean `narrows {} {}`?", group.get_name(), found.get_name()))
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn what_points_the_way_is_no_command_and_names_one() {
        let cli = crate::args::Cli::command();
        for (word, here) in OTHER_COMMANDS {
            assert!(cli.find_subcommand(word).is_none(), "{word}");
            let named = cli
                .get_subcommands()
                .any(|command| here.contains(&format!("narrows {}", command.get_name())));
            assert!(named || here.contains("narrows show") || word == "man", "{word}: {here}");
        }
        assert!(OTHER_COMMANDS.is_sorted_by(|a, b| a.0 < b.0), "in the order of the alphabet");
    }

    #[test]
    fn options_of_other_tools_are_told_by_the_command_that_they_are_typed_at() {
        let cli = crate::args::Cli::command();
        let told = |path: &[&str], name: &str| {
            let find = |command: &Command, word: &&str| command.find_subcommand(word).cloned();
            let command =
                path[1..].iter().try_fold(cli.clone(), |command, word| find(&command, word));
            instead_of_option(&command.expect("it is a command"), path, name).unwrap_or_default()
        };
        for name in ["U", "d", "p", "host", "database", "port"] {
            let said = told(&["narrows", "observe"], name);
            assert_eq!(
                said,
                "the address is one argument: narrows observe 'host=db7 user=me dbname=shop'"
            );
        }
        assert!(told(&["narrows", "log", "postgres"], "U").contains("narrows log postgres 'host="));
        assert!(told(&["narrows", "db", "lookup"], "p").contains("narrows db lookup 'host="));
        assert!(told(&["narrows", "run"], "db").contains("managed, none or postgres://"));
        for name in ["size", "rwmixwrite", "norandommap", "verify", "readwrite", "zonesize"] {
            assert!(
                told(&["narrows", "block", "run"], name).contains("narrows block run FILE.fio")
            );
            assert_eq!(told(&["narrows", "db", "lookup"], name), "", "{name} is no load's");
        }
        assert_eq!(told(&["narrows", "list"], "json"), "write --format json");
        assert!(told(&["narrows", "db", "update"], "clients").contains("--sessions"));
    }
}
