package io.github.rpcrdma4j.nfs.nio.attribute;

import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/** Finds users and groups by their numbers, without asking the server. Immutable. */
public final class Principals extends UserPrincipalLookupService {
    /** The only one. */
    public static final Principals NUMBERED = new Principals();

    private Principals() {}

    private static int number(String name) throws UserPrincipalNotFoundException {
        try {
            return Integer.parseUnsignedInt(name);
        } catch (NumberFormatException _) {
            throw new UserPrincipalNotFoundException(name);
        }
    }

    @Override
    public UserPrincipal lookupPrincipalByName(String name) throws UserPrincipalNotFoundException {
        return new NumberedUser(number(name));
    }

    @Override
    public GroupPrincipal lookupPrincipalByGroupName(String group)
            throws UserPrincipalNotFoundException {
        return new NumberedGroup(number(group));
    }

    static int number(UserPrincipal user) {
        return switch (user) {
            case NumberedUser(int id) -> id;
            case NumberedGroup(int id) -> id;
            default -> throw new ProviderMismatchException("no user of a server: " + user);
        };
    }

    static int group(GroupPrincipal group) {
        if (group instanceof NumberedGroup(int id)) {
            return id;
        }
        throw new ProviderMismatchException("no group of a server: " + group);
    }
}
