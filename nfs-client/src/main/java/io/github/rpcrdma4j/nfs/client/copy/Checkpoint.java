package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.FileName;
import io.github.rpcrdma4j.nfs.client.local.LocalStatus;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;

/**
 * How far the copy of a large file got. The bytes up to it are on storage, which the name of the
 * incomplete file says ({@link TemporaryName}). Immutable.
 *
 * @param source identifies the source in this state, and the name of the target
 * @param done how many bytes from the start are complete
 */
record Checkpoint(long source, long done) {
    /** The distance of checkpoints, in bytes. */
    static final long INTERVAL = 32L << 20;

    /** Smaller files are copied again. */
    static final long FILE_MIN = 2 * INTERVAL;

    private static final int SOURCE_BITS = 60;

    /** Returns the state of a local file in which nothing is done. */
    static Checkpoint start(FileName target, LocalStatus source) {
        var digest = digest();
        digest.update(target.bytes());
        add(digest, source.device(), source.inode(), source.size());
        add(digest, source.modified());
        add(digest, source.changed());
        return new Checkpoint(number(digest), 0);
    }

    /** Returns the state of a file of a server in which nothing is done. */
    static Checkpoint start(FileName target, RemoteFile source) {
        var digest = digest();
        digest.update(target.bytes());
        digest.update(source.handle().bytes());
        var file = source.attributes();
        add(
                digest,
                file.fileSystem().major(),
                file.fileSystem().minor(),
                file.fileId(),
                file.size());
        add(digest, file.modified());
        add(digest, file.changed());
        return new Checkpoint(number(digest), 0);
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("every Java has SHA-256", impossible);
        }
    }

    private static void add(MessageDigest digest, long... numbers) {
        var bytes = ByteBuffer.allocate(numbers.length * Long.BYTES);
        bytes.asLongBuffer().put(numbers);
        digest.update(bytes);
    }

    private static void add(MessageDigest digest, Instant time) {
        add(digest, time.getEpochSecond(), time.getNano());
    }

    private static long number(MessageDigest digest) {
        return ByteBuffer.wrap(digest.digest()).getLong() >>> Long.SIZE - SOURCE_BITS;
    }

    /** Returns the state in which more is done. */
    Checkpoint at(long bytes) {
        return new Checkpoint(source, bytes);
    }

    /** Returns whether a copy can go on from another state. */
    boolean canContinue(Checkpoint from, long size) {
        return from.source == source && from.done > 0 && from.done < size;
    }
}
