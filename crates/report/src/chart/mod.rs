//! Figures as SVG. A picture knows what it draws, and no form of a document.
//!
//! Shape, position or words carry every meaning; colour only helps (Okabe and Ito's palette, readable with any
//! kind of colour vision).

mod annotations;
pub(crate) mod boxes;
pub(crate) mod calibration;
pub(crate) mod charts;
pub(crate) mod compared;
mod fills;
mod heat;
pub(crate) mod interference;
pub(crate) mod log;
pub(crate) mod memory;
mod names;
pub(crate) mod nested;
pub(crate) mod over_time;
mod rate_chart;
pub(crate) mod sized;
mod svg;
mod window_charts;
pub(crate) mod wires;

pub(crate) use charts::part_bar;
pub(crate) use fills::{definitions, swatch, swatch_of};
