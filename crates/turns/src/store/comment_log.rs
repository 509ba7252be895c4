//! The log of the comments of a working tree, and of the rounds in which they were sent. Applying all of its
//! lines gives the state of all comments. Compaction removes rounds that were read long ago.

use std::io;
use std::path::{Path, PathBuf};

use crate::store::comment_line::Line;
use crate::store::comment_state::Comments;
use crate::store::json_lines;

/// The log at a path.
#[derive(Debug, Clone)]
pub(crate) struct CommentLog {
    path: PathBuf,
}

impl CommentLog {
    pub(crate) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the state of all comments.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub(crate) fn read(&self) -> io::Result<Comments> {
        Ok(Comments::of(json_lines::read(&self.path)?))
    }

    /// Appends lines.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn append<'a>(&self, lines: impl IntoIterator<Item = &'a Line>) -> io::Result<()> {
        json_lines::append(&self.path, lines)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use alongside_desk::CommentId;
    use alongside_platform::private::open_for_appending;

    use super::*;
    use crate::store::sample_comment_lines::{sent, written};

    #[test]
    fn a_truncated_line_does_not_affect_the_other_lines() {
        let directory = tempfile::tempdir().unwrap();
        let log = CommentLog::at(directory.path().join("comments"));
        assert_eq!(log.read().unwrap(), Comments::default());
        for line in [written(1, "one"), written(2, "two"), sent(1, &[1])] {
            log.append([&line]).unwrap();
        }
        open_for_appending(log.path()).unwrap().write_all(b"{\"kind\":\"written\",\"id\":3,\"te").unwrap();
        log.append([&written(3, "three")]).unwrap();
        open_for_appending(log.path()).unwrap().write_all(b"{\"kind\":\"later\"}\n").unwrap();
        let state = log.read().unwrap();
        assert_eq!(state.unsent().collect::<Vec<_>>(), [CommentId(2), CommentId(3)]);
        assert_eq!((state.next_comment(), state.next_round()), (CommentId(4), 2));
        assert_eq!(state.waiting().count(), 1);
    }
}
