//! Which languages get alongside, and which servers Helix starts for them by itself.
//!
//! Helix has no way to give a server to every language, and a list of servers in the user's file replaces
//! Helix's own. So Helix is asked, language by language, what it would start, and alongside is put behind
//! that.

use std::path::Path;

use futures_util::{StreamExt as _, stream};

use crate::adapters::machine::said_by;

/// The languages that get alongside without being asked for, beside those the user's own file has: what
/// people write programs, documents and configuration in. More are a `--language` away.
const USUAL: &[&str] = &[
    "bash",
    "c",
    "c-sharp",
    "clojure",
    "cmake",
    "cpp",
    "css",
    "dart",
    "dockerfile",
    "elixir",
    "elm",
    "erlang",
    "fish",
    "go",
    "gomod",
    "graphql",
    "haskell",
    "hcl",
    "html",
    "ini",
    "java",
    "javascript",
    "json",
    "json5",
    "jsonc",
    "jsx",
    "julia",
    "just",
    "kotlin",
    "latex",
    "lua",
    "make",
    "markdown",
    "nix",
    "ocaml",
    "odin",
    "perl",
    "php",
    "protobuf",
    "python",
    "r",
    "ruby",
    "rust",
    "scala",
    "scss",
    "sql",
    "svelte",
    "swift",
    "toml",
    "tsx",
    "typescript",
    "typst",
    "vue",
    "xml",
    "yaml",
    "zig",
];

/// The language that Helix does not know until it is told.
pub(super) const TEXT: &str = "text";

/// Up to 25.01, Helix tells the programs of servers and not their names. These are the ones that differ.
const NAMES_OF_PROGRAMS: &[(&str, &str)] = &[
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

/// How many Helixes are asked at a time.
const AT_A_TIME: usize = 8;

/// A language and the servers that Helix starts for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Language {
    pub(crate) name: String,
    /// `None` if this Helix does not know the language.
    pub(crate) servers: Option<Vec<String>>,
}

/// All languages that are to have alongside: the usual ones and `more`, each once, sorted.
pub(super) fn wanted(more: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = USUAL.iter().map(|name| (*name).to_owned()).chain(more).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Asks Helix for the servers of each language. `programs` are those of the user's own servers, as (program,
/// name).
pub(super) async fn ask(
    helix: &Path,
    tells_programs: bool,
    names: Vec<String>,
    programs: &[(String, String)],
) -> Option<Vec<Language>> {
    let asked = stream::iter(names).map(|name| async move {
        let said = said_by(helix, &["--health", &name]).await?;
        let servers = servers_in(&said, |server| match tells_programs {
            true => name_of(server, programs),
            false => server.to_owned(),
        });
        Some(Language { name, servers })
    });
    let answers: Vec<Option<Language>> = asked.buffered(AT_A_TIME).collect().await;
    answers.into_iter().collect()
}

fn name_of(program: &str, programs: &[(String, String)]) -> String {
    let own = programs.iter().find(|(known, _)| known == program).map(|(_, name)| name.as_str());
    let known = || NAMES_OF_PROGRAMS.iter().find(|(known, _)| *known == program).map(|(_, name)| *name);
    own.or_else(known).unwrap_or(program).to_owned()
}

/// The servers in what `hx --health LANGUAGE` says; `None` if it does not know the language.
///
/// It says `Configured language servers:` and then a line each, `  ✘ pylsp: 'pylsp' not found in $PATH`, with
/// colours; or `Configured language servers: None`.
fn servers_in(said: &str, name: impl Fn(&str) -> String) -> Option<Vec<String>> {
    let plain = without_colours(said);
    let mut lines = plain.lines().skip_while(|line| !line.starts_with("Configured language server"));
    lines.next()?;
    let servers = lines.map_while(|line| line.strip_prefix("  "));
    let servers = servers.filter_map(|line| line.split_once(' ')?.1.split_once(':'));
    Some(servers.map(|(server, _)| name(server)).filter(|name| name != super::SERVER).collect())
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or(part, |(_, rest)| rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As 25.01.1 and a snapshot after 25.07.1 said it for Python and a language without servers.
    const OLD: &str = "Configured language servers:\n  \x1b[38;5;9m✘\x1b[39m ruff: \x1b[38;5;9m'ruff' not found in $PATH\x1b[39m\n  \x1b[38;5;10m✓\x1b[39m jedi-language-server: \x1b[38;5;10m/usr/bin/jedi-language-server\x1b[39m\nConfigured debug adapter: \x1b[38;5;11mNone\x1b[39m\n";
    const NEW: &str = "Configured language servers:\n  \x1b[0;31m✘\x1b[m ty: \x1b[0;31m'ty' not found in $PATH\x1b[m\n  \x1b[0;31m✘\x1b[m jedi: \x1b[0;31m'jedi-language-server' not found in $PATH\x1b[m\n  \x1b[0;32m✓\x1b[m alongside: /bin/alongside\nConfigured debug adapter:\x1b[0;33m None\x1b[m\n";

    #[test]
    fn servers_are_read_from_what_helix_says_of_a_language() {
        let by_name = |server: &str| name_of(server, &[("ruff".into(), "my-ruff".into())]);
        assert_eq!(servers_in(OLD, by_name).unwrap(), ["my-ruff", "jedi"]);
        assert_eq!(servers_in(NEW, str::to_owned).unwrap(), ["ty", "jedi"], "ours is not theirs");
        let none = "Configured language servers:\x1b[0;33m None\x1b[m\nConfigured debug adapter: None\n";
        assert_eq!(servers_in(none, str::to_owned).unwrap(), [""; 0]);
        assert_eq!(
            servers_in("Language 'x' not found\nDid you mean one of these: xml ?\n", str::to_owned),
            None
        );
    }
}
