package io.github.rpcrdma4j.interop.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.PathName;
import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3CallDecoder;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.Nfs3Results.Written;
import io.github.rpcrdma4j.nfs.v3.Procedure;
import io.github.rpcrdma4j.nfs.v3.WccData;
import io.github.rpcrdma4j.oncrpc.AcceptStatus;
import io.github.rpcrdma4j.oncrpc.ProgramId;
import io.github.rpcrdma4j.oncrpc.RpcException;
import io.github.rpcrdma4j.oncrpc.RpcProgram;
import io.github.rpcrdma4j.oncrpc.RpcRequest;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import io.github.rpcrdma4j.xdr.XdrException;
import io.github.rpcrdma4j.xdr.XdrWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: a server with wrong counts ends a write. Method: programs that answer MNT and WRITE. */
@Timeout(60)
class StorageClientTest {
    private static final byte[] HANDLE = {1, 2, 3, 4};

    private static final class MountProgram implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Mount3.PROGRAM, Mount3.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            PathName.decode(request.arguments(), Mount3.PATH_MAX);
            request.arguments().finish();
            new Mount3.MountResult.Ok(HANDLE, List.of()).encode(results);
            return AcceptStatus.SUCCESS;
        }
    }

    /**
     * @param count the count in the reply to every WRITE
     */
    private record WriteProgram(int count) implements RpcProgram {
        @Override
        public ProgramId id() {
            return new ProgramId(Nfs3.PROGRAM, Nfs3.VERSION);
        }

        @Override
        public AcceptStatus call(RpcRequest request, XdrWriter results) throws XdrException {
            if (request.procedure() != Procedure.WRITE.number()) {
                return AcceptStatus.PROC_UNAVAIL;
            }
            var call =
                    (Nfs3Call.Write) Nfs3CallDecoder.decode(Procedure.WRITE, request.arguments());
            call.replyFormat()
                    .encode(
                            results,
                            new Nfs3Reply.Ok<>(
                                    WccData.UNKNOWN, new Written(count, call.stability(), 1)));
            return AcceptStatus.SUCCESS;
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "9, 9", "-1, 4294967295"})
    void endsAtAReplyThatWroteNothingOrTooMuch(int count, String printed) throws Exception {
        try (var server =
                        TcpRpcServer.listen(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                List.of(new MountProgram(), new WriteProgram(count)),
                                TcpRpcOptions.DEFAULT);
                var client = new StorageClient(server.address(), "/export")) {
            var file = new FileHandle(HANDLE);
            var failure =
                    assertThrows(
                            RpcException.BadReply.class,
                            () -> client.write(file, new byte[8], Stability.UNSTABLE));
            assertEquals(
                    "the reply to a WRITE of 8 bytes has the count " + printed,
                    failure.getMessage());
        }
    }
}
