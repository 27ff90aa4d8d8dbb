//! The input, from the seed alone: the same keys, values and orders as in package `triebench`.
//!
//! The random numbers are those of ChaCha8 as Go has it in `math/rand/v2`, specified at
//! <https://c2sp.org/chacha8rand>; what is drawn from them, and how an order is, follows Go too.

use chacha8rand::ChaCha8Rand;

use crate::Bytes32;

/// A key and its value.
pub type Pair = (Bytes32, Bytes32);

/// Independent sequences of random numbers.
#[derive(Clone, Copy)]
pub enum Stream {
    /// The keys in the trie, with their values.
    Present = 1,
    /// Keys that are not in the trie.
    Absent,
    /// New values.
    Changed,
    Shuffled,
}

#[derive(Clone, Copy)]
pub struct Input {
    pub seed: u64,
}

impl Input {
    /// The first `count` keys of a stream, with their values.
    pub fn pairs(self, stream: Stream, count: usize) -> Vec<Pair> {
        let mut source = self.source(stream);
        let mut pair = || {
            let pair = (bytes32(&mut source), bytes32(&mut source));
            source.read_u64(); // a weight, for tries of sums
            pair
        };
        (0..count).map(|_| pair()).collect()
    }

    /// The numbers below `n` in random order.
    pub fn order(self, n: usize) -> Vec<usize> {
        let mut source = self.source(Stream::Shuffled);
        let mut numbers: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            numbers.swap(i, below(&mut source, i as u64 + 1) as usize);
        }
        numbers
    }

    fn source(self, stream: Stream) -> ChaCha8Rand {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&self.seed.to_le_bytes());
        key[31] = stream as u8;
        ChaCha8Rand::new(&key)
    }
}

fn bytes32(source: &mut ChaCha8Rand) -> Bytes32 {
    let mut bytes = [0; 32];
    for word in bytes.chunks_exact_mut(8) {
        word.copy_from_slice(&source.read_u64().to_le_bytes());
    }
    bytes
}

/// A number below `n`, each as likely: the high half of a product, drawn anew when it is among
/// those too many for an equal share.
fn below(source: &mut ChaCha8Rand, n: u64) -> u64 {
    if n.is_power_of_two() {
        return source.read_u64() & (n - 1);
    }
    loop {
        let product = u128::from(source.read_u64()) * u128::from(n);
        if product as u64 >= n.wrapping_neg() % n {
            return (product >> 64) as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_that_of_the_go_engines() {
        let input = Input { seed: 7 };
        let pairs = input.pairs(Stream::Present, 200);
        let first_bytes = |(key, value): Pair| {
            [key, value].map(|b| u64::from_be_bytes(b[..8].try_into().unwrap()))
        };
        assert_eq!(
            first_bytes(pairs[0]),
            [0x3e18964b166b2824, 0x8d1a6393716f5df6]
        );
        assert_eq!(
            first_bytes(pairs[199]),
            [0x869580c4ebec81ea, 0x7a0258300c5de92e]
        );
        assert_eq!(input.order(10), [5, 1, 3, 8, 7, 9, 2, 0, 4, 6]);
    }

    #[test]
    fn streams_and_seeds_differ() {
        let [one, two] = [1, 2].map(|seed| Input { seed });
        assert_ne!(one.pairs(Stream::Present, 1), two.pairs(Stream::Present, 1));
        assert_ne!(one.pairs(Stream::Present, 1), one.pairs(Stream::Absent, 1));
        assert_ne!(one.order(100), two.order(100));
    }
}
