//! The rows that a load begins with (clause 4.3.3 of the specification), made warehouse by warehouse from one seed.
//!
//! A warehouse's rows depend on the seed and its number alone: a load that goes on after an interruption, or that uses
//! more connections, makes the same rows.

use narrows_engine::Rng;

use super::copy_rows::Rows;
use super::nurand::{between, nurand};
use super::words;

/// Items, and stock rows of a warehouse.
pub const ITEMS: u32 = 100_000;
/// Districts of a warehouse.
pub const DISTRICTS: u32 = 10;
/// Customers, and orders at the start, of a district.
pub const CUSTOMERS: u32 = 3000;
/// The first order of a district that is not delivered at the start; 900 are pending.
pub const FIRST_PENDING: u32 = 2101;
/// Customers whose last names are all 1000 names in turn.
const NAMES: u32 = 1000;

/// A table that is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// 100 000 in all.
    Item,
    /// One row.
    Warehouse,
    /// Ten rows.
    District,
    /// 100 000 rows.
    Stock,
    /// 30 000 rows.
    Customer,
    /// 30 000 rows.
    Payment,
    /// 30 000 rows.
    Orders,
    /// 9000 rows.
    Pending,
    /// About 300 000 rows.
    Line,
}

impl Table {
    /// What belongs to a warehouse, in the order of loading.
    pub const OF_WAREHOUSE: [Table; 8] = [
        Table::Warehouse,
        Table::District,
        Table::Stock,
        Table::Customer,
        Table::Payment,
        Table::Orders,
        Table::Pending,
        Table::Line,
    ];

    /// Its name in the schema.
    pub fn name(self) -> &'static str {
        match self {
            Table::Item => "item",
            Table::Warehouse => "warehouse",
            Table::District => "district",
            Table::Stock => "stock",
            Table::Customer => "customer",
            Table::Payment => "payment",
            Table::Orders => "orders",
            Table::Pending => "pending",
            Table::Line => "line",
        }
    }

    /// Rows that a warehouse has at the start (the items are one set for all); order lines are drawn: 5 to 15 for an order.
    pub fn rows(self) -> u64 {
        let orders = u64::from(DISTRICTS * CUSTOMERS);
        match self {
            Table::Item | Table::Stock => u64::from(ITEMS),
            Table::Warehouse => 1,
            Table::District => u64::from(DISTRICTS),
            Table::Customer | Table::Payment | Table::Orders => orders,
            Table::Pending => u64::from(DISTRICTS * (CUSTOMERS + 1 - FIRST_PENDING)),
            Table::Line => 10 * orders,
        }
    }
}

/// What all rows of a load share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Seed of everything drawn.
    pub seed: u64,
    /// The constant of the skewed draw for last names.
    pub c_last_name: u32,
    /// When everything was entered, microseconds since 2000-01-01 UTC.
    pub now_us: i64,
}

/// Makes the rows of one table of one warehouse, some at a time.
pub struct Source {
    load: Load,
    table: Table,
    warehouse: i32,
    rng: Rng,
    /// Units made: rows, or orders where lines follow from orders.
    made: u32,
    units: u32,
    rows: u64,
    /// Which customer entered which order of the district at hand.
    customers: Vec<u16>,
}

impl Source {
    /// Rows of `table` for `warehouse`; 0 for the items.
    pub fn new(load: Load, table: Table, warehouse: i32) -> Source {
        let units = match table {
            Table::Line => Table::Orders.rows(),
            other => other.rows(),
        } as u32;
        Source {
            load,
            table,
            warehouse,
            rng: rng_of(load, table, warehouse),
            made: 0,
            units,
            rows: 0,
            customers: Vec::new(),
        }
    }

    /// Rows made so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Appends rows until `out` has about `bytes`; `false` once there are no more.
    pub fn fill(&mut self, out: &mut Vec<u8>, bytes: usize) -> bool {
        while out.len() < bytes && self.made < self.units {
            let unit = self.made;
            self.made += 1;
            self.rows += self.unit(unit, out);
        }
        self.made < self.units
    }

    fn unit(&mut self, unit: u32, out: &mut Vec<u8>) -> u64 {
        match self.table {
            Table::Item => self.item(unit, out),
            Table::Warehouse => self.warehouse(out),
            Table::District => self.district(unit, out),
            Table::Stock => self.stock(unit, out),
            Table::Customer => self.customer(unit, out),
            Table::Payment => self.payment(unit, out),
            Table::Orders => self.order(unit, out),
            Table::Pending => self.pending(unit, out),
            Table::Line => return self.lines(unit, out),
        }
        1
    }

    fn item(&mut self, unit: u32, out: &mut Vec<u8>) {
        let rng = &mut self.rng;
        let mut row = Rows(out);
        row.row(5).int4(unit as i32 + 1).int4(between(rng, 1, 10_000) as i32);
        row.numeric(i64::from(between(rng, 100, 10_000)), 2);
        row.text(|out| some_letters(rng, 14, 24, out)).text(|out| words::data(rng, out));
    }

    fn warehouse(&mut self, out: &mut Vec<u8>) {
        let rng = &mut self.rng;
        let mut row = Rows(out);
        row.row(9).int4(self.warehouse).numeric(i64::from(between(rng, 0, 2000)), 4);
        row.numeric(30_000_000, 2).text(|out| some_letters(rng, 6, 10, out));
        address(rng, &mut row);
    }

    fn district(&mut self, unit: u32, out: &mut Vec<u8>) {
        let rng = &mut self.rng;
        let mut row = Rows(out);
        row.row(11).int4(self.warehouse).int4(CUSTOMERS as i32 + 1).int2(unit as i16 + 1);
        row.numeric(i64::from(between(rng, 0, 2000)), 4).numeric(3_000_000, 2);
        row.text(|out| some_letters(rng, 6, 10, out));
        address(rng, &mut row);
    }

    fn stock(&mut self, unit: u32, out: &mut Vec<u8>) {
        let rng = &mut self.rng;
        let mut row = Rows(out);
        row.row(17).int4(self.warehouse).int4(unit as i32 + 1).int4(0).int4(0).int4(0);
        row.int2(between(rng, 10, 100) as i16);
        for _ in 0..DISTRICTS {
            row.text(|out| words::letters(rng, 24, out));
        }
        row.text(|out| words::data(rng, out));
    }

    fn customer(&mut self, unit: u32, out: &mut Vec<u8>) {
        let (district, number) = (unit / CUSTOMERS, unit % CUSTOMERS);
        let c = self.load.c_last_name;
        let rng = &mut self.rng;
        let name = if number < NAMES { number } else { nurand(rng, 255, c, 0, NAMES - 1) };
        let mut row = Rows(out);
        row.row(21).time(self.load.now_us).int4(self.warehouse).int4(number as i32 + 1);
        row.int4(1).int4(0).int2(district as i16 + 1);
        row.numeric(i64::from(between(rng, 0, 5000)), 4).numeric(5_000_000, 2);
        row.numeric(-1000, 2).numeric(1000, 2);
        row.text(|out| words::last_name(name, out)).text(|out| some_letters(rng, 8, 16, out));
        let bad = rng.below(10) == 0;
        row.text(|out| out.extend_from_slice(b"OE"));
        row.text(|out| out.extend_from_slice(if bad { b"BC" } else { b"GC" }));
        address(rng, &mut row);
        row.text(|out| words::digits(rng, 16, out)).text(|out| some_letters(rng, 300, 500, out));
    }

    fn payment(&mut self, unit: u32, out: &mut Vec<u8>) {
        let (district, number) = (unit / CUSTOMERS, unit % CUSTOMERS);
        let rng = &mut self.rng;
        let mut row = Rows(out);
        row.row(8).time(self.load.now_us).int4(self.warehouse).int4(self.warehouse);
        row.int4(number as i32 + 1).int2(district as i16 + 1).int2(district as i16 + 1);
        row.numeric(1000, 2).text(|out| some_letters(rng, 12, 24, out));
    }

    fn order(&mut self, unit: u32, out: &mut Vec<u8>) {
        let (district, number) = (unit / CUSTOMERS, unit % CUSTOMERS);
        if number == 0 {
            self.customers = shuffled(&mut self.rng);
        }
        let customer = self.customers[number as usize];
        let (lines, load) = (lines_of(self.load, self.warehouse, unit), self.load);
        let mut row = Rows(out);
        row.row(8).time(load.now_us).int4(self.warehouse).int4(number as i32 + 1);
        row.int4(i32::from(customer)).int2(district as i16 + 1);
        match number + 1 < FIRST_PENDING {
            true => row.int2(between(&mut self.rng, 1, 10) as i16),
            false => row.null(),
        };
        row.int2(lines as i16).int2(1);
    }

    fn pending(&mut self, unit: u32, out: &mut Vec<u8>) {
        let each = CUSTOMERS + 1 - FIRST_PENDING;
        let (district, number) = (unit / each, FIRST_PENDING + unit % each);
        Rows(out).row(3).int4(self.warehouse).int4(number as i32).int2(district as i16 + 1);
    }

    fn lines(&mut self, unit: u32, out: &mut Vec<u8>) -> u64 {
        let (district, number) = (unit / CUSTOMERS, unit % CUSTOMERS);
        let lines = lines_of(self.load, self.warehouse, unit);
        let delivered = number + 1 < FIRST_PENDING;
        let rng = &mut self.rng;
        for line in 1..=lines {
            let mut row = Rows(out);
            row.row(10);
            match delivered {
                true => row.time(self.load.now_us),
                false => row.null(),
            };
            row.int4(self.warehouse).int4(number as i32 + 1).int4(between(rng, 1, ITEMS) as i32);
            row.int4(self.warehouse).int2(district as i16 + 1).int2(line as i16).int2(5);
            let amount = if delivered { 0 } else { between(rng, 1, 999_999) };
            row.numeric(i64::from(amount), 2).text(|out| words::letters(rng, 24, out));
        }
        u64::from(lines)
    }
}

fn rng_of(load: Load, table: Table, warehouse: i32) -> Rng {
    let place = (warehouse as u64) << 8 | table as u64;
    Rng::new(load.seed ^ place.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Lines of an order, the same in both tables that tell of it.
fn lines_of(load: Load, warehouse: i32, order: u32) -> u32 {
    let place = (warehouse as u64) << 32 | u64::from(order);
    let mut rng = Rng::new(load.seed ^ 0x11ae5 ^ place.wrapping_mul(0xd134_2543_de82_ef95));
    between(&mut rng, 5, 15)
}

/// The customers of a district in random order: each enters one order.
fn shuffled(rng: &mut Rng) -> Vec<u16> {
    let mut all: Vec<u16> = (1..=CUSTOMERS as u16).collect();
    for at in (1..all.len()).rev() {
        all.swap(at, rng.below(at as u64 + 1) as usize);
    }
    all
}

fn some_letters(rng: &mut Rng, low: u32, high: u32, out: &mut Vec<u8>) {
    let length = between(rng, low, high) as usize;
    words::letters(rng, length, out);
}

/// Two streets, city, state and postal code.
fn address(rng: &mut Rng, row: &mut Rows<'_>) {
    for _ in 0..3 {
        row.text(|out| some_letters(rng, 10, 20, out));
    }
    row.text(|out| words::letters(rng, 2, out)).text(|out| words::postal_code(rng, out));
}

#[cfg(test)]
#[path = "population_test.rs"]
mod tests;
