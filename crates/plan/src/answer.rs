//! What a described platform could do: for each kind of work its ceiling, what good systems reach, what binds.

use narrows_limits::flow::{Answer, Counts, FlowError, Network, answer};
use serde::Serialize;

use crate::build::build;
use crate::constraints::Basis;
use crate::description::Description;
use crate::drawing::{Drawing, Marks, draw};
use crate::note::{Note, in_words};
use crate::work::Work;

/// What is asked of every platform.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Question {
    /// Bytes of a block that is read or written at random.
    pub block_bytes: u64,
    /// Bytes of the table whose scan is timed.
    pub table_bytes: u64,
}

/// One platform's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Plan {
    /// The description's name.
    pub name: String,
    /// The file it stands in.
    pub file: String,
    /// What its writer says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// What was asked.
    pub question: Question,
    /// One for each kind of work that can be reckoned.
    pub works: Vec<WorkAnswer>,
    /// What the whole costs, where prices are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// What was not reckoned with, and why.
    pub notes: Vec<String>,
    /// The platform as a tree, what binds being marked.
    pub drawing: Drawing,
}

/// A price and what it counts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Price {
    /// The sum of all parts that have a price.
    pub total: f64,
    /// Its currency, as given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Parts without a price.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unpriced: Vec<String>,
}

/// One kind of work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WorkAnswer {
    /// Which.
    pub work: Work,
    /// Bytes of one operation.
    pub operation_bytes: u64,
    /// What cannot be passed, all databases together, operations per second.
    pub ceiling_per_s: f64,
    /// The same in bytes per second.
    pub ceiling_bytes_per_s: f64,
    /// Where good systems end, operations per second; absent where no source says less than the ceiling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected_per_s: Option<f64>,
    /// Each database's (or machine's) part of the ceiling.
    pub shares: Vec<Share>,
    /// Constraints with less than 5 % left, the fullest first.
    pub binding: Vec<Binding>,
    /// What widening gives, the best first.
    pub widen: Vec<Widen>,
    /// What holds the rate once the widest gain is taken; for reading, and absent where nothing does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Binding>,
}

/// One user's part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Share {
    /// Of whom.
    pub of: String,
    /// Operations per second.
    pub per_s: f64,
}

/// A constraint that holds the rate, or nearly.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Binding {
    /// The component.
    pub component: String,
    /// Its limit in words.
    pub limit: String,
    /// What it counts.
    pub counts: &'static str,
    /// How much of it is used, in its unit.
    pub used: f64,
    /// How much there is.
    pub capacity: f64,
    /// The share left.
    pub slack: f64,
}

/// What widening gives, as shares of the rate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Widen {
    /// One component, or several that bind together.
    pub components: Vec<String>,
    /// Widened by a tenth.
    pub by_a_tenth: f64,
    /// Its limits lifted: the gain up to the next limit. Absent where nothing described limits the rate then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lifted: Option<f64>,
}

impl Plan {
    /// The answer for one kind of work.
    pub fn work(&self, work: Work) -> Option<&WorkAnswer> {
        self.works.iter().find(|answer| answer.work == work)
    }

    /// Seconds that a scan of the question's table takes at the ceiling.
    pub fn scan_s(&self) -> Option<f64> {
        let scan = self.work(Work::Scan)?;
        Some(self.question.table_bytes as f64 / scan.ceiling_bytes_per_s)
    }
}

/// Reckons one platform.
///
/// # Errors
/// A database without a way to its data. Work that nothing described limits is left out, with a note.
pub fn plan(platform: &Description, question: Question) -> Result<Plan, FlowError> {
    let mut works = Vec::new();
    let mut notes: Vec<Note> = Vec::new();
    for work in Work::ALL {
        let built = build(platform, work, question.block_bytes, Basis::Ceiling)?;
        if built.network.users.is_empty() {
            continue;
        }
        match answer(&built.network) {
            Ok(answer) => {
                let expected = build(platform, work, question.block_bytes, Basis::Expected)?;
                let expected = narrows_limits::flow::fair_rates(&expected.network)?;
                let expected: f64 = expected.iter().sum();
                works.push(reckoned(work, &question, &built.network, &answer, expected));
            }
            Err(FlowError::Unlimited(who)) => {
                let gap = format!("{}: nothing described limits {who}", work.title());
                notes.push(Note::Other(gap));
            }
            Err(error) => return Err(error),
        }
        notes.extend(built.notes);
    }
    notes.extend(far_memory(platform).into_iter().map(Note::Other));
    let bound = works.iter().map(|answer| (answer.work.title(), answer.binding.as_slice()));
    let drawing = draw(platform, Marks::of(bound));
    Ok(Plan {
        drawing,
        name: platform.name.clone(),
        file: platform.file.clone(),
        note: platform.note.clone(),
        question,
        works,
        price: platform.price.map(|total| Price {
            total,
            currency: platform.currency.clone(),
            unpriced: platform.unpriced.clone(),
        }),
        notes: in_words(&notes),
    })
}

fn reckoned(
    work: Work,
    question: &Question,
    network: &Network,
    answer: &Answer,
    expected: f64,
) -> WorkAnswer {
    let operation_bytes = work.bytes(question.block_bytes);
    let ceiling = answer.total();
    let shares = network.users.iter().zip(&answer.rates);
    WorkAnswer {
        work,
        operation_bytes,
        ceiling_per_s: ceiling,
        ceiling_bytes_per_s: ceiling * operation_bytes as f64,
        // Within a per mille both are the same figure.
        expected_per_s: (expected < ceiling * 0.999).then_some(expected),
        shares: shares.map(|(user, rate)| Share { of: user.name.clone(), per_s: *rate }).collect(),
        binding: binding(network, answer),
        widen: widen(network, answer),
        next: next(network, answer),
    }
}

pub(crate) fn binding(network: &Network, answer: &Answer) -> Vec<Binding> {
    let words = |used: &narrows_limits::flow::Used| {
        let constraint = &network.constraints[used.constraint];
        Binding {
            component: network.components[constraint.component].clone(),
            limit: constraint.label.clone(),
            counts: counts(constraint.counts),
            used: used.used,
            capacity: constraint.capacity,
            slack: used.slack,
        }
    };
    answer.tight().map(words).collect()
}

/// What widening gives, components by name.
pub(crate) fn widen(network: &Network, answer: &Answer) -> Vec<Widen> {
    let name = |index: &usize| network.components[*index].clone();
    let words = |widening: &narrows_limits::flow::Widening| Widen {
        components: widening.components.iter().map(name).collect(),
        by_a_tenth: widening.by_a_tenth,
        lifted: widening.lifted,
    };
    answer.widening.iter().map(words).collect()
}

/// What binds once the component that gives most is out of the way.
fn next(network: &Network, first: &Answer) -> Vec<Binding> {
    let Some(widening) = first.widening.first().filter(|w| w.lifted.is_some()) else {
        return Vec::new();
    };
    let free = network.without(&widening.components);
    answer(&free).map(|answer| binding(&free, &answer)).unwrap_or_default()
}

/// The last part of a key in the answer.
fn counts(counts: Counts) -> &'static str {
    match counts {
        Counts::Bytes => "bytes_per_s",
        Counts::Wire => "wire_bytes_per_s",
        Counts::Operations => "ops_per_s",
        Counts::InFlight => "in_flight",
        Counts::Cpu => "cpu_s_per_s",
    }
}

/// What the firmware's distances say of memory that is spread evenly.
fn far_memory(platform: &Description) -> Vec<String> {
    let words = |matrix: &Vec<Vec<i64>>, name: &str| {
        let nodes = matrix.len();
        let mean = matrix[0].iter().sum::<i64>() as f64 / nodes as f64;
        let levels: std::collections::BTreeSet<i64> = matrix.iter().flatten().copied().collect();
        let levels = levels.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        format!(
            "{name}: memory spread over {nodes} nodes is near for 1 access in {nodes}; distances {levels}, {mean:.1} \
             on average from node 0 (the firmware's order of nodes, not nanoseconds)"
        )
    };
    let matrices = platform.machines.iter().filter_map(|m| Some((m.distances.as_ref()?, &m.name)));
    matrices.map(|(matrix, name)| words(matrix, name)).collect()
}
