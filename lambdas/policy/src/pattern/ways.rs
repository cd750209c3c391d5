//! In how many ways a pattern can match the beginning of one value.
//!
//! An engine that backtracks tries each way before it refuses a value. Patterns come from people who mean well, values
//! come from anybody: so the number is bounded when the policy is loaded. It is an upper bound from the pattern's shape:
//! at each point only those ways count whose next character may follow, which makes the usual patterns come out small
//! (`[a-z]{1,20}(-[a-z]{1,20}){0,5}` has one way) and the dangerous ones huge (`(a|a){1,200}` has 2^200).

use super::Node;
use super::set::Set;

/// The upper bound for the whole pattern; it saturates.
pub(super) fn count(node: &Node) -> u64 {
    ways(node, Set::END)
}

/// The ways of the node whose next character is one of `follow`.
fn ways(node: &Node, follow: Set) -> u64 {
    match node {
        Node::One(_) => 1,
        Node::Sequence(nodes) => {
            let mut follow = follow;
            let mut product: u64 = 1;
            for node in nodes.iter().rev() {
                product = product.saturating_mul(ways(node, follow));
                follow = first_or(node, follow);
            }
            product
        }
        Node::Either(nodes) => {
            let each = nodes.iter().map(|node| ways(node, follow));
            let firsts: Vec<Set> = nodes.iter().map(|node| first_or(node, follow)).collect();
            let one_at_most = firsts
                .iter()
                .enumerate()
                .all(|(index, first)| firsts[index + 1..].iter().all(|other| first.is_disjoint(*other)));
            if one_at_most {
                each.max().unwrap_or(1)
            } else {
                each.fold(0, u64::saturating_add)
            }
        }
        Node::Repeat { node, min, max } => {
            let first = first(node);
            let once = ways(node, first.union(follow));
            if first.is_disjoint(follow) {
                // Going on and stopping ask for different characters: of two ways, none is the beginning of the other.
                once.saturating_pow(*max)
            } else {
                (*min..=*max).fold(0, |sum: u64, times| sum.saturating_add(once.saturating_pow(times)))
            }
        }
    }
}

/// What the node can begin with.
fn first(node: &Node) -> Set {
    match node {
        Node::One(set) => *set,
        Node::Sequence(nodes) => {
            let mut set = Set::NONE;
            for node in nodes {
                set = set.union(first(node));
                if !node.accepts_empty() {
                    break;
                }
            }
            set
        }
        Node::Either(nodes) => nodes.iter().fold(Set::NONE, |set, node| set.union(first(node))),
        Node::Repeat { node, .. } => first(node),
    }
}

/// What comes next where the node stands before `follow`.
fn first_or(node: &Node, follow: Set) -> Set {
    if node.accepts_empty() {
        first(node).union(follow)
    } else {
        first(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::parser::parse;

    #[test]
    fn usual_patterns_have_few_ways_and_dangerous_ones_many() {
        for (pattern, ways) in [
            ("[0-9]{10}|[0-9]{13}", 2),
            ("[a-z]{1,200}", 1),
            ("[a-z]{1,20}(-[a-z]{1,20}){0,5}", 1),
            ("(-?[0-9]){10}", 1),
            (".{1,100}@.{1,100}", 100),
            (".{0,60}-.{0,60}-.{0,60}", 61 * 61),
            ("a?a", 2),
            ("a{2,4}a", 3),
            ("(a|ab){1,3}", 8),
            ("(a|a){2,3}", 8),
            ("(a|b?)a", 2),
            ("(a|a){1,200}", u64::MAX),
            ("([a-z]{1,2}){1,100}", u64::MAX),
        ] {
            assert_eq!(count(&parse(pattern).unwrap()), ways, "{pattern}");
        }
    }
}
