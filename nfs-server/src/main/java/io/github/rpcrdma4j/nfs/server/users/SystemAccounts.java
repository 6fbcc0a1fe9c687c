package io.github.rpcrdma4j.nfs.server.users;

import io.github.rpcrdma4j.oncrpc.Credential;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Maps {@code alice@REALM} to the user {@code alice} of this system. Principals of other realms,
 * and those with an instance, like {@code nfs/host@REALM}, have no user. Users from sources other
 * than the files below are not found. Thread-safe.
 *
 * <p>The domain of owners is the realm in lower case, as in {@code alice@realm}; that of a client
 * may have any case.
 *
 * <pre>
 *   /etc/passwd:  name:password:uid:gid:...
 *   /etc/group:   name:password:gid:member,member
 * </pre>
 */
public final class SystemAccounts implements KerberosUsers {
    private static final Credential NOBODY = new Credential.None();

    private final LocalAccounts accounts;
    private final String ending;
    private final String domain;

    /**
     * @param realm the realm whose principals are users of this system
     */
    public SystemAccounts(String realm) {
        this(new LocalAccounts(), realm);
    }

    SystemAccounts(LocalAccounts accounts, String realm) {
        this.accounts = accounts;
        this.ending = "@" + realm;
        this.domain = ending.toLowerCase(Locale.ROOT);
    }

    @Override
    public Credential of(Credential.Principal caller) {
        var name = caller.name();
        if (!name.endsWith(ending) || name.indexOf('/') >= 0) {
            return NOBODY;
        }
        var user = accounts.now().user(name.substring(0, name.length() - ending.length()));
        return user == null ? NOBODY : user;
    }

    @Override
    public OptionalInt user(String name) {
        var user = isOfDomain(name) ? accounts.now().user(withoutDomain(name)) : null;
        return user == null ? OptionalInt.empty() : OptionalInt.of(user.uid());
    }

    @Override
    public OptionalInt group(String name) {
        var gid = isOfDomain(name) ? accounts.now().group(withoutDomain(name)) : null;
        return gid == null ? OptionalInt.empty() : OptionalInt.of(gid);
    }

    private boolean isOfDomain(String name) {
        int at = name.length() - domain.length();
        return at > 0 && name.regionMatches(true, at, domain, 0, domain.length());
    }

    private String withoutDomain(String name) {
        return name.substring(0, name.length() - domain.length());
    }

    @Override
    public Optional<String> nameOfUser(int uid) {
        return Optional.ofNullable(accounts.now().nameOfUser(uid)).map(name -> name + domain);
    }

    @Override
    public Optional<String> nameOfGroup(int gid) {
        return Optional.ofNullable(accounts.now().nameOfGroup(gid)).map(name -> name + domain);
    }
}
