package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import java.util.List;

/**
 * Writes the entries of version 4 for a list of Linux. An entry of Linux is the last word for those
 * that it applies to. So each entry that allows rights comes with one that denies what later
 * entries would allow. Groups are the exception, because one caller is in several: all of them
 * allow before any denies.
 */
final class AceWriter {
    /** Rights that each entry allows, because Linux does not check them. */
    private static final int ALWAYS = Ace.READ_ATTRIBUTES | Ace.READ_ACL | Ace.SYNCHRONIZE;

    private static final int OWNER = Ace.WRITE_ATTRIBUTES | Ace.WRITE_ACL;
    private static final int ALL = PosixAcl.READ | PosixAcl.WRITE | PosixAcl.EXECUTE;

    private final List<Ace> aces;
    private final int flags;
    private final boolean isDirectory;
    private final AclMapping.Names names;

    AceWriter(List<Ace> aces, int flags, boolean isDirectory, AclMapping.Names names) {
        this.aces = aces;
        this.flags = flags;
        this.isDirectory = isDirectory;
        this.names = names;
    }

    void write(PosixAcl list) {
        int mask = permissions(list, Tag.MASK, ALL, ALL);
        if (mask == 0) {
            // Linux looks at the mode alone, so named users and groups have what others have.
            write(PosixAcl.ofMode(list.mode()));
            return;
        }
        int owner = permissions(list, Tag.USER_OBJ, 0, ALL);
        int users = permissions(list, Tag.USER, 0, mask);
        int group = permissions(list, Tag.GROUP_OBJ, 0, mask);
        int groups = group | permissions(list, Tag.GROUP, 0, mask);
        int other = permissions(list, Tag.OTHER, 0, ALL);

        deny(Who.OWNER, 0, ~owner & (users | groups | other));
        allow(Who.OWNER, 0, owner, OWNER);
        for (var each : list.entries()) {
            if (each.tag() == Tag.USER) {
                int granted = each.permissions() & mask;
                var who = names.user(each.id());
                deny(who, 0, ~granted & (groups | other));
                allow(who, 0, granted, 0);
            }
        }
        for (var each : list.entries()) {
            if (isGroup(each)) {
                allow(who(each), Ace.IDENTIFIER_GROUP, each.permissions() & mask, 0);
            }
        }
        for (var each : list.entries()) {
            if (isGroup(each)) {
                int granted = each.permissions() & mask;
                deny(who(each), Ace.IDENTIFIER_GROUP, ~granted & other);
            }
        }
        allow(Who.EVERYONE, 0, other, 0);
    }

    /** Returns the permissions of all entries with a tag together, or a value if there is none. */
    private static int permissions(PosixAcl list, Tag tag, int absent, int mask) {
        int permissions = 0;
        boolean isPresent = false;
        for (var each : list.entries()) {
            if (each.tag() == tag) {
                permissions |= each.permissions() & mask;
                isPresent = true;
            }
        }
        return isPresent ? permissions : absent;
    }

    private static boolean isGroup(Entry entry) {
        return entry.tag() == Tag.GROUP_OBJ || entry.tag() == Tag.GROUP;
    }

    private Who who(Entry group) {
        return group.tag() == Tag.GROUP ? names.group(group.id()) : Who.GROUP;
    }

    private void allow(Who who, int flag, int permissions, int more) {
        int rights = rights(permissions, isDirectory) | ALWAYS | more;
        aces.add(new Ace(Ace.ALLOW, flags | flag, rights, who));
    }

    private void deny(Who who, int flag, int permissions) {
        if (permissions != 0) {
            aces.add(new Ace(Ace.DENY, flags | flag, rights(permissions, isDirectory), who));
        }
    }

    /** Returns the rights of version 4 that permissions stand for. */
    static int rights(int permissions, boolean isDirectory) {
        int rights = (permissions & PosixAcl.READ) != 0 ? Ace.READ_DATA : 0;
        if ((permissions & PosixAcl.WRITE) != 0) {
            rights |= Ace.WRITE_DATA | Ace.APPEND_DATA | (isDirectory ? Ace.DELETE_CHILD : 0);
        }
        return rights | ((permissions & PosixAcl.EXECUTE) != 0 ? Ace.EXECUTE : 0);
    }

    /** Returns the permissions all of whose rights are among these. */
    static int permissions(int rights, boolean isDirectory) {
        int permissions = 0;
        for (int each = 1; each < ALL; each <<= 1) {
            int needed = rights(each, isDirectory);
            permissions |= (rights & needed) == needed ? each : 0;
        }
        return permissions;
    }
}
