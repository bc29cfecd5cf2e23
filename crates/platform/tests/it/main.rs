//! Discovery: made machines, machines of others, and this one.

mod hwloc;
mod hwloc_devices;
mod lab;
mod live;
mod made;
