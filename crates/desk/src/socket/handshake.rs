//! The first messages of a socket: the protocol versions, the desk, and the host.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::status::Status;

/// The newest version of the desk protocol that this program speaks. It rises when an older desk, hook or
/// host could no longer follow; docs/desk-protocol.md has the rule.
pub const PROTOCOL: u32 = 1;
/// The oldest version that this program still speaks. It stays for the releases of a year.
const OLDEST_PROTOCOL: u32 = 1;
/// Every version that this program speaks. Of two programs, the newer one speaks that of the older one.
pub const SPOKEN: RangeInclusive<u32> = OLDEST_PROTOCOL..=PROTOCOL;
/// The version of a hook that names none.
pub(super) const FIRST_PROTOCOL: u32 = 1;

/// Asks a host of any protocol version to end for a successor, in place of [`INITIALIZE`]. Its answer is
/// `null`; it then ends at once, without deciding anything.
pub(super) const HAND_OVER: &str = "alongside/handOver";
/// Asks a host of any protocol version to end as if its last desk had left, in place of [`INITIALIZE`].
pub(super) const STOP: &str = "alongside/stop";
/// Asks a host of any protocol version for its [`Report`], in place of [`INITIALIZE`].
pub(super) const REPORT: &str = "alongside/report";
/// Asks a host to have a proposal of an agent's hook reviewed, in place of [`INITIALIZE`]. Its parameters are
/// a [`HookProposal`](crate::HookProposal), its answer is a [`Verdict`](crate::Verdict). A hook that closes
/// the connection before has gone.
pub(super) const PROPOSE: &str = "alongside/propose";
/// Tells a host of any protocol version that a hook has taken a snapshot, in place of [`INITIALIZE`]. Its
/// parameters are a [`SnapshotTaken`](crate::SnapshotTaken), its answer is `null`, for which nobody waits.
pub(super) const TURN_TAKEN: &str = "alongside/turnTaken";
/// The first request of every desk.
pub(super) const INITIALIZE: &str = "initialize";
/// The code of the error that refuses a desk or a hook whose protocol version the host does not speak; its
/// data is a [`Mismatch`].
pub const MISMATCH: i64 = -32099;

/// The parameters of `initialize`: LSP's own, and ours within `initializationOptions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The process that agents may take for the editor: that of the desk, or of its editor.
    #[serde(default)]
    pub process_id: Option<u32>,
    /// The program of the desk.
    #[serde(default)]
    pub client_info: ClientInfo,
    /// The options of alongside.
    #[serde(default)]
    pub initialization_options: Options,
}

/// A program and its version, as in LSP.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientInfo {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its version.
    #[serde(default)]
    pub version: String,
}

/// The options that an LSP client passes to its server; keys of other programs are ignored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// The options of alongside.
    #[serde(default)]
    pub alongside: Terms,
}

/// The terms on which a desk joins.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The version of the protocol that the desk wants to speak; 0 if it names none.
    #[serde(default)]
    pub protocol: u32,
    /// The role in which it joins.
    #[serde(default)]
    pub role: Role,
    /// The editor it speaks for.
    #[serde(default, alias = "owner", skip_serializing_if = "Option::is_none")]
    pub editor: Option<EditorProcess>,
    /// Whether the desk knows problems in files, and answers [`Event::DiagnosticsWanted`](crate::Event).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub diagnostics: bool,
    /// Whether the desk shows turns: then it gets [`Event::Turn`](crate::Event).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub turns: bool,
    /// Its projects, absolute. The host serves them as well while the desk is there; none if it only joins.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roots: Vec<PathBuf>,
}

/// The role in which a connection joins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    /// The party shows reviews to a person.
    #[default]
    Desk,
    /// The party shows nothing: the host shall live as long as the party does.
    Keeper,
}

/// An editor that a desk speaks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EditorProcess {
    /// Its process.
    pub pid: u32,
    /// A short lower-case identifier, such as `neovim`.
    pub name: String,
    /// Its name for people.
    pub display_name: String,
    /// Identifies a window of the process, if each window has a project of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<String>,
}

/// The answer to [`Hello`]. LSP clients find in it what they expect of a server, too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// LSP's: nothing is offered on the socket.
    #[serde(default)]
    pub capabilities: serde_json::Map<String, serde_json::Value>,
    /// The program of the host.
    #[serde(default)]
    pub server_info: ClientInfo,
    /// The host, which LSP does not know.
    pub alongside: Host,
}

/// The host a desk has joined.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Host {
    /// The version of the protocol that the two speak: the desk's.
    pub protocol: u32,
    /// Its name: that of its socket.
    pub name: String,
    /// Its process.
    pub pid: u32,
    /// The projects it serves.
    pub roots: Vec<PathBuf>,
    /// The port on 127.0.0.1 that agents dial.
    pub port: u16,
    /// All addresses on which the companion listens, for a program that holds its port while it is away.
    #[serde(default)]
    pub addresses: Vec<SocketAddr>,
    /// The token they present. Never show or log it.
    pub token: String,
}

impl std::fmt::Debug for Host {
    /// Without the token, which has no place in a log.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host")
            .field("name", &self.name)
            .field("pid", &self.pid)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// The host does not speak the version of the protocol that a desk or a hook wants to speak.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mismatch {
    /// The newest protocol version of the host.
    pub protocol: u32,
    /// The host's program version.
    pub version: String,
}

impl Mismatch {
    /// Returns the version in which to ask an older host again that has refused `tried`; `None` if this
    /// program does not speak the host's.
    pub fn version_below(&self, tried: u32) -> Option<u32> {
        self.version_within(&SPOKEN, tried)
    }

    pub(super) fn version_within(&self, spoken: &RangeInclusive<u32>, tried: u32) -> Option<u32> {
        (self.protocol < tried && spoken.contains(&self.protocol)).then_some(self.protocol)
    }
}

/// The reason of a host's goodbye. A host that vanishes without one has crashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Goodbye {
    /// The host ends for good: somebody stopped it, or the desk asked to leave.
    Stopped,
    /// A successor takes over: join that one.
    HandedOver,
}

/// The notification that carries a [`Goodbye`].
pub(super) const GOODBYE: &str = "alongside/goodbye";

/// The state of a host, for programs that do not join it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Its name: that of its socket.
    #[serde(default)]
    pub name: String,
    /// The version of its program.
    #[serde(default)]
    pub version: String,
    /// The editors that are there, the one that the person used last first; while it is hidden, the one that
    /// it waits for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub editors: Vec<EditorProcess>,
    /// Whether no party is connected, and the host waits for a closed editor; agents do not find the host
    /// meanwhile.
    #[serde(default)]
    pub hidden: bool,
    /// The seconds until the host ends if no party returns; `None` while one is connected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds_left: Option<u64>,
    /// The names of the parties that keep the host, for people.
    #[serde(default)]
    pub kept_by: Vec<String>,
    /// The status that desks get, without the variables.
    #[serde(default)]
    pub status: Status,
}
