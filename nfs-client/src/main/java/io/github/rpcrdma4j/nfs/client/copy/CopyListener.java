package io.github.rpcrdma4j.nfs.client.copy;

import java.io.IOException;

/** Receives the progress of a copy. Several threads may call it at the same time. */
public interface CopyListener {
    /** Ignores all events. */
    CopyListener NONE = new CopyListener() {};

    /** Reports that further bytes are to be copied. */
    default void expect(long bytes) {}

    /** Reports that further bytes have been copied. */
    default void copied(long bytes) {}

    /** Reports that copied bytes must be copied again, because the server has lost them. */
    default void lost(long bytes) {}

    /**
     * Reports that a file is complete under its final name, or was removed.
     *
     * @param bytes length of the file; bytes copied again count once
     */
    default void file(String name, long bytes) {}

    /** Reports that bytes of a file need not be copied, because an earlier copy did. */
    default void resumed(long bytes) {}

    /**
     * Reports that a file is copied from the beginning, and that nothing of it stays if the copy
     * fails, because another user may rename files in the directory of the target.
     *
     * @param name of the target, for a user
     */
    default void notResumable(String name) {}

    /** Reports that a file is left as it is, because its copy exists already. */
    default void unchanged(String name) {}

    /**
     * Reports that the root of an export keeps its mode, which is not that of the source, and its
     * owner and times.
     *
     * @param name of the target, for a user
     */
    default void attributesLeft(String name) {}

    /** Reports that a file of the target was removed, because the source does not have it. */
    default void deleted(String name) {}

    /** What a trial would do. */
    enum Step {
        /** Copy a file. */
        COPY,
        /** Give a file the attributes of its source; the contents are there already. */
        SET_ATTRIBUTES,
        /** Make a directory. */
        MAKE_DIRECTORY,
        /** Remove a file, or a directory whose files were reported before. */
        DELETE
    }

    /**
     * Reports what a copy would do that is only tried.
     *
     * @param name of the target, for a user
     * @param bytes that would be copied
     */
    default void planned(Step step, String name, long bytes) {}

    /**
     * Reports that one file of a tree could not be copied or removed, or some of its attributes not
     * kept. The operation continues with the other files.
     *
     * @param why its message is one line for a user
     */
    default void failed(IOException why) {}
}
