package io.github.rpcrdma4j.nfs.client;

import java.io.IOException;

/** Is told how a copy gets on; by several threads at once. */
public interface CopyListener {
    /** Does nothing with what it is told. */
    CopyListener NONE = new CopyListener() {};

    /** So many bytes more are to be copied. */
    default void expect(long bytes) {}

    /** So many bytes more are copied. */
    default void copied(long bytes) {}

    /** So many bytes that were copied have to be copied again: the server has lost them. */
    default void again(long bytes) {}

    /**
     * A file is complete under its final name.
     *
     * @param bytes that it holds, each counted once
     */
    default void file(String name, long bytes) {}

    /**
     * One file of a tree was not copied, or not all of it was kept; the copy goes on with the
     * others.
     *
     * @param why its message is one line for a user
     */
    default void failed(IOException why) {}
}
