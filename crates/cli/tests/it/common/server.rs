//! A PostgreSQL that stands for somebody's: with a table and a user, in a folder of its own, run by an ordinary user.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::common::{Fixture, postgres_folder};

/// Password of the user; it may appear nowhere.
pub const PASSWORD: &str = "hunter2-never-shown";
const SUPERUSER: &str = "owner";

/// A running server; stopped when dropped.
pub struct TheirServer {
    bin: PathBuf,
    folder: PathBuf,
    port: u16,
    user: Option<(u32, u32)>,
    options: String,
    /// A library to load before all others, and how many µs it makes a flush of the log longer.
    slow_flush: Option<(PathBuf, u32)>,
}

impl TheirServer {
    /// Starts one with a database `shop`, a table in it, and a user `app` who may create schemas there and `nobody2`
    /// who may not; `None` where there is no PostgreSQL.
    pub fn start(fixture: &Fixture) -> Option<TheirServer> {
        TheirServer::start_with(fixture, "-c fsync=off", None)
    }

    /// The same with options of the server, and with flushes that take longer.
    pub fn start_with(
        fixture: &Fixture,
        options: &str,
        slow_flush: Option<(PathBuf, u32)>,
    ) -> Option<TheirServer> {
        let bin = postgres_folder()?;
        let user = ordinary_user();
        let folder = fixture.public("theirs");
        if let Some((uid, gid)) = user {
            chown(&folder, Some(uid), Some(gid)).unwrap();
        }
        let options = options.to_string();
        let server = TheirServer { bin, folder, port: free_port(), user, options, slow_flush };
        let data = server.folder.join("data");
        let data = data.to_str().unwrap();
        server.tool("initdb", &["-D", data, "-U", SUPERUSER, "-A", "trust", "--no-sync"]);
        let rules = "local all owner trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(server.folder.join("data/pg_hba.conf"), rules).unwrap();
        // Up to version 13 passwords would be kept for a method that these rules don't take.
        let conf = server.folder.join("data/postgresql.conf");
        let settings = std::fs::read_to_string(&conf).unwrap();
        std::fs::write(&conf, settings + "password_encryption = 'scram-sha-256'\n").unwrap();
        server.control(&["-w", "start"]);
        for sql in [
            format!("CREATE ROLE app LOGIN PASSWORD '{PASSWORD}'"),
            format!("CREATE ROLE nobody2 LOGIN PASSWORD '{PASSWORD}'"),
            "CREATE DATABASE shop".into(),
            "GRANT CREATE ON DATABASE shop TO app".into(),
        ] {
            server.ask("postgres", &sql);
        }
        for sql in [
            "CREATE TABLE orders AS SELECT n AS id, md5(n::text) AS note FROM generate_series(1, 5000) n",
            "CREATE SCHEMA narrows_scratch_0000abcd; CREATE TABLE narrows_scratch_0000abcd.mine AS SELECT 1 AS x",
            "ALTER SCHEMA narrows_scratch_0000abcd OWNER TO app",
        ] {
            server.ask("shop", sql);
        }
        Some(server)
    }

    /// The address of `shop` for that user, with that password.
    pub fn address(&self, user: &str, password: &str, database: &str) -> String {
        format!("postgres://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// The address narrows is given.
    pub fn app(&self) -> String {
        self.address("app", PASSWORD, "shop")
    }

    /// All that is in `shop`: relations with their files, schemas, and the table's contents.
    pub fn everything(&self) -> String {
        self.ask(
            "shop",
            "SELECT string_agg(c.oid || ' ' || relname || ' ' || relfilenode, E'\\n' ORDER BY c.oid) FROM pg_class c \
             WHERE relkind IN ('r', 'i', 't') AND c.oid >= 16384; \
             SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'; \
             SELECT md5(string_agg(id || note, ',' ORDER BY id)) FROM orders",
        )
    }

    /// Sessions and locks of narrows, waited for: a closed connection's process needs a moment to end.
    pub fn sessions_left(&self) -> String {
        let sql = "SELECT string_agg(application_name, ' ') FROM pg_stat_activity WHERE application_name ~ 'narrows'; \
                   SELECT string_agg(locktype, ' ') FROM pg_locks WHERE locktype = 'advisory'";
        for _ in 0..100 {
            if self.ask("shop", sql).trim().is_empty() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        self.ask("shop", sql).trim().to_string()
    }

    /// Waits for the sessions of a database to have ended, and with it to have counted what they did.
    pub fn until_alone(&self, database: &str) {
        let sql = format!("SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}'");
        for _ in 0..200 {
            if self.ask("postgres", &sql).trim() == "0" {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        panic!("sessions of {database} do not end");
    }

    /// Started anew with other options.
    pub fn restart_with(&mut self, options: &str) {
        self.options = options.to_string();
        self.control(&["-w", "-m", "immediate", "stop"]);
        self.control(&["-w", "start"]);
    }

    /// Its main process.
    pub fn postmaster(&self) -> u32 {
        let text = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).unwrap();
        text.lines().next().unwrap().trim().parse().unwrap()
    }

    pub fn restart(&self) {
        self.control(&["-w", "-m", "fast", "restart"]);
    }

    /// The answer of `psql` as the server's owner.
    pub fn ask(&self, database: &str, sql: &str) -> String {
        let port = self.port.to_string();
        let folder = self.folder.to_str().unwrap();
        let output = Command::new(self.bin.join("psql"))
            .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-h", folder, "-p", &port])
            .args(["-U", SUPERUSER, "-d", database, "-c", sql])
            .output()
            .unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// What `psql --csv` prints to the server's owner, who waits for no lock.
    pub fn csv(&self, database: &str, sql: &str) -> String {
        let port = self.port.to_string();
        let output = Command::new(self.bin.join("psql"))
            .args(["-Xq", "--csv", "-v", "ON_ERROR_STOP=1", "-h", self.folder.to_str().unwrap()])
            .args(["-p", &port, "-U", SUPERUSER, "-d", database, "-c", sql])
            .env("PGOPTIONS", "-c lock_timeout=1ms")
            .output()
            .unwrap();
        assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Makes it a standby that follows nobody, at its next start.
    pub fn make_standby(&self) {
        let signal = self.folder.join("data/standby.signal");
        std::fs::write(&signal, "").unwrap();
        if let Some((uid, gid)) = self.user {
            chown(&signal, Some(uid), Some(gid)).unwrap();
        }
    }

    /// The tables of `pgbench`, small.
    pub fn prepare_load(&self) {
        let status = self.pgbench().args(["-i", "-q", "-s", "1", "postgres"]).status().unwrap();
        assert!(status.success());
    }

    /// Sessions that update and commit again and again, until the load is dropped.
    pub fn load(&self, sessions: u32) -> Load {
        self.load_of("simple-update", sessions)
    }

    /// The same, where all of them update one row before they commit.
    pub fn hot_row_load(&self, sessions: u32) -> Load {
        self.load_of("tpcb-like", sessions)
    }

    /// Sessions whose statements have a text of 9 kB.
    pub fn long_statements(&self, sessions: u32) -> Load {
        let script = self.folder.join("long.sql");
        let text = "x".repeat(9000);
        std::fs::write(&script, format!("SELECT pg_sleep(0.01), '{text}';\n")).unwrap();
        let sessions = sessions.to_string();
        let mut command = self.pgbench();
        command.arg("-f").arg(&script).args(["-n", "-T", "600", "-c", &sessions]);
        Load(command.arg("postgres").spawn().unwrap())
    }

    fn load_of(&self, script: &str, sessions: u32) -> Load {
        let sessions = sessions.to_string();
        let mut command = self.pgbench();
        command.args(["-b", script, "-n", "-M", "prepared", "-T", "600", "-c", &sessions]);
        Load(command.arg("postgres").spawn().unwrap())
    }

    fn pgbench(&self) -> Command {
        let mut command = Command::new(self.bin.join("pgbench"));
        command.args(["-h", self.folder.to_str().unwrap(), "-p", &self.port.to_string()]);
        command.args(["-U", SUPERUSER]).env_remove("PGPASSWORD");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn control(&self, action: &[&str]) {
        let data = self.folder.join("data");
        let log = self.folder.join("log");
        let options = format!(
            "-p {} -k {} -c listen_addresses=127.0.0.1 {}",
            self.port,
            self.folder.display(),
            self.options
        );
        let mut arguments = vec!["-D", data.to_str().unwrap(), "-l", log.to_str().unwrap()];
        arguments.extend(["-o", &options]);
        arguments.extend(action);
        self.tool("pg_ctl", &arguments);
    }

    /// Runs one of PostgreSQL's programs as the server's user.
    fn tool(&self, name: &str, arguments: &[&str]) {
        let mut command = Command::new(self.bin.join(name));
        command.args(arguments).current_dir("/").env_remove("PGPASSWORD");
        // A server that inherits a pipe would keep it open.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some((uid, gid)) = self.user {
            command.gid(gid).uid(uid);
        }
        if let Some((library, us)) = self.slow_flush.as_ref().filter(|_| name == "pg_ctl") {
            command.env("LD_PRELOAD", library).env("SLOW_FLUSH_US", us.to_string());
            command.env("SLOW_FLUSH_UNDER", self.folder.join("data/pg_wal"));
        }
        let status = command.status().unwrap();
        assert!(status.success(), "{name} {arguments:?}: {status}");
    }
}

/// A load that goes on; ended when dropped.
pub struct Load(Child);

impl Drop for Load {
    fn drop(&mut self) {
        // It may have ended with its server.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for TheirServer {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return self.control(&["-w", "-m", "immediate", "stop"]);
        }
        // A second panic would hide the first.
        let stop =
            std::panic::AssertUnwindSafe(|| self.control(&["-w", "-m", "immediate", "stop"]));
        let _ = std::panic::catch_unwind(stop);
    }
}

/// (user, group) of `postgres` or `nobody` under root, who may not run a server.
fn ordinary_user() -> Option<(u32, u32)> {
    if !narrows_facts::process::is_root() {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    ["postgres", "nobody"].iter().find_map(|name| {
        let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
        let mut ids = line.split(':').skip(2).map(|id| id.parse().ok());
        Some((ids.next()??, ids.next()??))
    })
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
