package io.github.rpcrdma4j.nfs.client.v4;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.client.v4.SimFiles.SimFile;
import io.github.rpcrdma4j.nfs.server.driver.Statuses;
import io.github.rpcrdma4j.nfs.state.ClientUse;
import io.github.rpcrdma4j.nfs.state.Sequenced;
import io.github.rpcrdma4j.nfs.state.SlotUse;
import io.github.rpcrdma4j.nfs.state.event.CreateSessionCall;
import io.github.rpcrdma4j.nfs.state.event.ExchangeIdCall;
import io.github.rpcrdma4j.nfs.state.event.Protection;
import io.github.rpcrdma4j.nfs.state.event.SequenceCall;
import io.github.rpcrdma4j.nfs.state.limit.ChannelRules;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeWriter;
import io.github.rpcrdma4j.nfs.v4.attribute.EncodedAttributes;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeArguments;
import io.github.rpcrdma4j.nfs.v4.operation.AttributeResult;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.DataArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.Opcode;
import io.github.rpcrdma4j.nfs.v4.operation.Result;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** A COMPOUND that a {@link SimServer} carries out, with pauses between its operations. */
final class SimCompound {
    static final SegmentPool POOL = new SegmentPool(1 << 20);

    final SimServer server;
    final SimConnection connection;
    private final byte[] call;
    private final CompoundArguments arguments;

    /** Gets the reply. */
    private final Consumer<byte[]> whenDone;

    private final List<Result> results = new ArrayList<>();
    private int done;

    /** The slot of its SEQUENCE; null if it has none. */
    SlotUse use;

    /** For whom the operation in progress is: in a session that of the slot. */
    ClientUse client;

    private SimServer.UsedSlot slot;

    /** The current file; 0 if there is none. */
    long current;

    long saved;
    StateId currentStateId = StateId.INVALID;

    /** An operation has failed. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1L;
        final Nfs4Status status;

        Failure(Nfs4Status status) {
            super(status.toString());
            this.status = status;
        }
    }

    SimCompound(
            SimServer server, SimConnection connection, byte[] call, Consumer<byte[]> whenDone) {
        this.server = server;
        this.connection = connection;
        this.call = call;
        this.whenDone = whenDone;
        try {
            arguments = CompoundArguments.decode(new XdrReader(MemorySegment.ofArray(call)));
            arguments
                    .operations()
                    .forEach(each -> server.received.merge(each.opcode(), 1, Integer::sum));
        } catch (XdrException malformed) {
            throw new AssertionError("the client sends what is no COMPOUND", malformed);
        }
    }

    /** Carries out the next operations, until one takes its time, or all are done. */
    void run() {
        while (done < arguments.operations().size()) {
            var next = arguments.operations().get(done++);
            Result result;
            try {
                if (next instanceof SessionArguments.Sequence sequence) {
                    var kept = sequence(sequence);
                    if (kept.isPresent()) {
                        server.trace.accept(
                                connection.identity.number() + ": replayed " + sequence);
                        whenDone.accept(kept.get());
                        return;
                    }
                    result = results.removeLast();
                } else if (arguments.minorVersion() == 0) {
                    if (isTooLate(next)) {
                        return;
                    }
                    result = new SimOwners(this).carryOut(next);
                } else {
                    server.faults.beforeOperation(next.opcode());
                    result = carryOut(next);
                }
            } catch (Failure failure) {
                var status =
                        arguments.minorVersion() == 0
                                ? Statuses.ofVersion0(next.opcode(), failure.status)
                                : failure.status;
                result = Result.failed(next.opcode(), status);
            }
            results.add(result);
            if (result.status() != Nfs4Status.OK) {
                break;
            }
            long pause = server.faults.operationNanos();
            if (pause > 0) {
                server.after(pause, this::run);
                return;
            }
        }
        end();
    }

    /**
     * Nothing keeps a server of version 4.0 from writing a call late, behind the next ones: that
     * would undo them. Here it does not, when the connection of the call has ended. Nor does the
     * server know the numbers of an unused owner for ever (RFC 7530, Section 9.1.11), so an OPEN
     * that comes later than a lease would make a file that was renamed in between a second time.
     */
    private boolean isTooLate(Arguments next) {
        long lease = TimeUnit.SECONDS.toNanos(server.faults.leaseSeconds);
        return next instanceof DataArguments.Write && connection.isLost()
                || next instanceof StateArguments.Open && connection.isLostFor(lease);
    }

    private void end() {
        var status = results.getLast().status();
        server.trace.accept(
                connection.identity.number()
                        + ": "
                        + results.stream().map(each -> each.opcode() + " " + each.status()).toList()
                        + (use == null ? "" : " " + results.getFirst()));
        byte[] reply =
                encoded(out -> new CompoundResult(status, arguments.tag(), results).encode(out));
        if (use != null) {
            boolean isKept =
                    use.keepsReply()
                            && reply.length <= use.cachedMax()
                            && !server.faults.forgetsReply();
            server.working.remove(slot);
            server.run(server.state.finish(use, isKept ? reply : null, server.now()));
        }
        whenDone.accept(reply);
    }

    /** Returns what something writes. */
    static byte[] encoded(Consumer<XdrWriter> what) {
        try (var out = new XdrWriter(POOL)) {
            what.accept(out);
            out.inlineBulkItems();
            return out.reducedStream().toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Returns the kept reply if the call was carried out before. */
    private Optional<byte[]> sequence(SessionArguments.Sequence sent) throws Failure {
        requireSlot(sent);
        server.faults.beforeSequence();
        var crc = new CRC32C();
        crc.update(call);
        var event =
                new SequenceCall(
                        sent.session(),
                        sent.sequence(),
                        sent.slot(),
                        sent.highestSlot(),
                        sent.isCached(),
                        arguments.operations().size(),
                        call.length,
                        crc.getValue());
        var sequenced = sequenced(event);
        return switch (sequenced) {
            case Sequenced.Replayed(_, var kept) -> Optional.of(kept);
            case Sequenced.Started(var started, var told) -> {
                use = started;
                client = started;
                server.working.add(slot);
                results.add(
                        new SessionResult.Sequence(
                                told.session(),
                                told.sequence(),
                                told.slot(),
                                told.highestSlot(),
                                server.faults.target(told.targetHighestSlot()),
                                told.flags()));
                yield Optional.empty();
            }
        };
    }

    /** A server takes slots from its clients in which nothing is in progress, and not the first. */
    private void requireSlot(SessionArguments.Sequence sent) throws Failure {
        slot = new SimServer.UsedSlot(sent.session(), sent.slot());
        if (sent.slot() > 0 && !server.working.contains(slot) && server.faults.retiresSlot()) {
            server.retired.add(slot);
        }
        if (server.retired.contains(slot)) {
            throw new Failure(Nfs4Status.BADSLOT);
        }
    }

    private Sequenced sequenced(SequenceCall event) throws Failure {
        try {
            return server.ok(() -> server.state.sequence(event, connection.sender(), server.now()));
        } catch (Failure refused) {
            throw refused.status == Nfs4Status.DELAY ? server.faults.onRepetition() : refused;
        }
    }

    Result carryOut(Arguments next) throws Failure {
        return switch (next) {
            case SessionArguments session -> session(session);
            case HandleArguments handle -> handle(handle);
            case AttributeArguments attribute -> attribute(attribute);
            default -> new SimFileOperations(this).carryOut(next);
        };
    }

    private Result session(SessionArguments next) throws Failure {
        var sender = connection.sender();
        var state = server.state;
        long now = server.now();
        return switch (next) {
            case SessionArguments.ExchangeId sent -> {
                var event = new ExchangeIdCall(sent.owner(), sent.flags(), Protection.NONE, "sim");
                long fresh = server.fresh();
                var told = server.ok(() -> state.exchangeId(event, fresh, sender, now));
                yield new SessionResult.ExchangeId(
                        told.clientId(),
                        told.sequence(),
                        told.flags(),
                        new StateProtection.None(),
                        0,
                        name("server"),
                        name("scope " + server.scope),
                        Optional.empty());
            }
            case SessionArguments.CreateSession sent -> {
                var event =
                        new CreateSessionCall(
                                sent.clientId(),
                                sent.sequence(),
                                sent.flags(),
                                sent.fore(),
                                sent.back(),
                                sent.callbackProgram(),
                                () -> ChannelRules.BACK_REQUEST_MIN);
                var fresh = new SessionId(server.fresh(), server.fresh());
                var made = server.ok(() -> state.createSession(event, fresh, sender, now));
                yield new SessionResult.CreateSession(
                        made.id(), made.sequence(), made.flags(), made.fore(), made.back());
            }
            case SessionArguments.DestroySession(var id) -> {
                server.ok(() -> state.destroySession(id, use, sender, now));
                yield Result.done(Opcode.DESTROY_SESSION);
            }
            case SessionArguments.DestroyClientId(var id) -> {
                server.ok(() -> state.destroyClientId(id, sender, now));
                yield Result.done(Opcode.DESTROY_CLIENTID);
            }
            case SessionArguments.BindConnToSession sent ->
                    new SessionResult.BindConnToSession(
                            sent.session(),
                            server.ok(
                                    () ->
                                            state.bindConnection(
                                                    sent.session(), sent.direction(), sender, now)),
                            false);
            case SessionArguments.ReclaimComplete(var isOne) -> {
                server.ok(() -> state.reclaimComplete(use, isOne, now));
                server.completed.merge(use.clientId(), 1, Integer::sum);
                yield Result.done(Opcode.RECLAIM_COMPLETE);
            }
            default -> throw new Failure(Nfs4Status.NOTSUPP);
        };
    }

    private static OpaqueName name(String text) {
        return OpaqueName.of(text.getBytes(StandardCharsets.UTF_8));
    }

    private Result handle(HandleArguments next) throws Failure {
        switch (next) {
            case HandleArguments.PutRootFh _ -> setCurrent(SimFiles.ROOT);
            case HandleArguments.PutFh(var handle) -> setCurrent(SimFiles.id(handle));
            case HandleArguments.SaveFh _ -> saved = current;
            case HandleArguments.Lookup(var name) -> {
                var found = server.files.names.get(SimFiles.text(name));
                if (found == null) {
                    throw new Failure(Nfs4Status.NOENT);
                }
                setCurrent(found.id);
            }
            case HandleArguments.GetFh _ -> {
                return new HandleResult.GetFh(SimFiles.handle(current));
            }
            default -> throw new Failure(Nfs4Status.NOTSUPP);
        }
        return Result.done(next.opcode());
    }

    void setCurrent(long id) {
        current = id;
        currentStateId = StateId.INVALID;
    }

    /** Returns the current file. */
    SimFile file() throws Failure {
        var file = server.files.file(current);
        if (file == null) {
            throw new Failure(current == SimFiles.ROOT ? Nfs4Status.ISDIR : Nfs4Status.STALE);
        }
        return file;
    }

    StateId resolved(StateId sent) {
        return sent.equals(StateId.CURRENT) ? currentStateId : sent;
    }

    private Result attribute(AttributeArguments next) throws Failure {
        if (current != SimFiles.ROOT) {
            file();
        }
        var facts = server.files.facts(current, server.faults.leaseSeconds);
        return switch (next) {
            case AttributeArguments.GetAttr(var wanted) -> {
                byte[] bytes = encoded(out -> AttributeWriter.encode(out, wanted, facts));
                yield new AttributeResult.GetAttr(attributes(bytes));
            }
            case AttributeArguments.Verify(var known) -> {
                if (compare(known) != Nfs4Status.SAME) {
                    throw new Failure(Nfs4Status.NOT_SAME);
                }
                yield Result.done(Opcode.VERIFY);
            }
            case AttributeArguments.NVerify(var known) -> {
                if (compare(known) != Nfs4Status.NOT_SAME) {
                    throw new Failure(Nfs4Status.SAME);
                }
                yield Result.done(Opcode.NVERIFY);
            }
            case AttributeArguments.SetAttr(_, var changes) -> {
                file().verifier = OptionalLong.empty();
                yield new AttributeResult.SetAttr(Nfs4Status.OK, changes.attributes());
            }
            default -> throw new Failure(Nfs4Status.NOTSUPP);
        };
    }

    private Nfs4Status compare(EncodedAttributes known) {
        var facts = server.files.facts(current, server.faults.leaseSeconds);
        try (var scratch = new XdrWriter(POOL)) {
            return AttributeWriter.compare(scratch, known, facts.present(), facts);
        }
    }

    private static EncodedAttributes attributes(byte[] bytes) {
        try {
            return EncodedAttributes.decode(new XdrReader(MemorySegment.ofArray(bytes)));
        } catch (XdrException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
