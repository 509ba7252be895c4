//! The files that `alongside install` installs into editors, embedded into the program. This crate lies
//! beside the plugins, because a package of cargo holds no files from outside its own directory.

/// Each file of a plugin, named from the plugin's directory, with its text.
macro_rules! files {
    ($plugin:literal: $($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../", $plugin, "/", $name)))),*]
    };
}

/// The adapter for Emacs, which is one file.
pub const EMACS: &str = include_str!("../emacs/alongside.el");

/// The adapter for Kakoune, which is one file.
pub const KAKOUNE: &str = include_str!("../kakoune/alongside.kak");

/// Every file that Neovim needs, with its text.
pub const NEOVIM: &[(&str, &str)] = files!["neovim":
    "README.md",
    "plugin/alongside.lua",
    "doc/alongside.txt",
    "lua/alongside/agents.lua",
    "lua/alongside/auto_open.lua",
    "lua/alongside/autocommands.lua",
    "lua/alongside/bar.lua",
    "lua/alongside/buffer_text.lua",
    "lua/alongside/choosing.lua",
    "lua/alongside/colours.lua",
    "lua/alongside/commands.lua",
    "lua/alongside/config.lua",
    "lua/alongside/context.lua",
    "lua/alongside/cut_lines.lua",
    "lua/alongside/deciding.lua",
    "lua/alongside/diagnostics.lua",
    "lua/alongside/dropping.lua",
    "lua/alongside/ending.lua",
    "lua/alongside/environment.lua",
    "lua/alongside/first_word.lua",
    "lua/alongside/folds.lua",
    "lua/alongside/hard_to_see.lua",
    "lua/alongside/harmless.lua",
    "lua/alongside/health.lua",
    "lua/alongside/highlights.lua",
    "lua/alongside/init.lua",
    "lua/alongside/keys.lua",
    "lua/alongside/lazy.lua",
    "lua/alongside/leaving.lua",
    "lua/alongside/left_drafts.lua",
    "lua/alongside/link.lua",
    "lua/alongside/log.lua",
    "lua/alongside/marks.lua",
    "lua/alongside/memory.lua",
    "lua/alongside/messages.lua",
    "lua/alongside/navigation.lua",
    "lua/alongside/next_change.lua",
    "lua/alongside/oklab.lua",
    "lua/alongside/on_screen.lua",
    "lua/alongside/project.lua",
    "lua/alongside/reasons.lua",
    "lua/alongside/reloading.lua",
    "lua/alongside/review.lua",
    "lua/alongside/seen.lua",
    "lua/alongside/selection.lua",
    "lua/alongside/sending.lua",
    "lua/alongside/server.lua",
    "lua/alongside/server_restart.lua",
    "lua/alongside/statusline.lua",
    "lua/alongside/sync.lua",
    "lua/alongside/tabline.lua",
    "lua/alongside/target.lua",
    "lua/alongside/terminal.lua",
    "lua/alongside/text.lua",
    "lua/alongside/typing.lua",
    "lua/alongside/view.lua",
    "lua/alongside/winbar.lua",
    "lua/alongside/window_state.lua",
    "lua/alongside/without_autocommands.lua",
    "lua/alongside/writing.lua",
];

/// Every file that Vim needs, with its text.
pub const VIM: &[(&str, &str)] = files!["vim":
    "README.md",
    "plugin/alongside.vim",
    "doc/alongside.txt",
    "autoload/alongside.vim",
    "autoload/alongside/agent.vim",
    "autoload/alongside/context.vim",
    "autoload/alongside/deciding.vim",
    "autoload/alongside/messages.vim",
    "autoload/alongside/review.vim",
    "autoload/alongside/reviews.vim",
    "autoload/alongside/sending.vim",
    "autoload/alongside/server.vim",
    "autoload/alongside/tabline.vim",
    "autoload/alongside/text.vim",
    "autoload/alongside/view.vim",
];

/// The extension for VS Code that `cargo xtask vscode` has built; `None` if it was not built.
pub const VSCODE: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/vsix.in"));

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Files beside a plugin that are not installed.
    const NOT_INSTALLED: [&str; 3] = ["tests/", "doc/tags", ".gitignore"];

    /// Adds the names of the files below `directory`, each after `prefix`.
    fn collect_files(directory: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => collect_files(&entry.path(), &format!("{name}/"), found),
                false => drop(found.insert(name)),
            }
        }
    }

    #[test]
    fn every_file_of_a_plugin_is_embedded() {
        for (plugin, files) in [("neovim", NEOVIM), ("vim", VIM)] {
            let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(plugin);
            let mut files_on_disk = BTreeSet::new();
            collect_files(&source, "", &mut files_on_disk);
            files_on_disk.retain(|name| !NOT_INSTALLED.iter().any(|prefix| name.starts_with(prefix)));
            let embedded = files.iter().map(|(name, _)| (*name).to_owned()).collect();
            assert_eq!(files_on_disk, embedded, "update the list of files of {plugin}");
            for (name, text) in files {
                assert_eq!(std::fs::read_to_string(source.join(name)).unwrap(), *text, "{plugin}/{name}");
            }
        }
    }
}
