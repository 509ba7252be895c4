//! Passes the inputs of libFuzzer to [`alongside_fuzz::discovery`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| alongside_fuzz::discovery::check(data));
