//! What `narrows memory` measures.

pub use narrows_layer_memory::slb::Kit;
use narrows_postgres::Address;

use super::RunOptions;

/// Clocks and all of the memory.
#[derive(Debug, Clone)]
pub struct StudyRequest {
    /// A sketch.
    pub quick: bool,
    /// Everything that takes longer.
    pub thorough: bool,
    /// How and where to.
    pub options: RunOptions,
}

/// The nodes' matrix.
#[derive(Debug, Clone)]
pub struct MatrixRequest {
    /// Every cell.
    pub thorough: bool,
    /// How and where to.
    pub options: RunOptions,
}

/// This machine's figures, kept or compared.
#[derive(Debug, Clone)]
pub struct BaselineRequest {
    /// Replace the one that is kept.
    pub renew: bool,
    /// How and where to.
    pub options: RunOptions,
}

/// Whose pools of shared memory are looked at.
#[derive(Debug, Clone)]
pub enum PoolOwner {
    /// All that may be looked into.
    Everybody,
    /// This process.
    Process(u32),
    /// This server, on this machine.
    Server(Box<Address>),
}

/// On which nodes the memory of running databases lies.
#[derive(Debug, Clone)]
pub struct PlacementRequest {
    /// Whose.
    pub owner: PoolOwner,
    /// A run with a matrix of nodes.
    pub matrix: Option<String>,
    /// Every page and not a sample.
    pub every_page: bool,
    /// How and where to.
    pub options: RunOptions,
}

/// SLB's loop.
#[derive(Debug, Clone)]
pub struct SlbRequest {
    /// Pages of 4 KiB per process.
    pub pages: u32,
    /// Loops over them.
    pub ops: u64,
    /// Whose loop.
    pub kit: Kit,
    /// Processes.
    pub processes: u32,
    /// CPUs for them, in this order; `None`: one of each core first.
    pub bind: Option<Vec<u32>>,
    /// 2 MiB pages underneath.
    pub huge: bool,
    /// How and where to.
    pub options: RunOptions,
}

/// CPUs by number, as `0,2` or `0-3`.
///
/// # Errors
/// A sentence, where it is no such list.
pub fn cpu_list(text: &str) -> Result<Vec<u32>, String> {
    let number = |text: &str| text.parse::<u32>().is_ok();
    let part = |part: &str| match part.split_once('-') {
        Some((first, last)) => number(first) && number(last),
        None => number(part),
    };
    let cpus = narrows_facts::parse_cpu_list(text);
    if cpus.is_empty() || !text.split(',').all(part) {
        return Err("name CPUs, as 0,2 or 0-3".to_string());
    }
    Ok(cpus)
}
