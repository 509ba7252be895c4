//! Tool calls of coding agents as proposals, and verdicts as the answers of their hooks. Differences between
//! agents are in the [`Hook`](alongside_contract::hook::Hook) of a row; this crate knows no agent by name.
//!
//! An agent runs a hook before a tool writes a file: it writes the call to the hook's input and obeys the
//! answer on the hook's output. This crate parses the [input](HookInput), computes [the
//! texts](ToolCall::changes) that the tool would write, and writes the [answer](answer). It reads no files
//! and opens no connection.
//!
//! Hooks at the beginning and the end of a turn receive a [`TurnInput`]. Their only answer is a person's
//! message to the model, beside a prompt.
//!
//! A text is computed exactly or not at all: a person must not review another text than the agent writes.

mod answer;
mod change;
mod edit_call;
mod input;
mod line_difference;
mod line_endings;
mod notebook;
mod patch_answer;
mod patch_apply;
mod patch_call;
mod patch_grammar;
mod string_edit;
mod tool_call;
mod turn_answer;
mod turn_input;
mod whole_file;

pub use answer::{Answer, answer, refusal};
pub use change::{Change, NoChange, TextFile};
pub use input::{BadInput, HookInput};
pub use tool_call::ToolCall;
pub use turn_answer::prompt_answer;
pub use turn_input::TurnInput;

/// An absolute path for tests: agents that require one refuse the form of another system.
#[cfg(test)]
const FILE: &str = if cfg!(windows) { r"C:\f" } else { "/f" };
