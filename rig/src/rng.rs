//! A random-number generator without a crate: a seed must give the same numbers in every later version,
//! whatever the releases of libraries.

/// SplitMix64.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// Creates the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Draws a number below `end`, which must not be 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Draws an index below `end`, which must not be 0.
    pub fn index(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// Draws a number from `from` to `to`, inclusive.
    pub fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.below(to - from + 1)
    }

    /// Draws a bool that is true in `chance` of 100 cases.
    pub fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}
