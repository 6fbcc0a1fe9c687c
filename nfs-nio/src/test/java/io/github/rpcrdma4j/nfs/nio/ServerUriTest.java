package io.github.rpcrdma4j.nfs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.client.NfsUrl.Transport;
import java.net.URI;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: each file has one URI, and the URI has one file. */
class ServerUriTest {
    private static ServerUri parse(String uri, Transport transport) {
        return ServerUri.parse(URI.create(uri), transport);
    }

    @Test
    void urisAreReversible() {
        for (var uri :
                List.of(
                        "nfs://server/data/a%20b%FF",
                        "nfs://server:3049/",
                        "nfs://127.0.0.1/data/%3F%23%25",
                        "nfs://[::1]:20/x")) {
            assertEquals(URI.create(uri), parse(uri, Transport.TCP).uri());
        }
        var overRdma = "nfs+rdma://server/data";
        assertEquals(URI.create(overRdma), parse(overRdma, Transport.RDMA).uri());
    }

    @Test
    void oneServerHasManyUris() {
        var plain = parse("nfs://server/", Transport.TCP);
        assertEquals(plain, parse("nfs://server", Transport.TCP));
        assertEquals(plain, parse("NFS://SERVER:2049//", Transport.TCP));
        assertEquals(
                parse("nfs+rdma://server", Transport.RDMA),
                parse("nfs+rdma://Server:20049/", Transport.RDMA));
    }

    @Test
    void otherUrisAreRefused() {
        for (var uri :
                List.of(
                        "file:///data",
                        "nfs+rdma://server/data",
                        "nfs:data",
                        "nfs:/data",
                        "nfs://user@server/data",
                        "nfs://server/data?x",
                        "nfs://server/data#x",
                        "nfs://server:99999/",
                        "nfs://server/a%00b")) {
            assertThrows(IllegalArgumentException.class, () -> parse(uri, Transport.TCP), uri);
        }
    }
}
