package io.github.rpcrdma4j.bench.latency;

import io.github.rpcrdma4j.bench.stack.BenchProgram;
import io.github.rpcrdma4j.oncrpc.UpperLayerBinding;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaClient;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.rpcrdma.profile.WireProfile;
import io.github.rpcrdma4j.rpcrdma.rfc5666.Rfc5666;
import io.github.rpcrdma4j.rpcrdma.v2.Version2Profile;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies;
import io.github.rpcrdma4j.rpcrdma.v2.options.FetchedReplies.ReplyChunks;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.verbs.RdmaProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * A transfer model: which end moves the data of a call, and by which operations. It decides the
 * settings of both ends; everything else is the same for all models.
 *
 * <p>Tests: {@code SimulatedEndsTest}, {@code RelayedEndsTest}.
 */
enum TransferModel {
    /** The limit: receives so long that every message is inline. */
    ONE_SEND(
            "one Send of 128 KiB",
            "#b4bac2",
            Constants.LONG_SEND,
            WireProfile.RFC_8166,
            BenchProgram.binding(true, false),
            EnumSet.allOf(Transfer.Kind.class)),
    /** Version 1: RDMA Writes for READ, RDMA Reads for WRITE. */
    DATA_CHUNK(
            "v1: data chunk",
            "#d98c3f",
            Constants.SEND,
            WireProfile.RFC_8166,
            BenchProgram.binding(true, false),
            EnumSet.of(Transfer.Kind.READ, Transfer.Kind.WRITE)),
    /**
     * Version 1: the responder moves the whole reply by RDMA Writes, into memory for the longest
     * possible reply.
     */
    REPLY_CHUNK(
            "v1: Reply chunk",
            "#e8b787",
            Constants.SEND,
            WireProfile.RFC_8166,
            BenchProgram.binding(false, false),
            EnumSet.of(Transfer.Kind.READ, Transfer.Kind.REPLY)),
    /**
     * Version 1 by RFC 5666: the requester fetches results by RDMA Reads and acknowledges this with
     * RDMA_DONE.
     */
    READ_LIST(
            "v1, RFC 5666: fetched, RDMA_DONE",
            "#c2b34a",
            Constants.SEND,
            Rfc5666.DEFAULT,
            BenchProgram.binding(true, true),
            EnumSet.of(Transfer.Kind.READ, Transfer.Kind.REPLY)),
    /** Version 2: a message takes as many Sends of 4 KiB as it needs. */
    CONTINUED(
            "v2: continuation",
            "#6cabdd",
            Constants.SEND,
            Constants.version2(
                    new Transmissions(
                            Constants.SENDS, Constants.SENDS, 0, 0, TransferPolicy.CONTINUED)),
            BenchProgram.binding(true, false),
            EnumSet.allOf(Transfer.Kind.class)),
    /** Version 2: Sends carry bulk data in segments of the receives, apart from the message. */
    PLACED(
            "v2: placement by Sends",
            "#1f6fb4",
            Constants.SEND,
            Constants.version2(
                    new Transmissions(
                            Constants.SENDS,
                            Constants.SENDS,
                            1,
                            Constants.SEGMENT,
                            TransferPolicy.PLACED)),
            BenchProgram.binding(true, false),
            EnumSet.of(Transfer.Kind.READ, Transfer.Kind.WRITE)),
    /** Version 2: the requester offers no memory for the reply, and fetches long replies. */
    FETCHED(
            "v2: responder-provided Read chunk",
            "#b9669c",
            Constants.SEND,
            Constants.version2(
                    Version2.DEFAULT
                            .withoutTransmissions()
                            .withFetchedReplies(
                                    FetchedReplies.DEFAULT.withReplyChunks(ReplyChunks.NEVER))),
            BenchProgram.binding(false, false),
            EnumSet.of(Transfer.Kind.READ, Transfer.Kind.REPLY)),
    /** Version 2 with default settings, which choose the model of the least estimated cost. */
    CHEAPEST(
            "v2: what costs least",
            "#2c8c63",
            Constants.SEND,
            Constants.version2(Version2.DEFAULT),
            BenchProgram.binding(true, false),
            EnumSet.allOf(Transfer.Kind.class));

    private static final class Constants {
        static final int LONG_SEND = 128 << 10;

        /** The default length of all known peers, in bytes. */
        static final int SEND = 4 << 10;

        /** Enough Sends of 4 KiB for 64 KiB. */
        static final int SENDS = 20;

        static final int SEGMENT = 8 << 10;

        /**
         * Returns version 2 with these transmissions, and otherwise only the means of version 1.
         */
        static WireProfile version2(Transmissions transmissions) {
            return version2(
                    Version2.DEFAULT.withTransmissions(transmissions).withoutFetchedReplies());
        }

        /** Returns a profile without version 1, so that no measurement uses that by mistake. */
        static WireProfile version2(Version2 options) {
            return new Version2Profile(options.withSpeaks1(false));
        }
    }

    private final String words;
    private final String colour;
    private final int inline;
    private final WireProfile profile;
    private final UpperLayerBinding binding;
    private final Set<Transfer.Kind> moves;

    TransferModel(
            String words,
            String colour,
            int inline,
            WireProfile profile,
            UpperLayerBinding binding,
            Set<Transfer.Kind> moves) {
        this.words = words;
        this.colour = colour;
        this.inline = inline;
        this.profile = profile;
        this.binding = binding;
        this.moves = moves;
    }

    /** Returns the name for people. */
    String words() {
        return words;
    }

    /** Returns whether bulk data is placed directly. */
    boolean places() {
        return binding.eligibility(BenchProgram.READ).results() > 0;
    }

    /** Returns the color in charts. */
    String colour() {
        return colour;
    }

    /** Returns the name for programs, such as {@code data-chunk}. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Starts a server on a free port of the loopback address. */
    RpcRdmaServer serve(RdmaProvider provider) throws IOException {
        return RpcRdmaServer.builder()
                .provider(provider)
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .program(new BenchProgram(binding))
                .inlineThresholds(inline, inline)
                .profile(profile)
                .start();
    }

    /** Connects to a server of this model. */
    RpcRdmaClient connect(RdmaProvider provider, InetSocketAddress server)
            throws IOException, InterruptedException {
        return RpcRdmaClient.builder()
                .provider(provider)
                .binding(binding)
                .inlineThresholds(inline, inline)
                .profile(profile)
                .connect(server);
    }

    /** Returns whether this model can move the data of a transfer. */
    boolean moves(Transfer transfer) {
        return moves.contains(transfer.kind());
    }
}
