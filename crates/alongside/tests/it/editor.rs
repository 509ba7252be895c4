//! A test editor: a process that a test can kill, and a language client for `alongside lsp`.

use std::io::{BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use alongside_desk::socket::EditorProcess;
use lsp_server::{Message, Notification, Request, Response};
use serde_json::{Value, json};

use crate::support::{DEADLINE, Home};

/// The process of an editor.
pub(crate) struct Process(Child);

impl Process {
    /// Starts a process that does nothing.
    pub(crate) fn open() -> Self {
        Self(Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }

    /// Returns the editor as a desk describes it to its host.
    pub(crate) fn editor_process(&self) -> EditorProcess {
        EditorProcess { pid: self.pid(), name: "ed".into(), display_name: "The Editor".into(), window: None }
    }

    /// Kills the process.
    pub(crate) fn dies(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The language client of an editor. Dropping it closes the pipe, as the system does if an editor is killed.
pub(crate) struct Editor {
    server: Child,
    to_server: Option<ChildStdin>,
    messages: Receiver<Message>,
    /// The id of the last request.
    last_id: i32,
    /// Every message so far, and whether the editor sent it.
    said: Vec<(bool, Message)>,
}

impl Editor {
    /// Starts the server in the project and sends no message.
    pub(crate) fn starts(home: &Home, args: &[&str]) -> Self {
        let mut server = home.alongside(&["lsp"]);
        let mut server = server
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to_server, out) = (server.stdin.take(), server.stdout.take().unwrap());
        let (received, messages) = channel();
        std::thread::spawn(move || {
            let mut out = BufReader::new(out);
            while let Ok(Some(message)) = Message::read(&mut out) {
                if received.send(message).is_err() {
                    return;
                }
            }
        });
        Self { server, to_server, messages, last_id: 0, said: Vec::new() }
    }

    /// Returns an editor with a plugin in the project, and its process.
    pub(crate) fn opened(home: &Home) -> (Process, Self) {
        let process = Process::open();
        let editor = Self::with_plugin(home, &process, &[&home.project]);
        (process, editor)
    }

    /// Returns an editor with a plugin in these projects, introduced to the server.
    pub(crate) fn with_plugin(home: &Home, process: &Process, roots: &[&Path]) -> Self {
        let mut editor = Self::starts(home, &[]);
        let answer = editor.asks("initialize", introduction(process, roots)).unwrap();
        assert_eq!(answer["capabilities"]["experimental"]["alongside"]["protocol"], 1);
        editor.says("initialized", json!({}));
        editor
    }

    /// Sends a notification.
    pub(crate) fn says(&mut self, method: &str, params: Value) {
        self.sends(Notification { method: method.to_owned(), params }.into());
    }

    /// Sends a request and waits for the response. [`hears`](Self::hears) returns messages that come
    /// meanwhile.
    pub(crate) fn asks(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        self.last_id += 1;
        let id = self.last_id;
        let heard = self.said.len();
        self.sends(Request { id: id.into(), method: method.to_owned(), params }.into());
        let answer = self.waits_for(heard, &format!("the answer to {method}"), |message| match message {
            Message::Response(response) if response.id == id.into() => Some(response.response_result.clone()),
            _ => None,
        });
        answer.map_err(|error| (error.code, error.message))
    }

    /// Accepts a review at the revision at which it was opened.
    pub(crate) fn accepts(&mut self, review: &Value) {
        let decide = json!({"id": review["id"], "revision": review["revision"], "decision": "accept"});
        self.asks("alongside/decideReview", decide).unwrap();
    }

    /// Waits for the first notification or request of this method that fits and returns its parameters.
    /// Earlier messages count too. The answer to a request is `null`.
    pub(crate) fn hears(&mut self, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let said = |message: &Message| match message {
            Message::Notification(it) if it.method == method && fits(&it.params) => {
                Some((None, it.params.clone()))
            }
            Message::Request(it) if it.method == method && fits(&it.params) => {
                Some((Some(it.id.clone()), it.params.clone()))
            }
            _ => None,
        };
        let (id, params) = self.waits_for(0, method, said);
        if let Some(id) = id {
            self.sends(Response { id, response_result: Ok(Value::Null) }.into());
        }
        params
    }

    /// Reads every message that has come, and answers requests with `null`, as an editor does that has sent
    /// all its edits.
    pub(crate) fn attends(&mut self) {
        while let Ok(message) = self.messages.try_recv() {
            if let Message::Request(request) = &message {
                self.sends(Response { id: request.id.clone(), response_result: Ok(Value::Null) }.into());
            }
            self.said.push((false, message));
        }
    }

    /// Returns the first open review of a file, at its newest revision.
    pub(crate) fn review(&mut self, file: &str) -> Option<Value> {
        self.reviews().into_iter().find(|review| review["file"] == file)
    }

    /// Returns the first open review.
    pub(crate) fn any_review(&mut self) -> Option<Value> {
        self.reviews().into_iter().next()
    }

    /// Returns all open reviews, each at its newest revision.
    fn reviews(&mut self) -> Vec<Value> {
        self.attends();
        let mut open: Vec<Value> = Vec::new();
        for (_, message) in self.said.iter().filter(|(by_editor, _)| !by_editor) {
            let Message::Notification(it) = message else { continue };
            match it.method.as_str() {
                "alongside/didOpenReview" => open.push(it.params.clone()),
                "alongside/didCloseReview" => open.retain(|review| review["id"] != it.params["id"]),
                "alongside/didChangeReview" => {
                    for review in open.iter_mut().filter(|review| review["id"] == it.params["id"]) {
                        review["revision"] = it.params["revision"].clone();
                    }
                }
                _ => {}
            }
        }
        open
    }

    /// Waits until the server asks for unsent edits, and sends this one.
    pub(crate) fn waits_to_flush(&mut self, edit: Value) {
        let id = self.waits_for(0, "flushReview", |message| match message {
            Message::Request(request) if request.method == "alongside/flushReview" => {
                Some(request.id.clone())
            }
            _ => None,
        });
        self.says("alongside/editReview", edit);
        self.sends(Response { id, response_result: Ok(Value::Null) }.into());
    }

    /// Waits for the first message of the server at or after the index `from` that fits. `what` names it in a
    /// failure.
    fn waits_for<T>(&mut self, from: usize, what: &str, fits: impl Fn(&Message) -> Option<T>) -> T {
        let known = self.said.iter().skip(from).filter(|(by_editor, _)| !by_editor);
        if let Some(found) = known.map(|(_, message)| message).find_map(&fits) {
            return found;
        }
        loop {
            match self.messages.recv_timeout(DEADLINE) {
                Ok(message) => {
                    let found = fits(&message);
                    self.said.push((false, message));
                    if let Some(found) = found {
                        return found;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    panic!("waited in vain for {what}; the messages were {:#?}", self.said)
                }
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("the server ended before {what}; the messages were {:#?}", self.said)
                }
            }
        }
    }

    fn sends(&mut self, message: Message) {
        let mut pipe = self.to_server.as_ref().expect("the editor lives");
        message.clone().write(&mut pipe).and_then(|()| pipe.flush()).expect("the server reads");
        self.said.push((true, message));
    }

    /// Ends the server as editors do. Returns every message, and whether the editor sent it.
    pub(crate) fn quits(mut self) -> Vec<(bool, Message)> {
        assert_eq!(self.asks("shutdown", Value::Null), Ok(Value::Null));
        self.says("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
        std::mem::take(&mut self.said)
    }

    /// Returns the process ID of the server.
    pub(crate) fn server(&self) -> u32 {
        self.server.id()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.to_server = None;
        let _ = self.server.wait();
    }
}

/// Returns the parameters of `initialize` of an editor with a plugin.
pub(crate) fn introduction(process: &Process, roots: &[&Path]) -> Value {
    let folder = |root: &&Path| json!({ "uri": format!("file://{}", root.display()), "name": "project" });
    json!({
        "processId": process.pid(),
        "clientInfo": { "name": "Neovim", "version": "0.12.4" },
        "workspaceFolders": roots.iter().map(folder).collect::<Vec<_>>(),
        "capabilities": {},
        "initializationOptions": { "alongside": { "protocol": 1 } },
    })
}
