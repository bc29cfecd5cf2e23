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
    /// Drives don't say this about their media.
    Figure(String, &'static str),
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
    words.extend(memory.map(|(of, _)| format!("memory is not described and limits nothing: {of}")));
    words.extend(cores.map(|(of, _)| format!("cores are not given, so CPUs limit nothing: {of}")));
    words.extend(
        cost.map(|(of, keys)| format!("{keys} not given, so CPUs limit nothing there: {of}")),
    );
    words.extend(in_flight.map(|(of, _)| {
        format!("in_flight not given, so waiting for requests limits nothing there: {of}")
    }));
    words.extend(latency.map(|(of, keys)| {
        format!("in_flight given without {keys} of the drives, so requests in flight limit nothing there: {of}")
    }));
    words.extend(figures(notes));
    for note in notes {
        if let Note::Other(text) = note
            && !words.contains(text)
        {
            words.push(text.clone());
        }
    }
    words
}

/// Drives that lack the same figures in one sentence.
fn figures(notes: &[Note]) -> Vec<String> {
    let mut lacking: Vec<(&str, Vec<&str>)> = Vec::new();
    for note in notes {
        let Note::Figure(name, key) = note else { continue };
        match lacking.iter_mut().find(|(known, _)| known == name) {
            Some((_, keys)) if keys.contains(key) => {}
            Some((_, keys)) => keys.push(key),
            None => lacking.push((name, vec![key])),
        }
    }
    let mut said: Vec<(Vec<&str>, Vec<&str>)> = Vec::new();
    for (name, keys) in lacking {
        match said.iter_mut().find(|(known, _)| *known == keys) {
            Some((_, names)) => names.push(name),
            None => said.push((keys, vec![name])),
        }
    }
    let words = |(keys, names): (Vec<&str>, Vec<&str>)| {
        let (keys, names) = (keys.join(", "), names.join(", "));
        format!("speed of the drives' media (add {keys}): {names}")
    };
    said.into_iter().map(words).collect()
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
                "memory is not described and limits nothing: a, b",
                "cpu_per_read, cpu_per_write not given, so CPUs limit nothing there: db",
                "odd",
            ]
        );
    }

    #[test]
    fn drives_are_told_together_only_where_they_lack_the_same() {
        let lacks = |name: &str, key| Note::Figure(name.into(), key);
        let notes = [
            lacks("a", "reads"),
            lacks("b", "reads"),
            lacks("a", "writes"),
            lacks("a", "reads"),
            lacks("c", "reads"),
        ];
        assert_eq!(
            in_words(&notes),
            [
                "speed of the drives' media (add reads, writes): a",
                "speed of the drives' media (add reads): b, c",
            ]
        );
    }
}
