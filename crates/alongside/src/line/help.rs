//! The line desk's questions and what each answer means, in one place.

use alongside_desk::{HunkState, Review};

use super::Confirm;

/// The question that is open. `place` is the hunk's index and its review.
pub(super) fn question(confirm: Option<Confirm>, place: Option<(usize, &Review)>, waiting: usize) -> String {
    match (confirm, place) {
        (Some(Confirm::AcceptAnyway), _) => "the file is not what the agent saw; accept anyway [y,n]?".into(),
        (Some(Confirm::SingleNewline), _) => "accept a single empty line instead, or reject [y,n,r]?".into(),
        (Some(Confirm::Leave), _) => {
            let what = if waiting == 1 {
                "1 review waits and is".into()
            } else {
                format!("{waiting} reviews wait and are")
            };
            format!("{what} rejected when you leave; leave [y,n]?")
        }
        (None, Some((_, review))) if review.whole_file_only.is_some() => "accept or reject [a,r,?]?".into(),
        (None, Some((at, review))) if at < review.hunks.len() => {
            let what = match review.hunks[at].state {
                HunkState::Edited => "keep this change as you edited it",
                HunkState::Kept | HunkState::Dropped => "keep this change",
            };
            format!("({}/{}) {what} [k,d,s,e,a,r,u,?]?", at + 1, review.hunks.len())
        }
        (None, _) => "accept, reject, or look again [a,r,b,e,u,?]?".into(),
    }
}

/// What can be typed while a hunk is shown.
pub(super) const AT_A_HUNK: &str = "\
Type one of these, then Enter:
k  keep this change, as edited if it was (also: y)
d  drop it: the file's own lines stay (also: n)
s  split it into smaller changes
e  edit the whole text in your editor, at this place
a  accept the file as it stands now
r  reject the whole proposal
u  undo the last step
j  go to the next change without deciding (also: J)
K  go back to the change before
l  list the reviews that wait; a number goes to that one
p  pause or resume telling agents about your files
q  leave, also Ctrl-D; reviews that wait are rejected
?  this help
Nothing is accepted before you type a: keeping and dropping only change the text.";

/// What can be typed at the end of a review.
pub(super) const AT_THE_END: &str = "\
a  accept the file as it stands now: the agent writes it
r  reject the whole proposal
b  look again from the first change (K goes to the last one)
e  edit the whole text in your editor
u  undo the last step
l  list the reviews that wait; a number goes to that one
p  pause or resume telling agents about your files
q  leave; reviews that wait are rejected
?  this help";

/// What is said when there is nothing to answer, to somebody who can type.
pub(super) const NOTHING_WAITS: &str = "No review waits now. (l list, p pause context, ? help, q leave)";

/// What can be typed while no review waits.
pub(super) const IDLE: &str = "\
Reviews appear here as soon as an agent proposes a change.
l  list the reviews that wait, and the agents
p  pause or resume telling agents about your files
q  leave
?  this help";
