//! The known designs are refuted by the same model.

use model::gallery::trace_of;
use model::refuted;

#[test]
fn each_known_design_breaks_a_law() {
    for design in &refuted::DESIGNS {
        assert!(trace_of(design).is_some(), "{} is not refuted", design.slug);
    }
}
