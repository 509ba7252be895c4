//! The pages for people: their links and commands, for the tests that hold them true and for the book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::chores::checkout;

/// A page, parsed.
#[derive(Debug, Default)]
pub struct Page {
    /// The path of the page from the top of the repository, with `/`.
    pub path: String,
    /// The whole text of the page.
    pub text: String,
    /// The words of the first paragraph, and its code.
    pub opening: String,
    /// The anchors of the headings.
    pub anchors: BTreeSet<String>,
    /// The targets of the links and pictures, as they are written.
    pub links: Vec<String>,
    /// The lines of the blocks of shell, and the code within sentences.
    code: Vec<Code>,
}

/// A line of a block of shell, or code within a sentence.
#[derive(Debug)]
struct Code {
    text: String,
    is_line: bool,
}

/// A command on a page, without the words of the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// The words of the command.
    pub words: Vec<String>,
    /// Whether the command is a line of a block, which people copy. A sentence may name a command without
    /// arguments.
    pub is_line: bool,
}

/// Returns every page of the repository: at its top, in `docs`, of the editors and of the rig.
///
/// # Panics
/// When a page cannot be read.
#[expect(clippy::expect_used, reason = "for tests and chores")]
pub fn pages() -> Vec<Page> {
    let editors = fs::read_dir(checkout().join("editors")).expect("the editors").flatten();
    let editors = editors.map(|entry| format!("editors/{}", entry.file_name().to_string_lossy()));
    let mut paths: Vec<String> = ["", "docs", "rig"].map(str::to_owned).into_iter().chain(editors).collect();
    paths.retain(|folder| checkout().join(folder).is_dir());
    let in_folder = |folder: &String| {
        let entries = fs::read_dir(checkout().join(folder)).expect("a folder").flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        let pages = names.filter(|name| name.ends_with(".md") && name != "SUMMARY.md");
        pages.map(|name| format!("{folder}/{name}").trim_start_matches('/').to_owned()).collect::<Vec<_>>()
    };
    let mut paths: Vec<String> = paths.iter().flat_map(in_folder).collect();
    paths.sort();
    let read = |path: String| {
        let text = fs::read_to_string(checkout().join(&path)).expect("a page that can be read");
        Page::parse(path, text)
    };
    paths.into_iter().map(read).collect()
}

impl Page {
    /// Parses the text of a page.
    pub fn parse(path: String, text: String) -> Self {
        let mut page = Self { path, ..Self::default() };
        let (mut heading, mut paragraph, mut paragraphs) = (None::<String>, None::<String>, 0);
        let mut shell = false;
        let mut headings = BTreeMap::<String, usize>::new();
        for event in Parser::new_ext(&text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    let anchor = anchor(&heading.take().unwrap_or_default());
                    let before = headings.entry(anchor.clone()).or_default();
                    page.anchors.insert(if *before == 0 { anchor } else { format!("{anchor}-{before}") });
                    *before += 1;
                }
                Event::Start(Tag::Paragraph) => {
                    paragraphs += 1;
                    paragraph = (paragraphs == 1).then(String::new);
                }
                Event::End(TagEnd::Paragraph) => page.opening.extend(paragraph.take()),
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::CodeBlock(kind)) => {
                    shell = match kind {
                        CodeBlockKind::Fenced(language) => ["", "sh", "bash"].contains(&&*language),
                        CodeBlockKind::Indented => false,
                    };
                }
                Event::End(TagEnd::CodeBlock) => shell = false,
                Event::Text(text) if shell => {
                    let lines = text.lines().map(|line| Code { text: line.to_owned(), is_line: true });
                    page.code.extend(lines);
                }
                Event::Text(text) => {
                    for words in [&mut heading, &mut paragraph].into_iter().flatten() {
                        words.push_str(&text);
                    }
                }
                Event::Code(code) => {
                    for words in [&mut heading, &mut paragraph].into_iter().flatten() {
                        words.push_str(&code);
                    }
                    page.code.push(Code { text: code.into_string(), is_line: false });
                }
                Event::SoftBreak => paragraph.iter_mut().for_each(|words| words.push(' ')),
                Event::Html(html) | Event::InlineHtml(html) => page.links.extend(pictures(&html)),
                _ => {}
            }
        }
        page.text = text;
        page
    }

    /// Returns the path from the top of the repository to which a link of this page leads, and the anchor
    /// there. `None` for a URI.
    pub fn target<'a>(&self, link: &'a str) -> Option<(String, Option<&'a str>)> {
        if link.contains("://") || link.starts_with("mailto:") {
            return None;
        }
        let (file, anchor) = match link.split_once('#') {
            Some((file, anchor)) => (file, Some(anchor)),
            None => (link, None),
        };
        if file.is_empty() {
            return Some((self.path.clone(), anchor));
        }
        let mut parts: Vec<&str> = self.path.split('/').collect();
        parts.pop();
        for part in Path::new(file).iter().filter_map(|part| part.to_str()) {
            match part {
                ".." => drop(parts.pop()),
                "." => {}
                _ => parts.push(part),
            }
        }
        Some((parts.join("/"), anchor))
    }

    /// Whether a word stands on the page as code, alone or as a part of a command.
    pub fn has_code(&self, word: &str) -> bool {
        self.code.iter().any(|code| words(&code.text).iter().any(|other| other == word))
    }

    /// Returns the commands of the page that begin with these words, without these words.
    pub fn commands(&self, program: &str) -> Vec<Command> {
        let program = words(program);
        let command = |part: &str, is_line| {
            let words = words(part);
            let is_first = |word: &String| !PREFIX_WORDS.contains(&word.as_str()) && !word.contains('=');
            let start = words.iter().position(is_first)?;
            let words = words[start..].strip_prefix(program.as_slice())?.to_vec();
            Some(Command { words, is_line })
        };
        let mut commands = Vec::new();
        for Code { text, is_line } in &self.code {
            commands.extend(text.split(SEPARATORS).filter_map(|part| command(part, *is_line)));
        }
        commands
    }
}

/// Characters of a shell that stand between commands, or before the file of their output.
const SEPARATORS: [char; 5] = [';', '|', '&', '>', '<'];

/// Words of a shell that may stand before a command.
const PREFIX_WORDS: [&str; 7] = ["exec", "sudo", "if", "then", "else", "!", "$"];

/// Returns the words of a line of shell, up to its comment.
fn words(line: &str) -> Vec<String> {
    let line = line.trim();
    let line = line.split_once("  ").map_or(line, |(command, _)| command);
    let line = line.split_once(" #").map_or(line, |(command, _)| command);
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.push(c),
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c.is_whitespace() => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()))
            }
            None => word.push(c),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

/// Returns the anchor of a heading: its letters in lower case, its digits, `-` and `_`, with `-` for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// Returns the files that tags of HTML show.
fn pictures(html: &str) -> Vec<String> {
    let values = ["src=\"", "srcset=\""].into_iter().flat_map(|name| html.split(name).skip(1));
    values.filter_map(|value| value.split('"').next()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str) -> Page {
        Page::parse("docs/a.md".to_owned(), text.to_owned())
    }

    #[test]
    fn headings_have_the_anchors_of_the_forge() {
        let page = page("# A `b`, c: d!\n\n## Same\n\n## Same\n\n```\n# no heading\n```\n");
        assert_eq!(page.anchors, ["a-b-c-d", "same", "same-1"].map(str::to_owned).into());
    }

    #[test]
    fn links_of_each_form_are_found_and_lead_from_the_page() {
        let page = page("# A\n\n[b](../b/c.md#d) ![e](f.svg) [g](#h) `[i](j)`\n\n<img src=\"k.png\">\n");
        let targets: Vec<_> = page.links.iter().filter_map(|link| page.target(link)).collect();
        let path = |path: &str| path.to_owned();
        assert_eq!(
            targets,
            [
                (path("b/c.md"), Some("d")),
                (path("docs/f.svg"), None),
                (path("docs/a.md"), Some("h")),
                (path("docs/k.png"), None)
            ]
        );
        assert_eq!(page.target("https://example.org/"), None);
    }

    #[test]
    fn commands_of_blocks_and_sentences_are_found_without_their_comments() {
        let page = page(
            "# A\n\nRun `run a --b`, or `c`.\n\n```sh\nrun d 'e f'    # g\nX=1 exec run h && run i\n\
             other\nrun l > m\n```\n\n\
             ```json\nrun j\n```\n\n```\n    run k    as columns\n```\n",
        );
        assert_eq!(page.opening, "Run run a --b, or c.");
        let shown = |command: &Command| (command.words.join("|"), command.is_line);
        let commands: Vec<(String, bool)> = page.commands("run").iter().map(shown).collect();
        let expected =
            [("a|--b", false), ("d|e f", true), ("h", true), ("i", true), ("l", true), ("k", true)];
        assert_eq!(commands, expected.map(|(words, is_line)| (words.to_owned(), is_line)));
        assert_eq!(page.commands("run a"), [Command { words: vec!["--b".to_owned()], is_line: false }]);
    }
}
