//! The order-entry mix in a run file: the id of its measurement, its classes, its metrics, and the notice that every report on it
//! carries.

use crate::condition::Key;
use crate::metric::Metric;
use crate::{Better, Unit};

/// The measurement's id.
pub const ID: &str = "database.orders";

/// What every report on this mix says. The specification's name stands here to say what the mix is not.
pub const DERIVED: &str = "orders is an order-entry mix derived from the TPC-C specification; it is not that benchmark, and its \
                           results compare with no published ones";

/// The classes of transactions, in the order of all lists here.
pub const CLASSES: [&str; 5] = ["new_order", "payment", "order_status", "delivery", "stock_level"];

/// 90th percentile of latency that the specification allows each class, ns.
pub const LIMIT_P90_NS: [f64; 5] = [5e9, 5e9, 5e9, 5e9, 20e9];

/// Committed new orders per minute of the window.
pub const NEW_ORDERS_PER_MIN: Metric = Metric::new("new_orders_per_min", Unit::Count, Better::More);
/// The same for each warehouse.
pub const PER_WAREHOUSE: Metric =
    Metric::new("new_orders_per_min_per_warehouse", Unit::Count, Better::More);
/// Of the new orders those that were rolled back because an item was not there, as about one in a hundred is meant to be.
pub const ROLLED_BACK: Metric = Metric::new("new_orders_rolled_back", Unit::Ratio, Better::Neither);
/// Transactions per second, by class.
pub const RATES: [Metric; 5] = [
    rate("rate_new_order"),
    rate("rate_payment"),
    rate("rate_order_status"),
    rate("rate_delivery"),
    rate("rate_stock_level"),
];
/// Median latency by class, ns.
pub const P50: [Metric; 5] = [
    latency("latency_p50_new_order"),
    latency("latency_p50_payment"),
    latency("latency_p50_order_status"),
    latency("latency_p50_delivery"),
    latency("latency_p50_stock_level"),
];
/// 90th percentile of latency by class, ns.
pub const P90: [Metric; 5] = [
    latency("latency_p90_new_order"),
    latency("latency_p90_payment"),
    latency("latency_p90_order_status"),
    latency("latency_p90_delivery"),
    latency("latency_p90_stock_level"),
];
/// 99th percentile of latency by class, ns.
pub const P99: [Metric; 5] = [
    latency("latency_p99_new_order"),
    latency("latency_p99_payment"),
    latency("latency_p99_order_status"),
    latency("latency_p99_delivery"),
    latency("latency_p99_stock_level"),
];
/// Answers that were serialization failures, over the whole load.
pub const SERIALIZATION_FAILURES: Metric =
    Metric::new("serialization_failures", Unit::Count, Better::Less);
/// Answers that were deadlocks, over the whole load.
pub const DEADLOCKS: Metric = Metric::new("deadlocks", Unit::Count, Better::Less);
/// Transactions done again after a conflict, over the whole load.
pub const RETRIES: Metric = Metric::new("retries", Unit::Count, Better::Less);
/// Different warehouses that a transaction was entered at.
pub const WAREHOUSES_TOUCHED: Metric =
    Metric::new("warehouses_touched", Unit::Count, Better::Neither);
/// Consistency conditions that do not hold after the windows.
pub const VIOLATED: Metric = Metric::new("conditions_violated", Unit::Count, Better::Less);
/// Why the consistency conditions could not be checked after the windows: a text among the conditions of a measurement.
pub const NOT_CHECKED: Key<str> = Key::new("conditions_not_checked");
/// New orders by which the database's count is outside of what the client saw and what was never answered.
pub const MISCOUNTED: Metric = Metric::new("new_orders_miscounted", Unit::Count, Better::Less);
/// Acknowledged orders that were not there after the server was killed and had recovered.
pub const LOST: Metric = Metric::new("acknowledged_orders_lost", Unit::Count, Better::Less);
/// Orders that were acknowledged before the server was killed.
pub const ACKNOWLEDGED: Metric = Metric::new("orders_acknowledged", Unit::Count, Better::Neither);
/// From the server's start to the first connection, after it was killed, ns.
pub const RECOVERY_TIME: Metric = Metric::new("recovery_time", Unit::Ns, Better::Less);

const fn rate(name: &'static str) -> Metric {
    Metric::new(name, Unit::OpsPerS, Better::More)
}

const fn latency(name: &'static str) -> Metric {
    Metric::new(name, Unit::Ns, Better::Less)
}

/// All metrics of the mix.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    let single = [
        NEW_ORDERS_PER_MIN,
        PER_WAREHOUSE,
        ROLLED_BACK,
        SERIALIZATION_FAILURES,
        DEADLOCKS,
        RETRIES,
        WAREHOUSES_TOUCHED,
        VIOLATED,
        MISCOUNTED,
        LOST,
        ACKNOWLEDGED,
        RECOVERY_TIME,
    ];
    single.into_iter().chain([RATES, P50, P90, P99].into_iter().flatten())
}
