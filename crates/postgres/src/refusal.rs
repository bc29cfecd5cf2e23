//! What can be done when a server refuses: a hint for the commonest codes (PostgreSQL documentation, "PostgreSQL
//! Error Codes"). Not for what only a bug of ours could cause.

use std::io;

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
            "the server has not enough memory for this; ask for fewer sessions with --sessions N"
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
pub(crate) fn unreached(reason: &io::Error) -> &'static str {
    match reason.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => {
            "the limit of open files is reached (ulimit -n); raise it, or ask for fewer sessions with --sessions N"
        }
        Some(libc::EAGAIN) => {
            "the server takes no more connections at once; ask for fewer sessions with --sessions N"
        }
        _ => "is the server running there, and may this user reach it?",
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use crate::WireError;

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
        let hint = |code| super::unreached(&io::Error::from_raw_os_error(code));
        assert!(hint(libc::EMFILE).contains("ulimit -n"));
        assert!(hint(libc::ECONNREFUSED).contains("is the server running"));
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
