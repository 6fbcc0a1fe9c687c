package io.github.rpcrdma4j.nfs.v4.attribute;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a list of version 4 grants to those that entries of Linux apply to, ACE by ACE. The first
 * ACE that decides on a right has the last word (RFC 8881, Section 6.2.1). A right that is denied
 * to a user or to a group is denied to all that may be that user, or in that group.
 *
 * <p>Tests: {@code AclMappingTest}.
 */
final class GrantedRights {
    private final boolean isDirectory;
    private final Rights owner = new Rights();
    private final Rights group = new Rights();
    private final Rights other = new Rights();

    /** What a user or a group has that the list has not named yet. */
    private final Rights unnamed = new Rights();

    private final Map<Integer, Rights> users = new TreeMap<>(Integer::compareUnsigned);
    private final Map<Integer, Rights> groups = new TreeMap<>(Integer::compareUnsigned);
    private final Set<Tag> named = EnumSet.noneOf(Tag.class);

    GrantedRights(boolean isDirectory) {
        this.isDirectory = isDirectory;
    }

    /** Rights that are decided. */
    private static final class Rights {
        private int allowed;
        private int denied;

        Rights copy() {
            var copy = new Rights();
            copy.set(this);
            return copy;
        }

        void set(Rights from) {
            allowed = from.allowed;
            denied = from.denied;
        }

        void allow(int rights) {
            allowed |= rights & ~denied;
        }

        void deny(int rights) {
            denied |= rights & ~allowed;
        }

        void decide(boolean isAllow, int rights) {
            if (isAllow) {
                allow(rights);
            } else {
                deny(rights);
            }
        }
    }

    /**
     * Adds an ACE.
     *
     * @param tag OTHER for EVERYONE@
     * @param id of a user or a group
     * @return false if the list names too many users and groups
     */
    boolean add(Ace ace, Tag tag, int id) {
        named.add(tag);
        boolean isAllow = ace.type() == Ace.ALLOW;
        int rights = ace.mask();
        switch (tag) {
            case USER_OBJ -> owner.decide(isAllow, rights);
            case USER -> {
                var user = users.computeIfAbsent(id, _ -> unnamed.copy());
                user.decide(isAllow, rights);
                if (!isAllow) {
                    // The owner may be that user.
                    owner.deny(user.denied);
                }
            }
            case GROUP_OBJ -> {
                group.decide(isAllow, rights);
                if (!isAllow) {
                    denyMembers(group.denied);
                }
            }
            case GROUP -> {
                var one = groups.computeIfAbsent(id, _ -> unnamed.copy());
                one.decide(isAllow, rights);
                if (!isAllow) {
                    denyMembers(one.denied);
                }
            }
            case OTHER -> {
                owner.decide(isAllow, rights);
                group.decide(isAllow, rights);
                other.decide(isAllow, rights);
                unnamed.decide(isAllow, rights);
                users.values().forEach(each -> each.decide(isAllow, rights));
                groups.values().forEach(each -> each.decide(isAllow, rights));
            }
            case MASK -> throw new IllegalArgumentException("no ACE stands for a mask");
        }
        return users.size() + groups.size() < PosixAcl.ENTRIES_MAX;
    }

    /** Denies rights to all that may be in a group. */
    private void denyMembers(int rights) {
        owner.deny(rights);
        group.deny(rights);
        unnamed.deny(rights);
        users.values().forEach(each -> each.deny(rights));
        groups.values().forEach(each -> each.deny(rights));
    }

    /** Returns whether no ACE was added. */
    boolean isEmpty() {
        return named.isEmpty();
    }

    /** Takes over what owner, group and others have by another list, where this names them not. */
    void complete(GrantedRights access) {
        if (!named.contains(Tag.USER_OBJ)) {
            owner.set(access.owner);
        }
        if (!named.contains(Tag.GROUP_OBJ)) {
            group.set(access.group);
        }
        if (!named.contains(Tag.OTHER)) {
            other.set(access.other);
        }
    }

    /**
     * Returns the entries, with a mask that takes nothing away. It is not empty if others have a
     * right: Linux looks at no named user and group then, and lets all of them be others
     * (acl_permission_check of its fs/namei.c).
     */
    List<Entry> entries() {
        var entries = new ArrayList<Entry>();
        entries.add(new Entry(Tag.USER_OBJ, permissions(owner)));
        users.forEach((id, user) -> entries.add(new Entry(Tag.USER, id, permissions(user))));
        entries.add(new Entry(Tag.GROUP_OBJ, permissions(group)));
        groups.forEach((id, one) -> entries.add(new Entry(Tag.GROUP, id, permissions(one))));
        if (!users.isEmpty() || !groups.isEmpty()) {
            int mask = 0;
            for (var each : entries) {
                mask |= each.tag() == Tag.USER_OBJ ? 0 : each.permissions();
            }
            entries.add(new Entry(Tag.MASK, mask == 0 ? permissions(other) : mask));
        }
        entries.add(new Entry(Tag.OTHER, permissions(other)));
        return entries;
    }

    private int permissions(Rights rights) {
        return AceWriter.permissions(rights.allowed, isDirectory);
    }
}
