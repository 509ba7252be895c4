//! Pairs lines of two texts in order, so that each line is beside the line that it became.

/// Returns the pairs of `old` lines and `new` lines with the greatest sum of likeness, in the order of both,
/// as 0-based indexes. Lines whose likeness is 0 make no pair. Time and memory grow with the product of both
/// counts.
pub fn best_pairs(old: usize, new: usize, likeness: impl Fn(usize, usize) -> usize) -> Vec<(usize, usize)> {
    let width = new + 1;
    // The best sum for the lines from here on.
    let mut best = vec![0_usize; (old + 1) * width];
    for o in (0..old).rev() {
        for n in (0..new).rev() {
            let (here, below) = (o * width + n, (o + 1) * width + n);
            let paired = match likeness(o, n) {
                0 => 0,
                likeness => likeness + best[below + 1],
            };
            best[here] = paired.max(best[below]).max(best[here + 1]);
        }
    }
    let (mut o, mut n, mut pairs) = (0, 0, Vec::new());
    while o < old && n < new {
        let (here, below) = (o * width + n, (o + 1) * width + n);
        if best[here] == best[below] {
            o += 1;
        } else if best[here] == best[here + 1] {
            n += 1;
        } else {
            pairs.push((o, n));
            (o, n) = (o + 1, n + 1);
        }
    }
    pairs
}
