//! The evaluation of rules: pure, for one change at a time.
//!
//! The last rule that matches decides, as in `.gitignore`, whose patterns these are: so a later line can make
//! an exception of an earlier one in both directions. The rules of a project stand outside of that order:
//! they can only ask, and hold whatever the person's own rules say.

use std::path::{Path, PathBuf};

use alongside_desk::ChangeKind;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::protected;
use crate::config::{BadGlob, Workspace};
use crate::real_path;
use crate::reviews::destination::Place;
use crate::rule::{Rule, Ruling};

/// The rules that hold, ready to be applied.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// The person's, in their order.
    own: Vec<Compiled>,
    /// The projects'. All of them ask.
    projects: Vec<Compiled>,
    /// Projects whose rules cannot be read, without links.
    unknown: Vec<PathBuf>,
    /// The files of settings that were read, without links.
    settings: Vec<PathBuf>,
}

#[derive(Debug)]
struct Compiled {
    rule: Rule,
    globs: Gitignore,
}

/// The ruling on a change, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The ruling.
    pub ruling: Ruling,
    /// Why.
    pub why: Why,
}

/// The reason for a ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// No rule matches. A grant may.
    NoRule,
    /// This rule of the person.
    Rule(String),
    /// This rule of a project, which only asks.
    ProjectRule(String),
    /// This grant of the person.
    Grant(String),
    /// Rules do not apply to such a change.
    NoRuleApplies(&'static str),
}

impl Judgement {
    pub(super) fn ask(why: Why) -> Self {
        Self { ruling: Ruling::Ask, why }
    }
}

impl std::fmt::Display for Why {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoRule => f.write_str("no rule matches"),
            Self::Rule(rule) => write!(f, "rule {rule}"),
            Self::ProjectRule(rule) => write!(f, "the project's rule {rule}"),
            Self::Grant(grant) => write!(f, "granted for {grant}"),
            Self::NoRuleApplies(why) => f.write_str(why),
        }
    }
}

impl Rules {
    /// Fails for the first pattern that is not valid. `settings`: the files from which the rules come.
    pub(crate) fn new(own: &[Rule], workspace: &Workspace, settings: &[PathBuf]) -> Result<Self, BadGlob> {
        let compiled =
            |rules: &[Rule]| rules.iter().cloned().map(Compiled::new).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            own: compiled(own)?,
            projects: compiled(&workspace.asks)?,
            unknown: workspace.untold.iter().map(|root| real_path::resolve(root)).collect(),
            settings: settings.iter().map(|file| real_path::resolve(file)).collect(),
        })
    }

    /// The ruling on a change of this kind by the agent of this name, to all of these places together. The
    /// roots have no links.
    pub(crate) fn judge(
        &self,
        roots: &[PathBuf],
        agent: &str,
        kind: ChangeKind,
        places: &[Place],
    ) -> Judgement {
        let mut all = places.iter().map(|place| self.judge_place(roots, agent, kind, place));
        let Some(first) = all.next() else { return Judgement::ask(Why::NoRule) };
        all.fold(first, |one, other| match (one.ruling, other.ruling) {
            (Ruling::Ask, _) => one,
            (_, Ruling::Ask) => other,
            (one_ruling, other) if one_ruling == other => one,
            _ => Judgement::ask(Why::NoRuleApplies("its rules differ for the files that it changes")),
        })
    }

    fn judge_place(&self, roots: &[PathBuf], agent: &str, kind: ChangeKind, place: &Place) -> Judgement {
        let not = |why| Judgement::ask(Why::NoRuleApplies(why));
        let path = match place {
            Place::File(path) => path,
            Place::Outside => return not("no rule covers a file outside the project"),
            Place::Gits => return not("no rule covers what git runs or obeys"),
            Place::Ambiguous => return not("it depends on the agent where this path leads"),
        };
        if let Some(why) = protected::reason(path, &self.settings) {
            return not(why);
        }
        if self.unknown.iter().any(|root| path.starts_with(root)) {
            return not("the rules of this project cannot be read");
        }
        // A repository within another one is a project of its own.
        let below = roots.iter().filter_map(|root| path.strip_prefix(root).ok());
        let Some(below) = below.min_by_key(|below| below.components().count()) else {
            return Judgement::ask(Why::NoRule);
        };
        let matches = |compiled: &&Compiled| compiled.matches(below, agent, kind);
        if let Some(asks) = self.projects.iter().find(matches) {
            return Judgement::ask(Why::ProjectRule(asks.rule.text()));
        }
        match self.own.iter().rfind(matches) {
            Some(Compiled { rule, .. }) => Judgement { ruling: rule.ruling, why: Why::Rule(rule.text()) },
            None => Judgement::ask(Why::NoRule),
        }
    }
}

impl Compiled {
    fn new(rule: Rule) -> Result<Self, BadGlob> {
        let globs = globs(&rule.paths, rule.ruling)?;
        Ok(Self { rule, globs })
    }

    /// Whether it is about this change. The path is relative to the project.
    fn matches(&self, below: &Path, agent: &str, kind: ChangeKind) -> bool {
        let Rule { agents, kinds, .. } = &self.rule;
        let is_of_agent = agents.is_empty() || agents.iter().any(|name| name == agent);
        let is_of_kind = kinds.is_empty() || kinds.contains(&kind);
        is_of_agent && is_of_kind && self.globs.matched_path_or_any_parents(below, false).is_ignore()
    }
}

/// A rule that asks matches in any case, others exactly: on a file system that ignores case, nothing slips
/// past a question.
fn globs(paths: &[String], ruling: Ruling) -> Result<Gitignore, BadGlob> {
    let mut builder = GitignoreBuilder::new("");
    let bad = |glob: &str, why: String| BadGlob { glob: glob.to_owned(), why };
    builder.case_insensitive(ruling == Ruling::Ask).map_err(|error| bad("", error.to_string()))?;
    for glob in paths {
        check(glob).map_err(|why| bad(glob, why.to_owned()))?;
        builder.add_line(None, glob).map_err(|error| bad(glob, error.to_string()))?;
    }
    builder.build().map_err(|error| bad(&paths.join(", "), error.to_string()))
}

/// Refuses a pattern that `.gitignore` takes for something else, or that can match nothing.
fn check(glob: &str) -> Result<(), &'static str> {
    match glob {
        glob if glob.trim().is_empty() => Err("it is empty"),
        glob if glob.starts_with('!') => Err("a rule takes nothing back: a later rule decides"),
        glob if glob.starts_with('#') => Err("it is a comment; write \\# for the character"),
        glob if glob.starts_with('~') => Err("it is relative to the project, not to the home directory"),
        glob if glob.contains('\n') => Err("it has several lines"),
        glob if glob.split('/').any(|part| part == ".." || part == ".") => {
            Err("it has a part `.` or `..`, which no path has")
        }
        _ => Ok(()),
    }
}

/// Checks the pattern of a rule.
///
/// # Errors
/// When it is not valid.
pub fn check_pattern(glob: &str) -> Result<(), BadGlob> {
    globs(&[glob.to_owned()], Ruling::Ask).map(drop)
}

/// The ruling on a change of a file, of this kind, by the agent of this name, without grants. Reads the disk.
///
/// # Errors
/// When a pattern is not valid.
pub fn explain(
    own: &[Rule],
    workspace: &Workspace,
    settings: &[PathBuf],
    (agent, kind, file): (&str, ChangeKind, &Path),
) -> Result<Judgement, BadGlob> {
    let roots: Vec<PathBuf> = workspace.roots.iter().map(|root| real_path::resolve(root)).collect();
    let places = Place::all(file, &roots);
    Ok(Rules::new(own, workspace, settings)?.judge(&roots, agent, kind, &places))
}

#[cfg(test)]
mod tests;
