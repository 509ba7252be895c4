"""What a customer has put into the basket."""

from dataclasses import dataclass, field


@dataclass
class Basket:
    items: list = field(default_factory=list)
    currency: str = "EUR"

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
        # One line for each item, and the sum.
        for item, price in self.items:
            print(item, price)
        print("total", self.total())
