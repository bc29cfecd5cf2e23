//! Tests whose figures another's load would change. They have the machine one after the other, and come first by their name,
//! so that the others then run side by side without a break. What they look at is true only of a quiet machine, so that most of them
//! run on request (`cargo xtask quiet`).

mod slow_flush;
mod slow_place;
mod slow_server;
