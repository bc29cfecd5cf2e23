//! The conversation of writer and collector: lines of text over TCP, the same in both directions, each at most 64 KiB.
//!
//! Writer: `hello narrows-crashtest/1 TERMS`, then `acknowledged STREAM NUMBER` after each flush, `alive` every second,
//! `goodbye orderly` or `goodbye failed REASON`. Collector: `welcome MACHINE` or `refuse REASON`, `confirmed STREAM
//! NUMBER` once its list is flushed, `alive`. TERMS and MACHINE are JSON without line breaks.

use std::io::{self, BufRead, BufReader};
use std::net::TcpStream;
use std::time::Duration;

use crate::{Machine, Terms};

/// Name and version; another version is refused in words.
const PROTOCOL: &str = "narrows-crashtest/1";
const LONGEST_LINE: usize = 64 << 10;

/// How often each side says that it lives.
pub(crate) const ALIVE_EVERY: Duration = Duration::from_secs(1);
/// How long the other side may say nothing.
pub(crate) const SILENCE: Duration = Duration::from_secs(6);
/// How often a reader looks up.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Message {
    Hello(Box<Terms>),
    Welcome(Machine),
    Refuse(String),
    Acknowledged {
        stream: u32,
        number: u64,
    },
    Confirmed {
        stream: u32,
        number: u64,
    },
    Alive,
    /// With the reason, where the writer failed.
    Goodbye(Option<String>),
}

impl Message {
    /// The line, with its end.
    pub(crate) fn line(&self) -> String {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        match self {
            Message::Hello(terms) => {
                let terms = serde_json::to_string(terms).expect("terms have only string keys");
                format!("hello {PROTOCOL} {terms}\n")
            }
            Message::Welcome(machine) => {
                let machine = serde_json::to_string(machine).expect("it has only string keys");
                format!("welcome {machine}\n")
            }
            Message::Refuse(reason) => format!("refuse {}\n", one_line(reason)),
            Message::Acknowledged { stream, number } => format!("acknowledged {stream} {number}\n"),
            Message::Confirmed { stream, number } => format!("confirmed {stream} {number}\n"),
            Message::Alive => "alive\n".to_string(),
            Message::Goodbye(None) => "goodbye orderly\n".to_string(),
            Message::Goodbye(Some(reason)) => format!("goodbye failed {}\n", one_line(reason)),
        }
    }

    /// Reads a line without its end.
    pub(crate) fn parse(line: &str) -> Result<Message, String> {
        let odd = || format!("`{}`", line.chars().take(80).collect::<String>());
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let record = || {
            let (stream, number) = rest.split_once(' ').ok_or_else(odd)?;
            Ok((stream.parse().map_err(|_| odd())?, number.parse().map_err(|_| odd())?))
        };
        match word {
            "hello" => {
                let (protocol, terms) = rest.split_once(' ').ok_or_else(odd)?;
                if protocol != PROTOCOL {
                    return Err(format!("protocol {protocol}; this side speaks {PROTOCOL}"));
                }
                serde_json::from_str(terms).map(Message::Hello).map_err(|error| error.to_string())
            }
            "welcome" => {
                serde_json::from_str(rest).map(Message::Welcome).map_err(|error| error.to_string())
            }
            "refuse" => Ok(Message::Refuse(rest.to_string())),
            "acknowledged" => {
                record().map(|(stream, number)| Message::Acknowledged { stream, number })
            }
            "confirmed" => record().map(|(stream, number)| Message::Confirmed { stream, number }),
            "alive" => Ok(Message::Alive),
            "goodbye" => match rest.split_once(' ').unwrap_or((rest, "")) {
                ("orderly", "") => Ok(Message::Goodbye(None)),
                ("failed", reason) => Ok(Message::Goodbye(Some(reason.to_string()))),
                _ => Err(odd()),
            },
            _ => Err(odd()),
        }
    }
}

/// What a reader gets.
#[derive(Debug)]
pub(crate) enum Received {
    /// A message.
    Message(Message),
    /// Nothing for a tick.
    Nothing,
    /// The other side's kernel closed the connection.
    Closed,
    /// Something that is no message.
    Odd(String),
}

/// Messages from a connection.
pub(crate) struct Lines {
    stream: BufReader<TcpStream>,
    partial: Vec<u8>,
}

impl Lines {
    /// Reads wait for a tick at most.
    pub(crate) fn new(stream: TcpStream) -> io::Result<Lines> {
        stream.set_read_timeout(Some(TICK))?;
        Ok(Lines { stream: BufReader::with_capacity(LONGEST_LINE, stream), partial: Vec::new() })
    }

    /// The next message, after one read at most: whoever drips bytes doesn't keep the caller from looking up. What came of
    /// an unfinished line is kept.
    pub(crate) fn next(&mut self) -> Received {
        let room = LONGEST_LINE - self.partial.len();
        let came = match self.stream.fill_buf() {
            Ok([]) => return Received::Closed,
            Ok(came) => &came[..came.len().min(room)],
            Err(error) => {
                return match error.kind() {
                    io::ErrorKind::WouldBlock
                    | io::ErrorKind::TimedOut
                    | io::ErrorKind::Interrupted => Received::Nothing,
                    _ => Received::Closed,
                };
            }
        };
        let end = came.iter().position(|byte| *byte == b'\n');
        let used = end.map_or(came.len(), |end| end + 1);
        self.partial.extend_from_slice(&came[..used]);
        self.stream.consume(used);
        if end.is_some() {
            let line = std::mem::take(&mut self.partial);
            let text = String::from_utf8_lossy(&line);
            // What is said here is shown on terminals.
            let text = narrows_units::shown(text.trim_end());
            Message::parse(&text).map_or_else(Received::Odd, Received::Message)
        } else if self.partial.len() >= LONGEST_LINE {
            Received::Odd("a line without end".to_string())
        } else {
            Received::Nothing
        }
    }

    /// Whether a whole line is here already.
    pub(crate) fn has_more(&self) -> bool {
        self.stream.buffer().contains(&b'\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Mode, RecordLocation, RunId};
    use std::io::Write;
    use std::net::TcpListener;

    fn terms() -> Terms {
        let mode = Mode::Overwrite { slots: 1000 };
        Terms {
            run: RunId(77),
            writer: Machine { host: "db\n1".into(), boot_id: "b".into(), machine: None },
            target: "/data/file".into(),
            method: "write and fdatasync".into(),
            flushes: true,
            place: RecordLocation::File(Layout { record_bytes: 4096, streams: 2, mode }),
            local_medium: true,
            elsewhere: None,
            server: None,
            mount_point: None,
            power: Vec::new(),
            drives: 0,
            same_host: false,
        }
    }

    #[test]
    fn every_message_is_one_line_and_reads_back() {
        for message in [
            Message::Hello(Box::new(terms())),
            Message::Welcome(terms().writer),
            Message::Refuse("no".into()),
            Message::Acknowledged { stream: 3, number: u64::MAX },
            Message::Confirmed { stream: 0, number: 1 },
            Message::Alive,
            Message::Goodbye(None),
            Message::Goodbye(Some("write failed".into())),
        ] {
            let line = message.line();
            assert_eq!(line.matches('\n').count(), 1, "{line}");
            assert_eq!(Message::parse(line.trim_end()), Ok(message));
        }
        let line = Message::Goodbye(Some("two\nlines".into())).line();
        assert_eq!(line, "goodbye failed two lines\n");
    }

    #[test]
    fn another_version_is_named_and_noise_refused() {
        let line = Message::Hello(Box::new(terms())).line().replace("crashtest/1", "crashtest/9");
        assert!(Message::parse(line.trim_end()).unwrap_err().contains("narrows-crashtest/9"));
        for line in ["", "GET / HTTP/1.1", "acknowledged 1", "acknowledged x 1", "goodbye"] {
            assert!(Message::parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn lines_in_pieces_are_put_together_and_endless_ones_are_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut writer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut lines = Lines::new(listener.accept().unwrap().0).unwrap();
        assert!(matches!(lines.next(), Received::Nothing));
        writer.write_all(b"acknow").unwrap();
        assert!(matches!(lines.next(), Received::Nothing));
        writer.write_all(b"ledged 1 2\nalive\n").unwrap();
        let acknowledged = Message::Acknowledged { stream: 1, number: 2 };
        let mut next = || loop {
            match lines.next() {
                Received::Nothing => {}
                next => break next,
            }
        };
        assert!(matches!(next(), Received::Message(message) if message == acknowledged));
        assert!(matches!(next(), Received::Message(Message::Alive)));
        writer.write_all(b"refuse \x1b[2Jgone\n").unwrap();
        let harmless = Message::Refuse("\u{fffd}[2Jgone".to_string());
        assert!(matches!(next(), Received::Message(message) if message == harmless));
        writer.write_all(&vec![b'x'; LONGEST_LINE]).unwrap();
        assert!(matches!(next(), Received::Odd(_)));
        drop(writer);
    }

    #[test]
    fn whoever_drips_bytes_does_not_keep_the_reader() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut writer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut lines = Lines::new(listener.accept().unwrap().0).unwrap();
        std::thread::spawn(move || {
            while writer.write_all(b"x").is_ok() {
                std::thread::sleep(Duration::from_millis(2));
            }
        });
        // A line without end would be odd; one read is not yet a line.
        for _ in 0..20 {
            assert!(matches!(lines.next(), Received::Nothing));
        }
    }
}
