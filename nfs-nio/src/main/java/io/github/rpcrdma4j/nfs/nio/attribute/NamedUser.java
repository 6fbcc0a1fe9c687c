package io.github.rpcrdma4j.nfs.nio.attribute;

import java.nio.file.attribute.UserPrincipal;

/**
 * A user by the name that a server gives it, as {@code user@domain}, or {@code OWNER@}, {@code
 * GROUP@} or {@code EVERYONE@} of access control lists.
 */
public record NamedUser(String name) implements UserPrincipal {
    @Override
    public String getName() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
