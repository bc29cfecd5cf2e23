//! Who serves a device's interrupts: its vectors (`msi_irqs`, or `irq` of old devices), their counts since the machine
//! started (`/proc/interrupts`) and the processors that they go to now (`/proc/irq/N/effective_affinity_list`; Linux
//! `Documentation/core-api/irq/irq-affinity.rst`).

use std::collections::BTreeMap;

use narrows_facts::{Source, parse_cpu_list};
use narrows_model::Interrupts;

/// A vector with less than this share of a device's interrupts isn't one of its queues'.
const BUSY_SHARE: u64 = 100;

/// Interrupts by vector and processor.
pub(super) struct Counts {
    cpus: Vec<u32>,
    by_vector: BTreeMap<u32, Vec<u64>>,
}

impl Counts {
    pub(super) fn read(source: &dyn Source) -> Counts {
        Counts::parse(&source.text("/proc/interrupts").unwrap_or_default())
    }

    /// A head `CPU0 CPU2`, then lines `36:  0  47669342  PCI-MSIX-0000:00:02.0   1-edge  virtio1-req.0`.
    fn parse(text: &str) -> Counts {
        let mut lines = text.lines();
        let head = lines.next().unwrap_or_default();
        let cpus: Vec<u32> = head
            .split_whitespace()
            .filter_map(|word| word.strip_prefix("CPU")?.parse().ok())
            .collect();
        let line = |line: &str| {
            let (vector, rest) = line.split_once(':')?;
            let numbers = rest.split_whitespace().take(cpus.len());
            let counts = numbers.map_while(|word| word.parse().ok()).collect();
            Some((vector.trim().parse().ok()?, counts))
        };
        let by_vector = lines.filter_map(line).collect();
        Counts { cpus, by_vector }
    }

    /// Of the device in `folder`; `None` where its vectors aren't known.
    pub(super) fn of(&self, source: &dyn Source, folder: &str) -> Option<Interrupts> {
        let vectors = vectors(source, folder);
        if vectors.is_empty() || self.by_vector.is_empty() {
            return None;
        }
        let counts = |vector: &u32| self.by_vector.get(vector).map_or(&[][..], Vec::as_slice);
        let total = |vector: &u32| sum(counts(vector).iter().copied());
        let count = sum(vectors.iter().map(total));
        let is_busy = |vector: &&u32| {
            let of_it = total(vector);
            of_it > 0 && of_it >= count / BUSY_SHARE
        };
        let busy: Vec<u32> = vectors.iter().filter(is_busy).copied().collect();
        // While nothing has happened, all may be queues.
        let serving = if busy.is_empty() { &vectors } else { &busy };
        let of_cpu = |place: usize| {
            sum(vectors.iter().filter_map(|vector| counts(vector).get(place).copied()))
        };
        let busiest = (0..self.cpus.len()).map(|place| (of_cpu(place), place)).max();
        let busiest = busiest.filter(|(most, _)| *most > 0);
        Some(Interrupts {
            vectors: vectors.len() as u32,
            busy_vectors: busy.len() as u32,
            cpus: serving.iter().flat_map(|vector| served_by(source, *vector)).collect(),
            count,
            busiest_cpu: busiest.map(|(_, place)| self.cpus[place]),
            busiest_share: busiest.map(|(most, _)| most as f64 / count as f64),
        })
    }
}

/// Counters of a copied machine may be anything.
fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

fn vectors(source: &dyn Source, folder: &str) -> Vec<u32> {
    let messages = super::names(source, &format!("{folder}/msi_irqs"));
    let messages: Vec<u32> = messages.iter().filter_map(|name| name.parse().ok()).collect();
    if !messages.is_empty() {
        return messages;
    }
    // 0 is none.
    source.number(&format!("{folder}/irq")).filter(|vector| *vector > 0).into_iter().collect()
}

/// The processors that a vector goes to; where the kernel doesn't say that, those that it may go to.
fn served_by(source: &dyn Source, vector: u32) -> Vec<u32> {
    let list = |name: &str| source.text(&format!("/proc/irq/{vector}/{name}"));
    let text = list("effective_affinity_list").or_else(|| list("smp_affinity_list"));
    text.map(|text| parse_cpu_list(&text)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_by_the_processors_that_are_on_line() {
        let counts = Counts::parse(
            "           CPU0       CPU2       \n 35:  0  1  PCI-MSI 0-edge  x-config\n 36:  7 9 PCI-MSI\n\
             NMI:  5  6  Non-maskable interrupts\nERR:  0\n",
        );
        assert_eq!(counts.cpus, [0, 2]);
        assert_eq!(counts.by_vector[&36], [7, 9]);
        assert_eq!(counts.by_vector.len(), 2);
        assert!(Counts::parse("").by_vector.is_empty());
    }
}
