//! Values that an item may hold: any type, any content, and those that come near to a meaning.

use breaker::attribute::{Attribute, Attributes, Binary};
use breaker::clock::Timestamp;
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

/// Every attribute that the breaker reads or writes, the slices around [`crate::item::NOW`] and some that are none.
pub const NAMES: [&str; 26] = [
    "state",
    "epoch",
    "openUntil",
    "probeToken",
    "probeSuccesses",
    "openings",
    "failingUntil",
    "lastFailure",
    "changedAt",
    "expiresAt",
    "override",
    "overrideUntil",
    "overrideBy",
    "overrideReason",
    "w10000",
    "w9999",
    "w9990",
    "w9977",
    "w10010",
    "w1",
    "s10000",
    "s1",
    "w01",
    "w18446744073709551615",
    "w18446744073709551616",
    "wide",
];

/// A number as DynamoDB may print one, or as it never would.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        (0_u64..40).prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| number.to_string()),
        select(vec![
            "1000000000",
            "1000000001",
            "999999999",
            "18446744073709551614",
            "18446744073709551615"
        ])
        .prop_map(str::to_owned),
        "-?[0-9]{1,38}(\\.[0-9]{1,10})?([eE][+-]?[0-9]{1,3})?",
        "[0-9]{1,3}[eE]-?[0-9]{1,12}",
        "\\PC{0,12}",
    ]
}

/// A text: any, one that the protocol knows, or a time near the one of the tests.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        select(vec![
            "OPEN",
            "CLOSED",
            "DRY_RUN",
            "HALF_OPEN",
            "open",
            "",
            "me",
            "other"
        ])
        .prop_map(str::to_owned),
        (0_u64..2 * crate::item::NOW).prop_map(|ms| Timestamp::from_ms(ms).to_string()),
    ]
}

/// Any value of any type, three levels deep at most.
pub fn any_attribute() -> impl Strategy<Value = Attribute> {
    let bytes = || vec(any::<u8>(), 0..8).prop_map(Binary);
    let leaf = prop_oneof![
        4 => text().prop_map(Attribute::S),
        4 => number().prop_map(Attribute::N),
        1 => bytes().prop_map(Attribute::B),
        1 => any::<bool>().prop_map(Attribute::Bool),
        1 => any::<bool>().prop_map(Attribute::Null),
        1 => btree_set(text(), 1..4).prop_map(|set| Attribute::Ss(set.into_iter().collect())),
        // By value no two are the same, as DynamoDB demands of a set.
        1 => btree_set(any::<u32>(), 1..4).prop_map(|set| Attribute::Ns(set.iter().map(ToString::to_string).collect())),
        1 => btree_set(bytes(), 1..4).prop_map(|set| Attribute::Bs(set.into_iter().collect())),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Attribute::L),
            btree_map(any::<String>(), inner, 0..4).prop_map(Attribute::M),
        ]
    })
}

/// Any attributes, mostly under names that mean something.
pub fn any_attributes() -> impl Strategy<Value = Attributes> {
    let name = prop_oneof![
        8 => select(NAMES.to_vec()).prop_map(str::to_owned),
        1 => "[ws][0-9]{1,25}",
        1 => any::<String>(),
    ];
    btree_map(name, any_attribute(), 0..12)
}
