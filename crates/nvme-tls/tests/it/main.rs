//! Sessions against each other, against what networks and strangers do to them, and against OpenSSL.

mod hostile;
mod openssl;
mod pair;
mod refusals;
