package io.github.rpcrdma4j.nfs.nio.attribute;

import java.nio.file.attribute.GroupPrincipal;

/** A group by the name that a server gives it, as {@code group@domain}, or {@code GROUP@}. */
public record NamedGroup(String name) implements GroupPrincipal {
    @Override
    public String getName() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
