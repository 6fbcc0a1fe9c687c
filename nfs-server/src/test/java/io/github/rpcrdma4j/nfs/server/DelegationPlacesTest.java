package io.github.rpcrdma4j.nfs.server;

import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.getAttr;
import static io.github.rpcrdma4j.nfs.server.Nfs4Calls.open;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.rpcrdma4j.nfs.directories.TestDirectory;
import io.github.rpcrdma4j.nfs.server.export.Clients;
import io.github.rpcrdma4j.nfs.server.export.Delegations;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.server.export.ExportRule;
import io.github.rpcrdma4j.nfs.server.export.ExportRule.Ports;
import io.github.rpcrdma4j.nfs.v4.Nfs4Status;
import io.github.rpcrdma4j.nfs.v4.attribute.Attribute;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CallbackResult;
import io.github.rpcrdma4j.nfs.v4.operation.OpenDelegation;
import io.github.rpcrdma4j.nfs.v4.operation.StateArguments;
import io.github.rpcrdma4j.nfs.v4.operation.StateResult;
import io.github.rpcrdma4j.oncrpc.SecurityFlavor;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: who lets others wait for delegations keeps no other host, and no root, from any. */
class DelegationPlacesTest {
    private static final String HOST = "fd00:77::2";
    private static final String NEIGHBOR = "fd00:77::3";
    private static final int OF_ROOT = 1023;
    private static final int OF_USER = 1024;

    private TestDirectory secure;
    private TestDirectory open;
    private TestServer server;

    @BeforeEach
    void serve() throws Exception {
        secure = TestDirectory.of(TestDirectory.Kind.BASIC);
        open = TestDirectory.of(TestDirectory.Kind.BASIC);
        for (var each : List.of("a", "b")) {
            Files.writeString(open.root().resolve(each), "content");
        }
        server =
                TestServer.of(
                        List.of(
                                export("/secure", secure, Ports.PRIVILEGED),
                                export("/open", open, Ports.ANY)));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
        secure.close();
        open.close();
    }

    private static Export export(String name, TestDirectory files, Ports ports) {
        var rule = ExportRule.of(Clients.parse("fd00:77::/64")).withPorts(ports);
        return new Export(name, files.root(), List.of(rule), List.of(SecurityFlavor.SYS))
                .with(Delegations.EXCLUSIVE);
    }

    private static Arguments[] at(String name, Arguments operation) {
        var operations = new ArrayList<>(CompoundClient.walk("open"));
        if (!name.isEmpty()) {
            operations.addAll(CompoundClient.walk(name).subList(1, 2));
        }
        operations.add(operation);
        return operations.toArray(Arguments[]::new);
    }

    private CompoundClient client(String name, String address, int port) throws Exception {
        server.moveTo(address, port);
        var calls = new CallbackPeer();
        calls.answer(
                call -> new CallbackResult.Plain(call.opcode().number(), Nfs4Status.SERVERFAULT));
        server.connect(calls);
        return CompoundClient.of(server, name);
    }

    private static OpenDelegation opened(CompoundClient client, String name) throws Exception {
        var opening = open(name, StateArguments.Open.BOTH, 0);
        return ((StateResult.Open) client.last(at("", opening))).delegation();
    }

    /** Whole table: from where another client calls, and whether it gets a delegation. */
    @ParameterizedTest
    @CsvSource({
        HOST + "," + OF_USER + ",false",
        HOST + "," + OF_ROOT + ",true",
        NEIGHBOR + "," + OF_USER + ",true",
        NEIGHBOR + "," + OF_ROOT + ",true",
    })
    void whoIsLateKeepsItsOwnPlaceFromDelegations(String address, int port, boolean isGranted)
            throws Exception {
        var late = client("late", HOST, OF_USER);
        assertInstanceOf(OpenDelegation.Write.class, opened(late, "a"));
        var asker = client("asker", "fd00:77::4", OF_ROOT);
        assertEquals(Nfs4Status.DELAY, asker.status(at("a", getAttr(Attribute.SIZE))));
        var other = client("other", address, port);
        assertEquals(isGranted, opened(other, "b") instanceof OpenDelegation.Write);
    }

    @Test
    void withoutLateAnswersEachGetsOne() throws Exception {
        var client = client("client", HOST, OF_USER);
        assertInstanceOf(OpenDelegation.Write.class, opened(client, "a"));
        assertInstanceOf(OpenDelegation.Write.class, opened(client, "b"));
    }
}
