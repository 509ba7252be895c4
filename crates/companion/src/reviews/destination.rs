//! The destination of a write to a proposal's path, through links and `..`, also for a file that does not
//! exist yet. A project from another person can hold a link out of it, and an agent can name any path.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_contract::agents::is_own_file;

use super::ground::Ground;
use super::{agents_links, git_directories};
use crate::folded_name::{is_gits, plain};
use crate::real_path;
use crate::rule::{GITS, PROJECT_SETTINGS, Rule};

/// The place where a write ends up, as far as a rule may count on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A file in a project.
    File(Route),
    /// A place that no rule and no grant covers, for this reason.
    Uncovered(&'static str),
}

/// The route of a write to its file, through links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Route {
    /// The paths that the write passes by links. The file's own path, without links, comes last.
    steps: Vec<PathBuf>,
    /// The directories above the file that are repositories, or have settings of ours.
    pub(crate) projects: Vec<PathBuf>,
    /// The rules of the repositories on the way that lie within a project, and only ask; `None` if some
    /// cannot be read.
    pub(crate) asks: Option<Vec<Rule>>,
    /// Whether every protection of the file was looked for, so that a rule may accept the change.
    pub(crate) is_searched: bool,
}

impl Route {
    /// The file, without links.
    pub(crate) fn file(&self) -> &Path {
        self.steps.last().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The file and every path by which the write comes to it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Path> {
        self.steps.iter().map(PathBuf::as_path)
    }
}

impl Place {
    /// The places of a file by its path alone, without opening the file. Reads the disk.
    pub(crate) fn all(path: &Path, ground: &Ground<'_>) -> Vec<Self> {
        let of = Destinations::of(path, None).judged(ground);
        std::iter::once(of).chain(Self::of_link(path, ground)).collect()
    }

    /// The place of a link itself, which some agents replace or remove; `None` for any other file.
    pub(crate) fn of_link(path: &Path, ground: &Ground<'_>) -> Option<Self> {
        let (directory, name) = (path.parent()?, path.file_name()?);
        let at = || real_path::passed(directory).into_iter().map(|step| step.join(name)).collect();
        let link = |at| Destinations { routes: vec![at], ..Destinations::default() }.judged(ground);
        path.is_symlink().then(at).map(link)
    }

    /// Whether both are the place of the same file, by whichever route.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => one.file() == other.file(),
            (one, other) => one == other,
        }
    }
}

/// The destinations of a path, one for each reading. There are two readings where `..` comes after a link.
#[derive(Debug, Default)]
pub(crate) struct Destinations {
    /// The paths that each reading passes. The last one of each has no links.
    routes: Vec<Vec<PathBuf>>,
    /// A link leads the agent elsewhere than us, such as one through `/proc/self/cwd`.
    differs_by_process: bool,
    /// No link leads to the file, and no repository is around it.
    is_apart: bool,
}

impl Destinations {
    /// Resolves the path on disk. `told` is the path that the system tells of the open file, if any.
    pub(crate) fn of(path: &Path, told: Option<&Path>) -> Self {
        let is_apart = || git_directories::repositories(path).next().is_none();
        // A path without links has one reading.
        if told == Some(path) {
            let routes = vec![vec![path.to_owned()]];
            return Self { routes, differs_by_process: false, is_apart: is_apart() };
        }
        let passed = |(index, reading): (usize, &PathBuf)| {
            let mut passed = real_path::passed(reading);
            if let (Some(told), Some(end)) = (told.filter(|_| index == 0), passed.last_mut()) {
                told.clone_into(end);
            }
            passed
        };
        let mut routes: Vec<_> = real_path::readings(path).iter().enumerate().map(passed).collect();
        routes.dedup();
        let has_links = routes.as_slice() != [[path]];
        Self {
            differs_by_process: has_links && real_path::depends_on_process(path),
            is_apart: !has_links && is_apart(),
            routes,
        }
    }

    /// Whether no link leads to the file, and no repository is around it: a few questions to the disk are
    /// left, unless something may accept the change. In a repository they are some 100.
    pub(super) fn are_apart(&self) -> bool {
        self.is_apart
    }

    /// The path at the end of each reading, without links.
    fn ends(&self) -> Vec<&PathBuf> {
        let mut ends: Vec<_> = self.routes.iter().filter_map(|route| route.last()).collect();
        ends.dedup();
        ends
    }

    /// The one destination, for rules, given what is known of [`outside`](Self::outside) and
    /// [`in_git`](Self::in_git). Reads the disk.
    pub(crate) fn place(&self, outside: Option<&str>, in_git: Option<&str>, ground: &Ground<'_>) -> Place {
        match self.ends().as_slice() {
            _ if self.differs_by_process || outside.is_some() => {
                Place::Uncovered("no rule covers a file outside the project")
            }
            _ if in_git.is_some() => Place::Uncovered(GITS),
            [file] => {
                let mut steps: Vec<_> = self.routes.concat();
                steps.retain(|step| step != *file);
                steps.push((*file).clone());
                if !ground.is_thorough {
                    let (projects, asks) = (Vec::new(), Some(Vec::new()));
                    return Place::File(Route { steps, projects, asks, is_searched: false });
                }
                match protection(&steps, ground) {
                    Some(why) => Place::Uncovered(why),
                    None => {
                        let (projects, asks) = (projects_above(file), nested_rules(&steps, ground));
                        Place::File(Route { steps, projects, asks, is_searched: true })
                    }
                }
            }
            _ => Place::Uncovered("it depends on the agent where this path leads"),
        }
    }

    /// The destinations from which agents take settings or instructions; else the paths on the way from which
    /// they do.
    pub(crate) fn of_agents(&self, ground: &Ground<'_>) -> Option<String> {
        let is_agents = |path: &&PathBuf| {
            let below = ground.roots.iter().filter_map(|root| path.strip_prefix(root).ok());
            let below = below.min_by_key(|below| below.as_os_str().len());
            below.is_some_and(|below| below.components().any(|part| is_own_file(&plain(part.as_os_str()))))
        };
        let ends = shown(self.ends().into_iter().filter(is_agents));
        ends.or_else(|| shown(self.routes.iter().flatten().filter(is_agents)))
    }

    fn judged(&self, ground: &Ground<'_>) -> Place {
        self.place(self.outside(ground).as_deref(), self.in_git(ground).as_deref(), ground)
    }

    /// The destinations below none of the roots, which hold no links. Without roots, nothing is outside.
    pub(crate) fn outside(&self, ground: &Ground<'_>) -> Option<String> {
        let is_outside = |path: &&PathBuf| {
            !ground.roots.is_empty() && (self.differs_by_process || !ground.is_in_project(path))
        };
        shown(self.ends().into_iter().filter(is_outside))
    }

    /// The destinations that git runs or obeys, but for a root inside such a directory; else the paths on the
    /// way that it does. Reads the disk.
    pub(crate) fn in_git(&self, ground: &Ground<'_>) -> Option<String> {
        let is_gits = |path: &&PathBuf| {
            let below = ground.roots.iter().filter_map(|root| path.strip_prefix(root).ok());
            // One project may lie in another.
            let below = below.min_by_key(|below| below.as_os_str().len()).unwrap_or(path.as_path());
            // A file system may take other names for `.git`, and git then takes them, too.
            let is_in_git = below.components().any(|part| is_gits(part.as_os_str()));
            is_in_git
                || match self.is_apart {
                    true => git_directories::is_obeyed_outside(path, ground),
                    false => git_directories::is_obeyed(path, ground),
                }
        };
        let ends = shown(self.ends().into_iter().filter(is_gits));
        let on_the_way = || self.routes.iter().flat_map(|route| route.iter().rev().skip(1));
        ends.or_else(|| shown(on_the_way().filter(is_gits)))
    }
}

/// Why a file is protected though its paths do not show that. Reads the disk.
fn protection(steps: &[PathBuf], ground: &Ground<'_>) -> Option<&'static str> {
    let begins = steps.iter().any(|step| git_directories::may_begin_one(step));
    let of_git = "such a file can make its directory one of git's";
    begins.then_some(of_git).or_else(|| agents_links::reason(steps, ground))
}

/// The directories above a file that are repositories, or have settings of ours. Reads the disk.
fn projects_above(file: &Path) -> Vec<PathBuf> {
    let has = |directory: &Path, name: &str| directory.join(name).symlink_metadata().is_ok();
    let is_project = |directory: &&Path| has(directory, ".git") || has(directory, PROJECT_SETTINGS);
    file.ancestors().skip(1).filter(is_project).map(Path::to_owned).collect()
}

/// The rules of the repositories around these paths that lie within a project; `None` if some cannot be read.
/// The rules of a project itself are read as it opens. Reads the disk.
fn nested_rules(steps: &[PathBuf], ground: &Ground<'_>) -> Option<Vec<Rule>> {
    let above: BTreeSet<&Path> = steps.iter().flat_map(|step| step.ancestors().skip(1)).collect();
    let is_nested = |directory: &&Path| {
        ground.is_in_project(directory)
            && !ground.is_root(directory)
            && directory.join(".git").symlink_metadata().is_ok()
    };
    let rules = above.into_iter().filter(is_nested).map(|repository| ground.rules_of(repository));
    rules.collect::<Option<Vec<_>>>().map(|rules| rules.concat())
}

/// The destinations for people; `None` if there is none.
fn shown<'a>(destinations: impl Iterator<Item = &'a PathBuf>) -> Option<String> {
    let shown: Vec<_> = destinations.map(|path| path.to_string_lossy()).collect();
    (!shown.is_empty()).then(|| shown.join(" or "))
}

#[cfg(test)]
impl<P: Into<PathBuf>> From<P> for Route {
    /// To a path without links, below no project.
    fn from(file: P) -> Self {
        let (projects, asks) = (Vec::new(), Some(Vec::new()));
        Self { steps: vec![file.into()], projects, asks, is_searched: true }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
