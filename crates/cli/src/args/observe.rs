//! What was asked of `narrows run --observe`.

use std::time::Duration;

use clap::Args;
use narrows_units::{Nanos, ParseQuantityError};

/// Looking at somebody's server instead of measuring.
#[derive(Debug, Clone, Default, Args)]
pub struct ObserveArgs {
    /// Look at this server, postgres://USER@HOST:PORT/DATABASE, and load nothing
    ///
    /// The session is read only, with a statement_timeout of 5 s and a lock_timeout of 1 s. The password is best in PGPASSWORD. A
    /// member of pg_monitor sees what sessions do; others see the counters. On the server's own machine its processes and
    /// drives are looked at too.
    #[arg(long, value_name = "URL")]
    pub observe: Option<String>,
    /// How long to look at most [default: 10min]
    ///
    /// A look takes 60 s. Where fewer than 100 transactions ended by then, or fewer than 200 questions were answered, it goes on by
    /// whole windows of 10 s until there are as many, or until this time if it can bring as many. With more than 10min windows
    /// are a sixtieth of it, and a look takes six.
    #[arg(long = "for", value_name = "TIME", value_parser = interval, requires = "observe")]
    pub length: Option<Nanos>,
    /// Compare with what this stored run of this machine measured of drives, log and memory: its id or its file
    #[arg(long, value_name = "RUN", requires = "observe")]
    pub capacities: Option<String>,
}

impl ObserveArgs {
    /// How long to look at most.
    pub fn length(&self) -> Duration {
        const USUAL: Nanos = Nanos(600_000_000_000);
        Duration::from_nanos(self.length.unwrap_or(USUAL).0)
    }
}

/// How long to look.
///
/// # Errors
/// A sentence, where it is no time or not from three seconds to a day.
fn interval(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if (3_000_000_000..=86_400_000_000_000).contains(&time.0) {
        Ok(time)
    } else {
        Err("intervals are from 3s to 24h".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_bounds() {
        assert_eq!(interval("60s"), Ok(Nanos(60_000_000_000)));
        assert_eq!(interval("24h"), Ok(Nanos(86_400_000_000_000)));
        for text in ["1s", "25h", "long"] {
            assert!(interval(text).is_err(), "{text}");
        }
    }
}
