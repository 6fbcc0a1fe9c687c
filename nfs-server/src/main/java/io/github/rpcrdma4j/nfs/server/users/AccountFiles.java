package io.github.rpcrdma4j.nfs.server.users;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The users and groups in files like {@code /etc/passwd} and {@code /etc/group}. Immutable. */
final class AccountFiles {
    private static final Logger LOG = System.getLogger(AccountFiles.class.getName());

    /** The most lines and bytes of a file that count. */
    private static final int LINES_MAX = 100_000;

    private static final int BYTES_MAX = 1 << 26;
    private static final Pattern NEWLINE = Pattern.compile("\n");

    private static final int FIELDS_MIN = 4;

    private final Map<String, Credential.Sys> users = new HashMap<>();
    private final Map<String, Integer> groups = new HashMap<>();
    private final Map<Integer, String> userNames = new HashMap<>();
    private final Map<Integer, String> groupNames = new HashMap<>();

    private AccountFiles() {}

    /** Reads both files. A file that cannot be read has no entries, and a warning. */
    static AccountFiles read(Path users, Path groups) {
        var accounts = new AccountFiles();
        var memberships = new HashMap<String, List<Integer>>();
        for (var fields : entries(groups)) {
            accounts.addGroup(fields, memberships);
        }
        for (var fields : entries(users)) {
            accounts.addUser(fields, memberships);
        }
        return accounts;
    }

    private void addGroup(String[] fields, Map<String, List<Integer>> memberships) {
        try {
            int gid = Integer.parseUnsignedInt(fields[2]);
            var name = decoded(fields[0]);
            groups.putIfAbsent(name, gid);
            groupNames.putIfAbsent(gid, name);
            for (var member : fields[3].split(",")) {
                memberships.computeIfAbsent(decoded(member), _ -> new ArrayList<>()).add(gid);
            }
        } catch (NumberFormatException _) {
            // A group without a valid number has no members.
        }
    }

    private void addUser(String[] fields, Map<String, List<Integer>> memberships) {
        var name = decoded(fields[0]);
        try {
            int uid = Integer.parseUnsignedInt(fields[2]);
            int gid = Integer.parseUnsignedInt(fields[3]);
            var others = List.copyOf(memberships.getOrDefault(name, List.of()));
            users.putIfAbsent(name, new Credential.Sys(0, name, uid, gid, others));
            userNames.putIfAbsent(uid, name);
        } catch (NumberFormatException _) {
            // No principal is a user without valid numbers.
        }
    }

    /**
     * Returns the entries of a file. Users may choose some fields of their lines themselves. So
     * bytes that are no UTF-8 hide no more than the name that has them, and only a newline ends a
     * line, as for getpwnam(3): a carriage return in a field begins no entry of the user's own.
     */
    private static List<String[]> entries(Path file) {
        try (var in = Files.newInputStream(file)) {
            var text = new String(in.readNBytes(BYTES_MAX), StandardCharsets.ISO_8859_1);
            return NEWLINE.splitAsStream(text)
                    .limit(LINES_MAX)
                    .map(line -> line.split(":", -1))
                    .filter(entry -> entry.length >= FIELDS_MIN && isName(decoded(entry[0])))
                    .toList();
        } catch (IOException unreadable) {
            LOG.log(Level.WARNING, () -> "cannot read " + file + ": " + unreadable.getMessage());
            return List.of();
        }
    }

    /** Returns a text that was read byte by byte; nothing if it is no UTF-8. */
    private static String decoded(String bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString();
        } catch (CharacterCodingException _) {
            return "";
        }
    }

    /** Returns whether a name can stand in front of a domain. */
    private static boolean isName(String text) {
        return !text.isEmpty() && text.indexOf('@') < 0;
    }

    /** Returns a user with all groups, or null. */
    Credential.Sys user(String name) {
        return users.get(name);
    }

    /** Returns the first user of a number with all groups, or null. */
    Credential.Sys user(int uid) {
        var name = userNames.get(uid);
        return name == null ? null : users.get(name);
    }

    /** Returns the number of a group, or null. */
    Integer group(String name) {
        return groups.get(name);
    }

    /** Returns the first name of a user, or null. */
    String nameOfUser(int uid) {
        return userNames.get(uid);
    }

    /** Returns the first name of a group, or null. */
    String nameOfGroup(int gid) {
        return groupNames.get(gid);
    }
}
