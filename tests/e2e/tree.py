"""What a folder tree holds, to tell whether and what a run wrote."""
import os
import pathlib
import stat


def snapshot(root):
    """{path: (inode, time of change in ns, size)} of every file and folder below `root`, itself included."""
    out = {}
    for folder, _, files in os.walk(root):
        for path in [folder, *(os.path.join(folder, f) for f in files)]:
            found = os.lstat(path)
            size = found.st_size if stat.S_ISREG(found.st_mode) else 0
            out[os.path.relpath(path, root)] = (found.st_ino, found.st_mtime_ns, size)
    return out


def files(root):
    """{path: os.stat_result} of the regular files below `root`."""
    return {str(p.relative_to(root)): p.stat() for p in pathlib.Path(root).rglob("*") if p.is_file() and not p.is_symlink()}


def bytes_written(before, after):
    """Bytes of files that are new, replaced or changed, between two results of files(). A hard link counts in full."""
    def same(path):
        a, b = before.get(path), after[path]
        return a is not None and (a.st_ino, a.st_mtime_ns, a.st_size) == (b.st_ino, b.st_mtime_ns, b.st_size)
    return sum(found.st_size for path, found in after.items() if not same(path))
