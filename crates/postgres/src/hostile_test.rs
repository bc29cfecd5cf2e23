//! A thousand whole conversations with servers that say what they like, by what a command asks from its first byte to its last:
//! `narrows db clean` with and without `--remove`, `narrows run --observe`, `narrows log postgres`. Each ends, without a panic, and what
//! is wrong is told in a few lines. `cargo xtask fuzz talk` looks further.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use narrows_engine::{Rng, Silent, Stop};
use narrows_model::LoadChange;

use crate::address::Address;
use crate::monitor::fake::{self, answer, message};
use crate::observe::Around;
use crate::wire::{Row, guard};
use crate::{left, live, observe};

const CONVERSATIONS: u64 = 1000;
/// Statements after which the server hangs up.
const LONGEST: u64 = 120;

/// What a server may put into a cell: what is meant somewhere, and what is meant nowhere.
const CELLS: [&str; 23] = [
    "t",
    "f",
    "0",
    "1",
    "-1",
    "150018",
    "18446744073709551616",
    "NaN",
    "1e400",
    "15.3",
    "on",
    "off",
    "monday",
    "narrows_scratch_0000beef",
    "narrows_orders",
    "client backend",
    "active",
    "Lock",
    "pg_stat_database",
    "xact_commit",
    "\u{1b}[2J\u{202e}x'; DROP SCHEMA public; --",
    "/etc",
    "x\nhint: run this as root",
];
const CODES: [&str; 8] =
    ["57014", "42501", "26000", "42703", "XX000", "55P03", "57P01", "\u{1b}[31m"];

struct Hostile {
    rng: Rng,
    stream: TcpStream,
}

impl Hostile {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }

    fn row(&mut self, columns: u64) -> Row {
        (0..columns)
            .map(|_| match self.below(12) {
                0 => None,
                // A width of a column has sixteen bits.
                1 if self.below(8) == 0 => Some("n".repeat(65_500 + self.below(100) as usize)),
                _ => Some(CELLS[self.below(CELLS.len() as u64) as usize].to_string()),
            })
            .collect()
    }

    /// What it says to a statement; `Err`: its last words, in the middle of which it hangs up. It leaves nobody waiting, which is another
    /// test's.
    fn reply(&mut self, sql: &str) -> Result<Vec<u8>, Vec<u8>> {
        let known = sql == guard::question() && self.below(16) > 0;
        if known {
            return Ok(answer(&[guard::expected(fake::PID, "bob")]));
        }
        // What a look needs to go on, most of the time.
        if sql.contains("lock_timeout") && self.below(8) > 0 {
            return Ok(answer(&[fake::row(["on", "5s", "1s"])]));
        }
        if sql.contains("server_version_num") && self.below(4) > 0 {
            return Ok(answer(&[fake::row(["150018", "15.18", "bob", "t"])]));
        }
        let mut said = Vec::new();
        match self.below(40) {
            0 => return Err(Vec::new()),
            1 => {
                let bytes = (0..self.below(64)).map(|_| self.below(256) as u8).collect::<Vec<_>>();
                return Err(bytes);
            }
            2 => {
                let kind = b"RKSN123tTnIsGHWdcVAE"[self.below(20) as usize];
                let body = (0..self.below(40)).map(|_| self.below(256) as u8).collect::<Vec<_>>();
                said.extend(message(kind, &body));
            }
            3 => said.extend(message(b'N', b"SNOTICE\0\0").repeat(1000)),
            4..8 => {
                let code = CODES[self.below(CODES.len() as u64) as usize];
                let text = format!(
                    "SERROR\0C{code}\0M\u{1b}[2Jplanted\u{202e}\nhint: run this as root\0H{}\nhint: run this as root\0\0",
                    "x".repeat(5000)
                );
                said.extend(message(b'E', text.as_bytes()));
                said.extend(message(b'Z', b"I"));
                return Ok(said);
            }
            _ => {}
        }
        let columns = self.below(9);
        let rows: Vec<Row> = (0..self.below(4)).map(|_| self.row(columns)).collect();
        said.extend(answer(&rows));
        if self.below(200) == 0 {
            said.truncate(said.len() - 3);
            return Err(said);
        }
        Ok(said)
    }

    fn serve(&mut self) -> std::io::Result<()> {
        fake::read_body(&mut self.stream)?;
        if self.below(30) == 0 {
            let (Ok(said) | Err(said)) = self.reply("");
            return self.stream.write_all(&said);
        }
        self.stream.write_all(&fake::admission())?;
        for _ in 0..LONGEST {
            let mut kind = [0];
            self.stream.read_exact(&mut kind)?;
            let body = fake::read_body(&mut self.stream)?;
            if kind == *b"X" {
                break;
            }
            let sql = String::from_utf8_lossy(&body).trim_end_matches('\0').to_string();
            match self.reply(&sql) {
                Ok(said) => self.stream.write_all(&said)?,
                Err(said) => return self.stream.write_all(&said),
            }
        }
        Ok(())
    }
}

/// Looks on, whatever comes.
struct Unmoved;

impl observe::Observer for Unmoved {
    fn begins_again(&mut self, _: &LoadChange, _: Duration) -> Around {
        Around::default()
    }

    fn so_far(&mut self, _: observe::Observed) -> bool {
        false
    }
}

/// What a command makes of it; what went wrong, in its words.
fn ask(address: &Address, which: u64) -> Result<(), String> {
    let (length, stop) = (Duration::from_millis(8), Stop::new());
    let told = |error: &dyn std::error::Error| error.to_string();
    match which {
        0 => {
            let look = observe::Monitor::open(address).map_err(|error| told(&error))?;
            let seen = look.observe(length, 1, Around::default(), &mut Unmoved, &stop, &Silent);
            seen.map(drop).map_err(|error| told(&error))
        }
        1 => {
            let look = live::Monitor::open(address).map_err(|error| told(&error))?;
            look.observe(length, 1, Around::default(), &stop, &Silent)
                .map(drop)
                .map_err(|error| told(&error))
        }
        _ => left(address, which.is_multiple_of(2)).map(drop).map_err(|error| told(&error)),
    }
}

#[test]
fn a_thousand_servers_that_say_what_they_like_end_in_a_word() {
    let (mut ended, mut refused) = ([0; 10], 0);
    for seed in 0..CONVERSATIONS {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let url = format!("postgres://bob@127.0.0.1:{port}/shop?sslmode=disable");
        let server = std::thread::spawn(move || {
            let stream = listener.accept().unwrap().0;
            // The client may have seen enough.
            let _ = Hostile { rng: Rng::new(seed), stream }.serve();
        });
        let which = seed % 10;
        if let Err(told) = ask(&Address::parse(&url).unwrap(), which) {
            refused += 1;
            assert!(
                !told.trim().is_empty() && told.len() < 32 << 10,
                "seed {seed}: {} bytes",
                told.len()
            );
            let steers =
                |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
            assert!(!told.contains(steers), "seed {seed}: {told:?}");
            // What the server says stands within a line of ours, so that it can't give advice in our name.
            let forged = told.lines().any(|line| line.starts_with("hint: run this as root"));
            assert!(!forged, "seed {seed}: {told}");
        }
        ended[which as usize] += 1;
        server.join().unwrap_or_else(|_| panic!("seed {seed}"));
    }
    assert!(ended.iter().all(|n| *n == CONVERSATIONS / 10) && refused > 100, "{ended:?} {refused}");
}
