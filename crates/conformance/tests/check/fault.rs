//! The faults: each breaks one rule, and is caught by the checks it names and by no others.

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

            /// The fault in words.
            pub(crate) fn what(self) -> &'static str {
                match self {
                    $(Self::$name => $what,)*
                }
            }

            /// The checks that fail then; all others pass.
            pub(crate) fn caught_by(self) -> &'static [&'static str] {
                match self {
                    $(Self::$name => &[$($id),*],)*
                }
            }
        }
    };
}

/// One broken rule.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Faults {
    /// The one fault, or the first of several.
    pub(crate) one: Option<Fault>,
    also: &'static [Fault],
}

impl Faults {
    pub(crate) fn has(self, fault: Fault) -> bool {
        self.one == Some(fault) || self.also.contains(&fault)
    }

    /// Several at once. Where two of them meet, each is asked for with [`has`](Self::has).
    pub(crate) fn all(faults: &'static [Fault]) -> Self {
        let (one, also) = faults.split_first().expect("a fault");
        Self { one: Some(*one), also }
    }
}

impl From<Option<Fault>> for Faults {
    fn from(one: Option<Fault>) -> Self {
        Self { one, also: &[] }
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
    FileIsHalf: "a file breaks off" => ["discovery.json"],
    DirectoryOpenToOthers: "the directory is 0755" => ["discovery.private-directory"],
    FileReadableByOthers: "the file is 0644" => ["discovery.private-file"],
    FileWrittenInPlace: "the file is written in place, in two steps" => ["discovery.atomic"],
    DeadPidInName: "the name holds a process that is gone" => ["discovery.pid-in-name"],
    WrongPortInName: "the name holds another port than the file" => ["discovery.port-in-name"],
    OverridingFile: "the file is there that overrides every other" => ["discovery.no-override"],
    PortAsText: "the port is a string" => ["discovery.port"],
    NullIdeInfo: "`ideInfo` is `null`" => ["discovery.ide-info", "discovery.no-null"],
    OnlyGeminiFile: "there is one file, for new Gemini CLIs" => ["discovery.gemini-old-file"],
    OnlyQwenLock: "there is a lock of Qwen Code only" => ["discovery.qwen-file", "discovery.qwen-old-file"],
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
    AnyOriginWelcome: "any web page is welcome" => ["access.foreign-origin", "access.local-origin"],
    LocalOriginWelcome: "web pages of this machine are welcome" => ["access.local-origin"],
    NullOriginWelcome: "the origin `null` is welcome" => ["access.local-origin"],
    AnyHostWelcome: "any `Host` is welcome" => ["access.foreign-host", "access.similar-host"],
    AnyPortWelcome: "our `Host` is welcome with any port" => ["access.similar-host"],
    HostThatBeginsLikeOurs: "a `Host` that begins with `localhost` is welcome" => ["access.similar-host"],
    ContainerHostRefused: "`host.docker.internal` is refused" => ["access.container"],
    LocalhostRefused: "`localhost` is refused" => ["access.host-names"],
    Ipv6HostRefused: "`[::1]` is refused" => ["access.ipv6-host"],
    NoTokenNeeded: "requests without a token are welcome"
        => ["access.before-body", "access.delete-token", "access.get-token", "access.no-token",
            "access.session-is-no-token"],
    NoTokenNeededAtFirst: "`initialize` needs no token" => ["access.before-body", "access.no-token"],
    AnyTokenWelcome: "any token is welcome"
        => ["access.almost-token", "access.get-token", "access.wrong-token"],
    NoTokenNeededForGet: "no GET needs a token" => ["access.get-token"],
    NoTokenNeededForDelete: "no DELETE needs a token" => ["access.delete-token"],
    NoTokenNeededInASession: "a session id is as good as a token" => ["access.session-is-no-token"],
    BeginningOfTheTokenWelcome: "the beginning of the token is as good as the token"
        => ["access.almost-token"],
    LongerTokenWelcome: "the token with something behind it is as good as the token"
        => ["access.almost-token"],
    TokenOfTheSameLengthWelcome: "any token of the right length is welcome"
        => ["access.almost-token", "access.wrong-token"],
    TokenWithoutSchemeWelcome: "the token alone is welcome, without `Bearer`" => ["access.scheme"],
    AnySchemeWelcome: "the token is welcome under any scheme" => ["access.scheme"],
    BodyReadBeforeTheToken: "the body is read before the token is looked at" => ["access.before-body"],
    // The protocol.
    ServerHasNoName: "it does not say what it is called" => ["protocol.initialize"],
    NotificationsAre200: "notifications are answered 200" => ["protocol.accepted"],
    NotificationsAre204: "notifications are answered 204" => ["protocol.accepted"],
    NotificationsHaveABody: "notifications are answered 202 with a body" => ["protocol.accepted-empty"],
    RepliesBeginWithAnEmptyEvent: "replies are streams that begin with an empty event"
        => ["streams.empty-events"],
    RepliesHaveEventIds: "replies are streams with event ids" => ["streams.event-ids"],
    UnknownNotificationsRefused: "an unknown notification is refused" => ["protocol.unknown-notification"],
    AnswersHaveNoType: "answers have no type" => ["protocol.answer-type"],
    BodiesMustComeAtOnce: "what of a request does not come at once is not waited for"
        => ["protocol.slow-body"],
    TextIdsBecomeNumbers: "an id that looks like a number becomes one in the reply" => ["protocol.ids"],
    OnlyTheNewestVersion: "it speaks the newest version of the protocol only" => ["protocol.versions"],
    OnlyTheOldestVersion: "it speaks a version only that every agent knows" => [],
    VersionRepeatedUnknown: "it agrees to any version of the protocol" => ["protocol.unknown-version"],
    UnknownVersionWelcome: "any version is welcome in the header" => ["protocol.version-header"],
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
    NoSessionNeeded: "requests of no session are welcome" => ["sessions.missing"],
    SessionIdsAreCounted: "sessions are counted" => ["sessions.id"],
    StaleSessionIs400: "an unknown session is answered 400" => ["sessions.stale", "sessions.stale-stream"],
    StaleSessionWelcome: "an unknown session is welcome"
        => ["sessions.delete", "sessions.stale", "sessions.stale-stream"],
    StaleStreamWelcome: "an unknown session may open a stream" => ["sessions.stale-stream"],
    DeleteNotAllowed: "DELETE is not allowed" => ["sessions.delete"],
    DeleteForgotten: "a session lives on after its DELETE" => ["sessions.delete"],
    DeleteEndsEverybody: "the DELETE of an agent without a stream ends all sessions"
        => ["sessions.delete-own"],
    OneAgentOnly: "while an agent is there no other can connect" => ["sessions.several"],
    OlderAgentsUnanswered: "an agent is answered until another joins" => ["sessions.several"],
    SessionsAreNeverFreed: "the session of an agent that is gone stays" => ["sessions.freed"],
    OneRequestAtATime: "while a request is read no other is served" => ["sessions.slow"],
    RepliesCross: "an agent is sent what another one with the same request id asked for"
        => ["sessions.equal-ids"],
    // The stream.
    StreamBeginsWithAnEmptyEvent: "it begins with an empty event" => ["streams.empty-events"],
    StreamHasARetryHint: "it has a hint when to try again" => ["streams.retry"],
    StreamHasEventIds: "its events have ids" => ["streams.event-ids"],
    KeepAliveIsAnEvent: "it is kept alive by empty events" => ["streams.empty-events"],
    NoKeepAlive: "it is not kept alive" => ["streams.keep-alive", "streams.sign-of-life"],
    KeepAliveIsRare: "it is kept alive, and more rarely than advised" => ["streams.sign-of-life"],
    InvalidNotification: "a notification is no valid JSON-RPC" => ["streams.messages"],
    StreamIsPlainText: "it says that it is plain text" => ["streams.opens"],
    OlderStreamHears: "outcomes go to the older of two streams" => ["streams.newest-hears"],
    EventsHaveTypes: "events have types of their own" => ["streams.messages"],
    RepliesGoToTheStreamToo: "replies are sent on the stream as well" => ["streams.no-replies"],
    OlderStreamWins: "a second stream is refused" => ["streams.newest"],
    OlderStreamStays: "the older stream stays" => ["streams.older-ends"],
    OlderStreamIsCut: "the older stream ends without a proper end" => ["streams.older-ends"],
    OutcomesLostBeforeAStream: "what is decided before there is a stream is lost"
        => ["diffs.decided-close", "streams.waits-for-first"],
    OutcomesLostBetweenStreams: "what is decided between two streams is lost" => ["streams.waits-across"],
    OutcomesLostWithTheirStream: "what is not confirmed when a stream drops is lost" => ["streams.receipt"],
    OutcomesInFlightAreLost: "what was written to a stream counts as heard" => ["streams.receipt"],
    OutcomesAreToldTwice: "every outcome is told twice" => ["diffs.once", "diffs.same-file"],
    ReceiptsIgnored: "what was confirmed is told again on the next stream"
        => ["streams.no-repeat", "streams.no-resumption"],
    SentAgainAtOnce: "what is told again does not wait for what the agent is just saying"
        => ["streams.not-too-soon"],
    ReplaysAfterLastEventId: "an agent that names an event is told everything again"
        => ["streams.no-resumption"],
    OutcomesHaveAnId: "outcomes are requests" => ["streams.messages"],
    DiffsCloseWithTheStream: "a dropped stream closes what is open" => ["diffs.outlive-stream"],
    // Context.
    NoContextAtFirst: "a stream does not begin with the context" => ["context.first"],
    NoContextUntilAChange: "a stream begins with the next change" => ["context.first"],
    ContextIsLate: "changes are told after 1.7 seconds" => ["context.prompt", "context.steady"],
    ContextOnlyAfterSilence: "changes are told only after the last of them" => ["context.steady"],
    EveryChangeAtOnce: "every change is told by itself" => ["context.debounce"],
    EqualContextsAreRepeated: "what is as it was is told again" => ["context.equal"],
    VirtualFilesAreTold: "documents that were never saved are told" => ["context.on-disk"],
    VanishedFilesStay: "files that are gone are told" => ["context.vanished"],
    ClosedFilesStay: "files that were closed are told" => ["context.closed"],
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
    TrustIsNull: "trust is `null`" => ["streams.no-null"],
    TrustIsText: "trust is a text" => ["context.shape"],
    ContextPathsAreAddresses: "files are URLs" => ["context.absolute", "context.first", "context.opened"],
    // Diffs.
    OpenDiffWaits: "`openDiff` is answered when the person has decided" => ["diffs.immediate"],
    OpenDiffSaysSomething: "`openDiff` is answered with a text" => ["diffs.empty-content"],
    OpenDiffHasNoContent: "`openDiff` is answered without `content`" => ["diffs.empty-content"],
    MissingArgumentsIgnored: "missing arguments are made up" => ["diffs.arguments"],
    RelativePathOpened: "a relative path is opened" => ["diffs.relative"],
    DirectoryOpened: "a directory is opened" => ["diffs.directory"],
    ErrorsSayNothing: "an error does not say why" => ["diffs.error-text"],
    PathsAreNormalised: "paths are tidied up" => ["diffs.echo"],
    PathsAreAscii: "paths lose what is not ASCII" => ["diffs.echo"],
    SecondProposalRefused: "a second proposal for a file is refused" => ["diffs.again"],
    SecondProposalIgnored: "a second proposal for a file is ignored" => ["diffs.again"],
    SecondProposalOpensAnother: "a second proposal for a file opens a second view" => ["diffs.again"],
    SecondProposalRejectsTheFirst: "a second proposal for a file is answered by a rejection of the first"
        => ["diffs.again"],
    OneDiffForEverybody: "a second agent's proposal replaces the first one's" => ["diffs.of-each-agent"],
    DiffsAreEverybodys: "any agent can close any diff" => ["diffs.of-each-agent"],
    OutcomesAreToldToEverybody: "outcomes are told to all agents" => ["diffs.own-outcome", "diffs.same-file"],
    ClosingLeavesTheView: "`closeDiff` leaves the view open" => ["diffs.close-view"],
    ClosingLosesEdits: "`closeDiff` is answered with the proposal, not with the edited text"
        => ["diffs.close-edits"],
    ClosedTextIsPlain: "`closeDiff` is answered with the plain text" => ["diffs.close-json"],
    ClosedTextIsMissing: "`closeDiff` is answered with nothing"
        => ["diffs.close-block", "diffs.decided-close"],
    ClosingRejects: "`closeDiff` tells of a rejection" => ["diffs.close-quiet"],
    ClosingRejectsUnlessSuppressed: "`closeDiff` tells of a rejection unless it is asked not to"
        => ["diffs.close-quiet"],
    ClosingTwiceFails: "a second `closeDiff` is an error" => ["diffs.close-twice"],
    ClosedTextForgotten: "a second `closeDiff` finds no diff" => ["diffs.close-twice"],
    UnknownDiffIsAnError: "`closeDiff` of an unknown diff is an error" => ["diffs.close-unknown"],
    UnknownDiffIsEmpty: "`closeDiff` of an unknown diff is answered with nothing" => ["diffs.close-unknown"],
    DecidedTextForgotten: "`closeDiff` knows nothing of what was decided and not yet heard"
        => ["diffs.decided-close"],
    AcceptedWithoutContent: "an acceptance has no content" => ["diffs.accepted"],
    AcceptLosesEdits: "an acceptance has the proposal, not the edited text" => ["diffs.edited"],
    LineEndsAreChanged: "line ends are changed" => ["diffs.exact"],
    FinalNewlineIsAdded: "a final newline is added" => ["diffs.exact"],
    ByteOrderMarkIsLost: "a byte-order mark is lost" => ["diffs.exact"],
    ControlCharactersAreLost: "control characters are lost" => ["diffs.exact"],
    AcceptWritesTheFile: "it writes the file itself" => ["diffs.target-untouched"],
    RejectedIsClosed: "a rejection is told by its older name" => ["diffs.rejected-name"],
    RejectedNamesNoFile: "a rejection does not say what was rejected" => ["diffs.rejected"],
    RejectedWithNull: "a rejection holds `null`" => ["streams.no-null"],
    ClosingTheViewSaysNothing: "closing the view tells nothing" => ["diffs.view-closed"],
    ClosingTheViewAccepts: "closing the view accepts" => ["diffs.view-closed"],
    // The end.
    PendingForgottenAtStop: "what waits is not rejected" => ["stop.rejects"],
    AbruptEnd: "streams are cut" => ["stop.streams-end"],
    StreamsOutliveTheStop: "streams stay" => ["stop.streams-end"],
    ServesAfterStop: "it goes on" => ["stop.server"],
    FilesLeftAtStop: "the files stay" => ["stop.files"],
}
