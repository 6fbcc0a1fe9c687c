package io.github.rpcrdma4j.cli.files;

import io.github.rpcrdma4j.nfs.client.copy.PreservedAttributes;
import picocli.CommandLine.Option;

/** The options of {@code put}, {@code get} and {@code cp} that say what a copy keeps. */
final class CopyOptions {
    @Option(
            names = {"-r", "--recursive"},
            description =
                    "Copy directories with all below them. Links stay links; FIFOs, sockets and devices are"
                            + " made again.")
    private boolean recursive;

    @Option(
            names = {"-p", "--preserve"},
            description =
                    "Keep mode, times, access control lists and extended attributes, and the owner"
                            + " if permitted.")
    private boolean preserve;

    @Option(
            names = {"-a", "--archive"},
            description =
                    "Like -rp; hard links stay hard links, and a link that is named is copied itself.")
    private boolean archive;

    boolean isRecursive() {
        return recursive || archive;
    }

    /** Returns whether -r was given itself. */
    boolean isRecursiveItself() {
        return recursive;
    }

    /** Returns whether a link is copied as a link even if the user names it. */
    boolean keepsLinks() {
        return archive;
    }

    /** Returns the attributes that copies keep. */
    PreservedAttributes kept() {
        if (archive) {
            return PreservedAttributes.ALL;
        }
        return preserve ? PreservedAttributes.ATTRIBUTES : PreservedAttributes.PERMISSIONS;
    }
}
