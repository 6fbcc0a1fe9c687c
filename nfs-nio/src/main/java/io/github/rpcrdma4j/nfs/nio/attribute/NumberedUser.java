package io.github.rpcrdma4j.nfs.nio.attribute;

import java.nio.file.attribute.UserPrincipal;

/**
 * A user by its number, which is its name.
 *
 * @param id unsigned
 */
public record NumberedUser(int id) implements UserPrincipal {
    @Override
    public String getName() {
        return Integer.toUnsignedString(id);
    }

    @Override
    public String toString() {
        return getName();
    }
}
