//! The rules that hold, the grants that a person has given at desks, and the acceptances by both.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alongside_desk::{Grant, Refusal, RuleAcceptance, Scope, messages};

use super::diff;
use super::evaluation::{Judgement, Rules, UNSEARCHED_REASON, Why};
use crate::reviews::destination::Place;
use crate::reviews::review::{PendingReview, Proposer};
use crate::rule::Ruling;

/// The largest number of acceptances that a joining desk gets.
const MAX_ACCEPTANCES: usize = 100;
/// The largest number of patches that are remembered as broken off.
const MAX_BROKEN_OFF: usize = 16;
/// The largest number of grants. A further grant ends the oldest one.
const MAX_GRANTS: usize = 64;

/// The rules and grants that hold, and the list of acceptances.
#[derive(Debug, Default)]
pub(crate) struct RuleBook {
    rules: Rules,
    grants: Vec<ActiveGrant>,
    /// Whether anything may be accepted without a person, for the preparation of proposals.
    may_accept: Arc<AtomicBool>,
    accepted: VecDeque<ListedAcceptance>,
    /// The patches that broke off because one of their files ended without a decision, the newest last. A
    /// rule may accept another file of such a patch later.
    broken_off: VecDeque<String>,
    /// The number of the newest acceptance.
    last: u64,
}

/// An entry of the list for desks, with the name of its patch, if the change is a part of a patch.
#[derive(Debug)]
struct ListedAcceptance {
    entry: RuleAcceptance,
    patch: Option<String>,
}

/// A grant that holds.
#[derive(Debug)]
struct ActiveGrant {
    to: Proposer,
    /// The process of the agent, with which the grant ends; `None` if the grant ends with the agent's
    /// session.
    pid: Option<u32>,
    /// The file or the directory, with links resolved.
    path: PathBuf,
    grant: Grant,
}

/// Returns the proposer to which a grant can be given, and the process with which the grant ends. `None` for
/// a hook that does not report the process of its agent.
fn grantee(review: &PendingReview) -> Option<(Proposer, Option<u32>)> {
    let pid = match review.hook() {
        Some(hook) => Some(hook.agent_pid.filter(|_| !hook.session.is_empty())?),
        None => None,
    };
    Some((review.proposer(), pid))
}

impl RuleBook {
    /// Creates the book. `may_accept` follows whether the book may accept anything.
    pub(crate) fn new(rules: Rules, may_accept: Arc<AtomicBool>) -> Self {
        let book = Self { rules, may_accept, ..Self::default() };
        book.update_may_accept();
        book
    }

    fn update_may_accept(&self) {
        let may_accept = self.rules.may_accept() || !self.grants.is_empty();
        self.may_accept.store(may_accept, Ordering::Release);
    }

    pub(crate) fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
        self.update_may_accept();
    }

    /// Returns the ruling on a proposal. Adds an acceptance to the list for desks, and returns its entry as
    /// well. Sets the reason of a review that asks.
    pub(crate) fn rule(
        &mut self,
        review: &mut PendingReview,
        roots: &Arc<[PathBuf]>,
    ) -> (Ruling, Option<RuleAcceptance>) {
        let judgement = self.judge(review, roots);
        let (file, agent, why) = (review.text.file_path(), &review.agent.name, &judgement.why);
        let accepted = match judgement.ruling {
            Ruling::Ask => {
                tracing::debug!(file, agent, %why, "a person decides");
                review.asked = self.shown_reason(&judgement);
                None
            }
            Ruling::Defer => {
                tracing::info!(file, agent, %why, "a rule leaves this to the agent");
                None
            }
            Ruling::Accept => {
                let (kind, from) = (review.kind().word(), review.moved_from());
                tracing::info!(file, from, agent, %why, kind, "a rule has accepted this");
                Some(self.list_acceptance(review, why))
            }
        };
        (judgement.ruling, accepted)
    }

    /// Judges a proposal. The roots have no links. If the proposal was prepared before the last change of
    /// roots or rules, a person decides.
    fn judge(&self, review: &PendingReview, roots: &Arc<[PathBuf]>) -> Judgement {
        let by_rule = self.rules.judge(roots, &review.agent.name, review.kind(), review.places());
        let judgement = match (by_rule.ruling, &by_rule.why) {
            (_, Why::NoRule) => self.accept_by_grant(review, roots).unwrap_or(by_rule),
            // An agent with a session also asks in its own prompt. A single file of a patch cannot be left to
            // the agent.
            (Ruling::Defer, _) if review.hook().is_none_or(|hook| hook.parts > 1) => {
                Judgement { ruling: Ruling::Ask, ..by_rule }
            }
            _ => by_rule,
        };
        match judgement.ruling {
            Ruling::Ask => judgement,
            Ruling::Accept | Ruling::Defer if !review.is_judged_by(roots) => {
                Judgement::ask(Why::NoRuleApplies(UNSEARCHED_REASON))
            }
            Ruling::Defer => judgement,
            Ruling::Accept => match review.needs_a_person() {
                Some(why) => Judgement::ask(Why::NoRuleApplies(why)),
                None => judgement,
            },
        }
    }

    /// Returns why a person is asked, in words, if rules or grants may accept some changes.
    fn shown_reason(&self, asked: &Judgement) -> Option<String> {
        let is_special = self.may_accept.load(Ordering::Acquire) && asked.why != Why::NoRule;
        is_special.then(|| asked.why.to_string())
    }

    /// Returns the acceptance by a grant, if one covers all files that the proposal changes.
    fn accept_by_grant(&self, review: &PendingReview, roots: &[PathBuf]) -> Option<Judgement> {
        let (to, pid) = grantee(review)?;
        let covers = |granted: &&ActiveGrant| {
            (&granted.to, granted.pid) == (&to, pid)
                && review.places().iter().all(|place| granted.covers(place))
        };
        let granted = self.grants.iter().find(covers)?;
        let why = Why::Grant(messages::granted_place(&granted.grant, roots));
        Some(Judgement { ruling: Ruling::Accept, why })
    }

    /// Adds a grant, by which the person accepts everything that the session of this review will propose for
    /// its file or folder. Returns the grant, and the process with which it ends.
    pub(crate) fn grant(
        &mut self,
        review: &PendingReview,
        scope: Scope,
        roots: &[PathBuf],
    ) -> Result<(Grant, Option<u32>), Refusal> {
        let refused = |words: String| Err(Refusal::Other { words });
        let judgement = self.rules.judge(roots, &review.agent.name, review.kind(), review.places());
        if judgement.why != Why::NoRule {
            return refused(format!("nothing can be accepted ahead for this file: {}", judgement.why));
        }
        let Some((to, pid)) = grantee(review) else {
            return refused("its hook does not say when this agent ends".into());
        };
        let path = match (review.places().first(), scope) {
            (Some(Place::File(route)), Scope::File) => Some(route.file().to_owned()),
            (Some(Place::File(route)), Scope::Folder) => route.file().parent().map(Into::into),
            _ => None,
        };
        let is_inside = |path: &PathBuf| roots.iter().any(|root| path.starts_with(root));
        let Some(path) = path.filter(is_inside) else {
            return refused("this file is in no project".into());
        };
        let (agent, shown) = (review.agent.name.clone(), path.to_string_lossy().into_owned());
        let grant = Grant { agent, path: shown, scope };
        self.grants.retain(|granted| (&granted.to, granted.pid, &granted.grant) != (&to, pid, &grant));
        if self.grants.len() == MAX_GRANTS {
            self.grants.remove(0);
        }
        tracing::info!(agent = grant.agent, path = grant.path, "the person accepts ahead");
        self.grants.push(ActiveGrant { to, pid, path, grant: grant.clone() });
        self.update_may_accept();
        Ok((grant, pid))
    }

    /// Withdraws every grant.
    pub(crate) fn withdraw_grants(&mut self) {
        self.grants.clear();
        self.update_may_accept();
    }

    /// Ends the grants to a session that has ended.
    pub(crate) fn end_session(&mut self, session: &str) {
        self.grants.retain(|granted| !matches!(&granted.to, Proposer::Session(id) if id == session));
        self.update_may_accept();
    }

    /// Ends the grants to an agent whose process has ended.
    pub(crate) fn end_agent(&mut self, pid: u32) {
        self.grants.retain(|granted| granted.pid != Some(pid));
        self.update_may_accept();
    }

    pub(crate) fn grants(&self) -> Vec<Grant> {
        self.grants.iter().map(|granted| granted.grant.clone()).collect()
    }

    /// Adds a proposal that a rule or a grant has accepted to the list for desks. Returns its entry.
    fn list_acceptance(&mut self, accepted: &PendingReview, why: &Why) -> RuleAcceptance {
        let review = accepted.review();
        let patch = accepted.hook().and_then(|hook| hook.patch.clone());
        self.last += 1;
        let (added, removed) = messages::line_counts(&review);
        let (diff, is_cut) = diff::removed_and_added(&review);
        let entry = RuleAcceptance {
            number: self.last,
            agent: review.agent.name.clone(),
            file: review.file.clone(),
            from: accepted.moved_from().map(str::to_owned),
            kind: accepted.kind(),
            by: why.to_string(),
            parts: review.parts,
            at: alongside_desk::now_ms(),
            added,
            removed,
            diff,
            is_cut,
            is_broken_off: patch.as_ref().is_some_and(|patch| self.broken_off.contains(patch)),
            is_earlier: false,
        };
        if self.accepted.len() == MAX_ACCEPTANCES {
            self.accepted.pop_front();
        }
        self.accepted.push_back(ListedAcceptance { entry: entry.clone(), patch });
        entry
    }

    /// Breaks a patch off: one of its files has ended without a decision, so the agent writes no file of it.
    /// Returns the entries of its accepted files.
    pub(crate) fn break_off(&mut self, patch: &str) -> Vec<RuleAcceptance> {
        if self.broken_off.len() == MAX_BROKEN_OFF {
            self.broken_off.pop_front();
        }
        self.broken_off.push_back(patch.to_owned());
        let parts = self.accepted.iter_mut().filter(|accepted| accepted.patch.as_deref() == Some(patch));
        let mut entries = Vec::new();
        for ListedAcceptance { entry, .. } in parts {
            entry.is_broken_off = true;
            entries.push(entry.clone());
        }
        entries
    }

    /// Iterates over the newest acceptances, for a desk that joins.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = RuleAcceptance> {
        let earlier =
            |accepted: &ListedAcceptance| RuleAcceptance { is_earlier: true, ..accepted.entry.clone() };
        self.accepted.iter().map(earlier)
    }
}

impl ActiveGrant {
    fn covers(&self, place: &Place) -> bool {
        match (place, self.grant.scope) {
            (Place::File(route), _) if !route.is_searched => false,
            (Place::File(route), Scope::File) => route.file() == self.path,
            (Place::File(route), Scope::Folder) => route.file().starts_with(&self.path),
            (Place::Uncovered(_), _) => false,
        }
    }
}
