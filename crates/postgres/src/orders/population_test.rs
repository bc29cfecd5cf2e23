//! Cardinalities and ranges of the population, read back from the bytes that are sent.

use super::*;

const LOAD: Load = Load { seed: 7, c_last_name: 100, now_us: 0 };

/// The fields of every row.
fn rows(table: Table, warehouse: i32) -> Vec<Vec<Option<Vec<u8>>>> {
    let mut source = Source::new(LOAD, table, warehouse);
    let mut out = Vec::new();
    while source.fill(&mut out, usize::MAX) {}
    let (mut rows, mut at) = (Vec::new(), 0);
    let mut take = |n: usize| {
        at += n;
        &out[at - n..at]
    };
    for _ in 0..source.rows() {
        let fields = u16::from_be_bytes(take(2).try_into().unwrap());
        let row = (0..fields).map(|_| {
            let length = i32::from_be_bytes(take(4).try_into().unwrap());
            (length >= 0).then(|| take(length as usize).to_vec())
        });
        rows.push(row.collect());
    }
    assert_eq!(at, out.len(), "{table:?}");
    rows
}

fn int(field: &Option<Vec<u8>>) -> i64 {
    field.as_ref().unwrap().iter().fold(0, |sum, byte| sum << 8 | i64::from(*byte))
}

#[test]
fn every_table_has_the_rows_that_the_specification_asks_for() {
    for table in Table::OF_WAREHOUSE.into_iter().filter(|table| *table != Table::Line) {
        assert_eq!(rows(table, 3).len() as u64, table.rows(), "{table:?}");
    }
    assert_eq!(rows(Table::Item, 0).len(), 100_000);
    let pending = rows(Table::Pending, 1);
    assert!(pending.iter().all(|row| (2101..=3000).contains(&int(&row[1]))));
}

#[test]
fn an_order_has_as_many_lines_as_it_says() {
    let orders = rows(Table::Orders, 2);
    let lines = rows(Table::Line, 2);
    let mut said = std::collections::BTreeMap::new();
    for order in &orders {
        let delivered = int(&order[2]) < i64::from(FIRST_PENDING);
        assert_eq!(order[5].is_some(), delivered);
        assert!((5..=15).contains(&int(&order[6])));
        said.insert((int(&order[4]), int(&order[2])), int(&order[6]));
    }
    for line in &lines {
        assert_eq!(line[0].is_some(), int(&line[2]) < i64::from(FIRST_PENDING));
        *said.get_mut(&(int(&line[5]), int(&line[2]))).unwrap() -= 1;
    }
    assert!(said.values().all(|left| *left == 0));
    // 30 000 orders of 5 to 15 lines: the mean of their sum is 300 000, its deviation 548.
    assert!(lines.len().abs_diff(300_000) < 2740, "{}", lines.len());
}

#[test]
fn each_customer_of_a_district_entered_one_order() {
    let mut seen = vec![0; 3001];
    for order in rows(Table::Orders, 1).iter().filter(|order| int(&order[4]) == 10) {
        seen[int(&order[3]) as usize] += 1;
    }
    assert!(seen[1..].iter().all(|n| *n == 1));
}

#[test]
fn the_first_thousand_customers_have_all_names_and_a_tenth_bad_credit() {
    let customers = rows(Table::Customer, 1);
    let mut names: Vec<_> =
        customers.iter().take(1000).map(|row| row[10].clone().unwrap()).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 1000);
    // Mean 3000, standard deviation 52.
    let bad = customers.iter().filter(|row| row[13].as_deref() == Some(b"BC")).count();
    assert!(bad.abs_diff(3000) < 260, "{bad}");
}

#[test]
fn a_warehouse_is_the_same_every_time_and_another_is_another() {
    let made = |seed, warehouse, step| {
        let mut source = Source::new(Load { seed, ..LOAD }, Table::Customer, warehouse);
        let mut out = Vec::new();
        let mut part = Vec::new();
        loop {
            part.clear();
            let more = source.fill(&mut part, step);
            out.extend_from_slice(&part);
            if !more {
                return out;
            }
        }
    };
    assert_eq!(made(1, 5, 1000), made(1, 5, usize::MAX));
    assert_ne!(made(1, 5, 1 << 20), made(1, 6, 1 << 20));
    assert_ne!(made(1, 5, 1 << 20), made(2, 5, 1 << 20));
}
