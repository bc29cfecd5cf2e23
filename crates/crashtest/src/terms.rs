//! What writer and collector agree on before the first record, and what the list begins with.

use serde::{Deserialize, Serialize};

use crate::{DrivePower, Layout, Machine, RunId, Server};

/// Where records go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordLocation {
    /// A file or a raw device.
    File(Layout),
    /// A table of PostgreSQL.
    Table {
        /// Its name.
        name: String,
        /// Sessions.
        streams: u32,
    },
}

impl RecordLocation {
    /// Writers.
    pub fn streams(&self) -> u32 {
        match self {
            RecordLocation::File(layout) => layout.streams,
            RecordLocation::Table { streams, .. } => *streams,
        }
    }
}

/// Drives beneath a file system at most, in a list that is read.
const MOST_DRIVES: usize = 256;

/// A crash test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// Its id.
    pub run: RunId,
    /// The machine that writes.
    pub writer: Machine,
    /// File, device or database, as it was named; without a password.
    pub target: String,
    /// How each record is made durable, in words.
    pub method: String,
    /// Whether that asks for a flush at all.
    pub flushes: bool,
    /// Where records go.
    pub place: RecordLocation,
    /// Whether that loses its power with the machine that writes: its drives were seen, and are in it.
    #[serde(default)]
    pub local_medium: bool,
    /// Why that isn't so, or can't be told; absent where it is.
    #[serde(default)]
    pub elsewhere: Option<String>,
    /// The server of a table, as it was before the first record.
    #[serde(default)]
    pub server: Option<Server>,
    /// The file's mount point; absent for devices and databases.
    #[serde(default)]
    pub mount_point: Option<String>,
    /// What its drives had counted of their power before the first record; of those that say.
    #[serde(default)]
    pub power: Vec<DrivePower>,
    /// How many drives there are beneath.
    #[serde(default)]
    pub drives: u32,
    /// Whether the user allowed that the list is kept on the same machine.
    pub same_host: bool,
}

impl Terms {
    /// Why these can't be kept, if so: they come over the network.
    pub fn fault(&self) -> Option<&'static str> {
        let mount_point = self.mount_point.as_deref().unwrap_or_default();
        let elsewhere = self.elsewhere.as_deref().unwrap_or_default();
        let shown = [&self.writer.host, &self.target, &self.method, mount_point, elsewhere];
        let drives = self.power.iter().flat_map(|drive| [&drive.name, &drive.drive]);
        if drives.clone().any(|text| text.chars().any(char::is_control) || text.len() > 64)
            || drives.count() > 2 * MOST_DRIVES
        {
            return Some("there are up to 256 drives, whose names have no control characters");
        }
        if shown.iter().any(|text| text.chars().any(char::is_control)) {
            return Some("names have no control characters");
        }
        match &self.place {
            RecordLocation::File(layout) => layout.fault(),
            RecordLocation::Table { streams: 0 | 257.., .. } => Some("there are 1 to 256 streams"),
            // It stands in statements.
            RecordLocation::Table { name, .. } if *name != table_name(self.run) => {
                Some("the table is not this test's own")
            }
            RecordLocation::Table { .. } => None,
        }
    }
}

/// The table of a test.
pub(crate) fn table_name(run: RunId) -> String {
    format!("narrows_crashtest_{}", run.short())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    fn terms(place: RecordLocation) -> Terms {
        Terms {
            run: RunId(7),
            writer: Machine { host: "db".into(), boot_id: "a".into(), machine: None },
            target: "/data/file".into(),
            method: "write and fdatasync".into(),
            flushes: true,
            place,
            local_medium: true,
            elsewhere: None,
            server: None,
            mount_point: Some("/data".into()),
            power: Vec::new(),
            drives: 1,
            same_host: false,
        }
    }

    #[test]
    fn a_table_that_is_not_the_tests_own_is_refused() {
        let table =
            |name: &str| terms(RecordLocation::Table { name: name.to_string(), streams: 2 });
        assert_eq!(table(&table_name(RunId(7))).fault(), None);
        for name in ["pg_authid", "narrows_crashtest_000000000008", "t; DROP TABLE users"] {
            assert!(table(name).fault().is_some(), "{name}");
        }
    }

    #[test]
    fn control_characters_are_refused_wherever_they_would_be_shown() {
        let place =
            RecordLocation::File(Layout { record_bytes: 4096, streams: 1, mode: Mode::Append });
        let good = terms(place);
        assert_eq!(good.fault(), None);
        let bad = "a\u{1b}[2Jb".to_string();
        let host = Machine { host: bad.clone(), ..good.writer.clone() };
        for terms in [
            Terms { writer: host, ..good.clone() },
            Terms { target: bad.clone(), ..good.clone() },
            Terms { method: bad.clone(), ..good.clone() },
            Terms { mount_point: Some(bad.clone()), ..good.clone() },
            Terms { elsewhere: Some(bad), ..good.clone() },
        ] {
            assert!(terms.fault().is_some(), "{terms:?}");
        }
    }

    #[test]
    fn terms_of_an_earlier_version_have_no_local_medium() {
        let place =
            RecordLocation::File(Layout { record_bytes: 4096, streams: 1, mode: Mode::Append });
        let mut value = serde_json::to_value(terms(place)).unwrap();
        let fields = value.as_object_mut().unwrap();
        fields.remove("local_medium");
        fields.remove("mount_point");
        fields.remove("elsewhere");
        fields.remove("server");
        fields.remove("power");
        fields.remove("drives");
        let read: Terms = serde_json::from_value(value).unwrap();
        assert_eq!((read.local_medium, read.mount_point), (false, None));
        assert_eq!((read.elsewhere, read.server), (None, None));
    }
}
