"""Watching a folder tree for its first change, or for the first file of a name, by inotify."""
import ctypes
import os
import select
import struct

_LIBC = ctypes.CDLL(None, use_errno=True)
_MODIFIED, _ATTRIBUTES, _MOVED_TO, _CREATED, _DELETED = 0x2, 0x4, 0x80, 0x100, 0x200
_HEADER = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows


class Watch:
    """Armed when made: no later change in a folder that is there now is missed. Folders made later are not watched."""

    def __init__(self, root):
        self.fd = _LIBC.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        for folder, _, _ in os.walk(root):
            if _LIBC.inotify_add_watch(self.fd, os.fsencode(folder), _MODIFIED | _ATTRIBUTES | _MOVED_TO | _CREATED | _DELETED) < 0:
                raise OSError(ctypes.get_errno(), "cannot watch", folder)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.fd)

    def wait_for(self, process, name=None):
        """Return at the first change, or at the first one of a file of this name; at the latest when `process` has ended."""
        while True:
            running = process.poll() is None
            if select.select([self.fd], [], [], 0.05 if running else 0)[0]:
                if name is None or name in self._names():
                    return
            elif not running:
                return

    def _names(self):
        events, at, names = os.read(self.fd, 1 << 16), 0, set()
        while at < len(events):
            _, _, _, length = _HEADER.unpack_from(events, at)
            at += _HEADER.size
            names.add(os.fsdecode(events[at:at + length].rstrip(b"\0")))
            at += length
        return names
