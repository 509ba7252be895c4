//! The commands, each in a file. A command returns its exit code, or an error that `main` prints with the
//! hints of the error.

mod agent_pane;
mod agent_part;
mod agent_setup;
mod agent_variables;
mod check;
pub(crate) mod cli;
mod comments;
mod completions;
mod consent;
mod demo;
mod desk;
mod desk_pane;
mod doctor;
mod drafts;
mod env;
pub(crate) mod hook;
mod host;
mod install;
mod lists;
mod log;
mod lsp;
mod man;
mod output;
mod review;
mod run;
mod serving_companion;
mod shell_quoting;
mod status;
mod stdio;
pub(crate) mod turn;
mod turns;
mod uninstall;
mod waiting_host;

use output::{note, print, print_json, print_lines};
