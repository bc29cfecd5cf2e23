//! A server that answers what a look at everything asks, or does not.
