//! Delta debugging: the fewest steps of a failure.

/// Drops as many steps as possible while `fails` says that the rest still fails.
///
/// # Errors
/// The error of `fails`.
pub(crate) fn fewest<S: Clone, E>(
    steps: &[S],
    mut fails: impl FnMut(&[S]) -> Result<bool, E>,
) -> Result<Vec<S>, E> {
    let mut best = steps.to_vec();
    let mut size = best.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            let mut shorter = best.clone();
            shorter.drain(at..(at + size).min(best.len()));
            if fails(&shorter)? {
                best = shorter;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    Ok(best)
}
