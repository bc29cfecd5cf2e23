//! The comparison, by the captures that guests left (`cargo xtask lab --record`): they are what was configured, and no wrong
//! description passes.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;

use narrows_facts::Replay;
use narrows_model::{Platform, Role};

use super::compare::differences;
use super::facts::{Fact, Facts, found, wanted};
use super::*;

/// The machine in a capture, with the paths it was captured with.
fn captured(path: &Path) -> Result<Platform> {
    let file = File::open(path).with_context(|| format!("opening {}", path.display()))?;
    let capture = narrows_capture::read(BufReader::new(file))
        .with_context(|| format!("reading {}", path.display()))?;
    let roles: Vec<(Role, &Path)> =
        capture.header.roles.iter().map(|place| (place.role, Path::new(&place.path))).collect();
    Ok(narrows_platform::discover(&Replay::new(capture.recording), &roles))
}

/// All guests, with what discovery says of their captures now.
fn machines() -> Vec<(Guest, Platform)> {
    let of = |guest: Guest| {
        let platform = captured(&recorded(guest.name))
            .unwrap_or_else(|error| panic!("{error:#}; cargo xtask lab --record {}", guest.name));
        (guest, platform)
    };
    guests::all().into_iter().map(of).collect()
}

#[test]
fn recorded_guests_are_found_as_configured() {
    for (guest, platform) in machines() {
        let differ = differences(&wanted(&guest), &found(&platform));
        let lines: Vec<String> = differ.iter().map(ToString::to_string).collect();
        assert!(lines.is_empty(), "{}:\n{}", guest.name, lines.join("\n"));
    }
}

#[test]
fn every_wrong_description_is_noticed() {
    let machines = machines();
    for (what, plant) in plant::ALL {
        let mut tried = 0;
        for (guest, platform) in &machines {
            let mut wrong = guest.clone();
            if plant(&mut wrong).is_none() || wrong == *guest {
                continue;
            }
            tried += 1;
            let differ = differences(&wanted(&wrong), &found(platform));
            assert!(!differ.is_empty(), "{}: {what}: passes", guest.name);
        }
        assert!(tried > 0, "no guest for: {what}");
    }
}

#[test]
fn every_fact_that_is_changed_lacking_or_too_much_is_the_difference() {
    for (guest, _) in machines() {
        let wanted = wanted(&guest);
        for (name, fact) in &wanted {
            let mut other = wanted.clone();
            let changed = match fact {
                Fact::Is(text) => Fact::Is(format!("{text}, and more")),
                Fact::Bytes { most, .. } => Fact::Bytes { least: most + 1, most: most + 1 },
            };
            other.insert(name.clone(), changed);
            let told: Vec<String> =
                differences(&wanted, &other).into_iter().map(|one| one.fact).collect();
            assert_eq!(told, std::slice::from_ref(name), "{}", guest.name);
            other.remove(name);
            assert_eq!(differences(&wanted, &other).len(), 1, "{}: {name} lacks", guest.name);
            assert_eq!(differences(&other, &wanted).len(), 1, "{}: {name} is too much", guest.name);
        }
    }
}

#[test]
fn a_difference_says_both_sides() {
    let side = |text: &str| Facts::from([("node 0: distances".into(), Fact::Is(text.into()))]);
    let differ = differences(&side("10 21"), &side("10 20"));
    assert_eq!(differ[0].to_string(), "node 0: distances: configured 10 21; found 10 20");
    let differ = differences(&Facts::new(), &side("10"));
    assert_eq!(
        differ[0].to_string(),
        "node 0: distances: configured nothing of the kind; found 10"
    );
}

/// What the rest takes for granted of a description.
#[test]
fn descriptions_hold_together() {
    let mut names = BTreeSet::new();
    for guest in guests::all() {
        assert!(names.insert(guest.name), "{} twice", guest.name);
        let sizes = guest.disks_mib();
        let distinct: BTreeSet<&u32> = sizes.iter().collect();
        assert_eq!(distinct.len(), sizes.len(), "{}: sizes tell disks apart", guest.name);
        let of_nodes: Vec<u32> = (0..guest.nodes.len() as u32)
            .flat_map(|id| guest.nodes[id as usize].cpus)
            .flat_map(|(first, last)| first..=last)
            .collect();
        let all: Vec<u32> = (0..guest.cpus.count()).collect();
        assert_eq!(of_nodes, all, "{}: each CPU is in one node", guest.name);
        // The kernel numbers nodes as it meets them, those with processors first.
        assert!(
            guest.nodes.is_sorted_by_key(|node| node.cpus.is_none()),
            "{}: nodes with CPUs come first",
            guest.name
        );
        for row in &guest.distances {
            assert_eq!(row.len(), guest.nodes.len(), "{}", guest.name);
        }
        let known: BTreeSet<&str> = narrows_validity::rules().iter().map(|rule| rule.id).collect();
        let bound = guest.bound.iter().flat_map(|bound| &bound.rules);
        for fires in guest.rules.iter().chain(bound) {
            assert!(known.contains(fires.rule), "{}: no rule {}", guest.name, fires.rule);
        }
    }
}

#[test]
fn asked_by_name_with_files_and_wrongly() {
    let args = ["--plant", "--narrows", "/n", "links"];
    let wanted = Options {
        plant: true,
        narrows: Some(Path::new("/n")),
        names: vec!["links"],
        ..Options::default()
    };
    assert_eq!(asked(&args), Ok(wanted));
    assert_eq!(chosen(&["links"]).unwrap().len(), 1);
    assert_eq!(chosen(&[]).unwrap().len(), guests::all().len());
    for wrong in [&["--kernel"][..], &["--plants"], &["--plant", "--record"]] {
        assert!(asked(wrong).is_err(), "{wrong:?}");
    }
    assert!(chosen(&["link"]).unwrap_err().contains("--list"));
}
