package io.github.rpcrdma4j.nfs.nio.attribute;

import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;

/**
 * Finds users and groups by their numbers, or by names with an {@code @}, without asking the
 * server. Owners of files are numbers; names are for access control lists. Immutable.
 *
 * <p>Tests: {@code AclViewContract}, {@code ProviderContract}.
 */
public final class Principals extends UserPrincipalLookupService {
    /** The only one. */
    public static final Principals OF_SERVERS = new Principals();

    private Principals() {}

    @Override
    public UserPrincipal lookupPrincipalByName(String name) throws UserPrincipalNotFoundException {
        return principal(name, false);
    }

    @Override
    public GroupPrincipal lookupPrincipalByGroupName(String group)
            throws UserPrincipalNotFoundException {
        return (GroupPrincipal) principal(group, true);
    }

    private static UserPrincipal principal(String name, boolean isGroup)
            throws UserPrincipalNotFoundException {
        if (!isNumber(name) && name.indexOf('@') < 1) {
            throw new UserPrincipalNotFoundException(name);
        }
        return told(name, isGroup);
    }

    private static boolean isNumber(String name) {
        try {
            return Integer.toUnsignedString(Integer.parseUnsignedInt(name)).equals(name);
        } catch (NumberFormatException _) {
            return false;
        }
    }

    /** Returns who a server means. */
    static UserPrincipal told(String who, boolean isGroup) {
        if (isNumber(who)) {
            int id = Integer.parseUnsignedInt(who);
            return isGroup ? new NumberedGroup(id) : new NumberedUser(id);
        }
        return isGroup ? new NamedGroup(who) : new NamedUser(who);
    }

    static boolean isGroup(UserPrincipal principal) {
        return principal instanceof NumberedGroup || principal instanceof NamedGroup;
    }

    /** Returns how a server is told of a user or a group. */
    static String who(UserPrincipal principal) {
        return switch (principal) {
            case NumberedUser(int id) -> Integer.toUnsignedString(id);
            case NumberedGroup(int id) -> Integer.toUnsignedString(id);
            case NamedUser(var name) -> name;
            case NamedGroup(var name) -> name;
            default -> throw new ProviderMismatchException("no user of a server: " + principal);
        };
    }

    static int number(UserPrincipal user) {
        return switch (user) {
            case NumberedUser(int id) -> id;
            case NumberedGroup(int id) -> id;
            default -> throw new ProviderMismatchException("no number of a user: " + user);
        };
    }

    static int group(GroupPrincipal group) {
        if (group instanceof NumberedGroup(int id)) {
            return id;
        }
        throw new ProviderMismatchException("no number of a group: " + group);
    }
}
