package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply.Codec;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The result of READDIR or READDIRPLUS (RFC 1813, Sections 3.3.16 and 3.3.17).
 *
 * <pre>
 *   verifier(64) | { 1 | fileid(64) | name | cookie(64) [ | post_op_attr | post_op_fh3 ] }* 0 | eof
 * </pre>
 *
 * @param verifier changes when older cookies become invalid
 * @param endOfList whether the directory has no entries after these
 */
public record DirectoryPage(long verifier, List<Entry> entries, boolean endOfList) {
    /** Bytes of a page without entries, together with the preceding attributes of the directory. */
    public static final int EMPTY_BYTES =
            Integer.BYTES + FileAttributes.BYTES + Long.BYTES + 2 * Integer.BYTES;

    private static final int ENTRY_MIN = 24;

    public DirectoryPage {
        entries = List.copyOf(entries);
    }

    /**
     * An entry of a directory.
     *
     * @param cookie where a listing continues after this entry
     * @param attributes present only in READDIRPLUS, and optional there
     * @param handle present only in READDIRPLUS, and optional there
     */
    public record Entry(
            long fileId,
            FileName name,
            long cookie,
            Optional<FileAttributes> attributes,
            Optional<FileHandle> handle) {
        /**
         * Returns the bytes of the entry in READDIR, which {@code dircount} of READDIRPLUS limits.
         */
        public int plainBytes() {
            return 2 * Integer.BYTES + 2 * Long.BYTES + (int) XdrWriter.roundUp(name.length());
        }

        /** Returns the bytes of the entry in READDIRPLUS. */
        public int fullBytes() {
            int bytes = plainBytes() + 2 * Integer.BYTES;
            if (attributes.isPresent()) {
                bytes += FileAttributes.BYTES;
            }
            if (handle.isPresent()) {
                bytes += Integer.BYTES + (int) XdrWriter.roundUp(handle.get().bytes().length);
            }
            return bytes;
        }
    }

    static final Codec<DirectoryPage> READDIR =
            Nfs3Results.codec((out, page) -> page.encode(out, false), in -> decode(in, false));

    static final Codec<DirectoryPage> READDIRPLUS =
            Nfs3Results.codec((out, page) -> page.encode(out, true), in -> decode(in, true));

    private void encode(XdrWriter out, boolean plus) {
        out.uint64(verifier);
        for (var entry : entries) {
            out.bool(true).uint64(entry.fileId);
            entry.name.encode(out).uint64(entry.cookie);
            if (plus) {
                FileAttributes.encodeOptional(out, entry.attributes);
                Nfs3Results.encodeOptional(out, entry.handle);
            }
        }
        out.bool(false).bool(endOfList);
    }

    private static DirectoryPage decode(XdrReader in, boolean plus) throws XdrException {
        long verifier = in.uint64();
        var entries = new ArrayList<Entry>();
        // Every entry takes bytes of the message, so the length of the message bounds the list.
        while (in.bool()) {
            if (in.remaining() < ENTRY_MIN) {
                throw new XdrException("a directory entry is truncated");
            }
            entries.add(
                    new Entry(
                            in.uint64(),
                            FileName.decode(in, Nfs3.PATH_MAX),
                            in.uint64(),
                            plus ? FileAttributes.decodeOptional(in) : Optional.empty(),
                            plus ? Nfs3Results.decodeOptional(in) : Optional.empty()));
        }
        return new DirectoryPage(verifier, entries, in.bool());
    }
}
