//! The benches of `prost-reflect` with `serde_json`.

fn main() -> prostbench::Result<()> {
    prostbench::run::<prostbench::SerdeJson>()
}
