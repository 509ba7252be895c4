//! Whole-agent stories: a person, a terminal with panes, the released Gemini CLI or Qwen Code in one of them and
//! `alongside review` in another. Only the model is fake. What counts is the file on disk, byte for byte.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod agents;
mod context;
mod decide;
mod meet;
mod part;
mod script;
mod stage;
