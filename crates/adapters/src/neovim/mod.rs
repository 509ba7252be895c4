//! Neovim: the plugin is installed as a package in the user's data directory, which Neovim loads by itself.
//! The user's configuration is not changed.

use std::future::ready;
use std::path::{Path, PathBuf};

use alongside_editors::NEOVIM;
use ignore::WalkBuilder;

use super::editor::{Editor, TerminalVariable};
use super::installation::Installation;
use super::package;
use super::plan::AdapterState;
use super::user_environment::UserEnvironment;

pub(super) const EDITOR: Editor = Editor {
    id: "neovim",
    name: "Neovim",
    commands: &["nvim"],
    process_prefix: None,
    terminal: TerminalVariable::Own("NVIM"),
    oldest: "0.10",
    restart: "Restart Neovim",
    state: |_, user, installed| state(user, installed),
    plan: |request| Box::pin(ready(package::plan(request.user, &files(request.user), request.installed))),
    remove: package::stays,
    package_of: Some(|installed| package::directory_of(installed, STAMP)),
    missing_program: |_| None,
    own_directory: Some(own_directory),
    directories_made_by_queries: None,
    extensions: None,
};

/// The path of the package below Neovim's data directory.
const PACKAGE: &str = "site/pack/alongside/start/alongside";

/// The path below Neovim's data directory and the text of a script that loads the package where a plugin
/// manager disables packages. lazy.nvim disables them, but keeps `site/plugin`.
const LOADER: (&str, &str) = (
    "site/plugin/alongside.lua",
    "\
-- Written by `alongside install neovim`, which takes it out again: loads the package where a plugin manager \
keeps Neovim
-- from doing so.
if #vim.api.nvim_get_runtime_file('lua/alongside/installed.lua', false) == 0 then
  local package = vim.fn.stdpath('data') .. '/site/pack/alongside/start/alongside'
  vim.opt.runtimepath:append(package)
  vim.cmd.source(vim.fn.fnameescape(package .. '/plugin/alongside.lua'))
end
",
);

/// A file of the package that only an installation by `alongside install` has.
const STAMP: &str = "lua/alongside/installed.lua";

/// Neovim's directories.
struct NeovimDirs {
    data: PathBuf,
    config: PathBuf,
}

impl NeovimDirs {
    fn of(user: &UserEnvironment) -> Self {
        let name = user.variable("NVIM_APPNAME").map_or_else(|| "nvim".into(), PathBuf::from);
        Self {
            data: user.directory("XDG_DATA_HOME", ".local/share").join(&name),
            config: user.directory("XDG_CONFIG_HOME", ".config").join(&name),
        }
    }

    fn package(&self) -> PathBuf {
        self.data.join(PACKAGE)
    }
}

/// Returns the directory in which the plugin keeps its own files between two runs of Neovim.
fn own_directory(user: &UserEnvironment) -> PathBuf {
    let name = user.variable("NVIM_APPNAME").map_or_else(|| "nvim".into(), PathBuf::from);
    user.directory("XDG_STATE_HOME", ".local/state").join(name).join("alongside")
}

/// Returns every file of an installation, with its text.
fn files(user: &UserEnvironment) -> Vec<(PathBuf, String)> {
    let dirs = NeovimDirs::of(user);
    let package = dirs.package();
    let mut files = package::files_of(&package, NEOVIM);
    files.push((package.join(STAMP), stamp(&user.program)));
    files.push((dirs.data.join(LOADER.0), LOADER.1.to_owned()));
    files
}

/// Returns the text of [`STAMP`], which tells the plugin the path of the program that installed it. Neovim
/// may have another PATH.
fn stamp(program: &str) -> String {
    let quoted: String = program
        .chars()
        .map(|c| match c {
            '\\' | '\'' => format!("\\{c}"),
            '\n' => "\\n".into(),
            '\r' => "\\r".into(),
            c => c.into(),
        })
        .collect();
    format!(
        "-- Written by `alongside install neovim`, which takes it out again.\nreturn {{ program = \
         '{quoted}', version = '{}' }}\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn state(user: &UserEnvironment, installed: Option<&Installation>) -> anyhow::Result<AdapterState> {
    let dirs = NeovimDirs::of(user);
    match by_hand(&dirs, installed) {
        Some(at) => Ok(AdapterState::ByHand { at }),
        None => package::state(&dirs.package(), &files(user), installed),
    }
}

/// Returns a link, a directory of a plugin manager or a copy that holds the plugin. `None` if the plugin is
/// not installed, or was installed by `alongside install`.
fn by_hand(dirs: &NeovimDirs, installed: Option<&Installation>) -> Option<PathBuf> {
    let package = dirs.package();
    let is_ours = installed.is_some() || package.join(STAMP).exists();
    if package.is_symlink() || (!is_ours && holds_plugin(&package)) {
        return Some(package);
    }
    let packages = ["site/pack/*/start/*", "site/pack/*/opt/*", "lazy/*"];
    let elsewhere = packages.iter().flat_map(|pattern| matching(&dirs.data, pattern));
    let elsewhere = elsewhere.filter(|path| *path != package).find(|path| holds_plugin(path));
    elsewhere.or_else(|| config_with_plugin(&dirs.config))
}

/// Whether a directory holds the plugin, or a clone of the project.
fn holds_plugin(directory: &Path) -> bool {
    ["", "editors/neovim"].iter().any(|below| directory.join(below).join("lua/alongside/init.lua").is_file())
}

/// Returns the directories that match a pattern, sorted. A `*` matches one whole path component.
fn matching(base: &Path, pattern: &str) -> Vec<PathBuf> {
    pattern.split('/').fold(vec![base.to_owned()], |found, name| {
        let below = |directory: PathBuf| match name {
            "*" => {
                let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
                let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
                paths.sort();
                paths
            }
            name => vec![directory.join(name)],
        };
        found.into_iter().flat_map(below).collect()
    })
}

/// Returns the file of the configuration that names a clone of the project to a plugin manager.
fn config_with_plugin(config: &Path) -> Option<PathBuf> {
    let files =
        WalkBuilder::new(config).standard_filters(false).follow_links(true).max_depth(Some(6)).build();
    let scripts = files
        .flatten()
        .map(ignore::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "lua" || extension == "vim"));
    let mut scripts = scripts.filter(|path| {
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("alongside/editors/neovim"))
    });
    scripts.next()
}
