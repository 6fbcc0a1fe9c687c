package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.v4.attribute.AclMapping;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import java.util.OptionalInt;

/**
 * The users and groups that owners on the wire name (RFC 8881, Section 5.9). Numbers name
 * themselves, as clients with AUTH_SYS send them.
 */
final class OwnerNames implements AclMapping.Ids {
    /** Names of users and groups for clients. */
    static final AclMapping.Names NUMBERS =
            new AclMapping.Names() {
                @Override
                public Who user(int id) {
                    return Who.ofId(id);
                }

                @Override
                public Who group(int id) {
                    return Who.ofId(id);
                }
            };

    @Override
    public OptionalInt user(Who who) {
        return who.id();
    }

    @Override
    public OptionalInt group(Who who) {
        return who.id();
    }
}
