//! The test rig: real agents, real editors, fake models and misbehaving peers, which test the companion from
//! outside.
//!
//! The rig is no part of the product. [`install`] installs the agents, [`editors`] the editors, and a
//! [`Sandbox`] isolates a test. A wait fails at its deadline, with an error that names what was awaited and
//! has the last state. Any other call fails if its sandbox, pane, screen or process has ended.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, clippy::print_stderr)]

pub mod adapters;
pub mod agent;
pub mod agent_cli;
pub mod bench;
pub mod chaos;
pub mod companion;
pub mod desk;
pub mod editors;
mod fewest;
pub mod hostile;
pub mod ide_client;
pub mod install;
pub mod json_desk;
pub mod json_lines_process;
pub mod load;
pub mod matrix;
pub mod model;
pub mod node_script;
pub mod older_program;
pub mod procfs;
pub mod program;
pub mod proposer;
pub mod release;
pub mod rng;
pub mod sandbox;
pub mod screen;
pub mod tmux;
pub mod turns;
pub mod wait;
pub mod wire;

pub use editors::{
    CodeServer, Editor, Editors, Generation, Kakoune, Kate, KateScreen, VscodeWindow, install_code_server,
    install_delta, install_editors, install_emacs, install_kakoune, install_kate, install_vim,
};
pub use ide_client::{CliAnswer, OpenDiff, Outcome, RealClient};
pub use install::{InstallError, Rig, claude_code, codex, install, install_every_release, opencode, or_skip};
pub use node_script::node_script;
pub use program::alongside_bin;
pub use proposer::{Proposal, Proposer};
pub use release::{RELEASES, Release};
pub use sandbox::Sandbox;
pub use screen::Screen;

/// Declares a test for each line `name_of_the_test: story(arguments),`, for stories that several agents or
/// editors play.
#[macro_export]
macro_rules! tests {
    ($($(#[$attribute:meta])* $name:ident: $story:expr,)*) => {$(
        $(#[$attribute])*
        #[test]
        fn $name() -> anyhow::Result<()> {
            $story
        }
    )*};
}
