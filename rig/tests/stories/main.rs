//! Stories with real agents: a person, a terminal with panes, the released Gemini CLI, Qwen Code, Claude
//! Code, OpenCode or Codex in some panes and `alongside` or `alongside review` in others. Only the model is
//! fake. Tests compare the file on disk byte for byte.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod claude;
mod companion_ends;
mod context;
mod decide;
mod desk;
mod desks;
mod discovery;
mod editor_desk;
mod hooks;
mod kills;
mod new_agents;
mod opencode;
mod script;
mod stage;
mod together;
mod tour;
mod turns;
