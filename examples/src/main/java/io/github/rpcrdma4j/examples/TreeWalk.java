package io.github.rpcrdma4j.examples;

import io.github.rpcrdma4j.nfs.client.NfsFiles;

/** Walks a directory tree of an NFS server, and prints each file with its size. */
public final class TreeWalk {
    private TreeWalk() {}

    /**
     * Prints a tree.
     *
     * @param args the URL of the export, and a path in it: {@code rdma://server/data /data/photos}
     */
    public static void main(String[] args) throws Exception {
        try (var files = NfsFiles.connect(args[0]);
                var tree = files.walk(args[1])) {
            tree.forEach(
                    file ->
                            System.out.printf(
                                    "%12d %s%n", file.attributes().size(), file.path().escaped()));
        }
    }
}
