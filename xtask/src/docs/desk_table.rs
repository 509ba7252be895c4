//! Checks the table of desks and messages in docs/desk-protocol.md against the sources: the rows are the
//! messages of `crates/desk`, and a cell shows whether the sources of a desk send or handle one. After a
//! change of either, `ALONGSIDE_BLESS=1 cargo test -p xtask desk_table` writes the table again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

use alongside_rig::sandbox::files_below;
use alongside_testing::chores::checkout;
use syn::visit::Visit as _;

use super::desk_messages::{Protocol, Used, WITHOUT_ROW, methods_in};
use crate::rust_sources::{crate_sources, read_text};

const DOCUMENT: &str = "docs/desk-protocol.md";
const SCRIPTS_DOCUMENT: &str = "docs/review-json.md";
const BEGIN: &str = "<!-- desks and messages -->\n";
const END: &str = "<!-- end of desks and messages -->\n";

/// The messages of hooks, which are not desks.
const OF_HOOKS: [&str; 2] = ["alongside/propose", "alongside/turnTaken"];

/// The commands of the language server, and what it sends for each: see `command_arguments.rs`.
const COMMANDS: [(&str, &str); 8] = [
    ("alongside.accept", "alongside/decideReview"),
    ("alongside.reject", "alongside/decideReview"),
    ("alongside.keep", "alongside/keepHunks"),
    ("alongside.drop", "alongside/keepHunks"),
    ("alongside.undo", "alongside/undoReview"),
    ("alongside.redo", "alongside/redoReview"),
    ("alongside.pause", "alongside/pauseContext"),
    ("alongside.send", "alongside/mentionFile"),
];

/// The sources of a desk, and the form in which they name a message.
enum Sources {
    /// Modules of a crate, without some: variants of `Request` that they make, and of `Event` that they
    /// match.
    Rust { krate: &'static str, within: &'static [&'static str], without: &'static [&'static str] },
    /// Files of a plugin, by their extension.
    Plugin {
        paths: &'static [&'static str],
        extension: &'static str,
        /// The forms in which a method stands in them: `{}` is the method, `{short}` the part after `/`.
        forms: &'static [&'static str],
        /// Messages that code for all messages handles, and that code.
        besides: &'static [(&'static str, &'static str)],
    },
    /// A script for an editor with plain LSP: commands that it names, and the rest as the language server.
    Lsp(&'static str),
    /// Programs at `alongside review --json`: the methods in the tables of a page.
    Page(&'static str),
}

const SHOWN_BY_VIM: &str = "messages.Announce(get(get(params, 'display', {}), 'messages', []))";
const SHOWN_BY_EMACS: &str = "(alongside--show-event-messages params)";

const DESKS: [(&str, Sources); 9] = [
    (
        "terminal desk",
        Sources::Rust { krate: "terminal", within: &[], without: &["scripted_companion", "bench_desk"] },
    ),
    ("line mode", Sources::Rust { krate: "alongside", within: &["line_mode"], without: &["json"] }),
    ("language server", Sources::Rust { krate: "lsp", within: &["without_plugin"], without: &[] }),
    (
        "Neovim",
        Sources::Plugin {
            paths: &["editors/neovim/lua", "editors/neovim/plugin"],
            extension: "lua",
            forms: &["'{}'"],
            besides: &[],
        },
    ),
    (
        "Vim",
        Sources::Plugin {
            paths: &["editors/vim/autoload", "editors/vim/plugin"],
            extension: "vim",
            forms: &["'{}'"],
            besides: &[
                ("alongside/problem", SHOWN_BY_VIM),
                ("alongside/notice", SHOWN_BY_VIM),
                ("alongside/lastWord", SHOWN_BY_VIM),
            ],
        },
    ),
    (
        "Emacs",
        Sources::Plugin {
            paths: &["editors/emacs"],
            extension: "el",
            forms: &["'{}"],
            besides: &[
                ("alongside/problem", SHOWN_BY_EMACS),
                ("alongside/notice", SHOWN_BY_EMACS),
                ("alongside/lastWord", SHOWN_BY_EMACS),
            ],
        },
    ),
    ("Kakoune", Sources::Lsp("editors/kakoune/alongside.kak")),
    (
        "VS Code",
        Sources::Plugin {
            paths: &["editors/vscode/src"],
            extension: "ts",
            forms: &["'{}'", "on('{short}'"],
            besides: &[],
        },
    ),
    ("scripts", Sources::Page(SCRIPTS_DOCUMENT)),
];

/// A desk of the table, with its sources read.
enum Desk {
    Variants(BTreeSet<(&'static str, String)>),
    Methods(BTreeSet<String>),
    /// The methods of its commands; what else the language server does counts, too.
    Lsp(BTreeSet<String>),
}

/// Returns the text of a plugin, without lines that are comments.
fn plugin_text(paths: &[&str], extension: &str) -> String {
    let mark = match extension {
        "lua" => "--",
        "vim" => "#",
        "el" => ";",
        _ => "//",
    };
    let files = paths.iter().flat_map(|path| files_below(checkout().join(path)));
    let is_source = |path: &Path| {
        path.extension().is_some_and(|found| found == extension) && !path.iter().any(|part| part == "tests")
    };
    let text: String = files.filter(|path| is_source(path)).map(|path| read_text(&path)).collect();
    assert!(!text.is_empty(), "{paths:?} has no sources: it was not read");
    text.lines().filter(|line| !line.trim_start().starts_with(mark)).fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line}");
        text
    })
}

/// Whether a text has a form that no further character of a method follows.
fn has_whole(text: &str, form: &str) -> bool {
    text.match_indices(form).any(|(at, _)| {
        !text[at + form.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() && !form.ends_with('\''))
    })
}

impl Desk {
    fn read(name: &str, sources: &Sources, protocol: &Protocol) -> Self {
        match sources {
            Sources::Rust { krate, within, without } => {
                let mut used = Used::default();
                for (module, file) in crate_sources(krate) {
                    let is_in =
                        |names: &[&str]| module.iter().any(|segment| names.contains(&segment.as_str()));
                    if (within.is_empty() || is_in(within)) && !is_in(without) {
                        used.visit_file(&file);
                    }
                }
                Self::Variants(used.0)
            }
            Sources::Plugin { paths, extension, forms, besides } => {
                let text = plugin_text(paths, extension);
                let is_used = |method: &str| {
                    let short = method.trim_start_matches("alongside/");
                    forms
                        .iter()
                        .any(|form| has_whole(&text, &form.replace("{short}", short).replace("{}", method)))
                };
                for (method, code) in *besides {
                    assert!(text.contains(code), "{name} handles {method} no more by {code:?}");
                }
                let besides = besides.iter().map(|(method, _)| (*method).to_owned());
                let unknown: Vec<_> = methods_in(&text, |before| before.ends_with('\''))
                    .into_iter()
                    .filter(|method| !protocol.all().any(|(_, known)| known == method))
                    .collect();
                assert!(unknown.is_empty(), "{name} has methods that the protocol does not: {unknown:?}");
                let known = protocol.rows().map(|(_, method)| method);
                Self::Methods(known.filter(|method| is_used(method)).cloned().chain(besides).collect())
            }
            Sources::Lsp(path) => {
                let text = read_text(&checkout().join(path));
                let named = COMMANDS.iter().filter(|(command, _)| has_whole(&text, command));
                Self::Lsp(named.map(|(_, method)| (*method).to_owned()).collect())
            }
            Sources::Page(path) => {
                let text = read_text(&checkout().join(path));
                let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split('|').next());
                Self::Methods(rows.flat_map(|cell| methods_in(cell, |_| true)).collect())
            }
        }
    }

    fn has(&self, owner: &'static str, variant: &str, method: &str) -> bool {
        match self {
            Self::Variants(used) => used.contains(&(owner, variant.to_owned())),
            Self::Methods(methods) | Self::Lsp(methods) => methods.contains(method),
        }
    }
}

/// Returns the table, in Markdown.
fn table(protocol: &Protocol) -> String {
    let desks: BTreeMap<&str, Desk> =
        DESKS.iter().map(|(name, sources)| (*name, Desk::read(name, sources, protocol))).collect();
    let names: Vec<_> = DESKS.iter().map(|(name, _)| *name).collect();
    let mut text = String::new();
    let parts =
        [("Request", "a desk sends", &protocol.requests), ("Event", "a desk handles", &protocol.events)];
    for (number, (owner, title, messages)) in parts.into_iter().enumerate() {
        let gap = if number == 0 { "" } else { "\n" };
        let _ = writeln!(text, "{gap}| {title} | {} |", names.join(" | "));
        let _ = writeln!(text, "|---|{}", ":-:|".repeat(names.len()));
        for (variant, method) in
            messages.iter().filter(|(variant, _)| !WITHOUT_ROW.contains(&variant.as_str()))
        {
            let cells = names.iter().map(|name| match &desks[name] {
                desk if desk.has(owner, variant, method) => "yes",
                Desk::Lsp(_) if desks["language server"].has(owner, variant, method) => "LSP",
                _ => "",
            });
            let _ = writeln!(text, "| `{method}` | {} |", cells.collect::<Vec<_>>().join(" | "));
        }
    }
    text
}

#[test]
fn the_table_of_desks_is_that_of_the_sources() {
    let path = checkout().join(DOCUMENT);
    let document = read_text(&path);
    let (before, rest) = document.split_once(BEGIN).expect("the document has the table");
    let (written, after) = rest.split_once(END).expect("the table has an end");
    let table = table(&Protocol::read());
    if std::env::var_os("ALONGSIDE_BLESS").is_some() {
        std::fs::write(path, format!("{before}{BEGIN}{table}{END}{after}")).expect("a document to write");
        return;
    }
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let (written, table) = (lines(written), lines(&table));
    let (old, new): (Vec<_>, Vec<_>) =
        (written.difference(&table).cloned().collect(), table.difference(&written).cloned().collect());
    assert!(
        old.is_empty() && new.is_empty(),
        "{DOCUMENT} has rows that the sources do not have:\n{}\nand lacks:\n{}\n\
         ALONGSIDE_BLESS=1 cargo test -p xtask desk_table writes the table anew",
        old.join("\n"),
        new.join("\n"),
    );
}

/// A page names each message of the protocol outside the table, and no other one.
#[test]
fn pages_describe_every_message_and_no_other() {
    let protocol = Protocol::read();
    let document = read_text(&checkout().join(DOCUMENT));
    let (before, rest) = document.split_once(BEGIN).expect("the document has the table");
    let described = before.to_owned() + rest.split_once(END).expect("the table has an end").1;
    let undescribed: Vec<_> = protocol
        .rows()
        .map(|(_, method)| method)
        .filter(|method| !described.contains(&format!("| `{method}` |")))
        .collect();
    assert!(undescribed.is_empty(), "{DOCUMENT} has no row that describes {undescribed:?}");
    for page in [DOCUMENT, SCRIPTS_DOCUMENT] {
        let unknown: BTreeSet<_> =
            methods_in(&read_text(&checkout().join(page)), |before| before.ends_with('`'))
                .into_iter()
                .filter(|method| !OF_HOOKS.contains(&method.as_str()))
                .filter(|method| !protocol.all().any(|(_, known)| known == method))
                .collect();
        assert!(unknown.is_empty(), "{page} names messages that the protocol does not have: {unknown:?}");
    }
}
