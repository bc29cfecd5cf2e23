//! Findings about a machine, each at the box of the part that it concerns.

use std::cell::RefCell;

use narrows_model::{Finding, FindingPlace};

use crate::words;

/// What is to be said in a picture; each place once, in the first box that asks for one of its parts.
pub(super) struct Annotations<'a> {
    places: Vec<(&'a Finding, &'a FindingPlace)>,
    told: RefCell<Vec<bool>>,
}

impl<'a> Annotations<'a> {
    /// The places of all findings; the same place of several measurements counts once.
    pub fn new(findings: &'a [Finding]) -> Annotations<'a> {
        let mut places: Vec<(&Finding, &FindingPlace)> = Vec::new();
        for finding in findings {
            for place in &finding.places {
                if !places.iter().any(|(other, known)| other.id == finding.id && *known == place) {
                    places.push((finding, place));
                }
            }
        }
        let told = RefCell::new(vec![false; places.len()]);
        Annotations { places, told }
    }

    /// Marks for the box of a part with these names.
    pub fn at(&self, names: &[&str]) -> Vec<String> {
        self.tell(|place| place.parts.iter().any(|part| names.contains(&part.as_str())))
    }

    /// Marks for the machine's own box: what no part's box has told.
    pub fn rest(&self) -> Vec<String> {
        self.tell(|_| true)
    }

    fn tell(&self, is_here: impl Fn(&FindingPlace) -> bool) -> Vec<String> {
        let mut told = self.told.borrow_mut();
        let mut marks = Vec::new();
        for ((finding, place), told) in self.places.iter().zip(told.iter_mut()) {
            if !*told && is_here(place) {
                *told = true;
                let weight = words::severity(finding.severity);
                marks.push(format!("{weight} {}: {}", finding.id, place.evidence));
            }
        }
        marks
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::Severity;

    use super::*;

    #[test]
    fn each_place_is_told_once_and_nothing_is_lost() {
        let place = |parts: &[&str], evidence: &str| FindingPlace {
            parts: parts.iter().map(|part| (*part).to_string()).collect(),
            evidence: evidence.to_string(),
        };
        let finding = |id: &str, places: Vec<FindingPlace>| Finding {
            id: id.to_string(),
            severity: Severity::Note,
            measurement: None,
            summary: String::new(),
            evidence: String::new(),
            advice: String::new(),
            places,
        };
        let slot = place(&["0000:41:00.0", "nvme0n1"], "its slot is slow");
        let findings = [
            finding("slot", vec![slot.clone(), place(&["0000:42:00.0"], "so is this")]),
            // Of another measurement.
            finding("slot", vec![slot]),
            finding("governor", vec![place(&[], "powersave")]),
        ];
        let said = Annotations::new(&findings);
        assert_eq!(said.at(&["nvme0n1"]), ["note slot: its slot is slow"]);
        assert_eq!(said.at(&["nvme0n1", "0000:41:00.0"]), [""; 0]);
        assert_eq!(said.rest(), ["note slot: so is this", "note governor: powersave"]);
        assert_eq!(said.rest(), [""; 0]);
    }
}
