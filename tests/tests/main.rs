//! Black-box tests of the whole, over the local stack, mirroring the routes.

mod workspace;
