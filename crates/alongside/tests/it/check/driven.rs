//! An editor that `alongside check --drive` controls: a shell script writes each action into a directory, and
//! a thread carries the action out, as a plugin would.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::editor::{Editor, Process};
use crate::support::{DEADLINE, Home, finish};

/// The script that is the driver. It waits until its action is carried out. Each argument ends with a zero
/// byte, the one byte that an argument cannot hold.
const SCRIPT: &str = r#"#!/bin/sh
box=$(dirname "$0")
n=$(mktemp "$box/action-XXXXXX")
printf '%s\0' "$@" > "$n"
mv "$n" "$n.asked"
while [ ! -e "$n.done" ]; do sleep 0.01; done
read -r code < "$n.done"
rm "$n.done"
exit "$code"
"#;

/// The driver of an editor, whose thread ends when this value is dropped.
pub(crate) struct Driven {
    script: PathBuf,
    over: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Driven {
    /// Starts the thread that carries actions out with this editor.
    pub(crate) fn by(home: &Home, editor: Editor, process: Process) -> Self {
        let mailbox = home.directory("drive");
        let script = mailbox.join("drive.sh");
        std::fs::write(&script, SCRIPT).unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let person = Person {
            editor,
            _process: process,
            project: home.project.clone(),
            stop: home.alongside(&["host", "--stop"]),
            open: Vec::new(),
            selection: json!({}),
        };
        let ends = Arc::clone(&over);
        let thread = std::thread::spawn(move || person.works(&mailbox, &ends));
        Self { script, over, thread: Some(thread) }
    }

    /// Returns the command for `--drive`.
    pub(crate) fn command(&self) -> String {
        format!("sh '{}'", self.script.display())
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A person at an editor, simulated.
struct Person {
    editor: Editor,
    _process: Process,
    project: PathBuf,
    stop: std::process::Command,
    /// The open files, the most recently used one first.
    open: Vec<String>,
    /// Cursor and selection in the first open file, as the plugin reports them.
    selection: Value,
}

impl Person {
    /// Carries out the actions in the directory until `over` is set.
    fn works(mut self, mailbox: &Path, over: &AtomicBool) {
        while !over.load(Ordering::Relaxed) {
            for entry in std::fs::read_dir(mailbox).unwrap().flatten() {
                let path = entry.path();
                if path.extension().is_some_and(|extension| extension == "asked") {
                    let words = std::fs::read_to_string(&path).unwrap();
                    let words: Vec<&str> = words.split_terminator('\0').collect();
                    let code = self.carry_out(&words);
                    std::fs::remove_file(&path).unwrap();
                    let done = path.with_extension("done");
                    std::fs::write(path.with_extension("code"), format!("{code}\n")).unwrap();
                    std::fs::rename(path.with_extension("code"), done).unwrap();
                }
            }
            self.editor.attends();
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Carries an action out. Returns the exit code of the driver.
    fn carry_out(&mut self, words: &[&str]) -> i32 {
        let number = |at: usize| words[at].parse::<u32>().unwrap();
        match words {
            ["open" | "focus", file] => self.looks_at(file),
            ["close", file] => {
                self.open.retain(|open| open != file);
                self.selection = json!({});
                self.reports();
            }
            // A plugin must not report a document without a file. The desk corrects a plugin that does.
            ["new"] => {
                let unsaved = self.project.join("never-saved.txt");
                self.says(json!({ "path": unsaved }));
            }
            ["cursor", file, ..] => {
                self.turns_to(file);
                self.selection = json!({ "cursor": position(number(2), number(3)) });
                self.reports();
            }
            ["select", file, ..] => {
                self.turns_to(file);
                let text = std::fs::read_to_string(file).unwrap();
                let (from, to) = (offset(&text, number(2), number(3)), offset(&text, number(4), number(5)));
                let selected = &text[from..to];
                self.selection =
                    json!({ "cursor": position(number(4), number(5)), "selectedText": selected });
                self.reports();
            }
            ["wander", file, _] => {
                self.turns_to(file);
                let until = std::time::Instant::now() + Duration::from_millis(number(2).into());
                for line in (2..300).cycle() {
                    if std::time::Instant::now() > until {
                        break;
                    }
                    self.selection = json!({ "cursor": position(line, 1) });
                    self.reports();
                    std::thread::sleep(Duration::from_millis(30));
                }
            }
            ["add-folder", folder] => self.folders(&[folder], &[]),
            ["remove-folder", folder] => self.folders(&[], &[folder]),
            ["edit", path, text] => {
                let Some(review) = self.wait_for_review(path) else { return 2 };
                let changes = json!([{ "text": text }]);
                let edit = json!({ "id": review["id"], "revision": review["revision"], "changes": changes });
                return self.asks("alongside/editReview", edit);
            }
            ["accept", path] => return self.decides(path, "accept"),
            // In every adapter, closing the view rejects the proposal.
            ["reject" | "close-view", path] => return self.decides(path, "reject"),
            ["is-shown", path] => return i32::from(self.editor.review(path).is_none()),
            ["stop"] => assert!(finish(&mut self.stop).status.success()),
            _ => return 3,
        }
        0
    }

    /// Makes a file the most recently used one.
    fn turns_to(&mut self, file: &str) {
        self.open.retain(|open| open != file);
        self.open.insert(0, file.to_owned());
    }

    /// Shows a file and reports that.
    fn looks_at(&mut self, file: &str) {
        if self.open.first().is_none_or(|first| first != file) {
            self.turns_to(file);
            self.selection = json!({ "cursor": position(1, 1) });
        }
        self.reports();
    }

    /// Reports the open files, cursor and selection to the server.
    fn reports(&mut self) {
        let mut active = self.selection.clone();
        active["path"] = match self.open.first() {
            Some(first) => first.as_str().into(),
            None => return self.says(Value::Null),
        };
        self.says(active);
    }

    /// Sends the context with this active file to the server.
    fn says(&mut self, active: Value) {
        let open: Vec<Value> = self.open.iter().map(|path| json!({ "path": path })).collect();
        let mut context = json!({ "openFiles": open });
        if !active.is_null() {
            context["active"] = active;
        }
        self.editor.says("alongside/didChangeContext", context);
    }

    /// Tells the server of added and removed workspace folders.
    fn folders(&mut self, added: &[&str], removed: &[&str]) {
        let folders = |folders: &[&str]| -> Vec<Value> {
            folders.iter().map(|path| json!({ "uri": format!("file://{path}"), "name": "x" })).collect()
        };
        let event = json!({ "added": folders(added), "removed": folders(removed) });
        self.editor.says("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    }

    /// Waits until the editor has the review of a file, of which the agent may know earlier. Returns `None`
    /// if the time limit is over.
    fn wait_for_review(&mut self, path: &str) -> Option<Value> {
        let until = std::time::Instant::now() + DEADLINE;
        loop {
            let review = self.editor.review(path);
            if review.is_some() || std::time::Instant::now() > until {
                return review;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Decides the review of a file. Returns the exit code of the driver.
    fn decides(&mut self, path: &str, decision: &str) -> i32 {
        let Some(review) = self.wait_for_review(path) else { return 2 };
        let decide = json!({ "id": review["id"], "revision": review["revision"], "decision": decision });
        self.asks("alongside/decideReview", decide)
    }

    /// Sends a request to the server. Returns the exit code of the driver: 4 if the server refuses the
    /// request.
    fn asks(&mut self, method: &str, params: Value) -> i32 {
        i32::from(self.editor.asks(method, params).is_err()) * 4
    }
}

/// Returns a position as the desk protocol counts it: from 0.
fn position(line: u32, column: u32) -> Value {
    json!({ "line": line - 1, "character": column - 1 })
}

/// Returns the byte offset of a position in a text. Line and column count from 1, columns in UTF-16 units.
fn offset(text: &str, line: u32, column: u32) -> usize {
    let before: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
    let mut units = 1;
    let inside = text[before..].char_indices().find(|(_, c)| {
        let here = units >= column as usize;
        units += c.len_utf16();
        here
    });
    inside.map_or(text.len(), |(at, _)| before + at)
}
