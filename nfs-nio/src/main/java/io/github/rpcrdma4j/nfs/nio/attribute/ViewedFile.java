package io.github.rpcrdma4j.nfs.nio.attribute;

import io.github.rpcrdma4j.nfs.client.service.FileService;
import io.github.rpcrdma4j.nfs.client.service.RemoteFile;
import java.io.IOException;

/** The file of a view, which is found by its path at each use. */
public interface ViewedFile {
    /**
     * Does something with a file.
     *
     * @param <T> its result
     */
    interface Use<T> {
        /**
         * Does it.
         *
         * @param what for the message of a failure
         */
        T of(FileService service, RemoteFile file, String what)
                throws IOException, InterruptedException;
    }

    /**
     * Finds the file and uses it.
     *
     * @throws java.nio.file.FileSystemException if the server refuses
     */
    <T> T use(Use<T> use) throws IOException;
}
