//! Passes the inputs of libFuzzer to [`alongside_fuzz::http`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| alongside_fuzz::http::check(data));
