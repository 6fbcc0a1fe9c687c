package io.github.rpcrdma4j.nfs.directories.linux;

/**
 * The file of a creation.
 *
 * @param node belongs to the receiver, which releases it; null if the name belongs to another file
 *     by now
 * @param isNew whether this creation made the file
 */
record MadeNode(LinuxNode node, boolean isNew) {
    static MadeNode ofNew(LinuxNode node) {
        return new MadeNode(node, true);
    }
}
