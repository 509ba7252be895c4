//! The plugin's files, which are part of this program.

/// Each file of the plugin with its text.
macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../../editors/neovim/", $name)))),*]
    };
}

/// Every file that Neovim needs, with its text.
pub(super) const FILES: &[(&str, &str)] = files![
    "README.md",
    "plugin/alongside.lua",
    "doc/alongside.txt",
    "lua/alongside/agents.lua",
    "lua/alongside/auto_open.lua",
    "lua/alongside/buffer_text.lua",
    "lua/alongside/colours.lua",
    "lua/alongside/commands.lua",
    "lua/alongside/config.lua",
    "lua/alongside/context.lua",
    "lua/alongside/deciding.lua",
    "lua/alongside/diagnostics.lua",
    "lua/alongside/dropping.lua",
    "lua/alongside/ending.lua",
    "lua/alongside/environment.lua",
    "lua/alongside/halves.lua",
    "lua/alongside/harmless.lua",
    "lua/alongside/health.lua",
    "lua/alongside/highlights.lua",
    "lua/alongside/init.lua",
    "lua/alongside/keys.lua",
    "lua/alongside/left_drafts.lua",
    "lua/alongside/link.lua",
    "lua/alongside/log.lua",
    "lua/alongside/marks.lua",
    "lua/alongside/merge.lua",
    "lua/alongside/messages.lua",
    "lua/alongside/navigation.lua",
    "lua/alongside/next_change.lua",
    "lua/alongside/oklab.lua",
    "lua/alongside/project.lua",
    "lua/alongside/reasons.lua",
    "lua/alongside/requests.lua",
    "lua/alongside/review.lua",
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
    "lua/alongside/view.lua",
    "lua/alongside/winbar.lua",
    "lua/alongside/window_state.lua",
    "lua/alongside/writing.lua",
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Files beside the plugin that are not part of it.
    const LEFT_OUT: [&str; 3] = ["tests/", "doc/tags", ".gitignore"];

    fn below(directory: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{prefix}{}", entry.file_name().to_str().unwrap());
            match entry.file_type().unwrap().is_dir() {
                true => below(&entry.path(), &format!("{name}/"), found),
                false => drop(found.insert(name)),
            }
        }
    }

    #[test]
    fn the_program_holds_the_whole_plugin() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/neovim");
        let mut there = BTreeSet::new();
        below(&source, "", &mut there);
        there.retain(|name| !LEFT_OUT.iter().any(|left_out| name.starts_with(left_out)));
        let embedded = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(there, embedded, "update the list of files above");
        for (name, text) in FILES {
            assert_eq!(std::fs::read_to_string(source.join(name)).unwrap(), *text, "{name}");
        }
    }
}
