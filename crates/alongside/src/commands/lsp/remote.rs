//! Recognises the editors whose command-line program has abilities that their language client lacks.

use std::sync::Arc;

use alongside_lsp::{Client, EditorRemote, editors};

use super::{kakoune, kate};

/// Returns the remote control of an editor by its program. An editor that sends no name is recognised by its
/// variables.
pub(super) fn of(client: &mut Client) -> Option<Arc<dyn EditorRemote>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    if let Some(session) = client.session.clone().filter(|_| client.kind.name == "kakoune") {
        client.kind = editors::find("alongside.kak");
        return Some(Arc::new(kakoune::Kakoune::new(session)));
    }
    let kate = variable("KATE_PID")?.parse().ok().filter(|pid| client.process_id == Some(*pid))?;
    client.kind = editors::find("kate");
    // Without a message bus, the program would start a second Kate.
    variable("DBUS_SESSION_BUS_ADDRESS")?;
    Some(Arc::new(kate::Kate::new(kate)))
}
