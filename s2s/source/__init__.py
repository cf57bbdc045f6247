"""The text of functions: finding it, proving that it is theirs, and placing errors in it.

- `find`: the syntax tree of a function (`source_of`); `match` proves that it is that of the function.
- `text`: where a node is, and the line that quotes its statement (`locate`).
"""
