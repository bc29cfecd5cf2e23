//! Somebody's server: a PostgreSQL of an ordinary user on a port of 127.0.0.1, with a database `shop`, a table in it and a user `app`
//! who may create schemas there.

use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::program::Program;

const OWNER: &str = "owner";
const TO_START: Duration = Duration::from_secs(60);

/// It ends when dropped.
pub(super) struct Theirs {
    bin: PathBuf,
    port: u16,
    before: String,
    _server: Program,
}

impl Theirs {
    /// By the programs in `bin`, as that user, in `folder`, which is made.
    pub(super) fn start(bin: &Path, folder: &Path, user: Option<(u32, u32)>) -> Result<Theirs> {
        std::fs::create_dir(folder).with_context(|| folder.display().to_string())?;
        if let Some((uid, gid)) = user {
            chown(folder, Some(uid), Some(gid))?;
        }
        let data = folder.join("data");
        let mut initdb = command(&bin.join("initdb"), user);
        initdb.arg("-D").arg(&data).args(["-U", OWNER, "-A", "trust", "--no-sync"]);
        let made = initdb.stderr(Stdio::piped()).output().context("running initdb")?;
        ensure!(made.status.success(), "initdb: {}", String::from_utf8_lossy(&made.stderr));
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut postgres = command(&bin.join("postgres"), user);
        postgres.arg("-D").arg(&data).args(["-p", &port.to_string(), "-c", "fsync=off"]);
        postgres.args(["-c", "listen_addresses=127.0.0.1", "-c"]);
        postgres.arg(format!("unix_socket_directories={}", folder.display()));
        let server = Program::start(postgres)?;
        let mut theirs = Theirs { bin: bin.into(), port, before: String::new(), _server: server };
        let end = Instant::now() + TO_START;
        while theirs.ask("postgres", "SELECT 1").is_err() {
            if Instant::now() > end {
                bail!("the server in {} does not start", folder.display());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        theirs.ask("postgres", "CREATE ROLE app LOGIN")?;
        theirs.ask("postgres", "CREATE DATABASE shop")?;
        theirs.ask("postgres", "GRANT CREATE ON DATABASE shop TO app")?;
        theirs.ask("shop", "CREATE TABLE orders AS SELECT n FROM generate_series(1, 1000) n")?;
        theirs.before = theirs.everything()?;
        Ok(theirs)
    }

    /// As narrows is given it.
    pub(super) fn url(&self) -> String {
        format!("postgres://app@127.0.0.1:{}/shop", self.port)
    }

    /// What is there and was not at the start, or is gone; nothing if it is as it was.
    pub(super) fn changed(&self) -> Result<Option<String>> {
        let now = self.everything()?;
        Ok((now != self.before).then(|| format!("on the server: {now}, before: {}", self.before)))
    }

    /// Removes what narrows left there, so that the next trial begins as this one did.
    pub(super) fn clean(&self) -> Result<()> {
        let drop = "DO $$ DECLARE s name; BEGIN FOR s IN SELECT nspname FROM pg_namespace WHERE nspname ~ '^narrows' \
                    LOOP EXECUTE format('DROP SCHEMA %I CASCADE', s); END LOOP; END $$";
        self.ask("shop", drop).map(drop_text)
    }

    fn everything(&self) -> Result<String> {
        let sql = "SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'; \
                   SELECT count(*) || ' relations' FROM pg_class WHERE oid >= 16384 AND relkind IN ('r', 'i'); \
                   SELECT count(*) || ' sessions' FROM pg_stat_activity WHERE application_name ~ 'narrows'";
        Ok(self.ask("shop", sql)?.trim().replace('\n', ", "))
    }

    fn ask(&self, database: &str, sql: &str) -> Result<String> {
        let mut psql = Command::new(self.bin.join("psql"));
        psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1"]);
        psql.args(["-p", &self.port.to_string(), "-U", OWNER, "-d", database, "-c", sql]);
        let output = psql.env_remove("PGPASSWORD").output().context("running psql")?;
        ensure!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

fn drop_text(_: String) {}

fn command(program: &Path, user: Option<(u32, u32)>) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/").stdout(Stdio::null()).stderr(Stdio::null());
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    // SAFETY: prctl(2) is async-signal-safe, and its argument is no pointer.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGQUIT);
            Ok(())
        })
    };
    command
}
