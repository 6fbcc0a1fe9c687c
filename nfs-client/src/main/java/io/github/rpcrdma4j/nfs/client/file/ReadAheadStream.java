package io.github.rpcrdma4j.nfs.client.file;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A stream that reads whole transfers, also when it is copied as a whole. */
public final class ReadAheadStream extends BufferedInputStream {
    private final int transferBytes;

    /**
     * Creates a stream.
     *
     * @param transferBytes how many bytes it reads at a time
     */
    public ReadAheadStream(InputStream in, int transferBytes) {
        super(in, transferBytes);
        this.transferBytes = transferBytes;
    }

    /** The inherited method has the stream below copy itself, by a few KiB for each call. */
    @Override
    public long transferTo(OutputStream out) throws IOException {
        var bytes = new byte[transferBytes];
        long total = 0;
        int count = read(bytes);
        while (count >= 0) {
            out.write(bytes, 0, count);
            total += count;
            count = read(bytes);
        }
        return total;
    }
}
