//! Files of a person or a project that we read, write, copy and remove. A repository may contain a link in
//! place of any file of a project, and with `sudo`, files belong to another user. Neither may redirect a
//! write.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use alongside_companion::private;
use alongside_desk::harmless;
use alongside_platform::directory::Directory;
use alongside_platform::files::{self, Links};
use alongside_platform::untrusted::{self, Bounded, Whose};
use anyhow::Context as _;

use crate::failure::failure;

/// The largest file that is read, in bytes. Settings are smaller; those of Claude Code contain a history of
/// every project.
const MAX_BYTES: u64 = 64 << 20;

/// The largest number of links in a chain. The system also refuses longer chains.
const MAX_LINKS: usize = 40;

/// A file in an open directory, so that no link can redirect a later operation.
#[derive(Debug)]
pub struct PersonFile {
    /// The path that the person knows.
    path: PathBuf,
    directory: Directory,
    name: OsString,
}

/// Returns the treatment of links on the way to a file: links of a person are followed, links of a project
/// refused. A home directory in a project belongs to the person, and so does a project that is the home
/// directory.
pub fn links_to(path: &Path, home: &Path, project: &Path) -> Links {
    let is_home = files_are_same(home, project);
    let is_in_home = path.starts_with(home) && home.starts_with(project);
    if is_home || is_in_home || !path.starts_with(project) { Links::Followed } else { Links::Refused }
}

fn files_are_same(one: &Path, other: &Path) -> bool {
    alongside_platform::paths::real(one) == alongside_platform::paths::real(other)
}

/// Fails if a link is in place of the file, or on the way to it.
pub fn refuse_links(path: &Path) -> anyhow::Result<()> {
    match path.ancestors().filter(|step| step.is_symlink()).last() {
        Some(link) => Err(link_error(link)),
        None => Ok(()),
    }
}

/// Returns the error about a link that is not followed.
pub fn link_error(link: &Path) -> anyhow::Error {
    let target = fs::read_link(link).unwrap_or_default();
    failure(
        format!(
            "{} is a link to {}, which alongside does not follow here",
            harmless::path(link),
            harmless::path(&target)
        ),
        "remove that link, or put in its place what it leads to",
    )
}

/// Resolves the links of a person, even if the target does not exist yet.
pub fn link_target(path: &Path) -> PathBuf {
    let mut real = path.to_owned();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&real) else { break };
        real = real.parent().unwrap_or(Path::new("/")).join(next);
    }
    real
}

impl PersonFile {
    /// Finds the file at `path`, which need not exist; `None` if its directory does not exist.
    ///
    /// # Errors
    /// When the directory cannot be opened, or a link leads to it and links are refused.
    pub fn find(path: &Path, links: Links) -> anyhow::Result<Option<Self>> {
        Self::open(path, links, None)
    }

    /// Finds the file like [`find`](Self::find). Creates missing directories, and adds them to `made`,
    /// outermost first.
    ///
    /// # Errors
    /// When a directory cannot be opened or created, or a link leads to it and links are refused.
    pub fn make_way(path: &Path, links: Links, made: &mut Vec<PathBuf>) -> anyhow::Result<Self> {
        let opened = Self::open(path, links, Some(made))?;
        opened.with_context(|| format!("cannot make the directory of {}", path.display()))
    }

    fn open(path: &Path, links: Links, made: Option<&mut Vec<PathBuf>>) -> anyhow::Result<Option<Self>> {
        let real = if links == Links::Followed { link_target(path) } else { path.to_owned() };
        let name = real.file_name().with_context(|| format!("{} is no file", path.display()))?.to_owned();
        let directory = open_directory(real.parent().unwrap_or(Path::new("/")), links, made)?;
        Ok(directory.map(|directory| Self { path: path.to_owned(), directory, name }))
    }

    /// Returns the text and the metadata of the file; `None` if it does not exist.
    ///
    /// # Errors
    /// When the file cannot be read, is a link or no regular file, or is not UTF-8.
    pub fn read(&self) -> anyhow::Result<Option<(String, Metadata)>> {
        let bytes = |file: Bounded| {
            let state = file.metadata().clone();
            file.whole().map(|bytes| (bytes, state))
        };
        match self.opened().and_then(|file| file.map(bytes).transpose()) {
            Ok(None) => Ok(None),
            Ok(Some((bytes, state))) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some((text, state))),
                Err(_) => {
                    anyhow::bail!("{} is not UTF-8, so alongside does not change it", self.path.display())
                }
            },
            Err(error) => Err(self.explain(error, "read")),
        }
    }

    fn opened(&self) -> io::Result<Option<Bounded>> {
        match untrusted::open_in(&self.directory, &self.name, MAX_BYTES, Whose::Anybodys) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            opened => opened.map(Some),
        }
    }

    /// Replaces the text in one step, or creates the file. Mode, owner and group stay.
    ///
    /// # Errors
    /// When the file is write-protected, belongs to another user, or is a link, or its directory cannot be
    /// written.
    pub fn replace(&self, text: &str) -> anyhow::Result<()> {
        let old = self.opened().map_err(|error| self.explain(error, "write"))?;
        let old = old.map(|file| file.metadata().clone());
        old.as_ref().map_or(Ok(()), |old| self.check_writable(old))?;
        let write = || -> io::Result<()> {
            let finish = |file: &mut File| {
                file.write_all(text.as_bytes())?;
                match &old {
                    Some(old) => make_like(file, old)?,
                    None => self.give_to_owner_of_directory(file)?,
                }
                file.sync_all()
            };
            // A new file gets the default mode. A file that replaces another is private until it has its
            // mode.
            let begin = |unfinished: &std::ffi::OsStr| match old {
                Some(_) => self.directory.create(unfinished),
                None => self.directory.create_usual(unfinished),
            };
            private::in_one_step(&self.directory, &self.name, begin, finish).map(drop)
        };
        write().map_err(|error| self.explain(error, "write"))
    }

    /// Fails for a file with this metadata that must not be replaced.
    ///
    /// # Errors
    /// When the file is write-protected, or belongs to another user: replacing it would change its owner.
    pub fn check_writable(&self, state: &Metadata) -> anyhow::Result<()> {
        let cannot = |why: &str| format!("cannot write {}: {why}", self.path.display());
        if state.permissions().readonly() {
            return Err(failure(cannot("it is write-protected"), "make it writable, and repeat this"));
        }
        if !files::is_ours(state) && !files::is_roots_visit(state) {
            return Err(failure(cannot("it belongs to another user"), "repeat this as that user"));
        }
        Ok(())
    }

    /// Creates the file.
    ///
    /// # Errors
    /// When the name is in use, even by a link without a target, or the file cannot be written.
    pub fn create(&self, text: &str) -> io::Result<()> {
        self.fill(self.directory.create_usual(&self.name)?, |file| {
            file.write_all(text.as_bytes())?;
            self.give_to_owner_of_directory(file)
        })
    }

    /// Creates the file as a copy of another one, with its mode and owner. Returns false if there is an older
    /// copy, which stays.
    ///
    /// # Errors
    /// When the name is in use otherwise, or the file cannot be written.
    pub fn create_copy(&self, text: &str, original: &Metadata) -> anyhow::Result<bool> {
        let created = match self.directory.create(&self.name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return self.opened().map(|_| false).map_err(|error| self.explain(error, "read"));
            }
            created => created.and_then(|file| {
                self.fill(file, |file| {
                    file.write_all(text.as_bytes())?;
                    make_like(file, original)
                })
            }),
        };
        created.map(|()| true).map_err(|error| self.explain(error, "write"))
    }

    /// Writes a file that was just created. If that fails, removes it.
    fn fill(&self, mut file: File, finish: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
        let filled = finish(&mut file).and_then(|()| file.sync_all());
        if filled.is_err() {
            // The person only sees the first error.
            let _ = self.directory.remove(&self.name);
        }
        filled
    }

    /// Removes the file, if it exists.
    ///
    /// # Errors
    /// When it is a link, or the system refuses.
    pub fn remove(&self) -> anyhow::Result<()> {
        let removed = self.opened().and_then(|file| match file {
            Some(_) => self.directory.remove(&self.name),
            None => Ok(()),
        });
        removed.map_err(|error| self.explain(error, "remove"))
    }

    /// Changes the owner of a file that root creates for another user to that user.
    fn give_to_owner_of_directory(&self, file: &File) -> io::Result<()> {
        let directory = self.directory.metadata()?;
        if files::is_roots_visit(&directory) { files::give_to(file, &directory) } else { Ok(()) }
    }

    fn explain(&self, error: io::Error, what: &str) -> anyhow::Error {
        let place = self.directory.path().join(&self.name);
        if place.is_symlink() {
            return link_error(&place);
        }
        anyhow::Error::new(error).context(format!("cannot {what} {}", self.path.display()))
    }
}

/// Gives a new file the owner, the group and the mode of another one, because settings may hold secrets.
fn make_like(file: &File, original: &Metadata) -> io::Result<()> {
    files::give_to(file, original)?;
    let mode: Permissions = original.permissions();
    file.set_permissions(mode)
}

/// Opens a directory, step by step from the root if links are refused. If a directory is missing, creates it
/// if `made` is given, and otherwise returns `None`.
fn open_directory(
    path: &Path,
    links: Links,
    mut made: Option<&mut Vec<PathBuf>>,
) -> anyhow::Result<Option<Directory>> {
    let mut above = path.ancestors();
    let base = match links {
        Links::Followed => above.find(|above| above.exists()),
        Links::Refused => above.last(),
    };
    let base = base.unwrap_or(Path::new("/"));
    let cannot = |what: &str, path: &Path| format!("cannot {what} the directory {}", path.display());
    let mut directory = Directory::open(base).with_context(|| cannot("open", base))?;
    for step in path.strip_prefix(base).unwrap_or(path).components() {
        let step = step.as_os_str();
        let below = directory.path().join(step);
        directory = match (directory.below(step), &mut made) {
            (Ok(next), _) => next,
            (Err(_), _) if below.is_symlink() => return Err(link_error(&below)),
            (Err(error), Some(made)) if error.kind() == ErrorKind::NotFound => {
                let next = make_directory(&directory, step).with_context(|| cannot("make", &below))?;
                made.push(below);
                next
            }
            (Err(error), None) if files::is_absent(&error) => {
                return Ok(None);
            }
            (Err(error), _) => return Err(error).with_context(|| cannot("open", &below)),
        };
    }
    Ok(Some(directory))
}

fn make_directory(parent: &Directory, name: &std::ffi::OsStr) -> io::Result<Directory> {
    parent.make_usual(name)?;
    let made = parent.below(name)?;
    let owner = parent.metadata()?;
    if files::is_roots_visit(&owner) {
        made.give_to(&owner)?;
    }
    Ok(made)
}

/// Removes a directory if it is empty and, in a project, no link leads to it.
pub fn remove_empty(path: &Path, links: Links) {
    // The call fails for a directory with files, which stays.
    let _ = match links {
        Links::Followed => fs::remove_dir(path),
        Links::Refused => match PersonFile::find(path, links) {
            Ok(Some(place)) => place.directory.remove_empty(&place.name),
            Ok(None) | Err(_) => return,
        },
    };
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use alongside_platform::paths::Canonical as _;

    #[test]
    fn links_are_followed_except_below_a_project() {
        let links = |path: &str, home: &str, project: &str| {
            links_to(Path::new(path), Path::new(home), Path::new(project))
        };
        for (path, home, project, expected) in [
            ("/home/me/p/.claude/x", "/home/me", "/home/me/p", Links::Refused),
            ("/srv/p/x", "/home/me", "/srv/p", Links::Refused),
            ("/home/me/.claude/x", "/home/me", "/home/me/p", Links::Followed),
            // The current directory is the home directory, or contains it.
            ("/home/me/.claude/x", "/home/me", "/home/me", Links::Followed),
            ("/home/me/.claude/x", "/home/me", "/home", Links::Followed),
            ("/home/x", "/home/me", "/home", Links::Refused),
            ("/etc/x", "/home/me", "/srv/p", Links::Followed),
        ] {
            assert_eq!(links(path, home, project), expected, "{path} {home} {project}");
        }
    }

    #[test]
    fn a_file_stays_in_the_directory_that_was_opened() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonical().unwrap();
        let path = |name: &str| base.join(name);
        fs::create_dir(path("elsewhere")).unwrap();
        fs::write(path("elsewhere/x"), "theirs").unwrap();
        let mut made = Vec::new();
        let file = PersonFile::make_way(&path("ours/below/x"), Links::Refused, &mut made).unwrap();
        assert_eq!(made, [path("ours"), path("ours/below")]);
        file.replace("one").unwrap();
        // Between two operations, a link replaces the directory.
        fs::rename(path("ours/below"), path("moved")).unwrap();
        symlink(path("elsewhere"), path("ours/below")).unwrap();
        assert_eq!(file.read().unwrap().unwrap().0, "one");
        file.replace("two").unwrap();
        assert_eq!(fs::read_to_string(path("moved/x")).unwrap(), "two");
        assert!(PersonFile::find(&path("ours/below/x"), Links::Refused).is_err());
        remove_empty(&path("ours/below"), Links::Refused);
        assert!(path("ours/below").is_symlink());
        file.remove().unwrap();
        assert!(!path("moved/x").exists());
        assert_eq!(fs::read_to_string(path("elsewhere/x")).unwrap(), "theirs");
    }

    #[test]
    fn a_name_that_is_a_link_is_neither_read_nor_written() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonical().unwrap();
        for target in ["there", "gone"] {
            let (link, target) = (base.join("link"), base.join(target));
            if target.ends_with("there") {
                fs::write(&target, "theirs").unwrap();
            }
            let file = PersonFile::find(&link, Links::Refused).unwrap().unwrap();
            symlink(&target, &link).unwrap();
            let state = Path::new("/").metadata().unwrap();
            let refusals = [
                file.read().map(drop),
                file.replace("x"),
                file.create_copy("x", &state).map(drop),
                file.remove(),
            ];
            for refused in refusals {
                let why = refused.unwrap_err().to_string();
                assert!(why.contains("link is a link to"), "{why}");
            }
            assert!(file.create("x").is_err() && link.is_symlink());
            let text = fs::read_to_string(&target).ok();
            assert_eq!(text.as_deref(), target.ends_with("there").then_some("theirs"));
            fs::remove_file(&link).unwrap();
        }
    }
}
