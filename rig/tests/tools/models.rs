//! Models of the tools with which Claude Code, Gemini CLI and Qwen Code edit and write files. Each model was
//! written from the agent's own source, independently of the hook. The models describe calls that name their
//! place exactly. Where an agent guesses, no model knows the written text, and the hook must tell the person
//! so.
//!
//! The sources: `tools/edit.js`, `tools/write-file.js` and `utils/textUtils.js` of Gemini CLI 0.61.0, the
//! edit and write tools and `prepareTextFileContent` of Qwen Code 0.24.4, and the edit and write tools of
//! Claude Code 2.1.332.

use alongside_rig::rng::Rng;
use serde_json::{Map, Value, json};

use crate::calls::{ReviewedCall, text_file};
use crate::random;

/// The byte order mark.
const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The result of a tool call.
#[derive(Debug, PartialEq, Eq)]
enum ToolResult {
    /// The file holds these bytes.
    Written(Vec<u8>),
    /// The tool fails, and the file is unchanged.
    Failed,
    /// The agent guesses the place, the encoding or the text.
    Guessed,
}

/// A tool and its model.
#[derive(Debug, Clone, Copy)]
struct Tool {
    agent: &'static str,
    name: &'static str,
    /// For a tool that replaces strings, the name of the argument by which it replaces every occurrence.
    all: Option<&'static str>,
    /// The model: returns the result for these arguments and this file.
    run: fn(&Arguments, Option<&[u8]>) -> ToolResult,
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
    fn new(tool: Tool, arguments: &Map<String, Value>) -> Self {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let all = tool.all.and_then(|name| arguments.get(name)).and_then(Value::as_bool);
        Self {
            old: text("old_string"),
            new: text("new_string"),
            content: text("content"),
            all: all.unwrap_or_default(),
        }
    }

    /// Returns the result of an edit of a missing file.
    fn create_file(&self) -> ToolResult {
        if self.old.is_empty() { ToolResult::Written(self.new.clone().into()) } else { ToolResult::Failed }
    }
}

#[test]
fn an_edit_or_a_file_is_reviewed_as_its_tool_writes_it() {
    compare_all(20_000);
}

/// Compares the calls that the first seeds give. Fails if a call writes another text than reviewed, or if too
/// few calls write one.
fn compare_all(calls: u64) {
    println!("seeds 0..{calls}");
    let (mut written, mut differences) = ([0; TOOLS.len()], Vec::new());
    for seed in 0..calls {
        let rng = &mut Rng::new(seed);
        let at = rng.index(TOOLS.len());
        match compare(TOOLS[at], rng) {
            Ok(true) => written[at] += 1,
            Ok(false) => {}
            Err(difference) => differences.push(format!("seed {seed}: {difference}")),
        }
    }
    println!("written: {written:?}");
    let first: Vec<_> = differences.iter().take(20).map(String::as_str).collect();
    assert!(differences.is_empty(), "{} differ:\n{}", differences.len(), first.join("\n\n"));
    assert!(
        written.iter().all(|written| written * 20 > calls),
        "too few of {calls} calls write: {written:?}"
    );
}

/// Compares a random call. Returns whether the tool wrote the file: `false` if the hook refuses the call, or
/// if the tool fails or guesses.
///
/// # Errors
/// Returns the difference between the reviewed and the written text.
fn compare(tool: Tool, rng: &mut Rng) -> Result<bool, String> {
    let before = rng.percent(90).then(|| random::file(rng));
    let before = before.as_deref();
    let arguments = random_arguments(tool, rng, before);
    let read = |_: &str| text_file(before);
    let Some(reviewed) = ReviewedCall::new(tool.agent, tool.name, arguments.clone(), read) else {
        return Ok(false);
    };
    let [change] = &*reviewed.changes else { return Err("it changes several files".into()) };
    let accepted = match rng.below(10) {
        0..=2 => random::edited(rng, &change.proposed),
        3 => random::text(rng),
        _ => change.proposed.clone(),
    };
    let Some(run_arguments) = reviewed.arguments_after(&[Some(accepted.clone())], read) else {
        return Ok(false);
    };
    let result = (tool.run)(&Arguments::new(tool, &run_arguments), before);
    let is_as_reviewed = match &result {
        ToolResult::Written(bytes) => *bytes == accepted.as_bytes(),
        // A failed tool writes nothing. A tool that guesses needs a remark in the review.
        ToolResult::Failed => true,
        ToolResult::Guessed => change.remark.is_some(),
    };
    match is_as_reviewed {
        true => Ok(matches!(result, ToolResult::Written(_))),
        false => Err(format!(
            "{} of {}: {arguments}\nrun as {}\nbefore {:?}\naccepted {accepted:?}\nbut {result:?}",
            tool.name,
            tool.agent,
            Value::Object(run_arguments),
            before.map(String::from_utf8_lossy),
        )),
    }
}

/// Returns random arguments for a call of the tool.
fn random_arguments(tool: Tool, rng: &mut Rng, before: Option<&[u8]>) -> Value {
    let Some(all) = tool.all else {
        let content = random::file(rng);
        return json!({"file_path": "/f", "content": String::from_utf8_lossy(&content)});
    };
    let before = String::from_utf8_lossy(before.unwrap_or_default()).replace("\r\n", "\n");
    let old = match rng.below(10) {
        0 => random::line(rng).to_owned(),
        1 => String::new(),
        2 => before.clone(),
        _ => random_part(rng, &before),
    };
    let new = match rng.below(6) {
        0 => String::new(),
        1 => random::line(rng).to_owned(),
        2 => random::text(rng).replace('\n', "\r\n"),
        3 => random::edited(rng, &old),
        _ => random::text(rng),
    };
    json!({"file_path": "/f", "old_string": old, "new_string": new, all: rng.percent(30)})
}

/// Returns a random part of a text, which may begin and end within a line.
fn random_part(rng: &mut Rng, text: &str) -> String {
    let characters: Vec<char> = text.trim_start_matches(BYTE_ORDER_MARK).chars().collect();
    let from = rng.index(characters.len() + 1);
    let to = (from + rng.index(12)).min(characters.len());
    characters[from..to].iter().collect()
}

/// Returns a text with `\n` as every line end.
fn with_lf(text: &str) -> String {
    text.replace("\r\n", "\n")
}

/// Returns a text with `\r\n` as every line end: `text.replace(/\r?\n/g, "\r\n")`.
fn with_crlf(text: &str) -> String {
    with_lf(text).replace('\n', "\r\n")
}

fn occurrences(text: &str, of: &str) -> usize {
    text.split(of).count() - 1
}

fn claude_edit(arguments: &Arguments, before: Option<&[u8]>) -> ToolResult {
    let Some(bytes) = before else { return arguments.create_file() };
    let Ok(text) = std::str::from_utf8(bytes) else { return ToolResult::Failed };
    let beginning: Vec<u16> = text.encode_utf16().take(4096).collect();
    let is_line_end = |at: &usize| beginning[*at] == u16::from(b'\n');
    let is_crlf = |at: usize| at > 0 && beginning[at - 1] == u16::from(b'\r');
    let (crlf_ends, lf_ends): (Vec<_>, Vec<_>) =
        (0..beginning.len()).filter(is_line_end).partition(|at| is_crlf(*at));
    let content = with_lf(text);
    let Arguments { old, new, all, .. } = arguments;
    if old.is_empty() && !content.trim().is_empty() {
        return ToolResult::Failed;
    }
    let updated = if old.is_empty() {
        new.clone()
    } else {
        match occurrences(&content, old) {
            0 => return ToolResult::Guessed,
            2.. if !all => return ToolResult::Failed,
            _ => {}
        }
        let with_end = format!("{old}\n");
        let takes_end = new.is_empty() && !old.ends_with('\n') && content.contains(&with_end);
        let old = if takes_end { &with_end } else { old };
        if *all { content.replace(old, new) } else { content.replacen(old, new, 1) }
    };
    if updated == content {
        return ToolResult::Failed;
    }
    ToolResult::Written(if crlf_ends.len() > lf_ends.len() { with_crlf(&updated) } else { updated }.into())
}

fn claude_write(arguments: &Arguments, before: Option<&[u8]>) -> ToolResult {
    let content = &arguments.content;
    let Ok(text) = std::str::from_utf8(before.unwrap_or_default()) else { return ToolResult::Failed };
    let adds_mark =
        !content.is_empty() && text.starts_with(BYTE_ORDER_MARK) && !content.starts_with(BYTE_ORDER_MARK);
    ToolResult::Written(format!("{}{content}", if adds_mark { BYTE_ORDER_MARK } else { "" }).into())
}

fn gemini_replace(arguments: &Arguments, before: Option<&[u8]>) -> ToolResult {
    let Some(bytes) = before else { return arguments.create_file() };
    // Gemini CLI decodes any bytes as UTF-8, with replacement characters.
    let text = String::from_utf8_lossy(bytes);
    let content = with_lf(&text);
    let (old, new) = (with_lf(&arguments.old), with_lf(&arguments.new));
    if old.is_empty() {
        return ToolResult::Failed;
    }
    match occurrences(&content, &old) {
        0 => return ToolResult::Guessed,
        2.. if !arguments.all => return ToolResult::Failed,
        // With the setting for corrections, Gemini's model chooses another edit.
        _ if old == new => return ToolResult::Guessed,
        _ => {}
    }
    let mut updated = content.replace(&old, &new);
    match (content.ends_with('\n'), updated.ends_with('\n')) {
        (true, false) => updated.push('\n'),
        (false, true) => drop(updated.pop()),
        (true, true) | (false, false) => {}
    }
    ToolResult::Written(if text.contains("\r\n") { with_crlf(&updated) } else { updated }.into())
}

fn gemini_write_file(arguments: &Arguments, before: Option<&[u8]>) -> ToolResult {
    let text = String::from_utf8_lossy(before.unwrap_or_default());
    let content = &arguments.content;
    // With a model of Gemini 2 or 3, or without the setting for corrections, the tool resolves no escape
    // sequences.
    ToolResult::Written(if text.contains("\r\n") { with_crlf(content) } else { content.clone() }.into())
}

/// Returns what `prepareTextFileContent` of Qwen Code writes to a UTF-8 file. The byte order mark is no part
/// of the text.
fn qwen_written(content: &str, file: &str) -> ToolResult {
    let content = if file.contains("\r\n") { with_crlf(content) } else { content.to_owned() };
    match file.starts_with(BYTE_ORDER_MARK) {
        true => ToolResult::Written(
            format!("{BYTE_ORDER_MARK}{}", content.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&content)).into(),
        ),
        false => ToolResult::Written(content.into()),
    }
}

fn qwen_edit(arguments: &Arguments, before: Option<&[u8]>) -> ToolResult {
    let Some(bytes) = before else { return arguments.create_file() };
    let Ok(file) = std::str::from_utf8(bytes) else { return ToolResult::Guessed };
    let content = with_lf(file.strip_prefix(BYTE_ORDER_MARK).unwrap_or(file));
    let Arguments { old, new, all, .. } = arguments;
    if old.is_empty() {
        return ToolResult::Failed;
    }
    if !content.contains(old) {
        return ToolResult::Guessed;
    }
    let with_end = format!("{old}\n");
    let takes_end = new.is_empty() && !old.ends_with('\n') && content.contains(&with_end);
    let old = if takes_end { &with_end } else { old };
    if occurrences(&content, old) > 1 && !all {
        return ToolResult::Failed;
    }
    // `safeLiteralReplace` replaces every occurrence.
    let updated = content.replace(old, new);
    if updated == content { ToolResult::Failed } else { qwen_written(&updated, file) }
}

fn qwen_write_file(arguments: &Arguments, before: Option<&[u8]>) -> ToolResult {
    match std::str::from_utf8(before.unwrap_or_default()) {
        Ok(file) => qwen_written(&arguments.content, file),
        Err(_) => ToolResult::Guessed,
    }
}
