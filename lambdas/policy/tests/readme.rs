//! The README's table of the policy says what the code does.

use policy::limits::NUMBERS;

#[test]
fn readme_has_every_number_with_its_default_and_its_range() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    for number in NUMBERS {
        let field = format!("| `{}` |", number.field);
        let row = readme
            .lines()
            .find(|line| line.starts_with(&field))
            .unwrap_or_else(|| panic!("no row {field}"));
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        if let Some(default) = number.default {
            assert_eq!(cells[2], default.to_string(), "default of {field}");
        }
        let range = format!("{}-{}", number.min, number.max);
        assert!(
            cells[3].starts_with(&range),
            "{field} is allowed {range}, and the README says {}",
            cells[3]
        );
    }
}
