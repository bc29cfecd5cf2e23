//! PostgreSQL as a kind of server for the database layer: what it is made ready by, its tables, its plans, what is left of it.

use narrows_model::{Conditions, condition};
use std::any::Any;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use narrows_engine::{Context, Stop};
use narrows_layer_database::kind::{About, Connected, Plan, Scanner, Server};
use narrows_layer_database::{
    Action, Calls, Contents, DatabaseError, KindError, LoadError, Planned, ServerKind, Sessions,
    Settings, Table, Task, Variation,
};
use serde_json::Value;

use crate::address::Address;
use crate::admission::{self, Admitted};
use crate::explain;
use crate::observe::settings::build;
use crate::processes;
use crate::schema::{LeftBehind, Schema};
use crate::server::ServerError;
use crate::session::APPLICATION_NAME;
use crate::statements;
use crate::statistics::Statistics;
use crate::table::{self, TableError};
use crate::wire::{Connection, Limits, Patience, WireError};

/// How long a server may take to let us in once more to tidy up.
const AFTERWARDS: Duration = Duration::from_secs(3);

impl ServerKind for Address {
    fn connect(&self, settings: &Settings, stop: &Stop) -> Result<Connected, DatabaseError> {
        let mut control = control(self, stop)?;
        let Admitted { version, version_text, pool_bytes } = admission::look(&mut control, self)?;
        let observer = observer(self, settings, version, stop)?;
        let processes = self
            .is_local()
            .then(|| processes::of_backend(control.pid()))
            .flatten()
            .map(|server| server.watched_by([control.pid(), observer.pid()]));
        // The kernel's own way to the folder a server works in also leads into a container's files.
        let data_dir = settings.data_dir.clone().or_else(|| {
            let folder = PathBuf::from(format!("/proc/{}/cwd", processes?.main()));
            folder.join("PG_VERSION").exists().then_some(folder)
        });
        let encryption = control.encryption();
        let build: BTreeMap<String, String> =
            build(|sql| control.query(sql))?.into_iter().collect();
        let changed = changed_settings(&mut control)?;
        let reads_directly = reads_directly(&mut control)?;
        let about =
            About { version: version_text, encryption, build, pool_bytes, settings: changed };
        let server = PostgresServer {
            control,
            address: self.clone(),
            version,
            schema: Schema::of_run(&settings.run_id),
            data_dir,
            reads_directly,
        };
        Ok(Connected { server: Box::new(server), observer: Box::new(observer), processes, about })
    }

    fn scanner(
        &self,
        settings: &[String],
        longest: Duration,
        stops: &[&Stop],
    ) -> Result<Box<dyn Scanner>, KindError> {
        let options = [("application_name", APPLICATION_NAME)];
        let mut connection = Connection::open_heeding(self, &options, stops)?;
        connection.limit(Limits::hours(longest));
        for setting in settings {
            connection.execute(&format!("SET {setting}"))?;
        }
        Ok(Box::new(ScanSession(connection)))
    }

    fn sessions(&self) -> &dyn Sessions {
        self
    }
}

struct ScanSession(Connection);

impl Scanner for ScanSession {
    fn pid(&self) -> u32 {
        self.0.pid()
    }

    fn run(&mut self, statement: &str) -> Result<bool, KindError> {
        let rows = self.0.query(statement)?;
        Ok(rows.first().and_then(|row| row.first()).is_some_and(Option::is_some))
    }
}

/// The side of a PostgreSQL that sets up.
pub struct PostgresServer {
    pub(crate) control: Connection,
    pub(crate) address: Address,
    version: u32,
    schema: Schema,
    /// The server's data folder, where its files may be read.
    data_dir: Option<PathBuf>,
    /// Whether it reads them around the page cache.
    reads_directly: bool,
}

impl PostgresServer {
    /// For what comes after the measurement, however it ended: no stop cuts it short, and a connection that was given up is
    /// replaced.
    pub(crate) fn undisturbed(&mut self) -> Result<&mut Connection, WireError> {
        if self.control.is_closed() {
            let options = [("application_name", "narrows control")];
            let login = Patience::within(AFTERWARDS);
            self.control = Connection::open_within(&self.address, &options, Vec::new(), login)?;
            self.control.end_with_us()?;
        }
        self.control.heed(None);
        // What was cut short may have left its transaction open; without one this is only a warning.
        self.control.execute("ROLLBACK")?;
        Ok(&mut self.control)
    }

    /// It, where that is what a database of the layer is on.
    pub(crate) fn of(database: &mut narrows_layer_database::Database) -> Option<&mut Self> {
        database.server().as_any().downcast_mut()
    }
}

impl Server for PostgresServer {
    fn heed(&mut self, stop: Option<&Stop>) {
        self.control.heed(stop);
    }

    fn make_place(&mut self) -> Result<Vec<String>, DatabaseError> {
        let removed = Schema::sweep(&mut self.control)?;
        self.schema.create(&mut self.control)?;
        Ok(removed)
    }

    fn place(&self) -> &str {
        self.schema.name()
    }

    fn block_bytes(&mut self) -> Result<u64, DatabaseError> {
        let said = self.control.one("SHOW block_size")?;
        Ok(said.and_then(|text| text.parse().ok()).unwrap_or(8192))
    }

    fn create_table(
        &mut self,
        ctx: &Context<'_>,
        name: &str,
        bytes: u64,
        contents: Contents,
    ) -> Result<Table, DatabaseError> {
        let rows = bytes / self.block_bytes()?;
        let name = (self.schema.name(), name);
        Ok(table::create(&mut self.control, ctx, name, rows, contents)?)
    }

    fn table_conditions(&self) -> Conditions {
        let mut conditions = Conditions::default();
        conditions.insert(condition::AUTOVACUUM_ON_TABLE, false);
        conditions
    }

    fn ready(&mut self, task: &Task, tables: &[Table]) -> Result<(), DatabaseError> {
        if matches!(task.action, Action::Lookup { calls: Calls::Inside, .. }) {
            for table in tables {
                self.control.execute(&statements::inside_function(&table.name()))?;
            }
        }
        Ok(())
    }

    fn statements(
        &self,
        task: &Task,
        table: &Table,
        workers: u32,
    ) -> Result<Vec<Planned>, DatabaseError> {
        Ok(statements::statements(task, &table.name(), workers))
    }

    fn session_settings(&self, task: &Task, variation: &Variation) -> Vec<String> {
        statements::settings(task, variation)
    }

    /// A session's own start, the look at what it was given, each of its settings, and preparing are transactions too.
    fn opening_transactions(&self, settings: usize) -> f64 {
        settings as f64 + 3.0
    }

    fn plan(&mut self, settings: &[String], statement: &Planned) -> Result<Plan, DatabaseError> {
        Ok(explain::explain(&mut self.control, settings, statement)?)
    }

    fn plan_as_meant(
        &mut self,
        settings: &[String],
        statement: &Planned,
    ) -> Result<Plan, DatabaseError> {
        Ok(explain::verified(&mut self.control, settings, statement)?)
    }

    fn warm(&mut self, table: &Table, rows: u64) -> Result<(), DatabaseError> {
        Ok(table::warm(table, &mut self.control, rows)?)
    }

    /// A user's server may not grant it; there the writes settle by themselves, later.
    fn checkpoint(&mut self) -> Result<(), DatabaseError> {
        match self.control.execute("CHECKPOINT") {
            Err(error) if error.code() != Some("42501") => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn tidy(&mut self, tables: &[Table]) -> Result<(), DatabaseError> {
        for table in tables {
            self.control.execute(&format!("VACUUM {}", table.name()))?;
        }
        self.checkpoint()
    }

    fn table_files(&mut self) -> Result<Vec<PathBuf>, DatabaseError> {
        let fail = |reason: String| DatabaseError::Evict { reason };
        let data_dir = self.data_dir.clone().ok_or_else(|| {
            fail("the server's data folder is not known or not on this machine".into())
        })?;
        let schema = self.schema.name();
        let relations = self.control.query(&format!(
            "SELECT pg_relation_filepath(c.oid) FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = '{schema}' AND c.relkind IN ('r', 'i')"
        ))?;
        let mut files = Vec::new();
        for path in relations.into_iter().flatten().flatten() {
            files.extend(segments(&data_dir, &path));
        }
        if files.is_empty() {
            return Err(fail(format!("no table file is visible below {}", data_dir.display())));
        }
        Ok(files)
    }

    fn table_reads(&mut self) -> Result<Option<f64>, DatabaseError> {
        let said = self.control.one(&format!(
            "SELECT sum(coalesce(heap_blks_read, 0) + coalesce(idx_blks_read, 0)) \
             FROM pg_statio_user_tables WHERE schemaname = '{}'",
            self.schema.name()
        ))?;
        Ok(said.and_then(|text| text.parse().ok()))
    }

    fn reads_directly(&self) -> bool {
        self.reads_directly
    }

    /// A session reports at most once a second (before version 15 twice), and its transactions are no operation.
    fn before_window(&mut self, _variation: &Variation) -> Result<(), DatabaseError> {
        if self.version >= 150_000 {
            // Who may not is off by what the connection did in a second.
            return match self.control.execute("SELECT pg_stat_force_next_flush()") {
                Err(error) if error.code() != Some("42501") => Err(error.into()),
                _ => Ok(()),
            };
        }
        std::thread::sleep(Duration::from_millis(500));
        Ok(self.control.execute("SELECT 1")?)
    }

    fn remove_place(&mut self, hurried: bool) -> Result<(), DatabaseError> {
        self.schema.drop(&mut self.control, &self.address, hurried)?;
        // A run that was killed a moment before this one began still had its session in a long statement, and its lock, by then.
        match Schema::sweep(&mut self.control) {
            // What stays now is the next run's to remove, and this one's figures stand.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// The segments of a relation: `path`, `path.1`, `path.2`, and so on.
fn segments(data_dir: &Path, relation: &str) -> Vec<PathBuf> {
    let first = data_dir.join(relation);
    let further = (1u32..).map(|n| PathBuf::from(format!("{}.{n}", first.display())));
    std::iter::once(first.clone()).chain(further).take_while(|path| path.exists()).collect()
}

/// Settings that differ from the server's defaults. Texts that may hold secrets or paths stay out.
fn changed_settings(control: &mut Connection) -> Result<Value, WireError> {
    let rows = control.query(
        "SELECT name, setting || coalesce(unit, '') FROM pg_settings \
         WHERE source NOT IN ('default', 'override', 'client') AND vartype <> 'string' ORDER BY name",
    )?;
    let pairs = rows.into_iter().filter_map(|row| {
        let mut row = row.into_iter();
        Some((row.next()??, Value::String(row.next()??)))
    });
    Ok(Value::Object(pairs.collect()))
}

/// By `debug_io_direct`, which versions before 16 don't have.
fn reads_directly(control: &mut Connection) -> Result<bool, WireError> {
    let set = control.one("SELECT current_setting('debug_io_direct', true)")?;
    Ok(set.is_some_and(|kinds| kinds.split(',').any(|kind| kind.trim() == "data")))
}

fn control(address: &Address, stop: &Stop) -> Result<Connection, WireError> {
    let options = [("application_name", "narrows control")];
    let mut control = Connection::open_heeding(address, &options, &[stop])?;
    control.end_with_us()?;
    Ok(control)
}

fn observer(
    address: &Address,
    settings: &Settings,
    version: u32,
    stop: &Stop,
) -> Result<Statistics, WireError> {
    let database = settings.monitor_database.as_deref().unwrap_or(&address.database).to_string();
    let elsewhere = Address { database, ..address.clone() };
    let options = [("application_name", "narrows monitor")];
    let monitor = Connection::open_heeding(&elsewhere, &options, &[stop])?;
    Ok(Statistics::new(monitor, &address.database, version))
}

impl From<WireError> for DatabaseError {
    fn from(error: WireError) -> Self {
        DatabaseError::Kind(error.into())
    }
}

impl From<WireError> for LoadError {
    fn from(error: WireError) -> Self {
        LoadError::Kind(error.into())
    }
}

impl From<LeftBehind> for DatabaseError {
    fn from(error: LeftBehind) -> Self {
        DatabaseError::Kind(error.into())
    }
}

impl From<TableError> for DatabaseError {
    fn from(error: TableError) -> Self {
        match error {
            TableError::Stopped(stopped) => stopped.into(),
            error => DatabaseError::Kind(error.into()),
        }
    }
}

impl From<ServerError> for DatabaseError {
    fn from(error: ServerError) -> DatabaseError {
        match error {
            ServerError::Stopped(stopped) => stopped.into(),
            error => DatabaseError::Kind(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_found_in_order_and_no_further_than_they_go() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["7", "7.1", "7.2", "7.4"] {
            std::fs::write(dir.path().join(name), b"x").unwrap();
        }
        let names: Vec<_> = segments(dir.path(), "7")
            .iter()
            .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["7", "7.1", "7.2"]);
    }
}
