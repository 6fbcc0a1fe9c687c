package io.github.rpcrdma4j.nfs.v2;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** The values of successful replies (RFC 1094, Section 2.2). */
public final class Nfs2Results {
    private Nfs2Results() {}

    /**
     * The value of LOOKUP, CREATE and MKDIR.
     *
     * <pre>handle | fattr</pre>
     */
    public record Found(FileHandle handle, FileAttributes attributes) {
        static Found decode(XdrReader in) throws XdrException {
            return new Found(FileHandle.decode(in), FileAttributes.decode(in));
        }

        void encode(XdrWriter out) {
            attributes.encode(handle.encode(out));
        }
    }

    /**
     * The value of READLINK: the text of the link, a bulk item.
     *
     * @param text in memory that does not change until {@code release} runs
     */
    public record LinkText(MemorySegment text, Runnable release) {
        static LinkText decode(XdrReader in) throws XdrException {
            return new LinkText(in.bulk(Nfs2.PATH_MAX), () -> {});
        }

        void encode(XdrWriter out) {
            out.bulk(text, release);
        }

        /** Returns a copy of the text. */
        public PathName path() {
            return new PathName(text);
        }
    }

    /**
     * The value of READ.
     *
     * <pre>fattr | data, a bulk item</pre>
     *
     * @param attributes the file after the read
     * @param data in memory that does not change until {@code release} runs; when decoded, a view
     *     of received memory
     */
    public record ReadData(FileAttributes attributes, MemorySegment data, Runnable release) {
        static ReadData decode(XdrReader in) throws XdrException {
            return new ReadData(FileAttributes.decode(in), in.bulk(Nfs2.DATA_MAX), () -> {});
        }

        void encode(XdrWriter out) {
            attributes.encode(out).bulk(data, release);
        }
    }

    /**
     * The value of READDIR.
     *
     * <pre>{ 1 | fileid(32) | name | cookie(32) }* 0 | eof</pre>
     *
     * @param endOfList whether the directory has no entries after these
     */
    public record DirectoryPage(List<Entry> entries, boolean endOfList) {
        /** Bytes of a page without entries. */
        public static final int EMPTY_BYTES = 2 * Integer.BYTES;

        private static final int ENTRY_MIN = 12;

        public DirectoryPage {
            entries = List.copyOf(entries);
        }

        /**
         * An entry of a directory.
         *
         * @param cookie where a listing continues after this entry
         */
        public record Entry(int fileId, FileName name, int cookie) {
            /** Returns the bytes of the entry, with the word that announces it. */
            public int bytes() {
                return 4 * Integer.BYTES + (int) XdrWriter.roundUp(name.length());
            }
        }

        static DirectoryPage decode(XdrReader in) throws XdrException {
            var entries = new ArrayList<Entry>();
            // Every entry takes bytes of the message, so the length of the message bounds the list.
            while (in.bool()) {
                if (in.remaining() < ENTRY_MIN) {
                    throw new XdrException("a directory entry is truncated");
                }
                entries.add(
                        new Entry(in.uint32(), FileName.decode(in, Nfs2.PATH_MAX), in.uint32()));
            }
            return new DirectoryPage(entries, in.bool());
        }

        void encode(XdrWriter out) {
            for (var entry : entries) {
                out.bool(true).uint32(entry.fileId);
                entry.name.encode(out).uint32(entry.cookie);
            }
            out.bool(false).bool(endOfList);
        }
    }

    /**
     * The value of STATFS.
     *
     * <pre>tsize bsize blocks bfree bavail(32 each)</pre>
     *
     * @param transfer the best length of a READ and a WRITE, in bytes
     * @param blockSize in bytes
     * @param blocks of the file system, unsigned
     * @param freeBlocks unsigned
     * @param availableBlocks the free blocks for users without privileges, unsigned
     */
    public record Space(
            int transfer, int blockSize, int blocks, int freeBlocks, int availableBlocks) {
        static Space decode(XdrReader in) throws XdrException {
            return new Space(in.uint32(), in.uint32(), in.uint32(), in.uint32(), in.uint32());
        }

        void encode(XdrWriter out) {
            out.uint32(transfer).uint32(blockSize).uint32(blocks);
            out.uint32(freeBlocks).uint32(availableBlocks);
        }
    }
}
