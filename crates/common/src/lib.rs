//! The parts that the whole program shares: its messages to a person, its settings, its log, and the files
//! and directories of a person.
//!
//! `alongside-host` and `alongside-adapters` build on it side by side, and the commands on all three.

pub mod failure;
pub mod globals;
pub mod logging;
pub mod own_program;
pub mod person_file;
pub mod runtime_dirs;
pub mod settings;
pub mod signals;
pub mod similar_name;
pub mod unified;
