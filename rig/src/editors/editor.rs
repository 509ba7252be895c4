//! An installed editor, and its command on a sandbox's PATH.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use crate::agent_cli::write_program;
use crate::sandbox::Sandbox;

/// An editor that can be started.
#[derive(Debug, Clone)]
pub struct Editor {
    /// The path of the binary.
    pub program: PathBuf,
    /// Arguments before those of the person.
    pub arguments: Vec<String>,
    /// Variables in addition to the sandbox's, by which the editor finds its own runtime files and not the
    /// machine's.
    pub environment: Vec<(String, OsString)>,
    /// Its version as Debian writes it: `0.10.4-8`.
    pub version: String,
    /// The name of the command that starts it.
    pub command: &'static str,
}

impl Editor {
    /// Puts its command on the sandbox's PATH, as a script that `exec`s the editor.
    pub fn put_on_path(&self, sandbox: &Sandbox) -> Result<()> {
        let mut body = String::new();
        for (name, value) in &self.environment {
            let value =
                value.to_str().with_context(|| format!("the value of {name} for the editor is not UTF-8"))?;
            body += &format!("export {name}='{value}'\n");
        }
        let arguments: String = self.arguments.iter().map(|argument| format!(" '{argument}'")).collect();
        write_program(
            sandbox,
            self.command,
            &format!("{body}exec '{}'{arguments} \"$@\"", self.program.display()),
        )
    }
}
