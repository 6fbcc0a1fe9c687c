#!/usr/bin/env python3
"""Writes messages of NFSACL as hexadecimal digits.

This is how the files acl*.hex in nfs/src/test/resources/golden were written:

    python3 nfs/src/test/vectors/acl_vectors.py nfs/src/test/resources/golden

No RFC has the layouts. They are those of uapi/linux/nfsacl.h, of the tags in acl(5) of Linux, and of
RFC 1094 and RFC 1813 for handles and attributes.
"""
import struct
import sys

USER_OBJ, USER, GROUP_OBJ, GROUP, MASK, OTHER = 1, 2, 4, 8, 0x10, 0x20
DEFAULT = 0x1000


def words(*values):
    return struct.pack('>%dI' % len(values), *values)


def opaque(data):
    return words(len(data)) + data + bytes(-len(data) % 4)


def entries(listed, flag=0):
    return words(len(listed), len(listed)) + b''.join(
        words(tag | flag, id, permissions) for tag, id, permissions in listed)


HANDLE = opaque(bytes(range(1, 8)))
ACCESS = [(USER_OBJ, 1001, 7), (USER, 4242, 5), (GROUP_OBJ, 2001, 4), (GROUP, 4243, 2), (MASK, 0, 6),
          (OTHER, 0, 1)]
OF_MODE = [(USER_OBJ, 1001, 7), (GROUP_OBJ, 2001, 5), (MASK, 0, 5), (OTHER, 0, 0)]
ATTRIBUTES = (words(2, 0o761, 3, 1001, 2001) + struct.pack('>5Q', 4096, 8192, 0, 77, 88)
              + words(10, 11, 12, 13, 14, 15))
HANDLE2 = bytes(range(32))
ATTRIBUTES2 = words(2, 0o40761, 3, 1001, 2001, 4096, 4096, 0, 16, 77, 88, 10, 11, 12, 13, 14, 15)

MESSAGES = {
    'acl3-call-getacl': HANDLE + words(15),
    'acl3-call-setacl': HANDLE + words(5) + entries(ACCESS) + entries(OF_MODE, DEFAULT),
    'acl3-call-setacl-removes': HANDLE + words(5) + entries(OF_MODE) + entries([]),
    'acl3-reply-getacl': words(0, 1) + ATTRIBUTES + words(15) + entries(ACCESS)
                         + entries(OF_MODE, DEFAULT),
    'acl3-reply-getacl-counts': words(0, 1) + ATTRIBUTES + words(10, 6, 0, 4, 0),
    'acl3-reply-getacl-failed': words(10004, 0),
    'acl3-reply-setacl': words(0, 1) + ATTRIBUTES,
    'acl2-call-getacl': HANDLE2 + words(15),
    'acl2-call-setacl': HANDLE2 + words(5) + entries(ACCESS) + entries(OF_MODE, DEFAULT),
    'acl2-call-getattr': HANDLE2,
    'acl2-call-access': HANDLE2 + words(63),
    'acl2-reply-getacl': words(0) + ATTRIBUTES2 + words(15) + entries(ACCESS)
                         + entries(OF_MODE, DEFAULT),
    'acl2-reply-setacl': words(0) + ATTRIBUTES2,
    'acl2-reply-access': words(0) + ATTRIBUTES2 + words(31),
    'acl2-reply-failed': words(10004),
}

for name, message in MESSAGES.items():
    with open('%s/%s.hex' % (sys.argv[1], name), 'w') as out:
        out.write('; made by acl_vectors.py\n')
        for at in range(0, len(message), 32):
            out.write(message[at:at + 32].hex(' ', 4) + '\n')
