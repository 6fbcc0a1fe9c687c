package io.github.rpcrdma4j.dissect.fuzz;

import io.github.rpcrdma4j.capture.PacketReader;
import io.github.rpcrdma4j.dissect.Dissector;
import io.github.rpcrdma4j.dissect.JsonForm;
import io.github.rpcrdma4j.dissect.MessageDissector;
import io.github.rpcrdma4j.dissect.TextForm;
import io.github.rpcrdma4j.dissect.Version1Document;
import io.github.rpcrdma4j.dissect.draft07.Draft07Header;
import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderDecoder;
import io.github.rpcrdma4j.dissect.draft07.Draft07HeaderEncoder;
import io.github.rpcrdma4j.gateway.PassedBytes;
import io.github.rpcrdma4j.iwarp.mpa.MpaFrame;
import io.github.rpcrdma4j.iwarp.mpa.MpaNegotiation;
import io.github.rpcrdma4j.iwarp.observe.DirectionObserver;
import io.github.rpcrdma4j.iwarp.rdmap.Terminate;
import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v4.CompoundCall;
import io.github.rpcrdma4j.nfs.v4.CompoundKind;
import io.github.rpcrdma4j.nfs.v4.CompoundReply;
import io.github.rpcrdma4j.nfs.v4.ResultsBound;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.RpcClient;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcReply;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import io.github.rpcrdma4j.oncrpc.gss.GssBytes;
import io.github.rpcrdma4j.oncrpc.record.RecordMarking;
import io.github.rpcrdma4j.oncrpc.rpcbind.Mapping;
import io.github.rpcrdma4j.oncrpc.rpcbind.Rpcb;
import io.github.rpcrdma4j.oncrpc.rpcbind.RpcbindClient;
import io.github.rpcrdma4j.oncrpc.rpcbind.UniversalAddress;
import io.github.rpcrdma4j.oncrpc.spi.CallHeader;
import io.github.rpcrdma4j.oncrpc.spi.RawAuth;
import io.github.rpcrdma4j.oncrpc.spi.ReplyHeader;
import io.github.rpcrdma4j.rpcrdma.rfc5666.ConfRdma;
import io.github.rpcrdma4j.rpcrdma.rfc5666.ConfRdmaProgram;
import io.github.rpcrdma4j.rpcrdma.rfc5666.wire.Rfc5666Received;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Extension;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2HeaderCodec;
import io.github.rpcrdma4j.rpcrdma.wire.PrivateData;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.Received.MessageRole;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrReader;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A decoder of bytes from a peer or file. Each must return normally or report malformed bytes. */
enum Decoder {
    /** Transport headers of version 1, at both roles. */
    RPCRDMA {
        @Override
        void take(byte[] bytes) {
            var message = MemorySegment.ofArray(bytes);
            Received.byResponder(message);
            Received.byRequester(message);
            Rfc5666Received.byResponder(message);
            Rfc5666Received.byRequester(message);
            MessageRole.of(message);
        }
    },
    /** Transport headers of version 2, with and without all extensions, and of its last draft. */
    RPCRDMA2 {
        @Override
        void take(byte[] bytes) {
            var message = MemorySegment.ofArray(bytes);
            for (var known : List.of(EnumSet.noneOf(Extension.class), ALL)) {
                io.github.rpcrdma4j.rpcrdma.v2.wire.Received.of(message, known);
                if (Version2HeaderCodec.decode(message, known)
                        instanceof Version2HeaderCodec.Decoded.Ok(var header, _)) {
                    requireComesBack(header, known);
                }
            }
            if (Draft07HeaderDecoder.decode(message)
                    instanceof Draft07HeaderDecoder.Decoded.Ok(var header, _)) {
                requireComesBack(header);
            }
        }

        private void requireComesBack(Draft07Header header) {
            byte[] again = new byte[Draft07HeaderEncoder.encodedLength(header)];
            Draft07HeaderEncoder.encode(header, MemorySegment.ofArray(again));
            if (!(Draft07HeaderDecoder.decode(MemorySegment.ofArray(again))
                            instanceof Draft07HeaderDecoder.Decoded.Ok(var same, _))
                    || !same.equals(header)) {
                throw new AssertionError("it does not come back: " + header);
            }
        }

        private void requireComesBack(Version2Header header, Set<Extension> known) {
            byte[] again = new byte[Version2HeaderCodec.encodedLength(header)];
            Version2HeaderCodec.encode(header, MemorySegment.ofArray(again));
            if (!(Version2HeaderCodec.decode(MemorySegment.ofArray(again), known)
                            instanceof Version2HeaderCodec.Decoded.Ok(var same, _))
                    || !same.equals(header)) {
                throw new AssertionError("it does not come back: " + header);
            }
        }
    },
    /** Successive Sends of version 2: groups and characteristics exchanges. */
    TRANSMISSIONS {
        @Override
        void take(byte[] bytes) {
            new Transmissions().take(bytes);
        }
    },
    /** A COMPOUND or CB_COMPOUND of NFSv4; two bits of the first byte say which, call or reply. */
    NFS4_COMPOUND {
        @Override
        void take(byte[] bytes) {
            if (bytes.length == 0) {
                return;
            }
            var kind = (bytes[0] & 1) == 0 ? CompoundKind.COMPOUND : CompoundKind.CB_COMPOUND;
            var in = reader(Arrays.copyOfRange(bytes, 1, bytes.length));
            if ((bytes[0] & 2) == 0) {
                var call = CompoundCall.walk(kind, in);
                if (call.longestResults() instanceof ResultsBound.Bytes(var most)
                        && (!call.end().isComplete() || most < 0)) {
                    throw new AssertionError("bounded by " + most + ": " + call);
                }
            } else {
                CompoundReply.walk(kind, in);
            }
        }
    },
    /** A call that a gateway passes on, and its reply. */
    PASSED {
        @Override
        void take(byte[] bytes) {
            PassedBytes.take(bytes);
        }
    },
    PRIVATE_DATA {
        @Override
        void take(byte[] bytes) {
            PrivateData.find(bytes);
        }
    },
    /** Set-up frames, and the replies to them. */
    MPA {
        @Override
        void take(byte[] bytes) {
            if (!(MpaFrame.decode(bytes, bytes.length)
                    instanceof MpaFrame.Decoded.Whole(var frame, var length))) {
                return;
            }
            var again = MpaFrame.decode(frame.encode(), length);
            if (!(again instanceof MpaFrame.Decoded.Whole(var same, _))
                    || !Arrays.equals(same.privateData(), frame.privateData())) {
                throw new AssertionError("it does not come back");
            }
            var requested = new MpaNegotiation.Requested(true, 8, 8);
            MpaNegotiation.conclude(requested, frame);
            if (MpaNegotiation.objection(frame).isEmpty()) {
                MpaNegotiation.accept(frame, requested, new byte[8]).reply().encode();
            }
        }
    },
    /** FPDUs of one direction, from its set-up frame on or from any byte on. */
    FPDU {
        @Override
        void take(byte[] bytes) {
            if (bytes.length == 0) {
                return;
            }
            var observer = new DirectionObserver((bytes[0] & 1) != 0);
            if ((bytes[0] & 2) != 0) {
                observer.agreed((bytes[0] & 4) != 0);
            }
            int half = bytes.length / 2;
            observer.add(ByteBuffer.wrap(bytes, 1, half));
            drain(observer);
            observer.add(ByteBuffer.wrap(bytes, 1 + half, bytes.length - 1 - half));
            drain(observer);
        }

        private void drain(DirectionObserver observer) {
            for (var seen = observer.next(); seen != null; seen = observer.next()) {
                if (seen instanceof DirectionObserver.Seen.Lost) {
                    return;
                }
            }
        }
    },
    TERMINATE {
        @Override
        void take(byte[] bytes) {
            if (bytes.length >= Terminate.BYTES) {
                Terminate.decode(ByteBuffer.wrap(bytes)).description();
            }
        }
    },
    RPC_CALL {
        @Override
        void take(byte[] bytes) throws XdrException {
            CallHeader.decode(reader(bytes)).credential().credential();
        }
    },
    RPC_REPLY {
        @Override
        void take(byte[] bytes) throws XdrException {
            ReplyHeader.decode(reader(bytes));
        }
    },
    GSS_CREDENTIAL {
        @Override
        void take(byte[] bytes) throws XdrException {
            if (bytes.length <= RawAuth.BODY_MAX) {
                GssBytes.takeCredential(new RawAuth(6, MemorySegment.ofArray(bytes)));
            }
        }
    },
    GSS_INIT_RESULT {
        @Override
        void take(byte[] bytes) throws XdrException {
            GssBytes.takeInitResult(reader(bytes));
        }
    },
    /**
     * Signed or encrypted data; the first byte selects which, and the second is the sequence
     * number.
     */
    GSS_BODY {
        @Override
        void take(byte[] bytes) throws XdrException {
            if (bytes.length > 1) {
                var body = new XdrReader(MemorySegment.ofArray(bytes).asSlice(2));
                GssBytes.takeBody((bytes[0] & 1) != 0, bytes[1] & 0xff, body);
            }
        }
    },
    /** Calls to a server with GSS contexts. */
    GSS_CALLS {
        @Override
        void take(byte[] bytes) {
            GssBytes.takeCalls(bytes);
        }
    },
    /** The configuration protocol of RFC 5666; the first byte selects the client or the server. */
    CONF_RDMA {
        @Override
        void take(byte[] bytes) throws XdrException {
            if (bytes.length == 0) {
                return;
            }
            if (bytes[0] == 0) {
                ConfRdma.Results.decode(behindFirst(bytes));
                return;
            }
            var flavors = EnumSet.allOf(SecurityFlavor.class);
            var program = new ConfRdmaProgram(new ConfRdma.Results(0, 0, 0), _ -> {}, flavors);
            serve(program, bytes[0], behindFirst(bytes));
        }
    },
    /** Records of a TCP stream. */
    RECORD {
        @Override
        void take(byte[] bytes) {
            try (var decoder = new RecordMarking.Decoder(POOL, MAX)) {
                var left = MemorySegment.ofArray(bytes);
                while (decoder.take(left)
                        instanceof RecordMarking.Step.Complete(var taken, var record)) {
                    record.close();
                    left = left.asSlice(taken);
                }
            }
            if (POOL.leased() != 0) {
                throw new AssertionError("memory was kept");
            }
        }
    },
    /** Replies of rpcbind, and universal addresses. */
    RPCBIND {
        @Override
        void take(byte[] bytes) throws XdrException, IOException {
            UniversalAddress.parse(new String(bytes, StandardCharsets.ISO_8859_1));
            try (var answering = new Answering(bytes)) {
                new RpcbindClient(answering, 4, Duration.ZERO).registrations();
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        }
    },
    /** Further replies of rpcbind; the first byte selects the procedure. */
    RPCBIND_ANSWER {
        @Override
        void take(byte[] bytes) throws IOException {
            if (bytes.length == 0) {
                return;
            }
            try (var answering = new Answering(Arrays.copyOfRange(bytes, 1, bytes.length))) {
                var rpcbind = new RpcbindClient(answering, 3, Duration.ZERO);
                switch (bytes[0] & 3) {
                    case 0 -> rpcbind.address(new Rpcb(1, 2, "", "", ""));
                    case 1 -> rpcbind.port(new Mapping(1, 2, Mapping.TCP, 0));
                    case 2 -> rpcbind.set(new Rpcb(1, 2, "", "", ""));
                    default -> rpcbind.unset(new Mapping(1, 2, Mapping.TCP, 0));
                }
            } catch (InterruptedException impossible) {
                throw new AssertionError(impossible);
            }
        }
    },
    /** Arguments of NFSv3; the first byte selects the procedure. */
    NFS3_CALL {
        @Override
        void take(byte[] bytes) throws XdrException {
            if (bytes.length > 0) {
                Nfs3CallDecoder.decode(procedure(bytes[0]), behindFirst(bytes));
            }
        }
    },
    /** Results of NFSv3; the first byte selects the procedure. */
    NFS3_REPLY {
        @Override
        void take(byte[] bytes) throws XdrException {
            if (bytes.length > 0) {
                var procedure = procedure(bytes[0]);
                // Zeros cannot encode an MKNOD. Its reply has the form of a CREATE reply.
                var call = CALLS.getOrDefault(procedure, CALLS.get(Procedure.CREATE));
                call.replyFormat().decode(behindFirst(bytes));
            }
        }
    },
    /**
     * Arguments or results of NFSv2, or results of MOUNTv1; the first byte selects the procedure,
     * and its highest bit the results.
     */
    NFS2 {
        @Override
        void take(byte[] bytes) throws XdrException {
            if (bytes.length > 0) {
                Nfs2Messages.take(bytes[0], behindFirst(bytes));
            }
        }
    },
    /** Messages of NLM and NSM; the first byte selects version, procedure and direction. */
    LOCKS {
        @Override
        void take(byte[] bytes) throws XdrException {
            LockMessages.take(bytes);
        }
    },
    /** Messages of NFSACL and lists in attributes; the first byte selects which. */
    ACLS {
        @Override
        void take(byte[] bytes) throws XdrException {
            AclMessages.take(bytes);
        }
    },
    /** Results of MOUNTv3; the first byte selects the procedure. */
    MOUNT3 {
        @Override
        void take(byte[] bytes) throws XdrException {
            if (bytes.length > 0) {
                var in = behindFirst(bytes);
                switch (bytes[0] & 3) {
                    case 0 -> Mount3.MountResult.decode(in);
                    case 1 -> Mount3.MountEntry.decode(in);
                    default -> Mount3.ExportEntry.decode(in);
                }
            }
        }
    },
    /** Calls of NFS versions 2 and 3 and of MOUNT to a server. */
    NFS_SERVER {
        @Override
        void take(byte[] bytes) throws XdrException {
            ServedDirectory.IN_MEMORY.take(bytes);
        }
    },
    /** Whole captures. */
    CAPTURE {
        @Override
        void take(byte[] bytes) throws IOException {
            for (var document : Version1Document.values()) {
                var packets = PacketReader.of(new ByteArrayInputStream(bytes));
                var dissection = Dissector.dissect(packets, true, document);
                JsonForm.of(dissection, true);
                TextForm.write(dissection, _ -> {});
            }
        }
    },
    /** Single messages at every layer. */
    DISSECT {
        @Override
        void take(byte[] bytes) {
            for (var start : MessageDissector.Start.values()) {
                for (var document : Version1Document.values()) {
                    JsonForm.of(MessageDissector.dissect(start, bytes, document));
                }
            }
        }
    };

    private static final EnumSet<Extension> ALL = EnumSet.allOf(Extension.class);
    private static final int MAX = 1 << 20;
    private static final InetSocketAddress PEER = InetSocketAddress.createUnresolved("peer", 1);
    private static final SegmentPool POOL = new SegmentPool(MAX);
    private static final Map<Procedure, Nfs3Call<?, ?>> CALLS = calls();

    /**
     * Decodes any bytes.
     *
     * @throws XdrException if the decoder finds the bytes malformed
     * @throws IOException if the decoder finds the bytes malformed
     */
    abstract void take(byte[] bytes) throws XdrException, IOException;

    private static XdrReader reader(byte[] bytes) {
        return new XdrReader(MemorySegment.ofArray(bytes));
    }

    private static XdrReader behindFirst(byte[] bytes) {
        return new XdrReader(MemorySegment.ofArray(bytes).asSlice(1));
    }

    private static Procedure procedure(byte oneByte) {
        var procedures = Procedure.values();
        return procedures[1 + (oneByte & 0xff) % (procedures.length - 1)];
    }

    private static void serve(RpcProgram program, int procedure, XdrReader arguments)
            throws XdrException {
        try (var out = new XdrWriter(POOL)) {
            ServedDirectory.call(program, procedure, arguments, PEER, POOL, out);
        }
    }

    /** Returns a call of every procedure that some number of zeros encodes. */
    private static Map<Procedure, Nfs3Call<?, ?>> calls() {
        var calls = new EnumMap<Procedure, Nfs3Call<?, ?>>(Procedure.class);
        for (var procedure : Procedure.values()) {
            for (int length = 0; procedure != Procedure.NULL && length < 200; length += 4) {
                try {
                    calls.put(
                            procedure, Nfs3CallDecoder.decode(procedure, reader(new byte[length])));
                } catch (XdrException tooFew) {
                    continue;
                }
            }
        }
        return calls;
    }

    /** A client that answers every call with these results. */
    private record Answering(byte[] bytes) implements RpcClient {
        @Override
        public RpcReply call(RpcCall call, Duration timeout) throws RpcException {
            var in = reader(bytes);
            return new RpcReply() {
                @Override
                public XdrReader results() {
                    return in;
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void close() {}
    }
}
