//! What the official MCP tools make of the companion: the TypeScript SDK from the oldest release an agent
//! carries to the newest generation, and the conformance suite.

mod conformance;
mod proxy;
mod typescript;

/// The companion under test, in a process of its own.
const COMPANION: &str = env!("CARGO_BIN_EXE_companion");
