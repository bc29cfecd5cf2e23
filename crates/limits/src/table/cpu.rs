//! Processors: lanes, channels and links as a budget.

use serde::Serialize;

use super::figure::Grade;

/// What every processor of a generation has at most; single models may have less.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cpu {
    /// How it names itself; empty where that doesn't tell the generation.
    pub identities: Vec<Identity>,
    /// Memory channels of a socket.
    pub memory_channels: u32,
    /// Class of a channel with one module on it, at the highest speed.
    pub memory: String,
    /// The same with two modules on it; `None` where no source says.
    pub memory_two_modules: Option<String>,
    /// PCI Express lanes of a machine with one socket.
    pub lanes: u32,
    /// The same with two sockets, on both together; links between them may take lanes, so it depends on the board.
    pub lanes_of_two: Option<(u32, u32)>,
    /// PCI Express generation.
    pub pcie_generation: u32,
    /// Class of one link to another socket.
    pub socket_link: Option<String>,
    /// Fewest and most such links; between two sockets all may be used.
    pub socket_links: Option<(u32, u32)>,
    /// Where this comes from.
    pub source: String,
    /// What that is worth.
    pub grade: Grade,
}

/// What `/proc/cpuinfo` prints as vendor, family, model and stepping.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// `GenuineIntel`, `AuthenticAMD`.
    pub vendor: String,
    /// `cpu family`.
    pub family: u32,
    /// First and last `model`.
    pub models: (u32, u32),
    /// First and last `stepping`, where the model number alone doesn't tell.
    pub steppings: Option<(u32, u32)>,
    /// Words of which its own name has one: workstations' parts have servers' numbers, and fewer channels and links. Empty where the
    /// numbers alone tell.
    pub names: Vec<String>,
}

impl Identity {
    /// Whether a processor is of this kind; `name` as in `model name`, of which capitals don't matter.
    pub fn is(&self, vendor: &str, family: u32, model: u32, stepping: u32, name: &str) -> bool {
        let name = name.to_lowercase();
        let named = |word: &String| name.contains(&word.to_lowercase());
        let within = |(first, last): (u32, u32), value| (first..=last).contains(&value);
        self.vendor == vendor
            && self.family == family
            && within(self.models, model)
            && self.steppings.is_none_or(|steppings| within(steppings, stepping))
            && (self.names.is_empty() || self.names.iter().any(named))
    }
}

impl Cpu {
    /// Most lanes of a machine with so many sockets; `None` where no source says, which is so above two.
    pub fn lanes_of(&self, sockets: u32) -> Option<u32> {
        match sockets {
            1 => Some(self.lanes),
            2 => self.lanes_of_two.map(|(_, most)| most),
            _ => None,
        }
    }
}

/// So many devices of so many lanes each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneUse {
    /// Devices.
    pub count: u32,
    /// Lanes of one.
    pub lanes: u32,
}

/// More lanes are asked for than there are.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{sum} = {needed} lanes, and there are {available}")]
pub struct Overdrawn {
    /// `24 × x4 + 2 × x16`.
    pub sum: String,
    /// Their lanes.
    pub needed: u64,
    /// What there is.
    pub available: u32,
}

/// Lanes left after all have theirs.
pub fn lanes_left(available: u32, uses: &[LaneUse]) -> Result<u32, Overdrawn> {
    let needed: u64 = uses.iter().map(|u| u64::from(u.count) * u64::from(u.lanes)).sum();
    match u64::from(available).checked_sub(needed) {
        Some(left) => Ok(left as u32),
        None => {
            let term = |u: &LaneUse| format!("{} × x{}", u.count, u.lanes);
            let sum = uses.iter().map(term).collect::<Vec<_>>().join(" + ");
            Err(Overdrawn { sum, needed, available })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_that_needs_more_lanes_than_there_are_is_refused_with_the_sum() {
        let uses = [LaneUse { count: 24, lanes: 4 }, LaneUse { count: 2, lanes: 16 }];
        assert_eq!(lanes_left(128, &uses), Ok(0));
        assert_eq!(
            lanes_left(80, &uses).unwrap_err().to_string(),
            "24 × x4 + 2 × x16 = 128 lanes, and there are 80"
        );
        let absurd = [LaneUse { count: u32::MAX, lanes: u32::MAX }];
        assert!(lanes_left(128, &absurd).is_err());
    }

    #[test]
    fn a_stepping_tells_generations_of_one_model_apart() {
        let identity = |steppings| Identity {
            vendor: "GenuineIntel".into(),
            family: 6,
            models: (85, 85),
            steppings: Some(steppings),
            names: vec!["Gold".into()],
        };
        let gold = "INTEL(R) XEON(R) GOLD 6130";
        assert!(identity((0, 4)).is("GenuineIntel", 6, 85, 4, gold));
        assert!(!identity((5, 7)).is("GenuineIntel", 6, 85, 4, gold));
        assert!(!identity((0, 4)).is("AuthenticAMD", 6, 85, 4, gold));
        assert!(!identity((0, 4)).is("GenuineIntel", 6, 85, 4, "Intel(R) Xeon(R) W-2145"));
    }
}
