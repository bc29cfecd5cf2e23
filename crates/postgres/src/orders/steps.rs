//! One transaction, step by step: what is sent, and what the answer to it has to hold.

use super::mix::{Inputs, TransactionKind};
use super::population::DISTRICTS;
use super::program::{Calls, function_of};
use super::statements::Statement;
use narrows_layer_database::{Answer, Request, Value};

/// What comes after an answer.
pub enum Step {
    /// The step that was written.
    Next,
    /// The transaction is over and acknowledged.
    Committed,
    /// The item at hand is not there.
    NoItem,
    /// The answer can't be right.
    Wrong(&'static str),
}

/// What the last answer answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Function,
    NextOrder,
    Buyer,
    Heads,
    Line(usize),
    Commit,
    Warehouse,
    District,
    ByName,
    PaidBy,
    Payment,
    Customer,
    LastOrder,
    LastLines,
    Pending(u32),
    Delivered(u32),
    StockLevel,
}

/// A transaction and how far it is.
pub struct Transaction {
    calls: Calls,
    /// Its values.
    pub inputs: Inputs,
    /// The number that a new order was given.
    pub order: i32,
    customer: i32,
    /// Names of warehouse and district, which a payment is noted with.
    names: [String; 2],
    waiting: Waiting,
}

impl Transaction {
    /// None yet.
    pub fn new(calls: Calls, inputs: Inputs) -> Transaction {
        let names = [String::with_capacity(10), String::with_capacity(10)];
        Transaction { calls, inputs, order: 0, customer: 0, names, waiting: Waiting::Function }
    }

    /// Writes the first step; also to do the same once more.
    pub fn start(&mut self, request: &mut Request<'_>) {
        match self.calls {
            Calls::Functions => self.call(request),
            Calls::Statements => self.first(request),
        }
    }

    fn call(&mut self, request: &mut Request<'_>) {
        self.waiting = Waiting::Function;
        let i = &self.inputs;
        let (w, d) = (Value::Int4(i.w), Value::Int2(i.d));
        let statement = function_of(i.kind) as usize;
        match i.kind {
            TransactionKind::NewOrder => {
                let lists = [&i.items, &i.from, &i.quantities].map(|list| Value::Int8s(list));
                let [items, from, quantities] = lists;
                request.run(statement, &[w, d, Value::Int4(i.c), items, from, quantities]);
            }
            TransactionKind::Payment => {
                let (c_w, c_d, c) = (Value::Int4(i.c_w), Value::Int2(i.c_d), Value::Int4(i.c));
                let (last, amount) = (Value::Text(&i.last), Value::Written(&i.amount));
                request.run(statement, &[w, d, c_w, c_d, c, last, amount]);
            }
            TransactionKind::OrderStatus => {
                request.run(statement, &[w, d, Value::Int4(i.c), Value::Text(&i.last)]);
            }
            TransactionKind::Delivery => request.run(statement, &[w, Value::Int2(i.number)]),
            TransactionKind::StockLevel => request.run(statement, &[w, d, Value::Int2(i.number)]),
        }
    }

    fn first(&mut self, request: &mut Request<'_>) {
        let i = &self.inputs;
        let (w, d) = (Value::Int4(i.w), Value::Int2(i.d));
        if i.kind != TransactionKind::StockLevel {
            request.run(Statement::Begin as usize, &[]);
        }
        self.waiting = match i.kind {
            TransactionKind::NewOrder => {
                request.run(Statement::NextOrder as usize, &[w, d]);
                Waiting::NextOrder
            }
            TransactionKind::Payment => {
                request.run(Statement::PayWarehouse as usize, &[w, Value::Written(&i.amount)]);
                Waiting::Warehouse
            }
            TransactionKind::OrderStatus if i.c == 0 => {
                request.run(Statement::ByName as usize, &[w, d, Value::Text(&i.last)]);
                Waiting::ByName
            }
            TransactionKind::OrderStatus => {
                self.customer = i.c;
                request.run(Statement::Customer as usize, &[w, d, Value::Int4(i.c)]);
                Waiting::Customer
            }
            TransactionKind::Delivery => {
                request.run(Statement::TakePending as usize, &[w, Value::Int2(1)]);
                Waiting::Pending(1)
            }
            TransactionKind::StockLevel => {
                request.run(Statement::StockLevel as usize, &[w, d, Value::Int2(i.number)]);
                Waiting::StockLevel
            }
        };
    }

    /// Looks at an answer and writes the next step.
    pub fn step(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> Step {
        match self.waiting {
            Waiting::Function => self.called(answer),
            Waiting::NextOrder | Waiting::Buyer | Waiting::Heads | Waiting::Line(_) => {
                self.new_order(answer, request)
            }
            Waiting::Commit => Step::Committed,
            Waiting::Pending(_) | Waiting::Delivered(_) => self.delivery(answer, request),
            Waiting::StockLevel => one_row(answer, "a stock level that is not one number"),
            Waiting::ByName => self.by_name(answer, request),
            Waiting::Customer | Waiting::LastOrder | Waiting::LastLines => {
                self.order_status(answer, request)
            }
            Waiting::Warehouse | Waiting::District | Waiting::PaidBy | Waiting::Payment => {
                self.payment(answer, request)
            }
        }
    }

    /// The answer of a function.
    fn called(&mut self, answer: &Answer<'_>) -> Step {
        let Some(row) = answer.row(0).filter(|_| answer.rows() == 1) else {
            return Step::Wrong("a function that did not answer with one row");
        };
        let there = match self.inputs.kind {
            TransactionKind::NewOrder => row.int(0).is_some_and(|order| {
                self.order = order as i32;
                order > 3000
            }),
            TransactionKind::Payment => row.int(0).is_some() && row.bytes(1).is_some(),
            // Every customer entered an order before the first run.
            TransactionKind::OrderStatus => row.int(4).is_some() && row.bytes(7).is_some(),
            TransactionKind::Delivery => {
                row.int(0).is_some_and(|n| (0..=i64::from(DISTRICTS)).contains(&n))
            }
            TransactionKind::StockLevel => row.int(0).is_some_and(|n| n >= 0),
        };
        if there { Step::Committed } else { Step::Wrong("a function that found nothing") }
    }

    fn commit(&mut self, request: &mut Request<'_>) -> Step {
        request.run(Statement::Commit as usize, &[]);
        self.waiting = Waiting::Commit;
        Step::Next
    }

    fn new_order(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> Step {
        let i = &self.inputs;
        let (w, d) = (Value::Int4(i.w), Value::Int2(i.d));
        match self.waiting {
            Waiting::NextOrder => {
                let Some(order) = answer.row(0).and_then(|row| row.int(0)) else {
                    return Step::Wrong("a district that gave no number for an order");
                };
                self.order = order as i32;
                request.run(Statement::Buyer as usize, &[w, d, Value::Int4(i.c)]);
                self.waiting = Waiting::Buyer;
            }
            Waiting::Buyer => {
                if answer.rows() != 1 {
                    return Step::Wrong("a customer who is not there");
                }
                let local = i.from.iter().all(|from| *from == i64::from(i.w));
                let (o, n) = (Value::Int4(self.order), Value::Int2(i.items.len() as i16));
                let local = Value::Int2(i16::from(local));
                let c = Value::Int4(i.c);
                request.run(Statement::EnterOrder as usize, &[w, o, c, d, n, local]);
                request.run(Statement::EnterPending as usize, &[w, o, d]);
                self.waiting = Waiting::Heads;
            }
            Waiting::Heads => self.line(0, request),
            Waiting::Line(last) => {
                if answer.rows() != 1 {
                    return Step::NoItem;
                }
                if last + 1 == self.inputs.items.len() {
                    return self.commit(request);
                }
                self.line(last + 1, request);
            }
            _ => return Step::Wrong("an answer that nobody waits for"),
        }
        Step::Next
    }

    fn line(&mut self, number: usize, request: &mut Request<'_>) {
        let i = &self.inputs;
        request.run(
            Statement::EnterLine as usize,
            &[
                Value::Int4(i.w),
                Value::Int2(i.d),
                Value::Int4(self.order),
                Value::Int2(number as i16 + 1),
                Value::Int4(i.items[number] as i32),
                Value::Int4(i.from[number] as i32),
                Value::Int4(i.quantities[number] as i32),
            ],
        );
        self.waiting = Waiting::Line(number);
    }

    fn by_name(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> Step {
        // The middle one, rounded up, of the names in order.
        let middle = (answer.rows() as usize).div_ceil(2);
        let found = answer.row(middle.wrapping_sub(1)).and_then(|row| row.int(0));
        let Some(customer) = found else { return Step::Wrong("a last name that nobody has") };
        self.customer = customer as i32;
        let i = &self.inputs;
        match i.kind {
            TransactionKind::Payment => self.pay(request),
            _ => {
                let c = Value::Int4(self.customer);
                let of = [Value::Int4(i.w), Value::Int2(i.d), c];
                request.run(Statement::Customer as usize, &of);
                self.waiting = Waiting::Customer;
            }
        }
        Step::Next
    }

    fn pay(&mut self, request: &mut Request<'_>) {
        let i = &self.inputs;
        let of = [
            Value::Int4(i.c_w),
            Value::Int2(i.c_d),
            Value::Int4(self.customer),
            Value::Int4(i.w),
            Value::Int2(i.d),
            Value::Written(&i.amount),
        ];
        request.run(Statement::PayCustomer as usize, &of);
        self.waiting = Waiting::PaidBy;
    }

    fn payment(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> Step {
        if self.waiting == Waiting::Payment {
            return self.commit(request);
        }
        if answer.rows() != 1 {
            return Step::Wrong("a payment whose warehouse, district or customer is not there");
        }
        if let Waiting::Warehouse | Waiting::District = self.waiting {
            let name = &mut self.names[usize::from(self.waiting == Waiting::District)];
            name.clear();
            name.push_str(answer.row(0).and_then(|row| row.text(0)).unwrap_or_default());
        }
        let i = &self.inputs;
        let (w, d) = (Value::Int4(i.w), Value::Int2(i.d));
        match self.waiting {
            Waiting::Warehouse => {
                let amount = Value::Written(&i.amount);
                request.run(Statement::PayDistrict as usize, &[w, d, amount]);
                self.waiting = Waiting::District;
            }
            Waiting::District if i.c == 0 => {
                let of = [Value::Int4(i.c_w), Value::Int2(i.c_d), Value::Text(&i.last)];
                request.run(Statement::ByName as usize, &of);
                self.waiting = Waiting::ByName;
            }
            Waiting::District => {
                self.customer = i.c;
                self.pay(request);
            }
            _ => {
                let (c_w, c) = (Value::Int4(i.c_w), Value::Int4(self.customer));
                let (c_d, amount) = (Value::Int2(i.c_d), Value::Written(&i.amount));
                let names = [Value::Text(&self.names[0]), Value::Text(&self.names[1])];
                request.run(
                    Statement::EnterPayment as usize,
                    &[w, c_w, c, d, c_d, amount, names[0], names[1]],
                );
                self.waiting = Waiting::Payment;
            }
        }
        Step::Next
    }

    fn order_status(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> Step {
        let i = &self.inputs;
        let (w, d) = (Value::Int4(i.w), Value::Int2(i.d));
        match self.waiting {
            Waiting::Customer if answer.rows() == 1 => {
                let of = [w, d, Value::Int4(self.customer)];
                request.run(Statement::LastOrder as usize, &of);
                self.waiting = Waiting::LastOrder;
            }
            Waiting::LastOrder if answer.rows() == 1 => {
                let order = answer.row(0).and_then(|row| row.int(0)).unwrap_or_default();
                request.run(Statement::Lines as usize, &[w, d, Value::Int4(order as i32)]);
                // It has read only: nothing depends on when it ends.
                request.run(Statement::Commit as usize, &[]);
                self.waiting = Waiting::LastLines;
            }
            Waiting::LastLines if answer.rows() >= 5 => return Step::Committed,
            // Every customer entered an order before the first run.
            _ => return Step::Wrong("a customer, an order or its lines that are not there"),
        }
        Step::Next
    }

    fn delivery(&mut self, answer: &Answer<'_>, request: &mut Request<'_>) -> Step {
        let i = &self.inputs;
        let w = Value::Int4(i.w);
        let at = |district: u32| Value::Int2(district as i16);
        match self.waiting {
            Waiting::Pending(district) => {
                let Some(order) = answer.row(0).and_then(|row| row.int(0)) else {
                    // Nothing is pending there.
                    return self.next_district(district, request);
                };
                let o = Value::Int4(order as i32);
                let carrier = Value::Int2(i.number);
                request.run(Statement::Carry as usize, &[w, at(district), o, carrier]);
                request.run(Statement::DeliverLines as usize, &[w, at(district), o]);
                self.waiting = Waiting::Delivered(district);
                Step::Next
            }
            Waiting::Delivered(district) => {
                let customer = answer.row(0).and_then(|row| row.int(0));
                let last = answer.row(1);
                let sum = last.as_ref().and_then(|row| row.text(0));
                let (Some(customer), Some(sum)) = (customer, sum) else {
                    return Step::Wrong("a pending order that is not there, or has no lines");
                };
                let of = [w, at(district), Value::Int4(customer as i32), Value::Written(sum)];
                request.run(Statement::Credit as usize, &of);
                self.next_district(district, request)
            }
            _ => Step::Wrong("an answer that nobody waits for"),
        }
    }

    /// Goes on with the next district, in the same round trip as what was written before; after the last one commits.
    fn next_district(&mut self, district: u32, request: &mut Request<'_>) -> Step {
        if district == DISTRICTS {
            return self.commit(request);
        }
        let of = [Value::Int4(self.inputs.w), Value::Int2(district as i16 + 1)];
        request.run(Statement::TakePending as usize, &of);
        self.waiting = Waiting::Pending(district + 1);
        Step::Next
    }
}

fn one_row(answer: &Answer<'_>, otherwise: &'static str) -> Step {
    if answer.rows() == 1 { Step::Committed } else { Step::Wrong(otherwise) }
}
