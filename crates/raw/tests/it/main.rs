//! Block devices: who uses one, and consent before writing.

mod images;
mod live;
mod made;
mod table;
