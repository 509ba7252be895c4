//! The faults: each breaks one rule, and is caught by the checks it names and by no others.

use alongside_conformance::CLAUDE_CHECKS;
use alongside_contract::family::Transport;

/// Declares the faults, and for each one the rule it breaks and the checks that have to catch it.
macro_rules! faults {
    ($($name:ident: $what:literal => [$($id:literal),*],)*) => {
        /// A rule that the reference companion breaks on purpose.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Fault {
            $(#[doc = $what] $name,)*
        }

        impl Fault {
            /// Every one.
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the description of the fault.
            pub(crate) fn what(self) -> &'static str {
                match self {
                    $(Self::$name => $what,)*
                }
            }

            /// Returns the checks that fail then; all others pass.
            pub(crate) fn caught_by(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($id),*],)*
                }
            }
        }
    };
}

/// The faults of the companion: none, one, or several at once.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    /// The fault, if it is only one.
    pub(crate) single: Option<Fault>,
    also: &'static [Fault],
}

impl Faults {
    pub(crate) fn has(self, fault: Fault) -> bool {
        self.single == Some(fault) || self.also.contains(&fault)
    }

    /// Returns the transport of the dialect in which the faults appear.
    pub(crate) fn transport(self) -> Transport {
        let is_of_claude = |id: &&str| CLAUDE_CHECKS.iter().any(|check| check.id == *id);
        match self.single.and_then(|fault| fault.caught_by().first()).is_some_and(is_of_claude) {
            true => Transport::WebSocket,
            false => Transport::Http,
        }
    }

    /// Several at once. Where two of them meet, each is asked for with [`has`](Self::has).
    pub(crate) fn all(faults: Vec<Fault>) -> Self {
        Self { single: None, also: faults.leak() }
    }
}

impl From<Option<Fault>> for Faults {
    fn from(single: Option<Fault>) -> Self {
        Self { single, also: &[] }
    }
}

faults! {
    // Being found.
    NoGeminiFile: "there is no file where Gemini CLI looks" => ["discovery.gemini-file"],
    NoOldGeminiFile: "there is no file where early releases of Gemini CLI look"
        => ["discovery.gemini-old-file"],
    NoQwenLock: "there is no lock for Qwen Code" => ["discovery.qwen-lock"],
    NoQwenFile: "there is no file where the specification of Qwen Code says" => ["discovery.qwen-file"],
    NoOldQwenFile: "there is no file where early releases of Qwen Code look" => ["discovery.qwen-old-file"],
    FileOfAnotherUser: "a file belongs to another user" => ["discovery.owner"],
    FileIsHalf: "a file is cut off" => ["discovery.json"],
    DirectoryOpenToOthers: "the directory is 0755" => ["discovery.private-directory"],
    FileReadableByOthers: "the file is 0644" => ["discovery.private-file"],
    FileWrittenInPlace: "the file is written in place, in two steps" => ["discovery.atomic"],
    DeadPidInName: "the name holds a process that is gone" => ["discovery.pid-in-name"],
    WrongPortInName: "the name holds another port than the file" => ["discovery.port-in-name"],
    OverridingFile: "there is a file that overrides every other" => ["discovery.no-override"],
    PortAsText: "the port is a string" => ["discovery.port"],
    NullIdeInfo: "`ideInfo` is `null`" => ["discovery.ide-info", "discovery.no-null"],
    OnlyGeminiFile: "there is one file, for new Gemini CLIs" => ["discovery.gemini-old-file"],
    OnlyQwenLock: "there is only the lock of Qwen Code" => ["discovery.qwen-file", "discovery.qwen-old-file"],
    NoIdeInfo: "there is no `ideInfo`" => ["discovery.ide-info"],
    NoDisplayName: "`ideInfo` has no name for people" => ["discovery.ide-info"],
    NoTokenInFile: "there is no token in the file" => ["discovery.token"],
    ShortToken: "the token is `1234`" => ["discovery.token"],
    NoParentForQwen: "Qwen's files have no `ppid`" => ["discovery.ppid"],
    DeadParent: "Qwen's files name a process that is gone" => ["discovery.ppid"],
    RelativeRoot: "one root is relative" => ["discovery.workspace"],
    RootThatIsGone: "one root does not exist" => ["discovery.workspace"],
    RootsJoinedByComma: "roots are joined by a comma" => ["discovery.roots-follow", "discovery.workspace"],
    OnlyLiteralRoots: "a root that is a symbolic link is named by that only" => ["discovery.real-paths"],
    FoldersAreWrittenOnce: "the files stay as they were when folders change" => ["discovery.roots-follow"],
    // Access.
    ListensEverywhere: "it listens on every address" => ["access.loopback"],
    AnyOriginWelcome: "any `Origin` is accepted" => ["access.foreign-origin", "access.local-origin"],
    LocalOriginWelcome: "the `Origin` of a local page is accepted" => ["access.local-origin"],
    NullOriginWelcome: "the `Origin` `null` is accepted" => ["access.local-origin"],
    AnyHostWelcome: "any `Host` is accepted" => ["access.foreign-host", "access.similar-host"],
    AnyPortWelcome: "our `Host` is accepted with any port" => ["access.similar-host"],
    HostThatBeginsLikeOurs: "a `Host` that begins with `localhost` is accepted" => ["access.similar-host"],
    ContainerHostRefused: "`host.docker.internal` is refused" => ["access.container"],
    LocalhostRefused: "`localhost` is refused" => ["access.host-names"],
    Ipv6HostRefused: "`[::1]` is refused" => ["access.ipv6-host"],
    NoTokenNeeded: "requests without a token are accepted"
        => ["access.before-body", "access.delete-token", "access.get-token", "access.no-token",
            "access.session-is-no-token"],
    NoTokenNeededAtFirst: "`initialize` needs no token" => ["access.before-body", "access.no-token"],
    AnyTokenWelcome: "any token is accepted"
        => ["access.almost-token", "access.get-token", "access.wrong-token"],
    NoTokenNeededForGet: "no GET needs a token" => ["access.get-token"],
    NoTokenNeededForDelete: "no DELETE needs a token" => ["access.delete-token"],
    NoTokenNeededInASession: "a session id is accepted instead of a token" => ["access.session-is-no-token"],
    BeginningOfTheTokenWelcome: "the beginning of the token is accepted" => ["access.almost-token"],
    LongerTokenWelcome: "the token with more text after it is accepted" => ["access.almost-token"],
    TokenOfTheSameLengthWelcome: "any token of the right length is accepted"
        => ["access.almost-token", "access.wrong-token"],
    TokenWithoutSchemeWelcome: "the token is accepted without `Bearer`" => ["access.scheme"],
    AnySchemeWelcome: "the token is accepted under any scheme" => ["access.scheme"],
    BodyReadBeforeTheToken: "the body is read before the token is checked" => ["access.before-body"],
    // The protocol.
    ServerHasNoName: "`initialize` is answered without `serverInfo`" => ["protocol.initialize"],
    NotificationsAre200: "notifications are answered 200" => ["protocol.accepted"],
    NotificationsAre204: "notifications are answered 204" => ["protocol.accepted"],
    NotificationsHaveABody: "notifications are answered 202 with a body" => ["protocol.accepted-empty"],
    RepliesBeginWithAnEmptyEvent: "replies are streams that begin with an empty event"
        => ["streams.empty-events"],
    RepliesHaveEventIds: "replies are streams with event ids" => ["streams.event-ids"],
    UnknownNotificationsRefused: "an unknown notification is refused" => ["protocol.unknown-notification"],
    AnswersHaveNoType: "answers have no type" => ["protocol.answer-type"],
    BodiesMustComeAtOnce: "the rest of a body that comes in pieces is not read" => ["protocol.slow-body"],
    TextIdsBecomeNumbers: "an id that looks like a number becomes one in the reply" => ["protocol.ids"],
    OnlyTheNewestVersion: "it speaks only the newest version of the protocol" => ["protocol.versions"],
    OnlyTheOldestVersion: "it speaks only the oldest version, which every agent knows" => [],
    VersionRepeatedUnknown: "it agrees to any version of the protocol" => ["protocol.unknown-version"],
    UnknownVersionWelcome: "any version is accepted in the header" => ["protocol.version-header"],
    VersionHeaderNeeded: "requests without a version are refused" => ["protocol.no-version-header"],
    BatchRefused: "a batch is refused also where the version has them" => ["protocol.batch"],
    ToolsNotOffered: "`initialize` offers no tools" => ["protocol.capabilities"],
    CloseDiffNotListed: "`closeDiff` is not listed" => ["protocol.tools"],
    OpenDiffNotListed: "`openDiff` is not listed" => ["protocol.tools"],
    ToolsWithoutArguments: "tools are listed without their arguments" => ["protocol.schemas"],
    DiscoverAnswered: "`server/discover` is answered" => ["protocol.discover"],
    PingUnknown: "`ping` is unknown" => ["protocol.ping"],
    UnknownMethodsAnswered: "unknown methods are answered as if they were known"
        => ["protocol.unknown-method"],
    UnknownToolsAnswered: "unknown tools are answered as if they were known" => ["protocol.unknown-tool"],
    AnyJsonIsAMessage: "JSON that does not say which JSON-RPC it is counts as a message"
        => ["protocol.no-message"],
    RefusalsSayNothing: "a refusal does not say why" => ["protocol.error-body"],
    MalformedJsonIs500: "malformed JSON is an internal error" => ["protocol.malformed"],
    LoneSurrogateRefused: "half of a surrogate pair is malformed JSON" => ["diffs.surrogate"],
    OneMegabyteIsTooMuch: "a body of 1 MB is too much" => ["diffs.large", "diffs.megabyte"],
    TenMegabytesAreTooMuch: "a body of 10 MB is too much" => ["diffs.large"],
    // Several agents.
    NoSessionNeeded: "requests without a session are accepted" => ["sessions.missing"],
    SessionIdsAreCounted: "session ids are numbers that count up" => ["sessions.id"],
    StaleSessionIs400: "an unknown session is answered 400" => ["sessions.stale", "sessions.stale-stream"],
    StaleSessionWelcome: "requests of an unknown session are accepted"
        => ["sessions.delete", "sessions.stale", "sessions.stale-stream"],
    StaleStreamWelcome: "an unknown session may open a stream" => ["sessions.stale-stream"],
    DeleteNotAllowed: "DELETE is not allowed" => ["sessions.delete"],
    DeleteForgotten: "a session lives on after its DELETE" => ["sessions.delete"],
    DeleteEndsEverybody: "the DELETE of an agent without a stream ends all sessions"
        => ["sessions.delete-own"],
    OneAgentOnly: "only one agent at a time can connect" => ["sessions.several"],
    OlderAgentsUnanswered: "an agent is answered until another joins" => ["sessions.several"],
    SessionsAreNeverFreed: "the session of an agent that is gone stays" => ["sessions.freed"],
    OneRequestAtATime: "while a request is read no other is served" => ["sessions.slow"],
    RepliesCross: "an agent gets the reply to another agent's request with the same id"
        => ["sessions.equal-ids"],
    // The stream.
    StreamBeginsWithAnEmptyEvent: "it begins with an empty event" => ["streams.empty-events"],
    StreamHasARetryHint: "its events have a retry hint" => ["streams.retry"],
    StreamHasEventIds: "its events have ids" => ["streams.event-ids"],
    KeepAliveIsAnEvent: "it is kept alive by empty events" => ["streams.empty-events"],
    NoKeepAlive: "it is not kept alive" => ["streams.keep-alive", "streams.sign-of-life"],
    KeepAliveIsRare: "it is kept alive less often than advised" => ["streams.sign-of-life"],
    InvalidNotification: "a notification is no valid JSON-RPC" => ["streams.messages"],
    StreamIsPlainText: "its content type is plain text" => ["streams.opens"],
    OlderStreamHears: "outcomes go to the older of two streams" => ["streams.newest-hears"],
    EventsHaveTypes: "events have types of their own" => ["streams.messages"],
    RepliesGoToTheStreamToo: "replies are sent on the stream as well" => ["streams.no-replies"],
    OlderStreamWins: "a second stream is refused" => ["streams.newest"],
    OlderStreamStays: "the older stream stays" => ["streams.older-ends"],
    OlderStreamIsCut: "the older stream ends without a proper end" => ["streams.older-ends"],
    OutcomesLostBeforeAStream: "an outcome before the first stream is lost"
        => ["diffs.decided-close", "streams.waits-for-first"],
    OutcomesLostBetweenStreams: "an outcome between two streams is lost" => ["streams.waits-across"],
    OutcomesLostWithTheirStream: "an outcome without a receipt is lost with its stream"
        => ["streams.receipt"],
    OutcomesInFlightAreLost: "an outcome counts as received once it is written" => ["streams.receipt"],
    OutcomesAreToldTwice: "every outcome is sent twice" => ["diffs.once", "diffs.same-file"],
    ReceiptsIgnored: "an outcome with a receipt is sent again on the next stream"
        => ["streams.no-repeat", "streams.no-resumption"],
    SentAgainAtOnce: "an outcome is sent again while a request of the agent is read"
        => ["streams.not-too-soon"],
    ReplaysAfterLastEventId: "an agent that names an event gets every outcome again"
        => ["streams.no-resumption"],
    OutcomesHaveAnId: "outcomes are requests" => ["streams.messages"],
    DiffsCloseWithTheStream: "a dropped stream closes what is open" => ["diffs.outlive-stream"],
    // Context.
    NoContextAtFirst: "a stream does not begin with the context" => ["context.first"],
    NoContextUntilAChange: "a stream begins with the next change" => ["context.first"],
    ContextIsLate: "changes are sent after 1.7 seconds" => ["context.prompt", "context.steady"],
    ContextOnlyAfterSilence: "changes are sent only after the last of them" => ["context.steady"],
    EveryChangeAtOnce: "every change is sent by itself" => ["context.debounce"],
    EqualContextsAreRepeated: "an unchanged context is sent again" => ["context.equal"],
    VirtualFilesAreListed: "documents that were never saved are listed" => ["context.on-disk"],
    VanishedFilesStay: "deleted files are listed" => ["context.vanished"],
    ClosedFilesStay: "closed files are listed" => ["context.closed"],
    MoreThanTenFiles: "there is no limit to files" => ["context.few-files"],
    SelectionIsNotCut: "there is no limit to the selection" => ["context.short-selection"],
    SelectionIsCutByCharacters: "the selection is limited in characters, not in UTF-16 units"
        => ["context.short-selection"],
    SelectionIsCutInACharacter: "the selection is cut within a character" => ["context.short-selection"],
    NothingIsActive: "no file is active"
        => ["context.cursor", "context.focused", "context.one-active", "context.selection"],
    EveryFileIsActive: "every file is active" => ["context.one-active"],
    ActiveIsNotNewest: "the active file is not the newest" => ["context.active-newest", "context.focused"],
    NoTimestamps: "files have no timestamps" => ["context.timestamps"],
    TimestampsInSeconds: "timestamps are seconds"
        => ["context.active-newest", "context.focused", "context.timestamps"],
    TimestampsOfTomorrow: "timestamps lie in the future" => ["context.timestamps"],
    CursorFromZero: "lines and columns count from 0" => ["context.cursor"],
    ColumnsAreCharacters: "columns are counted in characters, not in UTF-16 units" => ["context.utf16"],
    CursorIsNull: "the cursor is `null` where there is none" => ["streams.no-null"],
    SelectionIsNull: "the selection is `null` where there is none" => ["streams.no-null"],
    TrustIsNull: "`isTrusted` is `null`" => ["streams.no-null"],
    TrustIsString: "`isTrusted` is a string" => ["context.shape"],
    ContextPathsAreUris: "files are URLs" => ["context.absolute", "context.first", "context.opened"],
    // Diffs.
    OpenDiffWaits: "`openDiff` is answered when the person has decided" => ["diffs.immediate"],
    OpenDiffSaysSomething: "`openDiff` is answered with a text" => ["diffs.empty-content"],
    OpenDiffHasNoContent: "`openDiff` is answered without `content`" => ["diffs.empty-content"],
    MissingArgumentsIgnored: "missing arguments get default values" => ["diffs.arguments"],
    RelativePathOpened: "a relative path is opened" => ["diffs.relative"],
    DirectoryOpened: "a directory is opened" => ["diffs.directory"],
    ErrorsSayNothing: "an error does not say why" => ["diffs.error-text"],
    PathsAreNormalised: "paths are normalised" => ["diffs.echo"],
    PathsAreAscii: "paths lose characters that are not ASCII" => ["diffs.echo"],
    SecondProposalRefused: "a second proposal for a file is refused" => ["diffs.again"],
    SecondProposalIgnored: "a second proposal for a file is ignored" => ["diffs.again"],
    SecondProposalOpensAnother: "a second proposal for a file opens a second view" => ["diffs.again"],
    SecondProposalRejectsTheFirst: "a second proposal for a file is answered by a rejection of the first"
        => ["diffs.again"],
    OneDiffForEverybody: "a second agent's proposal replaces the first one's" => ["diffs.of-each-agent"],
    DiffsAreEverybodys: "any agent can close any diff" => ["diffs.of-each-agent"],
    OutcomesAreToldToEverybody: "outcomes are sent to all agents" => ["diffs.own-outcome", "diffs.same-file"],
    ClosingLeavesTheView: "`closeDiff` leaves the view open" => ["diffs.close-view"],
    ClosingLosesEdits: "`closeDiff` is answered with the proposal, not with the edited text"
        => ["diffs.close-edits"],
    ClosedTextIsPlain: "`closeDiff` is answered with the plain text" => ["diffs.close-json"],
    ClosedTextIsMissing: "`closeDiff` is answered with empty content"
        => ["diffs.close-block", "diffs.decided-close"],
    ClosingRejects: "`closeDiff` sends a rejection" => ["diffs.close-quiet"],
    ClosingRejectsUnlessSuppressed: "`closeDiff` sends a rejection unless it is suppressed"
        => ["diffs.close-quiet"],
    ClosingTwiceFails: "a second `closeDiff` is an error" => ["diffs.close-twice"],
    ClosedTextForgotten: "a second `closeDiff` finds no diff" => ["diffs.close-twice"],
    UnknownDiffIsAnError: "`closeDiff` of an unknown diff is an error" => ["diffs.close-unknown"],
    UnknownDiffIsEmpty: "`closeDiff` of an unknown diff is answered with empty content"
        => ["diffs.close-unknown"],
    DecidedTextForgotten: "`closeDiff` does not return the text of an outcome that is not yet delivered"
        => ["diffs.decided-close"],
    AcceptedWithoutContent: "an acceptance has no content" => ["diffs.accepted"],
    AcceptLosesEdits: "an acceptance has the proposal, not the edited text" => ["diffs.edited"],
    LineEndsAreChanged: "line ends are changed" => ["diffs.exact"],
    FinalNewlineIsAdded: "a final newline is added" => ["diffs.exact"],
    ByteOrderMarkIsLost: "a byte-order mark is lost" => ["diffs.exact"],
    ControlCharactersAreLost: "control characters are lost" => ["diffs.exact"],
    AcceptWritesTheFile: "it writes the file itself" => ["diffs.target-untouched"],
    RejectedIsClosed: "a rejection has its older name" => ["diffs.rejected-name"],
    RejectedNamesNoFile: "a rejection does not say what was rejected" => ["diffs.rejected"],
    RejectedWithNull: "a rejection holds `null`" => ["streams.no-null"],
    ClosingTheViewSaysNothing: "closing the view sends nothing" => ["diffs.view-closed"],
    ClosingTheViewAccepts: "closing the view accepts" => ["diffs.view-closed"],
    // The end.
    PendingForgottenAtStop: "open diffs are not rejected" => ["stop.rejects"],
    AbruptEnd: "streams are cut" => ["stop.streams-end"],
    StreamsOutliveTheStop: "streams stay open" => ["stop.streams-end"],
    ServesAfterStop: "the server goes on" => ["stop.server"],
    FilesLeftAtStop: "the files stay" => ["stop.files"],
    // Claude Code: the lock file.
    NoLock: "there is no lock" => ["lock.place"],
    LockIsHalf: "the lock is cut off" => ["lock.json"],
    LockOfADeadProcess: "the lock names a process that is gone" => ["lock.pid"],
    LockWithARelativeFolder: "a folder of the lock is relative" => ["lock.folders"],
    LockWithoutName: "the lock names no editor" => ["lock.name"],
    LockForAnotherTransport: "the lock names another transport" => ["lock.transport"],
    LockWithAShortToken: "the token of the lock is `1234`" => ["lock.token"],
    LockReadableByOthers: "the lock is 0644" => ["lock.private-file"],
    LockDirectoryOpenToOthers: "the directory of locks is 0755" => ["lock.private-directory"],
    TwoLocks: "a second lock holds the project" => ["lock.only"],
    // Its WebSocket.
    WrongAccept: "the key is answered wrongly" => ["websocket.opens"],
    WebSocketNeedsNoToken: "a WebSocket needs no token" => ["websocket.no-token"],
    WebSocketTakesAnyToken: "a WebSocket opens with any token" => ["websocket.wrong-token"],
    WebSocketOfAPageWelcome: "a web page can open a WebSocket" => ["websocket.origin"],
    NoSubprotocol: "the subprotocol is not repeated" => ["websocket.subprotocol"],
    AgreesToCompression: "compression is agreed to" => ["websocket.no-compression"],
    ListensEverywhereForWebSockets: "WebSockets open on every address" => ["websocket.loopback"],
    // Its protocol.
    InventsAVersion: "`initialize` is answered with a version that there is not"
        => ["claude-protocol.initialize"],
    CloseTabNotListed: "`close_tab` is not listed" => ["claude-protocol.tools"],
    PingOverWebSocketUnknown: "`ping` is unknown over a WebSocket" => ["claude-protocol.ping"],
    AnyMethodOverWebSocket: "any method is answered over a WebSocket" => ["claude-protocol.unknown-method"],
    AnyToolOverWebSocket: "any tool is answered over a WebSocket" => ["claude-protocol.unknown-tool"],
    MalformedJsonEndsEverybody: "malformed JSON ends all WebSockets" => ["claude-protocol.malformed"],
    DiagnosticsAreLate: "diagnostics come after 1.2 seconds" => ["claude-protocol.diagnostics"],
    DiagnosticsAreNoList: "diagnostics are no JSON" => ["claude-protocol.diagnostics"],
    // Its context.
    SelectionsBeforeTheGreeting: "selections are told before the greeting" => ["claude-context.greeting"],
    FirstSelectionTooEarly: "the first selection is told at once" => ["claude-context.first"],
    SelectionsCountFromOne: "selections count from 1"
        => ["claude-context.cursor", "claude-context.selection"],
    CursorsAreNotEmpty: "a cursor is no empty selection" => ["claude-context.cursor"],
    SelectionsHaveNoText: "selections have no text" => ["claude-context.selection"],
    // Its diffs.
    OpenDiffDoesNotBlock: "`openDiff` over a WebSocket is answered at once" => ["claude-diffs.blocks"],
    SavedWithoutText: "an acceptance over a WebSocket has no text" => ["claude-diffs.accepted"],
    SavedWithoutEdits: "an acceptance over a WebSocket has the proposal, not the edited text"
        => ["claude-diffs.edited"],
    RejectedWithoutName: "a rejection over a WebSocket does not say what was rejected"
        => ["claude-diffs.rejected"],
    ClosedViewAnswersTabClosed: "closing the view is answered `TAB_CLOSED`" => ["claude-diffs.view-closed"],
    CloseTabTwiceFails: "a second `close_tab` is an error" => ["claude-diffs.close-tab"],
    CloseTabAnswersTheCall: "`close_tab` also answers `openDiff` with `TAB_CLOSED`"
        => ["claude-diffs.closed-call"],
    CloseTabLeavesTheView: "`close_tab` leaves the view open" => ["claude-diffs.close-view"],
    CloseAllDoesNotCount: "`closeAllDiffTabs` always counts 1" => ["claude-diffs.close-all"],
    CloseAllAccepts: "`closeAllDiffTabs` accepts what it closes" => ["claude-diffs.close-all"],
    CloseAllClosesEverybodys: "`closeAllDiffTabs` closes the diffs of all agents"
        => ["claude-diffs.own-tabs"],
    AnswersGoToEverybody: "a decision is answered to all agents" => ["claude-diffs.own-outcome"],
    // Its end.
    StopAccepts: "open diffs are accepted at the end" => ["claude-stop.undecided"],
    WebSocketsOutliveTheStop: "WebSockets stay open" => ["claude-stop.ends"],
    LockLeftAtStop: "the lock stays" => ["claude-stop.lock"],
}
