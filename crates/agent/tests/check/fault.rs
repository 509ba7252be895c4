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

            /// What is wrong with the companion then.
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

faults! {
    // Being found.
    NoGeminiFile: "there is no file where Gemini CLI looks" => [],
    NoQwenFiles: "there is no file where Qwen Code looks" => [],
    DirectoryOpenToOthers: "the directory is 0755" => [],
    FileReadableByOthers: "the file is 0644" => [],
    FileWrittenInPlace: "the file is written in place, in two steps" => [],
    DeadPidInName: "the name holds a process that is gone" => [],
    WrongPortInName: "the name holds another port than the file" => [],
    OverridingFile: "the file is there that overrides every other" => [],
    PortAsText: "the port is a string" => [],
    NullIdeInfo: "`ideInfo` is `null`" => [],
    NoIdeInfo: "there is no `ideInfo`" => [],
    NoDisplayName: "`ideInfo` has no name for people" => [],
    NoTokenInFile: "there is no token in the file" => [],
    ShortToken: "the token is `1234`" => [],
    NoParentForQwen: "Qwen's files have no `ppid`" => [],
    DeadParent: "Qwen's files name a process that is gone" => [],
    RelativeRoot: "one root is relative" => [],
    RootThatIsGone: "one root does not exist" => [],
    RootsJoinedByComma: "roots are joined by a comma" => [],
    OnlyLiteralRoots: "a root that is a symbolic link is named by that only" => [],
    FoldersAreWrittenOnce: "the files stay as they were when folders change" => [],
    // Who may talk to it.
    ListensEverywhere: "it listens on every address" => [],
    AnyOriginWelcome: "any web page is welcome" => [],
    LocalOriginWelcome: "web pages of this machine are welcome" => [],
    NullOriginWelcome: "the origin `null` is welcome" => [],
    AnyHostWelcome: "any `Host` is welcome" => [],
    AnyPortWelcome: "our `Host` is welcome with any port" => [],
    HostThatBeginsLikeOurs: "a `Host` that begins with `localhost` is welcome" => [],
    ContainerHostRefused: "`host.docker.internal` is refused" => [],
    LocalhostRefused: "`localhost` is refused" => [],
    Ipv6HostRefused: "`[::1]` is refused" => [],
    NoTokenNeeded: "requests without a token are welcome" => [],
    AnyTokenWelcome: "any token is welcome" => [],
    NoTokenNeededForGet: "no GET needs a token" => [],
    NoTokenNeededForDelete: "no DELETE needs a token" => [],
    NoTokenNeededInASession: "a session id is as good as a token" => [],
    BeginningOfTheTokenWelcome: "the beginning of the token is as good as the token" => [],
    LongerTokenWelcome: "the token with something behind it is as good as the token" => [],
    TokenOfTheSameLengthWelcome: "any token of the right length is welcome" => [],
    TokenWithoutSchemeWelcome: "the token alone is welcome, without `Bearer`" => [],
    AnySchemeWelcome: "the token is welcome under any scheme" => [],
    TokenInTheAddressWelcome: "the token may stand in the address" => [],
    BodyReadBeforeTheToken: "the body is read before the token is looked at" => [],
    // The protocol.
    NotificationsAre200: "notifications are answered 200" => [],
    NotificationsAre204: "notifications are answered 204" => [],
    NotificationsHaveABody: "notifications are answered 202 with a body" => [],
    RepliesBeginWithAnEmptyEvent: "replies are streams that begin with an empty event" => [],
    RepliesHaveEventIds: "replies are streams with event ids" => [],
    RequestIdsBecomeText: "the id in a reply is always a string" => [],
    OnlyTheNewestVersion: "it speaks the newest version of the protocol only" => [],
    VersionRepeatedUnknown: "it agrees to any version of the protocol" => [],
    UnknownVersionWelcome: "any version is welcome in the header" => [],
    VersionHeaderNeeded: "requests without a version are refused" => [],
    BatchRefused: "a batch is refused also where the version has them" => [],
    ToolsNotOffered: "`initialize` offers no tools" => [],
    CloseDiffNotListed: "`closeDiff` is not listed" => [],
    OpenDiffNotListed: "`openDiff` is not listed" => [],
    ToolsWithoutArguments: "tools are listed without their arguments" => [],
    DiscoverAnswered: "`server/discover` is answered" => [],
    PingUnknown: "`ping` is unknown" => [],
    UnknownMethodsAnswered: "unknown methods are answered as if they were known" => [],
    MalformedJsonIs500: "malformed JSON is an internal error" => [],
    LoneSurrogateRefused: "half of a surrogate pair is malformed JSON" => [],
    OneMegabyteIsTooMuch: "a body of 1 MB is too much" => [],
    TenMegabytesAreTooMuch: "a body of 10 MB is too much" => [],
    // Several agents.
    NoSessionNeeded: "requests of no session are welcome" => [],
    SessionIdsAreCounted: "sessions are counted" => [],
    OneSessionForAll: "all agents have one session" => [],
    StaleSessionIs400: "an unknown session is answered 400" => [],
    StaleSessionWelcome: "an unknown session is welcome" => [],
    StaleStreamWelcome: "an unknown session may open a stream" => [],
    DeleteNotAllowed: "DELETE is not allowed" => [],
    DeleteForgotten: "a session lives on after its DELETE" => [],
    DeleteEndsEverybody: "a DELETE ends all sessions" => [],
    RepliesCross: "an agent is sent what another one with the same request id asked for" => [],
    // The stream.
    StreamBeginsWithAnEmptyEvent: "it begins with an empty event" => [],
    StreamHasARetryHint: "it has a hint when to try again" => [],
    StreamHasEventIds: "its events have ids" => [],
    KeepAliveIsAnEvent: "it is kept alive by empty events" => [],
    NoKeepAlive: "it is not kept alive" => [],
    InvalidNotification: "a notification is no valid JSON-RPC" => [],
    OlderStreamWins: "a second stream is refused" => [],
    OlderStreamStays: "the older stream stays" => [],
    OlderStreamIsCut: "the older stream ends without a proper end" => [],
    OutcomesLostWithoutAStream: "what is decided while there is no stream is lost" => [],
    OutcomesLostAcrossACut: "what is not confirmed when a stream drops is lost" => [],
    OutcomesInFlightAreLost: "what was written to a stream counts as heard" => [],
    OutcomesAreToldTwice: "every outcome is told twice" => [],
    ReceiptsIgnored: "what was confirmed is told again on the next stream" => [],
    SentAgainAtOnce: "what is told again does not wait for what the agent is just saying" => [],
    ReplaysAfterLastEventId: "an agent that names an event is told everything again" => [],
    OutcomesHaveAnId: "outcomes are requests" => [],
    DiffsCloseWithTheStream: "a dropped stream closes what is open" => [],
    // Context.
    NoContextAtFirst: "a stream does not begin with the context" => [],
    ContextIsLate: "changes are told after two seconds" => [],
    ContextOnlyAfterSilence: "changes are told only after the last of them" => [],
    EveryChangeAtOnce: "every change is told by itself" => [],
    EqualContextsAreRepeated: "what is as it was is told again" => [],
    VirtualFilesAreTold: "documents that were never saved are told" => [],
    MoreThanTenFiles: "there is no limit to files" => [],
    SelectionIsNotCut: "there is no limit to the selection" => [],
    SelectionIsCutByCharacters: "the selection is limited in characters, not in UTF-16 units" => [],
    NothingIsActive: "no file is active" => [],
    EveryFileIsActive: "every file is active" => [],
    ActiveIsNotNewest: "the active file is not the newest" => [],
    NoTimestamps: "files have no timestamps" => [],
    TimestampsInSeconds: "timestamps are seconds" => [],
    CursorFromZero: "lines and columns count from 0" => [],
    CursorIsNull: "the cursor is `null` where there is none" => [],
    SelectionIsNull: "the selection is `null` where there is none" => [],
    TrustIsNull: "trust is `null`" => [],
    ContextPathsAreAddresses: "files are URLs" => [],
    // Diffs.
    OpenDiffWaits: "`openDiff` is answered when the person has decided" => [],
    OpenDiffSaysSomething: "`openDiff` is answered with a text" => [],
    OpenDiffHasNoContent: "`openDiff` is answered without `content`" => [],
    MissingArgumentsIgnored: "missing arguments are made up" => [],
    RelativePathOpened: "a relative path is opened" => [],
    DirectoryOpened: "a directory is opened" => [],
    PathsAreNormalised: "paths are tidied up" => [],
    PathsAreAscii: "paths lose what is not ASCII" => [],
    SecondProposalRefused: "a second proposal for a file is refused" => [],
    SecondProposalIgnored: "a second proposal for a file is ignored" => [],
    SecondProposalOpensAnother: "a second proposal for a file opens a second view" => [],
    SecondProposalRejectsTheFirst: "a second proposal for a file is answered by a rejection of the first" => [],
    OneDiffForEverybody: "a second agent's proposal replaces the first one's" => [],
    DiffsAreEverybodys: "any agent can close any diff" => [],
    OutcomesAreToldToEverybody: "outcomes are told to all agents" => [],
    ClosingLeavesTheView: "`closeDiff` leaves the view open" => [],
    ClosingLosesEdits: "`closeDiff` is answered with the proposal, not with the edited text" => [],
    ClosedTextIsPlain: "`closeDiff` is answered with the plain text" => [],
    ClosedTextIsMissing: "`closeDiff` is answered with nothing" => [],
    ClosingRejects: "`closeDiff` tells of a rejection" => [],
    ClosingRejectsUnlessSuppressed: "`closeDiff` tells of a rejection unless it is asked not to" => [],
    ClosingTwiceFails: "a second `closeDiff` is an error" => [],
    UnknownDiffIsAnError: "`closeDiff` of an unknown diff is an error" => [],
    UnknownDiffIsEmpty: "`closeDiff` of an unknown diff is answered with nothing" => [],
    DecidedTextForgotten: "`closeDiff` knows nothing of what was decided and not yet heard" => [],
    AcceptedWithoutContent: "an acceptance has no content" => [],
    AcceptLosesEdits: "an acceptance has the proposal, not the edited text" => [],
    LineEndsAreChanged: "line ends are changed" => [],
    FinalNewlineIsAdded: "a final newline is added" => [],
    ByteOrderMarkIsLost: "a byte-order mark is lost" => [],
    AcceptWritesTheFile: "it writes the file itself" => [],
    RejectedIsClosed: "a rejection is told by a name that newer agents do not know" => [],
    RejectedWithNull: "a rejection holds `null`" => [],
    ClosingTheViewSaysNothing: "closing the view tells nothing" => [],
    ClosingTheViewAccepts: "closing the view accepts" => [],
    // The end.
    PendingForgottenAtStop: "what waits is not rejected" => [],
    AbruptEnd: "streams are cut" => [],
    StreamsOutliveTheStop: "streams stay" => [],
    ServesAfterStop: "it goes on" => [],
    FilesLeftAtStop: "the files stay" => [],
    FilesGoBeforeTheStreams: "the files go long before the streams" => [],
}
