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
        if (octets.length > Nfs3.HANDLE_MAX) {
            throw new IllegalArgumentException("a file handle has at most 64 octets");
        }
        this.octets = octets.clone();
    }

    static FileHandle decode(XdrReader in) throws XdrException {
        return new FileHandle(in.bytes(Nfs3.HANDLE_MAX));
    }

    void encode(XdrWriter out) {
        out.opaque(octets);
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
