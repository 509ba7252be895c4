//! Models of the tools with which Claude Code, Gemini CLI and Qwen Code edit and write files, each written
//! after the agent's own source and apart from the hook. They hold for a call that names its place exactly;
//! where an agent guesses, no model says what it writes, and the hook must not show a text.
//!
//! The sources: `tools/edit.js`, `tools/write-file.js` and `utils/textUtils.js` of Gemini CLI 0.61.0, the
//! edit and write tools and `prepareTextFileContent` of Qwen Code 0.24.4, and the same in Claude Code
//! 2.1.332.

use alongside_rig::rng::Rng;
use serde_json::{Map, Value, json};

use crate::calls::{Reviewed, text_file};
use crate::random::{edited, file, line, text};

const MARK: &str = "\u{feff}";

/// The end of a tool call.
#[derive(Debug, PartialEq, Eq)]
enum End {
    /// The file holds these bytes.
    Written(Vec<u8>),
    /// The tool fails, and the file stays.
    Failed,
    /// The agent guesses the place, the encoding or the text.
    Guessed,
}

#[derive(Debug, Clone, Copy)]
struct Tool {
    agent: &'static str,
    name: &'static str,
    /// The name of the switch for every occurrence, of a tool that replaces strings.
    all: Option<&'static str>,
    run: fn(&Arguments, Option<&[u8]>) -> End,
}

const TOOLS: [Tool; 6] = [
    Tool { agent: "claude", name: "Edit", all: Some("replace_all"), run: claude_edit },
    Tool { agent: "claude", name: "Write", all: None, run: claude_write },
    Tool { agent: "gemini", name: "replace", all: Some("allow_multiple"), run: gemini_replace },
    Tool { agent: "gemini", name: "write_file", all: None, run: gemini_write_file },
    Tool { agent: "qwen", name: "edit", all: Some("replace_all"), run: qwen_edit },
    Tool { agent: "qwen", name: "write_file", all: None, run: qwen_write_file },
];

/// The arguments as the models read them.
struct Arguments {
    old: String,
    new: String,
    content: String,
    all: bool,
}

impl Arguments {
    fn of(tool: Tool, arguments: &Map<String, Value>) -> Self {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let all = tool.all.and_then(|name| arguments.get(name)).and_then(Value::as_bool);
        Self {
            old: text("old_string"),
            new: text("new_string"),
            content: text("content"),
            all: all.unwrap_or_default(),
        }
    }

    /// The end of an edit where there is no file.
    fn made(&self) -> End {
        if self.old.is_empty() { End::Written(self.new.clone().into()) } else { End::Failed }
    }
}

#[test]
fn an_edit_or_a_file_is_reviewed_as_its_tool_writes_it() {
    compare(20_000);
}

fn compare(calls: u64) {
    println!("calls 0..{calls}");
    let (mut written, mut differences) = ([0; TOOLS.len()], Vec::new());
    for number in 0..calls {
        let rng = &mut Rng::new(number);
        let at = rng.index(TOOLS.len());
        match compared(TOOLS[at], rng) {
            Ok(true) => written[at] += 1,
            Ok(false) => {}
            Err(difference) => differences.push(format!("call {number}, {difference}")),
        }
    }
    println!("written: {written:?}");
    let first: Vec<_> = differences.iter().take(20).map(String::as_str).collect();
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), first.join("\n\n"));
    assert!(written.iter().all(|written| written * 20 > calls), "too many calls are refused");
}

/// Whether the tool wrote the file.
fn compared(tool: Tool, rng: &mut Rng) -> Result<bool, String> {
    let before = rng.percent(90).then(|| file(rng));
    let before = before.as_deref();
    let arguments = arguments(tool, rng, before);
    let read = |_: &str| text_file(before);
    let Some(reviewed) = Reviewed::of(tool.agent, tool.name, arguments.clone(), read) else {
        return Ok(false);
    };
    let [change] = &*reviewed.changes else { return Err("it changes several files".into()) };
    let mine = match rng.below(10) {
        0..=2 => edited(rng, &change.proposed),
        3 => text(rng),
        _ => change.proposed.clone(),
    };
    let Some(run) = reviewed.decided(&[Some(mine.clone())], read) else { return Ok(false) };
    let end = (tool.run)(&Arguments::of(tool, &run), before);
    let is_as_seen = match &end {
        End::Written(bytes) => *bytes == mine.as_bytes(),
        // The person sees that nothing is written, or is told before that nobody can tell.
        End::Failed => true,
        End::Guessed => change.remark.is_some(),
    };
    match is_as_seen {
        true => Ok(matches!(end, End::Written(_))),
        false => Err(format!(
            "{} of {}: {arguments}\nrun as {}\nbefore {:?}\naccepted {mine:?}\nbut {end:?}",
            tool.name,
            tool.agent,
            Value::Object(run),
            before.map(String::from_utf8_lossy),
        )),
    }
}

fn arguments(tool: Tool, rng: &mut Rng, before: Option<&[u8]>) -> Value {
    let Some(all) = tool.all else {
        let content = file(rng);
        return json!({"file_path": "/f", "content": String::from_utf8_lossy(&content)});
    };
    let before = String::from_utf8_lossy(before.unwrap_or_default()).replace("\r\n", "\n");
    let old = match rng.below(10) {
        0 => line(rng).to_owned(),
        1 => String::new(),
        2 => before.clone(),
        _ => part(rng, &before),
    };
    let new = match rng.below(6) {
        0 => String::new(),
        1 => line(rng).to_owned(),
        2 => text(rng).replace('\n', "\r\n"),
        3 => edited(rng, &old),
        _ => text(rng),
    };
    json!({"file_path": "/f", "old_string": old, "new_string": new, all: rng.percent(30)})
}

/// A part of a text, from one character to another.
fn part(rng: &mut Rng, text: &str) -> String {
    let characters: Vec<char> = text.trim_start_matches(MARK).chars().collect();
    let from = rng.index(characters.len() + 1);
    let to = (from + rng.index(12)).min(characters.len());
    characters[from..to].iter().collect()
}

fn unix(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// `text.replace(/\r?\n/g, "\r\n")`.
fn crlf(text: &str) -> String {
    unix(text).replace('\n', "\r\n")
}

fn occurrences(text: &str, of: &str) -> usize {
    text.split(of).count() - 1
}

fn claude_edit(arguments: &Arguments, before: Option<&[u8]>) -> End {
    let Some(bytes) = before else { return arguments.made() };
    let Ok(text) = std::str::from_utf8(bytes) else { return End::Failed };
    let beginning: Vec<u16> = text.encode_utf16().take(4096).collect();
    let ends = |at: &usize| beginning[*at] == u16::from(b'\n');
    let is_crlf = |at: usize| at > 0 && beginning[at - 1] == u16::from(b'\r');
    let (crlf_ends, lf_ends): (Vec<_>, Vec<_>) =
        (0..beginning.len()).filter(ends).partition(|at| is_crlf(*at));
    let content = unix(text);
    let Arguments { old, new, all, .. } = arguments;
    if old.is_empty() && !content.trim().is_empty() {
        return End::Failed;
    }
    let updated = if old.is_empty() {
        new.clone()
    } else {
        match occurrences(&content, old) {
            0 => return End::Guessed,
            2.. if !all => return End::Failed,
            _ => {}
        }
        let with_end = format!("{old}\n");
        let takes_end = new.is_empty() && !old.ends_with('\n') && content.contains(&with_end);
        let old = if takes_end { &with_end } else { old };
        if *all { content.replace(old, new) } else { content.replacen(old, new, 1) }
    };
    if updated == content {
        return End::Failed;
    }
    End::Written(if crlf_ends.len() > lf_ends.len() { crlf(&updated) } else { updated }.into())
}

fn claude_write(arguments: &Arguments, before: Option<&[u8]>) -> End {
    let content = &arguments.content;
    let Ok(text) = std::str::from_utf8(before.unwrap_or_default()) else { return End::Failed };
    let adds_mark = !content.is_empty() && text.starts_with(MARK) && !content.starts_with(MARK);
    End::Written(format!("{}{content}", if adds_mark { MARK } else { "" }).into())
}

fn gemini_replace(arguments: &Arguments, before: Option<&[u8]>) -> End {
    let Some(bytes) = before else { return arguments.made() };
    // It reads any bytes as UTF-8.
    let text = String::from_utf8_lossy(bytes);
    let content = unix(&text);
    let (old, new) = (unix(&arguments.old), unix(&arguments.new));
    if old.is_empty() {
        return End::Failed;
    }
    match occurrences(&content, &old) {
        0 => return End::Guessed,
        2.. if !arguments.all => return End::Failed,
        // With its setting for corrections, a model finds another edit.
        _ if old == new => return End::Guessed,
        _ => {}
    }
    let mut updated = content.replace(&old, &new);
    match (content.ends_with('\n'), updated.ends_with('\n')) {
        (true, false) => updated.push('\n'),
        (false, true) => drop(updated.pop()),
        (true, true) | (false, false) => {}
    }
    End::Written(if text.contains("\r\n") { crlf(&updated) } else { updated }.into())
}

fn gemini_write_file(arguments: &Arguments, before: Option<&[u8]>) -> End {
    let text = String::from_utf8_lossy(before.unwrap_or_default());
    let content = &arguments.content;
    // A model of Gemini 2 or 3, and no setting for corrections: it resolves no escapes.
    End::Written(if text.contains("\r\n") { crlf(content) } else { content.clone() }.into())
}

/// `prepareTextFileContent`, for UTF-8. The mark is no part of the text.
fn qwen_written(content: &str, file: &str) -> End {
    let content = if file.contains("\r\n") { crlf(content) } else { content.to_owned() };
    match file.starts_with(MARK) {
        true => End::Written(format!("{MARK}{}", content.strip_prefix(MARK).unwrap_or(&content)).into()),
        false => End::Written(content.into()),
    }
}

fn qwen_edit(arguments: &Arguments, before: Option<&[u8]>) -> End {
    let Some(bytes) = before else { return arguments.made() };
    let Ok(file) = std::str::from_utf8(bytes) else { return End::Guessed };
    let content = unix(file.strip_prefix(MARK).unwrap_or(file));
    let Arguments { old, new, all, .. } = arguments;
    if old.is_empty() {
        return End::Failed;
    }
    if !content.contains(old) {
        return End::Guessed;
    }
    let with_end = format!("{old}\n");
    let takes_end = new.is_empty() && !old.ends_with('\n') && content.contains(&with_end);
    let old = if takes_end { &with_end } else { old };
    if occurrences(&content, old) > 1 && !all {
        return End::Failed;
    }
    // `safeLiteralReplace` replaces all that are there.
    let updated = content.replace(old, new);
    if updated == content { End::Failed } else { qwen_written(&updated, file) }
}

fn qwen_write_file(arguments: &Arguments, before: Option<&[u8]>) -> End {
    match std::str::from_utf8(before.unwrap_or_default()) {
        Ok(file) => qwen_written(&arguments.content, file),
        Err(_) => End::Guessed,
    }
}
