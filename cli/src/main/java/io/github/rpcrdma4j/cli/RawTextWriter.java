package io.github.rpcrdma4j.cli;

import io.github.rpcrdma4j.nfs.client.RawText;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;

/** Writes {@link RawText} as the bytes that it stands for. */
final class RawTextWriter extends Writer {
    private final OutputStream out;

    RawTextWriter(OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(char[] characters, int offset, int length) throws IOException {
        out.write(RawText.bytes(new String(characters, offset, length)));
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
