//! The output of programs as text for a snapshot: a placeholder replaces each part that differs between runs
//! or machines.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use alongside_contract::agents::AGENTS;
use regex::Regex;

use super::{CommandResult, Home, Running};

/// Patterns of texts that differ between runs, and their placeholders. The first group of a match is kept.
static PLACEHOLDERS: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let version = format!(r"\b(){}\b", regex::escape(env!("CARGO_PKG_VERSION")));
    let names = [
        (&*version, "[VERSION]"),
        (r"\b()[0-9a-f]{32,}(\.[a-z]+)?\b", "[TOKEN]"),
        (r"()\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.0-9]*Z?", "[TIME]"),
        // The remaining part of the 30 s for which a host waits.
        (r"\b(waits |within )([12]?\d|30) s\b", "[N] s"),
        (r"\b()(just now|\d+ (second|minute)s? ago)", "[AGO]"),
        (r"\b()[0-9a-f]{16}\b", "[HOST]"),
        (r"(-ide-server-)\d+-\d+", "[PID]-[PORT]"),
        (r"(\[TMP\]/alongside-)\d+\b", "[UID]"),
        (r"(  files: )\d+", "[N]"),
        (r"(/)\d{4,5}(?:\.lock)", "[PORT].lock"),
        (r"(\bport |--port |127\.0\.0\.1:|localhost:|internal:)\d{4,5}\b", "[PORT]"),
        (r"\b(process |PID |kill -CONT |kill -KILL |host --stop )\d+", "[PID]"),
        (r"(/drafts/)\d[-\d]+", "[DRAFT]"),
        // The duration of `alongside check`.
        (r"( checks, in )\d+ s\b", "[N] s"),
        // The number of files in the package of a plugin, which grows.
        (r"(: )\d\d+ files\b", "[N] files"),
    ];
    names.map(|(pattern, name)| (Regex::new(pattern).unwrap(), name)).into()
});

impl Home {
    /// Returns an output with placeholders for the parts that differ between runs or machines.
    pub(crate) fn stable(&self, output: impl Display) -> String {
        let base = self.path("").display().to_string();
        let base = base.trim_end_matches('/');
        let program = env!("CARGO_BIN_EXE_alongside");
        let mut text = output.to_string().replace("\r\n", "\n").replace(program, "[ALONGSIDE]");
        text = text.replace(program.trim_end_matches("/alongside"), "[TARGET]");
        for directory in ["home", "project", "tmp", "run", "bin"] {
            text = text.replace(&format!("{base}/{directory}"), &format!("[{}]", directory.to_uppercase()));
        }
        text = text.replace(base, "[BASE]");
        let agents: Vec<_> = AGENTS.iter().map(|agent| agent.id).collect();
        text = text.replace(&agents.join(", "), "[AGENTS]");
        for (number, name) in &*self.named.lock().unwrap() {
            let whole = Regex::new(&format!(r"{}\b", regex::escape(number))).unwrap();
            text = whole.replace_all(&text, regex::NoExpand(name)).into_owned();
        }
        for (differs, name) in PLACEHOLDERS.iter() {
            text = differs.replace_all(&text, format!("${{1}}{name}")).into_owned();
        }
        text.split('\n').map(wrapped).collect::<Vec<_>>().join("\n")
    }

    /// Sets the placeholder of a number in snapshots: `process 4711` becomes `process [AGENT]`.
    pub(crate) fn name_number(&self, before: &str, number: impl Display, name: &str) {
        let named = (format!("{before}{number}"), format!("{before}[{name}]"));
        self.named.lock().unwrap().push(named);
    }

    /// Adds a command and its output to the transcript of this test.
    pub(crate) fn add_to_transcript(&self, command: &str, output: &str) {
        self.transcript.lock().unwrap().push_str(&format!("$ alongside {command}\n{output}"));
    }

    /// Returns the output of a desk after its greeting, up to this text.
    pub(crate) async fn dialogue(&self, desk: &mut Running, last: &str) -> String {
        const GREETING: &str = "alongside serves [PROJECT] (port [PORT]).\n\
            Agents started there connect automatically; restart one that runs already.\n";
        desk.shows(last).await;
        let all = self.stable(desk.so_far());
        all.strip_prefix(GREETING).unwrap_or_else(|| panic!("another greeting: {all}")).to_owned()
    }

    /// Returns the transcript of this test since the previous call.
    pub(crate) fn transcript(&self) -> String {
        std::mem::take(&mut *self.transcript.lock().unwrap())
    }

    /// Runs commands to their end. Returns the transcript, which holds the exit code of each command unless
    /// the code is 0.
    pub(crate) fn prints(&self, commands: &[impl AsRef<str>]) -> String {
        for command in commands.iter().map(AsRef::as_ref) {
            self.add_to_transcript(command, &self.stable(self.run(&command.split(' ').collect::<Vec<_>>())));
        }
        self.transcript()
    }
}

/// Wraps a line of output to the line length of Rust files.
fn wrapped(line: &str) -> Cow<'_, str> {
    const COLUMNS: usize = 98;
    if line.chars().count() <= COLUMNS {
        return line.into();
    }
    let whole_words = textwrap::Options::new(COLUMNS).subsequent_indent("  ↪ ").break_words(false);
    textwrap::fill(line, whole_words.word_splitter(textwrap::WordSplitter::NoHyphenation)).into()
}

impl Display for CommandResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.out)?;
        if !self.err.is_empty() {
            write!(f, "--- errors:\n{}", self.err)?;
        }
        match self.status.code() {
            Some(0) => Ok(()),
            Some(code) => writeln!(f, "--- exit code {code}"),
            None => writeln!(f, "--- {}", self.status),
        }
    }
}
