//! The order-entry mix in a run file: the id of its measurement, its classes, its metrics, and the notice that every report on it
//! carries.

use crate::condition::keys;
use crate::metric::{Metric, metrics};
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

metrics! { SINGLE:
    /// Committed new orders per minute of the window.
    NEW_ORDERS_PER_MIN: "new_orders_per_min", Count, More;
    /// Committed new orders per minute of the window, for each warehouse.
    PER_WAREHOUSE: "new_orders_per_min_per_warehouse", Count, More;
    /// Share of new orders that were rolled back because an item does not exist: about one in a hundred by design.
    ROLLED_BACK: "new_orders_rolled_back", Ratio, Neither;
    /// Serialization failures over the whole load.
    SERIALIZATION_FAILURES: "serialization_failures", Count, Less;
    /// Deadlocks over the whole load.
    DEADLOCKS: "deadlocks", Count, Less;
    /// Transactions retried after a conflict, over the whole load.
    RETRIES: "retries", Count, Less;
    /// Different warehouses that transactions used.
    WAREHOUSES_TOUCHED: "warehouses_touched", Count, Neither;
    /// Consistency conditions that do not hold after the windows.
    VIOLATED: "conditions_violated", Count, Less;
    /// New orders by which the database's count differs from the acknowledged ones, less those that were never answered.
    MISCOUNTED: "new_orders_miscounted", Count, Less;
    /// Acknowledged orders that were missing after the server was killed and had recovered.
    LOST: "acknowledged_orders_lost", Count, Less;
    /// Orders that were acknowledged before the server was killed.
    ACKNOWLEDGED: "orders_acknowledged", Count, Neither;
    /// From the server's start to the first connection, after it was killed, ns.
    RECOVERY_TIME: "recovery_time", Ns, Less;
}

/// Transactions per second, by class.
pub const RATES: [Metric; 5] = [
    rate("rate_new_order", "Transactions per second: new order."),
    rate("rate_payment", "Transactions per second: payment."),
    rate("rate_order_status", "Transactions per second: order status."),
    rate("rate_delivery", "Transactions per second: delivery."),
    rate("rate_stock_level", "Transactions per second: stock level."),
];
/// Median latency by class, ns.
pub const P50: [Metric; 5] = [
    latency("latency_p50_new_order", "Median latency, ns: new order."),
    latency("latency_p50_payment", "Median latency, ns: payment."),
    latency("latency_p50_order_status", "Median latency, ns: order status."),
    latency("latency_p50_delivery", "Median latency, ns: delivery."),
    latency("latency_p50_stock_level", "Median latency, ns: stock level."),
];
/// 90th percentile of latency by class, ns.
pub const P90: [Metric; 5] = [
    latency("latency_p90_new_order", "90th percentile of latency, ns: new order."),
    latency("latency_p90_payment", "90th percentile of latency, ns: payment."),
    latency("latency_p90_order_status", "90th percentile of latency, ns: order status."),
    latency("latency_p90_delivery", "90th percentile of latency, ns: delivery."),
    latency("latency_p90_stock_level", "90th percentile of latency, ns: stock level."),
];
/// 99th percentile of latency by class, ns.
pub const P99: [Metric; 5] = [
    latency("latency_p99_new_order", "99th percentile of latency, ns: new order."),
    latency("latency_p99_payment", "99th percentile of latency, ns: payment."),
    latency("latency_p99_order_status", "99th percentile of latency, ns: order status."),
    latency("latency_p99_delivery", "99th percentile of latency, ns: delivery."),
    latency("latency_p99_stock_level", "99th percentile of latency, ns: stock level."),
];
keys! { KEYS:

/// Why the consistency conditions could not be checked after the windows: a text among the conditions of a measurement.
pub const NOT_CHECKED: Key<str> = Key::new("conditions_not_checked");

}

const fn rate(name: &'static str, about: &'static str) -> Metric {
    Metric::new(name, Unit::OpsPerS, Better::More, about)
}

const fn latency(name: &'static str, about: &'static str) -> Metric {
    Metric::new(name, Unit::Ns, Better::Less, about)
}

/// All metrics of the mix.
pub(crate) fn metrics() -> impl Iterator<Item = Metric> {
    let by_class = [RATES, P50, P90, P99].into_iter().flatten();
    SINGLE.iter().copied().chain(by_class)
}
