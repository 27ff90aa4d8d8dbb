//! The store under writers and readers, crashes, faults, damage and full disks.

mod common;
mod concurrent;
mod damage;
mod faults;
mod full;
mod kill;
mod life;
mod maintenance;
mod place;
mod sweep;
