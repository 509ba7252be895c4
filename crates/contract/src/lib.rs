//! The messages and tables of the IDE companion contract, without I/O and policy.
//!
//! An *agent* (Gemini CLI, Qwen Code and their forks) finds a *companion* through a [discovery
//! record](discovery) and sends it [JSON-RPC](rpc) of the [Model Context Protocol](mcp). The companion
//! reports the person's [open files](context), and the person decides the agent's [diffs](diff). Differences
//! between agents are rows of the [table of agents](agents).
//!
//! Every type reads leniently (unknown fields, `null` for absent) and writes strictly (absent, never `null`),
//! because a single invalid notification disconnects a released agent for good.

pub mod agent;
pub mod agents;
pub mod behaviour;
pub mod context;
pub mod diff;
pub mod discovery;
mod discovery_file;
pub mod environment;
pub mod family;
pub mod hook;
pub mod lock_file;
pub mod mcp;
mod null;
pub mod rpc;
pub mod settings;
pub mod shared_text;
pub mod surrogates;
pub mod token;
pub mod token_proof;
pub mod turns;
pub mod websocket;
