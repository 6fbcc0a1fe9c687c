package io.github.rpcrdma4j.nfs.v4.attribute;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Entry;
import io.github.rpcrdma4j.nfs.acl.PosixAcl.Tag;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AclMapping.Mapped;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AclMappingTest {
    private static final int READ = PosixAcl.READ;
    private static final int WRITE = PosixAcl.WRITE;
    private static final int EXECUTE = PosixAcl.EXECUTE;
    private static final int ALL = READ | WRITE | EXECUTE;

    /** The owner and the group of the file. */
    private static final int OWNER = 1;

    private static final int GROUP = 1;

    private static final AclMapping.Names NUMBERS =
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

    private static final AclMapping.Ids IDS =
            new AclMapping.Ids() {
                @Override
                public OptionalInt user(Who who) {
                    return who.id();
                }

                @Override
                public OptionalInt group(Who who) {
                    return who.id();
                }
            };

    /** Who asks for rights. */
    private record Caller(int user, Set<Integer> groups) {
        private boolean isIn(int group) {
            return groups.contains(group);
        }
    }

    private static Ace allow(Who who, int mask) {
        return new Ace(Ace.ALLOW, 0, mask, who);
    }

    private static Ace deny(Who who, int mask) {
        return new Ace(Ace.DENY, 0, mask, who);
    }

    private static Mapped.Lists mapped(boolean isDirectory, Ace... aces) {
        return assertInstanceOf(
                Mapped.Lists.class, AclMapping.toPosix(List.of(aces), isDirectory, IDS));
    }

    private static void requireRefused(Nfs4Status status, boolean isDirectory, Ace... aces) {
        assertEquals(
                new Mapped.Refused(status), AclMapping.toPosix(List.of(aces), isDirectory, IDS));
    }

    private static List<Ace> aces(PosixAcl access, boolean isDirectory) {
        return AclMapping.toAces(access, Optional.empty(), isDirectory, NUMBERS);
    }

    /** Source: RFC 8881, Section 6.2.1: the first ACE that names a right decides on it. */
    private static boolean allows(List<Ace> aces, Caller caller, int right) {
        for (var each : aces) {
            if ((each.flags() & Ace.INHERIT_ONLY) == 0
                    && applies(each, caller)
                    && (each.mask() & right) != 0) {
                return each.type() == Ace.ALLOW;
            }
        }
        return false;
    }

    private static boolean applies(Ace ace, Caller caller) {
        if (ace.who().equals(Who.OWNER)) {
            return caller.user == OWNER;
        }
        if (ace.who().equals(Who.GROUP)) {
            return caller.isIn(GROUP);
        }
        if (ace.who().equals(Who.EVERYONE)) {
            return true;
        }
        int id = ace.who().id().orElseThrow();
        return ace.isGroup() ? caller.isIn(id) : caller.user == id;
    }

    /**
     * Source: acl(5), "Access check algorithm". If the mask gives no right, Linux looks at the mode
     * alone (acl_permission_check of its fs/namei.c).
     */
    private static boolean allows(PosixAcl acl, Caller caller, int permission) {
        boolean isMasked = acl.entries().contains(new Entry(Tag.MASK, 0));
        return allowsByEntries(isMasked ? PosixAcl.ofMode(acl.mode()) : acl, caller, permission);
    }

    private static boolean allowsByEntries(PosixAcl acl, Caller caller, int permission) {
        int mask = ALL;
        boolean isMember = false;
        int members = 0;
        int other = 0;
        int user = -1;
        for (var each : acl.entries()) {
            switch (each.tag()) {
                case USER_OBJ -> {
                    if (caller.user == OWNER) {
                        return (each.permissions() & permission) != 0;
                    }
                }
                case USER -> user = each.id() == caller.user ? each.permissions() : user;
                case GROUP_OBJ, GROUP -> {
                    if (caller.isIn(each.tag() == Tag.GROUP ? each.id() : GROUP)) {
                        isMember = true;
                        members |= each.permissions();
                    }
                }
                case MASK -> mask = each.permissions();
                case OTHER -> other = each.permissions();
            }
        }
        int granted = user >= 0 ? user & mask : isMember ? members & mask : other;
        return (granted & permission) != 0;
    }

    @Test
    void aModeBecomesThreeEntriesAndWhatTheyDeny() {
        int always = Ace.READ_ATTRIBUTES | Ace.READ_ACL | Ace.SYNCHRONIZE;
        int owner = always | Ace.WRITE_ATTRIBUTES | Ace.WRITE_ACL;
        int write = Ace.WRITE_DATA | Ace.APPEND_DATA;
        assertEquals(
                List.of(
                        allow(Who.OWNER, owner | Ace.READ_DATA | write),
                        new Ace(Ace.ALLOW, Ace.IDENTIFIER_GROUP, always | Ace.READ_DATA, Who.GROUP),
                        allow(Who.EVERYONE, always | Ace.READ_DATA)),
                aces(PosixAcl.ofMode(0644), false));
        assertEquals(
                List.of(
                        deny(Who.OWNER, Ace.READ_DATA | write | Ace.DELETE_CHILD | Ace.EXECUTE),
                        allow(Who.OWNER, owner),
                        new Ace(Ace.ALLOW, Ace.IDENTIFIER_GROUP, always, Who.GROUP),
                        new Ace(
                                Ace.DENY,
                                Ace.IDENTIFIER_GROUP,
                                Ace.READ_DATA | write | Ace.DELETE_CHILD | Ace.EXECUTE,
                                Who.GROUP),
                        allow(
                                Who.EVERYONE,
                                always | Ace.READ_DATA | write | Ace.DELETE_CHILD | Ace.EXECUTE)),
                aces(PosixAcl.ofMode(0007), true));
    }

    @Test
    void everyModeComesBack() {
        for (int mode = 0; mode <= 0777; mode++) {
            for (boolean isDirectory : new boolean[] {false, true}) {
                var acl = PosixAcl.ofMode(mode);
                var back = AclMapping.toPosix(aces(acl, isDirectory), isDirectory, IDS);
                assertEquals(new Mapped.Lists(acl, Optional.empty()), back);
            }
        }
    }

    /** Goal: what pynfs sets (ACL5 and ACL10) is a list that gives no rights. */
    @Test
    void aListWithoutSpecialNamesAndWithoutRightsIsTaken() {
        var lists = mapped(false, allow(Who.of("123"), 0), deny(Who.of("123"), 0));
        assertEquals(
                List.of(
                        new Entry(Tag.USER_OBJ, 0),
                        new Entry(Tag.USER, 123, 0),
                        new Entry(Tag.GROUP_OBJ, 0),
                        new Entry(Tag.MASK, 0),
                        new Entry(Tag.OTHER, 0)),
                lists.access().entries());
        assertEquals(Optional.empty(), lists.inherited());
        assertEquals(0, mapped(false).access().mode());
    }

    /** Goal: Linux looks at the entry, although it gives no right. */
    @Test
    void whoIsDeniedWhatOthersHaveIsKeptOut() {
        var lists =
                mapped(
                        false,
                        allow(Who.OWNER, Ace.READ_DATA),
                        new Ace(Ace.DENY, Ace.IDENTIFIER_GROUP, Ace.READ_DATA, Who.of("4")),
                        allow(Who.EVERYONE, Ace.READ_DATA | Ace.EXECUTE));
        assertFalse(allows(lists.access(), new Caller(5, Set.of(4)), READ));
        var alone =
                mapped(
                        false,
                        new Ace(Ace.DENY, Ace.IDENTIFIER_GROUP, Ace.READ_DATA, Who.of("4")),
                        allow(Who.EVERYONE, Ace.READ_DATA));
        assertEquals(
                List.of(
                        new Entry(Tag.USER_OBJ, 0),
                        new Entry(Tag.GROUP_OBJ, 0),
                        new Entry(Tag.GROUP, 4, 0),
                        new Entry(Tag.MASK, READ),
                        new Entry(Tag.OTHER, READ)),
                alone.access().entries());
        assertFalse(allows(alone.access(), new Caller(5, Set.of(4)), READ));
    }

    /** Goal: a client sees who really reads a file. */
    @Test
    void aListWithAnEmptyMaskIsShownAsItsMode() {
        var list =
                new PosixAcl(
                        List.of(
                                new Entry(Tag.USER_OBJ, ALL),
                                new Entry(Tag.USER, 5, WRITE),
                                new Entry(Tag.GROUP_OBJ, READ),
                                new Entry(Tag.MASK, 0),
                                new Entry(Tag.OTHER, READ)));
        assertEquals(aces(PosixAcl.ofMode(0704), false), aces(list, false));
    }

    @Test
    void aModeFromAListKeepsItsSpecialBits() {
        assertEquals(07640, AclMapping.mode(07000, PosixAcl.ofMode(0640)));
        assertEquals(01640, AclMapping.mode(01777, PosixAcl.ofMode(0640)));
        assertEquals(0640, AclMapping.mode(0777, PosixAcl.ofMode(0640)));
    }

    @Test
    void theFirstWordOnARightCounts() {
        var everyone = allow(Who.EVERYONE, Ace.READ_DATA | Ace.EXECUTE);
        var lists = mapped(false, deny(Who.of("5"), Ace.READ_DATA), everyone);
        assertEquals(
                List.of(
                        // User 5 may be the owner.
                        new Entry(Tag.USER_OBJ, EXECUTE),
                        new Entry(Tag.USER, 5, EXECUTE),
                        new Entry(Tag.GROUP_OBJ, READ | EXECUTE),
                        new Entry(Tag.MASK, READ | EXECUTE),
                        new Entry(Tag.OTHER, READ | EXECUTE)),
                lists.access().entries());
        var late = mapped(false, everyone, deny(Who.of("5"), Ace.READ_DATA));
        assertEquals(0555, late.access().mode());
        assertTrue(allows(late.access(), new Caller(5, Set.of()), READ));
    }

    /** Goal: a list of Linux that is smaller than the right does not give a part of it. */
    @Test
    void halfOfARightIsNone() {
        assertEquals(0, mapped(false, allow(Who.EVERYONE, Ace.WRITE_DATA)).access().mode());
        var write = allow(Who.EVERYONE, Ace.WRITE_DATA | Ace.APPEND_DATA);
        assertEquals(0222, mapped(false, write).access().mode());
        assertEquals(0, mapped(true, write).access().mode());
    }

    @Test
    void inheritedEntriesBecomeTheDefaultList() {
        int inherit = Ace.FILE_INHERIT | Ace.DIRECTORY_INHERIT;
        var lists =
                mapped(
                        true,
                        allow(Who.OWNER, Ace.READ_DATA | Ace.EXECUTE),
                        allow(Who.EVERYONE, Ace.EXECUTE),
                        new Ace(Ace.ALLOW, inherit | Ace.INHERIT_ONLY, Ace.READ_DATA, Who.of("7")));
        assertEquals(PosixAcl.ofMode(0511), lists.access());
        assertEquals(
                List.of(
                        new Entry(Tag.USER_OBJ, READ | EXECUTE),
                        new Entry(Tag.USER, 7, READ),
                        new Entry(Tag.GROUP_OBJ, EXECUTE),
                        new Entry(Tag.MASK, READ | EXECUTE),
                        new Entry(Tag.OTHER, EXECUTE)),
                lists.inherited().orElseThrow().entries());
        var both = new Ace(Ace.ALLOW, Ace.FILE_INHERIT, Ace.READ_DATA, Who.EVERYONE);
        assertEquals(
                new Mapped.Lists(PosixAcl.ofMode(0444), Optional.of(PosixAcl.ofMode(0444))),
                mapped(true, both));
        // Inherited by nothing, it gives no right at all.
        var nothing = new Ace(Ace.ALLOW, Ace.INHERIT_ONLY, Ace.READ_DATA, Who.EVERYONE);
        assertEquals(new Mapped.Lists(PosixAcl.ofMode(0), Optional.empty()), mapped(true, nothing));
    }

    @Test
    void whatLinuxCannotKeepIsRefused() {
        var audit = new Ace(Ace.AUDIT, 0, Ace.READ_DATA, Who.EVERYONE);
        requireRefused(Nfs4Status.ATTRNOTSUPP, false, audit);
        requireRefused(Nfs4Status.ATTRNOTSUPP, false, new Ace(Ace.ALARM, 0, 0, Who.EVERYONE));
        requireRefused(Nfs4Status.ATTRNOTSUPP, false, new Ace(-1, 0, 0, Who.EVERYONE));
        int once = Ace.FILE_INHERIT | Ace.NO_PROPAGATE_INHERIT;
        requireRefused(Nfs4Status.ATTRNOTSUPP, true, new Ace(Ace.ALLOW, once, 0, Who.EVERYONE));
        requireRefused(
                Nfs4Status.INVAL, false, new Ace(Ace.ALLOW, Ace.FILE_INHERIT, 0, Who.EVERYONE));
        requireRefused(Nfs4Status.INVAL, true, new Ace(Ace.ALLOW, 0x100, 0, Who.EVERYONE));
        requireRefused(Nfs4Status.BADOWNER, false, allow(Who.of("alice"), 0));
        requireRefused(Nfs4Status.BADOWNER, false, allow(Who.of("INTERACTIVE@"), 0));
        requireRefused(Nfs4Status.BADOWNER, false, allow(Who.of("4294967295"), 0));
    }

    @Test
    void tooManyEntriesAreRefused() {
        var users =
                IntStream.range(0, PosixAcl.ENTRIES_MAX - 4)
                        .mapToObj(id -> allow(Who.ofId(id), Ace.READ_DATA))
                        .toArray(Ace[]::new);
        assertEquals(PosixAcl.ENTRIES_MAX, mapped(false, users).access().entries().size());
        var more =
                IntStream.range(0, PosixAcl.ENTRIES_MAX - 3)
                        .mapToObj(id -> allow(Who.ofId(id), Ace.READ_DATA))
                        .toArray(Ace[]::new);
        requireRefused(Nfs4Status.FBIG, false, more);
        var same = Collections.nCopies(AclMapping.ACES_MAX + 1, allow(Who.EVERYONE, 0));
        requireRefused(Nfs4Status.FBIG, false, same.toArray(Ace[]::new));
    }

    private static PosixAcl randomPosix(Random random) {
        var entries = new ArrayList<Entry>();
        entries.add(new Entry(Tag.USER_OBJ, random.nextInt(ALL + 1)));
        entries.add(new Entry(Tag.GROUP_OBJ, random.nextInt(ALL + 1)));
        entries.add(new Entry(Tag.OTHER, random.nextInt(ALL + 1)));
        for (int id = 1; id <= 4; id++) {
            if (random.nextInt(3) == 0) {
                entries.add(new Entry(Tag.USER, id, random.nextInt(ALL + 1)));
            }
            if (random.nextInt(3) == 0) {
                entries.add(new Entry(Tag.GROUP, id, random.nextInt(ALL + 1)));
            }
        }
        if (entries.size() > 3 || random.nextBoolean()) {
            entries.add(new Entry(Tag.MASK, random.nextInt(ALL + 1)));
        }
        return new PosixAcl(entries);
    }

    /** Returns every caller with some of the groups 1 to 4. */
    private static List<Caller> callers() {
        var callers = new ArrayList<Caller>();
        for (int user = 1; user <= 5; user++) {
            for (int bits = 0; bits < 16; bits++) {
                int groups = bits;
                var set = new HashSet<Integer>();
                IntStream.rangeClosed(1, 4)
                        .filter(id -> (groups >> id - 1 & 1) != 0)
                        .forEach(set::add);
                callers.add(new Caller(user, Set.copyOf(set)));
            }
        }
        return callers;
    }

    /**
     * Goal: a caller has the same rights by both lists, right by right. Method: random lists of
     * Linux, all callers, and the algorithms of acl(5) and of the RFC.
     */
    @Test
    void aListOfVersion4GivesWhatTheListOfLinuxGives() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var callers = callers();
        for (int round = 0; round < 500; round++) {
            var posix = randomPosix(random);
            boolean isDirectory = random.nextBoolean();
            var aces = aces(posix, isDirectory);
            for (var caller : callers) {
                for (int permission : new int[] {READ, WRITE, EXECUTE}) {
                    boolean expected = allows(posix, caller, permission);
                    int rights = AceWriter.rights(permission, isDirectory);
                    for (int rest = rights; rest != 0; rest &= rest - 1) {
                        int right = Integer.lowestOneBit(rest);
                        assertEquals(
                                expected,
                                allows(aces, caller, right),
                                () -> posix + " " + aces + " " + caller + " " + right);
                    }
                }
            }
            // Mapped back, it gives the same again.
            var back =
                    assertInstanceOf(
                            Mapped.Lists.class, AclMapping.toPosix(aces, isDirectory, IDS));
            for (var caller : callers) {
                for (int permission : new int[] {READ, WRITE, EXECUTE}) {
                    boolean isAllowed = allows(back.access(), caller, permission);
                    assertTrue(
                            !isAllowed || allows(posix, caller, permission),
                            () -> posix + " " + aces + " " + back + " " + caller);
                }
            }
        }
    }

    /**
     * Goal: a list of Linux never gives more than the list of version 4 that a client set. Method:
     * random lists of version 4, all callers, and the algorithms of acl(5) and of the RFC.
     */
    @Test
    void aListOfLinuxGivesNoMoreThanTheListOfVersion4() {
        long seed = Long.getLong("seed", System.nanoTime());
        System.out.println("seed=" + seed);
        var random = new Random(seed);
        var callers = callers();
        int given = 0;
        for (int round = 0; round < 2000; round++) {
            var aces = new ArrayList<Ace>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                aces.add(randomAce(random));
            }
            boolean isDirectory = random.nextBoolean();
            var lists =
                    assertInstanceOf(
                            Mapped.Lists.class, AclMapping.toPosix(aces, isDirectory, IDS));
            for (var caller : callers) {
                for (int permission : new int[] {READ, WRITE, EXECUTE}) {
                    if (!allows(lists.access(), caller, permission)) {
                        continue;
                    }
                    given++;
                    int rights = AceWriter.rights(permission, isDirectory);
                    for (int rest = rights; rest != 0; rest &= rest - 1) {
                        int right = Integer.lowestOneBit(rest);
                        assertTrue(
                                allows(aces, caller, right),
                                () -> aces + " " + lists + " " + caller + " " + right);
                    }
                }
            }
        }
        assertTrue(given > 1000, "rights: " + given);
    }

    private static Ace randomAce(Random random) {
        int mask = random.nextInt(0x80);
        boolean isGroup = random.nextBoolean();
        var who =
                switch (random.nextInt(5)) {
                    case 0 -> Who.OWNER;
                    case 1 -> Who.GROUP;
                    case 2 -> Who.EVERYONE;
                    default -> Who.ofId(1 + random.nextInt(4));
                };
        int type = random.nextInt(3) == 0 ? Ace.DENY : Ace.ALLOW;
        return new Ace(type, isGroup ? Ace.IDENTIFIER_GROUP : 0, mask, who);
    }
}
