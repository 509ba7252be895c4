//! The destination of a write to a proposal's path, through links and `..`, also for a file that does not
//! exist yet. A project of another person may contain a link that leads out of it, and an agent can name any
//! path.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use alongside_contract::agents::is_agent_file;

use super::ground::Ground;
use super::{agents_links, git_directories};
use crate::folded_name::{fold_leniently, is_gits};
use crate::real_path;
use crate::rule::{GIT_REASON, PROJECT_SETTINGS, Rule};

/// The place where a write ends up, as far as a rule may rely on it.
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
    /// The paths that the write passes by links. The file's own path, with links resolved, comes last.
    steps: Vec<PathBuf>,
    /// The directories above the file that are repositories, or have settings of ours.
    pub(crate) projects: Vec<PathBuf>,
    /// The rules of the repositories within a project that lie above a step; such rules only ask. `None` if
    /// some rules cannot be read.
    pub(crate) asks: Option<Vec<Rule>>,
    /// Whether every protection of the file was searched for, so that a rule may accept the change.
    pub(crate) is_searched: bool,
}

impl Route {
    /// Returns the path of the file, with links resolved.
    pub(crate) fn file(&self) -> &Path {
        self.steps.last().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Iterates over the paths by which the write comes to the file, and the path of the file itself.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Path> {
        self.steps.iter().map(PathBuf::as_path)
    }
}

impl Place {
    /// Returns the places of a file by its path alone, without opening the file. Reads the disk.
    pub(crate) fn all(path: &Path, ground: &Ground<'_>) -> Vec<Self> {
        let target = Destinations::of(path, None).judge(ground);
        std::iter::once(target).chain(Self::of_link(path, ground)).collect()
    }

    /// Returns the place of a link itself, which some agents replace or remove; `None` for any other file.
    pub(crate) fn of_link(path: &Path, ground: &Ground<'_>) -> Option<Self> {
        let (directory, name) = (path.parent()?, path.file_name()?);
        let route = || real_path::steps(directory).into_iter().map(|step| step.join(name)).collect();
        let link = |route| Destinations { routes: vec![route], ..Destinations::default() }.judge(ground);
        path.is_symlink().then(route).map(link)
    }

    /// Whether both places have the same file, by any route.
    pub(crate) fn is_at(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(one), Self::File(other)) => one.file() == other.file(),
            (one, other) => one == other,
        }
    }
}

/// The destinations of a path, one for each reading. A path with `..` after a link has two readings.
#[derive(Debug, Default)]
pub(crate) struct Destinations {
    /// The paths that each reading passes. The last path of a reading has no links.
    routes: Vec<Vec<PathBuf>>,
    /// Whether a link leads the agent elsewhere than this process, such as one through `/proc/self/cwd`.
    differs_by_process: bool,
    /// Whether no link leads to the file, and no repository is around it.
    is_isolated: bool,
}

impl Destinations {
    /// Resolves the path on disk. `system_path` is the path that the system reports for the open file, if
    /// any.
    pub(crate) fn of(path: &Path, system_path: Option<&Path>) -> Self {
        let is_isolated = || git_directories::repositories(path).next().is_none();
        // A path without links has one reading.
        if system_path == Some(path) {
            let routes = vec![vec![path.to_owned()]];
            return Self { routes, differs_by_process: false, is_isolated: is_isolated() };
        }
        let route = |(index, reading): (usize, &PathBuf)| {
            let mut steps = real_path::steps(reading);
            if let (Some(known), Some(end)) = (system_path.filter(|_| index == 0), steps.last_mut()) {
                known.clone_into(end);
            }
            steps
        };
        let mut routes: Vec<_> = real_path::readings(path).iter().enumerate().map(route).collect();
        routes.dedup();
        let has_links = routes.as_slice() != [[path]];
        Self {
            differs_by_process: has_links && real_path::depends_on_process(path),
            is_isolated: !has_links && is_isolated(),
            routes,
        }
    }

    /// Whether no link leads to the file, and no repository is around it. The judgement of such a file takes
    /// few system calls, unless something may accept the change. In a repository it takes some 100.
    pub(super) fn is_isolated(&self) -> bool {
        self.is_isolated
    }

    /// Returns the path at the end of each reading, with links resolved.
    fn ends(&self) -> Vec<&PathBuf> {
        let mut ends: Vec<_> = self.routes.iter().filter_map(|route| route.last()).collect();
        ends.dedup();
        ends
    }

    /// Returns the single place for rules. `outside` and `in_git` are the results of
    /// [`outside`](Self::outside) and [`in_git`](Self::in_git). Reads the disk.
    pub(crate) fn place(&self, outside: Option<&str>, in_git: Option<&str>, ground: &Ground<'_>) -> Place {
        match self.ends().as_slice() {
            _ if self.differs_by_process || outside.is_some() => {
                Place::Uncovered("no rule covers a file outside the project")
            }
            _ if in_git.is_some() => Place::Uncovered(GIT_REASON),
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

    /// Returns the destinations from which agents take settings or instructions; if there are none, such
    /// paths on the way.
    pub(crate) fn of_agents(&self, ground: &Ground<'_>) -> Option<String> {
        let is_agents = |path: &&PathBuf| {
            let below = ground.roots.iter().filter_map(|root| path.strip_prefix(root).ok());
            let below = below.min_by_key(|below| below.as_os_str().len());
            below.is_some_and(|below| {
                below.components().any(|part| is_agent_file(&fold_leniently(part.as_os_str())))
            })
        };
        let ends = join_paths(self.ends().into_iter().filter(is_agents));
        ends.or_else(|| join_paths(self.routes.iter().flatten().filter(is_agents)))
    }

    fn judge(&self, ground: &Ground<'_>) -> Place {
        self.place(self.outside(ground).as_deref(), self.in_git(ground).as_deref(), ground)
    }

    /// Returns the destinations that are below no root. The roots have no links; without roots, nothing is
    /// outside.
    pub(crate) fn outside(&self, ground: &Ground<'_>) -> Option<String> {
        let is_outside = |path: &&PathBuf| {
            !ground.roots.is_empty() && (self.differs_by_process || !ground.is_in_project(path))
        };
        join_paths(self.ends().into_iter().filter(is_outside))
    }

    /// Returns the destinations that git runs or obeys; if there are none, such paths on the way. A root
    /// inside a directory of git does not count as one. Reads the disk.
    pub(crate) fn in_git(&self, ground: &Ground<'_>) -> Option<String> {
        let is_gits = |path: &&PathBuf| {
            let below = ground.roots.iter().filter_map(|root| path.strip_prefix(root).ok());
            // One project may lie in another.
            let below = below.min_by_key(|below| below.as_os_str().len()).unwrap_or(path.as_path());
            // A file system may take other names for `.git`, and git then takes them, too.
            let is_in_git = below.components().any(|part| is_gits(part.as_os_str()));
            is_in_git
                || match self.is_isolated {
                    true => git_directories::is_obeyed_without_repository(path, ground),
                    false => git_directories::is_obeyed(path, ground),
                }
        };
        let ends = join_paths(self.ends().into_iter().filter(is_gits));
        let on_the_way = || self.routes.iter().flat_map(|route| route.iter().rev().skip(1));
        ends.or_else(|| join_paths(on_the_way().filter(is_gits)))
    }
}

/// Returns the reason why a file is protected though its paths do not show it. Reads the disk.
fn protection(steps: &[PathBuf], ground: &Ground<'_>) -> Option<&'static str> {
    let may_complete = steps.iter().any(|step| git_directories::may_complete_repository(step));
    let of_git = "such a file can make its directory one of git's";
    may_complete.then_some(of_git).or_else(|| agents_links::reason(steps, ground))
}

/// Returns the directories above a file that are repositories, or have settings of ours. Reads the disk.
fn projects_above(file: &Path) -> Vec<PathBuf> {
    let has = |directory: &Path, name: &str| directory.join(name).symlink_metadata().is_ok();
    let is_project = |directory: &&Path| has(directory, ".git") || has(directory, PROJECT_SETTINGS);
    file.ancestors().skip(1).filter(is_project).map(Path::to_owned).collect()
}

/// Returns the rules of the repositories within a project that lie around these paths; `None` if some rules
/// cannot be read. The rules of a project itself are read when it is opened. Reads the disk.
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

/// Joins destinations for people; `None` without destinations.
fn join_paths<'a>(destinations: impl Iterator<Item = &'a PathBuf>) -> Option<String> {
    let paths: Vec<_> = destinations.map(|path| path.to_string_lossy()).collect();
    (!paths.is_empty()).then(|| paths.join(" or "))
}

#[cfg(test)]
impl<P: Into<PathBuf>> From<P> for Route {
    /// Creates the route of a path without links, below no project.
    fn from(file: P) -> Self {
        let (projects, asks) = (Vec::new(), Some(Vec::new()));
        Self { steps: vec![file.into()], projects, asks, is_searched: true }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
