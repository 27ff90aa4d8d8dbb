#![no_main]
libfuzzer_sys::fuzz_target!(|text: &[u8]| ldp_fuzz::document(ldp_rdf::Format::Turtle, text));
