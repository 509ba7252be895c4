//! Neovim: the plugin becomes a package in the user's data directory, which Neovim loads by itself. Nothing
//! is written into anybody's configuration.

mod files;

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::change::{self, Change};
use super::ledger::Ledger;
use super::machine::Machine;
use super::{Plan, State};
use files::FILES;

/// Where the package lies, below Neovim's data directory.
const PACKAGE: &str = "site/pack/alongside/start/alongside";

/// What is sourced where a plugin manager has taken packages away, below Neovim's data directory. lazy.nvim
/// does, and leaves `site/plugin`.
const WITHOUT_PACKAGES: (&str, &str) = (
    "site/plugin/alongside.lua",
    "\
-- Written by `alongside install neovim`, which takes it out again: loads the package where a plugin manager keeps Neovim
-- from doing so.
if #vim.api.nvim_get_runtime_file('lua/alongside/installed.lua', false) == 0 then
  local package = vim.fn.stdpath('data') .. '/site/pack/alongside/start/alongside'
  vim.opt.runtimepath:append(package)
  vim.cmd.source(vim.fn.fnameescape(package .. '/plugin/alongside.lua'))
end
",
);

/// What tells the plugin that it was installed, below the package.
const STAMP: &str = "lua/alongside/installed.lua";

/// The directory of Neovim's data and that of its configuration.
struct Places {
    data: PathBuf,
    config: PathBuf,
}

impl Places {
    fn of(machine: &Machine) -> Self {
        let name = machine.variable("NVIM_APPNAME").map_or_else(|| "nvim".into(), PathBuf::from);
        Self {
            data: machine.directory("XDG_DATA_HOME", ".local/share").join(&name),
            config: machine.directory("XDG_CONFIG_HOME", ".config").join(&name),
        }
    }

    fn package(&self) -> PathBuf {
        self.data.join(PACKAGE)
    }
}

/// Every file that is to be there.
fn wanted(places: &Places, machine: &Machine) -> Vec<(PathBuf, String)> {
    let package = places.package();
    let mut wanted: Vec<_> =
        FILES.iter().map(|(name, text)| (package.join(name), (*text).to_owned())).collect();
    for (name, text) in FILES.iter().filter(|(name, _)| name.starts_with("doc/")) {
        let name = name.trim_start_matches("doc/");
        wanted.push((package.join("doc/tags"), files::help_tags(name, text)));
    }
    wanted.push((package.join(STAMP), stamp(&machine.program)));
    wanted.push((places.data.join(WITHOUT_PACKAGES.0), WITHOUT_PACKAGES.1.to_owned()));
    wanted
}

/// The plugin finds the program that installed it also where Neovim's PATH does not lead there.
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
        "-- Written by `alongside install neovim`, which takes it out again.\nreturn {{ program = '{quoted}', version = '{}' }}\n",
        env!("CARGO_PKG_VERSION")
    )
}

pub(super) fn state(machine: &Machine, ledger: &Ledger) -> anyhow::Result<State> {
    let places = Places::of(machine);
    if let Some(at) = by_hand(&places, ledger) {
        return Ok(State::ByHand { at });
    }
    let Some(installed) = ledger.get("neovim").filter(|_| places.package().exists()) else {
        return Ok(State::NotInstalled);
    };
    for (path, text) in wanted(&places, machine) {
        if change::read(&path)?.as_deref() != Some(text.as_str()) {
            return Ok(State::Outdated { by: installed.version.clone() });
        }
    }
    Ok(State::Current)
}

/// What has to be written so that the plugin of this version is there.
///
/// # Errors
/// When what is there cannot be read.
pub(crate) fn plan(machine: &Machine, ledger: &Ledger) -> anyhow::Result<Plan> {
    let places = Places::of(machine);
    let wanted = wanted(&places, machine);
    let installed = ledger.get("neovim").map(|entry| entry.files.as_slice()).unwrap_or_default();
    let mut plan = Plan::default();
    let mut changed_by_hand = Vec::new();
    for (path, text) in &wanted {
        let before = change::read(path)?;
        if before.as_ref() == Some(text) {
            continue;
        }
        let ours = installed.iter().find(|file| file.path == *path);
        let is_theirs = before.is_some() && ours.map(|file| &file.after) != before.as_ref();
        if is_theirs {
            changed_by_hand.push(machine.shown(path));
        }
        plan.changes.push(Change { path: path.clone(), before, after: Some(text.clone()), is_theirs });
    }
    // Files that an older version had and this one has not.
    for file in installed.iter().filter(|file| wanted.iter().all(|(path, _)| *path != file.path)) {
        if let Some(before) = change::read(&file.path)?.filter(|now| *now == file.after) {
            plan.changes.push(Change {
                path: file.path.clone(),
                before: Some(before),
                after: None,
                is_theirs: false,
            });
        }
    }
    if !changed_by_hand.is_empty() {
        plan.notes.push(format!("You have changed {}; a copy is kept beside.", changed_by_hand.join(", ")));
    }
    Ok(plan)
}

/// Where the plugin is already, by a link, a plugin manager or a copy; `None` if it is not, or we put it
/// there.
fn by_hand(places: &Places, ledger: &Ledger) -> Option<PathBuf> {
    let package = places.package();
    let is_ours = ledger.get("neovim").is_some() || package.join(STAMP).exists();
    if package.is_symlink() || (!is_ours && holds_plugin(&package)) {
        return Some(package);
    }
    let packages = ["site/pack/*/start/*", "site/pack/*/opt/*", "lazy/*"];
    let elsewhere = packages.iter().flat_map(|pattern| matching(&places.data, pattern));
    let elsewhere = elsewhere.filter(|path| *path != package).find(|path| holds_plugin(path));
    elsewhere.or_else(|| mentioned(&places.config))
}

/// Whether the plugin is in a directory, or is part of a clone of the project there.
fn holds_plugin(directory: &Path) -> bool {
    ["", "editors/neovim"].iter().any(|below| directory.join(below).join("lua/alongside/init.lua").is_file())
}

/// The directories that a path with `*` for whole names leads to, sorted.
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

/// The file of the configuration that tells a plugin manager of a clone.
fn mentioned(config: &Path) -> Option<PathBuf> {
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
