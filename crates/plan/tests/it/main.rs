//! Described platforms: published cases, what is refused, what is drawn and printed.

mod cases;
mod described;
mod drawn;
mod fits;
mod guide;
mod memory;
