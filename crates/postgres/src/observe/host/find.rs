//! Which process of this machine is the server: found by the number that it gives the process of our own session, and believed
//! only if name and age agree. The number alone says nothing: a server in another container, or on another machine, counts its
//! processes for itself, and a stranger here may have that number.

use narrows_facts::process;

use crate::monitor::session::SamplingSession;
use crate::wire::WireError;

/// A clock's tick, and what the two clocks may have drifted apart since.
const SAME_START_S: f64 = 2.0;
/// A server that comes up after a crash says that it started when it has recovered.
const COMES_UP_S: f64 = 3600.0;

/// When the server says that its processes started, s since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Started {
    /// The process of our session, by the server's number.
    pub(crate) backend: u32,
    backend_s: f64,
    server_s: f64,
}

impl Started {
    /// Asks.
    ///
    /// # Errors
    /// The statement failed.
    pub(crate) fn ask(session: &mut SamplingSession) -> Result<Option<Started>, WireError> {
        let rows = session.query(
            "SELECT extract(epoch FROM backend_start), extract(epoch FROM pg_catalog.pg_postmaster_start_time()) \
             FROM pg_catalog.pg_stat_get_activity(pg_catalog.pg_backend_pid())",
        )?;
        let cell = |column: usize| rows.first()?.get(column)?.as_deref()?.parse::<f64>().ok();
        let backend = session.pid();
        Ok(cell(0).zip(cell(1)).map(|(backend_s, server_s)| Started {
            backend,
            backend_s,
            server_s,
        }))
    }
}

/// The server's processes, by this machine's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Server {
    /// The main one.
    pub(crate) postmaster: u32,
    /// The one that serves us.
    pub(crate) backend: u32,
    /// Whether the server knows its processes by other numbers: it is in a container.
    pub(crate) in_container: bool,
}

impl Server {
    /// Looks for it; `None` where it is not on this machine, or can't be seen.
    pub(crate) fn find(started: &Started) -> Option<Server> {
        let now_s = now_s();
        let is = |pid: u32| Server::believe(pid, started, |pid| began_s(pid, now_s));
        is(started.backend).or_else(|| {
            // A container's processes have a number here and another there, by which the server knows them.
            process::all()
                .into_iter()
                .filter(|pid| process::name(*pid).is_some_and(|name| is_server(&name)))
                .filter(|pid| {
                    let numbers = process::numbers(*pid);
                    numbers.len() > 1 && numbers.last() == Some(&started.backend)
                })
                .find_map(is)
        })
    }

    fn believe(
        backend: u32,
        started: &Started,
        began_s: impl Fn(u32) -> Option<f64>,
    ) -> Option<Server> {
        let postmaster = process::parent(backend)?;
        let named = |pid| process::name(pid).is_some_and(|name| is_server(&name));
        let same = (began_s(backend)? - started.backend_s).abs() <= SAME_START_S;
        let came_up_s = started.server_s - began_s(postmaster)?;
        let same_server = (-SAME_START_S..=COMES_UP_S).contains(&came_up_s);
        (named(backend) && named(postmaster) && same && same_server).then_some(Server {
            postmaster,
            backend,
            in_container: backend != started.backend,
        })
    }
}

fn is_server(name: &str) -> bool {
    name.starts_with("postgres") || name.starts_with("postmaster")
}

fn now_s() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}

/// When a process began, s since 1970.
fn began_s(pid: u32, now_s: f64) -> Option<f64> {
    let age_ns = process::since_boot_ns().checked_sub(process::began_ns(pid)?)?;
    Some(now_s - age_ns as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_as_old_as_it_is() {
        let began = began_s(std::process::id(), now_s()).unwrap();
        assert!(began <= now_s() + SAME_START_S && began > now_s() - 86_400.0);
    }

    #[test]
    fn a_stranger_with_the_number_of_our_backend_is_not_the_server() {
        let mine = std::process::id();
        let age = |pid| began_s(pid, now_s());
        let (backend_s, server_s) = (age(mine).unwrap(), 0.0);
        let started = Started { backend: mine, backend_s, server_s };
        assert_eq!(Server::find(&started), None, "this test is no server");
    }

    #[test]
    fn a_server_of_another_age_is_another_server() {
        // Two processes that are named as servers are: a shell and a sleeper under another name.
        let dir = tempfile::tempdir().unwrap();
        let [shell, sleeper] =
            [("main", "/bin/sh"), ("backend", "/bin/sleep")].map(|(part, of)| {
                std::fs::create_dir(dir.path().join(part)).unwrap();
                let path = dir.path().join(part).join("postgres");
                std::fs::copy(of, &path).unwrap();
                path
            });
        let script = format!("{} 60 & echo $!; wait", sleeper.display());
        let mut main = std::process::Command::new(&shell)
            .args(["-c", &script])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = std::io::BufReader::new(main.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut line).unwrap();
        let backend: u32 = line.trim().parse().unwrap();
        let settled = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while process::name(backend).as_deref() != Some("postgres")
            && std::time::Instant::now() < settled
        {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let now = now_s();
        let (backend_s, server_s) =
            (began_s(backend, now).unwrap(), began_s(main.id(), now).unwrap());
        let found = |backend_s, server_s| Server::find(&Started { backend, backend_s, server_s });
        let right = found(backend_s, server_s);
        let recovered = found(backend_s, server_s + 60.0);
        let others = [
            found(backend_s - 30.0, server_s),
            found(backend_s, server_s - 30.0),
            found(backend_s, server_s + 2.0 * COMES_UP_S),
        ];
        // The inner one first: it was given to nobody to wait for.
        for pid in [backend, main.id()] {
            // SAFETY: a signal to processes this test started.
            unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
        }
        main.wait().unwrap();
        let server = Server { postmaster: main.id(), backend, in_container: false };
        assert_eq!(right, Some(server));
        assert_eq!(recovered, right);
        assert_eq!(others, [None; 3]);
    }
}
