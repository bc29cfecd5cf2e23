//! A platform with one of its parts gone: what is left of it when that part fails, or is taken out for maintenance.

use narrows_limits::table::Layout;
use serde::Serialize;

use crate::description::{Attachment, DataLocation, Description, End};

/// What kind of part is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LostKind {
    /// A drive.
    Drive,
    /// A link, an adapter or a switch.
    Path,
    /// A machine that runs a database, and has no data.
    Server,
    /// A machine that has the data.
    Storage,
}

impl LostKind {
    /// Every kind, in the order in which they are told.
    pub const ALL: [LostKind; 4] =
        [LostKind::Drive, LostKind::Path, LostKind::Server, LostKind::Storage];

    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            LostKind::Drive => "a drive",
            LostKind::Path => "a link, an adapter or a switch",
            LostKind::Server => "a database server",
            LostKind::Storage => "the machine that has the data",
        }
    }
}

/// A part that may be lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// Which: `one of 8 drives nvme`.
    pub part: String,
    /// Of which kind it is.
    pub kind: LostKind,
    /// What is left; or why nothing runs any more.
    pub rest: Result<Description, String>,
}

impl Description {
    /// Each part of which one may be lost, with what is left then. Parts that no database needs are left out.
    pub fn losses(&self) -> Vec<Loss> {
        let mut losses = Vec::new();
        losses.extend((0..self.drives.len()).filter_map(|at| self.without_a_drive(at)));
        losses.extend((0..self.links.len()).map(|at| self.without_a_link(at)));
        losses.extend((0..self.adapters.len()).filter_map(|at| self.without_an_adapter(at)));
        losses.extend((0..self.switches.len()).filter_map(|at| self.without_a_switch(at)));
        losses.extend((0..self.machines.len()).filter_map(|at| self.without_a_machine(at)));
        losses
    }

    /// The same with only those databases.
    pub fn with_databases(&self, keep: &[bool]) -> Description {
        let mut rest = self.clone();
        let mut kept = keep.iter();
        rest.databases.retain(|_| *kept.next().unwrap_or(&false));
        rest
    }

    /// How many databases there are.
    pub fn databases(&self) -> usize {
        self.databases.len()
    }

    /// Where databases have data or log.
    fn places(&self) -> impl Iterator<Item = DataLocation> + '_ {
        let each = self.databases.iter().flat_map(|database| [Some(database.data), database.wal]);
        each.flatten()
    }

    /// One drive less of that group; `None` of drives that hold nothing of a database.
    fn without_a_drive(&self, at: usize) -> Option<Loss> {
        let drives = &self.drives[at];
        let on: Vec<DataLocation> =
            self.places().filter(|data| self.members(*data).contains(&at)).collect();
        if on.is_empty() {
            return None;
        }
        let part = match drives.count {
            1 => format!("the drive {}", drives.name),
            count => format!("one of {count} drives {}", drives.name),
        };
        let mut rest = self.clone();
        for data in on {
            let stops = match data {
                DataLocation::Drives(_) => "no array holds its data a second time".to_string(),
                DataLocation::Array(array) => {
                    let array = &mut rest.arrays[array];
                    array.degraded = true;
                    if array.raid.layout != Layout::Stripe {
                        continue;
                    }
                    format!("{} holds each block once", array.level)
                }
            };
            return Some(Loss { part, kind: LostKind::Drive, rest: Err(stops) });
        }
        Some(Loss { part, kind: LostKind::Drive, rest: Ok(rest) })
    }

    fn without_a_link(&self, at: usize) -> Loss {
        let link = &self.links[at];
        let mut rest = self.clone();
        let part = if link.count > 1 {
            rest.links[at].count -= 1;
            format!("one of {} links {}", link.count, link.name)
        } else {
            rest.links.remove(at);
            format!("the link {}", link.name)
        };
        // Whether another way is left shows when it is reckoned.
        Loss { part, kind: LostKind::Path, rest: Ok(rest) }
    }

    /// An adapter with its links; `None` of one without any.
    fn without_an_adapter(&self, at: usize) -> Option<Loss> {
        let of_it = |end: End| end == End::Adapter(at);
        self.without_ends(&of_it, format!("the adapter {}", self.adapters[at].name))
    }

    /// A switch: one of the network with its links, one within a machine with what is behind it.
    fn without_a_switch(&self, at: usize) -> Option<Loss> {
        let part = format!("the switch {}", self.switches[at].name);
        let holds = |data: DataLocation| {
            let mut groups = self.members(data).into_iter();
            groups.any(|group| self.is_behind(self.drives[group].at, at))
        };
        if self.places().any(holds) {
            let stops = "drives with data are behind it".to_string();
            return Some(Loss { part, kind: LostKind::Path, rest: Err(stops) });
        }
        let of_it = |end: End| match end {
            End::Switch(switch) => switch == at,
            End::Adapter(adapter) => self.is_behind(self.adapters[adapter].at, at),
            End::Machine(_) => false,
        };
        self.without_ends(&of_it, part)
    }

    fn without_ends(&self, of_it: &dyn Fn(End) -> bool, part: String) -> Option<Loss> {
        let mut rest = self.clone();
        rest.links.retain(|link| !of_it(link.ends.0) && !of_it(link.ends.1));
        (rest.links.len() < self.links.len()).then_some(Loss {
            part,
            kind: LostKind::Path,
            rest: Ok(rest),
        })
    }

    /// Whether a place is at that switch, or at one below it.
    fn is_behind(&self, place: Attachment, switch: usize) -> bool {
        let mut place = place;
        for _ in 0..=self.switches.len() {
            let Attachment::Switch(at) = place else { return false };
            if at == switch {
                return true;
            }
            let Some((above, _)) = self.switches[at].uplink else { return false };
            place = above;
        }
        false
    }

    /// A machine with what is plugged into it; `None` where no database needs it.
    fn without_a_machine(&self, at: usize) -> Option<Loss> {
        let part = format!("the machine {}", self.machines[at].name);
        let has = |data: DataLocation| {
            let mut groups = self.members(data).into_iter();
            groups.any(|group| self.machine_of(self.drives[group].at) == Some(at))
        };
        if self.places().any(has) {
            let stops = "data are on its drives".to_string();
            return Some(Loss { part, kind: LostKind::Storage, rest: Err(stops) });
        }
        let here = self.databases.iter().filter(|database| database.at == at).count();
        let kind = if here > 0 { LostKind::Server } else { LostKind::Path };
        if here > 0 && here == self.databases.len() {
            let stops = "no other machine runs the database".to_string();
            return Some(Loss { part, kind, rest: Err(stops) });
        }
        let mut rest = self.clone();
        rest.databases.retain(|database| database.at != at);
        rest.links.retain(|link| {
            [link.ends.0, link.ends.1].iter().all(|end| self.machine_of_end(*end) != Some(at))
        });
        let needed = here > 0 || rest.links.len() < self.links.len();
        needed.then_some(Loss { part, kind, rest: Ok(rest) })
    }

    fn machine_of_end(&self, end: End) -> Option<usize> {
        match end {
            End::Machine(machine) => Some(machine),
            End::Adapter(adapter) => self.machine_of(self.adapters[adapter].at),
            End::Switch(_) => None,
        }
    }
}
