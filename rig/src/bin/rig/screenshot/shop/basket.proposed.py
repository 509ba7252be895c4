"""What a customer has put into the basket."""

from dataclasses import dataclass, field


@dataclass
class Basket:
    items: list = field(default_factory=list)
    currency: str = "EUR"

    def add(self, item, price):
        if price < 0:
            raise ValueError("below zero")
        self.items.append((item, price))

    def total(self):
        return sum(p for _, p in self.items)

    def remove(self, item):
        for entry in self.items:
            if entry[0] == item:
                self.items.remove(entry)
                return entry
        return None

    def cheapest(self):
        return min(self.items, key=lambda entry: entry[1])

    def dearest(self):
        return max(self.items, key=lambda entry: entry[1])

    def names(self):
        return [item for item, _ in self.items]

    def is_empty(self):
        return not self.items

    def receipt(self):
        # One aligned line each, and the sum.
        for item, price in self.items:
            print(f"{item:<20}{price:>8.2f}")
        print(f"{'':20}{self.total():>8.2f}")
