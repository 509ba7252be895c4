//! The schedule of a round: the times at which troubles end.

/// The scheduled end of a trouble.
#[derive(Debug, Clone, Copy)]
pub(super) struct Due {
    /// The time of the end, in milliseconds of the round.
    pub(super) at: u64,
    /// The index of the trouble in the record.
    pub(super) trouble: usize,
}

#[derive(Debug, Default)]
pub(super) struct Timers {
    /// The companion starts again.
    pub(super) restart: Option<Due>,
    /// Another editor takes the companion over.
    pub(super) takeover: Option<Due>,
    /// The squatter releases its ports.
    pub(super) squatter_leaves: Option<Due>,
    /// The frozen companion runs again.
    pub(super) thaw: Option<u64>,
    /// The full disk becomes free.
    pub(super) disk_freed: Option<u64>,
}

impl Timers {
    /// Returns the earliest of these times.
    pub(super) fn next(&self) -> Option<u64> {
        let dues = [self.restart, self.takeover, self.squatter_leaves].map(|due| due.map(|due| due.at));
        dues.into_iter().chain([self.thaw, self.disk_freed]).flatten().min()
    }
}
