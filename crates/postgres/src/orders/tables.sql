-- The nine tables. Names and SQL are our own, sizes and ranges those of the order-entry specification.
-- Fill factors leave room for new versions of rows in their own block, so that updates touch no index: warehouses and
-- districts are few and hot (a block holds few of them), stock and customers change now and then, an order and its lines
-- once. What is never changed is packed. No foreign keys: the consistency conditions check what they would.
CREATE TABLE {s}.item (
    i int NOT NULL, image int NOT NULL, price numeric(5,2) NOT NULL, name varchar(24) NOT NULL, data varchar(50) NOT NULL
);
CREATE TABLE {s}.warehouse (
    w int NOT NULL, tax numeric(4,4) NOT NULL, ytd numeric(12,2) NOT NULL, name varchar(10) NOT NULL,
    street_1 varchar(20) NOT NULL, street_2 varchar(20) NOT NULL, city varchar(20) NOT NULL, state char(2) NOT NULL,
    zip char(9) NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE {s}.district (
    w int NOT NULL, next_order int NOT NULL, d smallint NOT NULL, tax numeric(4,4) NOT NULL, ytd numeric(12,2) NOT NULL,
    name varchar(10) NOT NULL, street_1 varchar(20) NOT NULL, street_2 varchar(20) NOT NULL, city varchar(20) NOT NULL,
    state char(2) NOT NULL, zip char(9) NOT NULL
) WITH (fillfactor = 20);
CREATE TABLE {s}.stock (
    w int NOT NULL, i int NOT NULL, ytd int NOT NULL, orders int NOT NULL, remote int NOT NULL,
    quantity smallint NOT NULL, dist_01 char(24) NOT NULL, dist_02 char(24) NOT NULL, dist_03 char(24) NOT NULL,
    dist_04 char(24) NOT NULL, dist_05 char(24) NOT NULL, dist_06 char(24) NOT NULL, dist_07 char(24) NOT NULL,
    dist_08 char(24) NOT NULL, dist_09 char(24) NOT NULL, dist_10 char(24) NOT NULL, data varchar(50) NOT NULL
) WITH (fillfactor = 90);
CREATE TABLE {s}.customer (
    since timestamptz NOT NULL, w int NOT NULL, c int NOT NULL, payments int NOT NULL, deliveries int NOT NULL,
    d smallint NOT NULL, discount numeric(4,4) NOT NULL, credit_limit numeric(12,2) NOT NULL,
    balance numeric(12,2) NOT NULL, paid numeric(12,2) NOT NULL, last varchar(16) NOT NULL, first varchar(16) NOT NULL,
    middle char(2) NOT NULL, credit char(2) NOT NULL, street_1 varchar(20) NOT NULL, street_2 varchar(20) NOT NULL,
    city varchar(20) NOT NULL, state char(2) NOT NULL, zip char(9) NOT NULL, phone char(16) NOT NULL,
    data varchar(500) NOT NULL
) WITH (fillfactor = 90);
CREATE TABLE {s}.payment (
    paid timestamptz NOT NULL, w int NOT NULL, c_w int NOT NULL, c int NOT NULL, d smallint NOT NULL,
    c_d smallint NOT NULL, amount numeric(6,2) NOT NULL, data varchar(24) NOT NULL
);
CREATE TABLE {s}.orders (
    entered timestamptz NOT NULL, w int NOT NULL, o int NOT NULL, c int NOT NULL, d smallint NOT NULL,
    carrier smallint, lines smallint NOT NULL, all_local smallint NOT NULL
) WITH (fillfactor = 95);
CREATE TABLE {s}.pending (w int NOT NULL, o int NOT NULL, d smallint NOT NULL);
CREATE TABLE {s}.line (
    delivered timestamptz, w int NOT NULL, o int NOT NULL, i int NOT NULL, from_w int NOT NULL, d smallint NOT NULL,
    n smallint NOT NULL, quantity smallint NOT NULL, amount numeric(6,2) NOT NULL, dist char(24) NOT NULL
) WITH (fillfactor = 95);
-- What is loaded: one row for each warehouse, 0 for the items, written in the transaction that loads it.
CREATE TABLE {s}.loaded (w int PRIMARY KEY, lines bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
CREATE TABLE {s}.setup (
    layout int NOT NULL, warehouses int NOT NULL, seed text NOT NULL, c_last_name int NOT NULL, ready boolean NOT NULL
);
