//! Delta debugging: shortens the steps of a failure.

/// Drops as many steps as possible, as long as `fails` returns true for the remaining steps.
///
/// # Errors
///
/// Fails if `fails` does.
pub(crate) fn fewest<S: Clone, E>(
    steps: &[S],
    mut fails: impl FnMut(&[S]) -> Result<bool, E>,
) -> Result<Vec<S>, E> {
    let mut best = steps.to_vec();
    let mut size = best.len().div_ceil(2);
    while size > 0 {
        let mut start = 0;
        while start < best.len() {
            let mut shorter = best.clone();
            shorter.drain(start..(start + size).min(best.len()));
            if fails(&shorter)? {
                best = shorter;
            } else {
                start += size;
            }
        }
        size /= 2;
    }
    Ok(best)
}
