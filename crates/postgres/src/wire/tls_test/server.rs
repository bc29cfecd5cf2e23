//! A PostgreSQL that listens on this machine, and certificates for it in the forms that people make them.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::address::Address;
use crate::server::{ServerBinaries, ServerUser, find};
use crate::wire::{Connection, WireError};

/// Who is admitted how, beside the owner through the socket.
const ADMISSION: &str = "\
local all all trust
hostssl all tied 127.0.0.1/32 scram-sha-256
hostssl all certified 127.0.0.1/32 cert
hostnossl all bare 127.0.0.1/32 trust
host all owner 127.0.0.1/32 trust
";

/// A server and its folder; both end with it.
pub(super) struct Server {
    child: Option<Child>,
    dir: tempfile::TempDir,
    found: ServerBinaries,
    user: ServerUser,
    port: u16,
}

/// Runs a program to its end; its standard error, if it fails.
fn finish(command: &mut Command) {
    let ended = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{command:?}: {said}");
}

impl Server {
    /// Without TLS at first. `None` after saying why, where the machine has no server that could, or no openssl.
    pub(super) fn start() -> Option<Server> {
        let user = ServerUser::choose().unwrap();
        let found = match find(None, &user, None, &narrows_engine::Stop::new()) {
            Ok(found) => found,
            Err(error) => {
                eprintln!("SKIPPED: {error}");
                return None;
            }
        };
        if Command::new("openssl").arg("version").output().is_err() {
            eprintln!("SKIPPED: no openssl, which makes the certificates");
            return None;
        }
        let dir = tempfile::tempdir_in("/tmp").unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut server = Server { child: None, dir, found, user, port };
        server.initialise();
        let mut postgres = server.program("postgres");
        postgres.arg("-D").arg(server.data());
        postgres.stdout(Stdio::null()).stderr(Stdio::null());
        server.child = Some(postgres.spawn().unwrap());
        server.until("it starts", |server| Connection::open(&server.control(), &[]).is_ok());
        if server
            .control_says("SELECT 1 FROM pg_settings WHERE name = 'ssl_library' AND setting = ''")
            .is_some()
        {
            eprintln!("SKIPPED: {} was built without TLS", server.found.version_text);
            return None;
        }
        Some(server)
    }

    fn initialise(&mut self) {
        fs::create_dir(self.data()).unwrap();
        self.user.own(&narrows_files::Dir::open(&self.data()).unwrap()).unwrap();
        let mut initdb = self.program("initdb");
        initdb.arg("-D").arg(self.data()).args(["-U", "owner", "-A", "trust", "--no-sync"]);
        finish(initdb.args(["--no-locale", "-E", "UTF8"]));
        let settings = format!(
            "listen_addresses = '127.0.0.1'\nport = {}\nunix_socket_directories = '{}'\nfsync = off\n\
             password_encryption = 'scram-sha-256'\nmax_connections = 20\nshared_buffers = '16MB'\n",
            self.port,
            self.data().display()
        );
        self.write("postgresql.auto.conf", settings.as_bytes());
        self.write("pg_hba.conf", ADMISSION.as_bytes());
    }

    fn program(&self, name: &str) -> Command {
        self.user.command(&self.found.bin_dir.join(name), self.dir.path())
    }

    pub(super) fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    /// A file of ours beside the server's.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A file of the server's, which only it may read.
    fn write(&self, name: &str, content: &[u8]) {
        let path = self.data().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let owner = fs::metadata(self.data()).unwrap();
        std::os::unix::fs::chown(&path, Some(owner.uid()), Some(owner.gid())).unwrap();
    }

    fn control(&self) -> Address {
        let url =
            format!("postgres://owner@/postgres?host={}&port={}", self.data().display(), self.port);
        Address::parse(&url).unwrap()
    }

    pub(super) fn control_says(&self, sql: &str) -> Option<String> {
        Connection::open(&self.control(), &[]).unwrap().one(sql).unwrap()
    }

    fn until(&self, what: &str, mut done: impl FnMut(&Server) -> bool) {
        let end = Instant::now() + Duration::from_secs(60);
        while !done(self) {
            assert!(Instant::now() < end, "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Takes other settings, and waits until those who connect next see them.
    pub(super) fn set(&self, settings: &[(&str, &str)]) {
        const LOADED: &str = "SELECT pg_conf_load_time()";
        for (name, value) in settings {
            self.control_says(&format!("ALTER SYSTEM SET {name} = '{value}'"));
        }
        let before = self.control_says(LOADED);
        self.control_says("SELECT pg_reload_conf()");
        self.until("settings are read", |server| server.control_says(LOADED) != before);
    }

    /// Shows that certificate from now on.
    pub(super) fn show(&self, name: &str) {
        for (from, to) in [("pem", "server.crt"), ("key", "server.key")] {
            self.write(to, &fs::read(self.file(&format!("{name}.{from}"))).unwrap());
        }
        self.set(&[("ssl", "on")]);
    }

    /// A key.
    fn key(&self, name: &str) -> PathBuf {
        let path = self.file(&format!("{name}.key"));
        let mut openssl = Command::new("openssl");
        openssl.args([
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
        ]);
        finish(openssl.arg(&path));
        path
    }

    /// A certificate that signed itself, as PostgreSQL's documentation makes one for tests.
    pub(super) fn own_certificate(&self, name: &str, subject: &str) -> PathBuf {
        let path = self.file(&format!("{name}.pem"));
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-new", "-x509", "-subj", subject, "-key"]).arg(self.key(name));
        finish(openssl.arg("-out").arg(&path));
        path
    }

    /// A certificate that `authority` signed, with other names or, without, in the old form.
    pub(super) fn certificate(
        &self,
        name: &str,
        subject: &str,
        other_names: &str,
        days: &str,
        authority: &str,
    ) -> PathBuf {
        let path = self.file(&format!("{name}.pem"));
        let request = self.file("request");
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-new", "-subj", subject, "-key"]).arg(self.key(name));
        finish(openssl.arg("-out").arg(&request));
        let mut openssl = Command::new("openssl");
        openssl.args(["x509", "-req", "-set_serial", "2", "-days", days, "-in"]).arg(&request);
        openssl.arg("-CA").arg(self.file(&format!("{authority}.pem")));
        openssl.arg("-CAkey").arg(self.file(&format!("{authority}.key")));
        if !other_names.is_empty() {
            let extensions = self.file("extensions");
            fs::write(&extensions, format!("subjectAltName={other_names}\n")).unwrap();
            openssl.arg("-extfile").arg(&extensions);
        }
        finish(openssl.arg("-out").arg(&path));
        path
    }

    /// Its address for a user, with parameters.
    pub(super) fn address(&self, user: &str, host: &str, parameters: &str) -> Address {
        let url = format!("postgres://{user}@{host}:{}/postgres?{parameters}", self.port);
        Address::parse(&url).unwrap()
    }

    pub(super) fn open(
        &self,
        user: &str,
        host: &str,
        parameters: &str,
    ) -> Result<Connection, WireError> {
        Connection::open(&self.address(user, host, parameters), &[])
    }

    /// What the server says of the session's encryption: its protocol, or `none`. Ours has to agree.
    pub(super) fn encryption(
        &self,
        user: &str,
        host: &str,
        parameters: &str,
    ) -> Result<String, WireError> {
        let mut connection = self.open(user, host, parameters)?;
        let theirs = connection
            .one("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl")
            .unwrap();
        let ours = connection.encryption();
        match &theirs {
            Some(version) => {
                let spaced = version.replacen('v', " ", 1);
                assert!(ours.starts_with(&spaced), "{version}: {ours}");
            }
            None => assert_eq!(ours, "none"),
        }
        Ok(theirs.unwrap_or("none".to_string()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(mut child) = self.child.take() else { return };
        // SAFETY: no memory is involved; the server was not waited for, so the number is its own. SIGQUIT ends it
        // and all its processes at once.
        unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGQUIT) };
        let _ = child.wait();
    }
}

/// For the address of a file.
pub(super) fn named(path: &Path) -> String {
    path.display().to_string()
}
