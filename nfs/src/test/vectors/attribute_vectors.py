#!/usr/bin/env python3
"""Writes attributes of files (fattr4 of NFSv4) as hexadecimal digits, with their values.

This is how nfs/src/test/resources/nfs4/attributes.txt was written:

    python3 nfs/src/test/vectors/attribute_vectors.py XDRDEF > nfs/src/test/resources/nfs4/attributes.txt

XDRDEF is the directory nfs4.1/xdrdef of pynfs, after its xdrgen made nfs4_pack.py from nfs4.x
there. Values are random, from a fixed seed. The packer of pynfs writes them. Lines:

    number NUMBER NAME            a number of an attribute in nfs4.x
    read HEX                      a fattr4 that a server sends
    set HEX                       a fattr4 that a client sends to set attributes
    value NAME VALUE              a value in the fattr4 above it; words and hypers are signed

nfs4.x does not have mode_umask (RFC 8275): the script packs its two words itself.
"""
import os
import random
import sys
from types import SimpleNamespace as Value

xdrdef = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(xdrdef))
sys.path.insert(0, xdrdef)
package = os.path.basename(xdrdef)
nfs4_pack = __import__(package + '.nfs4_pack', fromlist=['x'])
const = __import__(package + '.nfs4_const', fromlist=['x'])

draw = random.Random(8881)
PREFIX = 'FATTR4_'
NUMBERS = sorted((getattr(const, each), each[len(PREFIX):]) for each in dir(const)
                 if each.startswith(PREFIX))
MODE_UMASK = 81

BOOLS = '''link_support symlink_support named_attr unique_handles archive cansettime case_insensitive
    case_preserving chown_restricted hidden homogeneous no_trunc system xattr_support offline'''.split()
WORDS = '''fh_expire_type lease_time aclsupport maxlink maxname mode numlinks layout_blksize
    layout_alignment fs_charset_cap clone_blksize'''.split()
HYPERS = '''change size fileid files_avail files_free files_total maxfilesize maxread maxwrite
    quota_avail_hard quota_avail_soft quota_used space_avail space_free space_total space_used
    mounted_on_fileid retention_hold space_freed'''.split()
TIMES = '''time_access time_backup time_create time_delta time_metadata time_modify dir_notif_delay
    dirent_notif_delay time_deleg_access time_deleg_modify'''.split()
TEXTS = 'mimetype owner owner_group'.split()
BITMAPS = 'supported_attrs suppattr_exclcreat'.split()


def signed(number, bits):
    return number - (1 << bits) if number >> (bits - 1) else number


def word():
    return draw.getrandbits(draw.choice([3, 31, 32]))


def hyper():
    return draw.getrandbits(draw.choice([5, 33, 64]))


def time():
    value = Value(seconds=signed(hyper(), 64), nseconds=draw.randrange(10**9))
    return value, '%d:%d' % (value.seconds, value.nseconds)


def words(numbers):
    """Returns the words of a bitmap."""
    found = [0] * (max(numbers) // 32 + 1 if numbers else 0)
    for each in numbers:
        found[each // 32] |= 1 << each % 32
    return found


def bitmap(most):
    numbers = sorted(draw.sample(range(most), draw.randint(0, 12)))
    return words(numbers), '[%s]' % ' '.join(map(str, numbers))


def text():
    value = draw.choice([b'', b'0', b'root@example.org', 'stra\u00dfe@d\u00f6main'.encode(),
                         b'4294967294', draw.randbytes(7)])
    return value, value.hex() or '-'


def acl():
    aces, shown = [], []
    for _ in range(draw.randint(0, 5)):
        who = draw.choice([b'OWNER@', b'GROUP@', b'EVERYONE@', b'123', b'alice@example.org'])
        ace = Value(type=draw.randrange(4), flag=draw.getrandbits(8),
                    access_mask=draw.getrandbits(21), who=who)
        aces.append(ace)
        shown.append('%d/%d/%d/%s' % (ace.type, ace.flag, ace.access_mask, who.decode()))
    return aces, ','.join(shown) or '-'


def drawn(name):
    """Returns a value and its text."""
    if name in BOOLS:
        value = draw.random() < 0.5
        return value, str(value).lower()
    if name in WORDS:
        value = word()
        return value, signed(value, 32)
    if name in HYPERS:
        value = hyper()
        return value, signed(value, 64)
    if name in TIMES:
        return time()
    if name in TEXTS:
        return text()
    if name in BITMAPS:
        return bitmap(87)
    if name == 'filehandle':
        value = draw.randbytes(draw.randint(0, 128))
        return value, value.hex() or '-'
    if name == 'type':
        value = draw.randint(1, 9)
        return value, value
    if name == 'rdattr_error':
        value = draw.choice([const.NFS4_OK, const.NFS4ERR_STALE])
        return value, value
    if name == 'change_attr_type':
        value = draw.randrange(5)
        return value, value
    if name == 'fsid':
        value = Value(major=hyper(), minor=hyper())
        return value, '%d:%d' % (signed(value.major, 64), signed(value.minor, 64))
    if name == 'rawdev':
        value = Value(specdata1=word(), specdata2=word())
        return value, signed(value.specdata1 << 32 | value.specdata2, 64)
    if name == 'acl':
        return acl()
    if name == 'open_arguments':
        numbers = [1, 2, 3], [0, 1, 2, 3], [3, 4, 5, 17, 20, 21], list(range(7)), []
        parts = [(words(each), '[%s]' % ' '.join(map(str, each))) for each in numbers]
        fields = ['oa_share_access', 'oa_share_deny', 'oa_share_access_want', 'oa_open_claim',
                  'oa_create_mode']
        return Value(**{f: p[0] for f, p in zip(fields, parts)}), ','.join(p[1] for p in parts)
    return None


def settable(name):
    if name == 'mode':
        value = draw.getrandbits(12)
        return value, value
    if name in ('owner', 'owner_group'):
        value = draw.choice([b'0', b'alice@example.org', b'1000'])
        return value, value.hex()
    if name in ('time_access_set', 'time_modify_set'):
        if draw.random() < 0.4:
            return Value(set_it=const.SET_TO_SERVER_TIME4), 'server'
        value, shown = time()
        return Value(set_it=const.SET_TO_CLIENT_TIME4, time=value), shown
    if name == 'mode_umask':
        value = draw.getrandbits(12), draw.getrandbits(9)
        return value, '%d:%d' % value
    return drawn(name)


def packed(attributes):
    """Returns the bytes of (number, name, value) together."""
    inner = nfs4_pack.NFS4Packer()
    for number, name, value in attributes:
        if number == MODE_UMASK:
            inner.pack_uint(value[0])
            inner.pack_uint(value[1])
        else:
            getattr(inner, 'pack_fattr4_' + name)(value)
    outer = nfs4_pack.NFS4Packer()
    outer.pack_fattr4(Value(attrmask=words([each[0] for each in attributes]),
                            attr_vals=inner.get_buffer()))
    return outer.get_buffer().hex()


def show(kind, names, draw_one):
    attributes, lines = [], []
    for number, name in names:
        value, shown = draw_one(name)
        attributes.append((number, name, value))
        lines.append('value %s %s' % (name.upper(), shown))
    print(kind, packed(attributes))
    print(*lines, sep='\n')


for number, name in NUMBERS:
    print('number', number, name)
known = [(number, name.lower()) for number, name in NUMBERS]
readable = [each for each in known if drawn(each[1]) is not None]
for each in readable:
    show('read', [each], drawn)
for _ in range(60):
    show('read', sorted(draw.sample(readable, draw.randint(2, len(readable)))), drawn)
show('read', readable, drawn)
SETTABLE = ['size', 'acl', 'mode', 'owner', 'owner_group', 'time_access_set', 'time_modify_set']
sets = [each for each in known if each[1] in SETTABLE] + [(MODE_UMASK, 'mode_umask')]
for each in sets:
    show('set', [each], settable)
for _ in range(40):
    some = sorted(draw.sample(sets, draw.randint(2, len(sets))))
    if (33, 'mode') in some:
        some = [each for each in some if each[0] != MODE_UMASK]
    show('set', some, settable)


def path():
    return [draw.choice(['a', 'export', 'data 1', 'x' * 255]).encode()
            for _ in range(draw.randint(0, 3))]


def shown_path(names):
    return '/' + '/'.join(each.decode() for each in names)


def locations(_):
    """Returns fs_locations: the root, then for each location the servers and the path."""
    root, places, shown = path(), [], []
    for _ in range(draw.randint(0, 3)):
        hosts = [draw.choice([b'a.example.org', b'192.0.2.1', b'2001:db8::1'])
                 for _ in range(draw.randint(0, 2))]
        there = path()
        places.append(Value(server=hosts, rootpath=there))
        shown.append(b'+'.join(hosts).decode() + '@' + shown_path(there))
    value = Value(fs_root=root, locations=places)
    return value, ' '.join([shown_path(root), *shown])


# Behind all others, whose values stay as they were.
for _ in range(8):
    show('read', [(const.FATTR4_FS_LOCATIONS, 'fs_locations')], locations)
DELEGATED = [each for each in known if each[1].startswith('time_deleg_')]
others = [each for each in sets if not each[1].startswith('time_')]
for _ in range(8):
    show('set', sorted(draw.sample(DELEGATED, draw.randint(1, 2)) + draw.sample(others[:2], 1)), settable)
