//! MariaDB as a kind of server for the database layer: where it is, what it is made ready by, its tables and plans.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::{Context, Phase, Rng, Stop};
use narrows_layer_database::kind::{About, Connected, Plan, Scanner, Server, Session};
use narrows_layer_database::processes::{ServerProcesses, THREADS};
use narrows_layer_database::{
    Contents, DatabaseError, KindError, Planned, ServerKind, Sessions, Settings, Table, Task,
    Variation,
};
use narrows_model::Layer;
use serde_json::Value;

use crate::connection::{Connection, Parameter, Row};
use crate::error::MariaError;
use crate::observer::Status;
use crate::server::PAGE_BYTES;
use crate::session::MariaSession;
use crate::statements::{self, COMMITS};

/// The role that sets up and looks, and that of the load's sessions.
pub(crate) const OWNER: &str = "root";
const LOAD_USER: &str = "narrows_load";
/// A lookup by key also looks at the page before where its row is the first of a page, and at the page behind where it is the last one:
/// 1 + 2/16 leaf pages with this number, both of two pages if there were two rows in each. More rows take longer to be made.
const ROWS_PER_PAGE: u64 = 16;
/// Of a record besides its padding: its head, the padding's length, the key, two hidden columns, the number, its share of the directory.
const RECORD_BYTES: usize = 5 + 2 + 8 + 6 + 7 + 8 + 1;
/// Of a page besides its records.
const PAGE_HEAD_BYTES: usize = 130;
/// Rows of a statement that fills, and statements of a transaction.
const BATCH: u64 = 512;
const BATCHES: u64 = 16;

/// A server of our own, by its socket.
#[derive(Debug, Clone)]
pub struct MariaDb {
    /// The socket, in a folder that admits the server's user and us alone.
    pub socket: PathBuf,
    /// The server's process, where it is visible.
    pub pid: Option<u32>,
}

impl Sessions for MariaDb {
    fn open(
        &self,
        settings: &[String],
        statements: &[String],
        stops: &[&Stop],
    ) -> Result<Box<dyn Session>, KindError> {
        Ok(Box::new(MariaSession::open(&self.socket, LOAD_USER, settings, statements, stops)?))
    }
}

impl ServerKind for MariaDb {
    fn connect(&self, settings: &Settings, stop: &Stop) -> Result<Connected, DatabaseError> {
        let mut control = Connection::open(&self.socket, OWNER, &[stop])?;
        let mut monitor = Connection::open(&self.socket, OWNER, &[stop])?;
        let said = control.query("SHOW GLOBAL VARIABLES")?;
        let variables: BTreeMap<String, String> = said.into_iter().filter_map(pair).collect();
        let pool = variables.get("innodb_buffer_pool_size").and_then(|text| text.parse().ok());
        let pool_bytes = pool.ok_or(MariaError::Unexpected("no size of the buffer pool"))?;
        let about = About {
            version: version(control.version()),
            encryption: "none".into(),
            build: build(&variables),
            pool_bytes,
            settings: server_settings(&variables),
        };
        // A start gives the server another process.
        let main = control.one("SELECT @@pid_file")?.and_then(|file| {
            let text = narrows_files::read_text(&PathBuf::from(file), 64).ok()?;
            text.trim().parse().ok()
        });
        let watching =
            [thread(&mut control)?, thread(&mut monitor)?].map(Option::unwrap_or_default);
        let processes =
            main.or(self.pid).map(|pid| ServerProcesses::new(pid, THREADS).watched_by(watching));
        let server = MariaServer {
            control,
            schema: format!("narrows_scratch_{}", plain(&settings.run_id)),
            data_dir: settings.data_dir.clone(),
        };
        let observer = Status::new(monitor, LOAD_USER);
        Ok(Connected { server: Box::new(server), observer: Box::new(observer), processes, about })
    }

    fn scanner(
        &self,
        _settings: &[String],
        _longest: Duration,
        _stops: &[&Stop],
    ) -> Result<Box<dyn Scanner>, KindError> {
        Err(MariaError::Unexpected("a scan, which this kind doesn't have").into())
    }

    fn sessions(&self) -> &dyn Sessions {
        self
    }
}

/// As people say it. Before its own number a server says one of MySQL's, for clients that look for that.
fn version(said: &str) -> String {
    let own = said.strip_prefix("5.5.5-").unwrap_or(said);
    format!("MariaDB {}", own.split("-MariaDB").next().unwrap_or(own))
}

/// Of a run's id what may stand in a name.
fn plain(id: &str) -> String {
    id.chars().filter(char::is_ascii_alphanumeric).take(32).collect()
}

fn pair(row: Row) -> Option<(String, String)> {
    let mut parameters = row.into_iter();
    Some((parameters.next()??, parameters.next()??))
}

/// The operating system's thread of a connection.
fn thread(connection: &mut Connection) -> Result<Option<u32>, MariaError> {
    let said = connection.one(
        "SELECT thread_os_id FROM performance_schema.threads WHERE processlist_id = connection_id()",
    )?;
    Ok(said.and_then(|text| text.parse().ok()))
}

fn build(variables: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let names =
        ["version_comment", "version_compile_machine", "version_compile_os", "innodb_version"];
    let found =
        names.iter().filter_map(|name| Some(((*name).to_string(), variables.get(*name)?.clone())));
    found.collect()
}

/// Settings that a figure depends on: InnoDB's, and what is durable. Paths stay out.
fn server_settings(variables: &BTreeMap<String, String>) -> Value {
    let says = |name: &str| {
        name.starts_with("innodb_")
            || [
                "sync_binlog",
                "log_bin",
                "performance_schema",
                "thread_handling",
                "max_connections",
            ]
            .contains(&name)
    };
    let found = variables.iter().filter(|(name, value)| says(name) && !value.contains('/'));
    Value::Object(found.map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect())
}

/// The side that sets up.
struct MariaServer {
    control: Connection,
    schema: String,
    /// The server's data folder.
    data_dir: Option<PathBuf>,
}

impl MariaServer {
    fn fill(
        &mut self,
        ctx: &Context<'_>,
        table: &str,
        rows: u64,
        contents: Contents,
    ) -> Result<(), DatabaseError> {
        let mut rng = Rng::new(ctx.seed ^ 0x7ab1e);
        let mut pads = vec![vec![0u8; pad_bytes()]; BATCH as usize];
        let statement = |rows: u64| {
            let values = vec!["(?, 0, ?)"; rows as usize].join(", ");
            format!("INSERT INTO {table} (k, v, pad) VALUES {values}")
        };
        let many = self.control.prepare(&statement(BATCH))?;
        let mut next = 0;
        while next < rows {
            self.control.execute("START TRANSACTION")?;
            for _ in 0..BATCHES {
                ctx.stop.check()?;
                let last = (next + BATCH).min(rows);
                for pad in &mut pads {
                    contents.fill(pad, &mut rng);
                }
                let parameters: Vec<Parameter<'_>> = (next..last)
                    .zip(&pads)
                    .flat_map(|(row, pad)| {
                        [Parameter::Number(row as i64 + 1), Parameter::Bytes(pad)]
                    })
                    .collect();
                if last - next == BATCH {
                    self.control.fill(many, &parameters)?;
                } else if last > next {
                    let rest = self.control.prepare(&statement(last - next))?;
                    self.control.fill(rest, &parameters)?;
                }
                next = last;
            }
            self.control.execute("COMMIT")?;
        }
        Ok(())
    }
}

/// So that the rows of a page take the fifteen sixteenths up to which one is filled in the order of its keys.
const fn pad_bytes() -> usize {
    let filled = PAGE_BYTES as usize * 15 / 16 - PAGE_HEAD_BYTES;
    filled / ROWS_PER_PAGE as usize - RECORD_BYTES
}

impl Server for MariaServer {
    fn heed(&mut self, stop: Option<&Stop>) {
        self.control.heed(stop);
    }

    /// The server is ours and new: nobody left anything there.
    fn make_place(&mut self) -> Result<Vec<String>, DatabaseError> {
        let schema = &self.schema;
        for sql in [
            format!("CREATE DATABASE {schema} CHARACTER SET utf8mb4"),
            format!(
                "CREATE TABLE {schema}.{COMMITS} (id BIGINT AUTO_INCREMENT PRIMARY KEY, v TINYINT NOT NULL) ENGINE=InnoDB"
            ),
            format!("CREATE USER {LOAD_USER}@localhost"),
            format!("GRANT SELECT, INSERT, UPDATE ON {schema}.* TO {LOAD_USER}@localhost"),
            format!("GRANT SELECT ON performance_schema.* TO {LOAD_USER}@localhost"),
        ] {
            self.control.execute(&sql)?;
        }
        Ok(Vec::new())
    }

    fn place(&self) -> &str {
        &self.schema
    }

    fn block_bytes(&mut self) -> Result<u64, DatabaseError> {
        let said = self.control.one("SELECT @@innodb_page_size")?;
        let bytes = said.and_then(|text| text.parse().ok());
        Ok(bytes.ok_or(MariaError::Unexpected("no size of a page"))?)
    }

    fn create_table(
        &mut self,
        ctx: &Context<'_>,
        name: &str,
        bytes: u64,
        contents: Contents,
    ) -> Result<Table, DatabaseError> {
        let tell = |detail: &str| ctx.progress.phase(Layer::Database, Phase::Fill, detail);
        let block_bytes = self.block_bytes()?;
        let rows = (bytes / block_bytes * ROWS_PER_PAGE).max(ROWS_PER_PAGE);
        tell(&format!("a table of {rows} rows, {ROWS_PER_PAGE} in a page"));
        let (schema, own_name) = (self.schema.clone(), name.to_string());
        let rows_per_block = ROWS_PER_PAGE;
        let mut table = Table { schema, own_name, rows, rows_per_block, block_bytes, bytes: 0 };
        let full = table.name();
        self.control.execute(&format!(
            "CREATE TABLE {full} (k BIGINT NOT NULL PRIMARY KEY, v BIGINT NOT NULL, \
             pad VARBINARY({}) NOT NULL) ENGINE=InnoDB ROW_FORMAT=DYNAMIC",
            pad_bytes()
        ))?;
        self.fill(ctx, &full, rows, contents)?;
        self.control.execute(&format!("ANALYZE TABLE {full}"))?;
        let said = self.control.one(&format!(
            "SELECT file_size FROM information_schema.innodb_sys_tablespaces WHERE name = '{}/{name}'",
            self.schema
        ))?;
        let found = said.and_then(|text| text.parse().ok());
        table.bytes = found.ok_or(MariaError::Unexpected("no size of the table"))?;
        Ok(table)
    }

    fn ready(&mut self, task: &Task, tables: &[Table]) -> Result<(), DatabaseError> {
        // What this kind doesn't have is refused before anything is measured.
        tables.first().map_or(Ok(()), |table| self.statements(task, table, 1).map(drop))
    }

    fn statements(
        &self,
        task: &Task,
        table: &Table,
        _workers: u32,
    ) -> Result<Vec<Planned>, DatabaseError> {
        statements::statements(task, &self.schema, &table.name())
    }

    fn session_settings(&self, _task: &Task, _variation: &Variation) -> Vec<String> {
        statements::settings()
    }

    /// Opening and preparing executes no prepared statement, and those are what is counted.
    fn opening_transactions(&self, _settings: usize) -> f64 {
        0.0
    }

    fn plan(&mut self, _settings: &[String], statement: &Planned) -> Result<Plan, DatabaseError> {
        let sql = statement.sql.replace('?', statement.example);
        let rows = self.control.query(&format!("EXPLAIN {sql}"))?;
        Ok(plan(&rows))
    }

    fn plan_as_meant(
        &mut self,
        settings: &[String],
        statement: &Planned,
    ) -> Result<Plan, DatabaseError> {
        let plan = self.plan(settings, statement)?;
        match statement.reads_by {
            Some(wanted) if plan.reads_by != wanted => {
                let (statement, wanted) = (statement.sql.clone(), wanted.join(", "));
                Err(MariaError::Plan { statement, plan: plan.text, wanted }.into())
            }
            _ => Ok(plan),
        }
    }

    fn warm(&mut self, table: &Table, rows: u64) -> Result<(), DatabaseError> {
        let name = table.name();
        // A page that is read once is let go first; what is read again after a moment stays (`innodb_old_blocks_time` is 1 s).
        for _ in 0..2 {
            self.control.execute(&format!(
                "SELECT sum(v), sum(length(pad)) FROM {name} WHERE k BETWEEN 1 AND {rows}"
            ))?;
            std::thread::sleep(Duration::from_millis(1100));
        }
        Ok(())
    }

    /// Checkpoints are the server's own affair here: it writes out what fills its log, all the time.
    fn checkpoint(&mut self) -> Result<(), DatabaseError> {
        Ok(self.control.execute("FLUSH LOCAL ENGINE LOGS")?)
    }

    /// Old versions of rows go by themselves, a moment after nobody can see them.
    fn tidy(&mut self, _tables: &[Table]) -> Result<(), DatabaseError> {
        self.checkpoint()
    }

    fn table_files(&mut self) -> Result<Vec<PathBuf>, DatabaseError> {
        let data_dir = self.data_dir.clone().ok_or_else(|| DatabaseError::Evict {
            reason: "the server's data folder is not known".into(),
        })?;
        let rows = self.control.query(&format!(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = '{}'",
            self.schema
        ))?;
        let folder = data_dir.join(&self.schema);
        let names = rows.into_iter().flatten().flatten().filter(|name| *name == plain_table(name));
        Ok(names.map(|name| folder.join(format!("{name}.ibd"))).collect())
    }

    /// InnoDB opens its files with `O_DIRECT`.
    fn reads_directly(&self) -> bool {
        true
    }

    /// Whether a commit waits for its flush is set for the whole server.
    fn before_window(&mut self, variation: &Variation) -> Result<(), DatabaseError> {
        // 2: written at once, flushed once a second.
        let flush = if variation.synchronous_commit { 1 } else { 2 };
        Ok(self.control.execute(&format!("SET GLOBAL innodb_flush_log_at_trx_commit = {flush}"))?)
    }

    /// The whole server is ours and goes.
    fn remove_place(&mut self, _hurried: bool) -> Result<(), DatabaseError> {
        Ok(self.control.execute(&format!("DROP DATABASE IF EXISTS {}", self.schema))?)
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// A name that becomes one of a file.
fn plain_table(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect()
}

/// By the columns of EXPLAIN: the table's, `type`, `key`.
fn plan(rows: &[Row]) -> Plan {
    let cell = |row: &Row, column: usize| row.get(column).cloned().flatten();
    let mut lines = Vec::new();
    let mut reads_by = Vec::new();
    for row in rows {
        let say = |column| cell(row, column).unwrap_or_else(|| "-".into());
        let (access, key) = (say(3), say(5));
        let line = format!("  {} on {}: {access} by {key}, {}", say(1), say(2), say(9));
        lines.push(narrows_units::shown(&line).into_owned());
        if key != "-" {
            reads_by.push(format!("{access} by {key}"));
        }
    }
    Plan { text: lines.join("\n"), reads_by, from_index: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_the_access_and_its_index() {
        let row = |parameters: [&str; 10]| -> Row {
            parameters
                .iter()
                .map(|cell| Some((*cell).to_string()).filter(|cell| cell != "NULL"))
                .collect()
        };
        let by_key =
            row(["1", "SIMPLE", "rows", "const", "PRIMARY", "PRIMARY", "8", "const", "1", ""]);
        let insert =
            row(["1", "INSERT", "commits", "ALL", "NULL", "NULL", "NULL", "NULL", "NULL", "NULL"]);
        assert_eq!(plan(&[by_key]).reads_by, ["const by PRIMARY"]);
        assert_eq!(plan(&[insert]).reads_by, [""; 0]);
        assert_eq!(plan(&[Vec::new()]).reads_by, [""; 0]);
    }

    #[test]
    fn what_is_told_of_settings_has_no_path_and_a_name_no_other_sign() {
        let variables = [
            ("innodb_page_size", "8192"),
            ("innodb_data_home_dir", "/var/x"),
            ("sync_binlog", "0"),
            ("hostname", "db7"),
        ];
        let variables = variables.map(|(name, value)| (name.to_string(), value.to_string())).into();
        let told = server_settings(&variables);
        assert_eq!(told, serde_json::json!({ "innodb_page_size": "8192", "sync_binlog": "0" }));
        assert_eq!(plain("9f; DROP"), "9fDROP");
        assert_eq!(version("5.5.5-10.11.19-MariaDB-0+deb12u1"), "MariaDB 10.11.19");
        assert_eq!(version("11.4.2"), "MariaDB 11.4.2");
    }
}
