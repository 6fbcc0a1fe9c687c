package io.github.rpcrdma4j.nfs.client.file;

import io.github.rpcrdma4j.nfs.client.service.FileAttributes;
import io.github.rpcrdma4j.oncrpc.Credential;

/**
 * The rule for which links of a server a client follows. In a directory where all may make links,
 * such as {@code /tmp}, a link of another user could lead a command to files of its caller. The
 * rule is that of Linux with {@code fs.protected_symlinks} ({@code may_follow_link} in {@code
 * fs/namei.c}). No kernel applies it here, because this client resolves paths itself.
 */
public final class LinkRule {
    private static final int STICKY = 01000;
    private static final int WRITABLE_FOR_OTHERS = 0002;

    private LinkRule() {}

    /**
     * Returns whether a link is followed.
     *
     * @param directory the attributes of the directory that holds the link
     * @param link the attributes of the link
     * @param caller as whom the calls are made; only one of AUTH_SYS has a number that the owner of
     *     a link can be compared with
     */
    public static boolean follows(
            FileAttributes directory, FileAttributes link, Credential caller) {
        int shared = STICKY | WRITABLE_FOR_OTHERS;
        return (directory.mode() & shared) != shared
                || directory.uid() == link.uid()
                || caller instanceof Credential.Sys known && known.uid() == link.uid();
    }
}
