//! A platform with one of its parts gone: what is left of it when that part fails, or is taken out for maintenance.

use narrows_limits::table::Layout;

use crate::description::{DataLocation, Description, End};

/// A part that may be lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Loss {
    /// Which: `one of 8 drives nvme`.
    pub part: String,
    /// What is left; or why nothing runs any more.
    pub rest: Result<Description, String>,
}

impl Description {
    /// Each part of which one may be lost, with what is left then. Parts that nothing else depends on are left out.
    pub fn losses(&self) -> Vec<Loss> {
        let mut losses = Vec::new();
        losses.extend((0..self.drives.len()).filter_map(|at| self.without_a_drive(at)));
        losses.extend((0..self.links.len()).map(|at| self.without_a_link(at)));
        losses.extend((0..self.machines.len()).filter_map(|at| self.without_a_machine(at)));
        losses
    }

    /// One drive less of that group; `None` of drives that hold no database's data.
    fn without_a_drive(&self, at: usize) -> Option<Loss> {
        let drives = &self.drives[at];
        let holds = |data: DataLocation| self.members(data).contains(&at);
        let of = |data: DataLocation| match data {
            DataLocation::Array(array) => Some(&self.arrays[array]),
            DataLocation::Drives(_) => None,
        };
        let users = self.databases.iter().flat_map(|database| [Some(database.data), database.wal]);
        let used: Vec<DataLocation> = users.flatten().filter(|data| holds(*data)).collect();
        let first = *used.first()?;
        let part = match drives.count {
            1 => format!("the drive {}", drives.name),
            count => format!("one of {count} drives {}", drives.name),
        };
        let spare = of(first).map(|array| (array, spare_members(array.raid.layout)));
        let rest = match spare {
            None => Err("no array holds its data a second time".to_string()),
            Some((array, 0)) => Err(format!("{} holds each block once", array.level)),
            Some(_) if drives.count < 2 => Err("its group has no other drive".to_string()),
            Some(_) => {
                let mut rest = self.clone();
                rest.drives[at].count -= 1;
                Ok(rest)
            }
        };
        Some(Loss { part, rest })
    }

    fn without_a_link(&self, at: usize) -> Loss {
        let link = &self.links[at];
        if link.count > 1 {
            let mut rest = self.clone();
            rest.links[at].count -= 1;
            return Loss {
                part: format!("one of {} links {}", link.count, link.name),
                rest: Ok(rest),
            };
        }
        let mut rest = self.clone();
        rest.links.remove(at);
        // Whether another way is left shows when it is reckoned.
        Loss { part: format!("the link {}", link.name), rest: Ok(rest) }
    }

    /// A machine with what is plugged into it; `None` where no database needs it.
    fn without_a_machine(&self, at: usize) -> Option<Loss> {
        let machine = &self.machines[at];
        let part = format!("the machine {}", machine.name);
        let holds_data = |data: DataLocation| {
            self.members(data)
                .iter()
                .any(|drives| self.machine_of(self.drives[*drives].at) == Some(at))
        };
        let mut data = self
            .databases
            .iter()
            .flat_map(|database| [Some(database.data), database.wal])
            .flatten();
        if data.any(holds_data) {
            return Some(Loss { part, rest: Err("data are on its drives".to_string()) });
        }
        let runs_here = |database: &&crate::description::Database| database.at == at;
        let here = self.databases.iter().filter(runs_here).count();
        let passes = self.links.iter().any(|link| {
            [link.ends.0, link.ends.1].iter().any(|end| self.machine_of_end(*end) == Some(at))
        });
        match here {
            0 if passes => {
                Some(Loss { part, rest: Err("the way to the data goes through it".to_string()) })
            }
            0 => None,
            all if all == self.databases.len() => {
                Some(Loss { part, rest: Err("no other machine runs the database".to_string()) })
            }
            _ => {
                let mut rest = self.clone();
                rest.databases.retain(|database| database.at != at);
                Some(Loss { part, rest: Ok(rest) })
            }
        }
    }

    fn machine_of_end(&self, end: End) -> Option<usize> {
        match end {
            End::Machine(machine) => Some(machine),
            End::Adapter(adapter) => self.machine_of(self.adapters[adapter].at),
            End::Switch(_) => None,
        }
    }
}

/// Members that an array can lose and still have all data.
fn spare_members(layout: Layout) -> u32 {
    match layout {
        Layout::Stripe => 0,
        Layout::Mirror | Layout::MirroredStripe | Layout::SingleParity => 1,
        Layout::DoubleParity => 2,
    }
}
