#!/usr/bin/env python3
"""Writes calls and replies of the programs beside NFSv4 as hexadecimal digits.

This is how nfs/src/test/resources/programs/vectors.txt was written:

    python3 nfs/src/test/vectors/program_vectors.py RPCSVC XDRDEF \\
        > nfs/src/test/resources/programs/vectors.txt

RPCSVC is the directory with nfs_prot.x, mount.x, nlm_prot.x and sm_inter.x of the package
rpcsvc-proto, and XDRDEF the directory nfs4.1/xdrdef of pynfs, which has nfs3.x and mnt3.x. Values are random, from a fixed seed, and as long as
the definitions in these files allow in one of three messages. The layout of every message comes from
the definitions, so nothing here knows a shape. A line is one message:

    call|reply PROGRAM VERSION PROCEDURE HEX [ITEM-POSITION ITEM-LENGTH]

The item is the data or the path that RFC 8267 makes eligible.
"""
import os
import random
import re
import struct
import sys

draw = random.Random(8267)

# The fields whose opaques are eligible (RFC 8267, Section 4), by structure.
ELIGIBLE = {
    ('writeargs', 'data'), ('readokres', 'data'), ('symlinkargs', 'to'), ('readlinkres', 'data'),
    ('WRITE3args', 'data'), ('READ3resok', 'data'), ('symlinkdata3', 'symlink_data'),
    ('READLINK3resok', 'data'),
}


def integer(word):
    octal = word[0] == '0' and word.isdigit()
    return int(word, 8 if octal else 0)


def strip(text):
    text = re.sub(r'/\*.*?\*/', ' ', text, flags=re.S)
    text = re.sub(r'(?m)^\s*#\s*(define|ifdef|ifndef|if|else|endif|include|pragma).*$', ' ', text)
    return re.sub(r'(?m)^\s*%.*$', ' ', text)


def field(text):
    text = ' '.join(text.split())
    text = re.sub(r'^(struct|enum|union) ', '', text)
    if text == 'void':
        return None
    found = re.match(r'(unsigned int|unsigned long|unsigned hyper|unsigned|\w+) ?(\*?) ?(\w+) ?([<[]?)(\w*)[>\]]?$', text)
    kind, pointer, name, form, size = found.groups()
    return (kind, name, pointer or form, size)


class Definitions:
    def __init__(self, text):
        # The file of pynfs names the arguments of FSINFO in two ways.
        text = strip(text).replace('FSINFO3args', 'FSINFOargs')
        self.consts = {n: integer(v) for n, v in re.findall(r'\bconst\s+(\w+)\s*=\s*(\w+)\s*;', text)}
        self.types = {}
        for name, body in re.findall(r'\benum\s+(\w+)\s*\{(.*?)\}', text, re.S):
            values = re.findall(r'(\w+)\s*=\s*(\w+)', body)
            self.consts.update((n, integer(v)) for n, v in values)
            self.types[name] = ('enum', [integer(v) for _, v in values])
        for name, body in re.findall(r'\bstruct\s+(\w+)\s*\{(.*?)\}', text, re.S):
            self.types[name] = ('struct', [field(e) for e in body.split(';') if e.strip()])
        union = r'\bunion\s+(\w+)\s+switch\s*\(\s*(.*?)\s+(\w+)\s*\)\s*\{(.*?)\}'
        for name, kind, _, body in re.findall(union, text, re.S):
            self.types[name] = ('union', kind, *self.arms(body))
        for line in re.findall(r'\btypedef\s+([^;]+);', text):
            arm = field(line)
            self.types.setdefault(arm[1], ('typedef', arm))
        self.programs = []
        version_block = r'\bversion\s+\w+\s*\{([^}]*)\}\s*=\s*(\w+)\s*;'
        program = r'\bprogram\s+\w+\s*\{((?:\s*version\s+\w+\s*\{[^}]*\}\s*=\s*\w+\s*;)+)\s*\}\s*=\s*(\d+)\s*;'
        for body, number in re.findall(program, text):
            for rows, version in re.findall(version_block, body):
                pattern = r'(?:struct\s+)?(\w+)\s+\w+\s*\(\s*(?:struct\s+)?(\w+(?:\s*,\s*\w+)*)\s*\)\s*=\s*(\d+)\s*;'
                for result, arguments, procedure in re.findall(pattern, rows):
                    self.programs.append((int(number), int(version), int(procedure), arguments, result))

    def arms(self, body):
        arms, other, labels = {}, None, []
        for token in re.findall(r'case\s+\w+\s*:|default\s*:|[^:;]+;', body):
            token = token.strip()
            if token.startswith('case'):
                labels.append(token[4:].strip(' :\n\t'))
            elif token.startswith('default'):
                labels.append(None)
            else:
                for label in labels:
                    if label is None:
                        other = (field(token[:-1]),)
                    else:
                        arms[label] = field(token[:-1])
                labels = []
        return arms, other

    def number(self, word):
        names = {'TRUE': 1, 'FALSE': 0, 'LM_MAXSTRLEN': 1024, 'MAXNAMELEN': 1025,
                 'MAXNETOBJ_SZ': 1024, **self.consts}
        return integer(word) if word[0].isdigit() else names[word]


class Packer:
    def __init__(self, definitions, size):
        self.of, self.size, self.out, self.item = definitions, size, b'', None

    def length(self, most, limit):
        most = min(most, limit)
        return {'short': 0 if draw.random() < 0.3 else min(most, 1), 'long': most,
                'random': draw.randint(0, most)}[self.size]

    def opaque(self, data, eligible):
        self.out += struct.pack('>I', len(data))
        if eligible:
            self.item = (len(self.out), len(data))
        self.out += data + bytes(-len(data) % 4)

    def value(self, kind, depth=0, owner=None, name=None):
        of = self.of.types.get(kind)
        if of is None:
            if kind in ('unsigned hyper', 'uint64', 'hyper', 'int64'):
                self.out += draw.randbytes(8)
            elif kind == 'bool':
                self.out += struct.pack('>I', draw.randint(0, 1))
            elif kind == 'netobj':
                self.opaque(draw.randbytes(self.length(1024, 300)), False)
            elif kind in ('int', 'unsigned', 'unsigned int', 'unsigned long', 'long', 'uint32', 'int32'):
                self.out += draw.randbytes(4)
            else:
                raise ValueError('no definition of ' + kind)
        elif of[0] == 'enum':
            self.out += struct.pack('>I', draw.choice(of[1]))
        elif of[0] == 'struct':
            for each in of[1]:
                self.declared(each, depth, kind)
        elif of[0] == 'typedef':
            self.declared(of[1], depth, owner, name)
        else:
            _, disc, arms, other = of
            labels = list(arms) + ([None] if other else [])
            # Success is worth most of the messages.
            label = labels[0] if draw.random() < 0.7 else draw.choice(labels)
            if label is None:
                known = {self.of.number(a) for a in arms}
                values = self.of.types.get(disc, ('enum', [0, 1]))[1]
                free = [v for v in values if v not in known] or [70]
                self.out += struct.pack('>I', draw.choice(free))
                arm = other[0]
            else:
                self.out += struct.pack('>I', self.of.number(label))
                arm = arms[label]
            if arm:
                self.declared(arm, depth, kind)

    def declared(self, declaration, depth, owner, outer=None):
        kind, name, form, size = declaration
        eligible = (owner, outer or name) in ELIGIBLE or (owner, name) in ELIGIBLE
        if kind in ('opaque', 'string'):
            most = self.of.number(size) if size else 300
            if form == '[':
                self.out += draw.randbytes(most) + bytes(-most % 4)
            else:
                self.opaque(draw.randbytes(self.length(most, 300)), eligible)
        elif form == '*':
            more = depth < 4 and draw.random() < 0.7
            self.out += struct.pack('>I', int(more))
            if more:
                self.value(kind, depth + 1)
        elif form == '[':
            for _ in range(self.of.number(size)):
                self.value(kind, depth)
        elif form == '<':
            count = self.length(self.of.number(size) if size else 5, 16)
            self.out += struct.pack('>I', count)
            for _ in range(count):
                self.value(kind, depth)
        else:
            self.value(kind, depth, owner, outer or name)


def write(path, keep):
    definitions = Definitions(open(path, encoding='latin1').read())
    for number, version, procedure, arguments, result in definitions.programs:
        if (number, version) not in keep:
            continue
        for what, kinds in (('call', arguments), ('reply', result)):
            for size in ('short', 'long', 'random', 'random', 'random'):
                packer = Packer(definitions, size)
                for kind in re.split(r'\s*,\s*', kinds):
                    if kind != 'void':
                        packer.value(kind)
                item = '' if packer.item is None else ' %d %d' % packer.item
                print(what, number, version, procedure, (packer.out.hex() or '-') + item)


rpcsvc, xdrdef = sys.argv[1:]
write(os.path.join(rpcsvc, 'nfs_prot.x'), {(100003, 2)})
write(os.path.join(xdrdef, 'nfs3.x'), {(100003, 3)})
write(os.path.join(rpcsvc, 'mount.x'), {(100005, 1)})
write(os.path.join(xdrdef, 'mnt3.x'), {(100005, 3)})
write(os.path.join(rpcsvc, 'nlm_prot.x'), {(100021, 1), (100021, 3)})
write(os.path.join(rpcsvc, 'sm_inter.x'), {(100024, 1)})
