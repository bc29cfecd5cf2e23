//! One machine: its processors, memory, links between sockets, what is plugged in, and the databases on it.

use narrows_units::BytesPerSecond;

use super::marks::Marks;
use super::{DrawnPart, hanging, sockets, words};
use crate::description::{Attachment, DataLocation, Database, Description, Machine};

/// `1 core`, `2 cores`.
fn counted(count: u32, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

pub(super) fn draw(platform: &Description, index: usize, marks: &mut Marks) -> DrawnPart {
    let machine = &platform.machines[index];
    let mut within = Vec::new();
    within.extend(processors(machine, marks));
    within.extend(memory(machine, marks));
    if let Some((carrier, count)) = &machine.interconnect {
        let component = format!("links between sockets of {}", machine.name);
        let each = words::carrier(carrier, *count);
        let part = DrawnPart::leaf(format!("links between sockets, of each socket: {each}"));
        within.push(part.marked(marks, &component));
    }
    within.extend(hanging(platform, Attachment::Machine(index), marks));
    within.extend(arrays(platform, index));
    for database in platform.databases.iter().filter(|database| database.at == index) {
        within.push(of_database(platform, database, marks));
    }
    // Limits of the machine that have no part of their own above.
    let others = marks.take_of(&machine.name).into_iter();
    within.extend(others.map(|(what, marks)| DrawnPart { marks, ..DrawnPart::leaf(what) }));
    let lanes = machine.lanes.map(|lanes| format!(", {lanes} PCI Express lanes"));
    let words = format!("machine {}{}", machine.name, lanes.unwrap_or_default());
    DrawnPart { words, marks: Vec::new(), within }
}

/// Absent where neither cores nor sockets are told and nothing binds there.
fn processors(machine: &Machine, marks: &mut Marks) -> Option<DrawnPart> {
    let own = marks.take(&format!("CPUs of {}", machine.name));
    let within = sockets::draw(machine);
    if machine.cores.is_none() && machine.cpu.is_none() && own.is_empty() && within.is_empty() {
        return None;
    }
    let cores = machine.cores.map(|cores| counted(cores, "core"));
    let words = match (cores, machine.sockets) {
        (Some(cores), 1) => format!("CPUs, {cores}"),
        (None, 1) => "CPUs".to_string(),
        (Some(cores), several) => format!("{cores} in {several} sockets"),
        (None, several) => format!("{several} sockets"),
    };
    Some(DrawnPart { words, marks: own, within })
}

fn memory(machine: &Machine, marks: &mut Marks) -> Option<DrawnPart> {
    let memory = machine.memory.as_ref()?;
    let rate = BytesPerSecond(memory.ceiling);
    let part =
        DrawnPart::leaf(format!("memory: {}, {rate} in both directions together", memory.label));
    Some(part.marked(marks, &format!("memory of {}", machine.name)))
}

/// Arrays whose first drives are at this machine.
fn arrays(platform: &Description, machine: usize) -> Vec<DrawnPart> {
    let here = |drives: usize| platform.machine_of(platform.drives[drives].at) == Some(machine);
    let arrays =
        platform.arrays.iter().filter(|array| array.members.first().is_some_and(|m| here(*m)));
    arrays
        .map(|array| {
            let names = array.members.iter().map(|member| platform.drives[*member].name.as_str());
            let names = names.collect::<Vec<_>>().join(", ");
            DrawnPart::leaf(format!("array {}: {} of {names}", array.name, array.level))
        })
        .collect()
}

fn of_database(platform: &Description, database: &Database, marks: &mut Marks) -> DrawnPart {
    let data = match database.data {
        DataLocation::Drives(index) => &platform.drives[index].name,
        DataLocation::Array(index) => &platform.arrays[index].name,
    };
    // A database without a name is called by where it runs.
    let called = match database.name.starts_with("database at ") {
        true => database.name.clone(),
        false => format!("database {}", database.name),
    };
    let mut words = format!("{called}, data on {data}");
    if let Some(in_flight) = database.in_flight {
        words += &format!(", {in_flight} requests in flight");
    }
    if let Some(workers) = database.workers {
        words += &format!(", {}", counted(workers, "worker"));
    }
    let limits = marks.take_of(&database.name).into_iter();
    let marks = limits.flat_map(|(what, marks)| {
        marks.into_iter().map(move |mark| match mark.split_once(": ") {
            Some((binds, limit)) => format!("{binds}: {what}, {limit}"),
            None => mark,
        })
    });
    DrawnPart { words, marks: marks.collect(), within: Vec::new() }
}
