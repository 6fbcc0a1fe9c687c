package io.github.rpcrdma4j.cli.terminal;

import io.github.rpcrdma4j.nfs.server.users.SystemAccounts;
import java.util.OptionalInt;

/**
 * A new owner as {@code chown} takes it: {@code USER}, {@code USER:GROUP} or {@code :GROUP}, each a
 * number or a name of this machine.
 */
public record OwnerText(OptionalInt user, OptionalInt group) {
    /** Names are looked up as those of a domain; this one has no meaning. */
    private static final String DOMAIN = "here";

    /**
     * Parses an owner.
     *
     * @throws IllegalArgumentException if it is malformed, or a name is unknown; the message tells
     *     a user why
     */
    public static OwnerText parse(String text) {
        int colon = text.indexOf(':');
        var user = colon < 0 ? text : text.substring(0, colon);
        var group = colon < 0 ? "" : text.substring(colon + 1);
        if (user.isEmpty() && group.isEmpty()) {
            throw new IllegalArgumentException("an owner is USER, USER:GROUP or :GROUP");
        }
        var accounts = new SystemAccounts(DOMAIN);
        return new OwnerText(
                user.isEmpty()
                        ? OptionalInt.empty()
                        : number(user, accounts.user(user + "@" + DOMAIN), "user"),
                group.isEmpty()
                        ? OptionalInt.empty()
                        : number(group, accounts.group(group + "@" + DOMAIN), "group"));
    }

    private static OptionalInt number(String word, OptionalInt known, String what) {
        if (known.isPresent()) {
            return known;
        }
        try {
            int number = Integer.parseUnsignedInt(word);
            if (number != -1) {
                return OptionalInt.of(number);
            }
        } catch (NumberFormatException _) {
            // It is meant as a name.
        }
        throw new IllegalArgumentException(
                "there is no " + what + " " + word + " on this machine; a number works too");
    }
}
