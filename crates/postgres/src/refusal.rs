//! What can be done when a server refuses: a hint for the commonest codes (PostgreSQL documentation, "PostgreSQL
//! Error Codes"). Not for what only a bug of ours could cause.

use std::io;

use crate::address::Endpoint;
use crate::wire::WireError;

/// Said to whoever loads a server: who only observes it has no such option.
const OF_LOADS: &str = "; a load takes fewer with --sessions N";

/// An error as it is told to somebody who only observes.
pub(crate) fn for_observers(error: &WireError) -> String {
    error.to_string().replace(OF_LOADS, "")
}

/// The hint on a line of its own, beginning with a line break; empty where there is nothing to advise.
pub(crate) fn hint(code: &str, message: &str) -> String {
    let advice = match code {
        "28P01" => {
            "check user and password of the address; PGPASSWORD keeps the password out of the process list"
        }
        // pg_hba.conf has no line for this connection.
        "28000" if message.contains("client certificate") => {
            "sslcert=FILE and sslkey=FILE in the address name the certificate and its key"
        }
        "28000" if message.contains("no encryption") || message.contains("SSL off") => {
            "the server's pg_hba.conf says who is admitted from where; with TLS only where it says hostssl \
             (sslmode=require)"
        }
        "28000" if message.contains("SSL encryption") || message.contains("SSL on") => {
            "the server's pg_hba.conf says who is admitted from where; without TLS only where it says hostnossl \
             (sslmode=disable)"
        }
        "28000" => {
            "check the user of the address; the server's pg_hba.conf says who is admitted from where, and on a Unix \
             socket the operating system's user often has to have the same name"
        }
        "3D000" => "name an existing database at the end of the address; psql -l lists them",
        "42501" if message.contains("for database") => {
            "the user needs the right to create a schema there: GRANT CREATE ON DATABASE … TO …, or name another \
             user or database"
        }
        "53300" => {
            "raise max_connections of the server or CONNECTION LIMIT of the role, or end sessions; a load takes fewer with --sessions N"
        }
        "53100" => "the server's drive is full; free some space, or name another server",
        "53200" => {
            "the server has not enough memory for this: end sessions, or lower its work_mem; a load takes fewer with --sessions N"
        }
        "2BP01" => {
            "others hung something on it, which the detail names; it stays until that is removed by whoever made it"
        }
        "25006" => "the server or this user takes no writes; name another",
        "57P03" => "the server is starting or stopping; try again when it accepts connections",
        "57P01" | "57P02" => {
            "the server was stopped or restarted meanwhile; run again when it stays up"
        }
        "57014" => {
            "a time limit of the server ended it (statement_timeout); raise it for this user"
        }
        _ => return String::new(),
    };
    format!("\nhint: {advice}")
}

/// What to look at when no connection comes about.
pub(crate) fn unreached(endpoint: &Endpoint, reason: &io::Error) -> String {
    let refused = reason.kind() == io::ErrorKind::ConnectionRefused;
    match (reason.raw_os_error(), endpoint) {
        (Some(libc::EMFILE | libc::ENFILE), _) => {
            format!("the limit of open files is reached: raise it (ulimit -n){OF_LOADS}")
        }
        (Some(libc::EAGAIN), _) => {
            format!("the server takes no more connections at once: try again{OF_LOADS}")
        }
        (_, Endpoint::Tcp { port, .. }) if refused => format!(
            "is the server running there, and on port {port}? `port` and `listen_addresses` in its postgresql.conf say where it listens"
        ),
        (_, Endpoint::Unix { .. }) if refused => {
            "is the server running there? its socket is there, and nobody listens".to_string()
        }
        (_, Endpoint::Unix { .. }) if reason.kind() == io::ErrorKind::PermissionDenied => {
            "this user may not open the socket (unix_socket_permissions): name another user's way, host=localhost".to_string()
        }
        (_, Endpoint::Tcp { port, .. }) if is_silence(reason) => format!(
            "is the host up, and does a firewall let port {port} through from here? `listen_addresses` in the server's postgresql.conf says where it listens"
        ),
        _ => "is the server running there, and may this user reach it?".to_string(),
    }
}

/// Whether nobody answered at all.
fn is_silence(reason: &io::Error) -> bool {
    use io::ErrorKind::{HostUnreachable, NetworkUnreachable, TimedOut};
    matches!(reason.kind(), TimedOut | HostUnreachable | NetworkUnreachable)
}

/// What the resolver says of a name beyond that there is no host of it, in brackets.
pub(crate) fn beyond_unknown(lookup: &io::Error) -> String {
    let text = lookup.to_string();
    let said = text.rsplit(": ").next().unwrap_or_default();
    if said.starts_with("Temporary") { format!(" ({said})") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::address::Address;
    use crate::monitor::error::MonitorError;

    fn refused(code: &str, message: &str) -> String {
        WireError::Server {
            severity: "FATAL".into(),
            code: code.into(),
            message: message.into(),
            detail: String::new(),
        }
        .to_string()
    }

    #[test]
    fn our_own_limit_is_not_blamed_on_the_server() {
        let (tcp, socket) = (at("postgres://u@h:5999/d"), at("postgres://u@/d?host=/tmp/x"));
        let hint =
            |endpoint: &Endpoint, code| unreached(endpoint, &io::Error::from_raw_os_error(code));
        assert!(hint(&tcp, libc::EMFILE).contains("ulimit -n"));
        let refused = hint(&tcp, libc::ECONNREFUSED);
        assert!(refused.starts_with("is the server running there, and on port 5999?"), "{refused}");
        assert!(refused.contains("listen_addresses"), "{refused}");
        assert!(hint(&socket, libc::ECONNREFUSED).contains("nobody listens"));
        assert!(hint(&socket, libc::EACCES).contains("unix_socket_permissions"));
        for silent in [libc::ETIMEDOUT, libc::EHOSTUNREACH] {
            assert!(hint(&tcp, silent).contains("firewall"), "{silent}");
        }
    }

    fn at(address: &str) -> Endpoint {
        Address::parse(address).unwrap().endpoint
    }

    /// Observing has no option --sessions.
    #[test]
    fn only_a_load_is_told_of_its_sessions() {
        let server = |code: &str| WireError::Server {
            severity: "FATAL".into(),
            code: code.into(),
            message: "planted".into(),
            detail: String::new(),
        };
        let unreached = |code| {
            let (reason, endpoint) = (io::Error::from_raw_os_error(code), at("postgres://u@h/d"));
            let advice = unreached(&endpoint, &reason);
            WireError::Connect { address: "postgres://u@h/d".into(), reason, advice }
        };
        for error in
            [server("53300"), server("53200"), unreached(libc::EMFILE), unreached(libc::EAGAIN)]
        {
            assert!(error.to_string().contains("--sessions N"), "{error}");
            let observed = MonitorError::connecting(error).to_string();
            assert!(
                observed.contains("\nhint: ") && !observed.contains("--sessions"),
                "{observed}"
            );
        }
    }

    #[test]
    fn a_name_that_cannot_be_looked_up_now_says_so() {
        let said = |text: &str| beyond_unknown(&io::Error::other(text));
        let lookup = "failed to lookup address information: ";
        assert_eq!(said(&format!("{lookup}Name or service not known")), "");
        let later = "Temporary failure in name resolution";
        assert_eq!(said(&format!("{lookup}{later}")), format!(" ({later})"));
    }

    #[test]
    fn common_refusals_come_with_a_way_out_and_others_without_a_guess() {
        assert!(refused("28P01", "password authentication failed").contains("\nhint: check user"));
        let tls = refused("28000", "no pg_hba.conf entry for host \"::1\", no encryption");
        assert!(tls.contains("with TLS only") && tls.contains("sslmode=require"), "{tls}");
        let plain = refused("28000", "no pg_hba.conf entry for host \"::1\", SSL encryption");
        assert!(plain.contains("sslmode=disable"), "{plain}");
        let asked = refused("28000", "connection requires a valid client certificate");
        assert!(asked.contains("sslcert=FILE"), "{asked}");
        assert!(!refused("28000", "role \"x\" does not exist").contains("TLS"));
        let role = refused("53300", "too many connections for role \"monitor\"");
        let first = role.find("CONNECTION LIMIT").zip(role.find("a load takes fewer"));
        assert!(first.is_some_and(|(role, load)| role < load), "a look has no --sessions: {role}");
        assert_eq!(refused("42601", "syntax error"), "FATAL 42601: syntax error");
    }
}
