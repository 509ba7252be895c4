//! Whole-agent stories: a person, two panes of one terminal, the released Gemini CLI or Qwen Code in one of them and
//! `alongside review` in the other. Only the model is fake. What counts is the file on disk, byte for byte.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod context;
mod decide;
mod reject;
mod stage;
