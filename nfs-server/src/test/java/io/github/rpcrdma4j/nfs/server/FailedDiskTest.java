package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.nfs.Stability;
import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.directories.linux.FullDevice;
import io.github.rpcrdma4j.nfs.mount.Mount3;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.CreateMode;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call.DirOpArgs;
import io.github.rpcrdma4j.nfs.v3.Nfs3Reply;
import io.github.rpcrdma4j.nfs.v3.SetAttributes;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.xdr.XdrException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a disk that fails again and again does not make the clients of another export write their
 * data again and again. Method: two exports, one on a file system that fails when data is forced.
 */
class FailedDiskTest {
    private static final int PIECE = 1 << 18;
    private static final int PIECES = 64;

    @TempDir private Path directory;

    private record Host(Results results) {
        <A, T> Nfs3Reply<A, T> reply(Nfs3Call<A, T> call)
                throws XdrException, InterruptedException {
            int procedure = call.procedure().number();
            return call.replyFormat()
                    .decode(
                            results.results(
                                    Nfs3.PROGRAM,
                                    Nfs3.VERSION,
                                    procedure,
                                    CompoundClient.ROOT,
                                    call::encode));
        }

        <A, T> T value(Nfs3Call<A, T> call) throws XdrException, InterruptedException {
            return ((Nfs3Reply.Ok<A, T>) reply(call)).value();
        }

        FileHandle create(String export) throws XdrException, InterruptedException {
            var mounted =
                    Mount3.MountResult.decode(
                            results.results(
                                    Mount3.PROGRAM,
                                    Mount3.VERSION,
                                    Mount3.Procedure.MNT.number(),
                                    CompoundClient.ROOT,
                                    out -> out.string(export)));
            var root = new FileHandle(((Mount3.MountResult.Ok) mounted).handle());
            var how = new CreateMode.Unchecked(SetAttributes.NONE);
            return value(new Nfs3Call.Create(new DirOpArgs(root, "file"), how))
                    .handle()
                    .orElseThrow();
        }

        long write(FileHandle file, int piece) throws XdrException, InterruptedException {
            // Zeros would need no space on this device.
            var data = MemorySegment.ofArray(new byte[PIECE]).fill((byte) 1);
            long offset = (long) piece * PIECE;
            return value(new Nfs3Call.Write(file, offset, Stability.UNSTABLE, data)).verifier();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aCommitToAnotherExportNeedsNoOtherWrite(HostServer.Transport transport) throws Exception {
        try (var full = FullDevice.in(directory);
                var good = TestDirectory.of(TestDirectory.Kind.LOCAL)) {
            var exports =
                    List.of(
                            new Export("/full", full.directory(), false),
                            new Export("/good", good.root(), false));
            try (var server = new HostServer(transport, new NfsServer(exports, TestServer.KEY))) {
                var host = new Host(server.connect("127.0.0.2"));
                var lost = host.create("/full");
                var stored = host.create("/good");
                long before = host.write(stored, 0);
                long written = 0;
                for (int piece = 0; piece < PIECES; piece++) {
                    written = host.write(lost, piece);
                }
                var failed = host.reply(new Nfs3Call.Commit(lost, 0, 0));
                assertEquals(Status.NOSPC, ((Nfs3Reply.Failed<?, ?>) failed).status());
                assertEquals(before, host.value(new Nfs3Call.Commit(stored, 0, 0)));
                var again = host.reply(new Nfs3Call.Commit(lost, 0, 0));
                if (again instanceof Nfs3Reply.Ok<?, Long>(_, var verifier)) {
                    assertNotEquals(written, verifier);
                } else {
                    assertTrue(again instanceof Nfs3Reply.Failed<?, Long>);
                }
            }
        }
    }
}
