//! Formulas over lines of a sheet: what they come to, what they rest on, and how they are written down.

use std::ops::{Add, Div, Mul, Sub};

use super::closed_loop::{ClosedLoop, StorageQueue};
use super::number;

/// A formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// A constant of the arithmetic: hours of a year, seconds of a minute.
    Number(f64),
    /// The line at that position.
    Line(usize),
    /// The first and the second.
    Sum(Box<Expr>, Box<Expr>),
    /// The first less the second.
    Difference(Box<Expr>, Box<Expr>),
    /// The first times the second.
    Product(Box<Expr>, Box<Expr>),
    /// The first over the second.
    Quotient(Box<Expr>, Box<Expr>),
    /// To the next whole number; what is within a millionth of one is that one.
    RoundedUp(Box<Expr>),
    /// The larger of two.
    AtLeast(Box<Expr>, Box<Expr>),
    /// The smaller of two.
    AtMost(Box<Expr>, Box<Expr>),
    /// What sessions get through that go round between CPUs and elsewhere, or one of its parts.
    ClosedLoop(Box<ClosedLoop>),
    /// What of one session's time at storage is a queue.
    StorageQueue(Box<StorageQueue>),
}

/// Whether what comes whole is rounded up; how much a figure moves another is asked without steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rounding {
    Up,
    None,
}

/// Rounding up forgives what arithmetic of binary fractions adds.
const NEARLY_WHOLE: f64 = 1e-6;

impl Expr {
    /// To the next whole number.
    pub fn rounded_up(self) -> Expr {
        Expr::RoundedUp(Box::new(self))
    }

    /// No less than that.
    pub fn at_least(self, other: impl Into<Expr>) -> Expr {
        Expr::AtLeast(Box::new(self), Box::new(other.into()))
    }

    /// No more than that.
    pub fn at_most(self, other: impl Into<Expr>) -> Expr {
        Expr::AtMost(Box::new(self), Box::new(other.into()))
    }

    /// All of them together; zero of none.
    pub fn sum(all: impl IntoIterator<Item = Expr>) -> Expr {
        all.into_iter().reduce(|a, b| a + b).unwrap_or(Expr::Number(0.0))
    }

    /// Its value, given those of the lines; `None` where one is unknown or nothing finite comes out.
    pub(crate) fn value(&self, values: &[Option<f64>], rounding: Rounding) -> Option<f64> {
        let both =
            |a: &Expr, b: &Expr| Some((a.value(values, rounding)?, b.value(values, rounding)?));
        let value = match self {
            Expr::Number(number) => *number,
            Expr::Line(at) => values[*at]?,
            Expr::Sum(a, b) => both(a, b).map(|(a, b)| a + b)?,
            Expr::Difference(a, b) => both(a, b).map(|(a, b)| a - b)?,
            Expr::Product(a, b) => both(a, b).map(|(a, b)| a * b)?,
            Expr::Quotient(a, b) => both(a, b).map(|(a, b)| a / b)?,
            Expr::RoundedUp(a) => match rounding {
                Rounding::Up => (a.value(values, rounding)? - NEARLY_WHOLE).ceil().max(0.0),
                Rounding::None => a.value(values, rounding)?,
            },
            Expr::AtLeast(a, b) => both(a, b).map(|(a, b)| a.max(b))?,
            Expr::AtMost(a, b) => both(a, b).map(|(a, b)| a.min(b))?,
            Expr::ClosedLoop(all) => all.value(values, rounding)?,
            Expr::StorageQueue(all) => all.value(values, rounding)?,
        };
        value.is_finite().then_some(value)
    }

    /// Adds the lines that it names.
    pub(crate) fn lines(&self, found: &mut Vec<usize>) {
        match self {
            Expr::Number(_) => {}
            Expr::Line(at) => found.push(*at),
            Expr::RoundedUp(a) => a.lines(found),
            Expr::Sum(a, b)
            | Expr::Difference(a, b)
            | Expr::Product(a, b)
            | Expr::Quotient(a, b)
            | Expr::AtLeast(a, b)
            | Expr::AtMost(a, b) => {
                a.lines(found);
                b.lines(found);
            }
            Expr::ClosedLoop(all) => all.parts().into_iter().for_each(|part| part.lines(found)),
            Expr::StorageQueue(all) => all.parts().into_iter().for_each(|part| part.lines(found)),
        }
    }

    /// As one writes it: `[3] 32 × [4] 47,500`, where the numbers in brackets are lines.
    pub(crate) fn text(&self, values: &[Option<f64>]) -> String {
        let of = |expr: &Expr| expr.text(values);
        let factor = |expr: &Expr| match expr {
            Expr::Sum(..) | Expr::Difference(..) | Expr::AtLeast(..) | Expr::AtMost(..) => {
                format!("({})", of(expr))
            }
            _ => of(expr),
        };
        match self {
            Expr::Number(value) => number(*value),
            Expr::Line(at) => match values[*at] {
                Some(value) => format!("[{}] {}", at + 1, number(value)),
                None => format!("[{}] unknown", at + 1),
            },
            Expr::Sum(a, b) => format!("{} + {}", of(a), of(b)),
            Expr::Difference(a, b) => {
                let subtracted = factor(b);
                format!("{} − {subtracted}", of(a))
            }
            Expr::Product(a, b) => format!("{} × {}", factor(a), factor(b)),
            Expr::Quotient(a, b) => {
                let divisor = match **b {
                    Expr::Product(..) | Expr::Quotient(..) => format!("({})", of(b)),
                    _ => factor(b),
                };
                format!("{} / {divisor}", factor(a))
            }
            Expr::RoundedUp(a) => format!("round up ({})", of(a)),
            Expr::AtLeast(a, b) => format!("the larger of {} and {}", factor(a), factor(b)),
            Expr::AtMost(a, b) => format!("the smaller of {} and {}", factor(a), factor(b)),
            Expr::ClosedLoop(all) => all.text(values),
            Expr::StorageQueue(all) => all.text(values),
        }
    }
}

impl From<f64> for Expr {
    fn from(number: f64) -> Expr {
        Expr::Number(number)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $variant:ident) => {
        impl<T: Into<Expr>> $trait<T> for Expr {
            type Output = Expr;
            fn $method(self, other: T) -> Expr {
                Expr::$variant(Box::new(self), Box::new(other.into()))
            }
        }
    };
}

operator!(Add, add, Sum);
operator!(Sub, sub, Difference);
operator!(Mul, mul, Product);
operator!(Div, div, Quotient);
