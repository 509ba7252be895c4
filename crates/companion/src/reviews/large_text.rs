//! The text of a large proposal. It stays in the block of memory in which it was received until `openDiff` is
//! answered, because a copy into shared memory takes as long as the rest of the work before the answer.

use std::sync::{Arc, Mutex, PoisonError};

/// A text that is shared when somebody needs it as such. Its address identifies the proposal.
#[derive(Debug)]
pub(crate) struct LargeText(Mutex<Form>);

#[derive(Debug)]
enum Form {
    Received(String),
    Shared(Arc<str>),
}

impl LargeText {
    /// Returns the text in shared memory. Blocks for the first copy.
    pub(crate) fn shared(&self) -> Arc<str> {
        let mut form = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match &mut *form {
            Form::Received(text) => Arc::from(std::mem::take(text)),
            Form::Shared(text) => text.clone(),
        };
        *form = Form::Shared(text.clone());
        text
    }
}

impl From<String> for LargeText {
    fn from(text: String) -> Self {
        Self(Mutex::new(Form::Received(text)))
    }
}

impl From<Arc<str>> for LargeText {
    fn from(text: Arc<str>) -> Self {
        Self(Mutex::new(Form::Shared(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_copied_once() {
        let text = LargeText::from("text".to_owned());
        let first = text.shared();
        assert_eq!(&*first, "text");
        assert!(Arc::ptr_eq(&first, &text.shared()));
        assert!(Arc::ptr_eq(&first, &LargeText::from(first.clone()).shared()));
    }
}
