package io.github.rpcrdma4j.oncrpc;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Reads the identity of this process for AUTH_SYS (RFC 5531, Appendix A): the user and the groups
 * whose file permissions it has.
 */
public final class ProcessCredential {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

    /** The most groups that AUTH_SYS carries. Of more groups, Linux also sends the first ones. */
    private static final int GROUPS_MAX = 16;

    /**
     * The number of ids in a line: the real, effective, saved and file system id, in this order.
     */
    private static final int IDS = 4;

    private static final int OF_FILE_SYSTEM = 3;

    private ProcessCredential() {}

    /**
     * Reads the identity from the operating system now.
     *
     * @return AUTH_SYS, or AUTH_NONE if the system gives no identity
     */
    public static Credential read() {
        return ofLinux()
                .or(ProcessCredential::ofUnix)
                .map(Credential.class::cast)
                .orElseGet(Credential.None::new);
    }

    private static Optional<Credential.Sys> ofLinux() {
        try {
            return ofStatus(Files.readString(STATUS), hostName());
        } catch (IOException _) {
            return Optional.empty();
        }
    }

    /**
     * Returns the host name, or an empty string. The name is only for people, so it may be missing.
     */
    private static String hostName() {
        try {
            return Files.readString(HOST_NAME).strip();
        } catch (IOException _) {
            return "";
        }
    }

    /**
     * Parses the text of {@code /proc/PID/status} (proc_pid_status(5)).
     *
     * @param machine the name of the host
     * @return empty if the text has no valid user or group
     */
    static Optional<Credential.Sys> ofStatus(String status, String machine) {
        try {
            var users = numbers(status, "Uid:");
            var groups = numbers(status, "Gid:");
            if (users.size() != IDS || groups.size() != IDS) {
                return Optional.empty();
            }
            return Optional.of(
                    sys(
                            machine,
                            users.get(OF_FILE_SYSTEM),
                            groups.get(OF_FILE_SYSTEM),
                            numbers(status, "Groups:")));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    private static List<Integer> numbers(String status, String field) {
        return status.lines()
                .filter(line -> line.startsWith(field))
                .findFirst()
                .map(line -> line.substring(field.length()).strip())
                .filter(text -> !text.isEmpty())
                .map(text -> Arrays.stream(text.split("\\s+")))
                .map(words -> words.map(Integer::parseUnsignedInt).toList())
                .orElse(List.of());
    }

    /**
     * Reads the identity on systems other than Linux: the real user, which usually equals the
     * effective user.
     */
    static Optional<Credential.Sys> ofUnix() {
        try {
            var system = new UnixSystem();
            var groups = new ArrayList<Integer>();
            for (long group : system.getGroups() == null ? new long[0] : system.getGroups()) {
                groups.add((int) group);
            }
            return Optional.of(
                    sys(hostName(), (int) system.getUid(), (int) system.getGid(), groups));
        } catch (LinkageError | RuntimeException _) {
            // This system has no such users.
            return Optional.empty();
        }
    }

    /** Builds the credential. The further groups leave out the primary group. */
    private static Credential.Sys sys(String machine, int uid, int gid, List<Integer> groups) {
        return new Credential.Sys(
                0,
                machine,
                uid,
                gid,
                groups.stream()
                        .filter(group -> group != gid)
                        .distinct()
                        .limit(GROUPS_MAX)
                        .toList());
    }
}
