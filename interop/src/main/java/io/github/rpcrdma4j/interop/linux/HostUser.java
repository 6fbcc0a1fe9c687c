package io.github.rpcrdma4j.interop.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** The user on the host as whom the cells run. */
final class HostUser {
    private static final Path USERS = Path.of("/proc/self/uid_map");

    /** The users of a process outside of user namespaces, or in one that has them all. */
    private static final Pattern ALL_USERS = Pattern.compile("\\s*0\\s+0\\s+4294967295\\s*");

    private HostUser() {}

    /**
     * Returns whether it is root, who may mount disks and change owners. Root of a user namespace
     * may not.
     */
    static boolean isRoot() throws IOException {
        return (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0
                && ALL_USERS.matcher(Files.readString(USERS)).matches();
    }
}
