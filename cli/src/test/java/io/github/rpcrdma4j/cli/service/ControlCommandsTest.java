package io.github.rpcrdma4j.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.rpcrdma4j.cli.Console;
import io.github.rpcrdma4j.cli.JsonText;
import io.github.rpcrdma4j.cli.serve.HandleKey;
import io.github.rpcrdma4j.nfs.server.NfsServer;
import io.github.rpcrdma4j.nfs.server.export.Export;
import io.github.rpcrdma4j.nfs.v4.Nfs4Binding;
import io.github.rpcrdma4j.nfs.v4.operation.Arguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundArguments;
import io.github.rpcrdma4j.nfs.v4.operation.CompoundResult;
import io.github.rpcrdma4j.nfs.v4.operation.SessionArguments;
import io.github.rpcrdma4j.nfs.v4.operation.SessionResult;
import io.github.rpcrdma4j.nfs.v4.operation.StateProtection;
import io.github.rpcrdma4j.nfs.v4.type.ChannelAttributes;
import io.github.rpcrdma4j.nfs.v4.type.ClientOwner;
import io.github.rpcrdma4j.nfs.v4.type.OpaqueName;
import io.github.rpcrdma4j.oncrpc.Credential;
import io.github.rpcrdma4j.oncrpc.RpcCall;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcClient;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcOptions;
import io.github.rpcrdma4j.oncrpc.tcp.TcpRpcServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: an administrator sees what clients of version 4 hold, and ends one. */
class ControlCommandsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 4096, 4096, 1024, 16, 4, OptionalInt.empty());

    @TempDir private Path directory;
    private final Console console = new Console();
    private NfsServer nfs;
    private TcpRpcServer tcp;
    private TcpRpcClient client;
    private ControlSocket socket;

    @BeforeEach
    void serve() throws Exception {
        var exported = Files.createDirectory(directory.resolve("exported"));
        nfs = new NfsServer(List.of(new Export("/data", exported, false)), HandleKey.random());
        tcp =
                TcpRpcServer.listen(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        nfs.programs(),
                        TcpRpcOptions.DEFAULT);
        client =
                TcpRpcClient.connect(
                        tcp.address(), new Credential.Sys(0, "test", 7, 7, List.of()), PATIENCE);
        socket = listen();
    }

    private ControlSocket listen() throws IOException {
        var server =
                new ControlledServer(nfs.administration(), ControlledServer.Reload.NONE, () -> "");
        return ControlSocket.listen(path(), server);
    }

    @AfterEach
    void stop() throws Exception {
        socket.close();
        client.close();
        tcp.close();
        nfs.close();
    }

    private Path path() {
        return directory.resolve("control").resolve("s.sock");
    }

    private SessionResult call(Arguments operation) throws Exception {
        var compound = new CompoundArguments(OpaqueName.of(new byte[0]), 2, List.of(operation));
        var call =
                new RpcCall(
                        Nfs4Binding.PROGRAM,
                        Nfs4Binding.VERSION,
                        Nfs4Binding.COMPOUND,
                        compound::encode,
                        1000);
        try (var reply = client.call(call, PATIENCE)) {
            return (SessionResult) CompoundResult.decode(reply.results()).results().getFirst();
        }
    }

    /** Makes a client with a session, and returns its number. */
    private long makeClient(String name) throws Exception {
        var owner = OpaqueName.of(name.getBytes(StandardCharsets.UTF_8));
        var exchange =
                new SessionArguments.ExchangeId(
                        new ClientOwner(1, owner), 0, new StateProtection.None(), Optional.empty());
        var made = (SessionResult.ExchangeId) call(exchange);
        call(
                new SessionArguments.CreateSession(
                        made.clientId(), made.sequence(), 0, CHANNEL, CHANNEL, 1, List.of()));
        return made.clientId();
    }

    private String[] arguments(String... arguments) {
        var all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--control", path().toString()));
        return all.toArray(String[]::new);
    }

    /** Root may be any user, so it is not named beside one. */
    private static String byThisUser() throws IOException {
        int user = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        return user == 0 ? "" : " by " + user;
    }

    @Test
    void showsClientsAndTheirSessions() throws Exception {
        console.succeeds(arguments("clients"));
        assertEquals("no clients\n", console.out());
        console.succeeds(arguments("clients", "--json"));
        assertEquals("", console.out());
        long id = makeClient("a client");
        makeClient("another");
        console.succeeds(arguments("clients"));
        assertEquals(2, console.out().lines().count(), console::out);
        var line = console.out().lines().filter(each -> each.contains("a client")).findFirst();
        assertTrue(
                line.orElseThrow()
                        .startsWith(
                                "%s  a client, sys:7%s, from 127.0.0.1, idle "
                                        .formatted(ControlEntry.id(id), byThisUser())),
                console::out);
        console.succeeds(arguments("sessions"));
        assertEquals(2, console.out().lines().count(), console::out);
        assertTrue(console.out().contains("client " + ControlEntry.id(id)), console::out);
        for (var empty : List.of("opens", "delegations", "locks", "copies")) {
            console.succeeds(arguments(empty));
            assertEquals("no " + empty + "\n", console.out());
        }
    }

    @Test
    void printsJsonForPrograms() throws Exception {
        long id = makeClient("a client");
        for (var subject : List.of("clients", "sessions")) {
            console.succeeds(arguments(subject, "--json"));
            var line = new JsonText(console.out()).whole();
            assertTrue(line.contains("\"client\":\"" + ControlEntry.id(id) + "\""), line);
        }
    }

    @Test
    void endsAClientByItsNumber() throws Exception {
        long id = makeClient("a client");
        console.succeeds(arguments("clients", "--end", ControlEntry.id(id)));
        assertEquals(
                "ended client %s, a client: it has lost 0 stateids and 0 locked ranges\n"
                        .formatted(ControlEntry.id(id)),
                console.out());
        console.failsWithOneLine(
                "there is no client 0000000000000123",
                arguments("clients", "--end", "0000000000000123"));
        assertEquals(2, console.run(arguments("clients", "--end", "123")));
        assertEquals(2, console.run(arguments("clients", "--end", "a client")));
        assertTrue(console.err().contains("not the number of a client"), console::err);
    }

    @Test
    void endsAClientByTheHalfOfItsNumberThatTheLogHas() throws Exception {
        long id = makeClient("a client");
        makeClient("another");
        var half = ControlEntry.id(id).substring(0, 8);
        console.succeeds(arguments("clients", "--end", half));
        assertTrue(console.out().startsWith("ended client " + ControlEntry.id(id)), console::out);
    }

    @Test
    void saysThatNoServerListens() throws Exception {
        socket.close();
        assertFalse(Files.exists(path()));
        console.failsWithOneLine("no server listens at " + path(), arguments("clients"));
        // A server that was killed leaves its socket.
        try (var dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path()));
        }
        console.failsWithOneLine("no server listens at " + path(), arguments("clients"));
        socket = listen();
        console.succeeds(arguments("clients"));
    }

    @Test
    void namesTheSocketsThatAreThere() throws Exception {
        var wrong = path().resolveSibling("wrong.sock").toString();
        console.failsWithOneLine("no server listens at " + wrong, "clients", "--control", wrong);
        assertTrue(console.err().contains("there are: --control " + path()), console::err);
    }

    @Test
    void doesNotNameTheSocketsOfServersThatHaveEnded() throws Exception {
        var dead = path().resolveSibling("0-dead.sock");
        try (var listening = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listening.bind(UnixDomainSocketAddress.of(dead));
        }
        var wrong = path().resolveSibling("wrong.sock").toString();
        console.failsWithOneLine("there are: --control " + path(), "clients", "--control", wrong);
        assertFalse(console.err().contains("dead"), console::err);
        console.failsWithOneLine(
                "the server that made it has ended", "clients", "--control", dead.toString());
    }

    @Test
    void givesUpOnAServerThatDoesNotAnswer() throws Exception {
        var silent = path().resolveSibling("silent.sock");
        try (var stopped = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            stopped.bind(UnixDomainSocketAddress.of(silent));
            var request = new ControlRequest.Show(ControlRequest.Subject.CLIENTS, false);
            var failure =
                    assertThrows(
                            IOException.class,
                            () ->
                                    ControlSocket.ask(
                                            silent,
                                            request,
                                            new PrintWriter(new StringWriter()),
                                            Duration.ofMillis(50)));
            assertTrue(failure.getMessage().contains("has not answered for"), failure::getMessage);
        }
    }

    @Test
    void refusesASecondServerAtOneSocket() throws Exception {
        var refused = assertThrows(IOException.class, () -> listen());
        assertEquals("another server listens at " + path(), refused.getMessage());
        console.succeeds(arguments("clients"));
    }

    @Test
    void letsOnlyTheUserOfTheServerIn() throws Exception {
        assertEquals(
                "rwx------",
                PosixFilePermissions.toString(Files.getPosixFilePermissions(path().getParent())));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path())));
        socket.close();
        Files.setPosixFilePermissions(
                path().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThrows(IOException.class, () -> listen());
    }

    @Test
    void answersWhatIsNoRequest() throws Exception {
        for (var text :
                List.of("", "shutdown", "end ", "end zz", "clients  json", "x".repeat(99))) {
            try (var raw = SocketChannel.open(UnixDomainSocketAddress.of(path()))) {
                raw.write(ByteBuffer.wrap((text + "\n").getBytes(StandardCharsets.UTF_8)));
                assertEquals(
                        "failed the server does not know this request\n",
                        new String(
                                Channels.newInputStream(raw).readAllBytes(),
                                StandardCharsets.UTF_8));
            }
        }
        // One that says nothing and leaves does not stop the next.
        SocketChannel.open(UnixDomainSocketAddress.of(path())).close();
        console.succeeds(arguments("clients"));
    }

    @Test
    void shortResponsesAreNoSuccess() throws Exception {
        socket.close();
        for (var response : List.of("", "an entry\n", "failed \u001b[2J words\n")) {
            try (var rogue = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                rogue.bind(UnixDomainSocketAddress.of(path()));
                var answering =
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try (var peer = rogue.accept()) {
                                                peer.write(
                                                        ByteBuffer.wrap(
                                                                response.getBytes(
                                                                        StandardCharsets.UTF_8)));
                                            } catch (IOException failed) {
                                                throw new UncheckedIOException(failed);
                                            }
                                        });
                assertEquals(1, console.run(arguments("clients")), console::err);
                assertEquals(1, console.errLines().size(), console::err);
                assertFalse(console.err().contains("\u001b"), console::err);
                answering.join();
            }
            Files.delete(path());
        }
    }
}
