# Packs a directory into a ZIP archive. Names in the archive begin with the name of the directory. The directory of a wheel
# is packed without its name, and with a list of its files, which pip checks. The same content gives the same bytes.
# `cargo xtask dist` calls this script: zip.py DIRECTORY FILE SECONDS-SINCE-1970
import base64
import hashlib
import pathlib
import sys
import time
import zipfile

tree, file, epoch = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
date = time.gmtime(epoch)[:6]
info = next(tree.glob("*.dist-info"), None)
top = tree if info else tree.parent


def add(archive, name, content, mode):
    entry = zipfile.ZipInfo(str(name), date)
    # The type and mode of a Unix file. pip keeps the mode of programs.
    entry.external_attr = (0o100000 | mode) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, content, compresslevel=9)


# The metadata of a wheel comes last, as its specification recommends.
files = sorted((path for path in tree.rglob("*") if path.is_file()), key=lambda path: (info in path.parents, path))
lines = []
with zipfile.ZipFile(file, "w") as archive:
    for path in files:
        name, content = path.relative_to(top).as_posix(), path.read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}\n")
        add(archive, name, content, 0o755 if path.stat().st_mode & 0o100 else 0o644)
    if info:
        record = info.relative_to(top) / "RECORD"
        lines.append(f"{record},,\n")
        add(archive, record, "".join(lines), 0o644)
