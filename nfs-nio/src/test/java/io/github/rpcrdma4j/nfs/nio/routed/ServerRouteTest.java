package io.github.rpcrdma4j.nfs.nio.routed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.FileSystemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerRouteTest {
    @ParameterizedTest
    @CsvSource({
        "/net/nfs/server, nfs://server/",
        "/net/nfs/server/, nfs://server/",
        "/net/nfs/server/data/x, nfs://server/data/x",
        "/net/nfs+rdma/server:7/data, nfs+rdma://server:7/data",
        "/net/nfs/[::1]:2049/data, nfs://[::1]:2049/data",
        "//net///nfs/server//data, nfs://server/data",
        "/net/./nfs/server/./data, nfs://server/data",
        "/tmp/../net/nfs/server/data, nfs://server/data",
        "/../net/nfs/server/data, nfs://server/data",
        "/net/nfs/server/data/../x, nfs://server/data/../x",
        "/net/nfs/server/a/../../other/data, nfs://other/data",
        "/net/nfs/server/../other/data, nfs://other/data",
        "/net/nfs/server/a/../../../nfs+rdma/other/b/../data, nfs+rdma://other/data",
        "/net/nfs/server/a/../../server/data, nfs://server/data",
        "/net/nfs/server/a b, nfs://server/a%20b",
    })
    void aPathLeadsToAFileOfAServer(String path, String uri) throws Exception {
        assertEquals(uri, ServerRoute.of(path).uri().toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/net",
                "/net/nfs",
                "/net/nfs/",
                "/net/other/server/data",
                "/net/nfs/server/..",
                "/net/nfs/server/../../../etc",
                "/net/nfs/..",
                "/srv/net/nfs/server/data",
                "/network/nfs/server/data",
                "/net/NFS/server/data",
                "/tmp/data"
            })
    void aPathLeadsToAFileOfThisMachine(String path) {
        assertNull(ServerRoute.of(path));
    }

    @Test
    void aFileOfTheServerHasAPathOfThisMachine() {
        var route = ServerRoute.of("/net/nfs/server:7/a");
        assertEquals("/net/nfs/server:7/b/c", route.textOf("/b/c"));
        assertEquals("/net/nfs/server:7", route.textOf("/"));
    }

    @Test
    void aNameThatNoServerCanHaveIsRefused() {
        var route = ServerRoute.of("/net/nfs/a b/x");
        assertThrows(FileSystemException.class, route::uri);
    }
}
