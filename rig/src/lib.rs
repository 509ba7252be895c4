//! The test rig: real agents, real editors, fake models and misbehaving peers, which prove the companion from
//! outside.
//!
//! Nothing here is part of the product. [`install`] installs the agents, [`editors`] the editors; a
//! [`Sandbox`] isolates a test. An error names what was awaited and shows the last state: a wait fails at its
//! deadline, any other call when its sandbox, pane, screen or process is gone.

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
    CodeServer, Editor, Editors, Generation, Kakoune, Kate, KateScreen, Window, install_code_server,
    install_editors, install_emacs, install_kakoune, install_kate, install_vim,
};
pub use ide_client::{CliAnswer, OpenDiff, Outcome, RealClient};
pub use install::{InstallError, Rig, claude_code, codex, install, install_every_release, opencode, or_skip};
pub use node_script::node_script;
pub use program::alongside_bin;
pub use proposer::{Proposal, Proposer};
pub use release::{RELEASES, Release};
pub use sandbox::Sandbox;
pub use screen::Screen;

/// One test per row, for a story that several agents or editors play: `name_of_the_test: story(arguments),`.
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
