//! Every number the law compares with, in one place, each with where it comes from.
//!
//! Four are rules of the design: 5 %, 0.95, 1.05, 1.15. The others are judgement, not measurement; those that
//! were chosen so that a certain example comes out say so.

/// The sum must reproduce the measured rate within this share, or the verdict is UNDECIDED. From the design.
pub const SUM_TOLERANCE: f64 = 0.05;

/// From this utilisation on a resource is called saturated. A closed loop cannot reach 1: with a queue in
/// front of the resource the last per cents are lost between one operation and the next.
pub const SATURATED: f64 = 0.90;

/// From here to [`SATURATED`] the queue in front of a resource is already a large part of the wait for it, so
/// its latency and its rate cannot be told apart (with one server, waiting is three times serving at 0.75).
pub const NEAR_SATURATION: f64 = 0.75;

/// Above this utilisation the capacity was understated, and what rests on it is withheld, never clipped.
pub const UNDERSTATED: f64 = 1.05;

/// The same for a control group's I/O limit, which the kernel keeps by slices of time: planted limits of reads and
/// writes gave 100 to 110 %.
pub const OVER_LIMIT: f64 = SAME_LIMIT;

/// A thread that was on a processor this share of the window was never the one to wait.
pub const HOT: f64 = 0.95;

/// How much busier than the mean session the hottest thread must be to be somebody of its own: where every
/// session is always on a processor, the hottest of them is nothing special.
pub const HOT_OVER_MEAN: f64 = 1.2;

/// A scan's workers are busy from here on; the rest is starting up, and handing tuples to the leader.
pub const WORKERS_BUSY: f64 = 0.85;

/// Sharing factor above which more cores will not scale.
pub const SHARING: f64 = 1.15;

/// Share of the server's set that others must use before they are named as what is narrow.
pub const TAKEN: f64 = 0.15;

/// A quota that stops the server this often, as a share of its periods, is its end also where others leave a little less than it.
pub const STOPS_OFTEN: f64 = 0.1;

/// How much less, as a share of the quota: what others took is taken from one period, and the quota ends another.
pub const LITTLE_LESS: f64 = 0.05;

/// Share of the server's set that a quota must withhold before it is named.
pub const WITHHELD: f64 = 0.05;

/// Of its periods, the share that a quota must stop its group in before waits are taken to hide the stops.
pub const MOSTLY_STOPPED: f64 = 0.5;

/// The server's flush must be this many times the log layer's before it is called slow inside the server:
/// the two are measured minutes apart, and a busy drive's flush varies by tens of per cent.
pub const SLOWER_INSIDE: f64 = 2.0;

/// Relative doubt of a figure that has no interval (fewer than three repeats): enough that two such figures
/// are only told apart when one is about a third larger.
pub const DOUBT_WITHOUT_INTERVAL: f64 = 0.25;

/// The smallest ratio of two bounds that is called a difference, whatever their intervals say: the sum itself
/// is only good to [`SUM_TOLERANCE`], so nothing finer can rest on it.
pub const SMALLEST_RATIO: f64 = 1.0 + SUM_TOLERANCE;

/// Half the width of the band in which a rate counts as unchanged by an intervention. Judgement: wider than the
/// scatter of a quiet machine's windows, narrower than a gain worth acting on.
pub const UNCHANGED: f64 = 0.10;

/// Share of a predicted gain, which is an upper bound, that queues before the next resource may eat. Chosen so
/// that the design's example (+51 % where the law allows +100 %) confirms; it has been 0.5 and did not. Some
/// simulated servers eat more, and stay below CONFIRMED for it.
pub const GAIN_EATEN: f64 = 0.60;

/// How far a rate may exceed a predicted gain (as a share of the gain), or differ from a predicted loss.
pub const EFFECT_SLACK: f64 = 0.30;

/// The gap that must lie between what a verdict and its rival predict for a test to be worth its seconds:
/// less than this is inside the scatter of a test.
pub const SMALLEST_GAP: f64 = 0.02;

/// Demands below this per operation are taken as none: a bound from them would be a rounding error.
pub const NO_DEMAND_PER_OP: f64 = 1e-3;

/// A control group's I/O limit and a measured capacity within this ratio are one thing seen twice.
pub const SAME_LIMIT: f64 = 1.15;

/// Relative doubt added to a step that was interpolated, because the curve between two steps is not a straight
/// line. Judgement; not measured on a log.
pub const INTERPOLATED: f64 = 0.10;

/// A flush this many times larger than the ladder's takes another time, and the ladder is a poor bound.
pub const MUCH_LARGER: f64 = 4.0;

/// A bound this many times the narrow one's is no rival: the resource was less than half busy.
pub const FAR: f64 = 2.0;

/// A gain from removing the flush that is clear of an unchanged rate. More isn't asked for, because what binds after
/// the flush is often inside the server, where no capacity is known. Chosen so that the design's example confirms:
/// +59 %, where the law, which knows of no lock, allows +317 %.
pub const CLEAR_GAIN: f64 = 0.15;

/// A client busier than this bounds the rate; below, one percent of a processor is as much as its timers cost.
pub const IDLE_CLIENT: f64 = 0.01;

/// Fewer transactions in the whole look tell nothing about a server.
pub const LEAST_TRANSACTIONS: f64 = 20.0;

/// Sessions that wait for locks at a moment, from which on they are a queue: one waits now and then wherever there are locks.
pub const LOCK_QUEUE: f64 = 2.0;

/// The server's own account of the time in statements may differ from the sum of its parts by this share; beyond it the time is not
/// explained, and no verdict rests on it. Twice what the sum may miss the rate by, because the account is of statements that ended in the
/// look and the parts are of the look.
pub const UNEXPLAINED: f64 = 2.0 * SUM_TOLERANCE;

/// Of the sessions' work, what a group that is always at work must do for its loop to be the system's.
pub const ALMOST_ALL_OF_THE_WORK: f64 = 0.8;

/// Of the sessions' work, what such a group must do to be worth a doubt.
pub const SOME_OF_THE_WORK: f64 = 0.2;

/// Where nobody counted the sessions that did nothing, more idle ones than this for each at work may be a pool's.
pub const MAY_BE_UNUSED: f64 = 4.0;

/// Of the sessions' processor time, what one session must use to be what the server waits for and not just its neighbour.
pub const MOST_OF_THE_WORK: f64 = 0.5;

/// Sessions at work on average by a server's own report, below which nobody waits for much.
pub const LEAST_ACTIVE: f64 = 0.5;

/// A report of a longer interval is one of a day's hills and valleys: an hour, and what snapshots are late by.
pub const LONG_REPORT_NS: f64 = 65.0 * 60e9;

/// A part of a transaction's time, or of the processors in use, that is not worth a word.
pub const NOT_WORTH_A_WORD: f64 = 0.02;

/// Sessions found in a flush at a moment, from which on the holder of a contended lock may be the one in it: with one hot row and a
/// flush of a tenth of the time that its holder has it.
pub const HOLDER_FLUSHES: f64 = 0.1;

/// Of a session's time without queues, the share that is CPU time from which on a session is nothing but its CPU time: without the rest it
/// would do a third more at most.
pub const MOSTLY_CPU: f64 = 0.75;

/// Of the holders of contended locks that were looked at, the share that must certainly have been in a flush (or certainly not) before the
/// queue is said to be for the flush (or not): more than every second one.
pub const MOST_HOLDERS: f64 = 0.5;

/// A sum that an account apart from it would have shown to be off by no more than this can carry CONFIRMED. Judgement: twice the tolerance.
pub const FINELY_CHECKED: f64 = 2.0 * SUM_TOLERANCE;

/// What others use of the CPUs is named only where the server's sessions, without their wait behind others, would do so many times the
/// rate. Judgement: a gain worth acting on.
pub const HELD_UP: f64 = 1.25;

/// Below this it is no bound at all: others may use what the server leaves.
pub const BARELY_HELD_UP: f64 = 1.1;

/// A sum that misses by more leaves something out, and no name is given however clear the largest part is. Judgement: twice the
/// tolerance; what was seen to miss by more (planted, and servers that were tried) had a cause that the sum did not hold.
pub const MISSED_BY_MUCH: f64 = 2.0 * SUM_TOLERANCE;

/// A server's account of its statements' time is taken to show no error smaller than this, however well it agrees: what a session does
/// between statements is in the parts and not in the account.
pub const FINEST_ACCOUNT: f64 = 0.02;

/// A rate that differs by a larger factor from that of the windows that ended a look is of yet another load. Judgement: as far as those
/// windows may differ from each other.
pub const OTHER_LOAD: f64 = 1.5;

/// Windows whose rate has a wider 95 % interval, as ± share, are no repeats of one load. As the finding `observed-load-changed` has it.
pub const WINDOWS_ALIKE: f64 = 0.25;

/// Of a session's round, the share in the run queue that is worth a doubt where CPUs are idle. Judgement.
pub const QUEUE_WORTH_A_DOUBT: f64 = 0.1;

/// So many times the run queue that random arrivals and sessions woken together make is explained by them. Judgement between planted servers
/// of one CPU: one that is stopped half of the time had 1.5 times, eight sessions behind slow flushes 1.0 and eight whose client sleeps 0.8.
pub const QUEUE_EXPLAINED: f64 = 1.25;
