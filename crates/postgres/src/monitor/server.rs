//! What a server says of itself: version, rights, and settings by name.

use narrows_model::LiveSetting;

use super::error::MonitorError;
use super::session::SamplingSession;
use crate::wire::{WireError, one_line};

/// The first version whose counters are known.
const OLDEST: u32 = 130_000;

/// What a user may see of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rights {
    /// What all sessions do.
    AllSessions {
        /// The user.
        user: String,
    },
    /// The counters alone.
    Counters {
        /// The user.
        user: String,
        /// The statement that gives the right to see the rest.
        grant: String,
    },
}

/// Version and rights.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    pub(crate) version: String,
    pub(crate) user: String,
    /// Whether it may see what others' sessions do.
    pub(crate) sees_others: bool,
}

impl Server {
    /// Asks.
    ///
    /// # Errors
    /// Too old, or a statement failed.
    pub(crate) fn ask(session: &mut SamplingSession) -> Result<Server, MonitorError> {
        let rows = session.query(
            "SELECT current_setting('server_version_num'), current_setting('server_version'), current_user, \
             pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'USAGE')",
        )?;
        let row = rows.first().ok_or(WireError::Unexpected("no row of its version"))?;
        let text = |column: usize| row.get(column).cloned().flatten().unwrap_or_default();
        let number: u32 = text(0).parse().unwrap_or(0);
        if number < OLDEST {
            return Err(MonitorError::Version(one_line(&text(1))));
        }
        Ok(Server { version: one_line(&text(1)), user: text(2), sees_others: text(3) == "t" })
    }

    /// What the user may see.
    pub(crate) fn rights(&self) -> Rights {
        let user = one_line(&self.user);
        match self.sees_others {
            true => Rights::AllSessions { user },
            false => Rights::Counters { user, grant: self.grant() },
        }
    }

    /// The statement that gives the right to see everything that is asked for.
    pub(crate) fn grant(&self) -> String {
        // The server said it: whoever types it must not type more than a name.
        let plain = self.user.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && self.user.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        let name = if plain {
            self.user.clone()
        } else {
            format!("\"{}\"", one_line(&self.user).replace('"', "\"\""))
        };
        format!("GRANT pg_monitor TO {name}")
    }
}

/// Settings from rows of name, value and source.
pub(crate) fn settings_from(rows: Vec<crate::wire::Row>) -> Vec<LiveSetting> {
    let setting = |row: crate::wire::Row| {
        let mut row = row.into_iter();
        Some(LiveSetting { name: row.next()??, value: row.next()??, source: row.next()?? })
    };
    rows.into_iter().filter_map(setting).collect()
}
