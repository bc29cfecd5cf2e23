//! What goes to a server and comes back, without its wire format: values of parameters, a step being written, the answer to one, and
//! what a server says instead.
//!
//! A kind writes a step into its own send buffer ([`Encode`]) and reads an answer from the bytes as they came ([`Format`]), where a
//! program asks for them: nothing is copied and nothing allocated.

/// A parameter's value; which form goes with which type of parameter is said with each.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'v> {
    /// `smallint`.
    Int2(i16),
    /// `integer`.
    Int4(i32),
    /// `bigint`.
    Int8(i64),
    /// `double precision`.
    Float8(f64),
    /// `text`, `varchar`, `char(n)`.
    Text(&'v str),
    /// Any type, in the text that its input function reads: `numeric`, `timestamp`, `date`.
    Written(&'v str),
    /// An array of `bigint`, where the kind has arrays.
    Int8s(&'v [i64]),
    /// NULL.
    Null,
}

/// A kind's send buffer.
pub trait Encode {
    /// See [`Request::run`].
    fn run(&mut self, statement: usize, values: &[Value<'_>]);
}

/// The step that is being written, with the session's prepared statements by their numbers.
pub struct Request<'a>(&'a mut dyn Encode);

impl<'a> Request<'a> {
    /// Into that buffer.
    #[inline]
    pub fn new(into: &'a mut dyn Encode) -> Self {
        Request(into)
    }

    /// Adds a statement by its number in [`Programs::statements`](crate::Programs::statements) with one value for each of its
    /// parameters. Several in one step are sent together and answered together; after an error in one the server
    /// passes over the rest. Outside BEGIN and COMMIT they are one transaction: what is to be durable one by one goes in
    /// steps of its own.
    ///
    /// # Panics
    /// There is no statement of that number.
    #[inline]
    pub fn run(&mut self, statement: usize, values: &[Value<'_>]) {
        self.0.run(statement, values);
    }
}

/// How a kind's answers are read.
pub trait Format: Sync {
    /// How many rows the last statement says that it selected, inserted, changed or removed; 0 where it says none.
    fn affected(&self, answer: &[u8]) -> u64;

    /// The part of one of the step's statements, from 0 on, and its rows; `None` where there were fewer.
    fn statement<'a>(&self, answer: &'a [u8], number: usize) -> Option<(&'a [u8], u32)>;

    /// The next row, and what follows it.
    fn next_row<'a>(&self, answer: &'a [u8]) -> Option<(&'a [u8], &'a [u8])>;

    /// A column's bytes; `None` for NULL, and where there is no such column.
    fn column<'a>(&self, row: &'a [u8], column: usize) -> Option<&'a [u8]>;

    /// An integer of any length; `None` for what has none of their lengths.
    fn int(&self, value: &[u8]) -> Option<i64>;

    /// A `double precision`.
    fn float8(&self, value: &[u8]) -> Option<f64>;
}

/// The answer to one step, complete and without an error.
#[derive(Clone, Copy)]
pub struct Answer<'a> {
    bytes: &'a [u8],
    rows: u32,
    format: &'static dyn Format,
}

impl<'a> Answer<'a> {
    /// Of bytes that hold so many rows.
    #[inline]
    pub fn new(bytes: &'a [u8], rows: u32, format: &'static dyn Format) -> Self {
        Answer { bytes, rows, format }
    }

    /// Rows in it, of all its statements.
    #[inline]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// The row of that number, from 0 on.
    #[inline]
    pub fn row(&self, number: usize) -> Option<Row<'a>> {
        self.each_row().nth(number)
    }

    /// Its rows in order.
    #[inline]
    pub fn each_row(&self) -> impl Iterator<Item = Row<'a>> + use<'a> {
        let (mut rest, format) = (self.bytes, self.format);
        std::iter::from_fn(move || {
            let (row, behind) = format.next_row(rest)?;
            rest = behind;
            Some(Row { bytes: row, format })
        })
    }

    /// How many rows its last statement says that it selected, inserted, changed or removed; 0 where it says none (BEGIN).
    #[inline]
    pub fn affected(&self) -> u64 {
        self.format.affected(self.bytes)
    }

    /// The part of one of the step's statements, from 0 on; `None` where there were fewer.
    pub fn statement(&self, number: usize) -> Option<Answer<'a>> {
        let (bytes, rows) = self.format.statement(self.bytes, number)?;
        Some(Answer { bytes, rows, format: self.format })
    }
}

/// One row; columns from 0 on.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    bytes: &'a [u8],
    format: &'static dyn Format,
}

impl<'a> Row<'a> {
    /// A column's bytes; `None` for NULL, and where there is no such column.
    #[inline]
    pub fn bytes(&self, column: usize) -> Option<&'a [u8]> {
        self.format.column(self.bytes, column)
    }

    /// A `smallint`, `integer` or `bigint`; `None` for NULL and for what has none of their lengths.
    #[inline]
    pub fn int(&self, column: usize) -> Option<i64> {
        self.format.int(self.bytes(column)?)
    }

    /// A `double precision`; `None` for NULL and for what has not its length.
    pub fn float8(&self, column: usize) -> Option<f64> {
        self.format.float8(self.bytes(column)?)
    }

    /// A text; `None` for NULL and for what is no UTF-8. A `numeric` is one where the statement says so.
    pub fn text(&self, column: usize) -> Option<&'a str> {
        std::str::from_utf8(self.bytes(column)?).ok()
    }
}

/// An error that the server reported to a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// `ERROR`, or `FATAL` where it was the session's last answer.
    pub severity: String,
    /// SQLSTATE.
    pub code: String,
    /// The server's text, on one line and short.
    pub message: String,
}

impl Refusal {
    /// Two transactions that can't both be (SQL standard); a deadlock too, where the kind has no code of its own for that.
    pub const SERIALIZATION_FAILURE: &'static str = "40001";
    /// A ring of transactions that waited for each other, of which this one was ended.
    pub const DEADLOCK: &'static str = "40P01";

    /// Whether another transaction was in the way, so that the same operation may well succeed when done again.
    pub fn is_conflict(&self) -> bool {
        [Self::SERIALIZATION_FAILURE, Self::DEADLOCK].contains(&self.code.as_str())
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}: {}", self.severity, self.code, self.message)
    }
}
