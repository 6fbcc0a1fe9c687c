package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.client.NfsMount;
import io.github.rpcrdma4j.nfs.client.Umask;
import io.github.rpcrdma4j.nfs.client.file.Modes;
import io.github.rpcrdma4j.nfs.client.local.ExtendedAcls;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What all copies of one {@link Copier} share: the mount, its limits, what is kept, and who learns
 * of it. Thread-safe.
 *
 * @param kept the attributes that each copy keeps of its source
 * @param refused which copies the file systems of the server have refused to make themselves
 * @param umask the permission bits that new files do not get
 * @param leftovers what failed copies left behind
 * @param resumes whether large files are copied so that a later copy can go on
 * @param timeStep below which distance two times of files count as the same
 * @param readMax the most bytes of a READ
 * @param writeMax the most bytes of a WRITE
 * @param sizeMax the largest size of a file on the server, in bytes
 */
record CopyContext(
        NfsMount mount,
        ClientOptions options,
        CopyListener listener,
        PreservedAttributes kept,
        AttributePreserver attributes,
        AclPreserver acls,
        CopyByServer.Refused refused,
        XattrPreserver xattrs,
        int umask,
        SegmentPool pool,
        Leftovers leftovers,
        boolean resumes,
        RateLimit rate,
        Duration timeStep,
        int readMax,
        int writeMax,
        long sizeMax) {
    private static final long POOL_BYTES = 128L << 20;

    /** A server with a longer step is not believed: old copies would seem to be new. */
    private static final Duration TIME_STEP_MAX = Duration.ofSeconds(2);

    private static final Duration TIME_STEP_MIN = Duration.ofNanos(1);

    /** Asks the server for its limits. */
    static CopyContext ask(
            NfsMount mount,
            ClientOptions options,
            CopyListener listener,
            PreservedAttributes kept,
            boolean resumes)
            throws IOException, InterruptedException {
        var rate = new RateLimit(options.rate());
        var limits = mount.limits();
        return new CopyContext(
                mount,
                options,
                listener,
                kept,
                new AttributePreserver(),
                new AclPreserver(mount.service()),
                new CopyByServer.Refused(),
                XattrPreserver.of(mount.service(), kept),
                Umask.current(),
                new SegmentPool(POOL_BYTES),
                new Leftovers(),
                resumes,
                rate,
                timeStep(limits.timeStep()),
                rate.transfer(limits.readMax()),
                rate.transfer(limits.writeMax()),
                limits.sizeMax());
    }

    private static Duration timeStep(Duration told) {
        if (told.isZero()) {
            return TIME_STEP_MIN;
        }
        return told.compareTo(TIME_STEP_MAX) > 0 ? TIME_STEP_MAX : told;
    }

    FileService service() {
        return mount.service();
    }

    /** Returns the most outstanding calls for one file. */
    int outstanding() {
        return rate.outstanding(options.outstanding());
    }

    /**
     * Returns the mode of a directory while files are copied into it.
     *
     * @param complete the mode of the directory when it is complete
     */
    int filling(int complete) {
        return kept.attributes() ? Modes.FILLING_DIRECTORY : complete | Modes.FILLING_DIRECTORY;
    }

    /**
     * Returns what the copy of a file of the server keeps.
     *
     * @param name of the file, for messages
     */
    RemoteSource source(RemoteFile file, String name) throws IOException, InterruptedException {
        return new RemoteSource(file.attributes(), lists(file, name), xattrs.of(file, name));
    }

    /**
     * Returns what a copy on the server has of its source.
     *
     * @param name of the copy, for messages
     */
    RemoteSource copy(RemoteFile copy, String name) throws IOException, InterruptedException {
        return new RemoteSource(copy.attributes(), lists(copy, name), xattrs.ofCopy(copy, name));
    }

    /**
     * Returns what the copy of a file of the server keeps of the rights to it: all but the extended
     * attributes.
     *
     * @param name of the file, for messages
     */
    RemoteSource rights(RemoteFile file, String name) throws IOException, InterruptedException {
        return new RemoteSource(file.attributes(), lists(file, name));
    }

    private ExtendedAcls lists(RemoteFile file, String name)
            throws IOException, InterruptedException {
        return kept.attributes()
                ? acls.of(file.handle(), file.attributes().type(), name)
                : ExtendedAcls.NONE;
    }

    /** Returns and clears the failures to keep attributes. */
    List<IOException> takeFailures() {
        var failures = new ArrayList<>(attributes.takeFailures());
        failures.addAll(acls.takeFailures());
        failures.addAll(xattrs.takeFailures());
        return failures;
    }
}
