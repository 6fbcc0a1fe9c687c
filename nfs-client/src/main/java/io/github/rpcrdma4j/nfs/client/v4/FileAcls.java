package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.nfs.FileType;
import io.github.rpcrdma4j.nfs.acl.AclLists;
import io.github.rpcrdma4j.nfs.acl.AclLists.Listed;
import io.github.rpcrdma4j.nfs.acl.PosixAcl;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Flag;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Right;
import io.github.rpcrdma4j.nfs.client.service.AccessEntry.Type;
import io.github.rpcrdma4j.nfs.client.service.AccessLists;
import io.github.rpcrdma4j.nfs.client.service.FileHandle;
import io.github.rpcrdma4j.nfs.client.service.NfsException;
import io.github.rpcrdma4j.nfs.client.service.Status;
import io.github.rpcrdma4j.nfs.client.v4.plan.Plan;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.AclMapping;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.ReadAttributes;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalInt;

/**
 * The access control lists of files (RFC 8881, Section 6), as they are and as those of Linux. Users
 * and groups in lists of Linux are numbers: names of a domain are not known here.
 *
 * <p>Tests: {@code AclCopiesTest}, {@code AccessListsTest}.
 */
record FileAcls(CompoundCalls calls, FileSystemQuestions fileSystems) implements AccessLists {
    private static final AttributeSet WANTED = AttributeSet.of(Attribute.TYPE, Attribute.ACL);

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

    private static final AclMapping.Names NAMES =
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

    /**
     * Returns the lists of a file. A list has no bound but that of the session (RFC 8267-6.2-2,
     * 8267-6.2.2-1), which there is room for at once: a call that the transport refuses is not made
     * again with more (RFC 8267-3.1-4). Version 4.0 has no bound at all; there is as much room (RFC
     * 8267-6.2.1-3).
     *
     * @throws NfsException {@link Status#NOTSUPP} if the file system has no lists, {@link
     *     Status#INVAL} if lists of Linux cannot say what this one says
     */
    AclLists read(FileHandle file, int mask, String what) throws IOException, InterruptedException {
        return lists(asked(file, what), mask, what);
    }

    private ReadAttributes asked(FileHandle file, String what)
            throws IOException, InterruptedException {
        return calls.run(
                Plan.at(Nfs4Values.handle(file)).attributes(WANTED, calls.roomForData()),
                what,
                results -> read(results, what));
    }

    /** Returns attributes with those that were wanted. */
    private static ReadAttributes read(Results results, String what) throws IOException {
        var encoded = results.done(1).next(AttributeResult.GetAttr.class).attributes();
        var read = Results.decoded(() -> ReadAttributes.decode(encoded));
        if (!read.present().has(Attribute.ACL) || !read.present().has(Attribute.TYPE)) {
            throw new NfsException(what, Status.NOTSUPP);
        }
        return read;
    }

    private static AclLists lists(ReadAttributes read, int mask, String what) throws IOException {
        boolean isDirectory = read.word(Attribute.TYPE) == FileType.DIRECTORY.number();
        return switch (AclMapping.toPosix(read.acl(), isDirectory, IDS)) {
            case AclMapping.Mapped.Lists(var access, var inherited) ->
                    new AclLists(
                            mask,
                            listed(access),
                            inherited.map(FileAcls::listed).orElse(Listed.NONE));
            case AclMapping.Mapped.Refused _ ->
                    throw NfsException.found(
                            what,
                            "its access control list is none that Linux can have",
                            Status.INVAL);
        };
    }

    private static Listed listed(PosixAcl acl) {
        return Listed.of(acl, 0, 0);
    }

    /** Replaces the lists of a file. */
    void change(FileHandle file, AclLists lists, String what)
            throws IOException, InterruptedException {
        boolean isDirectory = (lists.mask() & AclLists.DEFAULTS) != 0;
        var access =
                lists.access()
                        .acl()
                        .orElseThrow(() -> new IllegalArgumentException("no access list"));
        change(file, AclMapping.toAces(access, lists.defaults().acl(), isDirectory, NAMES), what);
    }

    private void change(FileHandle file, List<Ace> aces, String what)
            throws IOException, InterruptedException {
        calls.run(
                Plan.at(Nfs4Values.handle(file)).change(Nfs4Values.acl(aces)),
                what,
                results -> results.done(2));
    }

    @Override
    public boolean exist() {
        return true;
    }

    @Override
    public boolean areKept(FileHandle file, String what) throws IOException, InterruptedException {
        return fileSystems.keepsAcls(file, what);
    }

    @Override
    public List<AccessEntry> of(FileHandle file, String what)
            throws IOException, InterruptedException {
        var entries = new ArrayList<AccessEntry>();
        for (var each : asked(file, what).acl()) {
            entries.add(entry(each, what));
        }
        return List.copyOf(entries);
    }

    @Override
    public void replace(FileHandle file, List<AccessEntry> entries, String what)
            throws IOException, InterruptedException {
        change(file, entries.stream().map(FileAcls::ace).toList(), what);
    }

    /**
     * Returns an entry of a server.
     *
     * @throws NfsException if it has what no entry here can say
     */
    private static AccessEntry entry(Ace ace, String what) throws NfsException {
        var flags = EnumSet.noneOf(Flag.class);
        var rights = EnumSet.noneOf(Right.class);
        for (var each : Flag.values()) {
            if ((ace.flags() & mask(each)) != 0) {
                flags.add(each);
            }
        }
        for (var each : Right.values()) {
            if ((ace.mask() & each.mask()) != 0) {
                rights.add(each);
            }
        }
        boolean isKnown = ace.type() >= 0 && ace.type() < Type.values().length;
        if (isKnown && ace.who().isUtf8()) {
            var type = Type.values()[ace.type()];
            var entry = new AccessEntry(type, flags, rights, ace.who().toString());
            if (ace(entry).equals(ace)) {
                return entry;
            }
        }
        throw NfsException.found(
                what, "its access control list has an entry of an unknown kind", Status.INVAL);
    }

    private static Ace ace(AccessEntry entry) {
        int flags = entry.flags().stream().mapToInt(FileAcls::mask).sum();
        int rights = entry.rights().stream().mapToInt(Right::mask).sum();
        return new Ace(entry.type().ordinal(), flags, rights, Who.of(entry.who()));
    }

    private static int mask(Flag flag) {
        return 1 << flag.ordinal();
    }
}
