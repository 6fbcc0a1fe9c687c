package io.github.rpcrdma4j.nfs.server.users;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Maps authenticated Kerberos principals to users of this machine. It also maps the owners and
 * groups of files in calls with Kerberos, which have names like {@code alice@example.org} (RFC
 * 8881, Section 5.9), to numbers and back; without such names, they are decimal numbers.
 * Thread-safe. The server calls it for every call and every file, so no method may wait for another
 * machine.
 */
@FunctionalInterface
public interface KerberosUsers {
    /** Maps every principal to {@link Credential.None}, and knows no names. */
    KerberosUsers NONE = _ -> new Credential.None();

    /**
     * @return the user and the groups; {@link Credential.None} if the principal is no user of this
     *     machine
     */
    Credential of(Credential.Principal caller);

    /**
     * Returns the user that a caller acts as: a principal is mapped, another credential is kept.
     */
    default Credential userOf(Credential caller) {
        return caller instanceof Credential.Principal principal ? of(principal) : caller;
    }

    /**
     * Returns the number of a user, unsigned.
     *
     * @param name with its domain; any text that a client sends
     */
    default OptionalInt user(String name) {
        return OptionalInt.empty();
    }

    /** Returns the number of a group, unsigned; for the name see {@link #user}. */
    default OptionalInt group(String name) {
        return OptionalInt.empty();
    }

    /** Returns the name of a user with its domain; empty if it has none. */
    default Optional<String> nameOfUser(int uid) {
        return Optional.empty();
    }

    /** Returns the name of a group with its domain; empty if it has none. */
    default Optional<String> nameOfGroup(int gid) {
        return Optional.empty();
    }
}
