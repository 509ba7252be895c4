//! The environment of a companion in a test: directories of its own, a project, and a live editor process.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use alongside_agent::find::Surroundings;
use alongside_platform::paths::Canonical as _;

/// Everything outside a companion. It is removed when dropped.
pub(crate) struct Environment {
    /// The directory for temporary files.
    pub(crate) tmp: PathBuf,
    /// The home directory.
    pub(crate) home: PathBuf,
    /// The project that is open in the editor, under a name that is a symbolic link.
    pub(crate) project: PathBuf,
    /// The project itself; the agent is started in it.
    real_project: PathBuf,
    /// The editor's process: this one.
    pub(crate) editor_pid: u32,
    _directory: tempfile::TempDir,
}

impl Environment {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory for a test");
        let real = directory.path().canonical().expect("its real path");
        let [tmp, home, project, real_project] =
            ["tmp", "home", "project", "disk/project"].map(|name| real.join(name));
        for made in [&tmp, &home, &real_project] {
            std::fs::create_dir_all(made).expect("a directory");
        }
        std::os::unix::fs::symlink(&real_project, &project).expect("a symbolic link");
        std::fs::write(project.join("main.rs"), "fn main() {}\n").expect("a file of the project");
        Self { tmp, home, project, real_project, editor_pid: std::process::id(), _directory: directory }
    }

    /// Returns every file in the directory for temporary files and in the project.
    pub(crate) fn litter(&self) -> Vec<String> {
        let names = |directory: &Path| {
            let entries = std::fs::read_dir(directory).expect("a directory");
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
        };
        let all: Vec<Vec<String>> = vec![names(&self.tmp), names(&self.real_project)];
        let is_ours =
            |name: &String| ["gemini", "qwen", "main.rs"].iter().any(|known| name.starts_with(known));
        all.into_iter().flatten().filter(|name| !is_ours(name)).collect()
    }

    /// Returns the surroundings of an agent in the project, in a terminal of the editor.
    pub(crate) fn surroundings(&self, port: u16) -> Surroundings {
        let variables = HashMap::from([
            ("GEMINI_CLI_IDE_PID".to_owned(), self.editor_pid.to_string()),
            ("GEMINI_CLI_IDE_SERVER_PORT".to_owned(), port.to_string()),
        ]);
        Surroundings {
            tmp: self.tmp.clone(),
            home: self.home.clone(),
            variables,
            cwd: self.real_project.clone(),
            pid: std::process::id(),
        }
    }
}

/// Whether this user may change the owner of files.
pub(crate) fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}
