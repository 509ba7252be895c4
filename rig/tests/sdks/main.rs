//! The official MCP tools against the companion: the TypeScript SDK, from the oldest release in an agent to
//! the newest generation, and the conformance suite.

mod conformance;
mod proxy;
mod typescript;

/// The companion under test, in a process of its own.
const COMPANION: &str = env!("CARGO_BIN_EXE_companion");
