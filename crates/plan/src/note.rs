//! What was not reckoned with, told once for all components that it concerns.

/// One gap in a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Note {
    /// A machine's memory isn't described.
    Memory(String),
    /// A machine's cores aren't counted.
    Cores(String),
    /// A database's processor cost under this key isn't given.
    Cost(String, &'static str),
    /// Requests in flight of a database aren't given.
    InFlight(String),
    /// Requests in flight of a database are given, and this time of its drives isn't.
    Latency(String, &'static str),
    /// Anything else, in words.
    Other(String),
}

/// Sentences, the same gap of several components in one.
pub(crate) fn in_words(notes: &[Note]) -> Vec<String> {
    let of = |pick: &dyn Fn(&Note) -> Option<(&str, &'static str)>| {
        let (mut names, mut keys): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        for (name, key) in notes.iter().filter_map(pick) {
            if !names.contains(&name) {
                names.push(name);
            }
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        (!names.is_empty()).then(|| (names.join(", "), keys.join(", ")))
    };
    let memory = of(&|note| match note {
        Note::Memory(name) => Some((name, "")),
        _ => None,
    });
    let cores = of(&|note| match note {
        Note::Cores(name) => Some((name, "")),
        _ => None,
    });
    let cost = of(&|note| match note {
        Note::Cost(name, key) => Some((name, *key)),
        _ => None,
    });
    let in_flight = of(&|note| match note {
        Note::InFlight(name) => Some((name, "")),
        _ => None,
    });
    let latency = of(&|note| match note {
        Note::Latency(name, key) => Some((name, *key)),
        _ => None,
    });
    let mut words = Vec::new();
    words.extend(memory.map(|(of, _)| format!("memory isn't described and limits nothing: {of}")));
    words.extend(
        cores.map(|(of, _)| format!("cores aren't given, so processors limit nothing: {of}")),
    );
    words.extend(
        cost.map(|(of, keys)| format!("{keys} not given, so processors limit nothing there: {of}")),
    );
    words.extend(in_flight.map(|(of, _)| {
        format!("in_flight not given, so waiting for requests limits nothing there: {of}")
    }));
    words.extend(latency.map(|(of, keys)| {
        format!("in_flight given without {keys} of the drives, so requests in flight limit nothing there: {of}")
    }));
    for note in notes {
        if let Note::Other(text) = note
            && !words.contains(text)
        {
            words.push(text.clone());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_gap_of_several_is_told_once() {
        let notes = [
            Note::Memory("a".into()),
            Note::Cost("db".into(), "cpu_per_read"),
            Note::Memory("b".into()),
            Note::Cost("db".into(), "cpu_per_write"),
            Note::Memory("a".into()),
            Note::Other("odd".into()),
        ];
        assert_eq!(
            in_words(&notes),
            [
                "memory isn't described and limits nothing: a, b",
                "cpu_per_read, cpu_per_write not given, so processors limit nothing there: db",
                "odd",
            ]
        );
    }
}
