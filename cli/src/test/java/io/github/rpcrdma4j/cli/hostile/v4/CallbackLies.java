package io.github.rpcrdma4j.cli.hostile.v4;

import static io.github.rpcrdma4j.cli.hostile.TrialCommand.GET;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.LOCK;
import static io.github.rpcrdma4j.cli.hostile.TrialCommand.PUT_TREE;

import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackCompound;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ReverseDirection;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Callbacks without end, from four threads, beside honest answers. */
final class CallbackLies {
    private static final int PROGRAM = 0x4000_0000;
    private static final int SLOTS = 4;
    private static final int REPLY_BYTES = 2048;
    private static final Duration PATIENCE = Duration.ofSeconds(1);
    static final FileHandle FILE = FileHandle.of(new byte[32]);

    private CallbackLies() {}

    /** Makes the arguments of a callback. */
    private interface Calling {
        Consumer<XdrWriter> compound(SessionId session, int slot, int sequence);
    }

    static List<CompoundLie> all() {
        return List.of(
                CompoundLie.harmless(
                        "recalls",
                        calls(new CallbackArguments.Recall(new StateId(1, 2, 3), true, FILE)),
                        PUT_TREE),
                CompoundLie.harmless(
                        "recalls-any",
                        calls(new CallbackArguments.RecallAny(0, Bitmap.of(0, 1))),
                        GET),
                CompoundLie.harmless(
                        "recalls-slot-0",
                        calls(new CallbackArguments.RecallSlot(0)),
                        PUT_TREE,
                        GET),
                CompoundLie.harmless(
                        "recalls-slot-2-32-1",
                        calls(new CallbackArguments.RecallSlot(-1)),
                        PUT_TREE),
                CompoundLie.harmless(
                        "notifies",
                        calls(
                                new CallbackArguments.NotifyLock(
                                        FILE, new StateOwner(0, DataLies.name(1024)))),
                        LOCK,
                        PUT_TREE),
                CompoundLie.harmless(
                        "asks-attributes",
                        calls(new CallbackArguments.GetAttr(FILE, AttributeSet.READABLE)),
                        GET),
                CompoundLie.harmless(
                        "calls-of-other-session",
                        calling(
                                (_, slot, sequence) ->
                                        compound(
                                                new SessionId(3, 4),
                                                slot,
                                                sequence,
                                                new CallbackArguments.RecallSlot(0))),
                        PUT_TREE),
                CompoundLie.harmless(
                        "calls-out-of-order",
                        calling(
                                (session, slot, sequence) ->
                                        compound(
                                                session,
                                                slot * sequence,
                                                sequence * 31,
                                                new CallbackArguments.RecallSlot(0))),
                        PUT_TREE),
                CompoundLie.of(
                        "calls-malformed",
                        calling((_, _, sequence) -> out -> out.uint32(sequence).uint32(-1)),
                        PUT_TREE));
    }

    private static Supplier<Lying> calls(CallbackArguments what) {
        return calling((session, slot, sequence) -> compound(session, slot, sequence, what));
    }

    private static Consumer<XdrWriter> compound(
            SessionId session, int slot, int sequence, CallbackArguments what) {
        var first =
                new CallbackArguments.Sequence(
                        session, sequence, slot, SLOTS - 1, false, List.of());
        return new CallbackCompound(
                        OpaqueName.of(new byte[0]), 2, 0, new ArrayList<>(List.of(first, what)))
                ::encode;
    }

    private static Supplier<Lying> calling(Calling calling) {
        return () -> {
            Set<ReverseDirection> known = ConcurrentHashMap.newKeySet();
            return asked -> {
                var sequence = asked.first(SessionArguments.Sequence.class);
                var reverse = asked.request().reverse();
                if (sequence.isPresent() && reverse.isPresent() && known.add(reverse.get())) {
                    for (int i = 0; i < SLOTS; i++) {
                        int slot = i;
                        Thread.startVirtualThread(
                                () ->
                                        storm(
                                                reverse.get(),
                                                sequence.get().session(),
                                                slot,
                                                calling));
                    }
                }
                return asked.honestly();
            };
        };
    }

    /** Calls a client once, from a thread of its own. */
    static void once(
            ReverseDirection reverse,
            SessionId session,
            int slot,
            int sequence,
            CallbackArguments what) {
        Thread.startVirtualThread(
                () -> {
                    try (var client = reverse.client(new Credential.None())) {
                        call(client, compound(session, slot, sequence, what));
                    } catch (RpcException | InterruptedException _) {
                        // The client is gone.
                    }
                });
    }

    private static void call(RpcClient client, Consumer<XdrWriter> compound)
            throws RpcException, InterruptedException {
        var call = new RpcCall(PROGRAM, 1, 1, compound, REPLY_BYTES, List.of());
        try (var reply = client.call(call, PATIENCE)) {
            reply.results();
        } catch (RpcException.Refused _) {
            // The next one is made at once.
        }
    }

    private static void storm(
            ReverseDirection reverse, SessionId session, int slot, Calling calling) {
        try (var client = reverse.client(new Credential.None())) {
            for (int number = 1; reverse.isOpen(); number++) {
                call(client, calling.compound(session, slot, number));
            }
        } catch (RpcException | InterruptedException _) {
            // The client is gone.
        }
    }
}
