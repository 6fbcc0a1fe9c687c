package io.github.rpcrdma4j.nfs.nio.attribute;

import java.nio.file.attribute.GroupPrincipal;

/**
 * A group by its number, which is its name.
 *
 * @param id unsigned
 */
public record NumberedGroup(int id) implements GroupPrincipal {
    @Override
    public String getName() {
        return Integer.toUnsignedString(id);
    }

    @Override
    public String toString() {
        return getName();
    }
}
