//! The languages that get alongside, and the servers that Helix itself starts for them.
//!
//! Helix has no setting that adds a server to every language, and a list of servers in the user's file
//! replaces Helix's own list. So alongside runs Helix to list its servers for each language, and appends its
//! own.

use std::path::Path;

use futures_util::{StreamExt as _, stream};

use crate::user_environment::output_of;

/// The name of our server in Helix's files.
pub(super) const SERVER: &str = "alongside";

/// The languages that get alongside by default, together with those of the user's file. `--language` adds
/// others.
#[rustfmt::skip]
const DEFAULT_LANGUAGES: &[&str] = &[
    "bash", "c", "c-sharp", "clojure", "cmake", "cpp", "css", "dart", "dockerfile", "elixir", "elm",
    "erlang", "fish", "go", "gomod", "graphql", "haskell", "hcl", "html", "ini", "java", "javascript",
    "json", "json5", "jsonc", "jsx", "julia", "just", "kotlin", "latex", "lua", "make", "markdown", "nix",
    "ocaml", "odin", "perl", "php", "protobuf", "python", "r", "ruby", "rust", "scala", "scss", "sql",
    "svelte", "swift", "toml", "tsx", "typescript", "typst", "vue", "xml", "yaml", "zig",
];

/// Plain text, a language that Helix does not define.
pub(super) const TEXT: &str = "text";

/// The programs of servers whose names differ, each with its name. Up to 25.01, Helix lists only programs.
const SERVER_NAMES: &[(&str, &str)] = &[
    ("OmniSharp", "omnisharp"),
    ("R", "r"),
    ("erlang_ls", "erlang-ls"),
    ("fsautocomplete", "fsharp-ls"),
    ("golangci-lint-langserver", "golangci-lint-lsp"),
    ("graphql-lsp", "graphql-language-service"),
    ("haskell-language-server-wrapper", "haskell-language-server"),
    ("jedi-language-server", "jedi"),
    ("magic", "mojo-lsp"),
    ("nu", "nu-lsp"),
    ("pb", "pbkit"),
    ("tsp-server", "typespec"),
    ("v-analyzer", "vlang-language-server"),
    ("vue-language-server", "vuels"),
];

/// The number of Helix processes that run at a time.
const MAX_PROCESSES: usize = 8;

/// A language, and the names of the servers that Helix starts for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Language {
    pub(crate) name: String,
    /// The servers; `None` if this Helix does not know the language.
    pub(crate) servers: Option<Vec<String>>,
}

/// Returns the default languages and `more`, each once, sorted.
pub(super) fn languages(more: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> =
        DEFAULT_LANGUAGES.iter().map(|name| (*name).to_owned()).chain(more).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Runs Helix to list the servers of each language; `None` if a run fails. `programs` are the programs of the
/// user's own servers, as (program, name).
pub(super) async fn look_up_servers(
    helix: &Path,
    lists_programs: bool,
    names: Vec<String>,
    programs: &[(String, String)],
) -> Option<Vec<Language>> {
    let lookups = stream::iter(names).map(|name| async move {
        let output = output_of(helix, &["--health", &name]).await?;
        let servers = servers_in(&output, |server| match lists_programs {
            true => server_name(server, programs),
            false => server.to_owned(),
        });
        Some(Language { name, servers })
    });
    let languages: Vec<Option<Language>> = lookups.buffered(MAX_PROCESSES).collect().await;
    languages.into_iter().collect()
}

/// Returns the name of the server with this program, in the user's file or in [`SERVER_NAMES`].
fn server_name(program: &str, programs: &[(String, String)]) -> String {
    let in_file = programs.iter().find(|(listed, _)| listed == program).map(|(_, name)| name.as_str());
    let in_table = || SERVER_NAMES.iter().find(|(listed, _)| *listed == program).map(|(_, name)| *name);
    in_file.or_else(in_table).unwrap_or(program).to_owned()
}

/// Returns the servers in the output of `hx --health LANGUAGE`; `None` if Helix does not know the language.
///
/// The output is coloured. It has the line `Configured language servers:` and one line for each server, such
/// as `  ✘ pylsp: 'pylsp' not found in $PATH`; or the one line `Configured language servers: None`.
fn servers_in(output: &str, name: impl Fn(&str) -> String) -> Option<Vec<String>> {
    let plain = without_colours(output);
    let mut lines = plain.lines().skip_while(|line| !line.starts_with("Configured language server"));
    lines.next()?;
    let servers = lines.map_while(|line| line.strip_prefix("  "));
    let servers = servers.filter_map(|line| line.split_once(' ')?.1.split_once(':'));
    Some(servers.map(|(server, _)| name(server)).filter(|name| name != SERVER).collect())
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of 25.01.1 and of a snapshot after 25.07.1 for Python.
    const OLD: &str = "Configured language servers:\n  \x1b[38;5;9m✘\x1b[39m ruff: \x1b[38;5;9m'ruff' not \
    found in $PATH\x1b[39m\n  \x1b[38;5;10m✓\x1b[39m jedi-language-server: \
    \x1b[38;5;10m/usr/bin/jedi-language-server\x1b[39m\nConfigured debug adapter: \
    \x1b[38;5;11mNone\x1b[39m\n";
    const NEW: &str = "Configured language servers:\n  \x1b[0;31m✘\x1b[m ty: \x1b[0;31m'ty' not found in \
    $PATH\x1b[m\n  \x1b[0;31m✘\x1b[m jedi: \x1b[0;31m'jedi-language-server' not found in $PATH\x1b[m\n  \
    \x1b[0;32m✓\x1b[m alongside: /bin/alongside\nConfigured debug adapter:\x1b[0;33m None\x1b[m\n";

    #[test]
    fn servers_are_parsed_from_the_output_of_health() {
        let by_name = |server: &str| server_name(server, &[("ruff".into(), "my-ruff".into())]);
        assert_eq!(servers_in(OLD, by_name).unwrap(), ["my-ruff", "jedi"]);
        assert_eq!(servers_in(NEW, str::to_owned).unwrap(), ["ty", "jedi"], "our own server is left out");
        let none = "Configured language servers:\x1b[0;33m None\x1b[m\nConfigured debug adapter: None\n";
        assert_eq!(servers_in(none, str::to_owned).unwrap(), [""; 0]);
        assert_eq!(
            servers_in("Language 'x' not found\nDid you mean one of these: xml ?\n", str::to_owned),
            None
        );
    }
}
