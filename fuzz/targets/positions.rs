//! Passes the inputs of libFuzzer to [`alongside_fuzz::positions`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| alongside_fuzz::positions::check(data));
