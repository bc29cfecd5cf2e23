//! What a PostgreSQL server says, or something that answers on its port: login, a query, a copy.

use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};

use narrows_postgres::{Address, Connection, Endpoint, Secret, WireError};

use crate::property;

/// The socket's name in its folder.
pub(super) const SOCKET: &str = ".s.PGSQL.5432";

/// A server that says the next input to whoever connects, and hangs up.
struct Server {
    folder: PathBuf,
    inputs: SyncSender<Vec<u8>>,
}

fn server() -> &'static Server {
    static SERVER: OnceLock<Server> = OnceLock::new();
    SERVER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("narrows-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the socket");
        let socket = folder.join(SOCKET);
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket).expect("a socket");
        let (inputs, next) = sync_channel::<Vec<u8>>(1);
        std::thread::spawn(move || {
            while let (Ok(input), Ok((mut stream, _))) = (next.recv(), listener.accept()) {
                // The client may have seen enough.
                let _ = stream.write_all(&input);
                let _ = stream.shutdown(std::net::Shutdown::Write);
                let mut rest = [0; 4096];
                while matches!(stream.read(&mut rest), Ok(n) if n > 0) {}
            }
        });
        Server { folder, inputs }
    })
}

/// Talks to it until it has said everything.
pub fn check(data: &[u8]) {
    if let Err(error) = talk(&say(data)) {
        property::told(&error.to_string(), "");
    }
}

/// Has the server say that to the next who connects; the folder of its socket.
pub(super) fn say(data: &[u8]) -> PathBuf {
    let server = server();
    server.inputs.send(data.to_vec()).expect("the server listens");
    server.folder.clone()
}

/// Where it is.
pub(super) fn address(folder: &Path) -> Address {
    Address {
        endpoint: Endpoint::Unix { folder: folder.to_path_buf(), port: 5432 },
        user: "app".to_string(),
        password: Some(Secret::new("hunter2")),
        database: "shop".to_string(),
        session: Default::default(),
    }
}

fn talk(folder: &Path) -> Result<(), WireError> {
    let address = address(folder);
    let mut connection = Connection::open(&address, &[("application_name", "narrows")])?;
    connection.query("SELECT 1")?;
    connection.one("SHOW block_size")?;
    let mut rows = 2;
    connection.copy_in::<WireError>("COPY t FROM STDIN", |buffer| {
        if rows > 0 {
            rows -= 1;
            buffer.extend_from_slice(b"1\n");
        }
        Ok(())
    })?;
    connection.execute("SELECT 2")
}
