//! Tests whose figures another's load would change. They have the machine one after the other, and come first by their name,
//! so that the others then run side by side without a break.

mod planted;
mod slow_flush;
mod slow_place;
mod slow_server;
