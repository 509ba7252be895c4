//! The wire of the IDE companion contract, and nothing else: no I/O, no policy.
//!
//! Two programs speak it. The *agent* (Gemini CLI, Qwen Code and their forks) finds a *companion* through a
//! [discovery record](discovery), talks [JSON-RPC](rpc) of the [Model Context Protocol](mcp) to it, hears
//! what the person [has open](context) and asks for [diffs to be decided](diff). What differs between agents
//! is a row of the [table of families](family).
//!
//! Every type is tolerant in reading (unknown fields, `null` for absent) and strict in writing (absent, never
//! `null`): one invalid notification disconnects a shipped agent for good.

pub mod behaviour;
pub mod context;
pub mod diff;
pub mod discovery;
pub mod environment;
pub mod family;
pub mod mcp;
mod null;
pub mod proof;
pub mod rpc;
pub mod settings;
pub mod surrogates;
pub mod token;
