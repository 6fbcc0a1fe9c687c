package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.users.KerberosUsers;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an operator chooses the minor versions, and clients of others learn that (RFC 8881). */
class MinorVersionsTest {
    private static final Credential CALLER = new Credential.Sys(0, "box", 0, 0, List.of());

    @TempDir private Path directory;

    private Nfs4Status status(RdmaServer server, int minorVersion) throws Exception {
        var call = new CompoundArguments(OpaqueName.of(new byte[0]), minorVersion, List.of());
        var results =
                server.results(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        CALLER,
                        call::encode);
        return Nfs4Status.of(results.uint32()).orElseThrow();
    }

    @Test
    void onlyThoseThatAreChosenAreServed() throws Exception {
        for (var served : List.of(Set.of(0), Set.of(1, 2), Set.of(0, 1, 2))) {
            var options = Nfs4Options.DEFAULT.withMinorVersions(served);
            var export = new Export("/data", directory, false);
            var nfs = new NfsServer(List.of(export), new byte[16], KerberosUsers.NONE, options);
            try (var server = new RdmaServer(nfs)) {
                for (int minor = 0; minor <= 3; minor++) {
                    assertEquals(
                            served.contains(minor) ? Nfs4Status.OK : Nfs4Status.MINOR_VERS_MISMATCH,
                            status(server, minor),
                            served + ": 4." + minor);
                }
            }
        }
    }

    @Test
    void thereIsAtLeastOneAndNoneThatIsUnknown() {
        for (var wrong : List.of(Set.<Integer>of(), Set.of(3), Set.of(1, -1))) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> Nfs4Options.DEFAULT.withMinorVersions(wrong));
        }
    }
}
