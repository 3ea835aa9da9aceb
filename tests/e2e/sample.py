"""The Python file that the workbench tests edit: one name, a call a line, to be changed in each."""

OLD, NEW = "fetch_rows", "load_records"
NAMES = "users orders items taxes rates".split()
BEFORE = "import storage\n\n" + "".join(
    f'{name} = storage.{OLD}(database, "{name}")\n' for name in NAMES
)

#: A size of the font at which the longest form of a hint surely fits into the window.
SMALL = {"editor.fontSize": 6}
