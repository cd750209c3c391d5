//! A value that many states of the model hold: stored once, hashed once.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// An immutable value with its hash, cheap to clone, to compare and to hash. The hash is the same in every run, so that
/// the order of what is explored is, too.
#[derive(Debug)]
pub struct Shared<T> {
    value: Arc<T>,
    hash: u64,
}

impl<T: Hash> Shared<T> {
    /// Keeps a value.
    pub fn new(value: T) -> Self {
        Self {
            hash: hash_of(&value),
            value: Arc::new(value),
        }
    }
}

impl<T> Shared<T> {
    /// The value's hash.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

const SEED: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Multiplies and folds: most of an exploration is hashing, and nobody here chooses values that collide.
struct Folded(u64);

impl Hasher for Folded {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word) ^ (chunk.len() as u64) << 59);
        }
    }

    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(FACTOR);
        self.0 = (product as u64 ^ (product >> 64) as u64).rotate_left(23) ^ word;
    }

    fn write_u8(&mut self, byte: u8) {
        self.write_u64(u64::from(byte) | 1 << 32);
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}

/// A hash that is the same in every run.
pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = Folded(SEED);
    value.hash(&mut hasher);
    hasher.finish()
}

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        Self {
            value: Arc::clone(&self.value),
            hash: self.hash,
        }
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Shared<T> {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash && (Arc::ptr_eq(&self.value, &other.value) || self.value == other.value)
    }
}

impl<T: Eq> Eq for Shared<T> {}

impl<T> Hash for Shared<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash);
    }
}
