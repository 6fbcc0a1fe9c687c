package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * The arguments of the operations on names in directories, and on symbolic links (RFC 8881, Section
 * 18). FileNames are as received: see {@link FileNames#status}.
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface NameArguments extends Arguments {
    /**
     * CREATE (RFC 8881, Section 18.4): a file of any type but a regular one.
     *
     * <pre>
     *   createtype4 | name | fattr4
     * </pre>
     */
    record Create(NewFile file, FileName name, EncodedAttributes attributes)
            implements NameArguments {
        static Create decode(XdrReader in) throws XdrException {
            return new Create(
                    NewFile.decode(in), FileNames.decode(in), EncodedAttributes.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.CREATE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            file.encode(out);
            attributes.encode(name.encode(out));
        }
    }

    /**
     * What CREATE creates: {@code createtype4}.
     *
     * <pre>
     *   type(32) | 3 NF4BLK or 4 NF4CHR: specdata1(32) specdata2(32)
     *            | 5 NF4LNK: linkdata, a bulk item
     *            | else:
     * </pre>
     */
    sealed interface NewFile {
        /** A directory. */
        record Directory() implements NewFile {}

        /** A symbolic link. */
        record SymbolicLink(PathName text) implements NewFile {}

        /**
         * A block device.
         *
         * @param device the major number in the upper 32 bits, the minor number in the lower ones
         */
        record BlockDevice(long device) implements NewFile {}

        /**
         * A character device.
         *
         * @param device as of a block device
         */
        record CharacterDevice(long device) implements NewFile {}

        /** A socket. */
        record Socket() implements NewFile {}

        /** A FIFO. */
        record Fifo() implements NewFile {}

        /**
         * A type that CREATE does not create: the server answers BADTYPE.
         *
         * @param type {@code nfs_ftype4}, or an unknown number
         */
        record Other(int type) implements NewFile {}

        private static NewFile decode(XdrReader in) throws XdrException {
            int number = in.uint32();
            if (number < 1 || number > FileType.values().length) {
                return new Other(number);
            }
            return switch (FileType.values()[number - 1]) {
                case REGULAR -> new Other(number);
                case DIRECTORY -> new Directory();
                case BLOCK_DEVICE -> new BlockDevice(in.uint64());
                case CHARACTER_DEVICE -> new CharacterDevice(in.uint64());
                case SYMBOLIC_LINK -> new SymbolicLink(new PathName(in.bulk(FileNames.BYTES_MAX)));
                case SOCKET -> new Socket();
                case FIFO -> new Fifo();
            };
        }

        private void encode(XdrWriter out) {
            switch (this) {
                case Directory() -> out.uint32(FileType.DIRECTORY.number());
                case SymbolicLink(var text) ->
                        out.uint32(FileType.SYMBOLIC_LINK.number()).bulk(text.segment());
                case BlockDevice(var device) ->
                        out.uint32(FileType.BLOCK_DEVICE.number()).uint64(device);
                case CharacterDevice(var device) ->
                        out.uint32(FileType.CHARACTER_DEVICE.number()).uint64(device);
                case Socket() -> out.uint32(FileType.SOCKET.number());
                case Fifo() -> out.uint32(FileType.FIFO.number());
                case Other(var type) -> out.uint32(type);
            }
        }
    }

    /**
     * REMOVE (RFC 8881, Section 18.25).
     *
     * <pre>
     *   name
     * </pre>
     */
    record Remove(FileName name) implements NameArguments {
        static Remove decode(XdrReader in) throws XdrException {
            return new Remove(FileNames.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.REMOVE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            name.encode(out);
        }
    }

    /**
     * RENAME (RFC 8881, Section 18.26), from the directory of the saved filehandle to the current
     * one.
     *
     * <pre>
     *   oldname | newname
     * </pre>
     */
    record Rename(FileName from, FileName to) implements NameArguments {
        static Rename decode(XdrReader in) throws XdrException {
            return new Rename(FileNames.decode(in), FileNames.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.RENAME;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            to.encode(from.encode(out));
        }
    }

    /**
     * LINK (RFC 8881, Section 18.9): a name for the file of the saved filehandle.
     *
     * <pre>
     *   newname
     * </pre>
     */
    record Link(FileName name) implements NameArguments {
        static Link decode(XdrReader in) throws XdrException {
            return new Link(FileNames.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.LINK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            name.encode(out);
        }
    }

    /**
     * READDIR (RFC 8881, Section 18.23).
     *
     * <pre>
     *   cookie(64) | cookieverf(64) | dircount(32) | maxcount(32) | bitmap
     * </pre>
     *
     * @param cookie 0 for the first entries, else that of an earlier entry
     * @param directoryCount the most bytes of cookies and names, unsigned; a hint
     * @param countMax the most bytes of the values, unsigned
     */
    record ReadDir(
            long cookie, long verifier, int directoryCount, int countMax, AttributeSet wanted)
            implements NameArguments {
        static ReadDir decode(XdrReader in) throws XdrException {
            return new ReadDir(
                    in.uint64(), in.uint64(), in.uint32(), in.uint32(), AttributeSet.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.READDIR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(cookie).uint64(verifier).uint32(directoryCount).uint32(countMax);
            wanted.encode(out);
        }
    }

    /** READLINK (RFC 8881, Section 18.24), which has no arguments. */
    record ReadLink() implements NameArguments {
        @Override
        public Opcode opcode() {
            return Opcode.READLINK;
        }
    }
}
