//! JSON as agents read it.

use alongside_contract::surrogates::replace_lone;
use serde_json::Value;

/// Reads JSON: JavaScript reads a lone surrogate, which RFC 8259 allows and Rust strings cannot
/// hold.
pub(crate) fn parse(json: impl AsRef<[u8]>) -> Option<Value> {
    serde_json::from_slice(&replace_lone(json.as_ref())).ok()
}
