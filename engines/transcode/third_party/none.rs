//! Empty: the sources of the crates are compiled by CMake, not by cargo.
