package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments;
import io.github.rpcrdma4j.nfs.v4.operation.HandleArguments.SecInfoNoName.Style;
import io.github.rpcrdma4j.nfs.v4.operation.HandleResult;
import io.github.rpcrdma4j.nfs.v4.operation.SecurityChoice;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Goal: a client finds all exports from the root of the server on. */
class PseudoRootTest {
    private static final SecurityChoice SYS =
            new SecurityChoice.Flavor(SecurityFlavor.SYS.number());
    private static final SecurityChoice NONE =
            new SecurityChoice.Flavor(SecurityFlavor.NONE.number());

    private static List<SecurityChoice> choicesAtRoot(CompoundClient client) throws Exception {
        var result =
                client.last(
                        new HandleArguments.PutRootFh(),
                        new HandleArguments.SecInfoNoName(Style.CURRENT_FH));
        return ((HandleResult.SecInfoNoName) result).choices();
    }

    @Test
    void offersTheFlavorOfExportsFirstBecauseLinuxMountsWithTheFirst() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server = TestServer.of(testDirectory)) {
            assertEquals(List.of(SYS, NONE), choicesAtRoot(CompoundClient.of(server, "linux")));
        }
    }

    @Test
    void offersNoIdentityLastEvenIfAnExportPrefersIt() throws Exception {
        try (var testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
                var server =
                        TestServer.of(
                                List.of(
                                        new Export(
                                                "/open",
                                                testDirectory.root(),
                                                false,
                                                List.of(SecurityFlavor.NONE)),
                                        new Export(
                                                "/known",
                                                testDirectory.root(),
                                                false,
                                                List.of(SecurityFlavor.SYS))))) {
            assertEquals(List.of(SYS, NONE), choicesAtRoot(CompoundClient.of(server, "linux")));
        }
    }
}
