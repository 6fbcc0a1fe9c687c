package io.github.rpcrdma4j.rpcrdma.v2;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.iwarp.tcp.IwarpProvider;
import io.github.rpcrdma4j.rpcrdma.Connections;
import io.github.rpcrdma4j.rpcrdma.options.RpcRdmaOptions;
import io.github.rpcrdma4j.rpcrdma.session.EchoProgram;
import io.github.rpcrdma4j.rpcrdma.session.ManualPeer;
import io.github.rpcrdma4j.rpcrdma.v2.options.Version2;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a server names in ERR_VERS the versions that it speaks. Method: a client, operated by hand,
 * whose first message has another version.
 */
class VersionErrorsByHandTest {
    private static final int XID = 0x0a0b0c0d;
    private static final int CREDITS = 16;
    private static final int RECEIVE_BYTES = 4096;
    private static final int RDMA_ERROR = 4;
    private static final int ERR_VERS = 1;

    /**
     * @param speaks the versions of the server
     * @param version the version of the client's first message
     * @param lowest the lowest version in the answer
     * @param highest the highest version in the answer
     */
    @ParameterizedTest
    @CsvSource({
        "1, 2, 1, 1",
        "1, 9, 1, 1",
        "1, -1, 1, 1",
        "1 and 2, 9, 1, 2",
        "1 and 2, 0, 1, 2",
        "1 and 2, -1, 1, 2",
        "2, 1, 2, 2",
        "2, 9, 2, 2",
        "2, 0, 2, 2"
    })
    @Tag("V2-5-3")
    @Tag("V2-5.2-1")
    @Tag("8166-7-1")
    void namesTheVersionsThatItSpeaks(String speaks, int version, int lowest, int highest)
            throws Exception {
        var provider = new IwarpProvider();
        var options = RpcRdmaOptions.DEFAULT.toBuilder().credits(CREDITS).build();
        if (!speaks.equals("1")) {
            var version2 = Version2.DEFAULT.withSpeaks1(!speaks.equals("2"));
            options = options.withProfile(new Version2Profile(version2));
        }
        try (var server =
                        Connections.listen(
                                provider,
                                ManualPeer.LOOPBACK,
                                List.of(new EchoProgram()),
                                List.of(EchoProgram.BINDING),
                                options);
                var client =
                        ManualPeer.connect(
                                provider, server.address(), new byte[0], RECEIVE_BYTES)) {
            var call = ByteBuffer.allocate(17 * Integer.BYTES).putInt(XID).putInt(version);
            client.send(call.putInt(CREDITS).array());
            var heard = ByteBuffer.wrap(client.receive().bytes());
            var words = new ArrayList<Integer>();
            while (heard.hasRemaining()) {
                words.add(heard.getInt());
            }
            assertEquals(
                    List.of(XID, version, CREDITS, RDMA_ERROR, ERR_VERS, lowest, highest), words);
        }
    }
}
