//! The CSS selectors of the parts of VS Code's window.

/// The text of the file in front.
pub(crate) const EDITOR: &str = ".editor-group-container.active .monaco-editor";
/// The proposal, at the right.
pub(crate) const PROPOSAL: &str = ".modified-in-monaco-diff-editor";
/// The actions above each change.
pub(crate) const LENS: &str = ".modified-in-monaco-diff-editor .codelens-decoration a";
/// The line above each change, with the change's state.
pub(crate) const STATE: &str = ".modified-in-monaco-diff-editor .codelens-decoration";
/// A message.
pub(crate) const MESSAGE: &str = ".notifications-toasts .notification-toast";
/// The item of the status bar.
pub(crate) const STATUS: &str = "[id='alongside.alongside.status']";

/// A line of the list of reviews.
pub(crate) const ROW: &str = ".pane-body .monaco-list-row";
/// The text in place of an empty list of reviews.
pub(crate) const WELCOME: &str = ".pane-body .welcome-view";
/// The message above the list of reviews.
pub(crate) const VIEW: &str = ".pane-body .message";
/// The input at the top of the window.
pub(crate) const QUICK: &str = ".quick-input-widget";
/// A line of the list below that input.
pub(crate) const QUICK_ROW: &str = ".quick-input-list .monaco-list-row";
/// A hover.
pub(crate) const HOVER: &str = ".monaco-hover";
/// A dialog.
pub(crate) const DIALOG: &str = ".monaco-dialog-box";
/// A tab of an editor.
pub(crate) const TAB: &str = ".tabs-container .tab";
/// An action in the title bar of the editor in front.
pub(crate) const TITLE: &str = ".editor-group-container.active .editor-actions a";
/// The terminal in front.
pub(crate) const TERMINAL: &str = ".terminal-wrapper.active";

/// The last text for screen readers.
pub(crate) const ALERT: &str = ".monaco-aria-container .monaco-alert";
/// The notification centre, which draws only the messages around the one with the focus.
pub(crate) const MESSAGES: &str = ".notifications-center";
