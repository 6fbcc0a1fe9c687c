package io.github.rpcrdma4j.nfs.client.file;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.OpenFile;
import io.github.rpcrdma4j.nfs.client.service.Written;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * Writes bytes to a file of a server, and returns when they are on stable storage. The calls ask
 * for FILE_SYNC. If a server answers UNSTABLE nevertheless, the bytes are committed. If the write
 * verifier shows that the server restarted in between (RFC 1813, Section 3.3.7), they are written
 * again.
 *
 * @param what for messages: {@code "cannot write /a/b"}
 * @param listener receives the number of written and of lost bytes
 */
public record StableWrite(FileService service, OpenFile file, String what, Listener listener) {
    /** Receives the progress of a write. */
    public interface Listener {
        /** Ignores it. */
        Listener NONE =
                new Listener() {
                    @Override
                    public void copied(long bytes) {}

                    @Override
                    public void lost(long bytes) {}
                };

        /** Reports written bytes. */
        void copied(long bytes);

        /** Reports bytes that the server has lost. They are written again. */
        void lost(long bytes);
    }

    /** The most commits of the same bytes before the server counts as unable to keep data. */
    public static final int ROUNDS_MAX = 16;

    /**
     * Writes all bytes at an offset in the file.
     *
     * @throws IOException if the server fails, or the last byte would have no offset
     */
    public void run(MemorySegment bytes, long offset) throws IOException, InterruptedException {
        if (offset > Long.MAX_VALUE - bytes.byteSize()) {
            throw new IOException(what + ": the file would be longer than a file can be");
        }
        for (int round = 1; !write(bytes, offset); round++) {
            if (round == ROUNDS_MAX) {
                throw lost(what);
            }
            listener.lost(bytes.byteSize());
        }
    }

    /** Writes all bytes once. Returns whether they are on stable storage. */
    private boolean write(MemorySegment bytes, long offset)
            throws IOException, InterruptedException {
        long size = bytes.byteSize();
        var verifier = OptionalLong.empty();
        boolean restarted = false;
        for (long done = 0; done < size; ) {
            var left = bytes.asSlice(done);
            var reply = service.write(file, offset + done, Stability.FILE_SYNC, left, what);
            long count = count(reply, left.byteSize(), what);
            if (reply.stability() == Stability.UNSTABLE) {
                restarted |= verifier.isPresent() && verifier.getAsLong() != reply.verifier();
                verifier = OptionalLong.of(reply.verifier());
            }
            done += count;
            listener.copied(count);
        }
        if (verifier.isEmpty()) {
            return true;
        }
        long committed = service.commit(file, offset, (int) size, what);
        return !restarted && verifier.getAsLong() == committed;
    }

    /**
     * Returns how many bytes a WRITE has written.
     *
     * @param bytes length of its data
     * @throws IOException if the reply reports none, or more than there were
     */
    public static long count(Written reply, long bytes, String what) throws IOException {
        long count = reply.count();
        if (count == 0 || count > bytes) {
            throw new IOException(
                    what + ": the server reports an impossible number of written bytes");
        }
        return count;
    }

    /** Returns the failure of a server that lost the bytes before each commit. */
    public static IOException lost(String what) {
        return new IOException(what + ": the server lost the data " + ROUNDS_MAX + " times");
    }
}
