package io.github.rpcrdma4j.nfs.v3;

import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.Arrays;
import java.util.HexFormat;

/** What a server calls a file: up to 64 octets that mean something to nobody else. Immutable. */
public final class FileHandle {
    private final byte[] octets;

    /**
     * @param octets at most {@link Nfs3#HANDLE_MAX}; copied
     */
    public FileHandle(byte[] octets) {
        this(octets.clone(), octets.length);
    }

    /** Takes the octets as its own. */
    private FileHandle(byte[] octets, int length) {
        if (length > Nfs3.HANDLE_MAX) {
            throw new IllegalArgumentException("a file handle has at most 64 octets");
        }
        this.octets = octets;
    }

    static FileHandle decode(XdrReader in) throws XdrException {
        byte[] own = in.bytes(Nfs3.HANDLE_MAX);
        return new FileHandle(own, own.length);
    }

    XdrWriter encode(XdrWriter out) {
        return out.opaque(octets);
    }

    /** A copy. */
    public byte[] octets() {
        return octets.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FileHandle handle && Arrays.equals(octets, handle.octets);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(octets);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(octets);
    }
}
