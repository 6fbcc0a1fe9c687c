package io.github.rpcrdma4j.nfs.lock;

import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;

/**
 * A lock that a host wants, or has: {@code nlm_lock} and {@code nlm4_lock}.
 *
 * <pre>
 *   caller_name, at most 1024 | fh, at most 1024 | oh, at most 1024 | svid(32)
 *   | l_offset(32, version 4: 64) | l_len(32, version 4: 64)
 * </pre>
 *
 * @param host the name that the host gives itself
 * @param file the file handle, of NFS version 2 or 3
 * @param owner names the owner of the lock, together with the process
 * @param process the number of a process of the host
 * @param offset unsigned
 * @param length in bytes, unsigned; 0 for all bytes from the offset on
 */
public record NlmLock(
        OpaqueName host, OpaqueName file, OpaqueName owner, int process, long offset, long length) {

    static NlmLock decode(int version, XdrReader in) throws XdrException {
        return new NlmLock(
                OpaqueName.decode(in),
                OpaqueName.decode(in),
                OpaqueName.decode(in),
                in.uint32(),
                offset(version, in),
                offset(version, in));
    }

    void encode(int version, XdrWriter out) {
        host.encode(out);
        file.encode(out);
        owner.encode(out).uint32(process);
        offset(version, out, offset);
        offset(version, out, length);
    }

    /** Decodes an offset or a length. */
    static long offset(int version, XdrReader in) throws XdrException {
        return version == Nlm.WIDE ? in.uint64() : Integer.toUnsignedLong(in.uint32());
    }

    /** Encodes an offset or a length; the older versions take its lower 32 bits. */
    static void offset(int version, XdrWriter out, long value) {
        if (version == Nlm.WIDE) {
            out.uint64(value);
        } else {
            out.uint32((int) value);
        }
    }
}
