package io.github.rpcrdma4j.rpcrdma.v2;

import static io.github.rpcrdma4j.rpcrdma.v2.Version2ByHand.header;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.TransferPolicy;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2.Transmissions;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Characteristic;
import io.github.rpcrdma4j.rpcrdma.v2.wire.Version2Header;
import java.lang.foreign.Arena;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: with one credit, each call is sent in one Send. Method: the test plays the server of a
 * client of ours, over iWARP, and grants one credit at a time.
 */
class OneCreditByHandTest {
    private static final int RECEIVE_BYTES = 4096;
    private static final int TARGET_BYTES = 3000;

    /** Headers, and the RPC header of a call without a credential. */
    private static final int LONGEST_HEADERS = 256;

    /**
     * Goal: directions for the results never make a header so long that a call waits for a second
     * credit. Method: all lengths of arguments with which a call just fits one Send, or no longer.
     */
    @ParameterizedTest
    @EnumSource
    @Tag("RTR-4.3-1")
    void aShortCallIsSentWithOneCredit(TransferPolicy transferPolicy) throws Exception {
        var transmissions = Transmissions.DEFAULT.withTransferPolicy(transferPolicy);
        var version2 =
                Version2.DEFAULT
                        .withSpeaks1(false)
                        .withTransmissions(transmissions)
                        .withoutFetchedReplies();
        var options = RpcRdmaOptions.DEFAULT.withProfile(new Version2Profile(version2));
        var kinds = EnumSet.noneOf(Kind.class);
        try (var arena = Arena.ofShared();
                var test = new ClientUnderTest(options, RECEIVE_BYTES)) {
            test.introduce(
                    1,
                    new Characteristic.ReceiveSize(RECEIVE_BYTES),
                    new Characteristic.Transmissions(7),
                    new Characteristic.RequestTransmissions(8),
                    new Characteristic.ResponseTransmissions(8));
            var target = arena.allocate(TARGET_BYTES);
            for (int bytes = RECEIVE_BYTES - LONGEST_HEADERS; bytes < RECEIVE_BYTES; bytes += 4) {
                byte[] argument = new byte[bytes];
                var call =
                        new RpcCall(
                                EchoProgram.PROGRAM,
                                1,
                                EchoProgram.FETCH,
                                out -> out.fixedOpaque(argument),
                                4,
                                List.of(target));
                var calling = test.start(call);
                var sends = test.hearAll();
                assertEquals(1, sends.size());
                var first = header(sends.getFirst());
                kinds.add(Kind.of(first));
                test.succeed(first.xid(), 1, out -> out.uint32(0));
                calling.get().close();
            }
        }
        assertTrue(kinds.contains(Kind.LONG));
        assertEquals(
                transferPolicy != TransferPolicy.EXPLICIT, kinds.contains(Kind.TRANSMIT_REQUEST));
    }

    private enum Kind {
        INLINE,
        TRANSMIT_REQUEST,
        LONG;

        static Kind of(Version2Header header) {
            return switch (header) {
                case Version2Header.Msg _ -> INLINE;
                case Version2Header.NoMsg _ -> LONG;
                case Version2Header.Option _ -> TRANSMIT_REQUEST;
                case Version2Header.VersionError _,
                        Version2Header.BadHeader _,
                        Version2Header.BadOption _ ->
                        throw new AssertionError(header);
            };
        }
    }
}
