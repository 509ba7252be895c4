//! The demo's project, and the proposals of its agent.

use std::path::Path;

use anyhow::Context;

/// The files of the project at the start.
pub(super) const FILES: &[(&str, &str)] = &[("basket.py", BASKET), ("prices.csv", PRICES)];

/// The path of the file that a proposal creates.
pub(super) const NEW_FILE: &str = "NOTES.md";

/// The proposals in their order: several hunks, a new file, CRLF.
pub(super) const PROPOSALS: &[(&str, &str)] =
    &[("basket.py", BASKET_PROPOSED), (NEW_FILE, NOTES_PROPOSED), ("prices.csv", PRICES_PROPOSED)];

/// Writes the project.
pub(super) fn write(root: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(root).with_context(|| format!("cannot make {}", root.display()))?;
    FILES.iter().try_for_each(|(file, text)| write_file(&root.join(file), text))
}

pub(super) fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

const BASKET: &str = r#"class Basket:
    def __init__(self):
        self.items = []

    def add(self, item, price):
        self.items.append((item, price))

    def total(self):
        sum = 0
        for item, price in self.items:
            sum = sum + price
        return sum

    def remove(self, item):
        for entry in self.items:
            if entry[0] == item:
                self.items.remove(entry)

    def print(self):
        for item, price in self.items:
            print(item, price)
        print("total", self.total())
"#;

const BASKET_PROPOSED: &str = r#"class Basket:
    def __init__(self):
        self.items = []

    def add(self, item, price):
        if price < 0:
            raise ValueError("a price cannot be negative")
        self.items.append((item, price))

    def total(self):
        return sum(price for _, price in self.items)

    def remove(self, item):
        for entry in self.items:
            if entry[0] == item:
                self.items.remove(entry)

    def print(self):
        for item, price in self.items:
            print(f"{item:<20}{price:>8.2f}")
        print("total", self.total())
"#;

const NOTES_PROPOSED: &str = "# Basket\n\nA basket adds up prices. Prices are never negative.\n";

const PRICES: &str = "item,price\r\nbread,2.40\r\nmilk,1.10\r\n";

const PRICES_PROPOSED: &str = "item,price\r\nbread,2.60\r\nmilk,1.10\r\n";
