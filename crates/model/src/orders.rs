//! The order-entry mix in a run file: the id of its measurement, its classes, its metrics, and the notice that every report on it
//! carries.

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
pub const NEW_ORDERS_PER_MIN: &str = "new_orders_per_min";
/// The same for each warehouse.
pub const PER_WAREHOUSE: &str = "new_orders_per_min_per_warehouse";
/// Of the new orders those that were rolled back because an item was not there, as about one in a hundred is meant to be.
pub const ROLLED_BACK: &str = "new_orders_rolled_back";
/// Transactions per second, by class.
pub const RATES: [&str; 5] =
    ["rate_new_order", "rate_payment", "rate_order_status", "rate_delivery", "rate_stock_level"];
/// Median latency by class, ns.
pub const P50: [&str; 5] = [
    "latency_p50_new_order",
    "latency_p50_payment",
    "latency_p50_order_status",
    "latency_p50_delivery",
    "latency_p50_stock_level",
];
/// 90th percentile of latency by class, ns.
pub const P90: [&str; 5] = [
    "latency_p90_new_order",
    "latency_p90_payment",
    "latency_p90_order_status",
    "latency_p90_delivery",
    "latency_p90_stock_level",
];
/// 99th percentile of latency by class, ns.
pub const P99: [&str; 5] = [
    "latency_p99_new_order",
    "latency_p99_payment",
    "latency_p99_order_status",
    "latency_p99_delivery",
    "latency_p99_stock_level",
];
/// Answers that were serialization failures, over the whole load.
pub const SERIALIZATION_FAILURES: &str = "serialization_failures";
/// Answers that were deadlocks, over the whole load.
pub const DEADLOCKS: &str = "deadlocks";
/// Transactions done again after a conflict, over the whole load.
pub const RETRIES: &str = "retries";
/// Different warehouses that a transaction was entered at.
pub const WAREHOUSES_TOUCHED: &str = "warehouses_touched";
/// Consistency conditions that do not hold after the windows.
pub const VIOLATED: &str = "conditions_violated";
/// Why the consistency conditions could not be checked after the windows: a text among the conditions of a measurement.
pub const NOT_CHECKED: &str = "conditions_not_checked";
/// New orders by which the database's count is outside of what the client saw and what was never answered.
pub const MISCOUNTED: &str = "new_orders_miscounted";
/// Acknowledged orders that were not there after the server was killed and had recovered.
pub const LOST: &str = "acknowledged_orders_lost";
/// Orders that were acknowledged before the server was killed.
pub const ACKNOWLEDGED: &str = "orders_acknowledged";
/// From the server's start to the first connection, after it was killed, ns.
pub const RECOVERY_TIME: &str = "recovery_time";
