package io.github.rpcrdma4j.gateway;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.rpcrdma.options.PeerLimits;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Goal: the usual limits of a gateway go with those of the server behind it. */
class GatewayLimitsTest {
    /** Else the server would close connections of clients that have done nothing wrong. */
    @Test
    void aServerGivesOneAddressAllConnectionsOfAGateway() {
        int most = GatewayLimits.DEFAULT.connectionsMax() + GatewayLimits.DRAINING_MAX;
        assertTrue(most < TcpRpcOptions.DEFAULT.connectionsPerClientMax(), () -> "are " + most);
        assertTrue(most < PeerLimits.DEFAULT.connectionsMax(), () -> "are " + most);
    }

    @Test
    void theDocumentationHasTheNumbers() throws Exception {
        var words =
                "- There are %d connections to the server at most, and up to %d more"
                        .formatted(
                                GatewayLimits.DEFAULT.connectionsMax(), GatewayLimits.DRAINING_MAX);
        assertTrue(Files.readString(Path.of("../docs/commands.md")).contains(words), words);
        var record =
                "%d unless the operator says otherwise, so that with %d that end after"
                        .formatted(
                                GatewayLimits.DEFAULT.connectionsMax(), GatewayLimits.DRAINING_MAX);
        var page = Path.of("../docs/adr/0033-a-gateway-passes-messages.md");
        assertTrue(Files.readString(page).contains(record), record);
    }
}
