//! The five transactions as statements of the client, by their numbers, and those that call the server's functions.
//!
//! The client's are written as a careful programmer would: BEGIN goes out with the first statement, an order's line is
//! one statement, what needs nothing from an answer shares a round trip.

use super::place::sql;

/// Statements by number. Names tell what they do; `Call…` are the functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Statement {
    CallNewOrder,
    CallPayment,
    CallOrderStatus,
    CallDelivery,
    CallStockLevel,
    Begin,
    Commit,
    NextOrder,
    Buyer,
    EnterOrder,
    EnterPending,
    EnterLine,
    PayWarehouse,
    PayDistrict,
    ByName,
    PayCustomer,
    EnterPayment,
    Customer,
    LastOrder,
    Lines,
    TakePending,
    Carry,
    DeliverLines,
    Credit,
    StockLevel,
}

/// The statements' texts with the schema's name in them.
pub fn texts() -> Vec<String> {
    TEXTS.iter().map(|(_, text)| sql(text)).collect()
}

use Statement::*;

/// In the order of their numbers, which a test checks.
const TEXTS: [(Statement, &str); 25] = [
    (CallNewOrder, "SELECT * FROM {s}.new_order($1, $2, $3, $4, $5, $6)"),
    (CallPayment, "SELECT * FROM {s}.pay($1, $2, $3, $4, $5, $6, $7)"),
    (CallOrderStatus, "SELECT * FROM {s}.order_status($1, $2, $3, $4)"),
    (CallDelivery, "SELECT {s}.deliver($1, $2)"),
    (CallStockLevel, "SELECT {s}.stock_level($1, $2, $3)"),
    (Begin, "BEGIN"),
    (Commit, "COMMIT"),
    (
        NextOrder,
        "UPDATE {s}.district SET next_order = next_order + 1 WHERE w = $1 AND d = $2 RETURNING next_order - 1, tax",
    ),
    (
        Buyer,
        "SELECT c.discount, c.last, c.credit, h.tax FROM {s}.customer c, {s}.warehouse h \
         WHERE c.w = $1 AND c.d = $2 AND c.c = $3 AND h.w = $1",
    ),
    (
        EnterOrder,
        "INSERT INTO {s}.orders (entered, w, o, c, d, lines, all_local) VALUES (now(), $1, $2, $3, $4, $5, $6)",
    ),
    (EnterPending, "INSERT INTO {s}.pending (w, o, d) VALUES ($1, $2, $3)"),
    (
        EnterLine,
        "WITH item AS (SELECT price, name, data FROM {s}.item WHERE i = $5::int), \
         taken AS (UPDATE {s}.stock SET quantity = CASE WHEN quantity >= $7::int + 10 THEN quantity - $7::int \
         ELSE quantity - $7::int + 91 END, ytd = ytd + $7::int, orders = orders + 1, \
         remote = remote + CASE WHEN $6::int = $1::int THEN 0 ELSE 1 END \
         WHERE w = $6::int AND i = $5::int RETURNING quantity, data, CASE $2::smallint WHEN 1 THEN dist_01 WHEN 2 THEN dist_02 \
         WHEN 3 THEN dist_03 WHEN 4 THEN dist_04 WHEN 5 THEN dist_05 WHEN 6 THEN dist_06 WHEN 7 THEN dist_07 \
         WHEN 8 THEN dist_08 WHEN 9 THEN dist_09 ELSE dist_10 END AS dist), \
         entered AS (INSERT INTO {s}.line (w, o, i, from_w, d, n, quantity, amount, dist) \
         SELECT $1::int, $3::int, $5::int, $6::int, $2::smallint, $4::smallint, $7::int, $7::int * item.price, taken.dist \
         FROM item, taken RETURNING amount) \
         SELECT item.name, taken.quantity, CASE WHEN item.data LIKE '%ORIGINAL%' AND taken.data LIKE '%ORIGINAL%' \
         THEN 'B' ELSE 'G' END, item.price, entered.amount FROM item, taken, entered",
    ),
    (
        PayWarehouse,
        "UPDATE {s}.warehouse SET ytd = ytd + $2 WHERE w = $1 RETURNING name, street_1, street_2, city, state, zip",
    ),
    (
        PayDistrict,
        "UPDATE {s}.district SET ytd = ytd + $3 WHERE w = $1 AND d = $2 \
         RETURNING name, street_1, street_2, city, state, zip",
    ),
    (ByName, "SELECT c FROM {s}.customer WHERE w = $1 AND d = $2 AND last = $3 ORDER BY first"),
    (
        PayCustomer,
        "UPDATE {s}.customer SET balance = balance - $6, paid = paid + $6, payments = payments + 1, \
         data = CASE WHEN credit = 'BC' THEN left(concat_ws(' ', c, d, w, $5::smallint, $4::int, $6) || '|' || data, 500) \
         ELSE data END WHERE w = $1 AND d = $2 AND c = $3 \
         RETURNING balance, credit, discount, first, last, CASE WHEN credit = 'BC' THEN left(data, 200) END",
    ),
    (
        EnterPayment,
        "INSERT INTO {s}.payment (paid, w, c_w, c, d, c_d, amount, data) \
         VALUES (now(), $1, $2, $3, $4, $5, $6, $7::text || '    ' || $8::text)",
    ),
    (Customer, "SELECT balance, first, last FROM {s}.customer WHERE w = $1 AND d = $2 AND c = $3"),
    (
        LastOrder,
        "SELECT o, entered, carrier FROM {s}.orders WHERE w = $1 AND d = $2 AND c = $3 ORDER BY o DESC LIMIT 1",
    ),
    (
        Lines,
        "SELECT i, from_w, quantity, amount, delivered FROM {s}.line WHERE w = $1 AND d = $2 AND o = $3",
    ),
    (
        TakePending,
        "DELETE FROM {s}.pending WHERE w = $1 AND d = $2 AND o = (SELECT o FROM {s}.pending \
         WHERE w = $1 AND d = $2 ORDER BY o LIMIT 1 FOR UPDATE) RETURNING o",
    ),
    (Carry, "UPDATE {s}.orders SET carrier = $4 WHERE w = $1 AND d = $2 AND o = $3 RETURNING c"),
    (
        DeliverLines,
        "WITH gone AS (UPDATE {s}.line SET delivered = now() WHERE w = $1 AND d = $2 AND o = $3 RETURNING amount) \
         SELECT sum(amount)::text FROM gone",
    ),
    (
        Credit,
        "UPDATE {s}.customer SET balance = balance + $4, deliveries = deliveries + 1 WHERE w = $1 AND d = $2 AND c = $3",
    ),
    (
        StockLevel,
        "SELECT count(DISTINCT l.i) FROM {s}.district t JOIN {s}.line l ON l.w = t.w AND l.d = t.d \
         AND l.o >= t.next_order - 20 AND l.o < t.next_order JOIN {s}.stock s ON s.w = l.w AND s.i = l.i \
         WHERE t.w = $1 AND t.d = $2 AND s.quantity < $3",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_statement_has_its_own_text_and_names_no_other_schema() {
        for (number, (statement, _)) in TEXTS.iter().enumerate() {
            assert_eq!(*statement as usize, number);
        }
        assert!(texts().iter().all(|text| !text.contains('{')));
    }
}
