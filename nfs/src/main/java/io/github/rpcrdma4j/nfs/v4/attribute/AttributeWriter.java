package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * Writes the attributes of a file that a client asked for, for GETATTR and READDIR, and compares
 * them for VERIFY: {@code fattr4} (RFC 8881, Sections 18.7, 18.23 and 18.30).
 *
 * <pre>
 *   bitmap | length | values, in the order of the bits
 * </pre>
 */
public final class AttributeWriter {
    private AttributeWriter() {}

    /**
     * Writes the attributes that are both wanted and present. The writer gets no bulk items.
     *
     * @param wanted any attributes; unknown ones are left out, as the RFC asks
     */
    public static XdrWriter encode(XdrWriter out, AttributeSet wanted, FileFacts facts) {
        var written = wanted.and(facts.present());
        written.encode(out);
        long length = out.reducedLength();
        out.uint32(0);
        values(out, written, facts);
        long bytes = out.reducedLength() - length - Integer.BYTES;
        return out.overwrite(length, (int) bytes);
    }

    /**
     * Compares the values that a client knows with those of a file (RFC 8881, Section 18.30).
     *
     * @param scratch is as before when the method returns
     * @param supported the attributes that the server supports, with those that can only be set
     * @return {@link Nfs4Status#SAME} or {@link Nfs4Status#NOT_SAME}; {@link
     *     Nfs4Status#ATTRNOTSUPP} if the file has no such attribute; {@link Nfs4Status#INVAL} if an
     *     attribute cannot be read, or is RDATTR_ERROR
     */
    public static Nfs4Status compare(
            XdrWriter scratch, EncodedAttributes known, AttributeSet supported, FileFacts facts) {
        var asked = known.attributes();
        if (!supported.hasAll(asked)) {
            return Nfs4Status.ATTRNOTSUPP;
        }
        if (asked.has(Attribute.RDATTR_ERROR) || !AttributeSet.READABLE.hasAll(asked)) {
            return Nfs4Status.INVAL;
        }
        if (!facts.present().hasAll(asked)) {
            return Nfs4Status.ATTRNOTSUPP;
        }
        long start = scratch.reducedLength();
        values(scratch, asked, facts);
        boolean isSame = scratch.reducedStream().asSlice(start).mismatch(known.segment()) < 0;
        scratch.shorten(start);
        return isSame ? Nfs4Status.SAME : Nfs4Status.NOT_SAME;
    }

    private static void values(XdrWriter out, AttributeSet attributes, FileFacts facts) {
        var numbers = attributes.numbers();
        for (int i = numbers.next(0); i >= 0; i = numbers.next(i + 1)) {
            value(out, Attribute.known(i), facts);
        }
    }

    private static void value(XdrWriter out, Attribute attribute, FileFacts facts) {
        switch (attribute.layout()) {
            case BOOL -> out.bool(facts.flag(attribute));
            case WORD -> out.uint32(facts.word(attribute));
            case HYPER -> out.uint64(facts.hyper(attribute));
            case TIME -> facts.time(attribute).encode(out);
            case FILE_SYSTEM -> facts.fileSystem().encode(out);
            case BYTES -> out.opaque(facts.bytes(attribute));
            case ATTRIBUTES -> facts.attributes(attribute).encode(out);
            case ACES -> Ace.encodeAll(out, facts.acl());
            case LOCATIONS -> facts.locations().encode(out);
            case OPEN_ARGUMENTS -> facts.openSupport().encode(out);
            case OTHER ->
                    throw new IllegalArgumentException("no value of " + attribute + " is written");
        }
    }
}
