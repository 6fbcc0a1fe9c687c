package io.github.rpcrdma4j.interop.access;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A user, with the credential of its calls.
 *
 * @param name a short name, used in the ids of cases
 * @param credential the credential in the calls
 */
record Caller(String name, Credential credential) {
    /** The uid of the owner of most files. */
    static final int OWNER_UID = 1000;

    /** The gid of most files. Only {@link #MEMBER} has it as the first group. */
    static final int SHARED_GID = 2000;

    static final Caller ROOT = of("root", 0, 0);
    static final Caller OWNER = of("owner", OWNER_UID, 1000);
    static final Caller OWNER_IN_GROUP = of("owner-in-group", OWNER_UID, 1000, SHARED_GID);
    static final Caller MEMBER = of("member", 1001, SHARED_GID);
    static final Caller SIXTEENTH =
            new Caller(
                    "sixteenth",
                    sys(
                            1002,
                            1002,
                            Stream.concat(
                                            IntStream.range(3000, 3015).boxed(),
                                            Stream.of(SHARED_GID))
                                    .toList()));
    static final Caller OTHER = of("other", 1003, 1003);
    static final Caller NAMELESS = new Caller("nameless", new Credential.None());

    /** The callers that the permission bits distinguish. */
    static final List<Caller> ORDINARY = List.of(ROOT, OWNER, MEMBER, SIXTEENTH, OTHER);

    /** The callers that an open file can have as its users. */
    static final List<Caller> USERS = List.of(ROOT, OWNER, MEMBER, OTHER);

    static Caller of(String name, int uid, int gid, Integer... groups) {
        return new Caller(name, sys(uid, gid, List.of(groups)));
    }

    private static Credential sys(int uid, int gid, List<Integer> groups) {
        return new Credential.Sys(0, "table", uid, gid, groups);
    }

    /** Returns {@code uid:gid} and further groups, for a line of the table. */
    String words() {
        return switch (credential) {
            case Credential.Sys(_, _, var uid, var gid, var groups) ->
                    Integer.toUnsignedString(uid)
                            + ":"
                            + Integer.toUnsignedString(gid)
                            + groups.stream()
                                    .map(Integer::toUnsignedString)
                                    .map("+"::concat)
                                    .collect(Collectors.joining());
            case Credential.None() -> "AUTH_NONE";
            case Credential.Principal(var principal, _) -> principal;
        };
    }
}
