//! Random numbers that are the same on every machine: SplitMix64.

/// A sequence of random numbers.
pub struct Random(u64);

impl Random {
    /// The sequence of the part `stream` of what `seed` makes.
    pub fn new(seed: u64, stream: u64) -> Random {
        let mut one = Random(seed);
        Random(one.bits() ^ stream.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `n`, which is far below 2^64.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_the_published_generator() {
        let mut random = Random(1_234_567);
        let found: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(
            found,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn streams_differ_and_numbers_stay_below() {
        let [mut one, mut other] = [Random::new(7, 0), Random::new(7, 1)];
        assert_ne!(one.bits(), other.bits());
        let mut seen = [false; 5];
        (0..200).for_each(|_| seen[one.below(5)] = true);
        assert_eq!(seen, [true; 5]);
    }
}
