//! Passes the inputs of libFuzzer to [`alongside_fuzz::harmless`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| alongside_fuzz::harmless::check(data));
