//! Through what contended locks are held, by what their holders were found doing.
//!
//! PostgreSQL gives up a transaction's locks after its commit's flush has returned, so a queue for locks can be one for that flush. Who
//! stands at the head of the longest queue was asked for again and again, and what that session waited for itself.

use narrows_model::LockHolders;
use narrows_stats::share_interval_95;

use crate::threshold::MOST_HOLDERS;

/// So many answers are worth a word: fewer don't tell a half from all.
const WORTH_A_WORD: u32 = 6;

/// Whether the holders were in a flush in more than half of all samples, or certainly in fewer; `None` where their number allows both.
pub(crate) fn through_flush(holders: LockHolders) -> Option<bool> {
    let (low, high) = share_interval_95(holders.in_flush.into(), holders.answers.into());
    if low > MOST_HOLDERS { Some(true) } else { (high < MOST_HOLDERS).then_some(false) }
}

/// `Of 18 samples, the holder of the lock with the longest queue was in a WAL flush in 17, running in 1.`
pub(crate) fn sentence(holders: LockHolders) -> Option<String> {
    let doing = [
        ("in a WAL flush", holders.in_flush),
        ("running", holders.on_cpu),
        ("waiting for its client", holders.for_client),
    ];
    let known = doing.into_iter().filter(|(_, n)| *n > 0);
    let known: Vec<String> = known.map(|(doing, n)| format!("{doing} in {n}")).collect();
    (holders.answers >= WORTH_A_WORD && !known.is_empty()).then(|| {
        format!(
            "Of {} samples, the holder of the lock with the longest queue was {}.",
            holders.answers,
            known.join(", ")
        )
    })
}
