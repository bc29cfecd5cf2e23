//! What a socket's memory carries as its channels are populated.

use serde::Serialize;

use super::class::{Class, DirectionRates, Family};
use super::figure::{Figure, Grade};

/// A socket's memory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Memory {
    /// Channels with a module.
    pub populated: u32,
    /// Whether they all hold the same number of modules.
    pub even: bool,
    /// All traffic when it is reads.
    pub read: DirectionRates,
    /// Reads and writes mixed.
    pub mixed: DirectionRates,
}

pub(super) fn memory(class: &Class, modules: &[u32], loss: Option<&Figure>) -> Option<Memory> {
    if class.family != Family::Dram {
        return None;
    }
    let mut held: Vec<u32> = modules.iter().copied().filter(|count| *count > 0).collect();
    held.sort_unstable();
    let even = held.first()? == held.last()?;
    let populated = held.len() as u32;
    let way = |way: &DirectionRates| {
        let times = |figure: &Option<Figure>| {
            figure.as_ref().map(|figure| figure.times(f64::from(populated)))
        };
        let expected = times(&way.expected);
        DirectionRates {
            raw: times(&way.raw),
            encoded: times(&way.encoded),
            protocol: times(&way.protocol),
            expected: if even { expected } else { expected.zip(loss).map(|(e, l)| less(&e, l)) },
        }
    };
    Some(Memory { populated, even, read: way(&class.read), mixed: way(&class.write) })
}

/// A figure less a share; the weaker of the two grades.
fn less(figure: &Figure, loss: &Figure) -> Figure {
    let grade: Grade = figure.grade.max(loss.grade);
    Figure {
        low: figure.low * (1.0 - loss.high),
        high: figure.high * (1.0 - loss.low),
        source: format!("{}; less {}", figure.source, loss.source),
        grade,
    }
}
