//! Evaluates rules for one change at a time, without access to the disk.
//!
//! As in `.gitignore`, whose patterns the rules use, the last rule that matches decides. So a later rule can
//! make an exception to an earlier one, to accept or to ask. The rules of a project are not in this order:
//! they can only ask, and the person's own rules do not override them.

use std::path::{Path, PathBuf};

use alongside_desk::ChangeKind;

use super::patterns::{AskedPaths, Patterns};
use super::protected;
use crate::config::{BadGlob, Workspace};
use crate::persistence::app_dirs::AppDirs;
use crate::real_path;
use crate::reviews::destination::{Place, Route};
use crate::reviews::ground::Ground;
use crate::reviews::review::{HARD_LINKS_REASON, UNCOMPARABLE_REASON};
use crate::reviews::target::OpenTarget;
use crate::rule::{Rule, RulesOf, Ruling};

/// The reason for asking about a proposal that was prepared while no rule could accept it, or for other
/// rules.
pub(super) const UNSEARCHED_REASON: &str = "it came before the rules that could accept it";

/// The reason for asking about a file in a repository within the project if its rules cannot be read.
const UNREADABLE_RULES_REASON: &str = "the rules of a repository around it cannot be read";

/// The rules that hold, ready to be applied.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// The rules of the person, in their order.
    of_person: Vec<CompiledRule>,
    /// The rules of the projects, all of which ask.
    of_projects: Vec<CompiledRule>,
    /// The projects whose rules cannot be read, with links resolved.
    unreadable_projects: Vec<PathBuf>,
    /// The settings files that were read, and the links by which they are found, each by its
    /// [names](protected::folded_names).
    settings_files: Vec<Vec<String>>,
}

/// A rule with its patterns, ready to match.
#[derive(Debug)]
struct CompiledRule {
    rule: Rule,
    patterns: Patterns,
}

/// The ruling on a change, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The ruling.
    pub ruling: Ruling,
    /// The reason.
    pub why: Why,
}

/// The reason for a ruling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// No rule matches.
    NoRule,
    /// This rule of the person decides.
    Rule(String),
    /// This rule of a project asks.
    ProjectRule(String),
    /// The person has accepted in advance all proposals for this place, which is in words for people.
    Grant(String),
    /// Rules do not apply to such a change.
    NoRuleApplies(&'static str),
}

impl Judgement {
    /// Creates the judgement that a person decides.
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
            Self::Grant(place) => write!(f, "accepted ahead for {place}"),
            Self::NoRuleApplies(why) => f.write_str(why),
        }
    }
}

impl Rules {
    /// Compiles the rules. Fails for the first invalid pattern. `settings_files`: the files from which
    /// the rules come.
    pub(crate) fn new(
        of_person: &[Rule],
        workspace: &Workspace,
        settings_files: &[PathBuf],
    ) -> Result<Self, BadGlob> {
        let compiled =
            |rules: &[Rule]| rules.iter().cloned().map(CompiledRule::new).collect::<Result<Vec<_>, _>>();
        Ok(Self {
            of_person: compiled(of_person)?,
            of_projects: compiled(&workspace.asks)?,
            unreadable_projects: workspace.untold.iter().map(|root| real_path::resolve(root)).collect(),
            settings_files: settings_files
                .iter()
                .flat_map(|file| real_path::steps(file))
                .map(|step| protected::folded_names(&step))
                .collect(),
        })
    }

    /// Whether any rule accepts a change, or leaves it to the agent.
    pub(super) fn may_accept(&self) -> bool {
        self.of_person.iter().any(|compiled| compiled.rule.ruling != Ruling::Ask)
    }

    /// Returns the ruling on a change of this kind by the agent of this name, to all of these places
    /// together. The roots have no links.
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
        let no_rule = |why| Judgement::ask(Why::NoRuleApplies(why));
        let route = match place {
            Place::File(route) => route,
            Place::Uncovered(why) => return no_rule(why),
        };
        if let Some(why) = route.steps().find_map(|step| protected::why_protected(step, &self.settings_files))
        {
            return no_rule(why);
        }
        if self.unreadable_projects.iter().any(|root| route.steps().any(|step| step.starts_with(root))) {
            return no_rule("the rules of this project cannot be read");
        }
        let Some(nested) = &route.asks else { return no_rule(UNREADABLE_RULES_REASON) };
        // A repository within another one is a project of its own.
        let below = roots.iter().filter_map(|root| route.file().strip_prefix(root).ok());
        let Some(below) = below.min_by_key(|below| below.components().count()) else {
            return Judgement::ask(Why::NoRule);
        };
        let asked = asked_paths(route, roots);
        let matches = |compiled: &&CompiledRule| compiled.matches((below, &asked), agent, kind);
        if let Some(asks) = self.of_projects.iter().find(matches) {
            return Judgement::ask(Why::ProjectRule(asks.rule.text()));
        }
        for rule in nested {
            match CompiledRule::new(Rule { ruling: Ruling::Ask, ..rule.clone() }) {
                Ok(asks) if !matches(&&asks) => {}
                Ok(asks) => return Judgement::ask(Why::ProjectRule(asks.rule.text())),
                Err(_) => return no_rule(UNREADABLE_RULES_REASON),
            }
        }
        match self.of_person.iter().rfind(matches) {
            Some(compiled) if compiled.rule.ruling != Ruling::Ask && !route.is_searched => {
                no_rule(UNSEARCHED_REASON)
            }
            Some(CompiledRule { rule, .. }) => Judgement { ruling: rule.ruling, why: Why::Rule(rule.text()) },
            None => Judgement::ask(Why::NoRule),
        }
    }
}

/// Returns the paths on which a rule that asks may match: the paths of the file and of each link on the way
/// to it, relative to each project around them, with and without the name of the project. So a project within
/// another one cannot cancel a question of the outer project.
fn asked_paths(route: &Route, roots: &[PathBuf]) -> AskedPaths {
    let named = roots.iter().filter_map(|root| root.parent());
    let directories = roots.iter().chain(&route.projects).map(PathBuf::as_path).chain(named);
    let mut asked = AskedPaths::default();
    for directory in directories {
        for below in route.steps().filter_map(|step| step.strip_prefix(directory).ok()) {
            asked.add(below);
        }
    }
    asked
}

impl CompiledRule {
    fn new(rule: Rule) -> Result<Self, BadGlob> {
        let patterns = Patterns::new(&rule.paths, rule.ruling)?;
        Ok(Self { rule, patterns })
    }

    /// Whether the rule matches this change, by the path in the innermost project or, for a rule that asks,
    /// by any path.
    fn matches(&self, (below, asked): (&Path, &AskedPaths), agent: &str, kind: ChangeKind) -> bool {
        let Rule { agents, kinds, .. } = &self.rule;
        let is_of_agent = agents.is_empty() || agents.iter().any(|name| name == agent);
        let is_of_kind = kinds.is_empty() || kinds.contains(&kind);
        is_of_agent
            && is_of_kind
            && match self.rule.ruling {
                Ruling::Ask => self.patterns.meet(asked),
                Ruling::Accept | Ruling::Defer => self.patterns.match_file(below),
            }
    }
}

/// Checks the pattern of a rule.
///
/// # Errors
/// When the pattern is not valid.
pub fn check_pattern(glob: &str) -> Result<(), BadGlob> {
    Patterns::new(&[glob.to_owned()], Ruling::Accept).map(drop)
}

/// Returns the rulings on changes of a file, without grants. Each change has the name of its agent and its
/// kind. Reads the disk.
///
/// # Errors
/// When a pattern is not valid.
pub fn explain(
    own: &[Rule],
    workspace: &Workspace,
    (settings, rules_of): (&[PathBuf], RulesOf),
    (file, dirs): (&Path, &AppDirs),
    changes: &[(&str, ChangeKind)],
) -> Result<Vec<Judgement>, BadGlob> {
    let roots: Vec<PathBuf> = workspace.roots.iter().map(|root| real_path::resolve(root)).collect();
    let places = Place::all(file, &Ground::new(&roots, Some(dirs)).with_rules_of(Some(rules_of)));
    let rules = Rules::new(own, workspace, settings)?;
    let obstacle = obstacle(file);
    let judge = |(agent, kind): &(&str, ChangeKind)| {
        let judgement = rules.judge(&roots, agent, *kind, &places);
        match obstacle.filter(|_| judgement.ruling == Ruling::Accept) {
            Some(why) => Judgement::ask(Why::NoRuleApplies(why)),
            None => judgement,
        }
    };
    Ok(changes.iter().map(judge).collect())
}

/// Returns why a person decides on any change of a file in its current state, whatever the rules say. Reads
/// the disk.
fn obstacle(file: &Path) -> Option<&'static str> {
    let target = OpenTarget::open(file.to_str()?).ok()?;
    let has_other_names = target.has_other_names();
    let (normalized, _) = target.read("");
    let is_uncomparable = normalized.whole_file_only.is_some();
    is_uncomparable.then_some(UNCOMPARABLE_REASON).or(has_other_names.then_some(HARD_LINKS_REASON))
}

#[cfg(test)]
mod tests;
