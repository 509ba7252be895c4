//! The settings of the person, `config.toml`, and of a project, `.alongside.toml`.
//!
//! A project's file may come from any person, so it may only hide files from agents, and ask for more
//! decisions; it cannot switch anything on. Reading is strict: an unknown key stops the program with the
//! file, the line and the nearest known key, because a misspelt exclusion would silently exclude nothing.

mod desk;
mod reader;
mod rules;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use alongside_companion::{AppDirs, Builder, Rule};
use alongside_platform::files::is_absent;
use alongside_platform::paths::real;
use alongside_platform::untrusted::{self, Whose};
use anyhow::Context;
pub use desk::{Notify, Shade};
use reader::{Entry, Mistake};

use crate::failure::Hint;

/// The settings file of a project.
const PROJECT_FILE: &str = ".alongside.toml";

/// The largest file of a project's settings, in bytes. A person writes smaller ones.
const MAX_PROJECT_FILE: u64 = 1 << 20;

/// Every key, with its section.
const KEYS: &[(&str, &str)] = &[
    ("context", "enabled"),
    ("context", "exclude"),
    ("context", "include-git-ignored"),
    ("desk", "notify"),
    ("desk", "theme"),
    ("discovery", "aliases"),
    ("discovery", "tmp"),
    ("reviews", "enabled"),
    ("reviews", "rules"),
    ("server", "allow-tokenless-agents"),
    ("server", "listen"),
];

/// Every section; each may be empty.
const SECTIONS: &[&str] = &["context", "desk", "discovery", "drafts", "reviews", "server"];

/// The keys that a project may use.
const PROJECT_KEYS: &[(&str, &str)] = &[("context", "exclude"), ("reviews", "rules")];

/// All settings, with defaults for those that the person has not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether agents receive the person's open files.
    pub context: bool,
    /// The person's globs of files that agents never receive, in addition to the built-in ones.
    exclude: Vec<String>,
    /// The projects' globs.
    project_exclude: Vec<String>,
    /// Whether agents receive files that git ignores.
    pub include_git_ignored: bool,
    /// Whether agents open reviews here.
    pub reviews: bool,
    /// The person's rules on which changes need no decision.
    pub rules: Vec<Rule>,
    /// The rules of the projects, which can only ask.
    pub project_rules: Vec<Rule>,
    /// The person's file, if there is one.
    pub file: Option<PathBuf>,
    /// The way in which the terminal desk announces a review to a person who does not look at it.
    pub notify: Notify,
    /// The colours of the terminal desk; `None` asks the terminal.
    pub theme: Option<Shade>,
    /// Whether agents in terminals outside the editor find the companion.
    pub aliases: bool,
    /// Further temporary directories for discovery files.
    pub tmp: Vec<PathBuf>,
    /// An additional address to listen on.
    pub listen: Option<SocketAddr>,
    /// Whether the companion serves agents without a token.
    pub allow_tokenless: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            context: true,
            exclude: Vec::new(),
            project_exclude: Vec::new(),
            include_git_ignored: false,
            reviews: true,
            rules: Vec::new(),
            project_rules: Vec::new(),
            file: None,
            notify: Notify::Off,
            theme: None,
            aliases: true,
            tmp: Vec::new(),
            listen: None,
            allow_tokenless: false,
        }
    }
}

impl Settings {
    /// Returns the settings for when the settings cannot be read: agents receive no file.
    pub fn tell_nothing() -> Self {
        Self { context: false, ..Self::default() }
    }

    /// Reads `file`, or the default file if it exists, and the file of each root.
    ///
    /// # Errors
    /// When a file cannot be read or holds a mistake. The error has the file and the line.
    pub fn load(file: Option<&Path>, roots: &[PathBuf]) -> anyhow::Result<Self> {
        let mut settings = Self::default();
        match file {
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .with_context(|| format!("cannot read the settings {}", file.display()))
                    .hint("name a file that exists, or leave --config away to use the default file")?;
                settings.read(file, &text, KEYS)?;
                // Rules compare this path with the paths of changes.
                settings.file = Some(std::path::absolute(file).unwrap_or_else(|_| file.to_owned()));
            }
            None => {
                if let Some(file) = default_file() {
                    settings.read_if_there(&file, std::fs::read_to_string(&file), KEYS)?;
                    settings.file = Some(file);
                }
            }
        }
        match settings.read_projects(roots).into_iter().next() {
            Some((_, error)) => Err(error),
            None => Ok(settings),
        }
    }

    /// Reads the files of these projects and of the repositories around them, in place of those read before.
    /// Returns the projects with a file that cannot be read, so that it is unknown which files to hide.
    pub fn read_projects(&mut self, roots: &[PathBuf]) -> Vec<(PathBuf, anyhow::Error)> {
        self.project_exclude.clear();
        self.project_rules.clear();
        let (mut unread, mut known) = (Vec::new(), roots.to_vec());
        for root in roots {
            if let Err(error) = self.read_project(root) {
                unread.push((root.clone(), error));
            }
        }
        for root in roots {
            for above in Self::repositories_around(root) {
                if known.contains(&above) {
                    continue;
                }
                match self.read_project(&above) {
                    Ok(()) => known.push(above),
                    Err(error) => unread.push((root.clone(), error)),
                }
            }
        }
        unread
    }

    /// Lists the repositories around a project, whose settings also apply there.
    pub fn repositories_around(root: &Path) -> Vec<PathBuf> {
        let root = real(root);
        let above = root.ancestors().skip(1).filter(|above| above.join(".git").exists());
        above.map(Path::to_owned).collect()
    }

    /// Returns the rules of the project in a directory, which can only ask; `None` if its settings cannot be
    /// read.
    pub fn rules_of(project: &Path) -> Option<Vec<Rule>> {
        let mut settings = Self::default();
        let read = settings.read_project(project);
        read.inspect_err(|error| tracing::warn!("{error:#}")).ok().map(|()| settings.project_rules)
    }

    /// Whether a directory has its own settings.
    pub fn has_file(project: &Path) -> bool {
        Self::project_file(project).symlink_metadata().is_ok()
    }

    /// Returns the path of a project's settings file, which need not exist.
    pub fn project_file(project: &Path) -> PathBuf {
        project.join(PROJECT_FILE)
    }

    /// Returns the globs of all files that agents never receive, in addition to the built-in ones.
    pub fn excludes(&self) -> Vec<String> {
        // The globs of projects come last, so that no other glob negates them.
        [self.exclude.as_slice(), &self.project_exclude].concat()
    }

    /// Reads the file of a project, which may be anything: a link, a device, binary.
    fn read_project(&mut self, root: &Path) -> anyhow::Result<()> {
        let file = root.join(PROJECT_FILE);
        let text = untrusted::read(&file, MAX_PROJECT_FILE, Whose::Anybodys).and_then(as_text);
        self.read_if_there(&file, text, PROJECT_KEYS)
    }

    fn read_if_there(
        &mut self,
        file: &Path,
        text: io::Result<String>,
        keys: &[(&str, &str)],
    ) -> anyhow::Result<()> {
        match text {
            Ok(text) => self.read(file, &text, keys),
            Err(error) if is_absent(&error) => Ok(()),
            Err(error) => Err(error).with_context(|| format!("cannot read the settings {}", file.display())),
        }
    }

    fn read(&mut self, file: &Path, text: &str, keys: &[(&str, &str)]) -> anyhow::Result<()> {
        let entries = reader::entries(text, KEYS, SECTIONS);
        let applied = entries.and_then(|entries| {
            entries.iter().try_for_each(|entry| {
                if !keys.contains(&(entry.section, entry.key)) {
                    return Err(entry.mistake(format!(
                        "[{}] {} cannot be set here: a project may only add [context] exclude and \
                         [reviews] rules that ask",
                        entry.section, entry.key
                    )));
                }
                match (entry.section, entry.key) {
                    ("reviews", "rules") => self.apply_rules(entry, keys, (file, text)),
                    _ if keys == PROJECT_KEYS => only_adds(entry).and_then(|()| self.apply(entry, keys)),
                    _ => self.apply(entry, keys),
                }
            })
        });
        applied.map_err(|mistake| mistake.in_file(file, text))
    }

    fn apply_rules(
        &mut self,
        entry: &Entry<'_>,
        keys: &[(&str, &str)],
        source: (&Path, &str),
    ) -> Result<(), Mistake> {
        match keys == PROJECT_KEYS {
            true => self.project_rules.extend(rules::read_of_project(entry, source)?),
            false => self.rules = rules::read(entry, source)?,
        }
        Ok(())
    }

    fn apply(&mut self, entry: &Entry<'_>, keys: &[(&str, &str)]) -> Result<(), Mistake> {
        match (entry.section, entry.key) {
            ("context", "enabled") => self.context = entry.flag()?,
            ("context", "exclude") => {
                for glob in entry.texts()? {
                    // Builder::exclude would refuse the glob as well, but without the line.
                    globset::Glob::new(glob.text.trim_start_matches('!')).map_err(|error| {
                        glob.mistake(format!("{:?} is no glob: {}", glob.text, error.kind()))
                    })?;
                    match keys == PROJECT_KEYS {
                        true => self.project_exclude.push(glob.text),
                        false => self.exclude.push(glob.text),
                    }
                }
            }
            ("context", "include-git-ignored") => self.include_git_ignored = entry.flag()?,
            ("desk", "notify") => {
                self.notify = match entry.text()?.as_str() {
                    "off" => Notify::Off,
                    "bell" => Notify::Bell,
                    "osc9" => Notify::Osc9,
                    "osc777" => Notify::Osc777,
                    other => {
                        return Err(entry.mistake(format!(
                            "{other:?} is no notification; there are \"off\", \"bell\", \"osc9\" and \
                             \"osc777\""
                        )));
                    }
                }
            }
            ("desk", "theme") => {
                self.theme = match entry.text()?.as_str() {
                    "auto" => None,
                    "light" => Some(Shade::Light),
                    "dark" => Some(Shade::Dark),
                    other => {
                        return Err(entry.mistake(format!(
                            "{other:?} is no theme; there are \"auto\", \"light\" and \"dark\""
                        )));
                    }
                }
            }
            ("discovery", "aliases") => self.aliases = entry.flag()?,
            ("discovery", "tmp") => {
                for dir in entry.texts()? {
                    let path = PathBuf::from(&dir.text);
                    if !path.is_absolute() {
                        return Err(dir.mistake(format!("{path:?} must be an absolute path")));
                    }
                    self.tmp.push(path);
                }
            }
            ("reviews", "enabled") => self.reviews = entry.flag()?,
            ("server", "allow-tokenless-agents") => self.allow_tokenless = entry.flag()?,
            ("server", "listen") => {
                let text = entry.text()?;
                let address =
                    text.parse().or_else(|_| text.parse::<IpAddr>().map(|ip| SocketAddr::new(ip, 0)));
                let address = address.map_err(|_| {
                    entry.mistake(format!(
                        "{text:?} is no address; write it as \"172.17.0.1\" or \"172.17.0.1:4000\""
                    ))
                })?;
                if address.ip().to_canonical().is_unspecified() {
                    return Err(entry.mistake(format!(
                        "{text:?} means every address of this machine; [server] listen adds a single one, \
                         such as that of the container bridge, \"172.17.0.1\""
                    )));
                }
                self.listen = Some(address);
            }
            _ => return Err(entry.mistake(format!("[{}] {} is not read", entry.section, entry.key))),
        }
        Ok(())
    }

    /// Creates a companion with these settings, in these directories.
    pub fn companion(&self, mut dirs: AppDirs) -> Builder {
        for tmp in &self.tmp {
            if !dirs.tmp.contains(tmp) {
                dirs.tmp.push(tmp.clone());
            }
        }
        let builder = alongside_companion::Companion::builder()
            .aliases(self.aliases)
            .exclude(self.excludes())
            .include_git_ignored(self.include_git_ignored)
            .context_only(!self.reviews)
            .rules(self.rules.clone(), self.file.clone())
            .project_rules(self.project_rules.clone())
            .rules_of_nested(Self::rules_of)
            .allow_tokenless_agents(self.allow_tokenless)
            .app_dirs(dirs);
        let builder = match self.context {
            true => builder,
            false => builder.never_tell_files("context is off in the settings ([context] enabled = false)"),
        };
        match self.listen {
            Some(address) => builder.also_listen(address),
            None => builder,
        }
    }
}

fn as_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

/// Refuses a pattern that negates an exclusion: only the person may show hidden files.
fn only_adds(entry: &Entry<'_>) -> Result<(), Mistake> {
    match entry.texts()?.iter().find(|glob| glob.text.starts_with('!')) {
        None => Ok(()),
        Some(glob) => Err(glob.mistake(format!(
            "{:?} takes an exclusion back, and a project may only add some; \
             to do so, put it into your own config.toml",
            glob.text
        ))),
    }
}

/// Returns `$XDG_CONFIG_HOME/alongside/config.toml`, or the path below the home directory; `None` without a
/// home directory.
fn default_file() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let config = config.or_else(|| Some(alongside_platform::directories::home()?.join(".config")))?;
    Some(config.join("alongside/config.toml"))
}

#[cfg(test)]
mod tests;
