//! `docs/model.md` and the pictures are those that are generated.

use std::fs;
use std::path::Path;

use model::document::document;
use model::gallery::pictures;

#[test]
fn the_document_and_its_pictures_are_what_is_generated() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let pictures = pictures().expect("each trace exists");
    let is = |path: &str, generated: &str| {
        let found = fs::read_to_string(docs.join(path)).unwrap_or_default();
        assert!(
            found == generated,
            "docs/{path} is stale: cargo run -p model --example traces"
        );
    };
    is("model.md", &document(&pictures));
    for picture in &pictures {
        is(&format!("traces/{}", picture.file), &picture.svg);
    }
    let files = fs::read_dir(docs.join("traces"))
        .expect("the pictures are there")
        .count();
    assert_eq!(files, pictures.len(), "a picture in docs/traces that is not generated");
}
