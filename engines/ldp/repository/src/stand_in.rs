//! Stands for what the store will give; goes away when it does.
#![allow(missing_docs)]
#[derive(Clone, Debug)]
pub struct Error(pub String);
impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
pub struct Ticket;
impl Ticket {
    pub fn wait(self) -> Result<(), Error> {
        todo!()
    }
    pub fn on_done(self, _: impl FnOnce(Result<(), Error>) + Send + 'static) {
        todo!()
    }
}
#[derive(Clone)]
pub struct Snapshot;
#[derive(Clone, Debug, Default)]
pub struct Options;
pub struct Store;
