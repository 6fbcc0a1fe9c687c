package io.github.rpcrdma4j.nfs.v4.operation;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.AttributeSet;
import io.github.rpcrdma4j.nfs.v4.type.Bitmap;
import io.github.rpcrdma4j.nfs.v4.type.FileHandle;
import io.github.rpcrdma4j.nfs.v4.type.SessionId;
import io.github.rpcrdma4j.nfs.v4.type.StateId;
import io.github.rpcrdma4j.nfs.v4.type.StateOwner;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.util.List;
import java.util.Optional;

/**
 * The arguments of a callback: {@code nfs_cb_argop4} (RFC 8881, Section 20). A server encodes them.
 *
 * <pre>
 *   number(32) | arguments
 * </pre>
 *
 * <p>Tests: {@code VectorOperationsTest}.
 */
public sealed interface CallbackArguments {
    /** Returns the callback. */
    CallbackOpcode opcode();

    /** Writes the arguments behind the number. */
    void encodeBody(XdrWriter out);

    /** Writes the number and the arguments. */
    default void encode(XdrWriter out) {
        encodeBody(out.uint32(opcode().number()));
    }

    /**
     * Reads the number and the arguments.
     *
     * @throws XdrException if they are malformed, or if no server here makes such a callback
     */
    static CallbackArguments decode(XdrReader in) throws XdrException {
        return switch (CallbackOpcode.decode(in)) {
            case CB_GETATTR -> new GetAttr(FileHandle.decode(in), AttributeSet.decode(in));
            case CB_RECALL -> new Recall(StateId.decode(in), in.bool(), FileHandle.decode(in));
            case CB_RECALL_ANY -> new RecallAny(in.uint32(), Bitmap.decode(in));
            case CB_RECALL_SLOT -> new RecallSlot(in.uint32());
            case CB_SEQUENCE -> Sequence.decode(in);
            case CB_NOTIFY_LOCK -> new NotifyLock(FileHandle.decode(in), StateOwner.decode(in));
            case CB_OFFLOAD ->
                    new Offload(FileHandle.decode(in), StateId.decode(in), Offload.End.decode(in));
        };
    }

    /**
     * CB_GETATTR (RFC 8881, Section 20.1).
     *
     * <pre>
     *   handle | bitmap
     * </pre>
     */
    record GetAttr(FileHandle handle, AttributeSet wanted) implements CallbackArguments {
        @Override
        public CallbackOpcode opcode() {
            return CallbackOpcode.CB_GETATTR;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            wanted.encode(handle.encode(out));
        }
    }

    /**
     * CB_RECALL (RFC 8881, Section 20.2).
     *
     * <pre>
     *   stateid | truncate | handle
     * </pre>
     *
     * @param isTruncated whether the file is about to lose its content, so that the client need not
     *     write it back
     */
    record Recall(StateId delegation, boolean isTruncated, FileHandle handle)
            implements CallbackArguments {
        @Override
        public CallbackOpcode opcode() {
            return CallbackOpcode.CB_RECALL;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            handle.encode(delegation.encode(out).bool(isTruncated));
        }
    }

    /**
     * CB_RECALL_ANY (RFC 8881, Section 20.6).
     *
     * <pre>
     *   objects_to_keep(32) | bitmap
     * </pre>
     *
     * @param types the kinds of delegations and layouts to return
     */
    record RecallAny(int objectsToKeep, Bitmap types) implements CallbackArguments {
        /** Numbers in {@code types}. */
        public static final int READ_DELEGATIONS = 0;

        public static final int WRITE_DELEGATIONS = 1;

        @Override
        public CallbackOpcode opcode() {
            return CallbackOpcode.CB_RECALL_ANY;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            types.encode(out.uint32(objectsToKeep));
        }
    }

    /**
     * CB_RECALL_SLOT (RFC 8881, Section 20.8).
     *
     * <pre>
     *   target_highest_slotid(32)
     * </pre>
     */
    record RecallSlot(int targetHighestSlot) implements CallbackArguments {
        @Override
        public CallbackOpcode opcode() {
            return CallbackOpcode.CB_RECALL_SLOT;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            out.uint32(targetHighestSlot);
        }
    }

    /**
     * CB_SEQUENCE (RFC 8881, Section 20.9).
     *
     * <pre>
     *   sessionid | sequenceid(32) | slotid(32) | highest_slotid(32) | cachethis
     *   | { sessionid { sequenceid(32) slotid(32) }&lt;&gt; }&lt;&gt;
     * </pre>
     *
     * @param highestSlot the highest slot of the back channel that the server uses at the moment
     * @param isCached whether the client is to keep the whole reply
     * @param referring the calls of the client that this callback is about, by session
     */
    record Sequence(
            SessionId session,
            int sequence,
            int slot,
            int highestSlot,
            boolean isCached,
            List<ReferringCalls> referring)
            implements CallbackArguments {
        /** A call of the client, by the slot that it used. */
        public record ReferringCall(int sequence, int slot) {
            /** The length on the wire, in bytes. */
            private static final int BYTES = 2 * Integer.BYTES;

            private static ReferringCall decode(XdrReader in) throws XdrException {
                return new ReferringCall(in.uint32(), in.uint32());
            }

            private void encode(XdrWriter out) {
                out.uint32(sequence).uint32(slot);
            }
        }

        /** Calls of one session. */
        public record ReferringCalls(SessionId session, List<ReferringCall> calls) {
            /** The fewest bytes on the wire. */
            private static final int BYTES_MIN = 5 * Integer.BYTES;

            public ReferringCalls {
                calls = List.copyOf(calls);
            }

            private static ReferringCalls decode(XdrReader in) throws XdrException {
                return new ReferringCalls(
                        SessionId.decode(in),
                        XdrArrays.list(in, ReferringCall.BYTES, ReferringCall::decode));
            }

            private void encode(XdrWriter out) {
                XdrArrays.encode(session.encode(out), calls, ReferringCall::encode);
            }
        }

        public Sequence {
            referring = List.copyOf(referring);
        }

        private static Sequence decode(XdrReader in) throws XdrException {
            return new Sequence(
                    SessionId.decode(in),
                    in.uint32(),
                    in.uint32(),
                    in.uint32(),
                    in.bool(),
                    XdrArrays.list(in, ReferringCalls.BYTES_MIN, ReferringCalls::decode));
        }

        @Override
        public CallbackOpcode opcode() {
            return CallbackOpcode.CB_SEQUENCE;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            session.encode(out).uint32(sequence).uint32(slot).uint32(highestSlot).bool(isCached);
            XdrArrays.encode(out, referring, ReferringCalls::encode);
        }
    }

    /**
     * CB_NOTIFY_LOCK (RFC 8881, Section 20.11).
     *
     * <pre>
     *   handle | owner
     * </pre>
     *
     * @param owner who waits for a lock that may be had now
     */
    record NotifyLock(FileHandle handle, StateOwner owner) implements CallbackArguments {
        @Override
        public CallbackOpcode opcode() {
            return CallbackOpcode.CB_NOTIFY_LOCK;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            owner.encode(handle.encode(out));
        }
    }

    /**
     * CB_OFFLOAD (RFC 7862, Section 16.1): an asynchronous copy has ended.
     *
     * <pre>
     *   handle | stateid | status | OK: stateid&lt;1&gt; | count(64) | committed(32) | verifier(64)
     *                             | else: count(64)
     * </pre>
     *
     * @param handle the file that was written
     * @param copy the name of the copy
     */
    record Offload(FileHandle handle, StateId copy, End end) implements CallbackArguments {
        /** How a copy has ended. */
        public sealed interface End {
            /** Returns the status. */
            Nfs4Status status();

            private static End decode(XdrReader in) throws XdrException {
                var status = Result.decodeStatus(in);
                return status == Nfs4Status.OK
                        ? new Copied(
                                XdrArrays.optional(in, StateId::decode),
                                in.uint64(),
                                Stability.decode(in),
                                in.uint64())
                        : new Failed(status, in.uint64());
            }

            private void encode(XdrWriter out) {
                out.uint32(status().number());
                switch (this) {
                    case Copied(var callbackId, var count, var committed, var verifier) -> {
                        XdrArrays.encode(out, callbackId, StateId::encode);
                        out.uint64(count).uint32(committed.ordinal()).uint64(verifier);
                    }
                    case Failed(_, var count) -> out.uint64(count);
                }
            }
        }

        /**
         * All was copied, or all up to the end of the source.
         *
         * @param callbackId has no meaning here
         * @param count the copied bytes, unsigned
         */
        public record Copied(
                Optional<StateId> callbackId, long count, Stability committed, long verifier)
                implements End {
            @Override
            public Nfs4Status status() {
                return Nfs4Status.OK;
            }
        }

        /**
         * The copy failed.
         *
         * @param status never OK
         * @param count the copied bytes, unsigned
         */
        public record Failed(Nfs4Status status, long count) implements End {}

        @Override
        public CallbackOpcode opcode() {
            return CallbackOpcode.CB_OFFLOAD;
        }

        @Override
        public void encodeBody(XdrWriter out) {
            end.encode(copy.encode(handle.encode(out)));
        }
    }
}
