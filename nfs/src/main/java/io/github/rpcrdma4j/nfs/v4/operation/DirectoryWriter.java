package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeWriter;
import io.github.rpcrdma4j.nfs.v4.attribute.FileFacts;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * Writes the result of READDIR entry by entry, as far as the limits of the client allow (RFC 8881,
 * Section 18.23). {@link NameResult.ReadDir} has the layout.
 *
 * <p>Not thread-safe. Between the calls nothing else may be written.
 */
public final class DirectoryWriter {
    /** The verifier, the end of the list, and whether it is the last one. */
    private static final int EMPTY_BYTES = Long.BYTES + 2 * Integer.BYTES;

    private final XdrWriter out;
    private final AttributeSet wanted;
    private final long start;
    private final long bytesMax;
    private final long directoryBytesMax;
    private long directoryBytes;
    private boolean isEmpty = true;

    /**
     * Writes the number, the success and the verifier.
     *
     * @param bytesMax the most bytes of the values: {@code maxcount}, or less if the reply has less
     *     room
     */
    public DirectoryWriter(
            XdrWriter out, NameArguments.ReadDir arguments, long verifier, long bytesMax) {
        this.out = out;
        this.wanted = arguments.wanted();
        this.start = out.reducedLength();
        this.bytesMax = bytesMax;
        long directoryMax = Integer.toUnsignedLong(arguments.directoryCount());
        this.directoryBytesMax = directoryMax == 0 ? Long.MAX_VALUE : directoryMax;
        out.uint32(Opcode.READDIR.number()).uint32(Nfs4Status.OK.number()).uint64(verifier);
    }

    /**
     * Writes an entry, unless it does not fit. Then the listing ends before it.
     *
     * <p>The first entry is written even if its name alone is longer than {@code dircount}, which
     * is a hint.
     *
     * @param cookie where a listing goes on after this entry
     * @return whether it was written
     */
    public boolean add(long cookie, FileName name, FileFacts facts) {
        long named = Long.BYTES + Integer.BYTES + XdrWriter.roundUp(name.length());
        if (!isEmpty && directoryBytes + named > directoryBytesMax) {
            return false;
        }
        long before = out.reducedLength();
        name.encode(out.bool(true).uint64(cookie));
        AttributeWriter.encode(out, wanted, facts);
        if (valueBytes() > bytesMax) {
            out.shorten(before);
            return false;
        }
        directoryBytes += named;
        isEmpty = false;
        return true;
    }

    /** Returns the bytes of the values if the list ended here. */
    private long valueBytes() {
        long written = out.reducedLength() - start - 2 * Integer.BYTES;
        return written - Long.BYTES + EMPTY_BYTES;
    }

    /**
     * Ends the listing.
     *
     * @param isLast whether the directory has no entries after these
     * @return OK; or TOOSMALL, with nothing written, if not even one of the entries or an empty
     *     listing fits
     */
    public Nfs4Status finish(boolean isLast) {
        if (valueBytes() > bytesMax || isEmpty && !isLast) {
            out.shorten(start);
            return Nfs4Status.TOOSMALL;
        }
        out.bool(false).bool(isLast);
        return Nfs4Status.OK;
    }

    /** Discards the listing, so that a failure can be written in its place. */
    public void discard() {
        out.shorten(start);
    }
}
