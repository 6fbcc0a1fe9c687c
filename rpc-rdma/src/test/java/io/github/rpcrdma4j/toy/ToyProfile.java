package io.github.rpcrdma4j.toy;

import io.github.rpcrdma4j.memory.SegmentPool;
import io.github.rpcrdma4j.rpcrdma.connection.ConnectionParameters;
import io.github.rpcrdma4j.rpcrdma.profile.ClientProfile;
import io.github.rpcrdma4j.rpcrdma.profile.ServerProfile;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlan.ReplyOffer;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner;
import io.github.rpcrdma4j.rpcrdma.requester.CallPlanner.EncodedCall;
import io.github.rpcrdma4j.rpcrdma.requester.ChunkedCall;
import io.github.rpcrdma4j.rpcrdma.requester.Requester;
import io.github.rpcrdma4j.rpcrdma.requester.RequesterProfile;
import io.github.rpcrdma4j.rpcrdma.responder.ReplyPlan;
import io.github.rpcrdma4j.rpcrdma.responder.Responder;
import io.github.rpcrdma4j.rpcrdma.responder.ResponderProfile;
import io.github.rpcrdma4j.rpcrdma.wire.PlainMessage;
import io.github.rpcrdma4j.rpcrdma.wire.Received;
import io.github.rpcrdma4j.rpcrdma.wire.TransportHeader;
import io.github.rpcrdma4j.rpcrdma.wire.Version1Header;
import io.github.rpcrdma4j.verbs.Completion;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Version 1 with one additional header word, written only with exported types of the engine. */
record ToyProfile() implements WireProfile {
    @Override
    public String name() {
        return "a toy";
    }

    /** Returns false: the toy has no reverse direction. */
    @Override
    public boolean callsBothWays() {
        return false;
    }

    private static ConnectionParameters longer(ConnectionParameters parameters) {
        return parameters.withEmptyHeaderBytes(
                parameters.emptyHeaderBytes() + ToyHeader.WORD_BYTES);
    }

    @Override
    public ClientProfile client(ClientProfile.Setup setup) {
        return new ClientProfile() {
            @Override
            public Optional<WireProfile> open() {
                setup.locked(
                        () -> setup.requester().useProfile(new ToyRequester(setup.requester())));
                setup.agree(longer(setup.initial()), new ToyPlanner());
                return Optional.empty();
            }
        };
    }

    @Override
    public ServerProfile server(ServerProfile.Setup setup) {
        return new ServerProfile() {
            @Override
            public void begin() {
                setup.responder().useProfile(new ToyResponder(setup.responder()));
                setup.agree(longer(setup.initial()));
            }
        };
    }

    private record ToyPlanner() implements CallPlanner {
        @Override
        public PlainMessage.Rule plain() {
            return PlainMessage.Rule.NONE;
        }

        @Override
        public ChunkedCall plan(EncodedCall encoded) {
            return new ToyCall(encoded, encoded.plan(ReplyOffer.ALL));
        }
    }

    private record ToyRequester(Requester requester) implements RequesterProfile {
        @Override
        public boolean received(
                MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
            var plain = ToyHeader.plain(message);
            return requester.received(Received.byRequester(plain), buffer, completion);
        }
    }

    private record ToyResponder(Responder responder) implements ResponderProfile {
        @Override
        public PlainMessage.Rule plain() {
            return PlainMessage.Rule.NONE;
        }

        @Override
        public void received(
                MemorySegment message, SegmentPool.Lease buffer, Completion completion) {
            responder.received(Received.byResponder(ToyHeader.plain(message)), buffer);
        }

        @Override
        public TransportHeader header(int xid, int granted, ReplyPlan plan) {
            return new ToyHeader(plan.header(xid, granted));
        }

        @Override
        public TransportHeader refusal(int xid, int granted) {
            return new ToyHeader(
                    new Version1Header.ChunkError(xid, Version1Header.VERSION, granted));
        }
    }
}
