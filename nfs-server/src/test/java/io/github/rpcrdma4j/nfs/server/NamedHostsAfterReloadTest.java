package io.github.rpcrdma4j.nfs.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.ChangingName;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.NamedHost;
import io.github.rpcrdma4j.nfs.v3.FileHandle;
import io.github.rpcrdma4j.nfs.v3.Nfs3Call;
import io.github.rpcrdma4j.nfs.v3.Status;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: after a reload, the host names of all exports mean their latest addresses. */
class NamedHostsAfterReloadTest {
    private static final String FIRST = "192.0.2.5";
    private static final String SECOND = "192.0.2.6";

    private final ChangingName name = new ChangingName(FIRST);
    private TestDirectory testDirectory;
    private TestServer server;
    private FileHandle root;

    @BeforeEach
    void serve() throws Exception {
        testDirectory = TestDirectory.of(TestDirectory.Kind.BASIC);
        server = TestServer.of(List.of(export(name.lookedUp())));
        server.moveTo(FIRST);
        root = server.root("/named");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        testDirectory.close();
    }

    private Export export(NamedHost host) {
        var rules = List.of(ExportRule.of(host));
        return new Export("/named", testDirectory.root(), rules, List.of(SecurityFlavor.SYS));
    }

    private NamedHost reload() throws Exception {
        var host = name.lookedUp();
        assertEquals(1, server.nfs.replaceExports(List.of(export(host))).unchanged());
        return host;
    }

    private Status status(String from) throws Exception {
        server.moveTo(from);
        return server.status(new Nfs3Call.GetAttributes(root));
    }

    @Test
    void aReloadLooksNamesUp() throws Exception {
        assertEquals(Status.OK, status(FIRST));
        name.moveTo(SECOND);
        reload();
        assertEquals(Status.OK, status(SECOND));
        assertEquals(Status.ACCES, status(FIRST));
    }

    @Test
    void lookupsAfterAReloadCount() throws Exception {
        var host = reload();
        name.moveTo(SECOND);
        ChangingName.lookUpAgain(host, Duration.ofMinutes(5));
        assertEquals(Status.OK, status(SECOND));
        assertEquals(Status.ACCES, status(FIRST));
    }

    @Test
    void aNameThatNobodyKnowsAnyMoreHasNoAccessAfterAnHour() throws Exception {
        var host = reload();
        name.moveTo();
        ChangingName.lookUpAgain(host, Duration.ofMinutes(55));
        assertEquals(Status.OK, status(FIRST));
        ChangingName.lookUpAgain(host, Duration.ofMinutes(65));
        assertEquals(Status.ACCES, status(FIRST));
    }
}
