package io.github.rpcrdma4j.nfs.client.service;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.oncrpc.RpcException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Calls of a {@link FileService} that one thread keeps outstanding. The thread submits calls, and
 * processes their results within {@link #poll}. A lost connection is established again as for
 * blocking calls. Used by one thread at a time.
 *
 * <p>Memory of a call belongs to the transport until the call has ended or the pipeline is closed.
 * Each method that submits a call throws {@link RpcException} if the call cannot be protected.
 */
public interface FilePipeline extends AutoCloseable {
    /**
     * The result of a read.
     *
     * @param attributes of the file when it had been read, if the server tells them
     * @param data a view that is valid only while the result is processed; usually of the target
     *     itself
     */
    record ReadData(Optional<FileAttributes> attributes, MemorySegment data) {}

    /** Processes the result of a successful call; it may submit further calls. */
    interface OnSuccess<T> {
        /**
         * Processes the result.
         *
         * @throws IOException {@link #poll} throws it again
         */
        void done(T result) throws IOException;
    }

    /** Reads bytes of a file, as {@link FileService#read} does. */
    void read(
            OpenFile file,
            long offset,
            MemorySegment target,
            String what,
            OnSuccess<ReadData> onSuccess)
            throws RpcException;

    /** Writes bytes of a file, as {@link FileService#write} does. */
    void write(
            OpenFile file,
            long offset,
            Stability stability,
            MemorySegment data,
            String what,
            OnSuccess<Written> onSuccess)
            throws RpcException;

    /** Changes attributes of a file, as {@link FileService#change} does. */
    void change(FileHandle file, AttributeChanges changes, String what) throws RpcException;

    /** Renames a file, as {@link FileService#rename} does. */
    void rename(RemotePlace from, RemotePlace to, String what) throws RpcException;

    /**
     * Sends submitted calls and processes available results. Waits until there are some.
     *
     * @return false if no call is left
     * @throws IOException if a call, or the processing of its results, has failed. The other calls
     *     continue. Each failure is thrown once.
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is lost
     */
    boolean poll() throws IOException, InterruptedException;

    /**
     * Cancels the outstanding calls. After this method the server cannot reach their memory.
     * Closing twice has no effect.
     */
    @Override
    void close();
}
