//! Passes the inputs of libFuzzer to [`alongside_fuzz::json_rpc`].

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| alongside_fuzz::json_rpc::check(data));
