//! Directories, names and fields of discovery files, which companions write and agents read.

/// A discovery file of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscoveryFile {
    /// Its directory.
    pub directory: Directory,
    /// Its name, with the placeholders `{pid}` and `{port}`.
    pub name: &'static str,
    /// Its fields.
    pub fields: Fields,
    /// The releases that read it, for messages, such as "Qwen Code 0.5.1 and newer".
    pub readers: &'static str,
}

/// The directory of a discovery file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Directory {
    /// Below the agent's temporary directory (Node's `os.tmpdir()`), which is `""` itself.
    Tmp(&'static str),
    /// Below the home directory, unless the variable contains another base.
    Home {
        /// The directories below home.
        below_home: &'static str,
        /// A variable that replaces the first of them, such as `QWEN_HOME` for `~/.qwen`.
        base_variable: Option<&'static str>,
        /// The directories below the base in the variable.
        below_base: &'static str,
    },
}

/// The fields of a discovery file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fields {
    /// `port`, `workspacePath`, `authToken`, `ideInfo`. These agents ignore a `ppid`.
    Contract,
    /// Also `ppid` and `ideName`, which these agents read.
    WithParent,
}

impl DiscoveryFile {
    /// Whether the name contains a PID. The agent compares it with the PID that it takes for the editor, so
    /// such a file is also published for ancestors of the editor.
    pub fn names_pid(&self) -> bool {
        self.name.contains("{pid}")
    }

    /// Whether the name contains the port. All companions of a process share a name without the port.
    pub fn names_port(&self) -> bool {
        self.name.contains("{port}")
    }

    /// Returns the file's name for a process and a port.
    pub fn file_name(&self, pid: u32, port: u16) -> String {
        self.name.replace("{pid}", &pid.to_string()).replace("{port}", &port.to_string())
    }

    /// Returns the PID in `file_name` if that is a name of this row, for any port.
    pub fn pid_in(&self, file_name: &str) -> Option<u32> {
        let (before, after) = self.name.split_once("{pid}")?;
        let rest = file_name.strip_prefix(before)?;
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (pid, rest) = rest.split_at(digits);
        let tail_fits = match after.split_once("{port}") {
            None => rest == after,
            Some((before_port, after_port)) => is_number_between(rest, before_port, after_port),
        };
        if tail_fits { pid.parse().ok() } else { None }
    }

    /// Whether `file_name` is a name of this row, for any process and port.
    pub fn matches(&self, file_name: &str) -> bool {
        if self.names_pid() {
            return self.pid_in(file_name).is_some();
        }
        let split = self.name.split_once("{port}");
        split.is_some_and(|(before, after)| is_number_between(file_name, before, after))
    }
}

fn is_number_between(text: &str, before: &str, after: &str) -> bool {
    let number = text.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use crate::agent::FamilyAgent;
    use crate::agents::discovery_files;

    #[test]
    fn file_names_round_trip() {
        for file in discovery_files() {
            let name = file.file_name(42, 8080);
            assert!(file.matches(&name), "{name}");
            assert!(!file.matches("readme.json"));
            assert_eq!(file.pid_in(&name), file.names_pid().then_some(42), "{name}");
        }
        let gemini = FamilyAgent::named("gemini").unwrap().family.discovery_files();
        assert_eq!(gemini[1].pid_in("gemini-ide-server-42-8080.json"), None);
        assert_eq!(gemini[0].pid_in("gemini-ide-server-42.json"), None);
    }
}
