//! JSON as agents read it.

use alongside_contract::surrogates::replace_lone;
use serde_json::Value;

/// Parses JSON. Accepts a lone surrogate, which RFC 8259 and JavaScript allow and Rust strings cannot hold.
pub(crate) fn parse(json: impl AsRef<[u8]>) -> Option<Value> {
    serde_json::from_slice(&replace_lone(json.as_ref())).ok()
}
