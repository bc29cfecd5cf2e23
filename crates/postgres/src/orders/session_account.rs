//! What the client itself knows of the orders that it entered, to be held against the database's own count.

use std::sync::Mutex;

/// A new order that the server acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Acknowledged {
    /// Warehouse.
    pub w: i32,
    /// District.
    pub d: i16,
    /// Number.
    pub o: i32,
    /// Lines.
    pub lines: i16,
}

/// What one session knows, and all of them together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionAccount {
    /// New orders that were acknowledged, from the first to the last.
    pub new_orders: u64,
    /// Payments likewise.
    pub payments: u64,
    /// New orders whose answer never came: they may be there or not.
    pub in_doubt: u64,
    /// Warehouses that a transaction was entered at, by number from 0 on.
    pub warehouses: Vec<bool>,
    /// The acknowledged new orders, where they are to be remembered.
    pub orders: Vec<Acknowledged>,
}

impl SessionAccount {
    /// Notes the warehouse, 1 to the highest.
    #[inline]
    pub fn touch(&mut self, warehouse: i32) {
        if let Some(seen) = self.warehouses.get_mut(warehouse as usize - 1) {
            *seen = true;
        }
    }

    /// Warehouses that were touched.
    pub fn distinct(&self) -> u32 {
        self.warehouses.iter().filter(|seen| **seen).count() as u32
    }

    /// Adds what another session knows.
    pub fn merge(&mut self, other: &SessionAccount) {
        self.new_orders += other.new_orders;
        self.payments += other.payments;
        self.in_doubt += other.in_doubt;
        self.orders.extend_from_slice(&other.orders);
        let length = self.warehouses.len().max(other.warehouses.len());
        self.warehouses.resize(length, false);
        for (seen, other) in self.warehouses.iter_mut().zip(&other.warehouses) {
            *seen |= other;
        }
    }
}

/// What all sessions together know, once their programs are gone.
#[derive(Debug, Default)]
pub struct Shared(Mutex<SessionAccount>);

impl Shared {
    /// Adds a session's.
    pub fn add(&self, seen: &SessionAccount) {
        self.0.lock().expect("no program panics holding it").merge(seen);
    }

    /// Takes everything, and begins anew.
    pub fn take(&self) -> SessionAccount {
        std::mem::take(&mut self.0.lock().expect("no program panics holding it"))
    }
}
