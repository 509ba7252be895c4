//! The discovery files. The names of each family are written here once more, so that a mistake in the
//! product's table is found.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use alongside_platform::paths::Canonical as _;
use serde_json::{Value, json};

use super::Shared;
use crate::fault::Fault;

/// A process ID that no process has: Linux gives out smaller ones.
pub(super) const NOBODY: u32 = 4_194_305;

/// The user ID of `nobody`.
const NOBODYS_UID: u32 = 65_534;

/// The fields of a file.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Gemini,
    Qwen,
}

impl Shared {
    /// Writes every file, each by one rename.
    pub(super) fn publish(&self) {
        self.publish_lock();
        let mut halves = Vec::new();
        for (path, kind) in self.files() {
            let directory = path.parent().expect("a file lies in a directory");
            fs::create_dir_all(directory).expect("a directory for discovery files");
            // The system sets the permissions of the temporary directory itself.
            if directory != self.environment.tmp {
                let open = self.has(Fault::DirectoryOpenToOthers);
                allow(directory, if open { 0o755 } else { 0o700 });
            }
            let mode = if self.has(Fault::FileReadableByOthers) { 0o644 } else { 0o600 };
            let mut text = self.record(kind).to_string();
            let is_qwens = directory.ends_with("qwen/ide");
            if is_qwens && self.has(Fault::FileIsHalf) {
                text.truncate(text.len() / 2);
            }
            if self.has(Fault::FileWrittenInPlace) {
                fs::write(&path, &text[..text.len() / 2]).expect("half a discovery file");
                allow(&path, mode);
                halves.push((path, text));
                continue;
            }
            let draft = directory.join(format!(".draft-{}-{}", self.port, std::process::id()));
            fs::write(&draft, text).expect("a discovery file");
            allow(&draft, mode);
            if is_qwens && self.has(Fault::FileOfAnotherUser) {
                std::os::unix::fs::chown(&draft, Some(NOBODYS_UID), None).expect("root gives files away");
            }
            fs::rename(&draft, &path).expect("a discovery file in its place");
        }
        if !halves.is_empty() {
            // Long enough for a reader also on a busy machine, and once for all files. Other tasks need this
            // thread meanwhile.
            tokio::task::block_in_place(|| std::thread::sleep(Duration::from_millis(150)));
        }
        for (path, text) in halves {
            fs::write(&path, &text).expect("a discovery file");
        }
    }

    /// Removes what was written.
    pub(super) fn withdraw(&self) {
        self.withdraw_lock();
        for (path, _) in self.files() {
            let _ = fs::remove_file(path);
        }
    }

    /// Returns all names, in all places.
    fn files(&self) -> Vec<(PathBuf, Kind)> {
        let (tmp, home) = (&self.environment.tmp, &self.environment.home);
        let pid = if self.has(Fault::DeadPidInName) { NOBODY } else { self.environment.editor_pid };
        let port = self.port;
        let told = if self.has(Fault::WrongPortInName) { port ^ 1 } else { port };
        let in_gemini = tmp.join("gemini/ide");
        let mut files = vec![
            (in_gemini.join(format!("gemini-ide-server-{pid}-{told}.json")), Kind::Gemini),
            (tmp.join(format!("gemini-ide-server-{pid}.json")), Kind::Gemini),
            (home.join(format!(".qwen/ide/{port}.lock")), Kind::Qwen),
            (tmp.join(format!("qwen/ide/qwen-code-ide-server-{pid}-{port}.json")), Kind::Qwen),
            (in_gemini.join(format!("qwen-code-ide-server-{pid}-{port}.json")), Kind::Qwen),
            (tmp.join(format!("qwen-code-ide-server-{pid}.json")), Kind::Qwen),
            (tmp.join(format!("qwen-code-ide-server-{port}.json")), Kind::Qwen),
        ];
        let missing = match self.fault.single {
            Some(Fault::NoGeminiFile) => Some(0),
            Some(Fault::NoOldGeminiFile) => Some(1),
            Some(Fault::NoQwenLock) => Some(2),
            Some(Fault::NoQwenFile) => Some(3),
            Some(Fault::NoOldQwenFile) => Some(5),
            _ => None,
        };
        if let Some(at) = missing {
            files.remove(at);
        }
        if self.has(Fault::OnlyGeminiFile) {
            files.truncate(1);
        }
        if self.has(Fault::OnlyQwenLock) {
            files = vec![files.swap_remove(2)];
        }
        if self.has(Fault::OverridingFile) {
            files.push((in_gemini.join(format!("gemini-ide-server-{pid}.json")), Kind::Gemini));
        }
        files
    }

    fn record(&self, kind: Kind) -> Value {
        let mut record = json!({
            "port": self.port,
            "workspacePath": self.workspace_path(),
            "authToken": self.token,
            "ideInfo": { "name": "reference", "displayName": "Reference Editor" },
        });
        if kind == Kind::Qwen {
            record["ppid"] = json!(self.environment.editor_pid);
            record["ideName"] = json!("Reference Editor");
        }
        let fields = record.as_object_mut().expect("a record is an object");
        match self.fault.single {
            Some(Fault::PortAsText) => record["port"] = json!(self.port.to_string()),
            Some(Fault::NullIdeInfo) => record["ideInfo"] = Value::Null,
            _ if self.fault.has(Fault::NoIdeInfo) => drop(fields.remove("ideInfo")),
            Some(Fault::NoDisplayName) => record["ideInfo"] = json!({ "name": "reference" }),
            Some(Fault::NoTokenInFile) => drop(fields.remove("authToken")),
            Some(Fault::NoParentForQwen) => drop(fields.remove("ppid")),
            Some(Fault::DeadParent) if kind == Kind::Qwen => record["ppid"] = json!(NOBODY),
            _ => {}
        }
        record
    }

    /// Returns all folders by the names they were opened under and by their real ones: agents compare either.
    fn workspace_path(&self) -> String {
        let mut roots: Vec<String> = Vec::new();
        for folder in &self.state().editor.folders {
            let real = folder.canonical().unwrap_or_else(|_| folder.clone());
            let names = if self.has(Fault::OnlyLiteralRoots) { vec![folder] } else { vec![folder, &real] };
            for name in names.into_iter().map(|name| name.to_string_lossy().into_owned()) {
                if !roots.contains(&name) && !name.contains(':') {
                    roots.push(name);
                }
            }
        }
        match self.fault.single {
            Some(Fault::RelativeRoot) => roots.push("src".into()),
            Some(Fault::RootThatIsGone) => roots.push(format!("{}-that-is-gone", roots[0])),
            _ => {}
        }
        roots.join(if self.has(Fault::RootsJoinedByComma) { "," } else { ":" })
    }
}

/// Sets the permissions of a file or a directory.
pub(super) fn allow(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}
