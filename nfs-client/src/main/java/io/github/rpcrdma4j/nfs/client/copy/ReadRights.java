package io.github.rpcrdma4j.nfs.client.copy;

import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The rights that a regular file of a server grants while a copy of it is made. The replies that
 * bring its bytes tell them. Thread-safe; for one copy.
 */
final class ReadRights {
    private static final int ALL = 07777;

    private final CopyContext context;
    private final RemoteFile file;
    private final String from;

    /** What the file granted after each READ, as a mode. */
    private final AtomicInteger granted = new AtomicInteger(ALL);

    /** Whether the reply to some READ did not tell that; RFC 1813 allows it. */
    private volatile boolean isUntold;

    /** Whether the reply to some READ did tell it. */
    private volatile boolean isTold;

    /** Whether anything of the file has changed since it was listed. */
    private volatile boolean isChanged;

    /**
     * @param from the source, for messages
     */
    ReadRights(CopyContext context, RemoteFile file, String from) {
        this.context = context;
        this.file = file;
        this.from = from;
    }

    /** Notes what the reply to a READ told of the file. */
    void told(Optional<FileAttributes> attributes) {
        attributes.ifPresentOrElse(this::note, () -> isUntold = true);
    }

    private void note(FileAttributes now) {
        isTold = true;
        granted.accumulateAndGet(now.mode(), (a, b) -> a & b);
        var before = file.attributes();
        if (!now.changed().equals(before.changed()) || now.size() != before.size()) {
            isChanged = true;
        }
    }

    /** Returns whether a reply to a READ told that the file is not as it was listed. */
    boolean haveChanged() {
        return isChanged;
    }

    /** Returns whether the file was as it was listed, as each reply to a READ told. */
    boolean areOfListing() {
        return isTold && !isUntold && !isChanged;
    }

    /**
     * Returns what the copy keeps, without what the file has granted only for a while.
     *
     * @param before what it granted before the first byte was read
     */
    RemoteSource narrowed(RemoteSource before) throws IOException, InterruptedException {
        int mode = granted.get();
        // A list can change without the mode.
        boolean mayListOthers = isChanged && context.kept().attributes();
        if (!isUntold && !mayListOthers && before.asLocal().grantsNoMoreThan(mode)) {
            return before;
        }
        var now = context.rights(ServerCopy.now(context, file, from), from);
        boolean grantsAll = before.asLocal().grantsNoMoreThan(mode & now.attributes().mode());
        return grantsAll && now.acls().equals(before.acls()) ? before : before.narrowed(now, mode);
    }
}
