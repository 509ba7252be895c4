//! Options that every command accepts.

use std::path::PathBuf;

/// The options that are accepted before or after any command.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Globals {
    /// Read the settings from FILE instead of ~/.config/alongside/config.toml
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Write a log to FILE, for finding out what went wrong; it never holds the token.
    /// At 16 MiB it becomes FILE.1, and a new one begins
    #[arg(long, global = true, value_name = "FILE", env = "ALONGSIDE_LOG", hide_env_values = true)]
    pub log: Option<PathBuf>,
}
