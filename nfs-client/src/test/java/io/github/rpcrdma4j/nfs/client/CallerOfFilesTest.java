package io.github.rpcrdma4j.nfs.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.github.rpcrdma4j.nfs.client.service.ClientOptions;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.ForwardingProgram;
import io.github.rpcrdma4j.oncrpc.ProcessCredential;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.rpcrdma.RpcRdmaServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Goal: files are used as the caller of the options. Method: the credentials of all calls. */
class CallerOfFilesTest {
    private final Set<Credential> seen = ConcurrentHashMap.newKeySet();

    private record Watched(RpcProgram program, Set<Credential> seen) implements ForwardingProgram {
        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results)
                throws XdrException, InterruptedException {
            seen.add(request.credential());
            return program.call(request, results);
        }
    }

    private void requireCaller(Credential expected, ClientOptions options) throws Exception {
        seen.clear();
        var root = Jimfs.newFileSystem(Configuration.unix()).getPath("/exported");
        Files.createDirectory(root);
        var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var nfs = new NfsServer(List.of(new Export("/data", root, false)), new byte[32]);
                var server =
                        RpcRdmaServer.builder()
                                .address(address)
                                .programs(
                                        nfs.programs().stream()
                                                .map(program -> new Watched(program, seen))
                                                .toList())
                                .start();
                var files =
                        NfsFiles.connect(
                                "rdma://127.0.0.1:" + server.address().getPort() + "/data",
                                options)) {
            files.exists("/data/none");
        }
        assertEquals(Set.of(expected), seen);
    }

    @Test
    void isThatOfTheOptions() throws Exception {
        var other = new Credential.Sys(0, "host", 1234, 1234, List.of());
        requireCaller(other, ClientOptions.DEFAULT.withCaller(other));
    }

    @Test
    void isTheUserOfThisProcessOtherwise() throws Exception {
        requireCaller(ProcessCredential.read(), ClientOptions.DEFAULT);
    }
}
