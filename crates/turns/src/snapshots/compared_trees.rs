//! The two trees that a look compares, written as one name. The companion stores the name of each look, and
//! passes it back when a file of that look is to be read or undone.

use crate::store::turn_log::Record;

/// The trees that a look compares, and the time of the look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ComparedTrees {
    /// The tree of the baseline.
    pub(crate) before: String,
    /// The tree of the files on disk, at the time of the look.
    pub(crate) now: String,
    /// The name of the list of files that this tree does not hold.
    pub(crate) left: Option<String>,
    /// The time at which the look was begun, in milliseconds since the Unix epoch.
    pub(crate) at: u64,
}

impl ComparedTrees {
    /// Writes this value as a name, which [`of_name`](Self::of_name) parses.
    pub(crate) fn name(&self) -> String {
        format!("{}:{}:{}:{}", self.before, self.now, self.left.as_deref().unwrap_or_default(), self.at)
    }

    /// Parses a name; `None` if [`name`](Self::name) cannot have written it.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let is_hash = |part: &&str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let mut parts = name.splitn(4, ':');
        let mut hash = || parts.next().filter(is_hash).map(str::to_owned);
        let (before, now, left) = (hash()?, hash()?, hash()?);
        let at = parts.next()?.parse().ok()?;
        let left = Some(left).filter(|left| !left.is_empty());
        (!before.is_empty() && !now.is_empty()).then_some(Self { before, now, left, at })
    }
}

/// Returns the index of the baseline in a log: the last finish of a review, or the first prompt if no review
/// was finished yet.
pub(crate) fn baseline(log: &[Record]) -> Option<usize> {
    use crate::store::turn_log::Kind;
    let has = |kind: Kind| move |record: &Record| record.kind == kind && record.tree.is_some();
    log.iter().rposition(has(Kind::Finish)).or_else(|| log.iter().position(has(Kind::Prompt)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_other_texts_are_refused() {
        let mut state = ComparedTrees { before: "a1".into(), now: "b2".into(), left: None, at: 7 };
        assert_eq!(ComparedTrees::of_name(&state.name()), Some(state.clone()));
        state.left = Some("c3".into());
        assert_eq!(ComparedTrees::of_name(&state.name()), Some(state));
        for name in ["", "a:b", "a:b::x", "a:--all::1", ":b::1"] {
            assert_eq!(ComparedTrees::of_name(name), None, "{name}");
        }
    }
}
