package io.github.rpcrdma4j.cli.hostile.v4;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LS_LONG;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_TREE;

import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Lies about clients, sessions, slots and leases. */
final class SessionLies {
    private static final int FOREVER = Integer.MAX_VALUE;

    /** So many calls of a command are answered before a later lie begins. */
    private static final int LATER = 3;

    private static final int CONFIRMED = 0x8000_0000;

    /** What an honest server may say of a SEQUENCE that it has not carried out, for a while. */
    private static final Set<Nfs4Status> PASSING =
            EnumSet.of(
                    Nfs4Status.DELAY,
                    Nfs4Status.BADSESSION,
                    Nfs4Status.DEADSESSION,
                    Nfs4Status.CONN_NOT_BOUND_TO_SESSION,
                    Nfs4Status.BADSLOT);

    private static final List<Nfs4Status> OF_SEQUENCE =
            List.of(
                    Nfs4Status.DELAY,
                    Nfs4Status.BADSESSION,
                    Nfs4Status.DEADSESSION,
                    Nfs4Status.BADSLOT,
                    Nfs4Status.BAD_HIGH_SLOT,
                    Nfs4Status.SEQ_MISORDERED,
                    Nfs4Status.SEQ_FALSE_RETRY,
                    Nfs4Status.RETRY_UNCACHED_REP,
                    Nfs4Status.CONN_NOT_BOUND_TO_SESSION,
                    Nfs4Status.REQ_TOO_BIG,
                    Nfs4Status.REP_TOO_BIG,
                    Nfs4Status.REP_TOO_BIG_TO_CACHE,
                    Nfs4Status.TOO_MANY_OPS,
                    Nfs4Status.SEQUENCE_POS,
                    Nfs4Status.OP_NOT_IN_SESSION,
                    Nfs4Status.GRACE,
                    Nfs4Status.STALE_CLIENTID,
                    Nfs4Status.EXPIRED,
                    Nfs4Status.SERVERFAULT);

    private SessionLies() {}

    static List<CompoundLie> all() {
        var all = new ArrayList<CompoundLie>();
        all.addAll(clients());
        all.addAll(sessions());
        for (var status : OF_SEQUENCE) {
            all.add(
                    CompoundLie.of(
                            "sequence-" + word(status),
                            Lies.sequenceFails(status, 0, FOREVER),
                            LS_LONG));
            all.add(
                    CompoundLie.of(
                            "sequence-" + word(status) + "-later",
                            Lies.sequenceFails(status, LATER, FOREVER),
                            PUT,
                            GET));
            var once = Lies.sequenceFails(status, LATER, 1);
            var name = "sequence-" + word(status) + "-once";
            all.add(
                    PASSING.contains(status)
                            ? CompoundLie.harmless(name, once, PUT_TREE)
                            : CompoundLie.of(name, once, PUT_TREE));
        }
        all.addAll(replies());
        for (int i = 0; i < 11; i++) {
            int flag = 1 << i;
            all.add(CompoundLie.of("flag-" + i, sequence(each -> flags(each, flag)), PUT_TREE));
        }
        all.add(CompoundLie.of("flags-all", sequence(each -> flags(each, -1)), PUT_TREE));
        return all;
    }

    static String word(Enum<?> each) {
        return each.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static List<CompoundLie> clients() {
        var all = new ArrayList<CompoundLie>();
        for (var status :
                List.of(
                        Nfs4Status.DELAY,
                        Nfs4Status.CLID_INUSE,
                        Nfs4Status.SERVERFAULT,
                        Nfs4Status.NOT_ONLY_OP)) {
            all.add(
                    CompoundLie.of(
                            "exchange-" + word(status),
                            Lies.refuses(Opcode.EXCHANGE_ID, status, FOREVER),
                            LS_LONG));
        }
        all.add(
                CompoundLie.harmless(
                        "exchange-delay-twice",
                        Lies.refuses(Opcode.EXCHANGE_ID, Nfs4Status.DELAY, 2),
                        GET));
        all.add(CompoundLie.of("exchange-no-role", exchange(0), GET));
        all.add(CompoundLie.of("exchange-all-flags", exchange(-1), GET));
        all.add(CompoundLie.of("exchange-confirmed", exchange(CONFIRMED | 0x1_0000), GET));
        all.add(
                CompoundLie.of(
                        "exchange-sequence",
                        Lies.each(
                                SessionResult.ExchangeId.class,
                                each ->
                                        new SessionResult.ExchangeId(
                                                each.clientId(),
                                                each.sequence() - 7,
                                                each.flags(),
                                                each.protection(),
                                                each.serverMinor(),
                                                each.serverMajor(),
                                                each.scope(),
                                                each.implementation())),
                        GET));
        all.add(CompoundLie.of("lease-0", lease(0), PUT_TREE));
        all.add(CompoundLie.of("lease-2-32-1", lease(-1), PUT_TREE));
        return all;
    }

    private static Supplier<Lying> exchange(int flags) {
        return Lies.each(
                SessionResult.ExchangeId.class,
                each ->
                        new SessionResult.ExchangeId(
                                each.clientId(),
                                each.sequence(),
                                flags,
                                each.protection(),
                                each.serverMinor(),
                                each.serverMajor(),
                                each.scope(),
                                each.implementation()));
    }

    private static Supplier<Lying> lease(int seconds) {
        byte[] value = {
            (byte) (seconds >> 24), (byte) (seconds >> 16), (byte) (seconds >> 8), (byte) seconds
        };
        var lie =
                new AttributeResult.GetAttr(
                        EncodedAttributes.of(AttributeSet.of(Attribute.LEASE_TIME), value));
        return () ->
                asked -> {
                    var honest = asked.honestly();
                    boolean isOfLease =
                            asked.first(AttributeArguments.GetAttr.class)
                                    .filter(each -> each.wanted().has(Attribute.LEASE_TIME))
                                    .isPresent();
                    return isOfLease
                            ? honest.with(AttributeResult.GetAttr.class, _ -> lie)
                            : honest;
                };
    }

    private static List<CompoundLie> sessions() {
        var all = new ArrayList<CompoundLie>();
        for (var status :
                List.of(
                        Nfs4Status.DELAY,
                        Nfs4Status.STALE_CLIENTID,
                        Nfs4Status.SEQ_MISORDERED,
                        Nfs4Status.NOSPC,
                        Nfs4Status.TOOSMALL)) {
            all.add(
                    CompoundLie.of(
                            "create-" + word(status),
                            Lies.refuses(Opcode.CREATE_SESSION, status, FOREVER),
                            LS_LONG));
        }
        all.add(
                CompoundLie.harmless(
                        "create-delay-twice",
                        Lies.refuses(Opcode.CREATE_SESSION, Nfs4Status.DELAY, 2),
                        GET));
        all.add(
                CompoundLie.harmless(
                        "create-stale-once",
                        Lies.refuses(Opcode.CREATE_SESSION, Nfs4Status.STALE_CLIENTID, 1),
                        GET));
        all.add(
                CompoundLie.of(
                        "create-delay-after-loss",
                        () -> {
                            var lost =
                                    Lies.sequenceFails(Nfs4Status.BADSESSION, LATER, FOREVER).get();
                            var seen = new AtomicInteger();
                            return asked ->
                                    asked.has(Opcode.CREATE_SESSION) && seen.getAndIncrement() > 0
                                            ? Told.failed(Opcode.CREATE_SESSION, Nfs4Status.DELAY)
                                            : lost.tell(asked);
                        },
                        PUT));
        all.add(CompoundLie.of("slots-0", limits(1 << 20, 1 << 20, 64, 0), LS_LONG));
        all.add(CompoundLie.of("slots-1", limits(1 << 20, 1 << 20, 64, 1), PUT_TREE, GET));
        all.add(CompoundLie.of("slots-2-32-1", limits(1 << 20, 1 << 20, 64, -1), PUT_TREE));
        all.add(CompoundLie.of("limits-2-32-1", limits(-1, -1, -1, 64), PUT_TREE, GET));
        all.add(CompoundLie.of("limits-2-31", limits(1 << 31, 1 << 31, 1 << 31, 64), PUT_TREE));
        all.add(CompoundLie.of("limits-0", limits(0, 0, 64, 64), LS_LONG));
        all.add(CompoundLie.of("limits-2048", limits(2048, 2048, 64, 64), PUT_TREE, GET, LS_LONG));
        all.add(CompoundLie.of("operations-1", limits(1 << 20, 1 << 20, 1, 64), LS_LONG));
        all.add(CompoundLie.of("operations-8", limits(1 << 20, 1 << 20, 8, 64), PUT_TREE, GET));
        all.add(
                CompoundLie.of(
                        "create-other-session",
                        Lies.each(
                                SessionResult.CreateSession.class,
                                each ->
                                        new SessionResult.CreateSession(
                                                new SessionId(4, 2),
                                                each.sequence(),
                                                each.flags(),
                                                each.fore(),
                                                each.back())),
                        LS_LONG));
        return all;
    }

    private static Supplier<Lying> limits(int request, int response, int operations, int slots) {
        var fore =
                new ChannelAttributes(
                        0, request, response, 4096, operations, slots, OptionalInt.empty());
        return Lies.each(
                SessionResult.CreateSession.class,
                each ->
                        new SessionResult.CreateSession(
                                each.session(), each.sequence(), each.flags(), fore, each.back()));
    }

    static Supplier<Lying> sequence(UnaryOperator<SessionResult.Sequence> change) {
        return Lies.each(SessionResult.Sequence.class, change);
    }

    static SessionResult.Sequence flags(SessionResult.Sequence each, int flags) {
        return new SessionResult.Sequence(
                each.session(),
                each.sequence(),
                each.slot(),
                each.highestSlot(),
                each.targetHighestSlot(),
                flags);
    }

    private static SessionResult.Sequence numbers(
            SessionResult.Sequence each, int sequence, int slot, int highest, int target) {
        return new SessionResult.Sequence(
                each.session(), sequence, slot, highest, target, each.statusFlags());
    }

    /** Lies of the results of SEQUENCE, and of what stands beside them. */
    private static List<CompoundLie> replies() {
        return List.of(
                CompoundLie.of(
                        "other-session",
                        sequence(
                                each ->
                                        new SessionResult.Sequence(
                                                new SessionId(4, 2),
                                                each.sequence(),
                                                each.slot(),
                                                each.highestSlot(),
                                                each.targetHighestSlot(),
                                                0)),
                        LS_LONG),
                CompoundLie.of(
                        "other-slot",
                        sequence(each -> numbers(each, each.sequence(), each.slot() + 1, 63, 63)),
                        LS_LONG),
                CompoundLie.of(
                        "other-sequence",
                        sequence(each -> numbers(each, each.sequence() + 1, each.slot(), 63, 63)),
                        LS_LONG),
                CompoundLie.harmless(
                        "target-0",
                        sequence(each -> numbers(each, each.sequence(), each.slot(), 0, 0)),
                        PUT_TREE,
                        GET),
                CompoundLie.harmless(
                        "target-2-32-1",
                        sequence(each -> numbers(each, each.sequence(), each.slot(), -1, -1)),
                        PUT_TREE),
                CompoundLie.of("nothing", Lies.told(_ -> new Told(0, List.of())), LS_LONG),
                CompoundLie.of("nothing-later", later(_ -> new Told(0, List.of())), PUT, GET),
                CompoundLie.of(
                        "fewer",
                        later(honest -> honest.withAll(all -> all.subList(0, 1))),
                        GET,
                        PUT),
                CompoundLie.of(
                        "without-sequence",
                        later(
                                honest ->
                                        honest.withAll(
                                                all ->
                                                        all.subList(
                                                                Math.min(1, all.size()),
                                                                all.size()))),
                        GET,
                        PUT),
                CompoundLie.of(
                        "more",
                        later(
                                honest ->
                                        honest.withAll(
                                                all -> {
                                                    all.addAll(List.copyOf(all));
                                                    return all;
                                                })),
                        GET,
                        PUT),
                CompoundLie.of("turned", later(honest -> honest.withAll(List::reversed)), GET, PUT),
                CompoundLie.of("status-ok", Lies.told(honest -> honest.withStatus(0)), PUT_TREE),
                CompoundLie.of(
                        "status-unknown",
                        Lies.told(honest -> honest.withStatus(Lies.UNKNOWN_STATUS)),
                        PUT_TREE),
                CompoundLie.of(
                        "status-delay",
                        later(honest -> honest.withStatus(Nfs4Status.DELAY.number())),
                        GET,
                        PUT));
    }

    /** Changes the answers behind the first ones. */
    private static Supplier<Lying> later(UnaryOperator<Told> change) {
        return () -> {
            var count = new AtomicInteger();
            return asked -> {
                var honest = asked.honestly();
                return asked.has(Opcode.SEQUENCE) && count.getAndIncrement() >= LATER
                        ? change.apply(honest)
                        : honest;
            };
        };
    }
}
