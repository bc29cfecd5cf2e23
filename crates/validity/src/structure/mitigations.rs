//! Guards against faults of processors (Linux `Documentation/admin-guide/hw-vuln/`) that cost time at each system call,
//! interrupt or switch; those that cost next to nothing aren't named.

use narrows_model::{FindingPlace, Platform};

use super::whole;

/// Words of the kernel's, and what is done then.
pub(super) const DEAR: [(&str, &str); 6] = [
    ("PTI", "page tables are switched at each system call"),
    ("Clear CPU buffers", "buffers are cleared at each return to a program"),
    ("untrained return thunk", "returns are untrained at each system call"),
    ("Safe RET", "each return in the kernel is mitigated"),
    ("IBRS", "indirect branches are restricted at each system call"),
    ("IBPB", "branch predictions are dropped"),
];

pub(super) fn dear(platform: &Platform) -> Vec<FindingPlace> {
    let found = platform.cpu.mitigations.iter().filter_map(|line| {
        let (fault, state) = line.split_once(": ")?;
        // `Vulnerable: Safe RET, no microcode` is done all the same.
        let state = ["Mitigation: ", "Vulnerable: "].iter().find_map(|w| state.strip_prefix(w))?;
        // Of several steps the first is the guard, the others say how far it goes.
        let guard = state.split([';', ',']).next()?.trim();
        // `Enhanced IBRS` is the processor's own and is switched on once; leaving a guest is a host's affair.
        let (_, costs) = DEAR.iter().find(|(word, _)| guard.starts_with(word))?;
        (!guard.contains("VMEXIT")).then(|| whole(format!("{fault}: {guard}, {costs}")))
    });
    found.collect()
}
