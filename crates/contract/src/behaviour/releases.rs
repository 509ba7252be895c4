//! The behaviour of each family's published releases. Where one is missing, the boundary is the newer one.

use super::{Behaviour, Hosts, How, Lookup, Releases, Terminal, Unproxied, Value};
use crate::discovery_file::{Directory, DiscoveryFile, Fields};

/// A fork without any release to read: it does the same as the newest release of its origin.
pub(crate) const FORK: Behaviour = Behaviour {
    known_to: None,
    connects: Releases::ALL,
    lookups: &[],
    reads_variables: Releases::ALL,
    pid_variable: Releases::ALL,
    token_variable: Releases::ALL,
    sends_token: Releases::ALL,
    knows_diff_rejected: Releases::ALL,
    reads_editor_name: Releases::ALL,
    terminals: &[VS_CODE],
    own_files_only: Releases::NONE,
    one_unreadable_ends: Releases::NONE,
    takes_misfit: Releases::NONE,
    needs_living_editor: Releases::NONE,
    tries_others: Releases::NONE,
    keeps_off_misfits: Releases::NONE,
    hosts: &[],
    unproxied: &[],
};

const VS_CODE: Terminal =
    Terminal { releases: Releases::ALL, variable: "TERM_PROGRAM", value: Some(Value::Is("vscode")) };

/// Variables of a container in which the editor runs as well.
const REMOTE: &[&str] = &["SSH_CONNECTION", "VSCODE_REMOTE_CONTAINERS_SESSION", "REMOTE_CONTAINERS"];

/// Read in 0.1.14 to 0.3.4 and 0.5.5 to 0.10.0 one by one, then 0.11.3, 0.14.0, 0.17.1, 0.19.1, 0.20.0,
/// 0.20.2, 0.22.4, 0.25.2 to 0.36.0 one by one, 0.45.0, 0.50.0, 0.55.0, and 0.58.0 to 0.61.0.
pub(crate) const GEMINI: Behaviour = Behaviour {
    known_to: Some((0, 61, 0)),
    connects: Releases::from((0, 1, 14)),
    lookups: &[
        Lookup::new(
            Releases::between((0, 1, 22), (0, 27, 0)),
            DiscoveryFile {
                directory: Directory::Tmp(""),
                name: "gemini-ide-server-{pid}.json",
                fields: Fields::Contract,
                readers: "Gemini CLI 0.1.22 to 0.26",
            },
            How::Spelled,
        )
        .unchecked(Releases::ALL),
        Lookup::new(
            Releases::from((0, 27, 0)),
            DiscoveryFile {
                directory: Directory::Tmp("gemini/ide"),
                name: "gemini-ide-server-{pid}.json",
                fields: Fields::Contract,
                readers: "Gemini CLI 0.27.0 and newer",
            },
            How::Spelled,
        )
        .unchecked(Releases::ALL),
        Lookup::new(Releases::between((0, 5, 3), (0, 31, 0)), GEMINI_FILE, How::ListedForPid),
        Lookup::new(Releases::from((0, 31, 0)), GEMINI_FILE, How::ListedForAnyPid),
    ],
    reads_variables: Releases::ALL,
    pid_variable: Releases::from((0, 31, 0)),
    token_variable: Releases::from((0, 20, 1)),
    sends_token: Releases::from((0, 6, 0)),
    knows_diff_rejected: Releases::from((0, 6, 0)),
    reads_editor_name: Releases::from((0, 7, 0)),
    terminals: &[
        VS_CODE,
        Terminal {
            releases: Releases::from((0, 25, 0)),
            variable: "TERM_PROGRAM",
            value: Some(Value::Is("sublime")),
        },
        Terminal {
            releases: Releases::from((0, 27, 0)),
            variable: "TERMINAL_EMULATOR",
            value: Some(Value::Contains("jetbrains")),
        },
        Terminal {
            releases: Releases::from((0, 35, 0)),
            variable: "TERM_PROGRAM",
            value: Some(Value::Is("Zed")),
        },
        Terminal { releases: Releases::from((0, 35, 0)), variable: "ZED_SESSION_ID", value: None },
        Terminal { releases: Releases::from((0, 35, 0)), variable: "XCODE_VERSION_ACTUAL", value: None },
    ],
    own_files_only: Releases::from((0, 58, 0)),
    one_unreadable_ends: Releases::until((0, 58, 0)),
    takes_misfit: Releases::from((0, 58, 0)),
    hosts: &[
        (Releases::until((0, 9, 0)), Hosts::OneOf("localhost")),
        (Releases::between((0, 9, 0), (0, 27, 0)), Hosts::OneOf("127.0.0.1")),
        (Releases::from((0, 27, 0)), Hosts::UnlessSet(REMOTE)),
    ],
    unproxied: &[
        (Releases::until((0, 2, 0)), Unproxied::Everything),
        (Releases::between((0, 2, 0), (0, 9, 0)), Unproxied::Host("localhost")),
        (Releases::between((0, 9, 0), (0, 27, 0)), Unproxied::Host("127.0.0.1")),
        (Releases::from((0, 27, 0)), Unproxied::Dialled),
    ],
    ..FORK
};

/// Every release of Gemini CLI since 0.5.3 lists it.
pub(crate) const GEMINI_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp("gemini/ide"),
    name: "gemini-ide-server-{pid}-{port}.json",
    fields: Fields::Contract,
    readers: "Gemini CLI 0.5.3 and newer",
};

/// Read in 0.1.4, 0.5.0, 0.5.2, 0.10.1, 0.12.0, 0.15.6, 0.15.10, 0.21.2, 0.23.0 and 0.24.4.
pub(crate) const QWEN: Behaviour = Behaviour {
    known_to: Some((0, 24, 4)),
    connects: Releases::from((0, 0, 13)),
    lookups: &[
        Lookup::new(Releases::between((0, 5, 1), (0, 15, 10)), QWEN_LOCK_AT_HOME, How::Spelled)
            .unchecked(Releases::ALL),
        Lookup::new(Releases::from((0, 15, 10)), QWEN_LOCK, How::Spelled)
            .unchecked(Releases::until((0, 21, 0))),
        Lookup::new(Releases::from((0, 0, 13)), QWEN_PID_FILE, How::Spelled)
            .unchecked(Releases::until((0, 21, 0))),
        Lookup::new(Releases::between((0, 1, 3), (0, 5, 1)), QWEN_LISTED, How::ListedForPid),
        Lookup::new(Releases::from((0, 5, 1)), QWEN_PORT_FILE, How::Spelled)
            .unchecked(Releases::until((0, 21, 0))),
        Lookup {
            without_port_variable: Releases::until((0, 15, 0)),
            ..Lookup::new(Releases::between((0, 12, 0), (0, 15, 10)), QWEN_LOCK_AT_HOME, How::ListedByAge)
        },
        Lookup::new(Releases::from((0, 15, 10)), QWEN_LOCK, How::ListedByAge),
    ],
    pid_variable: Releases::NONE,
    token_variable: Releases::NONE,
    sends_token: Releases::from((0, 1, 0)),
    knows_diff_rejected: Releases::from((0, 1, 0)),
    reads_editor_name: Releases::from((0, 1, 3)),
    one_unreadable_ends: Releases::until((0, 5, 1)),
    needs_living_editor: Releases::from((0, 15, 0)),
    tries_others: Releases::from((0, 15, 0)),
    keeps_off_misfits: Releases::from((0, 21, 0)),
    hosts: &[
        (Releases::until((0, 12, 0)), Hosts::OneOf("127.0.0.1")),
        (Releases::from((0, 12, 0)), Hosts::BothInTurn),
    ],
    unproxied: &[
        (Releases::until((0, 12, 0)), Unproxied::Host("127.0.0.1")),
        (Releases::from((0, 12, 0)), Unproxied::Dialled),
    ],
    ..FORK
};

/// Read in the tags of its source: 0.1.14, 0.1.21, 0.2.2, 0.5.0, 0.6.0, 0.8.1, 0.9.0, 0.9.3, 0.10.0, and
/// 0.11.0 before its release.
pub(crate) const LLXPRT: Behaviour = Behaviour {
    known_to: Some((0, 11, 0)),
    connects: Releases::from((0, 1, 14)),
    lookups: &[
        Lookup::new(Releases::from((0, 9, 0)), LLXPRT_FILE, How::ListedForPid).unchecked(Releases::ALL),
        Lookup::new(Releases::from((0, 1, 21)), LLXPRT_PID_FILE, How::Spelled).unchecked(Releases::ALL),
    ],
    pid_variable: Releases::NONE,
    token_variable: Releases::from((0, 9, 0)),
    sends_token: Releases::from((0, 6, 0)),
    knows_diff_rejected: Releases::from((0, 9, 0)),
    reads_editor_name: Releases::from((0, 6, 0)),
    hosts: &[
        (Releases::until((0, 6, 0)), Hosts::OneOf("localhost")),
        (Releases::from((0, 6, 0)), Hosts::OneOf("127.0.0.1")),
    ],
    unproxied: &[
        (Releases::until((0, 1, 23)), Unproxied::Everything),
        (Releases::between((0, 1, 23), (0, 6, 0)), Unproxied::Host("localhost")),
        (Releases::from((0, 6, 0)), Unproxied::Host("127.0.0.1")),
    ],
    ..FORK
};

/// LLxprt Code lists it and takes the first one with its editor's PID.
pub(crate) const LLXPRT_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp("llxprt/ide"),
    name: "llxprt-ide-server-{pid}-{port}.json",
    fields: Fields::Contract,
    readers: "LLxprt Code 0.9.0 and newer",
};

/// Earlier releases of LLxprt Code know it; newer ones read it if they find no other.
pub(crate) const LLXPRT_PID_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp(""),
    name: "llxprt-ide-server-{pid}.json",
    fields: Fields::Contract,
    readers: "LLxprt Code 0.1.21 and newer",
};

/// The lock of Qwen Code.
pub(crate) const QWEN_LOCK: DiscoveryFile = DiscoveryFile {
    directory: Directory::Home {
        below_home: ".qwen/ide",
        base_variable: Some("QWEN_HOME"),
        below_base: "ide",
    },
    name: "{port}.lock",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.5.1 and newer",
};

/// The lock of the releases that read no variable.
const QWEN_LOCK_AT_HOME: DiscoveryFile = DiscoveryFile {
    directory: Directory::Home { below_home: ".qwen/ide", base_variable: None, below_base: "ide" },
    ..QWEN_LOCK
};

/// Qwen Code listed it while it still used the directory of Gemini CLI.
pub(crate) const QWEN_LISTED: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp("gemini/ide"),
    name: "qwen-code-ide-server-{pid}-{port}.json",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.1.3 to 0.5.0",
};

/// Every release of Qwen Code reads it, before the locks that it lists.
pub(crate) const QWEN_PID_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp(""),
    name: "qwen-code-ide-server-{pid}.json",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.0.13 and newer, without variables",
};

/// The same file, named by the port.
pub(crate) const QWEN_PORT_FILE: DiscoveryFile = DiscoveryFile {
    directory: Directory::Tmp(""),
    name: "qwen-code-ide-server-{port}.json",
    fields: Fields::WithParent,
    readers: "Qwen Code 0.5.1 and newer, with variables",
};
