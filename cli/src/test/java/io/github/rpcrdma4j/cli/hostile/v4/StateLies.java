package io.github.rpcrdma4j.cli.hostile.v4;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CHMOD;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.CP;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET_ARCHIVE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LOCK;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LOCK_LONG;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LS_LONG;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.MKDIR;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.MV;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_ARCHIVE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.RM;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.RM_TREE;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.STAT_LINK;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.XATTR;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.XATTR_SET;

import io.github.rpcrdma4j.cli.hostile.TrialCommand;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Ace;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.Who;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockResult;
import io.github.rpcrdma4j.nfs.v4.operation.LockType;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Lies about opens, locks and stateids, and failures of each operation without end. */
final class StateLies {
    /** The commands that meet an operation. */
    private static final Map<Opcode, List<TrialCommand>> MEETING =
            new TreeMap<>(
                    Map.ofEntries(
                            Map.entry(Opcode.OPEN, List.of(PUT_TREE, GET)),
                            Map.entry(Opcode.CLOSE, List.of(PUT_TREE, GET)),
                            Map.entry(Opcode.READ, List.of(GET)),
                            Map.entry(Opcode.WRITE, List.of(PUT)),
                            Map.entry(Opcode.COMMIT, List.of(PUT)),
                            Map.entry(Opcode.GETATTR, List.of(GET)),
                            Map.entry(Opcode.SETATTR, List.of(CHMOD, PUT_ARCHIVE)),
                            Map.entry(Opcode.LOOKUP, List.of(LS_LONG)),
                            Map.entry(Opcode.READDIR, List.of(LS_LONG)),
                            Map.entry(Opcode.READLINK, List.of(STAT_LINK)),
                            Map.entry(Opcode.REMOVE, List.of(RM, RM_TREE)),
                            Map.entry(Opcode.RENAME, List.of(MV, PUT)),
                            Map.entry(Opcode.CREATE, List.of(MKDIR, PUT_TREE)),
                            Map.entry(Opcode.LOCK, List.of(LOCK)),
                            Map.entry(Opcode.LOCKU, List.of(LOCK)),
                            Map.entry(Opcode.COPY, List.of(CP)),
                            Map.entry(Opcode.CLONE, List.of(CP)),
                            Map.entry(Opcode.SEEK, List.of(GET_ARCHIVE)),
                            Map.entry(Opcode.LISTXATTRS, List.of(XATTR)),
                            Map.entry(Opcode.SETXATTR, List.of(XATTR_SET)),
                            Map.entry(Opcode.PUTFH, List.of(GET)),
                            Map.entry(Opcode.PUTROOTFH, List.of(LS_LONG)),
                            Map.entry(Opcode.ACCESS, List.of(PUT_TREE)),
                            Map.entry(Opcode.RECLAIM_COMPLETE, List.of(LS_LONG)),
                            Map.entry(Opcode.GETFH, List.of(LS_LONG))));

    private static final List<Nfs4Status> ANY =
            List.of(
                    Nfs4Status.DELAY,
                    Nfs4Status.GRACE,
                    Nfs4Status.BADSESSION,
                    Nfs4Status.STALE_CLIENTID,
                    Nfs4Status.STALE,
                    Nfs4Status.BAD_STATEID,
                    Nfs4Status.EXPIRED,
                    Nfs4Status.OLD_STATEID,
                    Nfs4Status.BAD_SEQID,
                    Nfs4Status.BADXDR,
                    Nfs4Status.OP_ILLEGAL,
                    Nfs4Status.NOTSUPP,
                    Nfs4Status.IO,
                    Nfs4Status.NOENT,
                    Nfs4Status.EXIST,
                    Nfs4Status.MOVED,
                    Nfs4Status.NOFILEHANDLE,
                    Nfs4Status.NOT_SAME,
                    Nfs4Status.TOOSMALL,
                    Nfs4Status.REP_TOO_BIG);

    private StateLies() {}

    static List<CompoundLie> all() {
        var all = new ArrayList<CompoundLie>();
        for (var each : MEETING.entrySet()) {
            var commands = each.getValue().toArray(TrialCommand[]::new);
            var operation = each.getKey();
            var name = SessionLies.word(operation);
            for (var status : ANY) {
                all.add(
                        CompoundLie.of(
                                name + "-" + SessionLies.word(status),
                                Lies.fails(operation, status),
                                commands));
            }
            all.add(
                    CompoundLie.of(
                            name + "-unknown",
                            Lies.fails(operation, Lies.UNKNOWN_STATUS),
                            commands));
            all.add(CompoundLie.of(name + "-silent", Lies.silent(operation), commands));
            all.add(CompoundLie.of(name + "-garbage", Lies.garbage(operation), commands));
        }
        all.addAll(opens());
        all.addAll(locks());
        all.addAll(ofVersion0());
        return all;
    }

    /** Lies of version 4.0, which has no sessions. */
    private static List<CompoundLie> ofVersion0() {
        var all = new ArrayList<CompoundLie>();
        for (var operation :
                List.of(
                        Opcode.SETCLIENTID,
                        Opcode.SETCLIENTID_CONFIRM,
                        Opcode.OPEN,
                        Opcode.OPEN_CONFIRM,
                        Opcode.CLOSE,
                        Opcode.READ,
                        Opcode.WRITE)) {
            for (var status :
                    List.of(
                            Nfs4Status.DELAY,
                            Nfs4Status.GRACE,
                            Nfs4Status.STALE_CLIENTID,
                            Nfs4Status.STALE_STATEID,
                            Nfs4Status.BAD_SEQID,
                            Nfs4Status.EXPIRED,
                            Nfs4Status.RESOURCE)) {
                var name = "v40-" + SessionLies.word(operation) + "-" + SessionLies.word(status);
                all.add(
                        CompoundLie.of(name, Lies.fails(operation, status), PUT_TREE, GET)
                                .with("", "--vers", "4.0"));
            }
        }
        all.add(
                CompoundLie.of(
                                "v40-renew-expired",
                                Lies.fails(Opcode.RENEW, Nfs4Status.EXPIRED),
                                LOCK_LONG)
                        .with("", "--vers", "4.0"));
        all.add(
                CompoundLie.of(
                                "v40-confirm-for-ever",
                                Lies.each(
                                        StateResult.Open.class,
                                        each ->
                                                new StateResult.Open(
                                                        each.open(),
                                                        each.change(),
                                                        StateResult.Open.CONFIRM,
                                                        each.set(),
                                                        each.delegation())),
                                GET,
                                PUT_TREE)
                        .with("", "--vers", "4.0"));
        return all;
    }

    private static List<CompoundLie> opens() {
        var ace = new Ace(Ace.ALLOW, 0, 0, Who.EVERYONE);
        var id = new StateId(1, 77, 7);
        return List.of(
                CompoundLie.of(
                        "delegation-read",
                        delegation(new OpenDelegation.Read(id, false, ace, false)),
                        GET,
                        PUT),
                CompoundLie.of(
                        "delegation-write",
                        delegation(
                                new OpenDelegation.Write(
                                        id,
                                        true,
                                        new OpenDelegation.SpaceLimit.Size(0),
                                        ace,
                                        false)),
                        PUT_TREE,
                        GET),
                CompoundLie.of("open-zeros", stateId(_ -> StateId.ANONYMOUS), GET, PUT),
                CompoundLie.of("open-ones", stateId(_ -> StateId.READ_BYPASS), GET, PUT),
                CompoundLie.of("open-current", stateId(_ -> StateId.CURRENT), GET, PUT),
                CompoundLie.of("open-same", stateId(_ -> id), PUT_TREE, GET, LOCK),
                CompoundLie.of(
                        "open-sequence", stateId(each -> each.withSequence(-1)), PUT_TREE, GET),
                CompoundLie.of(
                        "open-flags",
                        Lies.each(
                                StateResult.Open.class,
                                each ->
                                        new StateResult.Open(
                                                each.open(),
                                                each.change(),
                                                -1,
                                                AttributeSet.READABLE,
                                                each.delegation())),
                        GET,
                        PUT),
                CompoundLie.of("open-another", another(), PUT, PUT_TREE));
    }

    private static Supplier<Lying> delegation(OpenDelegation given) {
        return Lies.each(
                StateResult.Open.class,
                each ->
                        new StateResult.Open(
                                each.open(), each.change(), each.flags(), each.set(), given));
    }

    private static Supplier<Lying> stateId(UnaryOperator<StateId> lie) {
        return Lies.each(
                StateResult.Open.class,
                each ->
                        new StateResult.Open(
                                lie.apply(each.open()),
                                each.change(),
                                each.flags(),
                                each.set(),
                                each.delegation()));
    }

    /** Tells the handle of the first file for each file that is opened by its name. */
    private static Supplier<Lying> another() {
        return () -> {
            var first = new AtomicReference<HandleResult.GetFh>();
            return asked -> {
                var honest = asked.honestly();
                if (asked.has(Opcode.READDIR) || !asked.has(Opcode.GETFH)) {
                    return honest;
                }
                return honest.with(
                        HandleResult.GetFh.class,
                        told -> {
                            first.compareAndSet(null, (HandleResult.GetFh) told);
                            return asked.has(Opcode.OPEN) ? first.get() : told;
                        });
            };
        };
    }

    private static List<CompoundLie> locks() {
        return List.of(
                CompoundLie.of(
                        "lock-denied",
                        Lies.told(
                                honest ->
                                        honest.withAll(
                                                all -> {
                                                    all.replaceAll(StateLies::denied);
                                                    return all;
                                                })),
                        LOCK),
                CompoundLie.of(
                        "lock-zeros",
                        Lies.each(
                                LockResult.Lock.class, _ -> new LockResult.Lock(StateId.ANONYMOUS)),
                        LOCK),
                CompoundLie.of(
                        "lock-then-revoked",
                        SessionLies.sequence(each -> SessionLies.flags(each, 0x8)),
                        LOCK_LONG),
                CompoundLie.of(
                        "lock-then-no-session",
                        Lies.sequenceFails(Nfs4Status.BADSESSION, 8, Integer.MAX_VALUE),
                        LOCK_LONG),
                CompoundLie.of(
                        "lock-then-delay",
                        Lies.sequenceFails(Nfs4Status.DELAY, 8, Integer.MAX_VALUE),
                        LOCK_LONG),
                CompoundLie.of("lock-deadlock", Lies.fails(Opcode.LOCK, Nfs4Status.DEADLOCK), LOCK),
                CompoundLie.of("lock-range", Lies.fails(Opcode.LOCK, Nfs4Status.LOCK_RANGE), LOCK),
                CompoundLie.of(
                        "close-locks-held", Lies.fails(Opcode.CLOSE, Nfs4Status.LOCKS_HELD), LOCK));
    }

    private static Told.Part denied(Told.Part part) {
        return part.opcode() == Opcode.LOCK
                ? Told.Part.of(
                        new LockResult.Denied(
                                Opcode.LOCK,
                                0,
                                -1,
                                LockType.WRITE,
                                new StateOwner(0, DataLies.name(1024))))
                : part;
    }
}
