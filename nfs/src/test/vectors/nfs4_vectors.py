#!/usr/bin/env python3
"""Writes COMPOUNDs of NFSv4 as hexadecimal digits, with what a walk must find in them.

This is how nfs/src/test/resources/nfs4/vectors.txt was written:

    python3 nfs/src/test/vectors/nfs4_vectors.py XDRDEF > nfs/src/test/resources/nfs4/vectors.txt

XDRDEF is the directory nfs4.1/xdrdef of pynfs, after its xdrgen made nfs4_pack.py from nfs4.x
there. Values are random, from a fixed seed, by the definitions in nfs4.x. The packer of pynfs
writes them, so nothing here knows a layout. Every operation occurs with each arm of each of its
unions. A vector has these lines:

    call MINOR HEX, reply HEX, cbcall MINOR HEX, cbreply HEX
    op NUMBER NAME POSITION [STATUS]   an operation, and where it starts
    item OPERATION POSITION LENGTH     an eligible item, and where its data starts
    read OPERATION COUNT               a READ and its count, or a READLINK and a dash
    arms UNION=VALUE ...               the arms that its unions take
"""
import os
import random
import re
import sys
from types import SimpleNamespace

xdrdef = os.path.abspath(sys.argv[1])
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(xdrdef))
sys.path.insert(0, xdrdef)
package = os.path.basename(xdrdef)
nfs4_pack = __import__(package + '.nfs4_pack', fromlist=['x'])
const = __import__(package + '.nfs4_const', fromlist=['x'])

draw = random.Random(4)
turns = {}


def definitions(text):
    """Reads the typedefs, enumerations, structures and unions of a file in XDR."""
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'^\s*%.*$', ' ', text, flags=re.M)
    types = {}
    for name, body in re.findall(r'\benum\s+(\w+)\s*\{(.*?)\}', text, re.S):
        types[name] = ('enum', re.findall(r'(\w+)\s*=', body))
    for name, body in re.findall(r'\bstruct\s+(\w+)\s*\{(.*?)\}', text, re.S):
        types[name] = ('struct', [field(each) for each in body.split(';') if each.strip()])
    pattern = r'\bunion\s+(\w+)\s+switch\s*\(\s*(.*?)\s+(\w+)\s*\)\s*\{(.*?)\}'
    for name, kind, disc, body in re.findall(pattern, text, re.S):
        arms, other, labels = {}, None, []
        for token in re.findall(r'case\s+\w+\s*:|default\s*:|[^:;]+;', body):
            token = token.strip()
            if token.startswith('case'):
                labels.append(token[4:].strip(' :\n\t'))
            elif token.startswith('default'):
                labels.append(None)
            else:
                arm = field(token[:-1])
                for label in labels:
                    if label is None:
                        other = (arm,)
                    else:
                        arms[label] = arm
                labels = []
        types[name] = ('union', kind, disc, arms, other)
    for line in re.findall(r'\btypedef\s+([^;]+);', text):
        arm = field(line)
        types[arm[1]] = ('typedef', arm)
    return types


def field(text):
    """Reads a declaration: (type, name, form, size)."""
    text = ' '.join(text.split())
    if text == 'void':
        return None
    found = re.match(r'(unsigned int|unsigned hyper|unsigned|\w+) (\*?) ?(\w+) ?([<[]?)(\w*)[>\]]?$', text)
    kind, pointer, name, form, size = found.groups()
    return (kind, name, pointer or form, size)


types = definitions(open(os.path.join(xdrdef, 'nfs4.x')).read())
UNSIGNED = {'uint32_t': 32, 'unsigned int': 32, 'unsigned': 32, 'uint64_t': 64, 'unsigned hyper': 64}
SIGNED = {'int32_t': 32, 'int': 32, 'int64_t': 64, 'hyper': 64}


def number(name):
    return int(name, 0) if name[0].isdigit() else getattr(const, name)


class Values:
    """Draws values. Each union takes the arm that it took least often."""

    def __init__(self):
        self.taken = {}

    def of(self, kind):
        if kind in UNSIGNED:
            bits = UNSIGNED[kind]
            return draw.getrandbits(draw.choice([4, bits - 1, bits]))
        if kind in SIGNED:
            return draw.getrandbits(SIGNED[kind] - 1)
        if kind == 'bool':
            return draw.random() < 0.5
        what = types[kind]
        if what[0] == 'enum':
            return number(draw.choice(what[1]))
        if what[0] == 'typedef':
            return self.declared(what[1])
        if what[0] == 'struct':
            return SimpleNamespace(**{each[1]: self.declared(each) for each in what[1]})
        return self.union(kind, None)

    def discriminants(self, kind):
        """Returns one discriminant for each label, and one that has none if that is allowed."""
        _, disc_type, _, arms, other = types[kind]
        known = [number(label) for label in arms]
        if other:
            if disc_type == 'nfsstat4':
                known.append(const.NFS4ERR_ACCESS)
            else:
                named = types[disc_type][1] if types.get(disc_type, ('',))[0] == 'enum' else []
                rest = [number(each) for each in named]
                known += [each for each in rest + [99] if each not in known][:1]
        return known

    def union(self, kind, chosen):
        _, disc_type, disc, arms, other = types[kind]
        if chosen is None:
            options = self.discriminants(kind)
            draw.shuffle(options)
            chosen = min(options, key=lambda each: self.taken.get((kind, each), 0))
        self.taken[(kind, chosen)] = self.taken.get((kind, chosen), 0) + 1
        arm = next((arms[each] for each in arms if number(each) == chosen), (other or (None,))[0])
        value = {disc: bool(chosen) if disc_type == 'bool' else chosen}
        if arm:
            value[arm[1]] = self.declared(arm)
        return SimpleNamespace(**value)

    def declared(self, declaration):
        kind, _, form, size = declaration
        if form == '':
            return self.of(kind)
        if form == '*':
            return [self.of(kind)] if draw.random() < 0.6 else []
        most = number(size) if size else None
        if kind in ('opaque', 'string'):
            length = most if form == '[' else draw.randint(0, min(most or 33, 33))
            return draw.randbytes(length)
        return [self.of(kind) for _ in range(draw.randint(0, min(most or 3, 3)))]


def unions(kind, seen):
    """Returns the unions inside a type."""
    if kind not in types or kind in seen:
        return set()
    seen.add(kind)
    what = types[kind]
    inner = {'enum': [], 'typedef': what[1:2]}.get(what[0])
    found = set()
    if what[0] == 'struct':
        inner = what[1]
    elif what[0] == 'union':
        found.add(kind)
        inner = list(what[3].values()) + list(what[4] or ())
    for each in inner:
        if each:
            found |= unions(each[0], seen)
    return found


class Packer(nfs4_pack.NFS4Packer):
    """Packs, and notes the positions of operations and eligible items and the arms of unions."""

    def __init__(self):
        super().__init__(check_enum=False)
        self.starts, self.items, self.arms, self.eligible = [], [], set(), False

    def __getattr__(self, name):
        kind = name[len('filter_'):]
        if not name.startswith('filter_') or types.get(kind, ('',))[0] != 'union':
            raise AttributeError(name)
        return lambda data: self.note(kind, data)

    def note(self, kind, data):
        if re.match(r'nfs_(cb_)?(arg|res)op4$', kind):
            self.starts.append(len(self.get_buffer()))
        else:
            self.arms.add('%s=%d' % (kind, getattr(data, types[kind][2])))
        return data

    def item(self, data):
        self.items.append((len(self.starts) - 1, len(self.get_buffer()) + 4, len(data)))

    def pack_opaque(self, data):
        if self.eligible:
            self.item(data)
        super().pack_opaque(data)

    def pack_linktext4(self, data):
        self.item(data)
        super().pack_opaque(data)

    def pack_WRITE4args(self, data):
        self.eligible = True
        super().pack_WRITE4args(data)
        self.eligible = False

    def pack_READ4resok(self, data):
        self.eligible = True
        super().pack_READ4resok(data)
        self.eligible = False


def minor_version(op, is_callback):
    bounds = (4, 14) if is_callback else (39, 58)
    return 0 if op == number('OP_ILLEGAL') else sum(op > each for each in bounds)


def drawn(union, disc):
    """Returns (name, value) of every operation, until its unions took all of their arms."""
    drawn = []
    for label, arm in types[union][3].items():
        values = Values()
        wanted = set()
        fewest = 5 if label in ('OP_READ', 'OP_READLINK', 'OP_WRITE', 'OP_CREATE') else 2
        for kind in unions(arm[0], set()) if arm else ():
            wanted |= {(kind, each) for each in values.discriminants(kind)}
        for round in range(200):
            value = {disc: number(label)}
            if arm:
                value[arm[1]] = values.of(arm[0])
            drawn.append((label[len('OP_'):], SimpleNamespace(**value), arm))
            if round >= fewest and wanted <= set(values.taken):
                break
        else:
            sys.exit('%s never took %s' % (label, wanted - set(values.taken)))
    draw.shuffle(drawn)
    return drawn


def status(value, arm):
    """Returns the status of a result. A structure that holds it gets success and failure in turns."""
    result = getattr(value, arm[1])
    what = types[arm[0]]
    if what[0] == 'typedef':
        what = types[what[1][0]]
    if what[0] == 'union':
        return getattr(result, what[2])
    name = next(each[1] for each in what[1] if each[0] == 'nfsstat4')
    turns[arm[0]] = turns.get(arm[0], 0) + 1
    setattr(result, name, number('NFS4ERR_PERM') if turns[arm[0]] % 3 == 2 else 0)
    return getattr(result, name)


def show(word, packed, ops, statuses, reads):
    print(word, packed.get_buffer().hex())
    for index, (name, value, _) in enumerate(ops):
        op = getattr(const, 'OP_' + name)
        line = ['op', op, name, packed.starts[index]] + statuses[index:index + 1]
        print(*line)
    for each in packed.items:
        print('item', *each)
    for each in reads:
        print('read', *each)
    if packed.arms:
        print('arms', *sorted(packed.arms))


def calls(is_callback):
    prefix = 'cb_' if is_callback else ''
    all = drawn('nfs_%sargop4' % prefix, 'argop')
    while all:
        ops = [all.pop() for _ in range(min(len(all), draw.randint(1, 8)))]
        minor = max(minor_version(op.argop, is_callback) for _, op, _ in ops)
        packer = Packer()
        compound = SimpleNamespace(tag=draw.randbytes(draw.randint(0, 9)), minorversion=minor,
                                   callback_ident=draw.getrandbits(32), argarray=[op for _, op, _ in ops])
        getattr(packer, 'pack_%sCOMPOUND4args' % prefix.upper())(compound)
        reads = []
        for index, (name, op, _) in enumerate(ops):
            if name == 'READ':
                reads.append((index, op.opread.count))
            elif name == 'READLINK':
                reads.append((index, '-'))
        show('%scall %d' % (prefix.strip('_'), minor), packer, ops, [], reads)


def replies(is_callback):
    prefix = 'cb_' if is_callback else ''
    all = drawn('nfs_%sresop4' % prefix, 'resop')
    while all:
        ops, statuses = [], []
        for _ in range(min(len(all), draw.randint(1, 8))):
            ops.append(all.pop())
            statuses.append(status(ops[-1][1], ops[-1][2]))
            if statuses[-1]:
                break
        packer = Packer()
        compound = SimpleNamespace(tag=draw.randbytes(draw.randint(0, 9)), status=statuses[-1],
                                   resarray=[op for _, op, _ in ops])
        getattr(packer, 'pack_%sCOMPOUND4res' % prefix.upper())(compound)
        show('%sreply' % prefix.strip('_'), packer, ops, statuses, [])


for is_callback in (False, True):
    calls(is_callback)
    replies(is_callback)
