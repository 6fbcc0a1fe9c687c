package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ChangeInfo;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * The values of successful operations on names and symbolic links (RFC 8881, Section 18).
 *
 * <p>Tests: {@code VectorOperationsTest}, {@code CompoundRecordsTest}.
 */
public sealed interface NameResult extends Result {
    /**
     * CREATE (RFC 8881, Section 18.4).
     *
     * <pre>
     *   change_info4 | bitmap
     * </pre>
     *
     * @param set the attributes that were set
     */
    record Create(ChangeInfo change, AttributeSet set) implements NameResult {
        static Create decode(XdrReader in) throws XdrException {
            return new Create(ChangeInfo.decode(in), AttributeSet.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.CREATE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            set.encode(change.encode(out));
        }
    }

    /**
     * REMOVE (RFC 8881, Section 18.25).
     *
     * <pre>
     *   change_info4
     * </pre>
     */
    record Remove(ChangeInfo change) implements NameResult {
        static Remove decode(XdrReader in) throws XdrException {
            return new Remove(ChangeInfo.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.REMOVE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            change.encode(out);
        }
    }

    /**
     * RENAME (RFC 8881, Section 18.26).
     *
     * <pre>
     *   change_info4 | change_info4
     * </pre>
     *
     * @param source of the directory that had the name
     * @param target of the directory that has the name now
     */
    record Rename(ChangeInfo source, ChangeInfo target) implements NameResult {
        static Rename decode(XdrReader in) throws XdrException {
            return new Rename(ChangeInfo.decode(in), ChangeInfo.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.RENAME;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            target.encode(source.encode(out));
        }
    }

    /**
     * LINK (RFC 8881, Section 18.9).
     *
     * <pre>
     *   change_info4
     * </pre>
     */
    record Link(ChangeInfo change) implements NameResult {
        static Link decode(XdrReader in) throws XdrException {
            return new Link(ChangeInfo.decode(in));
        }

        @Override
        public Opcode opcode() {
            return Opcode.LINK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            change.encode(out);
        }
    }

    /**
     * READDIR (RFC 8881, Section 18.23), as a client decodes it. A server writes it entry by entry:
     * {@link DirectoryWriter}.
     *
     * <pre>
     *   cookieverf(64) | { 1 | cookie(64) | name | fattr4 }* 0 | eof
     * </pre>
     *
     * @param isLast whether the directory has no entries after these
     */
    record ReadDir(long verifier, List<Entry> entries, boolean isLast) implements NameResult {
        /**
         * An entry of a directory.
         *
         * @param cookie where a listing goes on after this entry
         */
        public record Entry(long cookie, FileName name, EncodedAttributes attributes) {}

        public ReadDir {
            entries = List.copyOf(entries);
        }

        static ReadDir decode(XdrReader in) throws XdrException {
            long verifier = in.uint64();
            var entries = new ArrayList<Entry>();
            // Every entry takes bytes of the message, so the length of the message bounds the list.
            while (in.bool()) {
                entries.add(
                        new Entry(in.uint64(), FileNames.decode(in), EncodedAttributes.decode(in)));
            }
            return new ReadDir(verifier, entries, in.bool());
        }

        @Override
        public Opcode opcode() {
            return Opcode.READDIR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint64(verifier);
            for (var each : entries) {
                each.attributes.encode(each.name.encode(out.bool(true).uint64(each.cookie)));
            }
            out.bool(false).bool(isLast);
        }
    }

    /**
     * READLINK (RFC 8881, Section 18.24).
     *
     * <pre>
     *   text, a bulk item
     * </pre>
     *
     * @param text in memory that does not change until {@code release} runs; when decoded, a view
     *     of received memory
     */
    record ReadLink(MemorySegment text, Runnable release) implements NameResult {
        static ReadLink decode(XdrReader in) throws XdrException {
            return new ReadLink(in.bulk(FileNames.BYTES_MAX), () -> {});
        }

        /** Returns a copy of the text. */
        public PathName path() {
            return new PathName(text);
        }

        @Override
        public Opcode opcode() {
            return Opcode.READLINK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.bulk(text, release);
        }
    }
}
