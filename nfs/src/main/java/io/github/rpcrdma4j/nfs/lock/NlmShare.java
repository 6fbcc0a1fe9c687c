package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A file that a host uses and denies others: {@code nlm_share}.
 *
 * <pre>
 *   caller_name, at most 1024 | fh, at most 1024 | oh, at most 1024 | mode(32) | access(32)
 * </pre>
 *
 * @param host the name that the host gives itself
 * @param file the file handle
 * @param owner who uses the file
 * @param deny what others may not do: NONE 0, READ 1, WRITE 2, BOTH 3
 * @param access what the owner does: NONE 0, READ 1, WRITE 2, BOTH 3
 */
public record NlmShare(OpaqueName host, OpaqueName file, OpaqueName owner, int deny, int access) {
    /** The bit for reading, in {@code deny} and {@code access}. */
    public static final int READ = 1;

    /** The bit for writing, in {@code deny} and {@code access}. */
    public static final int WRITE = 2;

    private static final int BOTH = READ | WRITE;

    /**
     * @throws IllegalArgumentException if a number has other bits
     */
    public NlmShare {
        if ((deny & ~BOTH) != 0 || (access & ~BOTH) != 0) {
            throw new IllegalArgumentException("there are two ways to use a file");
        }
    }

    static NlmShare decode(XdrReader in) throws XdrException {
        return new NlmShare(
                OpaqueName.decode(in),
                OpaqueName.decode(in),
                OpaqueName.decode(in),
                bits(in),
                bits(in));
    }

    private static int bits(XdrReader in) throws XdrException {
        int bits = in.uint32();
        if ((bits & ~BOTH) != 0) {
            throw new XdrException("unknown mode of a share " + Integer.toUnsignedString(bits));
        }
        return bits;
    }

    void encode(XdrWriter out) {
        host.encode(out);
        file.encode(out);
        owner.encode(out).uint32(deny).uint32(access);
    }
}
