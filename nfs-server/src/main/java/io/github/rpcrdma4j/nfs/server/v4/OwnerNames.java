package io.github.rpcrdma4j.nfs.server.v4;

import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.attribute.AclMapping;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import java.util.OptionalInt;

/**
 * Maps the strings that name users and groups, such as those of owner and owner_group, to user and
 * group IDs, and back (RFC 8881, Section 5.9). With AUTH_SYS the strings are numbers, as in its
 * credentials. With RPCSEC_GSS they are names with a domain; users and groups without a name are
 * numbers. The server takes numbers with any flavor, so that a client can set what it has read.
 */
final class OwnerNames {
    /** Numbers name themselves. */
    static final Names NUMBERS = new Numbers();

    /**
     * Maps the strings that name users and groups to IDs and back, for callers with one security
     * flavor.
     */
    interface Names extends AclMapping.Ids, AclMapping.Names {}

    private final Names ofPrincipals;

    OwnerNames(KerberosUsers users) {
        ofPrincipals = new Accounts(users);
    }

    /** Returns the names for the caller of a COMPOUND. */
    Names of(Compound compound) {
        return switch (compound.client().flavor()) {
            case NONE, SYS -> NUMBERS;
            case KRB5, KRB5I, KRB5P -> ofPrincipals;
        };
    }

    private static final class Numbers implements Names {
        @Override
        public Who user(int id) {
            return Who.ofId(id);
        }

        @Override
        public Who group(int id) {
            return Who.ofId(id);
        }

        @Override
        public OptionalInt user(Who who) {
            return who.id();
        }

        @Override
        public OptionalInt group(Who who) {
            return who.id();
        }
    }

    private record Accounts(KerberosUsers users) implements Names {
        @Override
        public Who user(int id) {
            return users.nameOfUser(id).map(Who::of).orElseGet(() -> Who.ofId(id));
        }

        @Override
        public Who group(int id) {
            return users.nameOfGroup(id).map(Who::of).orElseGet(() -> Who.ofId(id));
        }

        @Override
        public OptionalInt user(Who who) {
            return isName(who) ? users.user(who.toString()) : who.id();
        }

        @Override
        public OptionalInt group(Who who) {
            return isName(who) ? users.group(who.toString()) : who.id();
        }

        /** Returns whether this can be a name; the text of malformed bytes is another one. */
        private static boolean isName(Who who) {
            return who.id().isEmpty() && who.isUtf8();
        }
    }
}
